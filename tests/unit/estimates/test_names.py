"""Names and orders of documents, topics, runs and lines move no estimate, interval or verdict, of any measure."""

from __future__ import annotations

import random
import warnings
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.campaign.campaign import Campaign, read
from poolwise.estimates.estimates import Estimate

MEASURES = (
    "AP", "nDCG@10", "P@5", "R@20", "RR", "Success@5", "ERR@20", "Rprec", "Q", "bpref", "AP'", "RR'", "nERR@10",
    "F1@10", "IPrec@0.5", "SetF", "Compat", "rpref_relative2",
)  # fmt: skip
OWN = "LastFound"  # functions of one's own take long, so it is asked of two runs alone
VERDICTS = ["RR", "Rprec", "bpref", "Q"]


@pw.measure("LastFound", bounds=(0.0, 1.0))
def last_found(labels: NDArray[np.float64]) -> float:
    "reciprocal rank of the last relevant document"
    found = np.flatnonzero(labels >= 1)
    return 1.0 / float(found[-1] + 1) if len(found) else 0.0


def campaign(order: int) -> tuple[Campaign, dict[str, str]]:
    """One sample and its runs: as it is (0), or renamed and written in another order; and new names of runs."""
    qrels, lists = campaign_tables(5, 6, 80, 25, 0.2, 2, 1.0, 21)
    hidden = np.random.default_rng(5)
    rows = [
        (topic, document, label if hidden.random() < 0.4 else -1)
        for topic, labels in qrels.items()
        for document, label in labels.items()
    ]
    shuffle = random.Random(order)
    names = {name: name for name in {*lists, *qrels, *(row[1] for row in rows)}}
    for run in lists.values():
        names.update({document: document for own in run.values() for document in own})
    if order:
        shuffle.shuffle(rows)
        numbers = shuffle.sample(range(10_000), len(names))
        names = {name: f"x{number}" for name, number in zip(sorted(names), numbers, strict=True)}
    table: dict[str, dict[str, int]] = {}
    for topic, document, label in rows:
        table.setdefault(names[topic], {})[names[document]] = label
    runs = {
        names[run]: {
            names[topic]: {names[document]: score for document, score in shuffle.sample(list(own.items()), len(own))}
            for topic, own in shuffle.sample(list(lists[run].items()), len(lists[run]))
        }
        for run in shuffle.sample(list(lists), len(lists))
    }
    return read(table, runs), {run: names[run] for run in lists}


@cache
def estimates(order: int, measures: tuple[str, ...] = MEASURES, runs: int = 5, seed: int = 0) -> Estimate:
    """Of the first runs and all pairs of them, in one order whatever they are called."""
    pool, names = campaign(order)
    chosen = [names[f"run{number}"] for number in range(runs)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        return pool.estimate(
            *measures, runs=chosen, difference=list(combinations(chosen, 2)), outside="nonrelevant", seed=seed
        )


@pytest.mark.parametrize(
    ("order", "measures", "runs"), [(1, MEASURES, 5), (2, ("RR", "Rprec", "Q"), 5), (1, (OWN,), 2)]
)
def test_renaming_and_reordering_everything_changes_nothing(order: int, measures: tuple[str, ...], runs: int) -> None:
    one, other = (estimates(each, measures, runs) for each in (0, order))
    for table in ("means", "mean_low", "mean_high"):
        assert getattr(other, table)() == pytest.approx(getattr(one, table)(), abs=1e-10), table
    assert one.differences is not None
    assert other.differences is not None
    for table in ("difference", "low", "high", "standard_error"):
        assert getattr(other.differences, table) == pytest.approx(getattr(one.differences, table), abs=1e-10), table


def test_no_verdict_turns_on_a_name() -> None:
    (plain, names), (renamed, others) = campaign(0), campaign(1)
    back = {new: old for old, new in others.items()}
    assert set(names) == set(back.values())
    for measure in VERDICTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pw.PoolwiseWarning)
            found = [pool.compare(measure, test="judgments") for pool in (plain, renamed)]
        verdicts = [
            {
                frozenset(names.get(run, run) for run in pair): bool(significant)
                for pair, significant in zip(zip(each.run_a, each.run_b, strict=True), each.significant, strict=True)
            }
            for each, names in zip(found, ({}, back), strict=True)
        ]
        assert verdicts[0] == verdicts[1]
        assert len(verdicts[0]) == 10


@pytest.mark.slow
def test_what_a_seed_moves_is_small_and_in_the_interval() -> None:
    """Five seeds: the standard deviation over them is below 5 % of the standard error."""
    measures = ("AP", "RR", "ERR@20", "Rprec", "Q", "bpref", "F1@10")
    found = [estimates(0, measures, 5, seed) for seed in range(5)]
    means = np.array([each.means() for each in found])
    spread = means.std(axis=0, ddof=1) / found[0].standard_error
    drawn = dict(zip(measures, np.sqrt((spread**2).mean(axis=0)).tolist(), strict=True))
    assert drawn.pop("AP") < 1e-9
    assert max(drawn.values()) < 0.05, drawn
    assert min(drawn.values()) > 0.0
