"""What is said of a run is the same to the last bit, whichever other runs are asked for, in whatever order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

import poolwise as pw

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

CLOSED = ["AP", "nDCG@10", "nDCG", "P@5", "R@20", "RBP"]
SIMULATED = ["RR", "bpref", "ERR@10", "Q"]
PARTS = ("means", "mean_low", "mean_high", "standard_error", "df", "outside", "plain_low", "plain_high")


def sampled(runs: int, grades: int, seed: int) -> tuple[pw.Campaign, pw.Judgments]:
    campaign = small_campaign(runs=runs, topics=11, documents=90, depth=30, grades=grades, seed=seed)
    strata = np.arange(len(campaign.judgments.labels)) % 3 == 0
    return campaign, uniform_sample(campaign, 0.3, seed, strata)


def of_runs(found: pw.Estimate, names: Sequence[str] = PARTS) -> dict[tuple[str, str, str], str]:
    """Every number of every run, with all its digits."""
    table = {}
    for name in names:
        part = getattr(found, name)
        rows = np.asarray(part() if callable(part) else part)
        table.update(
            {
                (run, measure, name): float(rows[row, column]).hex()
                for row, run in enumerate(found.runs)
                for column, measure in enumerate(found.measures)
            }
        )
    for measure in found.measures:
        for run, row in zip(found.runs, found.array(measure), strict=True):
            table[run, measure, "topics"] = row.tobytes().hex()
    return table


def of_pairs(found: pw.Estimate) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Every number of every difference but the steadied ones, which rest on all runs that are asked for."""
    assert found.differences is not None
    columns = {name: column for name, column in found.differences.columns().items() if "steadied" not in name}
    rows = list(zip(*columns.values(), strict=True))
    return {tuple(row[:3]): tuple(float(value).hex() for value in row[3:-1]) for row in rows}


@pytest.mark.parametrize(("runs", "grades", "measures"), [(12, 1, CLOSED), (6, 3, CLOSED), (6, 2, SIMULATED)])
@pytest.mark.parametrize("outside", ["range", "nonrelevant"])
def test_other_runs_change_no_digit(runs: int, grades: int, measures: list[str], outside: str) -> None:
    campaign, sample = sampled(runs, grades, seed=4)
    whole = campaign.estimate(*measures, judgments=sample, difference="all", outside=outside)
    rows, pairs = of_runs(whole), of_pairs(whole)
    chance = random.Random(runs)
    for number in (1, 1, 2, 3, runs - 1):
        some = chance.sample(campaign.runs, number)
        part = campaign.estimate(*measures, judgments=sample, runs=some, outside=outside, threads=1 + number % 3)
        for key, value in of_runs(part).items():
            assert value == rows[key], key
        if number > 1:
            asked = [pair for pair in combinations(campaign.runs, 2) if set(pair) <= set(some)]
            part = campaign.estimate(*measures, judgments=sample, runs=some, outside=outside, difference=asked)
            for pair, values in of_pairs(part).items():
                assert values == pairs[pair], pair


def test_the_order_of_runs_changes_no_digit() -> None:
    campaign, sample = sampled(12, 2, seed=7)
    names = ("means", "mean_low", "mean_high", "steadied", "steadied_low", "steadied_high")
    whole = campaign.estimate("AP", "nDCG@10", judgments=sample)
    assert whole.steadied is not None
    for order in range(3):
        some = random.Random(order).sample(campaign.runs, 12)
        other = campaign.estimate("AP", "nDCG@10", judgments=sample, runs=some, threads=1 + order)
        assert of_runs(other, names) == of_runs(whole, names)
