"""The order in which random numbers go to runs and holes: by what rankings show, not by names or the order of files.

That nobody pooled a document is evidence against it. On the logit scale a hole's chance lies below the precision of
the run that retrieves it, by an offset d that is much the same for runs of one collection (docs/findings/holes.md):

    logit q = logit p - d,    N p = R + H q

with p the precision of the run's N top documents, R the relevant ones among those judged, H the holes. Both equations
together are quadratic in p. Each grade has its own p and q; d is the same for all.

A run that made the pool is left out with the documents that only it (or its group) brought; these are holes whose
labels are known, and so is their offset. Offsets of several runs have a mean and a spread. The default is the mean
over four collections at which this was done, its uncertainty the spread between them (docs/findings/holes.md).
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
from poolwise.pool.judgments import is_judged

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
NOTHING = np.iinfo(np.int32).min  # stands where a ranking has ended


def run_order(listed: Listed) -> Whole:
    """Numbers of the runs, ordered by the labels along their rankings; those alike in all of these by name."""
    shown, topics = _shown(listed), _topic_order(listed)
    names = listed.pool.runs
    keys = [(_digest([shown[run, topics]]), names[run]) for run in range(len(names))]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def hole_order(listed: Listed) -> Whole:
    """Places among `listed.holes`, ordered by topic, and there by the first run that has the hole and its rank."""
    runs, topics, depth = listed.is_hole.shape
    run_place, topic_place = np.empty(runs, dtype=np.int64), np.empty(topics, dtype=np.int64)
    run_place[run_order(listed)], topic_place[_topic_order(listed)] = np.arange(runs), np.arange(topics)
    run, topic, rank = np.nonzero(listed.is_hole)
    hole = np.searchsorted(listed.holes, listed.places[run, topic, rank])
    first = np.full(len(listed.holes), np.iinfo(np.int64).max)
    np.minimum.at(first, hole, (topic_place[topic] * runs + run_place[run]) * depth + rank)
    return np.argsort(first)


def _topic_order(listed: Listed) -> Whole:
    """Numbers of the topics, ordered by the labels along all rankings, whichever run is which; alike ones as listed."""
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


HALF = 0.5  # is added to relevant and to other documents, so that no precision is 0 or 1
OF_TOPIC = 5.0  # documents: a topic's precision leans towards the run's as if so many more had been judged
OF_RANKS = 20.0  # the same for ranks
BANDS = (5, 10, 20, 50, 100, 200, 500)  # last ranks of bands, each with a precision of its own
SHIFTS = np.arange(-15.0, 15.5, 0.5)  # at which a first guess of a shift is looked up
NEWTON_STEPS = 3


def precision_with_holes(relevant: Floats, judged: Floats, holes: Floats, offset: Floats) -> Floats:
    """The precision p of judged documents and holes together.

    >>> float(precision_with_holes(np.array(8.0), np.array(10.0), np.array(0.0), np.array(1.0)).round(3))
    0.773
    """
    odds = np.exp(-offset)
    found, number = relevant + HALF, judged + holes + 2.0 * HALF
    # number p (1 - p + odds p) = found (1 - p + odds p) + holes odds p
    square = number * (odds - 1.0)
    linear = number - found * (odds - 1.0) - holes * odds
    root = np.sqrt(np.maximum(linear**2 + 4.0 * square * found, 0.0))
    result: Floats = 2.0 * found / (linear + root)  # the root between 0 and 1, in a form that never divides by 0
    return result


def hole_precision(relevant: Floats, judged: Floats, holes: Floats, offset: Floats) -> Floats:
    """The share q of holes that is relevant, as expected."""
    result: Floats = expit(logit(precision_with_holes(relevant, judged, holes, offset)) - offset)
    return result


def observed_offset(relevant: Floats, judged: Floats, hole_relevant: Floats, holes: Floats) -> Floats:
    """The offset that holes show once they are judged."""
    whole = (relevant + hole_relevant + HALF) / (judged + holes + 2.0 * HALF)
    own = (hole_relevant + HALF) / (holes + 2.0 * HALF)
    result: Floats = logit(whole) - logit(own)
    return result


@dataclass(frozen=True)
class HoleChances:
    """What the judged documents of each run say of its holes.

    `grades` are the labels above 0, ascending. Everything about holes is by occurrence: a hole that three runs retrieve
    occurs three times, and its chance is the mean of the three.
    """

    listed: Listed
    grades: tuple[int, ...]

    @cached_property
    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Relevant (grades x runs), judged and holes (runs)."""
        judged = self.listed.is_judged
        relevant = np.array([((self.listed.labels >= grade) & judged).sum(axis=(1, 2)) for grade in self.grades])
        holes = self.listed.is_hole.sum(axis=(1, 2))
        return relevant.astype(float), judged.sum(axis=(1, 2)).astype(float), holes.astype(float)

    @cached_property
    def occurrences(self) -> tuple[Whole, Whole]:
        """The run of each occurrence, and which hole (place among `listed.holes`) it is."""
        run, topic, rank = np.nonzero(self.listed.is_hole)
        return run, np.searchsorted(self.listed.holes, self.listed.places[run, topic, rank])

    @cached_property
    def base(self) -> Floats:
        """Grades x occurrences: logits of chances but for a shift that is the run's: by its topics and ranks."""
        return np.array([self._base(index) for index in range(len(self.grades))])

    def expected(self, offset: Floats) -> Floats:
        """Grades x holes: the chance of each grade or a higher one, under an offset for each run."""
        relevant, judged, holes = self.counts
        share = hole_precision(relevant, judged, holes, offset)
        run, hole = self.occurrences
        shifted = expit(self.base + self._shift(share)[:, run])
        number = np.maximum(np.bincount(hole, minlength=len(self.listed.holes)), 1)
        sums = [np.bincount(hole, row, len(self.listed.holes)) for row in shifted]
        result: Floats = np.array(sums).reshape(len(self.grades), -1) / number
        # More of a higher grade than of a lower one cannot be; smoothing apart for each grade may say so.
        return np.minimum.accumulate(result, axis=0)

    def _base(self, place: int) -> Floats:
        """Of one grade: topic's precision and band's precision, both leaning towards the run's."""
        listed, grade = self.listed, self.grades[place]
        relevant = (listed.labels >= grade) & listed.is_judged
        band = np.searchsorted(BANDS, np.arange(1, listed.depth + 1))
        run, topic, rank = np.nonzero(listed.is_hole)
        found, judged, _ = self.counts
        own = (found[place] + HALF) / (judged + 2.0 * HALF)
        of_topic = _leaning(relevant.sum(axis=2), listed.is_judged.sum(axis=2), own, OF_TOPIC)
        of_rank = _leaning(_by_band(relevant, band), _by_band(listed.is_judged, band), own, OF_RANKS)
        result: Floats = logit(of_topic)[run, topic] + logit(of_rank)[run, band[rank]] - logit(own)[run]
        return result

    def _shift(self, share: Floats) -> Floats:
        """Grades x runs: what is added to the base so that the mean chance of a run's holes is its share.

        The logit of the mean grows with the shift along a curve that is nearly straight. A first guess is read off that
        curve, and Newton's steps do the rest.
        """
        wanted = logit(share)
        guesses = [np.interp(*pair, SHIFTS) for pair in zip(wanted.flat, self._curve, strict=True)]
        shift = np.array(guesses).reshape(share.shape)
        for _ in range(NEWTON_STEPS):
            mean, slope = self._mean_chance(shift)
            shift -= (logit(mean) - wanted) * mean * (1.0 - mean) / slope
        return shift

    @cached_property
    def _curve(self) -> Floats:
        """For each grade and run (one after the other) and shift: the logit of the mean chance of a run's holes."""
        shape = (len(self.grades), self.listed.is_hole.shape[0])
        means = np.array([self._mean_chance(np.full(shape, shift))[0].ravel() for shift in SHIFTS])
        result: Floats = logit(means.T)
        return result

    def _mean_chance(self, shift: Floats) -> tuple[Floats, Floats]:
        """Grades x runs: the mean chance of a run's holes, and its slope; one half and one without holes."""
        run, _ = self.occurrences
        number = np.bincount(run, minlength=shift.shape[1])
        chances = expit(self.base + shift[:, run])
        means, slopes = (
            np.array([np.bincount(run, row, shift.shape[1]) for row in rows]).reshape(shift.shape)
            / np.maximum(number, 1)
            for rows in (chances, chances * (1.0 - chances))
        )
        return np.where(number > 0, means, 0.5), np.where(number > 0, slopes, 1.0)


