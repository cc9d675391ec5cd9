"""Documents outside the pool that only other runs bring: they may be relevant, too, and then lower a score.

Had all given runs been pooled, those documents would count in the number of relevant documents and in the ideal list of
every run, also of runs that do not retrieve them, and in rankings that have them below the depth. Labels at their worst
would make every low end of AP useless, so how often they are relevant is taken from the pool: a pooled document that
as many runs have within the depth shows it, topic by topic. Runs differ in how many relevant documents they alone find,
so three times that rate is allowed for (measured, docs/theory/assisted.md, section *Documents outside the pool*).
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from poolwise.estimates.gain_ratio import Counts, worths_along
from poolwise.estimates.layout import Array
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import Target
from poolwise.pool.judgments import Judgments

__all__ = ["Elsewhere"]

CAUTION = 3.0  # times as often relevant as pooled documents that as many runs retrieve
MANY = 6  # runs that retrieve a document; more are counted as so many
PRIOR = 3.0  # documents that all of a topic's together count as where few are retrieved by as many runs
POINTS = 33  # of a table of ideal lists


class Elsewhere:
    """The outside documents of one topic that some run has within the pool's depth, and how often they are worth.

    Down to the rank `own` documents are a run's own, of which other labels are tried. The depth is at least that of the
    pool, however early a measure cuts lists off: what is relevant below is missing in the ideal list all the same.
    """

    def __init__(
        self, judgments: Judgments, state: TopicState, target: Target, ideal: Array, own: int, depth: int
    ) -> None:
        self.judgments, self.state, self.target, self.ideal = judgments, state, target, ideal
        self.own, self.depth = own, depth

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        core, topic = self.judgments.pool.core, self.state.topic
        runs = core.retrieving_runs(topic, self.depth)
        exceed = np.ascontiguousarray(self.state.exceed)
        found = core.rates_elsewhere(topic, self.judgments.buffer, runs, exceed, MANY, PRIOR, CAUTION)
        of_documents, by_runs = (np.asarray(part) for part in found)
        return of_documents, by_runs

    @property
    def rates(self) -> Array:
        """Grades x documents: how often each open document is of each class or more, with caution; 0 for the others.

        Open are those outside the pool that some run has within the depth.
        """
        return self._rates[0]

    @property
    def unnumbered(self) -> Array:
        """The rate of a document of which the pool keeps no more than its rank in one run."""
        return np.ascontiguousarray(self._rates[1][1])

    def reach(self, first: list[int], second: list[int], known: dict[str, Any], unnumbered: int) -> tuple[Array, Array]:
        """By how much these documents could lower and raise scores and differences.

        `known` is what the core is told of the documents of the pool, `unnumbered` an upper bound to the documents that
        the pool does not keep.
        """
        core = self.judgments.pool.core
        asked = self.state.topic, self.judgments.buffer, first, second, self.own, self.depth
        rates: dict[str, Any] = {"rates": self.rates, "unnumbered": self.unnumbered}
        if self.target.kind == "precision":
            look = partial(core.precision_elsewhere, *asked)
        else:
            look = partial(core.gain_elsewhere, *asked, **self._ideals(unnumbered))
        found = look(**known, **rates)
        fall, rise = (np.asarray(end) for end in found)
        return fall, rise

    def _ideals(self, unnumbered: int) -> dict[str, Any]:
        """Tables of what ideal lists are worth with more and more of these documents."""
        most = self.rates.sum(axis=1) + unnumbered * self.unnumbered
        worth, some = worths_along(self.ideal, Counts.of(self.state), most, POINTS)
        return {"height": np.diff(self.target.gains), "worth": worth, "some": some, "most": most}
