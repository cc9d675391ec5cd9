"""Intervals of scores: for the sampling of judgments, for the choice of topics, or both.

`bounds`, the range that unjudged documents leave open, is in `bounds.py`.

Every retrieved document that is not judged may get any label of the collection, and 0, which every collection knows;
all others keep their labels. Topics are independent, so bounds of a mean are means of bounds.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import MEAN, aggregated, terms_of
from poolwise.measures.measure import REPORTED
from poolwise.pool.coverage import topics_in_words
from poolwise.scores.score_rows import INTERVAL_KINDS
from poolwise.scores.scoring import from_kernels, kernel_spec, score_values, strata_of, to_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool

RESAMPLES = 10_000  # of topics: an end's own error is then about a hundredth of the interval's width
# What is known of the intervals from sampled judgments, by measure. On TREC-8, over 300 samples; standard errors are
# about 1.5 points.
DOES_NOT_COVER = {
    "infAP": "the interval of infAP is the one of [Y08] (Yilmaz, Kanoulas and Aslam 2008), and it does not cover: on "
    "TREC-8 the 95 % interval of mean infAP held the true mean in {infAP} of trials with 10, 20 and 30 % of the pool "
    "judged, because topics whose sample has no relevant document count as 0, smoothing to 1/2 is too low for good "
    "runs "
    "and the standard deviation comes out a third too small",
    "statAP": "the interval of statAP does not cover on small samples: on TREC-8 the 95 % interval of mean statAP held "
    "the true mean in {statAP} of trials with 10, 20 and 30 % of the pool judged, because topics whose sample has no "
    "relevant document count as 0",
}
COVERAGE = {"infAP": "41, 58 and 65 %", "statAP": "49, 68 and 76 %"}
INSTEAD = "`poolwise estimate` (pool.estimate) gives intervals that hold their level better; its page says where not"


def doubts_of(measures: list[Measure]) -> list[str]:
    """Notes on the intervals of these measures."""
    known = [DOES_NOT_COVER[name].format(**COVERAGE) for name in dict.fromkeys(measure.name for measure in measures)]
    return [f"{words}; {INSTEAD}" for words in known]


class ScoreIntervals:
    """Lower and upper ends beside scores, and what they mean.

    `low` and `high` are samples x measures x runs x topics, NaN where a single topic has no interval; `mean_low` and
    `mean_high` are samples x measures x runs and belong to the row `all`. `level` is None for bounds.
    """

    def __init__(
        self,
        kind: str,
        low: NDArray[Any],
        high: NDArray[Any],
        mean_low: NDArray[Any],
        mean_high: NDArray[Any],
        *,
        level: float | None = None,
    ) -> None:
        self.kind = kind
        self.level = level
        self.low, self.high = low, high
        self.mean_low, self.mean_high = mean_low, mean_high


class IntervalRequest:
    """An interval as it is asked for, checked."""

    def __init__(
        self,
        kind: str,
        level: float,
        seed: int | np.random.Generator,
        resamples: int,
        dependent: bool,
        measures: list[Measure],
    ) -> None:
        checks.choice("interval", kind, INTERVAL_KINDS)
        checks.level(level)
        checks.whole("resamples", resamples, 100)
        without = [str(measure) for measure in measures if not measure.declaration.variance]
        if kind in ("judgments", "both") and without:
            raise ArgumentError(
                f"interval {kind!r} is not there for {', '.join(without)}, only for {' and '.join(COVERAGE)}; "
                "`poolwise estimate` (pool.estimate) estimates any measure from sampled judgments, with an interval"
            )
        self.kind, self.level, self.resamples = kind, level, resamples
        self.seed = checks.seed_or_generator(seed)
        self.dependent, self.measures = dependent, measures

    def settings(self) -> dict[str, Any]:
        """The settings to record."""
        known: dict[str, Any] = {"interval": self.kind}
        if self.kind != "bounds":
            known["level"] = self.level
        if self.kind == "topics":
            known |= {"seed": self.seed, "resamples": self.resamples}
        if self.kind in ("judgments", "both"):
            known["dependent"] = self.dependent
        return known

    def answer(
        self, pool: Pool, sets: list[Judgments], counted: Any, threads: int
    ) -> tuple[NDArray[Any], ScoreIntervals, tuple[str, ...]]:
        """Scores, their interval and what to know about it."""
        shape = (len(pool.runs), len(pool.topics))
        counts = np.ones(shape, bool) if counted is None else np.asarray(counted).reshape(shape) != 0
        if self.kind in ("judgments", "both"):
            values, variances = with_variances(pool, self.measures, sets, threads, self.dependent)
            make = judgments_interval if self.kind == "judgments" else both_interval
            return values, make(values, variances, counts, self.level), tuple(doubts_of(self.measures))
        values = np.asarray(score_values(pool, self.measures, sets, threads))
        if self.kind == "topics":
            interval, notes = topics_interval(values, counts, self.measures, self.level, self.seed, self.resamples)
        else:
            interval, notes = bounds_interval(pool, self.measures, sets, values, counts, threads)
        return values, interval, tuple(notes)


def with_variances(
    pool: Pool, measures: list[Measure], sets: list[Judgments], threads: int, dependent: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scores and their variances under the sampling of judgments, each samples x measures x runs x topics."""
    asks = [kernel_spec(measure, sets[0]) for measure in measures]
    asks += [kernel_spec(measure, sets[0], measure.declaration.variance, dependent) for measure in measures]
    both = np.asarray(from_kernels("score", pool, asks, sets, threads, strata=strata_of(sets)))
    return np.ascontiguousarray(both[:, : len(measures)]), both[:, len(measures) :]


