"""How probable it is that a hole is relevant, from the run's own judged documents.

That nobody pooled a document is evidence against it. On the logit scale a hole's chance lies below the precision of
the run that retrieves it, by an offset d that is much the same for runs of one collection (docs/findings/holes.md):

    logit q = logit p - d,    N p = R + H q

with p the precision of the run's N top documents, R the relevant ones among those judged, H the holes. Both equations
together are quadratic in p. Each grade has its own p and q; d is the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.audits.listed_holes import Listed
    from poolwise.basics.arrays import Floats

    Whole = NDArray[np.int64]

__all__ = ["Chances", "hole_precision", "observed_offset", "precision_with_holes"]

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
class Chances:
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
        return np.array([self._base(place) for place in range(len(self.grades))])

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
