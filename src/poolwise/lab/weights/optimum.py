"""Results of optimisations: optimum, held-out halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from poolwise.basics.extras import frame
from poolwise.basics.results import Result
from poolwise.basics.settings import choice, share
from poolwise.lab.weights.stability import CONVERGED
from poolwise.trust.components import phi_for, topics_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from numpy.random import Generator

    from poolwise.basics.arrays import Floats, Places

TABLES = ("comparison", "curve", "discounts", "gains", "held_out", "starts")
CURVE_TOPICS = (1, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)  # points of the curve, [K09] figure 4


def reported(value: float) -> float:
    """Return Phi as reported: 0 if it is negative or only rounding."""
    return value if value > 1e-12 else 0.0


class Start(NamedTuple):
    """A start of the search: its Phi, the Phi it led to, and the violation of the conditions there."""

    name: str
    phi: float
    reached: float
    violation: float


@dataclass(frozen=True, repr=False)
class Optimum(Result):
    """Discounts and gains of nDCG with the highest Phi, and evidence that it is the maximum.

    `phi` is Phi of a single topic, the worst of `phis` when there are several objectives. `discounts`
    and `gains` can be given to nDCG as they are. `others` is Phi of common choices in the same place.
    `violation` is how far the optimum is from the Karush-Kuhn-Tucker conditions, and `perturbed` the
    most that random changes of it gained (not above 0 at a maximum, but for rounding).
    """

    kind: str
    cutoff: int
    discounts: tuple[float, ...]
    gains: dict[int, float]
    phi: float
    phis: tuple[float, ...]
    others: dict[str, float]
    other_discounts: dict[str, tuple[float, ...]]
    other_gains: dict[str, dict[int, float]]
    starts: tuple[Start, ...]
    violation: float
    perturbed: float
    held_out: tuple[HeldOut, ...]
    monotone: bool
    negative: str
    seed: int | Generator
    method: str
    warnings: tuple[str, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the conditions of a maximum hold to 1e-7."""
        return self.violation < CONVERGED

    def phi_for(self, topics: float) -> float:
        """Compute Phi of means over a number of topics.

        Parameters
        ----------
        topics : float
            The number.

        Returns
        -------
        float
            Phi.
        """
        return phi_for(self.phi, topics)

    def topics_for(self, phi: float = 0.95) -> float:
        """Say how many topics a wanted Phi needs.

        Parameters
        ----------
        phi : float
            The Phi.

        Returns
        -------
        float
            The number, not rounded.
        """
        return topics_for(self.phi, share("phi", phi, 0.95))

    def table(self, name: str = "comparison") -> dict[str, list[Any]]:
        """Give one of the tables by columns.

        Parameters
        ----------
        name : {"comparison", "curve", "discounts", "gains", "held_out", "starts"}
            Which.

        Returns
        -------
        dict
            Lists by name of column.
        """
        columns: dict[str, list[Any]] = getattr(self, f"_{choice('table', name, TABLES)}")()
        return columns

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas", table: str = "comparison") -> Any:
        """Give one of the tables as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.
        table : {"comparison", "curve", "discounts", "gains", "held_out", "starts"}
            Which.

        Returns
        -------
        data frame
            The table.
        """
        return frame(self.table(table), backend)

    def details(self) -> dict[str, Any]:
        """The fields, whether the search converged, and the topics needed."""
        return {**vars(self), "converged": self.converged, "topics_for_phi95": self.topics_for()}

    def columns(self) -> dict[str, list[Any]]:
        """One row per variant: its Phi and the topics it needs."""
        return self._comparison()

    def headline(self) -> str:
        """The optimum and its Phi in words."""
        return f"optimal {self.kind} for nDCG@{self.cutoff}: Phi of one topic {self.phi:.4f}"

    def _comparison(self) -> dict[str, list[Any]]:
        phi = {"optimal": self.phi, **self.others}
        return {
            "cutoff": [self.cutoff] * len(phi),
            "variant": list(phi),
            "phi_1": list(phi.values()),
            "phi_50": [phi_for(value, 50) for value in phi.values()],
            "topics_for_95": [topics_for(value, 0.95) for value in phi.values()],
        }

    def _curve(self) -> dict[str, list[Any]]:
        """Phi of each variant against the number of topics ([K09] figure 4)."""
        phi = {"optimal": self.phi, **self.others}
        columns = {name: [phi_for(value, n) for n in CURVE_TOPICS] for name, value in phi.items()}
        return {"topics": list(CURVE_TOPICS), **columns}

    def _discounts(self) -> dict[str, list[Any]]:
        return {
            "cutoff": [self.cutoff] * self.cutoff,
            "rank": list(range(1, self.cutoff + 1)),
            "optimal": sum_to_one(self.discounts),
            **{name: sum_to_one(values) for name, values in self.other_discounts.items()},
        }

    def _gains(self) -> dict[str, list[Any]]:
        columns = {"optimal": self.gains, **self.other_gains}
        grades = sorted({grade for gains in columns.values() for grade in gains})
        return {
            "cutoff": [self.cutoff] * len(grades),
            "grade": grades,
            **{name: sum_to_one([values.get(grade, 0.0) for grade in grades]) for name, values in columns.items()},
        }

    def _held_out(self) -> dict[str, list[Any]]:
        rows = [
            (part.facet, name, phi, part.difference[name], part.spread[name], part.ahead[name], part.fits)
            for part in self.held_out
            for name, phi in part.phi.items()
        ]
        names = ("facet", "variant", "phi", "difference", "spread", "ahead", "fits")
        return {name: [row[index] for row in rows] for index, name in enumerate(names)}

    def _starts(self) -> dict[str, list[Any]]:
        return {name: [getattr(start, name) for start in self.starts] for name in Start._fields}


