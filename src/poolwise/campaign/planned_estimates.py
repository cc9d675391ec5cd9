"""Widths of estimates from labels that do not exist yet: what plans ask for when they look ahead.

Plans and estimates do not know one another; a campaign knows both.
"""

from __future__ import annotations

import numpy as np

from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Features
from poolwise.estimates.width_forecast import interval_widths
from poolwise.pool.joined_parts import encoded, relisted
from poolwise.pool.judgments import OUTSIDE, Judgments
from poolwise.pool.pool import Pool, listed_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.plans.listing import Listing
    from poolwise.plans.planned_widths import SupposedSample

__all__ = ["PlannedEstimates"]


class PlannedEstimates:
    """Widths of intervals from any labels of a plan's documents; see `poolwise.plans.planned_widths`."""

    def __init__(self, pool: Pool, predictions: Any = None) -> None:
        self._read, self._predictions = pool, predictions
        self._pool: Pool | None = None  # that lists the plan's documents
        self._index: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # of each of these there
        self._features: Features | None = None

    def __call__(
        self, measure: Measure, level: float, sample: SupposedSample, groups: Sequence[Sequence[int]]
    ) -> Floats:
        """Widths of runs (groups of one number) and differences (two)."""
        pool = self._pool or self._listed(sample.listing, sample.kinds)
        judgments = self._judgments(pool, sample)
        if self._features is None:
            self._features = prepare(pool, judgments, self._predictions)
        pairs = [(group[0], group[1]) for group in groups if len(group) > 1]
        of_runs, of_pairs = interval_widths(pool, measure, judgments, pairs, level, self._features)
        differences = iter(of_pairs.tolist())
        return np.array([next(differences) if len(group) > 1 else of_runs[group[0]] for group in groups])

    def _judgments(self, pool: Pool, sample: SupposedSample) -> Judgments:
        size = int(np.asarray(pool.offsets())[-1])
        placed = np.full(size, OUTSIDE, dtype=np.int32)
        strata = np.ones(size, dtype=np.int32)
        placed[self._index], strata[self._index] = sample.labels, sample.listing.stratum
        return Judgments(pool, placed, strata=strata, top=max(*sample.kinds, 1))

    def _listed(self, listing: Listing, kinds: Sequence[int]) -> Pool:
        """Take the pool as it is where it lists these documents and knows these labels; else join the runs anew."""
        as_read, offsets = self._read, np.asarray(self._read.offsets())
        if (
            not set(kinds) - set(as_read.distinct_labels())
            and (listing.document < np.diff(offsets)[listing.topic]).all()
        ):
            self._pool, self._index = as_read, offsets[listing.topic] + listing.document
            return as_read
        names = [as_read.document_names(topic) for topic in range(len(as_read.topics))]
        topics = [encoded(topic) for topic in as_read.topics]
        rows = list(zip(listing.topic.tolist(), listing.document.tolist(), strict=True))
        lines = [b"%b 0 %b 0\n" % (topics[topic], names[topic][document]) for topic, document in rows]
        # The pool must know every label; these documents stay outside of it.
        lines += [b"%b 0 (label-%d) %d\n" % (topics[rows[0][0]], kind, kind) for kind in kinds]
        pool = Pool(relisted(as_read, range(len(as_read.runs)), lines), list(as_read.runs))
        begins = np.asarray(pool.offsets())
        index_of: dict[tuple[bytes, bytes], int] = {}
        for number, begin in enumerate(begins[:-1].tolist()):
            index_of.update(
                ((encoded(pool.topics[number]), name), begin + number_here)
                for number_here, name in enumerate(listed_names(pool, number))
            )
        self._index = np.array([index_of[topics[topic], names[topic][document]] for topic, document in rows])
        self._pool = pool
        return pool
