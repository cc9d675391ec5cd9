"""Widths to expect, told while judging, against widths reached when the plan is done."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.assess.judging_order import Chance, in_blocks
from poolwise.assess.work import read_work
from poolwise.read.judging_events import Event
from poolwise.read.judging_file import JudgedText

pytestmark = pytest.mark.slow

NAMES = ("man05a", "sim03a")
TRIALS = 12


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    simulated = pw.simulate(runs=12, topics=20, depth=200, pool_depth=50, seed=5)
    simulated.write(folder)
    return [str(folder / "runs" / f"{name}.txt") for name in NAMES], simulated.truth()


def widths(campaign, folder: Path, seed: int, measure: str, design: str, share: float) -> tuple[float, float, float]:
    """What is forecast for the end when a share of the plan is done, the width now, and the width at the end."""
    runs, truth = campaign
    plan = pw.read(None, *runs).plan(budget=300, depth=20, measure=measure, difference=NAMES, seed=seed, design=design)
    plan.write(folder / "plan.txt")
    work = read_work(str(folder / "plan.txt"))
    items = [item for block in in_blocks(work.items, Chance(work.plan)) for item in block]
    found = []
    for done in (round(share * len(items)), len(items)):
        labels = [max(0, truth[item.topic].get(item.document, 0)) for item in items[:done]]
        events = [
            Event(f"event{n}", n, "ann", item.topic, item.document, "label", label)
            for n, (item, label) in enumerate(zip(items, labels, strict=False))
        ]
        (folder / "judged.txt").write_bytes(JudgedText(work.about, work.rows).after(events))
        looks = pw.Looks(folder / "plan.txt")
        ahead = pw.read(folder / "judged.txt", *runs).estimate(
            measure, difference=NAMES, pooled=False, looks=looks
        ).forecast  # fmt: skip
        pair = [place for place, other in enumerate(ahead.run_b) if other]
        found.append((ahead.width[pair[-1]], ahead.width[pair[0]]))
    return found[0][0], found[0][1], found[1][1]


@pytest.mark.parametrize(("measure", "design"), [("nDCG@10", "stratified"), ("AP", "stratified"), ("AP", "uniform")])
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_widths_are_forecast_well_with_strata_and_unequal_rates(
    campaign, tmp_path: Path, measure: str, design: str, share: float
) -> None:
    """The plan judges its first stratum whole: what is left there at a quarter of the work says nothing of the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array([widths(campaign, tmp_path, seed, measure, design, share) for seed in range(TRIALS)])
    forecast, now, reached = np.sqrt((found**2).mean(axis=0))
    assert 0.85 < forecast / reached < 1.2
    assert now / reached > 1.7  # so there was something to foresee
