"""What it costs to judge each document: rows of topic, document and cost, from a file or a table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.basics.words import counted, part_of
from poolwise.errors import InputError
from poolwise.reading.predictions import COSTS, prediction_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool

__all__ = ["DocumentCosts", "Paid", "costs_of"]

SURE = 2.0  # standard deviations of what documents cost together that a budget must be able to pay


class Paid(NamedTuple):
    """How many documents a budget pays for on average and almost for sure; the budget, and their mean cost."""

    labels: int
    sure: int
    budget: float = 0.0
    mean: float = 0.0

    def less_than(self, topics: int) -> str:
        """That it is less than a document for each topic, in words."""
        if not self.mean:
            return f"a budget of {counted(self.labels, 'judgment')} is less than one for each of {topics} topics"
        return (
            f"a budget of {self.budget:g} pays for about {counted(self.labels, 'document')}, at {self.mean:.3g} each "
            f"on average, and is not sure to reach each of {topics} topics"
        )


class DocumentCosts(NamedTuple):
    """The cost of each listed document, and how many have none of their own: they count as the mean of the others."""

    of: Floats
    missing: int = 0
    given: bool = True

    def paid_by(self, budget: float) -> Paid:
        """How many documents a budget pays for, on average and almost for sure, if any may be drawn."""
        mean, spread = float(self.of.mean()), SURE * float(self.of.std())
        sure = ((spread**2 + 4 * mean * budget) ** 0.5 - spread) / (2 * mean)  # the root of n: n mean + root spread
        return Paid(int(budget / mean), int(sure**2 * (1 + 1e-9)), budget, mean if self.given else 0.0)

    def notes(self) -> tuple[str, ...]:
        """Say that some are not given."""
        if not self.missing:
            return ()
        without = part_of(self.missing, len(self.of), "pooled document")
        return (f"{without} no cost; the mean of the others is taken",)


def costs_of(pool: Pool, listing: Listing, given: Any) -> DocumentCosts:
    """What documents cost to judge: 1 each if nothing is given."""
    if given is None:
        return DocumentCosts(np.ones(len(listing.topic)), given=False)
    table = _table(given)
    names = [pool.documents(topic) for topic in pool.topics]
    places = zip(listing.topic.tolist(), listing.document.tolist(), strict=True)
    pairs = [(pool.topics[topic], names[topic][document]) for topic, document in places]
    costs = np.array([table.get(pair, np.nan) for pair in pairs], dtype=float)
    known = np.isfinite(costs)
    if not known.any():
        rows = counted(len(table), "row")
        raise InputError(f"costs: none of {rows} is about a pooled document; name topic, document, cost")
    if (costs[known] <= 0).any():
        topic, document = pairs[int(np.flatnonzero(known & (costs <= 0))[0])]
        cost = table[topic, document]
        raise InputError(f"costs: topic {topic!r}: document {document!r} costs {cost:g}; costs are above 0")
    return DocumentCosts(np.where(known, costs, costs[known].mean()), int((~known).sum()))


def _table(given: Any) -> dict[tuple[str, str], float]:
    """The cost of each topic's documents; one that is named twice costs the same."""
    table: dict[tuple[str, str], float] = {}
    for topic, document, cost in prediction_rows(given, COSTS):
        before = table.setdefault((topic, document), cost)
        if before != cost and before == before:
            raise InputError(
                f"costs: topic {topic!r}: document {document!r} costs {before:g} and {cost:g}; remove one of the two"
            )
    return table
