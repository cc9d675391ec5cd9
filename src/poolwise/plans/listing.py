"""The documents of a pool as a plan lists them: from runs alone, or from runs and earlier judgments."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolwise.measures.measure import rank_discounts
from poolwise.measures.registry import parse
from poolwise.plans.judging_order import Item, in_blocks
from poolwise.plans.label_value import STOPPING
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.sampling.cells import drawn_in
from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool

WITHOUT_CUTOFF = 100  # ranks of a pool for measures without a cut-off, as in TREC's ad hoc pools
SELDOM_READ = 20  # the last rank of pools for a reader who stops at what is found
HARDLY = 0.01  # share of the weight of all ranks that may lie below the pool
# Where an ideal has to be known, so many runs have pools of so many cut-offs, and more runs of one. Chosen by errors
# against complete judgments (benchmarks/plan_depth.py; docs/theory/assisted.md, section *Depth of the pool*).
CUTOFFS = ((2, 3), (9, 2))


def usual_depth(measure: str | Measure, design: str, runs: int) -> int:
    """Default depth of the pool: the measure's cut-off, or the rank beyond which weights are negligible, at most 100.

    What no run ranks within the cut-off gains nothing in any of them. But where scores are relative to all that is
    relevant, few runs find too little of that within their cut-off, and differences come out too large: pools of two
    runs are three times as deep then, those of three to nine twice. A reader who stops at what is found (RR, ERR)
    rarely comes to rank 20, and RBP leaves at most a hundredth to what is below. Designs by depth find theirs by the
    budget.

    >>> [usual_depth("nDCG@10", "model", runs) for runs in (2, 3, 10)], usual_depth("P@10", "model", 2)
    ([30, 20, 10], 10)
    >>> usual_depth("AP", "model", 2), usual_depth("P@10", "depth", 2), usual_depth("nDCG@200", "model", 2)
    (100, 100, 200)
    >>> [usual_depth(name, "model", 2) for name in ("RR", "RBP(p=0.8)", "RBP(p=0.95)")]
    [20, 21, 90]
    """
    asked = parse(measure)
    if design.startswith("depth"):
        return WITHOUT_CUTOFF
    if asked.cutoff:
        return _deeper(asked.cutoff, runs) if asked.declaration.relative else asked.cutoff
    if asked.name == "RBP":
        sums = np.cumsum(rank_discounts(asked, WITHOUT_CUTOFF))
        return min(int(np.searchsorted(sums, 1.0 - HARDLY)) + 1, WITHOUT_CUTOFF)
    return SELDOM_READ if asked.name in STOPPING else WITHOUT_CUTOFF


def _deeper(cutoff: int, runs: int) -> int:
    """The depth at which the runs find enough relevant documents for the ideal list down to the cut-off."""
    times = next((times for most, times in CUTOFFS if runs <= most), 1)
    return max(cutoff, min(times * cutoff, WITHOUT_CUTOFF))


NOT_SET = -1  # in place of a stratum's number, which is 1 or more
SHOWN_ORDER = 2**63  # the trial whose random numbers order the drawn documents, apart from those they are drawn by


@dataclass(frozen=True)
class Listing:
    """Pooled documents, topics one after the other.

    `topic` and `document` are positions, `rank` the best rank of a contributing run, which says who is in the pool, and
    `best` that of any run, which says how much a label may matter. `number` is the random number by which documents are
    drawn and `shown` the one by which they are shown. `stratum` is NOT_SET where none is set yet, `round` 0 for
    documents not drawn. `new` marks documents that the earlier judgments did not pool: no earlier draw
    could have chosen them, so they never share a stratum with those it could.
    """

    topics: list[str]
    topic: NDArray[np.int64]
    document: NDArray[np.int64]
    rank: NDArray[np.uint32]
    best: NDArray[np.uint32]
    number: NDArray[np.uint64]
    shown: NDArray[np.uint64]
    label: NDArray[np.int32]
    stratum: NDArray[np.int32]
    round: NDArray[np.int32]
    new: NDArray[np.bool_]

    def where(self, chosen: NDArray[Any]) -> Listing:
        """Only some of the documents."""
        names = ("topic", "document", "rank", "best", "number", "shown", "label", "stratum", "round", "new")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})


def list_pool(
    pool: Pool, judgments: Judgments | None, depth: int, contributing: Sequence[str] | None, seed: int
) -> Listing:
    """List what the contributing runs place in their top `depth`, and what the judgments list."""
    core, offsets = pool.whole, np.asarray(pool.document_offsets())
    rank, best = (np.asarray(core.best_ranks_of_all(pool.run_numbers(runs))) for runs in (contributing, None))
    topic = np.repeat(np.arange(len(pool.topics)), np.diff(offsets))
    document = np.arange(len(rank)) - offsets[topic]
    label = np.full(len(rank), OUTSIDE, dtype=np.int32)
    stratum = np.full(len(rank), NOT_SET, dtype=np.int32)
    round = np.zeros(len(rank), dtype=np.int32)
    if judgments is not None:
        listed = document < np.diff(judgments.offsets)[topic]
        label[listed] = judgments.labels
        stratum[listed] = _earlier_strata(judgments)
        round[listed] = drawn_in(judgments)
    # What is outside the earlier pool but in the top of the runs is new in the pool.
    added = (label == OUTSIDE) & (rank <= depth)
    label[added] = POOLED
    new = added & (judgments is not None)
    # The order in which documents are shown must not tell which were drawn first.
    number, shown = (np.asarray(core.random_numbers(seed, trial)) for trial in (0, SHOWN_ORDER))
    listing = Listing(pool.topics, topic, document, rank, best, number, shown, label, stratum, round, new)
    return listing.where(label != OUTSIDE)


def _earlier_strata(judgments: Judgments) -> NDArray[Any]:
    """Strata of earlier judgments, NOT_SET for documents without one.

    Complete judgments without strata are a stratum of their own, judged in full. Others without strata count as a
    uniform sample of their pool, which within any stratum is a random sample too, so strata may still be set.
    """
    if judgments.strata is not None:
        return np.where(judgments.labels == OUTSIDE, NOT_SET, judgments.strata)
    complete = not bool((judgments.labels == POOLED).any())
    return np.where((judgments.labels != OUTSIDE) & complete, 1, NOT_SET)


def order_to_judge(listing: Listing, drawn: NDArray[np.bool_], names: list[list[str]], seed: int) -> NDArray[np.int64]:
    """Places of the drawn documents, in the order to judge them."""
    indices = np.flatnonzero(drawn)
    columns = (column[indices].tolist() for column in (listing.topic, listing.document, listing.stratum))
    items = [
        Item(index, listing.topics[topic], names[topic][document], stratum)
        for index, topic, document, stratum in zip(indices.tolist(), *columns, strict=True)
    ]
    blocks = in_blocks(items, HashedRandom(str(seed)))
    return np.array([item.number for block in blocks for item in block], dtype=np.int64)


def rank_spans(listing: Listing, depth: int) -> dict[int, tuple[int, int]]:
    """The best and the last rank of each stratum's documents, as far as the pool goes."""
    spans = {}
    for stratum in np.unique(listing.stratum).tolist():
        ranks = listing.best[listing.stratum == stratum]
        ranks = ranks[ranks <= depth]
        spans[stratum] = (int(ranks.min()), int(ranks.max())) if len(ranks) else (0, 0)
    return spans
