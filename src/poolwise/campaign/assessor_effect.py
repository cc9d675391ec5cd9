"""`assessor_effect`: what disagreement of assessors does to the ranking of runs.

Voorhees, Information Processing and Management 36(5), 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import Result
from poolwise.campaign.campaign import Campaign
from poolwise.campaign.model_effect import PlacedLabels, columns_of_both, pool_of, scored
from poolwise.estimates.estimator import prepare
from poolwise.pool.judgments import Judgments
from poolwise.trust.label_agreement import LabelAgreement, label_agreement
from poolwise.trust.label_sheet import by_assessor
from poolwise.trust.rank_correlation import kendall_tau, mean_ranks, swapped_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.trust.label_sheet import LabelSheet

if TYPE_CHECKING:
    Whole = NDArray[np.int64]


def topics_judged(sheet: LabelSheet) -> tuple[Whole, NDArray[np.bool_]]:
    """The topic of each document as a number, and who judged some of each topic (topics x assessors)."""
    _, topic = np.unique(np.asarray(sheet.topics), return_inverse=True)
    known = ~np.isnan(sheet.labels)
    counts = np.stack([np.bincount(topic, column) for column in known.T.astype(float)], axis=1)
    return topic, counts > 0


def deal(able: NDArray[np.bool_], number: int, random: np.random.Generator) -> Whole:
    """Random assessors for topics (number x topics), uniform over the assessors with labels for a topic.

    >>> able = np.array([[True, False], [True, True]])
    >>> dealt = deal(able, 1000, np.random.default_rng(1))
    >>> int(dealt[:, 0].sum()), bool(450 < dealt[:, 1].sum() < 550)
    (0, True)
    """
    chance = able / np.maximum(able.sum(axis=1, keepdims=True), 1)
    ends = np.cumsum(chance, axis=1)
    # The last end may be 1 but for rounding; nobody stands beyond the last one who is able.
    last = able.shape[1] - 1 - np.argmax(able[:, ::-1], axis=1)
    drawn = (random.random((number, len(able), 1)) > ends).sum(axis=2)
    result: Whole = np.minimum(drawn, last)
    return result


ESTIMATED = 40  # resamples at most, where every one takes an estimate


@dataclass(frozen=True, eq=False, repr=False)
class AssessorEffect(Result):
    """How scores and ranks of runs move when other assessors' labels count, topic by topic.

    `score` is by the combined labels; `low` and `high` hold 95 of 100 resamples, as do `best` and `worst` of the ranks.
    `tau` and `swaps` compare the ranking of each resample with that by the combined labels: mean, lower and upper end.
    `pairs` are those of runs that some resample swaps, most often first: run, other run, difference, how often.
    """

    measure: str
    runs: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    rank: Floats
    best: Floats
    worst: Floats
    tau: tuple[float, float, float]
    swaps: tuple[float, float, float]
    pairs: tuple[tuple[str, str, float, float], ...]
    resamples: int
    estimated: bool

    def columns(self) -> dict[str, Any]:
        """One row per run."""
        names = ("score", "low", "high", "rank", "best", "worst")
        return {"run": list(self.runs), **{name: getattr(self, name) for name in names}}

    def headline(self) -> str:
        """How assessors change the ranking."""
        possible = len(self.runs) * (len(self.runs) - 1) // 2
        return (
            f"with other assessors' labels the ranking by {self.measure} has tau {self.tau[0]:.3f} "
            f"({self.tau[1]:.3f} to {self.tau[2]:.3f}) to that by all, {self.swaps[0]:.1f} of {possible} pairs swapped"
        )


def assessor_effect(
    labels: Mapping[str, Any] | Sequence[Any],
    *runs: Any,
    measure: str | Measure = "AP",
    by: str = "majority",
    resamples: int = 200,
    seed: int | np.random.Generator = 0,
    columns: Mapping[str, str] | None = None,
) -> AssessorEffect:
    """Ask what disagreement of assessors does to the ranking of runs.

    In each resample every topic is judged by one of its assessors, drawn at random, as in Voorhees' experiment;
    documents that this assessor did not judge keep the combined label.

    Parameters
    ----------
    labels : mapping or sequence
        Labels of each assessor, as `label_agreement` takes them.
    *runs : path, dict, list or data frame
        Runs, as `read` takes them.
    measure : str or Measure
        What to score by; sampled labels need one that can be estimated.
    by : {"majority", "mean", "first", "adjudicated"}
        How labels are combined.
    resamples : int
        How many; of sampled labels at most 40.
    seed : int or Generator
        Of the draws.
    columns : mapping, optional
        What columns of labels and runs are called, as in `{"topic": "query", "score": "similarity"}`.

    Returns
    -------
    AssessorEffect
        Tau and swapped pairs over resamples, and the spread of every run's score and rank.

    References
    ----------
    Voorhees, Information Processing and Management 36(5), 2000.

    Examples
    --------
    >>> ann, bob = {"1": {"a": 1, "b": 0}}, {"1": {"a": 0, "b": 1}}
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
    >>> effect = assessor_effect({"ann": ann, "bob": bob}, runs, by="first", resamples=100)
    >>> effect.pairs[0][:2], 0.3 < effect.pairs[0][3] < 0.7
    (('x', 'y'), True)
    """
    labels, seed = by_assessor(labels), checks.seed_number(seed)
    of_labels, of_runs = columns_of_both(columns, labels, runs)
    return effect_of_assessors(
        label_agreement(labels, columns=of_labels), runs, measure=measure, by=by, resamples=resamples, seed=seed,
        columns=of_runs,
    )  # fmt: skip


def effect_of_assessors(
    agreement: LabelAgreement,
    runs: Sequence[Any],
    *,
    measure: str | Measure,
    by: str,
    resamples: int,
    seed: int,
    columns: Mapping[str, str] | None = None,
) -> AssessorEffect:
    """The effect of assessors, given their agreement."""
    sheet, random = agreement.sheet, np.random.default_rng(seed)
    placed = PlacedLabels(sheet, pool_of(sheet, runs, columns))
    base = placed.combined(sheet, by)
    count = checks.whole("resamples", resamples, 1, 10**6)
    if sheet.sampled:
        count = min(count, ESTIMATED)
    judgment_sets = [placed.judgments(base), *(placed.judgments(_resampled(sheet, base, random)) for _ in range(count))]
    means = (
        _estimated(placed.pool, judgment_sets, measure)
        if sheet.sampled
        else scored(placed.pool, judgment_sets, measure)
    )
    whole, others = means[0], means[1:]
    ranks = mean_ranks(others)
    low, high = np.percentile(others, (2.5, 97.5), axis=0)
    best, worst = np.percentile(ranks, (2.5, 97.5), axis=0)
    return AssessorEffect(
        str(measure),
        tuple(placed.pool.runs),
        whole,
        low,
        high,
        mean_ranks(whole),
        best,
        worst,
        _spread(kendall_tau(whole, others)),
        _spread(swapped_pairs(whole, others).astype(float)),
        _swapped(placed.pool.runs, whole, others),
        count,
        sheet.sampled,
    )


def _resampled(sheet: LabelSheet, base: Floats, random: np.random.Generator) -> Floats:
    """Judgments by a random assessor for each topic. Documents without their label keep the combined one."""
    topic, able = topics_judged(sheet)
    chosen = deal(able, 1, random)[0]
    chosen_labels = sheet.labels[np.arange(len(base)), chosen[topic]]
    return np.where(np.isnan(chosen_labels), base, chosen_labels)


def _estimated(pool: Campaign, judgment_sets: list[Judgments], measure: str | Measure) -> Floats:
    features = prepare(pool, judgment_sets[0])
    found = [
        pool.estimate(measure, judgments=each, steadied=False, outside="nonrelevant", predictions=features)
        for each in judgment_sets
    ]
    return np.stack([each.means()[:, 0] for each in found])


def _spread(values: Floats) -> tuple[float, float, float]:
    low, high = np.percentile(values, (2.5, 97.5))
    return float(np.mean(values)), float(low), float(high)


def _swapped(runs: Sequence[str], whole: Floats, others: Floats) -> tuple[tuple[str, str, float, float], ...]:
    swapped = []
    for a, b in combinations(range(len(runs)), 2):
        gap = float(whole[a] - whole[b])
        share = float(np.mean((others[:, a] - others[:, b]) * gap < 0))
        if share > 0:
            swapped.append((runs[a], runs[b], gap, share) if gap > 0 else (runs[b], runs[a], -gap, share))
    return tuple(sorted(swapped, key=lambda pair: -pair[3]))
