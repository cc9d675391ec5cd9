"""Labels along the rankings of many runs, and the gains and discounts that turn them into nDCG.

The optimisation needs no other part of a pool, so it can be tested on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from poolwise.basics.results import Result
from poolwise.basics.settings import at_least_two, campaign, choice, whole
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.weights.optimum import reported
from poolwise.lab.weights.stability import CONVERGED
from poolwise.measures.measure import label_gains, rank_discounts
from poolwise.measures.parameters import NEGATIVE
from poolwise.measures.rank import nDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.optimum import HeldOut, Start

# Maxima that differ by less are the same one.
SAME = 1e-8


def check_labels(labels: RankedLabels, gains: Floats) -> None:
    """Refuse labels from which no variance components can be estimated."""
    at_least_two("an optimum", (labels.runs, labels.topics))
    if not np.any(gains[labels.grades] > 0):
        raise InputError(
            f"no run retrieves a document of positive gain within the first {labels.cutoff} ranks; "
            "check that runs and judgments belong together, or raise the cut-off"
        )


def doubts(
    phi: float,
    violation: float,
    starts: Sequence[Start],
    held_out: Sequence[HeldOut],
    usual: str | None,
    best_scores: Floats,
) -> list[str]:
    """Say what makes an optimum doubtful.

    `usual` is the variant that it must beat on held-out data, `best_scores` the best score on each topic.
    """
    notes = []
    barren = int(np.sum(best_scores == 0.0))
    if barren:
        score = "topic scores" if barren == 1 else "topics score"
        notes.append(f"{barren} {score} 0 for every run with these weights")
    if reported(phi) == 0.0:
        notes.append("no weights tell these runs apart: Phi is 0 at the optimum")
    if violation >= CONVERGED:
        notes.append(f"the search did not converge: the conditions of a maximum miss by {violation:.1e}")
    reached = [start.reached for start in starts]
    if reached and max(reached) - min(reached) > SAME:
        apart = sum(value < max(reached) - SAME for value in reached)
        notes.append(f"{apart} of {len(reached)} starts ended at a lower maximum; the highest is returned")
    notes += [
        f"on held-out {part.facet} the optimum is less stable than {usual} (mean Phi {part.phi['optimal']:.4f} "
        f"against {part.phi[usual]:.4f}): it fits these {part.facet} only"
        for part in held_out
        if usual is not None and part.difference[usual] < 0.0
    ]
    return notes


if TYPE_CHECKING:
    Integers = NDArray[np.int64]
UNJUDGED = -(2**31)  # no label: the lowest 32-bit integer


class LabelledPool(Protocol):
    """View of a pool for the optimisation."""

    def label_matrix(self, cutoff: int, /) -> NDArray[np.int32]:
        """Return the label at each rank, runs x topics x cutoff. UNJUDGED where there is none."""

    def label_counts(self) -> tuple[Integers, Integers]:
        """Return the labels in ascending order, and topics x labels counts of judged documents."""


@dataclass(frozen=True)
class RankedLabels:
    """Ranks of the judged documents with a label other than 0.

    There is one entry for each retrieved document. `cells` is run * topics + topic (ascending), `ranks` counts from 0,
    and `grades` is the index of its label in `labels`. `counts` are numbers of judged documents (topics x labels).
    """

    runs: int
    topics: int
    cutoff: int
    cells: Integers
    ranks: Integers
    grades: Integers
    labels: Integers
    counts: Integers

    @classmethod
    def from_pool(cls, pool: LabelledPool, cutoff: int) -> RankedLabels:
        """Read the labels of a pool down to a cut-off."""
        campaign(pool, "label_counts")
        labels, counts = pool.label_counts()
        return cls.from_arrays(pool.label_matrix(check_cutoff(cutoff)), labels, counts)

    @classmethod
    def from_arrays(cls, at_rank: NDArray[np.int32], labels: Integers, counts: Integers) -> RankedLabels:
        """Keep what matters of a runs x topics x cutoff array of labels.

        >>> one_run = np.array([[[2, UNJUDGED, 0, 1]]], dtype=np.int32)
        >>> kept = RankedLabels.from_arrays(one_run, np.array([0, 1, 2]), np.array([[5, 3, 1]]))
        >>> kept.ranks.tolist(), kept.labels[kept.grades].tolist()
        ([0, 3], [2, 1])
        """
        runs, topics, cutoff = at_rank.shape
        flat = at_rank.reshape(-1)
        indices = np.flatnonzero((flat != 0) & (flat != UNJUDGED))
        grades = np.searchsorted(labels, flat[indices])
        known = np.append(labels, UNJUDGED)[grades] == flat[indices]
        if not known.all():
            unknown = int(flat[indices[np.argmin(known)]])
            raise InputError(f"label {unknown} is retrieved but not among the judged labels {labels.tolist()}")
        cells, ranks = np.divmod(indices, cutoff)
        return cls(runs, topics, cutoff, cells, ranks, grades, np.asarray(labels), np.asarray(counts))

    def with_labels(self, labels: Integers) -> RankedLabels:
        """Return the same rankings with more labels, of which no document was judged."""
        indices = np.searchsorted(labels, self.labels)
        counts = np.zeros((self.topics, len(labels)), dtype=np.int64)
        counts[:, indices] = self.counts
        return replace(self, grades=indices[self.grades], labels=labels, counts=counts)


def named_gains(labels: Integers, gains: Floats) -> dict[int, float]:
    """Return gains by label, as nDCG takes them. A label without a gain is left out.

    >>> named_gains(np.array([0, 1, 2]), np.array([0.0, 0.25, 0.75]))
    {1: 0.25, 2: 0.75}
    """
    return {int(label): float(gain) for label, gain in zip(labels, gains, strict=True) if gain != 0}


def gains_of(labels: Integers, gain: str | Mapping[int, float], negative: str) -> Floats:
    """Return the gain of each label. With negative="zero" none is below 0.

    >>> gains_of(np.array([-2, 0, 1, 3]), "exp", "keep").tolist()
    [-3.0, 0.0, 1.0, 7.0]
    """
    values = np.array(label_gains(nDCG(gain=gain), labels.tolist()))
    return np.maximum(values, 0.0) if check_negative(negative) == "zero" else values


def discounts_of(discount: str | Sequence[float] | Floats, cutoff: int) -> Floats:
    """Return the discounts of ranks 1 to cutoff.

    >>> discounts_of("zipf", 4).tolist()
    [1.0, 0.5, 0.3333333333333333, 0.25]
    """
    values = np.array(rank_discounts(nDCG(discount=discount) @ cutoff, cutoff))
    if not values.any():
        raise ArgumentError("discounts must not all be 0; give at least one rank a weight")
    return values


def check_cutoff(cutoff: int) -> int:
    """Return a checked cut-off as an int."""
    return whole("cutoff", cutoff, 1)


def check_negative(negative: str) -> str:
    """Return the checked choice for negative labels."""
    return choice("negative", negative, NEGATIVE)


def sorted_gains(counts: Integers, gains: Floats, cutoff: int) -> Floats:
    """Return the ideal list of each topic: positive gains in descending order, 0 after them.

    The worst list of negative gains is `-sorted_gains(counts, -gains, cutoff)`.

    >>> sorted_gains(np.array([[9, 2, 1]]), np.array([0.0, 1.0, 2.0]), 5).tolist()
    [[2.0, 1.0, 1.0, 0.0, 0.0]]
    """
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0]
    lists = np.zeros((len(counts), cutoff))
    for row, numbers in zip(lists, counts[:, order], strict=True):
        ideal = np.repeat(gains[order], np.minimum(numbers, cutoff))[:cutoff]
        row[: len(ideal)] = ideal
    return lists


@dataclass(frozen=True, repr=False)
class GradeShares(Result):
    """Share of rankings that have a document of a label at a rank, by label and then rank.

    The rest up to 1 is unjudged, or past the end of a ranking.
    """

    cutoff: int
    shares: dict[int, tuple[float, ...]]

    def columns(self) -> dict[str, list[Any]]:
        """One row per label and rank: rank, grade, share."""
        ranks = range(1, self.cutoff + 1)
        rows = [(rank, grade, row[rank - 1]) for grade, row in self.shares.items() for rank in ranks]
        return {name: [row[index] for row in rows] for index, name in enumerate(("rank", "grade", "share"))}


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
