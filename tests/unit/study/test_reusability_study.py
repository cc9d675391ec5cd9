"""Reusability: losses against a literal twin that pools anew without a group, the correction, what is inferred."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import InputError
from poolwise.simulate import simulate

DEPTH = 15


@pytest.fixture(scope="module")
def simulated():
    return simulate(runs=8, topics=12, depth=60, pool_depth=DEPTH, seed=5)


@pytest.fixture(scope="module")
def tables(simulated):
    return simulated.qrels(), {run: simulated.run(run) for run in simulated.runs}


def groups_of(runs):
    return {run: f"team{place // 3}" for place, run in enumerate(runs)}


def without(qrels, runs, group_of, group):
    """Labels of the pool of all other runs, made anew from the lists."""
    kept = {topic: {} for topic in qrels}
    for run, topics in runs.items():
        if group_of[run] == group:
            continue
        for topic, scored in topics.items():
            best = sorted(scored, key=lambda document: (scored[document], document), reverse=True)[:DEPTH]
            for document in best:
                if document in qrels.get(topic, {}):
                    kept[topic][document] = qrels[topic][document]
    return kept


def test_losses_are_those_of_a_pool_made_anew(tables):
    qrels, runs = tables
    group_of = groups_of(runs)
    study = pw.study.reusability(pw.read(qrels, runs), measures=["AP"], groups=group_of, depth=DEPTH)
    losses = {row[1]: row for row in zip(*study.tables["losses"].columns.values(), strict=True)}
    heads = list(study.tables["losses"].columns)
    full = dict(zip(runs, pw.read(qrels, runs).score("AP").means()[:, 0].tolist(), strict=True))
    for group in set(group_of.values()):
        smaller = without(qrels, runs, group_of, group)
        means = pw.read(smaller, runs).score("AP").means()[:, 0].tolist()
        for run, mean in zip(runs, means, strict=True):
            if group_of[run] == group:
                row = dict(zip(heads, losses[run], strict=True))
                assert row["left_out"] == pytest.approx(mean, abs=1e-12), run
                assert row["loss"] == pytest.approx(full[run] - mean, abs=1e-12)
                assert row["group"] == group
                unique = sum(label >= 1 for topic in qrels for label in _only(qrels[topic], smaller[topic]))
                assert row["unique_relevant"] == unique


def _only(whole, part):
    return [label for document, label in whole.items() if document not in part]


def test_contributing_runs_are_those_judged_in_full(tables):
    qrels, runs = tables
    newcomer = {topic: {f"new{place}": 10.0 - place for place in range(10)} for topic in qrels}
    study = pw.study.reusability(pw.read(qrels, {**runs, "newcomer": newcomer}), measures=["AP"])
    assert study.settings["depth"] == 10
    assert "newcomer" not in study.tables["losses"].columns["run"]
    assert set(study.tables["losses"].columns["run"]) == set(runs)


def test_correction_removes_the_mean_loss(tables):
    qrels, runs = tables
    study = pw.study.reusability(pw.read(qrels, runs), measures=["AP", "nDCG@10"], depth=DEPTH)
    rows = study.tables["correction"].columns
    bias = dict(zip(zip(rows["measure"], rows["form"], strict=True), rows["bias"], strict=True))
    for measure in ("AP", "nDCG@10"):
        assert bias[measure, "as it is"] < 0
        assert abs(bias[measure, "corrected"]) < abs(bias[measure, "as it is"]) / 5


def test_kinds_are_summed_up_apart(tables):
    qrels, runs = tables
    kinds = {run: "manual" if place % 2 else "automatic" for place, run in enumerate(runs)}
    study = pw.study.reusability(pw.read(qrels, runs), measures=["P@10"], kinds=kinds, depth=DEPTH)
    summary, losses = study.tables["summary"].columns, study.tables["losses"].columns
    assert summary["kind"] == ["all", "automatic", "manual"]
    percents = np.array(losses["loss_percent"])
    manual = np.array(losses["kind"]) == "manual"
    assert summary["mean_percent"][2] == pytest.approx(percents[manual].mean())
    assert summary["most_percent"][0] == pytest.approx(percents.max())


def test_faults(tables):
    qrels, runs = tables
    with pytest.raises(InputError, match="two groups"):
        pw.study.reusability(pw.read(qrels, runs), groups=dict.fromkeys(runs, "one"), depth=DEPTH)
    with pytest.raises(InputError, match="top 60 documents judged"):
        pw.study.reusability(pw.read(qrels, runs), depth=60)
