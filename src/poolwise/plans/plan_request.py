"""The settings of a plan, checked, and notes on them: unused options, and documents still to be judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.measures.registry import parse
from poolwise.pool.coverage import check_all_lines
from poolwise.pool.judgments import POOLED
from poolwise.sampling.allocate import LEAST, TOPIC_SHARES
from poolwise.sampling.designs import CHECKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.plans.listing import Listing
    from poolwise.plans.planned_widths import WidthsOf
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool
    from poolwise.sampling.cells import Cells

PLAN_DESIGNS = ("stratified", "model", "uniform", "depth_plus_random", "depth")
# Labels of a stratum in plans of a model for differences of runs, not LEAST: what no pair of labels speaks for is
# much alike in all runs, and twice as many strata bring rates nearer to what documents are worth.
LEAST_APART = 1
EVERY_PAIR = "all"
MOST_PAIRS = 32  # of which the width of a typical difference is told


def named_pairs(difference: Any, pool: Pool) -> list[tuple[str, str]]:
    """Pairs of runs: one may stand alone, and one run alone means it and every other. None if all are meant."""
    if difference is None or difference == EVERY_PAIR:
        return []
    if isinstance(difference, str):
        return [(difference, run) for run in pool.runs if run != difference]
    return checks.pairs(difference)


def check_difference(difference: Any, pool: Pool) -> None:
    """Refuse differences that are not pairs of two known runs."""
    if isinstance(difference, str) and len(pool.runs) < 2:
        raise ArgumentError(f"difference={difference!r} needs two runs or more; there is one")
    if isinstance(difference, str) and difference != EVERY_PAIR:
        pool.run_number(difference)
    for pair in named_pairs(difference, pool):
        for run in pair:
            pool.run_number(run)


def as_written(difference: Any, pool: Pool) -> list[Any] | str | None:
    """None, one pair, several, or "all", as files and programs read them."""
    if difference == EVERY_PAIR:
        return EVERY_PAIR
    named = named_pairs(difference, pool)
    return None if not named else list(named[0]) if len(named) == 1 else [list(pair) for pair in named]


def forecast_groups(difference: Any, pool: Pool) -> list[tuple[str, list[int]]]:
    """Runs, and the differences asked for, or some to tell what is typical."""
    import numpy as np

    from poolwise.plans.planned_widths import TYPICAL

    runs = [(run, pool.run_numbers([run])) for run in pool.runs]
    if pairs := named_pairs(difference, pool):
        return runs + [(f"{a} - {b}", pool.run_numbers([a, b])) for a, b in pairs]
    random = np.random.default_rng(0)
    number = min(MOST_PAIRS, len(pool.runs) * (len(pool.runs) - 1) // 2)
    drawn = [sorted(random.choice(len(pool.runs), 2, replace=False).tolist()) for _ in range(number)]
    return runs + [(TYPICAL, pair) for pair in drawn]


if TYPE_CHECKING:
    Whole = NDArray[np.int64]
BY_WORTH = ("stratified", "model")  # designs that give labels to strata by what these are worth


def unspent(spent: float, budget: int | None, unit: str, depth: int | None = None, whole: bool = True) -> list[str]:
    """Note on an unused part of the budget. With `whole`, the pool is fully judged down to `depth`."""
    if budget is None or spent >= budget:
        return []
    reason = "no more documents are left" if whole else "the next rank would take more"
    reason += f" down to depth {depth}" if depth is not None and whole else ""
    used = "judgments are used" if unit == "labels" else "units of cost are spent"
    return [f"only {spent:.10g} of {budget} {used}; {reason}"]


def empty_strata(cells: Cells, added: Whole, topics: Whole | None) -> list[str]:
    """Note on strata without a judgment, in the drawn topics if topics are drawn."""
    judged = cells.sampled + added > 0
    reached = np.isin(cells.parent, cells.parent[judged]) | (topics is None)
    empty = int((~judged & (cells.size > 0) & reached).sum())
    if not empty:
        return []
    return [
        f"{empty} of {len(cells.size)} strata of topics {'gets' if empty == 1 else 'get'} no judgment, and what is "
        "relevant there will be missed; "
        "use fewer strata or a larger budget"
    ]


def unused_options(edges: Sequence[int] | None, by_worth: bool, design: str, depth: int) -> list[str]:
    """Say which options of strata and of topics do nothing."""
    notes = _unused_edges(edges, design, depth)
    if by_worth and design not in BY_WORTH:
        shares = f"shares of topics by worth are for designs {' and '.join(BY_WORTH)}"
        notes.append(f"{shares}; {design} has no use for them")
    return notes


def _unused_edges(edges: Sequence[int] | None, design: str, depth: int) -> list[str]:
    """Note on edges that have no effect: the pool ends before them, or the design has no strata by rank."""
    if edges and design != "stratified":
        return [f"edges are for design stratified; {design} has no strata by rank"]
    beyond = [str(edge) for edge in edges or () if edge >= depth]
    if not beyond:
        return []
    have = "edge has" if len(beyond) == 1 else "edges have"
    return [f"{have} no stratum behind, as the pool ends at rank {depth}: {', '.join(beyond)}"]


def unlabelled(listing: Listing) -> list[str]:
    """Say that documents of earlier rounds wait for a label."""
    missing = int(((listing.round > 0) & (listing.label == POOLED)).sum())
    if not missing:
        return []
    have, are = ("has", "it is") if missing == 1 else ("have", "they are")
    return [f"{counted(missing, 'document')} of earlier rounds {have} no label; {are} listed again after the new ones"]


@dataclass(frozen=True)
class PlanRequest:
    """Requested settings of a plan, with derived numbers."""

    budget: int | None
    design: str
    depth: int
    edges: Sequence[int] | None
    contributing: Sequence[str] | None
    measures: tuple[Measure, ...]
    difference: Any
    target_width: float | None
    level: float
    predictions: Any
    costs: Any
    topic_shares: str
    forecast: bool
    widths_of: WidthsOf | None = None
    labels: int | None = None  # that the budget pays for, about
    topics: NDArray[np.int64] | None = None  # those the budget goes to, where it cannot reach all
    whole: bool = False  # whether the pool to a depth is to be judged, however large it is

    def of_topics(self, topics: NDArray[np.int64] | None) -> PlanRequest:
        """The request for some topics, without forecasts: the variance between topics is unknown."""
        if topics is not None and (self.forecast or self.target_width is not None or self.design.startswith("depth")):
            raise ArgumentError(
                f"budget={self.budget} {'is less than' if self.costs is None else 'may not pay for'} one judgment for "
                "each topic, so topics are drawn; widths cannot be told then, nor pools judged in full: raise it, or "
                "leave out forecast, target width and depth"
            )
        return replace(self, topics=topics)

    @property
    def cutoff(self) -> int | None:
        """The deepest cut-off of all measures, if every one has one."""
        cutoffs = [measure.cutoff for measure in self.measures if measure.cutoff]
        return max(cutoffs) if len(cutoffs) == len(self.measures) else None

    @property
    def unit(self) -> str:
        """The unit of the budget."""
        return "labels" if self.costs is None else "cost"

    @property
    def by_worth(self) -> bool:
        """Whether labels are allocated to topics by label value."""
        return self.topic_shares != TOPIC_SHARES[0]

    @property
    def of_a_stratum(self) -> int:
        """Number of labels for which a stratum of the model is made."""
        apart = self.design == "model" and self.difference is not None
        return LEAST_APART if apart and not self.by_worth else LEAST

    @property
    def least(self) -> int:
        """Least number of labels of a stratum: one if the others go to the topics with the highest value."""
        return LEAST_APART if self.by_worth else self.of_a_stratum

    def number_of(self, topics: NDArray[np.int64]) -> int:
        """How many of these topics the budget goes to."""
        return len(np.unique(topics)) if self.topics is None else len(self.topics)

    def checked(self, pool: Pool, judgments: Judgments | None) -> PlanRequest:
        """The request after all checks."""
        if self.design not in PLAN_DESIGNS:
            raise ArgumentError(f"a plan cannot use design {self.design!r}; choose one of {', '.join(PLAN_DESIGNS)}")
        if self.budget is None and self.target_width is None and not self.whole:
            more = "; or a depth" if self.design == "depth" else ""
            raise ArgumentError(f"a plan needs a budget, or a target width with pilot labels{more}")
        if self.target_width is not None:
            checks.above_zero("target_width", self.target_width)
        checks.level(self.level)
        check_difference(self.difference, pool)
        checks.choice("topic_shares", self.topic_shares, TOPIC_SHARES)
        if self.costs is not None and (self.design not in ("stratified", "model") or self.target_width is not None):
            raise ArgumentError("costs are for designs stratified and model, and for a budget, not a target width")
        if self.forecast and self.design.startswith("depth"):
            raise ArgumentError(f"forecasts are for designs stratified, model and uniform, not for {self.design}")
        if len(self.measures) > 1 and self.target_width is not None:
            named = ", ".join(map(str, self.measures))
            raise ArgumentError(f"a target width is of one measure, not of {named}; plan for one of them, or forecast")
        if self.target_width is not None and (judgments is None or judgments.count() == 0):
            raise ArgumentError("a target width needs pilot labels; judge a first plan, then plan from what is judged")
        if judgments is not None and self.design.startswith("depth"):
            raise ArgumentError(
                f"design {self.design!r} cannot continue from judgments; use stratified, model or uniform"
            )
        if judgments is not None:
            check_all_lines(judgments, unless="leave out strata and rounds")
        checked = {
            name: CHECKS[name](pool, getattr(self, name))
            for name in ("budget", "depth", "edges", "contributing")
            if getattr(self, name) is not None
        }
        return replace(self, **checked)


def several_measures(measure: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """One measure or several, each once."""
    measures = [measure] if isinstance(measure, str) or not hasattr(measure, "__iter__") else list(measure)
    checks.measures_given(measures)
    return tuple(dict.fromkeys(parse(each) for each in measures))
