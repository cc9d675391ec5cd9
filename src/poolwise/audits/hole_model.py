"""Model of holes (unjudged documents of new runs): their probability to be relevant, grade by grade.

A document that no run pooled is less likely to be relevant. On the logit scale the probability q of a hole lies below
the precision p of the run that retrieves it. The offset d is similar for runs of one collection
(docs/findings/holes.md):

    logit q = logit p - d,    N p = R + H q

N is the number of the run's top documents, R of the relevant ones among those judged, H of the holes. Together the two
equations are quadratic in p. Each grade has its p and q, and all have the same d.

The offset can be observed: a run of the pool is left out with the documents that only it (or its group) retrieved. The
labels of these holes are known. Offsets of several runs have a mean and a spread. The default is the mean over four
collections, and its standard error comes from the spread between them.

Random numbers are assigned to runs and holes by the labels along the rankings. So results depend neither on names nor
on the order of files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from scipy.special import expit, logit

from poolwise.basics.results import Result
from poolwise.pool.coverage import NO_LIMIT, pool_depth
from poolwise.pool.judgments import is_judged, labels_at_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits.hole_scores import Listed
    from poolwise.basics.arrays import Floats
    from poolwise.pool.judgments import Judgments

if TYPE_CHECKING:
    Whole = NDArray[np.int64]
NOTHING = np.iinfo(np.int32).min  # past the end of a ranking; no label is that low


def run_order(listed: Listed) -> Whole:
    """Indices of the runs, ordered by the labels along their rankings, ties by name."""
    shown, topics = _shown(listed), _topic_order(listed)
    names = listed.pool.runs
    keys = [(_digest([shown[run, topics]]), names[run]) for run in range(len(names))]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def hole_order(listed: Listed) -> Whole:
    """Indices into `listed.holes`, ordered by topic, by the first run that has the hole, and by its rank."""
    runs, topics, depth = listed.is_hole.shape
    run_order_of, topic_order_of = np.empty(runs, dtype=np.int64), np.empty(topics, dtype=np.int64)
    run_order_of[run_order(listed)], topic_order_of[_topic_order(listed)] = np.arange(runs), np.arange(topics)
    run, topic, rank = np.nonzero(listed.is_hole)
    hole = np.searchsorted(listed.holes, listed.label_indices[run, topic, rank])
    first = np.full(len(listed.holes), np.iinfo(np.int64).max)
    np.minimum.at(first, hole, (topic_order_of[topic] * runs + run_order_of[run]) * depth + rank)
    return np.argsort(first)


def _topic_order(listed: Listed) -> Whole:
    """Indices of the topics, ordered by the labels along their rankings, whatever the order of runs."""
    shown = _shown(listed)
    keys = [_digest(sorted(shown[:, topic], key=bytes)) for topic in range(shown.shape[1])]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _shown(listed: Listed) -> NDArray[np.int32]:
    return np.where(listed.is_hole | listed.is_judged, listed.labels, NOTHING).astype("<i4")


def _digest(rows: list[NDArray[np.int32]]) -> bytes:
    found = blake2b(digest_size=16)
    for row in rows:
        found.update(np.ascontiguousarray(row).tobytes())
    return found.digest()


HALF = 0.5  # documents added to the relevant and to the other ones (Haldane and Anscombe), so that logits are finite
# Documents with the run's precision that are added to those of a topic, and of a band of ranks. Fitted on the holes of
# left-out runs (docs/findings/holes.md). `make calibrate NAMES=hole_model` prints the curves, which are flat.
OF_TOPIC = 5.0  # documents
OF_RANKS = 20.0  # documents
BANDS = (5, 10, 20, 50, 100, 200, 500)  # last ranks of bands with a common precision, about even in log rank
SHIFTS = np.arange(-15.0, 15.5, 0.5)  # logits of the table of first guesses; at 15 a probability is 3e-7
NEWTON_STEPS = 3  # from a guess within 0.25 logits; the error is squared at each step


def precision_with_holes(relevant: Floats, judged: Floats, holes: Floats, offset: Floats) -> Floats:
    """Precision p of judged documents and holes together.

    >>> float(precision_with_holes(np.array(8.0), np.array(10.0), np.array(0.0), np.array(1.0)).round(3))
    0.773
    """
    odds = np.exp(-offset)
    r, n = relevant + HALF, judged + holes + 2.0 * HALF
    # With q = odds p / (1 - p + odds p), n p = r + holes q becomes square p^2 + linear p - r = 0.
    square = n * (odds - 1.0)
    linear = n - r * (odds - 1.0) - holes * odds
    root = np.sqrt(np.maximum(linear**2 + 4.0 * square * r, 0.0))
    result: Floats = 2.0 * r / (linear + root)  # the root between 0 and 1, in a form that is also right for square = 0
    return result


def hole_precision(relevant: Floats, judged: Floats, holes: Floats, offset: Floats) -> Floats:
    """Expected share q of relevant documents among holes."""
    result: Floats = expit(logit(precision_with_holes(relevant, judged, holes, offset)) - offset)
    return result


def observed_offset(relevant: Floats, judged: Floats, hole_relevant: Floats, holes: Floats) -> Floats:
    """Offset of holes that are judged."""
    whole = (relevant + hole_relevant + HALF) / (judged + holes + 2.0 * HALF)
    of_holes = (hole_relevant + HALF) / (holes + 2.0 * HALF)
    result: Floats = logit(whole) - logit(of_holes)
    return result


@dataclass(frozen=True)
class HoleChances:
    """Probabilities of holes, from the judged documents of the runs that retrieve them.

    `grades` are the labels above 0, ascending. Holes are counted by occurrence: a hole that three runs retrieve has
    three occurrences, and its probability is their mean.
    """

    listed: Listed
    grades: tuple[int, ...]

    @cached_property
    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Numbers of relevant documents (grades x runs), judged documents and holes (runs)."""
        judged = self.listed.is_judged
        relevant = np.array([((self.listed.labels >= grade) & judged).sum(axis=(1, 2)) for grade in self.grades])
        holes = self.listed.is_hole.sum(axis=(1, 2))
        return relevant.astype(float), judged.sum(axis=(1, 2)).astype(float), holes.astype(float)

    @cached_property
    def occurrences(self) -> tuple[Whole, Whole]:
        """Run and hole (index into `listed.holes`) of each occurrence."""
        run, topic, rank = np.nonzero(self.listed.is_hole)
        return run, np.searchsorted(self.listed.holes, self.listed.label_indices[run, topic, rank])

    @cached_property
    def base(self) -> Floats:
        """Logits by topic and rank (grades x occurrences), up to a shift for each run."""
        return np.array([self._base(index) for index in range(len(self.grades))])

    def expected(self, offset: Floats) -> Floats:
        """Probability of each grade or a higher one (grades x holes), given an offset for each run."""
        relevant, judged, holes = self.counts
        share = hole_precision(relevant, judged, holes, offset)
        run, hole = self.occurrences
        shifted = expit(self.base + self._shift(share)[:, run])
        number = np.maximum(np.bincount(hole, minlength=len(self.listed.holes)), 1)
        sums = [np.bincount(hole, row, len(self.listed.holes)) for row in shifted]
        result: Floats = np.array(sums).reshape(len(self.grades), -1) / number
        # Grades are smoothed separately, so a higher grade can come out more frequent than a lower one.
        return np.minimum.accumulate(result, axis=0)

    def _base(self, index: int) -> Floats:
        """Logits for one grade: precision of the topic and of the band of ranks, both shrunk towards the run's."""
        listed, grade = self.listed, self.grades[index]
        relevant = (listed.labels >= grade) & listed.is_judged
        band = np.searchsorted(BANDS, np.arange(1, listed.depth + 1))
        run, topic, rank = np.nonzero(listed.is_hole)
        numbers, judged, _ = self.counts
        of_run = (numbers[index] + HALF) / (judged + 2.0 * HALF)
        of_topic = _shrunk(relevant.sum(axis=2), listed.is_judged.sum(axis=2), of_run, OF_TOPIC)
        of_rank = _shrunk(_by_band(relevant, band), _by_band(listed.is_judged, band), of_run, OF_RANKS)
        result: Floats = logit(of_topic)[run, topic] + logit(of_rank)[run, band[rank]] - logit(of_run)[run]
        return result

    def _shift(self, share: Floats) -> Floats:
        """Shift of the base (grades x runs) at which the mean probability of a run's holes is its share.

        The logit of the mean is nearly linear in the shift. The first guess is interpolated in a table, and Newton's
        method refines it.
        """
        wanted = logit(share)
        guesses = [np.interp(*pair, SHIFTS) for pair in zip(wanted.flat, self._curve, strict=True)]
        shift = np.array(guesses).reshape(share.shape)
        for _ in range(NEWTON_STEPS):
            mean, slope = self._mean_chance(shift)
            # Derivative of logit(mean) by the shift: slope / (mean (1 - mean)).
            shift -= (logit(mean) - wanted) * mean * (1.0 - mean) / slope
        return shift

    @cached_property
    def _curve(self) -> Floats:
        """Logit of the mean probability of a run's holes, for each grade and run (in rows) and shift."""
        shape = (len(self.grades), self.listed.is_hole.shape[0])
        means = np.array([self._mean_chance(np.full(shape, shift))[0].ravel() for shift in SHIFTS])
        result: Floats = logit(means.T)
        return result

    def _mean_chance(self, shift: Floats) -> tuple[Floats, Floats]:
        """Mean probability of a run's holes (grades x runs), and its derivative. Without holes they are 1/2 and 1."""
        run, _ = self.occurrences
        number = np.bincount(run, minlength=shift.shape[1])
        chances = expit(self.base + shift[:, run])
        means, slopes = (
            np.array([np.bincount(run, row, shift.shape[1]) for row in rows]).reshape(shift.shape)
            / np.maximum(number, 1)
            for rows in (chances, chances * (1.0 - chances))
        )
        return np.where(number > 0, means, 0.5), np.where(number > 0, slopes, 1.0)


