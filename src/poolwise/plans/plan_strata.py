"""Strata of a plan, and what each stratum of each topic holds.

Topics are a simple random sample, in one round or in several, each from those not drawn yet. Within a drawn topic
documents are drawn as ever. `estimate` then adds what topics differ by to the variance (see
`poolwise.estimates.standard_errors`). Both parts of the variance fall with the number of topics, so drawn topics get no
more labels than two strata need.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.plans.label_value import Paid
from poolwise.plans.listing import NOT_SET, Listing
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.sampling.allocate import LEAST, Allocation, evenly
from poolwise.sampling.cells import Cells, cells_of
from poolwise.sampling.strata import by_edges, by_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Bools, Whole
    from poolwise.pool.judgments import Judgments

LABELS_EACH = 4  # labels of a drawn topic: two strata of two
FEWEST_EACH = 2  # labels of a drawn topic where there are too few for four each of some topics
SOME_TOPICS = 5  # topics that are to be drawn before any of them has four labels; a choice
LEAST_TOPICS = 2  # topics: one does not show how much topics differ


def draw_topics(
    listing: Listing, judgments: Judgments | None, labels: int, seed: int, paid: Paid | None = None
) -> Whole | None:
    """Indices of randomly drawn topics for a number of labels. None if there are enough for all topics.

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
    # Another draw in every round, though the seed stays the same.
    random = np.random.default_rng([seed, int(listing.round.max(initial=0))])
    return np.sort(random.choice(left, number, replace=False))


def _topics_were_drawn(judgments: Judgments | None) -> bool:
    header = None if judgments is None else judgments.plan
    return header is not None and header.topics is not None


def only_in(cells: Cells, topics: Whole | None) -> Cells:
    """The cells, with no unit left to draw in other topics."""
    return (
        cells
        if topics is None
        else replace(cells, sampled=np.where(np.isin(cells.parent, topics), cells.sampled, cells.size))
    )


def topics_drawn(listing: Listing, now: Whole | None) -> tuple[int, int] | None:
    """Numbers of drawn and of all topics, with this round. None if all topics are drawn."""
    if now is None:
        return None
    pooled, before = np.unique(listing.topic), np.unique(listing.topic[listing.round > 0])
    drawn = len(np.union1d(before, now))
    return None if drawn == len(pooled) else (drawn, len(pooled))


# Last ranks of strata in a pool of depth 100, by how many strata there are labels for. Those of shallower pools are as
# many hundredths of their depth: the last stratum would else be what few ranks are left, and take labels for nothing.
EDGES = {1: (), 2: (20,), 3: (10, 50), 4: (5, 20, 50)}
FIRST_EDGE = 3  # ranks: a stratum of fewer holds too few documents (docs/theory/assisted.md, section *Labels saved*)
TWICE = 2  # as deep as the cut-off: from there on what is below it is worth a stratum of its own
MOST_MODEL_STRATA = 8  # strata of a topic, however many labels it gets; a choice
FEWEST = 2  # strata, from two labels a topic on, though one of them has one label then: more is won than pairs tell


