"""How wide the intervals of estimates are, and nothing else: for plans, which try samples that do not exist yet.

A judged document of a stratum judged at rate p has a share a = f + b in the error of the mean, f of first order and b
of second (docs/theory/assisted.md, section *The interval*). With w = (1 - p) / p, f^2 is proportional to (1 - p) / p^2,
and there are p N such documents, so that their sum of squares is proportional to w. The second-order share of a
document is a sum over p N others, each weighing w, times its own weight: b^2 is proportional to w^3, and its sum to
(1 - p) w^2. So if the rate becomes q, sums of squares are multiplied by r = w(q) / w(p) and by r^2 (1 - q) / (1 - p),
whatever the rates of other strata are. A stratum that will be judged whole no longer counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolwise.basics.one_thread import one_thread_products
from poolwise.basics.results import Result
from poolwise.basics.settings import thread_count
from poolwise.errors import InputError
from poolwise.estimates.combine import Combined, combine
from poolwise.estimates.differences import difference_ends, farthest_apart, score_ends, variance_of_pairs
from poolwise.estimates.layout import Array, Features, Layout, Whole
from poolwise.estimates.notes import undetermined
from poolwise.estimates.targets import target_of
from poolwise.estimates.unpooled import ScoreRange, UnpooledDocuments
from poolwise.measures.measure import Measure
from poolwise.pool.judgments import Judgments
from poolwise.pool.pool import Pool
from poolwise.sampling.cells import judged_cells
from poolwise.sampling.variance import Variance, variance_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poolwise.sampling.cells import Cells

STILL = ScoreRange.none(1)


def interval_widths(
    pool: Pool,
    measure: Measure,
    judgments: Judgments,
    pairs: list[tuple[int, int]],
    level: float,
    features: Features,
    threads: int | None = None,
) -> tuple[Array, Array]:
    """Widths of all runs and of some differences, as `estimate` gives them without documents outside the pool.

    NaN where there is no interval.
    """
    layout, runs = Layout.of(pool, judgments).spoken_for(features.spoken), list(range(len(pool.runs)))
    target = target_of(measure, layout)
    outside = UnpooledDocuments(judgments, runs, pairs, [target], "nonrelevant")
    with one_thread_products():
        (combined,) = combine(layout, features, [target], runs, False, thread_count(threads), outside)
    return _of_runs(combined, level), _of_pairs(combined, pairs, level)


def _of_runs(combined: Combined, level: float) -> Array:
    half = np.where(undetermined(combined), np.nan, combined.variance.half_width(level))
    low, high = score_ends(combined.values, half, STILL, combined.target.bounds, combined.target.is_share)
    return np.asarray(high - low)


def _of_pairs(combined: Combined, pairs: list[tuple[int, int]], level: float) -> Array:
    if not pairs:
        return np.zeros(0)
    indices: Any = np.array(pairs)
    half = variance_of_pairs(combined, indices, slice(None)).half_width(level)
    values = combined.values[indices[:, 0]] - combined.values[indices[:, 1]]
    low, high = difference_ends(values, half, STILL, farthest_apart(combined.target))
    return np.asarray(high - low)


MORE = (50, 100, 200)  # labels for which a width is forecast


@dataclass(frozen=True)
class PlannedStep:
    """A moment ahead, `labels` from now; by how much shares of either order change, and the number of documents."""

    labels: int
    end: bool
    first: Array  # n
    second: Array  # n
    number: Array  # n

    def variance(self, first: Array, curvature: Array) -> Variance:
        """The variance to expect of rows of shares (rows x n) of first and of second order."""
        square = (first * self.first + curvature * self.second) ** 2
        value = square.sum(axis=1)
        fourth = (square**2 / self.number).sum(axis=1)
        return variance_from(value, fourth)


@dataclass(frozen=True)
class PlannedSteps:
    """How many documents are judged now and at the planned end, and steps on the way from now; the end is the last.

    `unseen` counts topics that wait for their first label, or whose strata do if it is not known what was drawn from
    them (see `poolwise.sampling.cells`): until there are none, the sample does not speak for the pool.
    """

    judged: int
    planned: int
    unseen: int
    now: PlannedStep
    steps: tuple[PlannedStep, ...]
    most: int  # labels that the end which was given may mean
    asked: int  # labels at the end that was given, of which no more than `planned` can be had
    whole: bool  # whether all of the pool is judged at the end

    @classmethod
    def of(
        cls,
        layout: Layout,
        judgments: Judgments,
        end: int | float | Mapping[tuple[str, int], int],
        to_come: Sequence[tuple[str, int]] = (),
    ) -> PlannedSteps:
        """The way to an end: a number of labels, a share of the pool, or documents of each topic and stratum."""
        found = judged_cells(judgments)
        goal = _goal(found, end, layout.pool.topics)
        left = int((goal - found.labelled).sum())
        wanted = [more for more in MORE if more < left]
        cell = layout.cell[layout.weight > 0]
        way = _way(found, goal, left, to_come, layout.pool.topics)
        steps = [_step(found, way(more), cell, more, False) for more in wanted]
        steps.append(_step(found, goal, cell, left, True))
        unseen = len(np.unique(found.parent[(found.rates == 0.0) & (goal > 0)]))
        judged, planned = int(found.labelled.sum()), int(goal.sum())
        now = _step(found, found.labelled, cell, 0, False)
        asked = planned if isinstance(end, dict) else _labels(found, end)
        whole = planned == int(found.size.sum())
        return cls(judged, planned, unseen, now, tuple(steps), _most(found, end), asked, whole)


def _way(
    found: Cells, goal: Whole, left: int, to_come: Sequence[tuple[str, int]], topics: Sequence[str]
) -> Callable[[int], Array]:
    """How many documents of each cell are judged after some more labels: in a known order, or all at the same pace."""
    if not to_come:
        return lambda more: found.labelled + more / left * (goal - found.labelled)
    keys = zip((topics[topic] for topic in found.parent.tolist()), found.stratum.tolist(), strict=True)
    number = {key: index for index, key in enumerate(keys)}
    order = np.array([number[key] for key in to_come if key in number], dtype=np.int64)
    return lambda more: np.minimum(
        found.labelled + np.bincount(order[:more], minlength=len(goal)), np.maximum(goal, found.labelled)
    )


def _step(found: Cells, counts: Array, cell: Whole, labels: int, end: bool) -> PlannedStep:
    """Factors of shares of error when so many documents of each cell are judged."""
    now, then = found.rates[cell], replace(found, labelled=counts).rates[cell]
    ratio = (1.0 - then) / then * now / (1.0 - now)
    return PlannedStep(labels, end, np.sqrt(ratio), ratio * np.sqrt((1.0 - then) / (1.0 - now)), then / now)


def _goal(found: Cells, end: int | float | Mapping[tuple[str, int], int], topics: Any) -> Whole:
    """How many documents of each cell are judged at the end; never fewer than now, nor more than there are."""
    if isinstance(end, (int, float)):
        labels = _labels(found, end)
        return _rounded(_raised(found, labels), labels)
    keys = zip((topics[topic] for topic in found.parent.tolist()), found.stratum.tolist(), strict=True)
    planned = np.array([end.get(key, 0) for key in keys], dtype=np.int64)
    if not planned.any():
        raise InputError("the planned end has none of these topics and strata; give the plan that is being judged")
    return np.clip(planned, found.labelled, found.size)


def _labels(found: Cells, end: Any) -> int:
    """A number of labels, also where a share of the pool was given."""
    return round(end * int(found.size.sum())) if isinstance(end, float) else int(end)


def _most(found: Cells, end: int | float | Mapping[tuple[str, int], int]) -> int:
    """The most labels that an end may mean: of a share, each topic and stratum may have been rounded up."""
    if isinstance(end, int):
        return end
    return int(np.ceil(end * found.size).sum()) if isinstance(end, float) else sum(end.values())


def _rounded(share: Array, total: int) -> Whole:
    """Whole documents that add up to a total, as their shares do: those with the largest remainders are rounded up."""
    goal = np.floor(share + 1e-9).astype(np.int64)
    up = np.argsort(goal - share, kind="stable")[: max(0, total - int(goal.sum()))]
    goal[up] += share[up] - goal[up] > 1e-9  # what is whole, as a stratum that will be judged in full, stays
    return goal


def _raised(found: Cells, labels: int) -> Array:
    """Raise the rates of all strata by the same factor, up to what they hold, until there are so many labels.

    Strata that wait for their first label have the rates of their topic's draw; those of labelled topics from which
    nothing was drawn stay without. Topics without a label will have some.
    """
    rates = found.rates
    reached = np.bincount(found.parent, rates)[found.parent] > 0
    expected = np.where(reached, rates * found.size, np.maximum(1.0, labels / found.size.sum() * found.size))

    def judged(factor: float) -> Array:
        return np.clip(expected * factor, found.labelled, found.size)

    rising = expected > 0
    low, high = 1.0, max(1.0, float((found.size[rising] / expected[rising]).max(initial=1.0)))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if judged(middle).sum() < labels else (low, middle)
    return judged(high)


@dataclass(frozen=True, repr=False)
class WidthForecast(Result):
    """How wide intervals will be after `labels` more; at the planned end where `end` is true, now where labels is 0.

    `run_b` is empty where the score of a run is meant, not a difference.
    """

    run_a: tuple[str, ...]
    run_b: tuple[str, ...]
    measure: tuple[str, ...]
    labels: tuple[int, ...]
    end: tuple[bool, ...]
    width: Array

    def columns(self) -> dict[str, Any]:
        """One row per measure, run or pair, and moment."""
        return {name: list(value) for name, value in vars(self).items()}

    def headline(self) -> str:
        """How far the forecast goes."""
        return f"widths to expect until {max(self.labels, default=0)} labels from now"