def _shrunk(relevant: NDArray[np.int64], judged: NDArray[np.int64], of_run: Floats, weight: float) -> Floats:
    result: Floats = (relevant + weight * of_run[:, None]) / (judged + weight)
    return result


def _by_band(chosen: NDArray[np.bool_], band: Whole) -> Whole:
    """Number of chosen documents (runs x bands)."""
    by_rank = chosen.sum(axis=1)
    bands = int(band[-1]) + 1
    return np.array([np.bincount(band, row, bands) for row in by_rank])


MOSTLY = 0.98  # judged share of the top from which a run counts as pooled; some lines of real judgments are missing
# Factor on half-widths of intervals with a learned offset: the largest that 95 % of left-out runs needed in any of four
# collections (`benchmarks/holes.py FOLDER model`; `make calibrate NAMES=STRETCH`; docs/findings/holes.md).
STRETCH = 1.7
FEWEST_HOLES = 20  # of a left-out run; with fewer its offset is mostly noise (chosen by hand)
FEWEST_GROUPS = 4  # left-out groups, as many as the default has collections; with fewer their spread is too uncertain


@dataclass(frozen=True, repr=False)
class Offset(Result):
    """Offset of holes: mean, its standard error (Student's t), standard deviation of runs around it, source."""

    mean: float
    error: float
    df: float
    spread: float
    source: str
    groups: int = 0
    stretch: float = 1.0  # factor on intervals, for errors that the model lacks

    def columns(self) -> dict[str, list[float | str]]:
        """One row."""
        return {name: [getattr(self, name)] for name in ("mean", "error", "df", "spread", "source")}

    def draws(self, number: int, runs: int, random: Generator) -> Floats:
        """Draws of the runs' offsets (number x runs): a mean common to all runs, plus a deviation of each run.

        Means are quantiles at even steps. Neighbouring means form blocks, and the deviations of a run within a block
        are even quantiles too, in random order. So few draws cover the tails of both.
        """
        from scipy.special import ndtri, stdtrit

        means = self.mean + self.error * stdtrit(self.df, (np.arange(number) + 0.5) / number)
        size = math.isqrt(number - 1) + 1  # of a block: blocks are about as many as their size
        blocks = -(-number // size)
        within = random.random((blocks, size, runs)).argsort(axis=1)  # a random order within each block and run
        aside = random.random((blocks, 1, runs)).argsort(axis=0)  # blocks have different quantiles
        parts = (within + (aside + 0.5) / blocks) / size
        result: Floats = means[:, None] + self.spread * ndtri(parts.reshape(-1, runs)[:number])
        return result


def model_ends(
    sample: Floats, level: float, stretch: float, lowest: Floats, highest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Mean over draws with its interval, stretched about the mean and clipped to the bounds that labels allow."""
    middle = sample.mean(axis=0)
    ends = np.quantile(sample, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    low, high = np.clip(middle + stretch * (ends - middle), np.minimum(lowest, middle), np.maximum(highest, middle))
    return middle, low, high


# Mean, standard error for another collection, degrees of freedom, and spread of runs over TREC-8, TREC-COVID round 5,
# DL 2019 and Robust 2003: `benchmarks/holes.py FOLDER offsets` computes them; `make calibrate NAMES=DEFAULT`.
DEFAULT = Offset(1.57, 0.61, 3.0, 0.53, "four collections")


@dataclass(frozen=True)
class LeftOut:
    """Left-out runs with their groups, numbers of holes, and observed offsets."""

    groups: list[str]
    runs: list[str]
    holes: Floats
    offset: Floats


def left_out_offsets(judgments: Judgments, depth: int, groups: Mapping[str, str], pooled: int) -> LeftOut:
    """Leave out each group of runs that are judged down to the depth. `pooled` is the depth of the pool."""
    pool = judgments.pool
    labels = np.asarray(labels_at_ranks(judgments, depth))
    inside = np.minimum(np.asarray(pool.retrieved()), depth).reshape(len(pool.runs), -1).sum(axis=1)
    shares = is_judged(labels).sum(axis=(1, 2)) / np.maximum(inside, 1)
    made = [run for run, share in zip(pool.runs, shares, strict=True) if share >= MOSTLY]
    group_of = {run: groups.get(run, run) for run in made}
    rows = []
    for group in dict.fromkeys(group_of.values()):
        members = [run for run in made if group_of[run] == group]
        # Leaving out the only group would leave no pool.
        if len(members) == len(made):
            continue
        left = judgments.sample("without", runs=members, depth=pooled, contributing=made)
        now = np.asarray(labels_at_ranks(left, depth))
        for run in members:
            number = pool.run_number(run)
            rows.append((group, run, *_counted(labels[number], now[number])))
    rows = [row for row in rows if row[4] >= FEWEST_HOLES]
    relevant, judged, holes, hole_relevant = (np.array([float(row[column]) for row in rows]) for column in (2, 3, 4, 5))
    offsets = observed_offset(relevant, judged, hole_relevant, holes)
    return LeftOut([row[0] for row in rows], [row[1] for row in rows], holes, offsets)


def _counted(before: Floats, after: Floats) -> tuple[int, int, int, int]:
    """Numbers of relevant and judged documents after leaving out, of holes, and of relevant holes."""
    judged = is_judged(after)
    hole = is_judged(before) & ~judged
    return int((after[judged] > 0).sum()), int(judged.sum()), int(hole.sum()), int((before[hole] > 0).sum())


def learned_offset(judgments: Judgments, depth: int, groups: Mapping[str, str]) -> Offset:
    """Offset from left-out runs of the campaign and the default, weighted by precision. The default if they are few."""
    pooled = pool_depth(judgments)
    offsets = left_out_offsets(judgments, depth, groups, depth if pooled == NO_LIMIT else max(pooled, depth))
    number = len(set(offsets.groups))
    if number < FEWEST_GROUPS:
        return DEFAULT
    mean, error, spread = combined(offsets)
    # Precision weights. Means of few groups are uncertain, and the default then has the larger weight.
    weights = np.array([1.0 / DEFAULT.error**2, 1.0 / error**2])
    middle = float((weights * [DEFAULT.mean, mean]).sum() / weights.sum())
    return Offset(middle, 1.0 / math.sqrt(float(weights.sum())), number - 1.0, spread, "runs left out", number, STRETCH)


def combined(left_out: LeftOut) -> tuple[float, float, float]:
    """Mean over groups, its standard error, and the spread of runs.

    The spread includes the chance error of few holes. Subtracting that error as for independent labels gave intervals
    that covered too little, because labels of holes are correlated within topics.
    """
    by_group: dict[str, list[float]] = {}
    for group, offset in zip(left_out.groups, left_out.offset.tolist(), strict=True):
        by_group.setdefault(group, []).append(offset)
    means = np.array([float(np.mean(offsets)) for offsets in by_group.values()])
    # Groups count equally: runs of a group share systems, and one team may send ten.
    mean = float(means.mean())
    error = float(means.std(ddof=1)) / math.sqrt(len(means))
    # A standard error of exactly 0 (equal offsets) would give the groups infinite weight.
    return mean, max(error, 1e-3), float(np.sqrt(((left_out.offset - mean) ** 2).mean()))
