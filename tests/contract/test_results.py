"""Laws of every result: what it shows and writes follows from what it declares."""

from __future__ import annotations

import csv
import importlib
import io
import json
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import poolwise
from poolwise.basics.results import Result
from poolwise.comparisons.non_inferiority import gate
from poolwise.errors import ArgumentError
from poolwise.estimates.interim_looks import Looks
from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.weights.labels import grade_shares
from poolwise.scores.stream import score_stream
from poolwise.trust.error_rates import error_rates
from poolwise.trust.label_agreement import agreement_of
from poolwise.trust.label_sheet import label_sheet

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One of each, by class."""
    folder = tmp_path_factory.mktemp("campaign")
    campaign = simulate(runs=5, topics=8, depth=40, pool_depth=10, seed=1)
    campaign.write(folder)
    pool = campaign.pool()
    sample = pool.judgments.sample("stratified", depth=10, budget=100, seed=1)
    scores = pool.score("AP", "nDCG@10")
    optimum = poolwise.optimal_discount(pool, cutoff=3, splits=2)
    first, second = scores.array("AP")[:2]
    labels = [("1", "a", 1.0, 1), ("1", "b", 0.0, 1), ("2", "a", 1.0, 1)]
    uniform = pool.judgments.sample("uniform", fraction=0.3, seed=1)
    people = {topic: pool.judgments.of(topic) for topic in pool.topics}
    holes = campaign.pool().holes("nDCG@10")
    scored = [{"item": n // 2, "system": "ab"[n % 2], "score": n % 3 if n < 30 else None} for n in range(60)]
    items = poolwise.estimate_items(scored, difference="all", width=0.1)
    found = [
        scores,
        score_stream(folder / "qrels.txt", folder / "runs", measures=["AP"]),
        pool.estimate("AP", judgments=sample, difference="all"),
        pool.estimate("AP", judgments=sample, difference="all").differences,
        poolwise.compare(scores, "AP", test="t"),
        poolwise.topic_groups(scores, {topic: "odd" if int(topic) % 2 else "even" for topic in pool.topics}, "AP"),
        poolwise.agreement(scores, scores, measure=("AP", "nDCG@10"), resamples=20),
        poolwise.reliability(scores, "AP"),
        poolwise.reliability(scores, "AP").curve(),
        error_rates(scores, "AP", draws=5),
        poolwise.topics_needed(scores, "AP", difference=0.05),
        poolwise.discriminative_power(scores, "AP", resamples=100),
        poolwise.decisions(scores, scores, "AP"),
        optimum,
        optimum.held_out[0],
        grade_shares(pool, 5),
        poolwise.audit(pool),
        pool.plan(budget=50),
        pool.plan(budget=50, forecast=True).forecast,
        items,
        items.differences,
        poolwise.plan_items(scored, budget=10),
        sample.rates(),
        gate(first, second, margin=0.01),
        agreement_of(label_sheet({"ann": labels, "bob": labels})),
        poolwise.assessor_effect({"ann": people, "bob": people}, folder / "runs", resamples=5),
        poolwise.model_effect({"people": people, "model": people}, folder / "runs", model="model"),
        holes,
        holes.pairs,
        holes.offset,
        holes.settle(*pool.runs[:2]),
        pool.estimate("AP", judgments=uniform, looks=Looks(0.5)).forecast,
    ]
    return {type(each): each for each in found}


def declared() -> set[type]:
    """Every result there is."""
    for module in pkgutil.walk_packages(poolwise.__path__, "poolwise."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, waiting = set(), [Result]
    while waiting:
        waiting += (subclasses := waiting.pop().__subclasses__())
        found |= {each for each in subclasses if each.__module__.startswith("poolwise.")}
    return found


def test_every_result_is_tried(results):
    missing = {each.__name__ for each in declared()} - {each.__name__ for each in results}
    assert missing <= {"ScoreRows", "Means"}  # bases; `Scores` and `Streamed` are tried


def test_frame_csv_and_columns_agree(results):
    for kind, each in results.items():
        columns = each.columns()
        assert columns, kind
        table = each.to_frame("polars")
        assert table.columns == list(columns), kind
        if kind.__name__ in ("Scores", "Estimate", "Streamed"):
            continue  # CSV of scores has the means; tests of scores read it
        header, *rows = csv.reader(io.StringIO(each.to_csv(), newline=""))
        assert header == table.columns, kind
        assert len(rows) == table.height, kind
        assert "None" not in {cell for row in rows for cell in row}, kind
        assert "nan" not in {cell for row in rows for cell in row}, kind


def test_json_is_strict_and_holds_what_the_dict_holds(results):
    for kind, each in results.items():
        text = each.to_json()
        read = json.loads(text, parse_constant=lambda word, kind=kind: pytest.fail(f"{word} in {kind}"))
        assert read, kind
        if isinstance(read, dict):
            assert {str(key) for key in each.to_dict()} == set(read), kind
        assert not any(isinstance(value, (np.ndarray, np.generic)) for value in each.to_dict().values()), kind


def test_what_is_printed_is_short_and_names_the_class(results):
    for kind, each in results.items():
        line = repr(each)
        assert line.startswith(f"<{kind.__name__}: "), line
        assert line == f"<{kind.__name__}: {each.headline()}>"
        assert "\n" not in line
        assert len(line) < 250, line
        assert str(each).startswith(each.headline())
        assert len(str(each).splitlines()) < 80


def test_every_result_says_the_same_in_another_process(results, tmp_path):
    """It has imported nothing but what unpickling imports."""
    (tmp_path / "results").write_bytes(pickle.dumps(list(results.values())))
    program = "import json, pickle, sys; print(json.dumps([str(each) for each in pickle.load(sys.stdin.buffer)]))"
    with (tmp_path / "results").open("rb") as pickled:
        there = subprocess.run([sys.executable, "-c", program], stdin=pickled, capture_output=True, check=True)
    assert json.loads(there.stdout) == [str(each) for each in results.values()]


def test_notebooks_and_papers_get_a_table(results):
    for kind, each in results.items():
        overview = each.overview()
        rows = min(60, len(next(iter(overview.values()))))
        assert each._repr_html_().count("<tr>") == rows + 1, kind
        assert each.to_markdown().count("\n") == len(next(iter(overview.values()))) + 2, kind
        assert each.to_latex().startswith(r"\begin{tabular}"), kind
        for give in (each.to_markdown, each.to_latex):
            with pytest.raises(ArgumentError, match="digits"):
                give(digits=-1)


def test_notes_are_kept_texts(results):
    for kind, each in results.items():
        assert all(isinstance(note, str) for note in each.notes()), kind
        assert all(note in str(each) for note in each.notes()), kind
    assert results[poolwise.Comparison].notes() == ("only 8 topics: tests have little power below 10",)
