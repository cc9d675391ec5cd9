"""Widths to expect, told while judging, against widths reached when the plan is done."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.judging.work import read_work
from poolwise.plans.judging_order import in_blocks
from poolwise.reading.judging_file import Event, JudgedText
from poolwise.sampling.hashed_random import HashedRandom

pytestmark = pytest.mark.slow

NAMES = ("man05a", "sim03a")
SHARES = (0.25, 0.5)
TRIALS = 8


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    simulated = pw.simulate(runs=12, topics=20, depth=200, pool_depth=50, seed=5)
    simulated.write(folder)
    return [str(folder / "runs" / f"{name}.txt") for name in NAMES], simulated.truth()


def widths(campaign, folder: Path, seed: int, measure: str, **settings) -> list[tuple[float, float, float]]:
    """For each share of the plan that is done: what is forecast for the end, the width then, and that at the end."""
    runs, truth = campaign
    plan = pw.read(None, *runs).plan(budget=300, depth=20, measure=measure, difference=NAMES, seed=seed, **settings)
    plan.write(folder / "plan.txt", overwrite=True)
    work = read_work(str(folder / "plan.txt"))
    items = [item for block in in_blocks(work.items, HashedRandom(work.plan)) for item in block]
    found = []
    for share in (*SHARES, 1.0):
        done = items[: round(share * len(items))]
        events = [
            Event(
                f"event{n}",
                n,
                "ann",
                item.topic,
                item.document,
                "label",
                max(0, truth[item.topic].get(item.document, 0)),
            )
            for n, item in enumerate(done)
        ]
        (folder / "judged.txt").write_bytes(JudgedText(work.about, work.rows).after(events))
        looks = pw.Looks(folder / "plan.txt")
        judged = pw.read(folder / "judged.txt", *runs)
        ahead = judged.estimate(measure, difference=NAMES, steadied=False, looks=looks).forecast
        pair = [place for place, other in enumerate(ahead.run_b) if other]
        found.append((ahead.width[pair[-1]], ahead.width[pair[0]]))
    *looked, (_, reached) = found
    return [(forecast, now, reached) for forecast, now in looked]


@pytest.mark.parametrize(
    ("measure", "settings", "least"),
    [
        ("nDCG@10", {"edges": (5,)}, 0.85),
        ("nDCG@10", {}, 0.7),  # what is left at the end is the ideal, of which early labels tell little
        ("AP", {}, 0.85),
        ("AP", {"design": "uniform"}, 0.85),
    ],
)
def test_widths_are_forecast_well_with_strata_and_unequal_rates(
    campaign, tmp_path: Path, measure: str, settings: dict[str, Any], least: float
) -> None:
    """The plan judges its first stratum whole: what is left there at a quarter of the work says nothing of the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array([widths(campaign, tmp_path, seed, measure, **settings) for seed in range(TRIALS)])
    forecast, now, reached = np.sqrt((found**2).mean(axis=0)).T
    assert ((forecast / reached > least) & (forecast / reached < 1.2)).all()
    assert (now / reached > 1.6).all()  # so there was something to foresee