def judgments_interval(
    values: NDArray[Any], variances: NDArray[Any], counted: NDArray[Any], level: float
) -> ScoreIntervals:
    """[Y08]'s: normal, for a topic and for the mean, whose variance is the sum over topics / topics^2."""
    quantile = NormalDist().inv_cdf(0.5 + level / 2)
    half = quantile * np.sqrt(variances)
    means = _means(values, counted)
    mean_half = quantile * np.sqrt(_variance_of_mean(variances, counted))
    return ScoreIntervals("judgments", values - half, values + half, means - mean_half, means + mean_half, level=level)


def both_interval(values: NDArray[Any], variances: NDArray[Any], counted: NDArray[Any], level: float) -> ScoreIntervals:
    """Topics are a sample of possible topics, and on each the score is an estimate.

    By the law of total variance the scores vary over topics by var(true scores) + mean(variance of an estimate): the
    sample variance s^2 over topics holds the noise of the judgments already, and adding it again would count it twice.
    So the variance of the mean over n topics is s^2 / n, but never less than the judgments alone make it,
    sum(variances) / n^2, which matters when topics happen to agree. The interval is Student's with n - 1 degrees of
    freedom, cut to [0, 1]. A single topic is not sampled: its interval is that of its judgments.
    """
    from poolwise.basics.numbers import student_quantile

    number = counted.sum(axis=1)
    means = _means(values, counted)
    deviations = np.where(counted, values - means[..., None], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        over_topics = (deviations**2).sum(axis=-1) / (number - 1) / number
        total = np.maximum(over_topics, _variance_of_mean(variances, counted))
        half = student_quantile(number - 1, 0.5 + level / 2) * np.sqrt(total)
    one = judgments_interval(values, variances, counted, level)
    ends = np.clip(means - half, 0.0, 1.0), np.clip(means + half, 0.0, 1.0)
    return ScoreIntervals("both", one.low, one.high, *ends, level=level)


def topics_interval(
    values: NDArray[Any],
    counted: NDArray[Any],
    measures: list[Measure],
    level: float,
    seed: int | np.random.Generator,
    resamples: int,
) -> tuple[ScoreIntervals, list[str]]:
    """Bootstrap over topics of the mean (or what the measure has instead), given the labels; and what to know about it.

    The studentised bootstrap: with t* = (mean* - mean) / (sd* / sqrt(n)) over resamples of the n topics, the interval
    runs from mean - q_high sd / sqrt(n) to mean - q_low sd / sqrt(n), cut to the range of the measure. Runs are
    resampled together. With topics drawn from TREC-8's 50 it holds the true mean of AP in 93.8, 95.7 and 95.0 % of
    trials with 10, 25 and 50 topics; the percentile interval does so in 85.3, 92.0 and 92.9 %. Where so many resamples
    have no spread that a quantile of t* is infinite (two or three topics, or scores that are nearly all equal), it is
    Student's: on two and three topics percentile intervals held 50 and 75 %. Scores that are all equal do not make the
    mean certain: as many other topics as Clopper and Pearson's interval leaves open may be at either end of the scale.
    """
    generator = np.random.default_rng(seed)
    mean_low, mean_high = (np.full(values.shape[:-1], np.nan) for _ in range(2))
    plain = equal = 0
    for pattern in dict.fromkeys(map(bytes, counted.astype(bool))):
        mask = np.frombuffer(pattern, dtype=bool)
        runs = [run for run, row in enumerate(counted.astype(bool)) if bytes(row) == pattern]
        if mask.sum() < 2:
            continue
        weights = generator.multinomial(mask.sum(), np.full(mask.sum(), 1 / mask.sum()), size=resamples)
        for number, measure in enumerate(measures):
            scores, aggregate = values[:, number][:, runs][..., mask], measure.declaration.aggregate
            terms = np.asarray(terms_of([aggregate], np.ascontiguousarray(scores), scores.size))
            rows = terms.reshape(-1, scores.shape[-1])
            ends, fell_back = _studentised(rows, weights, level)
            # Kept negative gains and discounts of one's own may take scores out of the usual range.
            low, high = measure.declaration.bounds
            lowest, highest = aggregate.term(min(low, scores.min())), aggregate.term(max(high, scores.max()))
            if not aggregate.counts:
                same = np.ptp(rows, axis=1) == 0.0
                ends[:, same] = _of_equals(rows[same, 0], lowest, highest, rows.shape[1], level)
                plain, equal = plain + int((fell_back & ~same).sum()), equal + int(same.sum())
            inside = aggregate.of_mean(np.clip(ends, lowest, highest), int(mask.sum()))
            mean_low[:, number, runs], mean_high[:, number, runs] = inside.reshape(2, len(values), -1)
    none = np.full(values.shape, np.nan)
    return ScoreIntervals("topics", none, none, mean_low, mean_high, level=level), _doubts(counted, plain, equal)


def _of_equals(
    values: NDArray[Any], lowest: float, highest: float, topics: int, level: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Interval limits for equal scores on all topics. NaN on an unbounded scale."""
    if not np.isfinite([lowest, highest]).all():
        return np.full_like(values, np.nan), np.full_like(values, np.nan)
    others = 1 - ((1 - level) / 2) ** (1 / topics)
    return values - others * (values - lowest), values + others * (highest - values)


def _doubts(counted: NDArray[Any], plain: int, equal: int) -> list[str]:
    notes = []
    fewest = int(counted.sum(axis=1).min())
    if fewest < checks.FEW_TOPICS:
        notes.append(
            f"an interval over {topics_in_words(fewest)} is rough; {checks.FEW_TOPICS} or more are wanted, "
            "and at least 2 are needed"
        )
    if plain:
        notes.append(
            f"topics are few, or nearly all have the same score, for {plain} of the intervals over topics: Student's "
            "intervals stand in their place, which may be too narrow"
        )
    if equal:
        notes.append(
            f"all topics have the same score for {equal} of the intervals over topics: these reach as far as topics at "
            "either end of the scale, as many as chance may have left out, could move the mean"
        )
    return notes


def _studentised(scores: NDArray[Any], weights: NDArray[Any], level: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Ends (2 x rows) of the interval of the mean of each row, and which are Student's instead."""
    from poolwise.basics.numbers import student_quantile

    number, resamples = scores.shape[1], len(weights)
    means = scores.mean(axis=1)
    deviations = scores - means[:, None]
    error = np.sqrt((deviations**2).sum(axis=1) / (number - 1) / number)
    last = resamples - max(1, round((resamples + 1) * (1 - level) / 2))
    ends, plain = np.empty((2, len(scores))), np.empty(len(scores), dtype=bool)
    reach = float(student_quantile(number - 1, 0.5 + level / 2)) * np.array([[-1.0], [1.0]])
    step = max(1, 2**23 // resamples)  # bounds the memory
    for begin in range(0, len(scores), step):
        part = slice(begin, begin + step)
        ratio = _resampled(deviations[part], error[part], weights)
        quantiles = np.sort(ratio, axis=0)[[last, resamples - 1 - last]]
        usual = np.isfinite(quantiles).all(axis=0)
        ends[:, part] = means[part] + np.where(usual, -np.where(usual, quantiles, 0), reach) * error[part]
        plain[part] = ~usual | (error[part] == 0)
    return ends, plain


def _resampled(deviations: NDArray[Any], error: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """t* of every resample (resamples x rows); a resample without spread has t* infinite, or 0."""
    number = deviations.shape[1]
    shift = weights @ deviations.T / number
    spread = weights @ (deviations**2).T / number - shift**2
    flat = spread <= 1e-12 * error**2
    ratio = np.where(np.abs(shift) <= 1e-12 * error, 0.0, np.copysign(np.inf, shift))
    np.divide(shift, np.sqrt(np.maximum(spread, 0) / (number - 1)), out=ratio, where=~flat)
    return ratio


def _means(values: NDArray[Any], counted: NDArray[Any]) -> NDArray[Any]:
    return aggregated([MEAN], values, counted)


def _variance_of_mean(variances: NDArray[Any], counted: NDArray[Any]) -> NDArray[Any]:
    return _means(variances, counted) / np.maximum(counted.sum(axis=1), 1)


def bounds_interval(
    pool: Pool,
    measures: list[Measure],
    sets: list[Judgments],
    values: NDArray[Any],
    counted: NDArray[Any],
    threads: int,
) -> tuple[ScoreIntervals, list[str]]:
    """Bounds of every score and mean; and which are outer bounds, or those of another measure."""
    targets = [measure.estimated for measure in measures]
    low, high = np.empty(values.shape), np.empty(values.shape)
    # What is judged is known, whatever labels unjudged documents would get.
    known = [number for number, target in enumerate(targets) if target.declaration.unjudged == REPORTED]
    low[:, known] = high[:, known] = values[:, known]
    rest = [number for number in range(len(targets)) if number not in known]
    own_measures = [number for number in rest if targets[number].declaration.function is not None]
    core = [number for number in rest if number not in own_measures]
    outer = set(own_measures)
    if core:
        labels, values_of = sets[0].with_zero()
        asks = [to_spec(targets[number], values_of, sets[0].top) for number in core]
        *ends, exact = from_kernels("bounds", pool, asks, sets, threads, labels)
        low[:, core], high[:, core] = (np.asarray(end) for end in ends)
        outer |= {number for number, is_exact in zip(core, exact, strict=True) if not is_exact}
    for number in own_measures:
        from poolwise.measures.own_measures import bound_own

        low[:, number], high[:, number], is_exact = bound_own(pool, targets[number], sets, values[:, number])
        outer -= {number} if is_exact else set()
    means = [aggregated([measure.declaration.aggregate for measure in measures], end, counted) for end in (low, high)]
    return ScoreIntervals("bounds", low, high, *means), _notes(measures, targets, outer)


def _notes(measures: list[Measure], targets: list[Measure], outer: set[int]) -> list[str]:
    notes = []
    loose = [str(measures[number]) for number in sorted(outer)]
    if loose:
        notes.append(
            f"outer bound: the bounds of {', '.join(loose)} hold every possible score, but need not be "
            "reached by any labels"
        )
    estimators = [
        f"{measure} (of {target})" for measure, target in zip(measures, targets, strict=True) if measure != target
    ]
    if estimators:
        notes.append(f"bounds of an estimator are those of what it estimates: {', '.join(estimators)}")
    return notes
