"""Topics drawn at random where a budget cannot give each of them a label.

Topics are a simple random sample, in one round or in several, each from those not drawn yet; within a drawn topic
documents are drawn as ever. `estimate` then adds what topics differ by to the variance (see
`poolwise.estimates.sampled_topics`). Both parts of the variance fall with the number of topics, so drawn topics get no
more labels than two strata need.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.plans.document_costs import Paid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.plans.listing import Listing
    from poolwise.pool.judgments import Judgments
    from poolwise.sampling.cells import Cells

    Whole = NDArray[np.int64]

LABELS_EACH = 4  # of a drawn topic: two strata of two
FEWEST_EACH = 2
SOME_TOPICS = 5  # with fewer, labels are too few for four each
LEAST_TOPICS = 2  # the fewest that tell how much topics differ


def draw_topics(
    listing: Listing, judgments: Judgments | None, labels: int, seed: int, paid: Paid | None = None
) -> Whole | None:
    """The topics that so many labels go to, ascending; None where they can reach them all.

    `paid` says how many labels a budget almost surely pays for, where documents differ in cost.
    """
    pooled = np.unique(listing.topic)
    before = np.unique(listing.topic[listing.round > 0])
    left = np.setdiff1d(pooled, before)
    sure = labels if paid is None else paid.sure
    if sure >= len(np.unique(listing.topic[listing.round == 0])) or not len(left):
        return None
    wanted = max(labels // LABELS_EACH, min(labels // FEWEST_EACH, SOME_TOPICS))
    number = min(wanted, sure, len(left))
    less = (paid or Paid(labels, labels)).less_than(len(pooled))
    if len(before) and not _topics_were_drawn(judgments):
        raise ArgumentError(
            f"{less}, and topics are drawn only where all are open or earlier rounds drew them, as their plan says; "
            "raise it, or give the pilot as the plan was written"
        )
    if number == 0 or len(before) + number < LEAST_TOPICS:
        raise ArgumentError(
            f"{less}, and too little to draw topics, {FEWEST_EACH} "
            f"{'documents' if paid and paid.mean else 'judgments'} each; raise it, or plan for fewer topics"
        )
    random = np.random.default_rng([seed, int(listing.round.max(initial=0))])
    return np.sort(random.choice(left, number, replace=False))


def _topics_were_drawn(judgments: Judgments | None) -> bool:
    header = None if judgments is None else judgments.plan
    return header is not None and header.topics is not None


def only_in(cells: Cells, topics: Whole | None) -> Cells:
    """The same cells, nothing being left to draw in other topics."""
    return (
        cells
        if topics is None
        else replace(cells, drawn=np.where(np.isin(cells.topic, topics), cells.drawn, cells.pooled))
    )


def topics_drawn(listing: Listing, now: Whole | None) -> tuple[int, int] | None:
    """How many of how many topics have been drawn, with those of this round; None where all are."""
    if now is None:
        return None
    pooled, before = np.unique(listing.topic), np.unique(listing.topic[listing.round > 0])
    drawn = len(np.union1d(before, now))
    return None if drawn == len(pooled) else (drawn, len(pooled))
