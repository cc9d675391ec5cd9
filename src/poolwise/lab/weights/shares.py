"""Which share of the documents at each rank has which label ([K09] figure 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics.results import Result
from poolwise.lab.weights.labels import UNJUDGED, check_cutoff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.lab.weights.labels import LabelledPool

__all__ = ["GradeShares", "grade_shares"]


@dataclass(frozen=True, repr=False)
class GradeShares(Result):
    """Share of rankings that have a document of a label at a rank, by label and then rank.

    What is missing to 1 is not judged, or past the end of a ranking.
    """

    cutoff: int
    shares: dict[int, tuple[float, ...]]

    def columns(self) -> dict[str, list[Any]]:
        """One row per label and rank: rank, grade, share."""
        ranks = range(1, self.cutoff + 1)
        rows = [(rank, grade, row[rank - 1]) for grade, row in self.shares.items() for rank in ranks]
        return {name: [row[place] for row in rows] for place, name in enumerate(("rank", "grade", "share"))}


def grade_shares(pool: LabelledPool, cutoff: int) -> GradeShares:
    """Return the share of documents of each label at each rank, averaged over runs and topics.

    >>> class Pool:  # two runs on one topic
    ...     def label_matrix(self, cutoff):
    ...         return np.array([[[2, 1, 0]], [[2, 0, 0]]], dtype=np.int32)[:, :, :cutoff]
    ...     def label_counts(self):
    ...         return np.array([0, 1, 2]), np.array([[5, 1, 1]])
    >>> grade_shares(Pool(), 2).shares
    {0: (0.0, 0.5), 1: (0.0, 0.5), 2: (1.0, 0.0)}
    """
    at_rank = pool.label_matrix(check_cutoff(cutoff))
    labels = [int(label) for label in pool.label_counts()[0] if label != UNJUDGED]
    shares = {label: tuple(np.mean(at_rank == label, axis=(0, 1)).tolist()) for label in labels}
    return GradeShares(at_rank.shape[2], shares)
