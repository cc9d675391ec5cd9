"""Many samples over the workers of an executor: the same scores."""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate

MEASURES = ("AP", "nDCG@10", "xinfAP", "bpref")


@pytest.fixture(scope="module")
def pool():
    made = simulate(runs=5, topics=6, depth=50, seed=2)
    with warnings.catch_warnings(action="ignore"):
        return pw.read(made.qrels(), {name: made.run(name) for name in made.runs})


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning", "ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("design", ["uniform", "stratified"])
def test_samples_score_the_same_on_every_engine(pool, kind, design):
    settings = {"fractions": [0.2, 0.5]} if design == "uniform" else {"depth": 30, "bands": 2, "budgets": [60, 90]}
    samples = pool.judgments.samples(design, trials=40, seed=1, **settings)
    here = pool.score(*MEASURES, judgments=samples)
    make = ThreadPoolExecutor if kind == "threads" else ProcessPoolExecutor
    with make(2) if kind == "threads" else make(2, mp_context=get_context("fork")) as executor:
        there = pool.score(*MEASURES, judgments=samples, executor=executor)
    assert there.samples == 80
    for measure in MEASURES:
        assert np.array_equal(here.array(measure), there.array(measure))
    assert here.means().tobytes() == there.means().tobytes()
    assert here.warnings == there.warnings