def _leaning(found: NDArray[np.int64], judged: NDArray[np.int64], own: Floats, by: float) -> Floats:
    result: Floats = (found + by * own[:, None]) / (judged + by)
    return result


def _by_band(chosen: NDArray[np.bool_], band: Whole) -> Whole:
    """Runs x bands: how many documents are chosen."""
    by_rank = chosen.sum(axis=1)
    bands = int(band[-1]) + 1
    return np.array([np.bincount(band, row, bands) for row in by_rank])


MOSTLY = 0.98  # of a run's top documents are judged, so it may have made the pool
STRETCH = 1.7  # of learned intervals: so far from their mean runs of four collections lie (docs/findings/holes.md)
FEWEST_HOLES = 20  # that a left-out run must have to say something
FEWEST_GROUPS = 4  # that must be left out before their spread is trusted


@dataclass(frozen=True, repr=False)
class Offset(Result):
    """An offset: its mean, how uncertain that mean is (Student's t), how far runs spread around it, its source."""

    mean: float
    error: float
    df: float
    spread: float
    source: str
    groups: int = 0
    stretch: float = 1.0  # of intervals, for what the model leaves out

    def columns(self) -> dict[str, list[float | str]]:
        """One row."""
        return {name: [getattr(self, name)] for name in ("mean", "error", "df", "spread", "source")}

    def draws(self, number: int, runs: int, random: Generator) -> Floats:
        """Offsets that runs may have, number x runs: one mean for all runs of a draw, and a part of each run's own.

        The means are spread evenly over their distribution, and so is each run's part over its own among neighbouring
        means, so that few draws show the ends of both.
        """
        from scipy.special import ndtri, stdtrit

        means = self.mean + self.error * stdtrit(self.df, (np.arange(number) + 0.5) / number)
        size = math.isqrt(number - 1) + 1  # of a block of neighbours; so many blocks or one fewer
        blocks = -(-number // size)
        within = random.random((blocks, size, runs)).argsort(axis=1)  # each run's parts of a block in random order
        aside = random.random((blocks, 1, runs)).argsort(axis=0)  # blocks do not have the same parts
        parts = (within + (aside + 0.5) / blocks) / size
        result: Floats = means[:, None] + self.spread * ndtri(parts.reshape(-1, runs)[:number])
        return result


def model_ends(
    sample: Floats, level: float, stretch: float, lowest: Floats, highest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Mean over draws and the ends of its interval, stretched about the mean, within what labels allow."""
    middle = sample.mean(axis=0)
    ends = np.quantile(sample, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    low, high = np.clip(middle + stretch * (ends - middle), np.minimum(lowest, middle), np.maximum(highest, middle))
    return middle, low, high


DEFAULT = Offset(1.57, 0.61, 3.0, 0.53, "four collections")


@dataclass(frozen=True)
class LeftOut:
    """Runs left out: the group of each, how many holes it had, and the offset these showed."""

    groups: list[str]
    runs: list[str]
    holes: Floats
    offset: Floats


def left_out_offsets(judgments: Judgments, depth: int, groups: Mapping[str, str], pooled: int) -> LeftOut:
    """Leave out each group of runs that are judged down to the depth; `pooled` is how deep runs were pooled."""
    pool = judgments.pool
    labels = np.asarray(pool.core.label_matrix(judgments.buffer, depth))
    inside = np.minimum(np.asarray(pool.retrieved()), depth).reshape(len(pool.runs), -1).sum(axis=1)
    shares = is_judged(labels).sum(axis=(1, 2)) / np.maximum(inside, 1)
    made = [run for run, share in zip(pool.runs, shares, strict=True) if share >= MOSTLY]
    group_of = {run: groups.get(run, run) for run in made}
    rows = []
    for group in dict.fromkeys(group_of.values()):
        members = [run for run in made if group_of[run] == group]
        if len(members) == len(made):
            continue
        left = judgments.sample("without", runs=members, depth=pooled, contributing=made)
        now = np.asarray(pool.core.label_matrix(left.buffer, depth))
        for run in members:
            number = pool.run_number(run)
            rows.append((group, run, *_counted(labels[number], now[number])))
    kept = [row for row in rows if row[4] >= FEWEST_HOLES]
    relevant, judged, holes, good = (np.array([float(row[place]) for row in kept]) for place in (2, 3, 4, 5))
    offsets = observed_offset(relevant, judged, good, holes)
    return LeftOut([row[0] for row in kept], [row[1] for row in kept], holes, offsets)


def _counted(before: Floats, after: Floats) -> tuple[int, int, int, int]:
    """Relevant and judged documents after leaving out, holes, and relevant ones among these."""
    judged = is_judged(after)
    hole = is_judged(before) & ~judged
    return int((after[judged] > 0).sum()), int(judged.sum()), int(hole.sum()), int((before[hole] > 0).sum())


def learned_offset(judgments: Judgments, depth: int, groups: Mapping[str, str]) -> Offset:
    """The default, or what left-out runs of the campaign show, leaning towards the default the fewer they are."""
    pooled = pool_depth(judgments)
    offsets = left_out_offsets(judgments, depth, groups, depth if pooled == NO_LIMIT else max(pooled, depth))
    number = len(set(offsets.groups))
    if number < FEWEST_GROUPS:
        return DEFAULT
    mean, error, spread = combined(offsets)
    weights = np.array([1.0 / DEFAULT.error**2, 1.0 / error**2])
    middle = float((weights * [DEFAULT.mean, mean]).sum() / weights.sum())
    return Offset(middle, 1.0 / math.sqrt(float(weights.sum())), number - 1.0, spread, "runs left out", number, STRETCH)


def combined(left_out: LeftOut) -> tuple[float, float, float]:
    """Mean over groups, its standard error, and the spread of runs.

    The spread holds what few holes add by chance. Taking that off, as for independent labels, gave intervals that held
    too rarely: labels of holes go together within topics.
    """
    by_group: dict[str, list[float]] = {}
    for group, offset in zip(left_out.groups, left_out.offset.tolist(), strict=True):
        by_group.setdefault(group, []).append(offset)
    means = np.array([float(np.mean(offsets)) for offsets in by_group.values()])
    mean = float(means.mean())
    error = float(means.std(ddof=1)) / math.sqrt(len(means))
    return mean, max(error, 1e-3), float(np.sqrt(((left_out.offset - mean) ** 2).mean()))