def usual_edges(budget: int, topics: int, depth: int, cutoff: int | None = None) -> tuple[int, ...]:
    """Default edges: up to four strata, as many as the budget gives two labels in each topic.

    A pool twice as deep as the cut-off of what is estimated has one of three or more for what no run ranks within it,
    as labels there tell of the ideal alone.

    >>> usual_edges(500, 50, 100), usual_edges(100, 50, 100), usual_edges(200, 50, 30), usual_edges(500, 50, 10)
    ((5, 20, 50), (20,), (6,), (5,))
    >>> usual_edges(200, 50, 30, cutoff=10), usual_edges(500, 50, 30, cutoff=10), usual_edges(500, 50, 50, cutoff=20)
    ((6,), (5, 10), (4, 10, 20))
    """
    each = budget // max(topics, 1)
    number = min(max(each // LEAST, min(each, FEWEST), 1), max(EDGES))
    if cutoff is not None and TWICE * cutoff <= depth and number > FEWEST:
        return (*_scaled(EDGES[number], cutoff), cutoff)[1 - number :]
    return _scaled(EDGES[number], depth)


def _scaled(edges: Sequence[int], depth: int) -> tuple[int, ...]:
    """Edges for depth 100, scaled to a shallower pool."""
    scaled = (-(-edge * min(depth, 100) // 100) for edge in edges)
    return tuple(edge for edge in scaled if FIRST_EDGE <= edge < depth)


def set_strata(listing: Listing, edges: Sequence[int], new_edges: Sequence[int] | None = None) -> Listing:
    """Set missing strata by best rank, numbered after existing strata.

    Documents that are new in the pool come after, in strata of their own (by `new_edges` if given).
    """
    stratum = listing.stratum.copy()
    for new, cuts in ((False, edges), (True, edges if new_edges is None else new_edges)):
        chosen = (listing.stratum == NOT_SET) & (listing.new == new)
        last = int(stratum.max(initial=0))
        stratum[chosen] = last + by_edges(listing.best[chosen], cuts)
    return replace(listing, stratum=stratum)


def one_stratum_reopened(listing: Listing) -> Listing:
    """Strata without the single stratum of a uniform pilot, which is a random sample of any later strata.

    That holds as long as the strata of a topic do not follow from its own labels. Topics judged in full stay closed.
    """
    if len(np.unique(listing.stratum[listing.stratum != NOT_SET])) != 1:
        return listing
    open_topics = np.unique(listing.topic[listing.label == POOLED])
    reopened = np.isin(listing.topic, open_topics)
    return replace(listing, stratum=np.where(reopened, NOT_SET, listing.stratum).astype(np.int32))


def kept_strata(
    judgments: Judgments | None, listing: Listing, design: str, edges: Sequence[int] | None
) -> tuple[str, ...]:
    """Say that no other strata are set where a pilot has set some."""
    strata = None if judgments is None else judgments.strata
    if judgments is None or strata is None:
        return ()
    if design == "stratified" and edges and _cut_across(listing, edges):
        return ("the pilot has strata, which stay; edges are for documents that are new in the pool",)
    several = len(np.unique(strata[judgments.classes != OUTSIDE])) > 1
    still_open = bool(((listing.label == POOLED) & ~listing.new).any())
    if design == "stratified" and not several and still_open:
        return (
            "the pilot is one stratum, which stays, so that its pool is drawn from uniformly; design model sets strata",
        )
    if design != "model" or not several or (judgments.plan is not None and judgments.plan.design == design):
        return ()
    return (
        "the pilot has strata, which stay: the model sets strata of its own only after a uniform pilot; it still says "
        "how many labels each gets",
    )


def _cut_across(listing: Listing, edges: Sequence[int]) -> bool:
    """Whether some stratum of the pilot's documents has ranks on both sides of an edge."""
    old = ~listing.new
    stratum, by_rank = listing.stratum[old], by_edges(listing.best[old], edges)
    return len(set(zip(stratum.tolist(), by_rank.tolist(), strict=True))) > len(np.unique(stratum))


def model_numbers(listing: Listing, labels: int, topics: NDArray[np.int64] | None, least: int) -> NDArray[np.int64]:
    """Number of strata by label value of each topic: two to eight, each with `least` labels or more.

    New labels go to some topics (None: to all) in equal shares, as far as their documents go. Those of earlier rounds
    count too, but may all lie in one stratum: there are no more strata than are sure to have a label.
    """
    earlier = np.bincount(listing.topic[listing.round > 0], minlength=len(listing.topics))
    left = np.bincount(listing.topic, minlength=len(earlier)) - earlier
    if topics is not None:
        left[np.setdiff1d(np.arange(len(left)), topics)] = 0
    new = evenly(labels, left)
    wanted = np.clip((new + earlier) // least, FEWEST, MOST_MODEL_STRATA)
    return np.maximum(np.minimum(wanted, new + (earlier > 0)), 1)


def set_model_strata(
    listing: Listing, worths: NDArray[np.float64], numbers: NDArray[np.int64], cutoff: int | None = None
) -> Listing:
    """Set missing strata by label value, the highest first, with equal sums of values.

    With a cut-off strata keep to it: what no run ranks within it never shares one with what some run does. The labels
    of the former tell nothing but how good an ideal list is, and a label that may be of either kind tells little of
    both. Numbers of strata go by what both kinds are worth.

    Documents that are new in the pool have strata of their own. Each topic is cut where the running sum of worths
    passes 1/number, 2/number, ... of the whole, `numbers` having a number for each topic. The best rates are
    proportional to worths (Neyman 1934), so strata of equal sums get equally many labels, and a document's rate comes
    near to being proportional to its own worth.
    """
    stratum = listing.stratum.copy()
    # Documents that some run ranks within the cut-off, and those that only an ideal list may need.
    near = np.full(len(worths), True) if cutoff is None else listing.best <= cutoff
    share = float(worths[near].sum()) / max(float(worths.sum()), 1e-300)
    for new in (False, True):
        last = int(stratum.max(initial=0))
        for topic in np.unique(listing.topic).tolist():
            unset = (listing.stratum == NOT_SET) & (listing.new == new) & (listing.topic == topic)
            number = int(numbers[topic])
            first = min(max(round(number * share), 1), number - 1)
            parts = [(near, first, 0), (~near, number - first, first)]
            if number < 2 or near.all() or not near.any():
                parts = [(unset, number, 0)]
            for chosen, strata, before in parts:
                indices = np.flatnonzero(unset & chosen)
                stratum[indices] = last + 1 + before + by_value(listing.document[indices], worths[indices], strata)
    return replace(listing, stratum=stratum)


def make_cells(listing: Listing) -> Cells:
    """Sort listed documents into strata of topics."""
    return cells_of(listing.topic, listing.stratum, listing.round > 0, listing.label != POOLED)


def draw(listing: Listing, cells: Cells, added: Whole) -> Bools:
    """The first so many of each cell by random number, of those not drawn yet."""
    drawn = listing.round > 0
    return cells.draw(added, listing.number, drawn) & ~drawn


SHOWN_DEPTHS = (1, 5, 10, 20, 50)  # depths at which sizes of pools are shown


def by_depth(listing: Listing, design: str, budget: int | None, depth: int) -> tuple[Listing, NDArray[np.int64]]:
    """The deepest pool that the budget covers, or half of it with the other half spent at random below.

    Without a budget it is the whole pool of that depth.
    """
    budget = len(listing.rank) if budget is None else budget
    most = budget if design == "depth" else budget // 2
    sizes = np.cumsum(np.bincount(listing.rank, minlength=depth + 1))
    k = int(np.flatnonzero(sizes <= most).max(initial=0))
    if k == 0:
        raise ArgumentError(
            f"budget={budget} is too small for design {design!r}; "
            f"the pool of depth 1 alone has {int(sizes[1])} documents"
        )
    if design == "depth":
        listing = set_strata(listing.where(listing.rank <= k), ())
        return listing, make_cells(listing).size
    listing = set_strata(listing, (k,))
    cells = make_cells(listing)
    first = cells.stratum == 1
    rest = replace(cells, size=np.where(first, 0, cells.size))
    random = Allocation(rest).added(budget - int(cells.size[first].sum()))
    return listing, np.where(first, cells.size, random)


def sizes_by_depth(listing: Listing, depth: int) -> dict[int, int]:
    """How many documents pools of some depths have, that of all included."""
    sizes = np.cumsum(np.bincount(listing.rank, minlength=depth + 1))
    return {each: int(sizes[each]) for each in (*(shown for shown in SHOWN_DEPTHS if shown < depth), depth)}
