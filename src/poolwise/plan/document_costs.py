"""What it costs to judge each document: rows of topic, document and cost, from a file or a table."""

from __future__ import annotations

import numpy as np

from poolwise.errors import InputError
from poolwise.read.prediction_rows import COSTS, prediction_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.arrays import Floats
    from poolwise.plan.listing import Listing
    from poolwise.pool.pool import Pool

__all__ = ["costs_of"]


def costs_of(pool: Pool, listing: Listing, given: Any) -> Floats:
    """The cost of each listed document; 1 without costs, and the mean of the others where one is not given."""
    if given is None:
        return np.ones(len(listing.topic))
    table = {(topic, document): cost for topic, document, cost in prediction_rows(given, COSTS)}
    names = [pool.documents(topic) for topic in pool.topics]
    places = zip(listing.topic.tolist(), listing.document.tolist(), strict=True)
    pairs = [(pool.topics[topic], names[topic][document]) for topic, document in places]
    costs = np.array([table.get(pair, np.nan) for pair in pairs], dtype=float)
    known = np.isfinite(costs)
    if not known.any():
        raise InputError(f"costs: none of {len(table)} rows is about a pooled document; name topic, document, cost")
    if (costs[known] <= 0).any():
        topic, document = pairs[int(np.flatnonzero(known & (costs <= 0))[0])]
        cost = table[topic, document]
        raise InputError(f"costs: topic {topic!r}: document {document!r} costs {cost:g}; costs are above 0")
    return np.where(known, costs, costs[known].mean())
