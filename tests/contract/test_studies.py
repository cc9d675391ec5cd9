"""Laws that hold for every study: pinned tables, the same bytes however the work is done, pages that hold together."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.study import STUDIES

pytestmark = pytest.mark.slow

MEASURES = ["AP", "nDCG@10", "nDCG'"]
CAMPAIGN = {"runs": 8, "topics": 16, "depth": 60, "pool_depth": 25, "grades": 3, "negative": 0.1}
FEW = {"measures": MEASURES, "fractions": [0.1, 0.5, 1.0], "trials": 3}


def strict():
    """Labels of someone who finds nothing more than relevant."""
    labels = simulate(**CAMPAIGN, seed=2).qrels()
    return {topic: {document: min(label, 1) for document, label in own.items()} for topic, own in labels.items()}


SETTINGS = {
    "robustness": FEW,
    "assessors": {"measures": MEASURES, "labels": {"strict": strict()}, "mixtures": 20, "resamples": 20},
    "decisions": FEW,
    "discrimination": {**FEW, "resamples": 100},
    "estimation": {"measures": ["infAP", "AP"], "fractions": [0.3], "depths": [3], "trials": 3, "assisted": 2},
    "reliability": {"measures": MEASURES, "resamples": 100, "draws": 20},
    "reusability": {"measures": MEASURES, "depth": 25},
    "gain-discount": {"cutoffs": (5, 10), "splits": 1, "resamples": 50},
    "negative": {"cutoffs": (3, 5, 10), "draws": 20, "resamples": 50},
}
COLUMNS = {
    ("assessors", "rankings"): "measure, first, second, tau, tau_low, tau_high, tau_ap, rbo, swaps, kappa, overlap",
    ("assessors", "decisions"): "measure, first, second, told_apart, kept, lost, turned, swapped, kept_share",
    ("assessors", "mixed"): "measure, what, mean, low, high",
    ("robustness", "curve"): "measure, fraction, tau, tau_sd, value",
    ("robustness", "agreement"): "measure_a, measure_b, tau",
    ("decisions", "decisions"): "measure, fraction, accuracy, g_mean, false_positive, false_negative",
    ("discrimination", "discrimination"): "measure, fraction, power, difference_required",
    ("estimation", "estimation"): "measure, design, share_judged, tau, r, rho, rmse, bias, coverage, width",
    ("reliability", "reliability"): "measure, system, topic, interaction, topics, phi, rho2, topics_for_phi95",
    ("reliability", "error_rate"): "measure, topics, error_rate",
    ("reusability", "losses"): "measure, run, group, kind, all_labels, left_out, loss, loss_percent, ranks_lost",
    ("reusability", "groups"): "measure, group, runs, unique, unique_relevant, tau, swaps",
    ("gain-discount", "discounts"): "cutoff, rank, optimal, log2, zipf, linear",
    ("gain-discount", "gains"): "cutoff, grade, constrained, unconstrained, joint, linear, exp",
    ("gain-discount", "phi"): "cutoff, variant, phi_1, phi_50, topics_for_95",
    ("negative", "labels"): "label, mean_ratio",
    ("negative", "bounds"): "cutoff, below_0, at_most_minus_1",
    ("negative", "spearman"): "cutoff, measure_a, measure_b, rho",
}


@pytest.fixture(scope="module")
def pool():
    return simulate(**CAMPAIGN, seed=2).pool()


def conduct(name, pool, **how):
    return getattr(pw.study, name.replace("-", "_"))(pool, seed=4, **SETTINGS[name], **how)


@pytest.fixture(scope="module", params=STUDIES)
def done(request, pool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return request.param, conduct(request.param, pool, folder=folder), folder


def test_every_study_is_covered():
    assert set(SETTINGS) == set(STUDIES)
    assert {name for name, _ in COLUMNS} == set(STUDIES)


def test_tables_have_the_pinned_columns(done, tmp_path):
    name, study, _ = done
    for table in [table for owner, table in COLUMNS if owner == name]:
        assert set(COLUMNS[name, table].split(", ")) <= set(study.tables[table].columns), table
        assert len(study.to_frame(table)) > 0
    study.write_tables(tmp_path)
    for table in study.tables:
        assert (tmp_path / f"{table}.csv").exists()
        assert (tmp_path / f"{table}.parquet").exists()


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


def test_units_in_processes_on_threads_and_after_a_resume_give_the_same_bytes(done, pool, processes):
    name, study, folder = done
    units = sorted((folder / "units").glob("*/*.npz"))
    assert len(units) > 1
    for unit in units[::2]:
        unit.unlink()
    counts = []
    again = conduct(name, pool, folder=folder, resume=True, progress=lambda *count: counts.append(count))
    assert counts[0] == (len(units) // 2, len(units))
    assert counts[-1] == (len(units), len(units))
    with ThreadPoolExecutor(2) as threads:
        others = [again, conduct(name, pool, executor=processes), conduct(name, pool, executor=threads)]
    for other in others:
        assert other.summary == study.summary
        assert {n: t.csv() for n, t in other.tables.items()} == {n: t.csv() for n, t in study.tables.items()}
        assert [figure.json() for figure in other.figures.values()] == [f.json() for f in study.figures.values()]


@pytest.mark.parametrize("name", [name for name in STUDIES if "trials" in SETTINGS[name]])
def test_more_trials_are_added_to_those_there_are(name, pool, tmp_path):
    function = getattr(pw.study, name)
    few, more = {**SETTINGS[name], "trials": 1, "seed": 4}, {**SETTINGS[name], "trials": 2, "seed": 4}
    function(pool, **few, folder=tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "units").glob("*/*.npz")}
    grown = function(pool, **more, folder=tmp_path, resume=True)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(list((tmp_path / "units").glob("*/*.npz"))) == len(kept) + 1
    whole = function(pool, **more)
    assert {n: t.csv() for n, t in grown.tables.items()} == {n: t.csv() for n, t in whole.tables.items()}


def test_other_settings_are_not_resumed(done, pool):
    name, _, folder = done
    with pytest.raises(pw.InputError, match="other seed"):
        getattr(pw.study, name.replace("-", "_"))(pool, seed=5, **SETTINGS[name], folder=folder, resume=True)
    simulated = simulate(**CAMPAIGN, seed=2)
    runs = {run: simulated.run(run) for run in simulated.runs}
    last = simulated.runs[-1]
    runs[last] = {topic: dict(list(scored.items())[:-1]) for topic, scored in runs[last].items()}
    other = pw.read(simulated.qrels(), runs)
    with pytest.raises(pw.InputError, match="input; ask for the same"):
        conduct(name, other, folder=folder, resume=True)


def test_pages_say_what_was_found_and_how(done, tmp_path):
    name, study, _ = done
    page = Path(study.report(tmp_path, command=f"poolwise study {name}")).read_text()
    assert study.summary
    assert page.count("Plotly.react") == 1  # our own script; plotly's is inside once
    assert f"Command: poolwise study {name}" in page
    assert f"poolwise {pw.__version__}" in page
    assert len(study.figures) == len([part for part in study.parts if part.name in study.figures])
    for figure in study.figures.values():
        drawn = json.loads(figure.json())
        assert drawn["data"], figure.title
    assert (tmp_path / "tables" / f"{next(iter(study.tables))}.csv").exists()
    assert "files in the folder <code>tables</code> beside this page" in page


@pytest.fixture(scope="module")
def large():
    return simulate(runs=129, topics=12, depth=100, pool_depth=20, grades=3, negative=0.05, seed=2).pool()


@pytest.mark.parametrize("name", ["negative", "gain-discount"])
def test_the_largest_pages_are_small_with_129_runs(name, large, tmp_path):
    """With all cut-offs and variants that the study has unless told."""
    few = {"draws": 5} if name == "negative" else {"splits": 1}
    study = getattr(pw.study, name.replace("-", "_"))(large, seed=4, resamples=50, **few)
    assert Path(study.report(tmp_path)).stat().st_size < 300_000


def test_notebooks_show_the_findings_and_the_first_table(done):
    from html import escape, unescape

    _, study, _ = done
    shown = study._repr_html_()
    first = next(iter(study.tables.values()))
    rows = len(next(iter(first.plain_columns().values())))
    assert all(escape(line) in shown for line in (*study.summary, *study.warnings))
    assert shown.count("<tr>") == min(60, rows) + 1
    assert all(name in unescape(shown) for name in (*study.tables, *study.figures))


def test_killed_studies_resume_to_the_same_bytes(tmp_path):
    simulate(runs=6, topics=10, depth=60, pool_depth=25, seed=2).write(tmp_path / "campaign")
    source = [str(tmp_path / "campaign" / "qrels.txt"), str(tmp_path / "campaign" / "runs")]
    command = [
        sys.executable,
        "-m",
        "poolwise",
        "study",
        "robustness",
        *source,
        "--trials",
        "60",
        "-m",
        "AP",
        "-m",
        "Q'",
    ]
    subprocess.run([*command, "-o", str(tmp_path / "whole")], check=True, capture_output=True)
    draw = random.Random(7)
    kills = 0
    for _ in range(2):
        process = subprocess.Popen([*command, "-o", str(tmp_path / "torn"), "--resume"], stdout=subprocess.DEVNULL)
        units = tmp_path / "torn" / "units" / "robustness"
        wanted = len(list(units.glob("*.npz"))) + draw.randint(1, 9)
        while process.poll() is None and len(list(units.glob("*.npz"))) < wanted:
            time.sleep(0.002)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills > 0
    done = len(list(units.glob("*.npz")))
    assert done > 0
    subprocess.run([*command, "-o", str(tmp_path / "torn"), "--resume"], check=True, capture_output=True)
    for path in sorted((tmp_path / "whole" / "tables").iterdir()):
        assert (tmp_path / "torn" / "tables" / path.name).read_bytes() == path.read_bytes(), path.name
    assert not list(units.glob("*.tmp*"))
