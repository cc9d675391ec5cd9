"""`plan`: from runs alone, or continuing from what is judged, to the documents to judge next."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from poolwise.basics.results import warn_of
from poolwise.basics.settings import seed_number
from poolwise.measures.measure import Measure
from poolwise.plans.label_value import DocumentCosts, LabelValue, costs_of, in_equal_parts
from poolwise.plans.listing import NOT_SET, Listing, list_pool, order_to_judge, rank_spans, usual_depth
from poolwise.plans.plan import Plan
from poolwise.plans.plan_request import (
    PlanRequest,
    as_written,
    empty_strata,
    forecast_groups,
    several_measures,
    unlabelled,
    unspent,
    unused_options,
)
from poolwise.plans.plan_strata import (
    by_depth,
    draw,
    draw_topics,
    kept_strata,
    make_cells,
    model_numbers,
    one_stratum_reopened,
    only_in,
    set_model_strata,
    set_strata,
    sizes_by_depth,
    topics_drawn,
    usual_edges,
)
from poolwise.plans.relevance_prior import SupposedLabels, unpredicted
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.sampling.allocate import Allocation, cell_costs
from poolwise.sampling.designs import CHECKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign
    from poolwise.plans.planned_widths import LabelsNeeded, PlannedWidths, WidthForecaster
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.plan_header import PlanHeader
    from poolwise.pool.pool import Pool
    from poolwise.sampling.cells import Cells


def plan(
    campaign: Campaign,
    *,
    budget: int | None = None,
    design: Literal["stratified", "model", "uniform", "depth", "depth_plus_random"] = "stratified",
    depth: int | None = None,
    edges: Sequence[int] | None = None,
    contributing: Sequence[str] | None = None,
    measure: str | Measure | Sequence[str | Measure] = "AP",
    difference: str | Sequence[str] | Sequence[tuple[str, str]] | None = None,
    target_width: float | None = None,
    level: float = 0.95,
    predictions: Any = None,
    costs: Any = None,
    columns: Mapping[str, str] | None = None,
    topic_shares: Literal["equal", "worth"] = "equal",
    forecast: bool = False,
    seed: int | Generator = 0,
) -> Plan:
    """Choose which documents to judge next, from the runs and what is judged already (`read(None, ...)`: nothing).

    The pool is what the contributing runs place in their top `depth`, and what the judgments list. It is split
    into strata by best rank. Topics get equal shares of the budget; within a topic it goes to the strata so that
    the variance of the estimate is least (Neyman allocation). Labels that are there tell how many relevant
    documents to expect; earlier labels, strata and rounds stay as they are.

    Parameters
    ----------
    budget : int, optional
        How many documents to judge now. If it is less than one for each topic, topics are drawn at random too.
    design : {"stratified", "model", "uniform", "depth", "depth_plus_random"}
        "model" sets strata not by best rank but by how much each label is expected to matter: p (1 - p) times the
        squared influence on the runs' scores, p from the relevance model fitted to the pilot (if that was drawn
        uniformly, or nothing is judged; else strata stay). For a first round "depth" is the deepest pool that the
        budget can judge in full (without a budget, all of the pool of `depth`), and "depth_plus_random" half the
        budget so, half at random below.
    depth : int, optional
        Of the pool; the measure's cut-off unless given, or where scores are relative to what is relevant, as
        those of nDCG, three times that for two runs and twice for three to nine. Without a cut-off it is 20 for
        RR and ERR, as deep as ranks count for RBP, and 100 for others.
    edges : sequence of int, optional
        The last rank of each stratum but the last; 5, 20 and 50 unless given, fewer with a small budget.
    contributing : sequence of str, optional
        The runs that make the pool; all unless given.
    measure : str, Measure or sequence of these
        What is to be estimated best: its mean over topics, for a typical run. Of several measures each counts the
        same in where labels go, and the pool is as deep as the deepest needs.
    difference : str, pair, or sequence of pairs, optional
        Two runs whose difference is to be estimated best instead, or several such pairs; one run: it and every
        other; "all": every pair, on average, which takes no longer than without. Then documents that all runs
        rank alike get few labels.
    target_width : float, optional
        Asks how many judgments an interval of that width needs (`plan.needed`), mean over runs or over the
        differences asked for, by the same forecast as `forecast`; without a budget that many are planned.
    level : float
        Of that interval.
    predictions : path, mapping, data frame or a list of these, optional
        Predicted labels, or several predictors; with those the relevance model knows more, which allocation and
        the strata of "model" follow. Give them to `estimate` too.
    costs : path, mapping or data frame, optional
        What it costs to judge each document, such as its length: rows of topic, document, cost. Rates go with the
        root of worth over cost, and the budget is in units of cost.
    columns : mapping, optional
        What columns of predictions and costs are called, as in `{"value": "llm_grade"}`: topic, document, value,
        cost.
    topic_shares : {"equal", "worth"}
        Whether topics get equal shares of the budget, or more where labels are worth more.
    forecast : bool
        Whether to say how wide intervals of estimates will be (`plan.forecast`): of each run and of differences,
        with this budget and others, by each measure.
    seed : int or Generator
        Of the draw.

    Returns
    -------
    Plan
        What to judge, in which order; `plan.write` makes the file.

    Examples
    --------
    >>> from poolwise import read
    >>> runs = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "yours": {"1": {"c": 3.0, "d": 2.0}}}
    >>> plan = read(None, runs).plan(budget=2, seed=1)
    >>> plan
    <Plan: round 1, 2 of 4 pooled documents to judge>
    >>> plan.to_judge()
    [('1', 'b'), ('1', 'd')]
    """
    judgments = campaign.judgments if len(campaign.judgments.classes) else None
    if costs is not None:
        from poolwise.reading.predictions import renamed_costs

        costs = renamed_costs(costs, columns)
    predictions = campaign._predicted(predictions, columns)
    # Plans do not know estimates; a campaign knows both.
    widths_of = campaign._widths_of(predictions) if forecast or target_width is not None else None
    measures = several_measures(measure)
    makers = campaign.runs if contributing is None else CHECKS["contributing"](campaign, contributing)
    deep = max(usual_depth(each, design, len(makers)) for each in measures) if depth is None else depth
    request = PlanRequest(
        budget, design, deep, edges, contributing, measures, difference, target_width, level, predictions, costs,
        topic_shares, forecast, widths_of, whole=design == "depth" and budget is None and depth is not None,
    )  # fmt: skip
    return _make(campaign, judgments, request.checked(campaign, judgments), seed_number(seed))


def _make(pool: Pool, judgments: Judgments | None, request: PlanRequest, seed: int) -> Plan:
    listing = list_pool(pool, judgments, request.depth, request.contributing, seed)
    costs = costs_of(pool, listing, request.costs)
    if request.budget is not None:
        paid = costs.paid_by(request.budget)
        request = replace(request, labels=paid.labels).of_topics(
            draw_topics(listing, judgments, paid.labels, seed, paid)
        )
    sizes: dict[int, int] = {}
    if request.design.startswith("depth"):
        sizes = sizes_by_depth(listing, request.depth)
        listing, added = by_depth(listing, request.design, request.budget, request.depth)
        cells, need, widths = make_cells(listing), None, None
    else:
        listing = _with_strata(pool, judgments, listing, costs, request)
        cells = make_cells(listing)
        added, need, widths = _allocate(pool, judgments, listing, only_in(cells, request.topics), costs, request, seed)
    drawn = draw(listing, cells, added)
    spent = float(drawn.sum() if request.costs is None else costs.of[drawn].sum())
    notes = _unspent(request, spent, cells, added, sizes)
    notes += empty_strata(cells, added, request.topics)
    notes += unused_options(request.edges, request.by_worth, request.design, request.depth)
    notes += [*unlabelled(listing), *kept_strata(judgments, listing, request.design, request.edges), *costs.notes()]
    # A pool to a depth has no use for predictions, and does not read them.
    notes += [] if request.design.startswith("depth") else unpredicted(pool, listing, request.predictions)
    earlier = None if judgments is None else judgments.plan
    made = _result(pool, listing, drawn, request, need, warn_of(tuple(notes)), seed, spent, costs, earlier)
    return replace(made, forecast=widths, pool_sizes=sizes)


def _unspent(
    request: PlanRequest, spent: float, cells: Cells, added: NDArray[np.int64], sizes: dict[int, int]
) -> list[str]:
    """Whether part of the budget could not be spent. With costs, less than a document is always left."""
    if request.costs is not None and added.sum() < cells.unsampled.sum():
        return []
    depth = request.depth if request.design == "depth" else None
    return unspent(spent, request.budget, request.unit, depth, depth is None or int(added.sum()) == sizes[depth])


def _with_strata(
    pool: Pool, judgments: Judgments | None, listing: Listing, costs: DocumentCosts, request: PlanRequest
) -> Listing:
    """Set missing strata, by best rank or by the label values of the relevance model."""
    if request.design == "uniform":
        return set_strata(listing, ())
    if request.design == "stratified":
        old, new = (_usual(listing, request, listing.new == is_new) for is_new in (False, True))
        return set_strata(listing, *((old, new) if request.edges is None else (request.edges,)))
    listing = one_stratum_reopened(listing)
    whole = set_strata(listing, ())
    worths_of = _worths(pool, judgments, whole, make_cells(whole), request)
    squares = in_equal_parts([worth.by_document() ** 2 for worth in worths_of])
    worths = np.sqrt(squares / costs.of)
    labels = len(listing.topic) if request.labels is None else request.labels
    return set_model_strata(
        listing, worths, model_numbers(listing, labels, request.topics, request.of_a_stratum), request.cutoff
    )


def _usual(listing: Listing, request: PlanRequest, part: NDArray[np.bool_]) -> tuple[int, ...]:
    """Default edges for the documents without strata. Labels in other strata do not count for them."""
    chosen = part & (listing.stratum == NOT_SET)
    judged = int((chosen & (listing.round > 0)).sum())
    labels = int(chosen.sum()) if request.labels is None else request.labels + judged
    return usual_edges(labels, request.number_of(listing.topic[chosen]), request.depth, request.cutoff)


def _allocate(
    pool: Pool,
    judgments: Judgments | None,
    listing: Listing,
    cells: Cells,
    costs: DocumentCosts,
    request: PlanRequest,
    seed: int,
) -> tuple[NDArray[np.int64], LabelsNeeded | None, PlannedWidths | None]:
    """How many documents to draw from each cell: by the runs and by the pilot labels, if there are any."""
    worths = _worths(pool, judgments, listing, cells, request)
    price = cell_costs(cells, costs.of)
    squares = in_equal_parts([worth.for_allocation() for worth in worths])
    allocation = Allocation(cells, squares, price, request.topic_shares, request.least)
    give = Allocation(cells).added if request.design == "uniform" else allocation.added
    need: LabelsNeeded | None = None
    widths: PlannedWidths | None = None
    foresights = _foresights(pool, listing, cells, give, allocation.capacity, request, seed)
    if foresights and request.target_width is not None:
        from poolwise.plans.planned_widths import needed

        (foresight,) = foresights.values()
        need = needed(foresight, request.target_width, request.level, request.budget)
    budget = request.budget if request.budget is not None else need.labels if need is not None else 0
    if foresights and request.forecast:
        from poolwise.plans.planned_widths import planned_widths

        widths = planned_widths(foresights, budget, request.level, request.unit, int(cells.labelled.sum()))
    if request.costs is not None:
        return allocation.paid(budget, costs.of[cells.order(listing.number, listing.round > 0)]), need, widths
    return give(budget), need, widths


def _foresights(
    pool: Pool,
    listing: Listing,
    cells: Cells,
    give: Callable[[int], NDArray[np.int64]],
    capacity: int,
    request: PlanRequest,
    seed: int,
) -> dict[str, WidthForecaster]:
    """Forecasters of widths by measure, if forecasts are wanted. All use the same simulated labels."""
    if request.widths_of is None or not (request.forecast or request.target_width is not None):
        return {}
    from poolwise.plans.planned_widths import WidthForecaster

    supposed, groups = SupposedLabels(pool, listing, request.predictions), forecast_groups(request.difference, pool)
    return {
        str(measure): WidthForecaster(
            supposed,
            listing,
            cells,
            lambda labels: draw(listing, cells, give(labels)),
            capacity,
            groups,
            request.difference is not None,
            partial(request.widths_of, measure, request.level),
            seed,
        )
        for measure in request.measures
    }


def _worths(
    pool: Pool, judgments: Judgments | None, listing: Listing, cells: Cells, request: PlanRequest
) -> list[LabelValue]:
    """The value of labels for each measure."""
    highest_label = 0 if judgments is None else judgments.top
    return [
        LabelValue(pool, listing, cells, measure, request.difference, highest_label, request.predictions)
        for measure in request.measures
    ]


def _result(
    pool: Pool,
    listing: Listing,
    drawn: NDArray[np.bool_],
    request: PlanRequest,
    need: LabelsNeeded | None,
    warnings: tuple[str, ...],
    seed: int,
    spent: float,
    costs: DocumentCosts,
    earlier: PlanHeader | None,
) -> Plan:
    from poolwise import __version__

    number = int(listing.round.max(initial=0)) + 1
    of_topics = topics_drawn(listing, request.topics)
    round = np.where(drawn, number, listing.round)
    # Names in bytes that are no text come back as they were read.
    names = [
        [name.decode("utf-8", "surrogateescape") for name in pool.document_names(topic)]
        for topic in range(len(pool.topics))
    ]
    # New ones first, in the order to judge them, then earlier ones in random order within the topic; others by document
    group = np.where(round > 0, 1, 2)
    within = np.where(group < 2, listing.shown, listing.document.astype(np.uint64))
    others = np.lexsort((within, listing.topic, group))
    order = np.concatenate([order_to_judge(listing, drawn, names, seed), others[~drawn[others]]])
    below = 0 if request.design == "depth" else int((listing.rank > request.depth).sum())
    settings = {
        "design": request.design,
        "round": number,
        "budget": request.budget,
        # A pool that the budget judges in full is as deep as the budget reaches.
        "depth": int(listing.rank.max()) if request.design == "depth" else request.depth,
        "contributing": None if request.contributing is None else list(request.contributing),
        "runs": list(pool.runs if request.contributing is None else request.contributing),
        "measure": ", ".join(map(str, request.measures)),
        "difference": as_written(request.difference, pool),
        "predictions": request.predictions is not None,
        **({"listed_below": below} if below else {}),  # what is in the pool by earlier judgments alone
        **({} if of_topics is None else {"topics": of_topics}),
        **({} if earlier is None else {"earlier": (*earlier.earlier, earlier.number)}),
        **({} if request.costs is None else {"cost": spent}),
        **({"topic_shares": request.topic_shares} if request.by_worth else {}),
        "seed": seed,
        "version": __version__,
    }
    return Plan(
        [pool.topics[topic] for topic in listing.topic[order]],
        [
            names[topic][document]
            for topic, document in zip(listing.topic[order].tolist(), listing.document[order].tolist(), strict=True)
        ],
        listing.stratum[order].tolist(),
        round[order].tolist(),
        [None if label in (POOLED, OUTSIDE) else label for label in listing.label[order].tolist()],
        settings,
        need,
        warnings,
        rank_spans(listing, request.depth),
        cost=None if request.costs is None else costs.of[order].tolist(),
    )
