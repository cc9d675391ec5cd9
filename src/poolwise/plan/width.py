"""How many judgments a wanted interval width needs, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.arrays import Floats
    from poolwise.plan.allocation import Paths
    from poolwise.plan.worth import LabelWorth


# Measured on TREC-8 and TREC-COVID: the forecast of nDCG's width is right to about 10 %, that of AP's is a quarter to a
# third too small (P's was not measured). AP counts pairs of relevant documents, which stand together in good runs more
# often than the relevance model knows.
CORRECTION = {"AP": 1.3}
MODEL_ERROR = 0.1  # relative, of the width
DRAWS = 200
BUDGETS = 80
RANGE = (5.0, 95.0)  # percentiles of the draws
GRID = np.array([-3.0, -1.5, 0.0, 1.5, 3.0])  # shifts of the logits of relevance at which worths are computed


@dataclass(frozen=True)
class Needed:
    """Judgments needed, besides those there are, for an interval of a wanted width.

    The pilot is small, so how many relevant documents topics and strata have is uncertain: `low` and `high` are the
    5th and 95th percentile over what the pilot leaves possible. `width_with` is the width to expect with the budget
    of the plan, `width_now` with the pilot alone (infinite when a stratum has no label yet). All of this is of first
    order, for the plain weighted estimate of a typical run; estimates that know more are narrower.
    """

    width: float
    level: float
    labels: int
    low: int
    high: int
    width_now: float
    width_with: float

    def __str__(self) -> str:
        return (
            f"a {100 * self.level:g} % interval of width {self.width:g} needs about {self.labels} more judgments "
            f"({self.low} to {self.high})"
        )


class Forecast:
    """Width of the interval of a mean (or of a difference) after so many more judgments."""

    def __init__(self, paths: Paths, level: float) -> None:
        self._paths, self._level = paths, level
        self._terms: dict[int, Floats] = {}

    def width(self, budget: int, squared_worths: Floats) -> float:
        """2 q sqrt(V), V = sum over cells of (N S)^2 (1/n - 1/N) / topics^2."""
        return float(self._widths(self._by_cell(budget) @ squared_worths))

    def _widths(self, sums: Floats) -> Floats:
        variance = sums / len(self._paths.topics) ** 2
        widths: Floats = 2 * NormalDist().inv_cdf(0.5 + self._level / 2) * np.sqrt(variance)
        return widths

    def labels(self, width: float, squared_worths: Floats) -> int:
        """The fewest judgments that give an interval of at most this width."""
        low, high = 0, self._paths.capacity
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.width(middle, squared_worths) <= width else (middle + 1, high)
        return low

    def about(self, width: float, possible: Floats) -> Floats:
        """The same for many sets of worths (draws x cells), interpolated between some budgets."""
        budgets = np.unique(np.geomspace(1, self._paths.capacity + 1, BUDGETS).astype(int)) - 1
        widths = self._widths(possible @ np.stack([self._by_cell(int(budget)) for budget in budgets], axis=1))
        # Widths fall with the budget, and interpolation wants rising values.
        return np.array([np.interp(-width, -row, budgets) for row in widths])

    def _by_cell(self, budget: int) -> Floats:
        """1/n - 1/N of each cell."""
        if budget not in self._terms:
            cells = self._paths.cells
            with np.errstate(divide="ignore"):
                self._terms[budget] = 1 / (cells.judged + self._paths.added(budget)) - 1 / cells.pooled
        return self._terms[budget]


def possible_worths(paths: Paths, worth: LabelWorth, seed: int) -> Floats:
    """Squared worths (draws x cells) under what the pilot leaves possible of how many documents are relevant.

    Each draw shifts the logits of a topic by what the posterior of the relevance model leaves open, and worths follow:
    they are computed at five shifts and taken from between, since a worth takes as long as a whole allocation. The
    widths themselves are wrong by a factor near MODEL_ERROR, drawn as well, once per draw.
    """
    random = np.random.default_rng(seed)
    on_grid = np.stack([worth.shifted(shift) for shift in GRID])
    draws = worth.model.draws(DRAWS, worth.centre(), random)[:, paths.cells.topic]
    error = CORRECTION.get(worth.measure.name, 1.0) * np.exp(MODEL_ERROR * random.standard_normal((DRAWS, 1)))
    return error**2 * _between(on_grid, draws)


def _between(on_grid: Floats, shift: Floats) -> Floats:
    """Interpolate each cell's worth (grid x cells) at its shift (draws x cells), on a logarithmic scale."""
    place = np.clip(shift, GRID[0], GRID[-1])
    left = np.clip(np.searchsorted(GRID, place, side="right") - 1, 0, len(GRID) - 2)
    share = (place - GRID[left]) / (GRID[left + 1] - GRID[left])
    values = np.log(np.maximum(on_grid, 1e-300))
    cell = np.arange(on_grid.shape[1])
    result: Floats = np.exp((1 - share) * values[left, cell] + share * values[left + 1, cell])
    return result


def needed(paths: Paths, possible: Floats, width: float, level: float, budget: int | None) -> Needed:
    """How many judgments a width needs, with a range."""
    forecast = Forecast(paths, level)
    expected = possible.mean(axis=0)
    labels = forecast.labels(width, expected)
    low, high = np.percentile(forecast.about(width, possible), RANGE)
    return Needed(
        width,
        level,
        labels,
        int(np.floor(low)),
        int(np.ceil(high)),
        forecast.width(0, expected),
        forecast.width(labels if budget is None else budget, expected),
    )
