"""Studies of a few runs say what so few cannot tell, and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate


@pytest.fixture(scope="module")
def few():
    """Three runs of a campaign whose judgments know many more."""
    campaign = simulate(runs=12, topics=10, depth=60, pool_depth=30, grades=2, negative=0.0, seed=3)
    return pw.read(campaign.qrels(), {run: campaign.run(run) for run in campaign.runs[:3]}, documents="all")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_robustness_of_three_runs_names_no_labels_needed(few):
    study = pw.study.robustness(few, measures=["AP", "bpref"], fractions=[0.05, 0.2, 1.0], trials=4)
    said = " ".join(study.summary)
    assert "Labels needed" not in said
    # One pair of three that changes places: (2 - 1) / 3 instead of 1
    assert "With 3 runs, two that change places move tau by 0.67" in said
    curve = study.tables["curve"].columns
    assert max(curve["tau_high"]) <= 1.0
    assert min(curve["tau_low"]) >= -1.0
    notes = " ".join(part.note for part in study.parts if part.note)
    assert "p: chance of a tau as far from 0 between unrelated rankings." in notes
    assert "nan" not in notes


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_robustness_of_ten_runs_names_labels_needed():
    pool = simulate(runs=10, topics=8, depth=40, pool_depth=20, grades=2, negative=0.0, seed=3).pool()
    study = pw.study.robustness(pool, measures=["AP"], fractions=[0.5, 1.0], trials=2)
    assert any(line.startswith("Labels needed to stay above tau 0.9: ") for line in study.summary)
    assert any("at 0.01 it takes 0." in part.note for part in study.parts if part.note)


def test_reusability_by_two_runs_leaves_blank_what_two_cannot_tell(few):
    two = few.runs[:2]
    with pytest.warns(
        pw.PoolwiseWarning, match="of none of the 2 contributing runs: other runs made the pool"
    ) as caught:
        study = pw.study.reusability(few, measures=["AP"], contributing=two, depth=10)
    assert any("--pool-depth K (depth=K) can say" in str(warning.message) for warning in caught)
    assert any("losses may be overstated" in note for note in study.warnings)
    correction = study.tables["correction"].columns
    for name in ("tau", "coverage", "width"):
        assert correction[name] == [None] * 3
    assert np.isfinite(correction["rmse"]).all()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_reusability_by_three_runs_has_intervals(few):
    study = pw.study.reusability(few, measures=["AP"], contributing=few.runs, depth=10)
    correction = study.tables["correction"].columns
    assert correction["tau"][0] is not None
    assert 0.0 <= correction["coverage"][-1] <= 1.0
    assert correction["width"][-1] > 0.0


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize(
    ("study", "settings"),
    [
        ("robustness", {"fractions": [0.5], "trials": 2}),
        ("decisions", {"fractions": [0.5], "trials": 2}),
        ("discrimination", {"fractions": [0.5], "trials": 2, "resamples": 50}),
        ("estimation", {"fractions": [0.5], "depths": [], "trials": 2, "assisted": 0}),
        ("reliability", {"draws": 5}),
    ],
)
def test_one_measure_is_not_compared_with_itself(few, study, settings):
    found = getattr(pw.study, study)(few, measures=["AP"], **settings)
    assert "agreement-between-measures-at-complete-judgments" not in found.figures
    said = " ".join(found.summary)
    assert not re.search(r", AP (in )?\d|all measures|most like|least of these|again", said)
