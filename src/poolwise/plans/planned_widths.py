"""Forecast widths of intervals for a plan and for other budgets, by run and by difference.

Nobody knows the labels yet, so they are supposed (`supposed_labels`), a few times over. The documents that the plan
draws get them, and the widths are those that `estimate` gives from these. So all that makes a width is in a forecast:
both orders of the estimate, what the sample teaches its model, degrees of freedom, the ends. What may be wrong are the
labels (docs/theory/assisted.md, section *Forecasts*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from poolwise.basics.results import Result
from poolwise.pool.judgments import POOLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.plans.listing import Listing
    from poolwise.plans.relevance_prior import SupposedLabels
    from poolwise.sampling.cells import Cells

MODEL_ERROR = 0.1  # relative, of the width: by how much forecasts were off, on average over runs
RANGE = 0.9  # between `low` and `high`
STEPS = 4  # that come closer to the number, once it is known between which two it lies
AIM = 0.99  # of the width: guesses that are a little too many labels are answers, too few are not


@dataclass(frozen=True)
class LabelsNeeded:
    """Additional judgments needed for an interval of a wanted width.

    The width is `of` the difference asked for, or the mean over differences or runs, as `estimate` gives it. `low` and
    `high` are the ends of a 90 % range: labels are supposed, and forecasts from them are not exact. `width_with` is the
    width to expect with the budget of the plan, `width_now` with the pilot alone (infinite when a stratum has no label
    yet). `left` documents are left to judge. A number of as many says that nothing less will do.
    """

    width: float
    level: float
    of: str
    labels: int
    low: int
    high: int
    left: int
    budget: int
    width_now: float
    width_with: float

    def __str__(self) -> str:
        interval = f"a {100 * self.level:g} % interval of width {self.width:g} ({self.of})"
        if self.labels == 0:
            return f"{interval} needs no more judgments"
        if self.labels >= self.left:
            return f"{interval} is out of reach unless all {self.left} documents that are left of the pool are judged"
        likely = f"{100 * RANGE:g} % range {self.low} to {self.high}"
        return f"{interval} needs about {self.labels} more judgments ({likely}){self._beyond()}"

    def _beyond(self) -> str:
        """A note where the budget does not reach the width."""
        if self.budget >= self.labels:
            return ""
        return f": out of reach with {self.budget}"


def needed(foresight: WidthForecaster, width: float, level: float, budget: int | None) -> LabelsNeeded:
    """How many judgments a width needs, with a range."""
    curve = _WidthCurve(foresight)
    labels = curve.labels(width)
    spread = np.hypot(MODEL_ERROR, curve.spread(labels)) * NormalDist().inv_cdf(0.5 + RANGE / 2)
    low, high = (curve.between(width * np.exp(side * spread)) for side in (1.0, -1.0))
    planned = labels if budget is None else budget
    now, then = (curve.width(number) for number in (0, planned))
    return LabelsNeeded(
        width,
        level,
        _words(foresight),
        labels,
        min(low, labels),
        max(high, labels),
        foresight.capacity,
        planned,
        now,
        then,
    )


def _words(foresight: WidthForecaster) -> str:
    """The kind of width in words."""
    names = [name for name, wanted in zip(foresight.names, foresight.wanted.tolist(), strict=True) if wanted]
    if len(names) == 1:
        return names[0]
    return f"mean over {len(names)} {'differences' if foresight.of_differences else 'runs'}"


class _WidthCurve:
    """Width of the wanted interval as a function of the number of labels, with cached values."""

    def __init__(self, foresight: WidthForecaster) -> None:
        self._foresight, self._asked = foresight, foresight.wanted
        self._known: dict[int, float] = {}

    def width(self, labels: int) -> float:
        """Mean over what was asked for. Infinite where some stratum has no label, 0 when all is judged."""
        if labels >= self._foresight.capacity:
            return 0.0
        if labels not in self._known:
            widths = self._foresight.widths(labels)[self._asked]
            widths = widths[np.isfinite(widths)]
            self._known[labels] = float(widths.mean()) if len(widths) else np.inf
        return self._known[labels]

    def spread(self, labels: int) -> float:
        """Standard deviation of the logarithm of the width over simulated labels."""
        if not 0 < labels < self._foresight.capacity:
            return 0.0
        draws = self._foresight.draws(labels)[:, self._asked].mean(axis=1)
        draws = draws[np.isfinite(draws) & (draws > 0.0)]
        return float(np.log(draws).std(ddof=1)) if len(draws) > 1 else 0.0

    def labels(self, width: float) -> int:
        """Number of labels for this width, by doubling and then bracketing."""
        if self.width(0) <= width:
            return 0
        few, many = 0, max(self._foresight.least, 1)
        while self.width(many) > width:
            few, many = many, min(2 * many, self._foresight.capacity)
        for _ in range(STEPS):
            middle = self._towards_all(few, AIM * width) if many == self._foresight.capacity else 0
            middle = middle or self.between(AIM * width)
            if not few < middle < many:
                break
            few, many = (few, middle) if self.width(middle) <= width else (middle, many)
        return many

    def _towards_all(self, few: int, width: float) -> int:
        """A guess above `few` when only all n labels are known to be enough: widths vary as sqrt(n / few - 1).

        0 if nothing is known of the width of `few`.
        """
        known, every = self.width(few), self._foresight.capacity
        if not few or known == np.inf:
            return 0
        return int(np.ceil(every / (1.0 + (every / few - 1.0) * (width / known) ** 2)))

    def between(self, width: float) -> int:
        """Interpolated number of labels. Beyond known numbers, widths vary with the inverse square root."""
        known = sorted((labels, found) for labels, found in self._known.items() if labels and 0.0 < found < np.inf)
        if not known:
            return self._foresight.capacity
        number, found = np.log(np.array(known)).T
        found, wanted = np.minimum.accumulate(found), float(np.log(width))
        inside = float(np.interp(-wanted, -found, number))
        beyond = max(found[-1] - wanted, 0.0) - max(wanted - found[0], 0.0)
        return min(int(np.ceil(np.exp(inside + 2.0 * beyond))), self._foresight.capacity)


if TYPE_CHECKING:
    WidthsOf = Callable[[Measure, float, "SupposedSample", Sequence[Sequence[int]]], Floats]
TYPICAL = "two runs (typical)"
SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the budget
FEWEST_DRAWS, MOST_DRAWS = 3, 6  # of supposed labels: forecasts for few runs and topics are noisy, and fast
WORK = 300_000  # runs x documents x draws


@dataclass(frozen=True, eq=False, repr=False)
class PlannedWidths(Result):
    """Widths of intervals to expect after a plan, and after smaller and larger ones.

    `names` are runs, then differences. `labels` the numbers of labels to give now, `widths` names x labels (NaN where a
    stratum would have none). `planned` is the number that the plan has. Of several measures, `row_measures` says whose
    each row is. Where documents have costs, `labels` and `planned` are of these, and `unit` is "cost". `before` labels
    are there already.
    """

    measure: str
    level: float
    planned: int
    names: tuple[str, ...]
    labels: tuple[int, ...]
    widths: Floats
    warnings: tuple[str, ...] = ()
    row_measures: tuple[str, ...] = ()
    unit: str = "labels"
    before: int = 0

    def columns(self) -> dict[str, list[Any]]:
        """One row per run or difference and number of labels. Of several measures, one by one."""
        pairs = [(row, column) for row in range(len(self.names)) for column in range(len(self.labels))]
        measures = {"measure": [self.row_measures[row] for row, _ in pairs]} if self.row_measures else {}
        return measures | {
            "run": [self.names[row] for row, _ in pairs],
            self.unit: [self.labels[column] for _, column in pairs],
            "width": [float(self.widths[row, column]) for row, column in pairs],
        }

    def overview(self) -> dict[str, Any]:
        """One row per run or difference, one column per number of labels."""
        wide = {str(number): self.widths[:, index].tolist() for index, number in enumerate(self.labels)}
        measures = {"measure": list(self.row_measures)} if self.row_measures else {}
        return {**measures, self.unit: list(self.names), **wide}

    def headline(self) -> str:
        """The kind of numbers whose widths these are."""
        return f"widths of {100 * self.level:g} % intervals of {self.measure} to expect, by {self.steps()}"

    def steps(self) -> str:
        """The quantity that grows from column to column."""
        by = "number of labels" if self.unit == "labels" else "cost of labels"
        return f"{by}, besides the {self.before} there are" if self.before else by

    def empty_cells(self) -> str:
        """Why some cells are empty, if any are."""
        return "" if np.isfinite(self.widths).all() else "Empty where some stratum would have no label."

    def by_measure(self) -> list[PlannedWidths]:
        """Give the widths of each measure by themselves.

        Returns
        -------
        list of PlannedWidths
            One for each measure.
        """
        if not self.row_measures:
            return [self]
        parts = []
        for measure in dict.fromkeys(self.row_measures):
            rows = [row for row, named in enumerate(self.row_measures) if named == measure]
            names = tuple(self.names[row] for row in rows)
            part = replace(self, measure=measure, names=names, widths=self.widths[rows], row_measures=())
            parts.append(part)
        return parts

    def mean(self, difference: bool = False) -> float:
        """Give the mean width of runs after the plan, or of differences; of several measures, over all of them.

        Parameters
        ----------
        difference : bool
            Whether of differences.

        Returns
        -------
        float
            The width.
        """
        chosen = [index for index, name in enumerate(self.names) if (" - " in name or name == TYPICAL) == difference]
        return float(np.mean(self.widths[chosen, self.labels.index(self.planned)]))


class SupposedSample(NamedTuple):
    """Simulated labels of listed documents (POOLED: none), and all possible labels."""

    listing: Listing
    labels: NDArray[np.int32]
    kinds: list[int]


class WidthForecaster:
    """Forecasts of widths for groups of runs and any number of labels, from the same simulated labels.

    `wanted` says which groups the plan is for: differences, or runs.
    """

    def __init__(
        self,
        supposed: SupposedLabels,
        listing: Listing,
        cells: Cells,
        draw: Callable[[int], NDArray[np.bool_]],
        capacity: int,
        groups: Sequence[tuple[str, Sequence[int]]],
        of_differences: bool,
        widths_of: Callable[[SupposedSample, Sequence[Sequence[int]]], Floats],
        seed: int,
    ) -> None:
        self.names, self._numbers = [name for name, _ in groups], [list(numbers) for _, numbers in groups]
        self._supposed, self._listing, self._cells = supposed, listing, cells
        self._draw, self._widths_of, self._seed = draw, widths_of, seed
        self.capacity = capacity  # what draws all that is left
        self.of_differences = of_differences
        self.wanted = np.array([(len(numbers) > 1) == of_differences for numbers in self._numbers])
        self._labels: list[NDArray[np.int32]] = []
        runs = len({run for numbers in self._numbers for run in numbers})
        self._number = number_of_draws(runs, len(listing.topic))
        self._found: dict[int, Floats] = {}

    @property
    def least(self) -> int:
        """First guess of the number of labels: one for each empty stratum, and a tenth of the judged documents."""
        return max(int((self._cells.labelled == 0).sum()), int(self._cells.labelled.sum()) // 10, 1)

    def draws(self, labels: int) -> Floats:
        """Widths by simulation (draws x groups). NaN if a stratum has no label, or there is no interval."""
        if labels not in self._found:
            self._found[labels] = self._tried(labels)
        return self._found[labels]

    def widths(self, labels: int) -> Floats:
        """Mean widths of groups over the simulations that have one."""
        draws = self.draws(labels)
        there = np.isfinite(draws)
        number = there.sum(axis=0)
        total = np.where(there, draws, 0.0).sum(axis=0)
        return np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0)

    def _tried(self, labels: int) -> Floats:
        nothing = np.full((self._number, len(self._numbers)), np.nan)
        judged = (self._listing.label != POOLED) | self._draw(labels)
        if (np.bincount(self._cells.of[judged], minlength=len(self._cells.size)) == 0).any():
            return nothing
        if not self._labels:
            randoms = (np.random.default_rng([self._seed, draw]) for draw in range(self._number))
            self._labels = [self._supposed.draw(random) for random in randoms]
        supposed = self._labels if (judged & (self._listing.label == POOLED)).any() else self._labels[:1]
        labels_of = (np.where(judged, labels, POOLED).astype(np.int32) for labels in supposed)
        samples = (SupposedSample(self._listing, labels, self._supposed.kinds) for labels in labels_of)
        return np.stack([self._widths_of(sample, self._numbers) for sample in samples])


def number_of_draws(runs: int, documents: int) -> int:
    """Number of simulations of labels.

    >>> number_of_draws(12, 4000), number_of_draws(129, 100_000)
    (6, 3)
    """
    return min(max(WORK // max(runs * documents, 1), FEWEST_DRAWS), MOST_DRAWS)


def planned_widths(
    foresights: Mapping[str, WidthForecaster], planned: int, level: float, unit: str, before: int
) -> PlannedWidths:
    """Forecast the widths of all groups after the plan, and after smaller and larger ones, measure by measure."""
    found = (_of_one(foresight, measure, planned, level) for measure, foresight in foresights.items())
    parts = [replace(widths, unit=unit, before=before) for widths in found]
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        measure=", ".join(foresights),
        names=tuple(name for part in parts for name in part.names),
        widths=np.vstack([part.widths for part in parts]),
        row_measures=tuple(part.measure for part in parts for _ in part.names),
    )


def _of_one(foresight: WidthForecaster, measure: str, planned: int, level: float) -> PlannedWidths:
    shares = {min(max(round(share * planned), 1), foresight.capacity) for share in SHARES}
    labels = sorted(shares | {planned})
    widths = np.stack([foresight.widths(number) for number in labels], axis=1)
    names, widths = _gathered(foresight.names, widths)
    return PlannedWidths(measure, level, planned, tuple(names), tuple(labels), widths)


def _gathered(names: Sequence[str], widths: Floats) -> tuple[list[str], Floats]:
    """Typical pairs in one row, as their mean."""
    typical = np.array([name == TYPICAL for name in names])
    if not typical.any():
        return list(names), widths
    mean = widths[typical].mean(axis=0)
    return [name for name in names if name != TYPICAL] + [TYPICAL], np.vstack([widths[~typical], mean])