def sum_to_one(values: Sequence[float]) -> list[float]:
    """Scale weights so that their sizes sum to 1, as [K09] compares them.

    >>> sum_to_one([1, 3])
    [0.25, 0.75]
    """
    total = sum(abs(value) for value in values)
    return [value / total for value in values]


FACETS = ("topics", "runs")
# Halves smaller than this cannot be divided into components.
SMALLEST_HALF = 2


class _Divisible(Protocol):
    """A problem that can be restricted to runs and topics, and that evaluates weights."""

    @property
    def runs(self) -> int: ...
    @property
    def topics(self) -> int: ...
    def restrict(self, runs: Places | None = None, topics: Places | None = None) -> _Divisible: ...
    def value(self, weights: Floats) -> float: ...


Problem = TypeVar("Problem", bound=_Divisible)


@dataclass(frozen=True, repr=False)
class HeldOut(Result):
    """Mean Phi of one topic on held-out halves, of the optimum and of usual weights.

    `phi` is by variant, "optimal" first. `difference` is optimal less variant, on average over the fits.
    `spread` is the standard deviation of that difference over fits, `ahead` the share of fits in which the optimum has
    the higher Phi. Halves share topics (or runs), so the mean is less sure than spread / sqrt(fits).
    """

    facet: str
    fits: int
    phi: dict[str, float]
    difference: dict[str, float]
    spread: dict[str, float]
    ahead: dict[str, float]

    def columns(self) -> dict[str, list[Any]]:
        """One row per variant: phi, difference, spread, ahead."""
        values = {name: list(getattr(self, name).values()) for name in ("phi", "difference", "spread", "ahead")}
        return {"variant": list(self.phi), **values}

    def headline(self) -> str:
        """The held-out facet, and the optimum's Phi there, in words."""
        return f"held-out {self.facet}, {self.fits} fits: mean Phi of the optimum {self.phi['optimal']:.4f}"


def both_facets(
    problem: Problem,
    fit: Callable[[Problem], Floats],
    others: Mapping[str, Floats],
    splits: int,
    generator: np.random.Generator,
) -> tuple[HeldOut, ...]:
    """Held-out results for topics and for runs, without facets that are too small."""
    parts = (held_out(problem, fit, others, facet, splits, generator) for facet in FACETS)
    return tuple(part for part in parts if part is not None)


def held_out(
    problem: Problem,
    fit: Callable[[Problem], Floats],
    others: Mapping[str, Floats],
    facet: str,
    splits: int,
    generator: np.random.Generator,
) -> HeldOut | None:
    """Fit on one half of the topics (or runs), evaluate on the other, then exchange the halves.

    Returns None when a half would be too small.
    """
    size = problem.topics if facet == "topics" else problem.runs
    if size // 2 < SMALLEST_HALF or splits < 1:
        return None
    table = []
    for fitted, tested in _halves(size, splits, generator):
        rest = problem.restrict(**{facet: tested})
        weights = {"optimal": fit(_part(problem, facet, fitted)), **others}
        table.append([reported(rest.value(values)) for values in weights.values()])
    phi = np.array(table)
    ahead = phi[:, :1] - phi
    names = ["optimal", *others]
    return HeldOut(
        facet=facet,
        fits=len(table),
        phi=_named(names, phi.mean(axis=0)),
        difference=_named(names, ahead.mean(axis=0)),
        spread=_named(names, ahead.std(axis=0, ddof=1)),
        ahead=_named(names, (ahead > 0).mean(axis=0)),
    )


def _part(problem: Problem, facet: str, indices: Places) -> Problem:
    part: Problem = problem.restrict(**{facet: indices})  # type: ignore[assignment]
    return part


def _halves(size: int, splits: int, generator: np.random.Generator) -> Iterator[tuple[Places, Places]]:
    """Yield random halves of equal size in both directions. One is left out of an odd number."""
    half = size // 2
    for _ in range(splits):
        order = generator.permutation(size)
        first, second = np.sort(order[:half]), np.sort(order[half : 2 * half])
        yield first, second
        yield second, first


def _named(names: list[str], values: Floats) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
