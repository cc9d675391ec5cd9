"""Non-inferiority of a candidate to a baseline: two one-sided t tests against a margin.

The candidate is no worse if the mean difference over topics is significantly above -margin, worse if it is
significantly below -margin; else the topics at hand cannot tell (Schuirmann 1987, Journal of Pharmacokinetics and
Biopharmaceutics 15(6), one side at a time). At a true difference of -margin each wrong verdict comes at
most alpha of the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import TIE, student_below, student_quantile
from poolwise.basics.results import Result, warn_of
from poolwise.errors import ArgumentError
from poolwise.measures.registry import bounds_of
from poolwise.pool.coverage import topics_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats


__all__ = ["CANNOT_TELL", "NO_WORSE", "WORSE", "Gate", "SampledLabels", "gate", "topics_for_gate"]

NO_WORSE, WORSE, CANNOT_TELL = "no worse", "worse", "cannot tell"
MOST_TOPICS = 1_000_000  # beyond, no collection will do
SEEN = 5e-5  # a difference of numbers with four digits that can be seen
FLAT = 1e-12  # differences of differences that are rounding


@dataclass(frozen=True)
class SampledLabels:
    """Uncertainty of a difference of means from sampled labels: its standard error, and documents outside the pool.

    `fall` and `rise` are by how much documents outside the pool could lower and raise it. `topics_drawn_of` says of how
    many topics those with labels were drawn, None if all have some.
    """

    standard_error: float = 0.0
    df: float = math.inf
    fall: float = 0.0
    rise: float = 0.0
    topics_drawn_of: int | None = None


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """A verdict: candidate minus baseline by one measure, paired over topics.

    `low` and `high` are the ends of the one-sided tests (an interval of level 1 - 2 alpha); `p_no_worse` and `p_worse`
    are the p values of the two tests. `topics_needed` is how many topics would show "no worse" with `power` if both
    were equal. `holes` says how many of the top documents of baseline and candidate nobody judged (None for scores that
    were kept); `best_high` is the upper end had the candidate's unjudged documents been the best there are, `worst_low`
    the lower end had these been the worst and the baseline's the best. With sampled labels (`sampled`)
    `holes` are the documents outside the pool, and `best_high` and `worst_low` the ends had these been at their best or
    worst; `topics_drawn_of` says of how many topics those with labels were drawn. Means of estimates are cut to what
    the measure can be, differences are not; single topics are too noisy then for `wins`, `losses` and `ties`, which are
    None.
    """

    baseline: str
    candidate: str
    measure: str
    margin: float
    alpha: float
    topics: int
    baseline_mean: float
    candidate_mean: float
    difference: float
    low: float
    high: float
    p_no_worse: float
    p_worse: float
    verdict: str
    power: float
    topics_needed: int | None
    wins: int | None
    losses: int | None
    ties: int | None
    holes: tuple[float | None, float | None] | None = None
    best_high: float | None = None
    worst_low: float | None = None
    sampled: bool = False
    topics_drawn_of: int | None = None
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """One row: the verdict and its numbers."""
        names = (
            "measure", "baseline", "candidate", "baseline_mean", "candidate_mean", "difference", "low", "high",
            "margin", "p_no_worse", "p_worse", "topics", "wins", "losses", "ties", "verdict", "topics_needed",
        )  # fmt: skip
        return {name: [getattr(self, name)] for name in names}

    def headline(self) -> str:
        """The verdict in one sentence."""
        level = f"{100 * (1 - 2 * self.alpha):g} %"
        topics = topics_in_words(self.topics, self.topics_drawn_of)
        seen = f"{self.difference:+.4f} ({level} interval {self.low:+.4f} to {self.high:+.4f}, {topics})"
        return f"{self.candidate} against {self.baseline} by {self.measure}: {seen}; {self._words()}"

    def _words(self) -> str:
        if self.verdict == NO_WORSE:
            return f"no worse than by {self.margin:g}"
        if self.verdict == WORSE:
            return f"worse by more than {self.margin:g}"
        return f"cannot tell whether it is worse by more than {self.margin:g}{self._wanted()}"

    def _outside_decides(self) -> bool:
        """Whether documents outside the pool are the main source of uncertainty."""
        reach = max(
            (self.high if self.best_high is None else self.best_high) - self.high,
            self.low - (self.low if self.worst_low is None else self.worst_low),
        )
        return self.high < -self.margin or self.low > -self.margin or reach > (self.high - self.low) / 2

    def _wanted(self) -> str:
        first, second = (share or 0.0 for share in self.holes or (0.0, 0.0))
        if self.sampled and self._outside_decides():
            return (
                f": of the top documents {100 * first:.0f} % ({self.baseline}) and {100 * second:.0f} % "
                f"({self.candidate}) are outside the pool, and their labels decide; plan and judge these"
            )
        if self.best_high is not None and self.high < -self.margin:
            return f": {100 * second:.0f} % of its top documents are unjudged; judge these"
        if not self.sampled and self.worst_low is not None and self.low > -self.margin:
            return f": it is not, unless by what is unjudged of the top documents ({self.unjudged()}); judge these"
        if self.topics_needed is None:
            return ": were they equal, no number of topics would show that it is not; widen the margin"
        return f": about {self.topics_needed} topics would show that it is not, were they equal"

    def unjudged(self) -> str:
        """The shares of top documents that are unjudged, in words."""
        shares = zip(self.holes or (), (self.baseline, self.candidate), strict=False)
        return ", ".join(
            f"what was open when scores of {name} were kept" if share is None else f"{100 * share:.1f} % of {name}"
            for share, name in shares
        )


def gate(
    baseline: ArrayLike,
    candidate: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    power: float = 0.8,
    names: tuple[str, str] = ("baseline", "candidate"),
    measure: str = "score",
    holes: tuple[float | None, float | None] | None = None,
    best: ArrayLike | None = None,
    worst: ArrayLike | None = None,
    sampled: SampledLabels | None = None,
    estimated: bool = False,
) -> Gate:
    """Decide whether a candidate is no worse than a baseline, from their scores on the same topics.

    Parameters
    ----------
    baseline, candidate : array
        One score per topic, in the same order.
    margin : float
        By how much the candidate may be worse, at least 0.
    alpha : float
        Error of each one-sided test.
    power : float
        Power for which `topics_needed` is given.
    names : tuple of str
        How the two are called.
    measure : str
        The measure's name.
    holes : tuple of float, optional
        Shares of the top documents of both that are unjudged, None where that is not known.
    best : array, optional
        The candidate's scores had its unjudged documents been the best there are. A candidate that would not be worse
        then is not called worse.
    worst : array, optional
        The lowest differences that unjudged documents allow: those of the candidate at their worst, those of the
        baseline at their best. A candidate that could be worse then is not called no worse.
    sampled : SampledLabels, optional
        What is not known of the difference if scores are estimates from sampled labels.
    estimated : bool
        Whether scores are estimates from sampled labels.

    Returns
    -------
    Gate
        The verdict: "no worse", "worse" or "cannot tell".

    Examples
    --------
    >>> gate([0.5, 0.4, 0.6, 0.7], [0.51, 0.4, 0.62, 0.7], margin=0.05).verdict
    'no worse'
    """
    first, second = (np.asarray(values, dtype=float) for values in (baseline, candidate))
    if first.shape != second.shape or first.ndim != 1:
        raise ArgumentError(f"{first.size} and {second.size} scores do not pair; give one per topic for each")
    if len(first) < 2:
        raise ArgumentError("a gate needs at least two topics; add topics")
    one_sided_alpha(alpha)
    for name, values in zip(names, (first, second), strict=True):
        if not np.isfinite(values).all():
            index = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ArgumentError(
                f"score {index + 1} of {name} is {values[index]}, no number; leave its topic out on both sides"
            )
    if not 0 <= margin < math.inf:
        raise ArgumentError(f"margin must be a number of at least 0, found {margin!r}")
    tested = _tested(second - first, margin, alpha, sampled)
    best_high = None if best is None else _tested(np.asarray(best, dtype=float) - first, margin, alpha)["high"]
    worst_low = None if worst is None else _tested(np.asarray(worst, dtype=float), margin, alpha)["low"]
    if sampled is not None:
        worst_low, best_high = tested["low"] - sampled.fall, tested["high"] + sampled.rise
    verdict = _verdict(tested, margin, best_high, worst_low)
    notes = []
    if is_flat(second - first) and abs(tested["difference"]) > TIE:
        notes.append(
            f"all {len(first)} topics differ by the same {tested['difference']:+.4g}, which says nothing of their "
            "spread; it is taken to be as large as the difference"
        )
    means = _mean(first, measure, estimated), _mean(second, measure, estimated)
    if abs(means[1] - means[0] - tested["difference"]) > SEEN:
        notes.append(f"{measure}: means are cut to what scores can be, the difference is not; it is the one to go by")
    return Gate(
        baseline=names[0],
        candidate=names[1],
        measure=measure,
        margin=margin,
        alpha=alpha,
        topics=len(first),
        baseline_mean=means[0],
        candidate_mean=means[1],
        verdict=verdict,
        power=power,
        topics_needed=topics_for_gate(margin, spread(second - first), power, alpha),
        wins=None if estimated else int((second > first + TIE).sum()),
        losses=None if estimated else int((second < first - TIE).sum()),
        ties=None if estimated else int((np.abs(second - first) <= TIE).sum()),
        holes=holes,
        best_high=best_high,
        worst_low=worst_low,
        sampled=sampled is not None,
        topics_drawn_of=sampled.topics_drawn_of if sampled else None,
        warnings=warn_of(notes),
        **tested,
    )


def _mean(values: Floats, measure: str, estimated: bool) -> float:
    mean = float(values.mean())
    return min(max(mean, bounds_of(measure)[0]), bounds_of(measure)[1]) if estimated else mean


def one_sided_alpha(alpha: float) -> float:
    """The error of each of two one-sided tests, whose interval has the level 1 - 2 alpha.

    >>> one_sided_alpha(0.05)
    0.05
    """
    if checks.alpha(alpha) >= 0.5:
        raise ArgumentError(
            f"alpha={alpha!r} must be below 0.5, such as 0.05: it is the error of each of two one-sided tests, whose "
            "interval at 1 - 2 alpha would hold nothing"
        )
    return alpha


def _tested(differences: Floats, margin: float, alpha: float, sampled: SampledLabels | None = None) -> dict[str, Any]:
    """Mean difference, the ends of both one-sided tests and their p values.

    Estimates by topic differ by topics and by what was drawn, and the spread over topics holds both. Where it happens
    to be smaller than the error of the draw alone, that one counts.
    """
    count, mean = len(differences), float(differences.mean())
    error, df = spread(differences) / math.sqrt(count), count - 1.0
    if sampled is not None and sampled.standard_error > error:
        error, df = sampled.standard_error, min(df, sampled.df)
    half = float(student_quantile(df, 1 - alpha)) * error
    above = mean + margin
    if error > 0:
        lower = float(student_below(df, above / error))
    else:  # no topic differs
        lower = 1.0 if above > 0 else 0.5
    return {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p_no_worse": 1 - lower,
        "p_worse": lower,
    }


def spread(differences: Floats) -> float:
    """The standard deviation over topics; where all topics differ alike, the difference itself.

    Equal differences say nothing of their spread, least of all that it is 0: a handful of topics would then decide
    with certainty. Where no topic differs at all there is nothing to be uncertain of.
    """
    mean = abs(float(differences.mean()))
    return mean if is_flat(differences) else float(differences.std(ddof=1))


def is_flat(differences: Floats) -> bool:
    """Whether all topics differ alike, up to rounding."""
    return float(np.ptp(differences)) <= FLAT * max(1.0, float(np.abs(differences).max()))


def _verdict(tested: dict[str, Any], margin: float, best_high: float | None, worst_low: float | None) -> str:
    low = tested["low"] if worst_low is None else min(worst_low, tested["low"])
    if low > TIE - margin or (abs(low + margin) <= TIE and abs(tested["high"] + margin) <= TIE):
        return NO_WORSE
    if tested["high"] < -margin - TIE and (best_high is None or best_high < -margin - TIE):
        return WORSE
    return CANNOT_TELL


def topics_for_gate(margin: float, deviation: float, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """The fewest topics that show "no worse" with the given power if both are equal; None if no number does.

    >>> topics_for_gate(0.01, 0.05)
    156
    """
    if deviation == 0:
        return 2
    if margin == 0:
        return None
    low, high = 1, 2
    while _power(high, margin, deviation, alpha) < power:
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, margin, deviation, alpha) >= power else (middle, high)
    return high


def _power(topics: int, margin: float, deviation: float, alpha: float) -> float:
    """Power of the one-sided t test at a true difference of 0."""
    from scipy.stats import nct

    edge = float(student_quantile(topics - 1, 1 - alpha))
    return float(nct.sf(edge, topics - 1, margin * math.sqrt(topics) / deviation))
