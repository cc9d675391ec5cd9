"""How stable found weights are on topics or runs they were not fitted to: repeated random halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from poolwise.basics.results import Result
from poolwise.lab.weights.optimum import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from poolwise.basics.arrays import Floats, Places


__all__ = ["FACETS", "HeldOut", "both_facets", "held_out"]

FACETS = ("topics", "runs")
# Halves smaller than this cannot be divided into components.
SMALLEST_HALF = 2


class Divisible(Protocol):
    """A problem whose runs and topics can be divided, and that values weights."""

    @property
    def runs(self) -> int: ...
    @property
    def topics(self) -> int: ...
    def restrict(self, runs: Places | None = None, topics: Places | None = None) -> Divisible: ...
    def value(self, weights: Floats) -> float: ...


Problem = TypeVar("Problem", bound=Divisible)


@dataclass(frozen=True, repr=False)
class HeldOut(Result):
    """Mean Phi of one topic on the half that was not fitted, of the optimum and of common weights.

    `phi` is by variant, "optimal" first; `difference` is optimal less variant, on average over the fits;
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
        """What was held out, and how the optimum does there."""
        return f"held-out {self.facet}, {self.fits} fits: mean Phi of the optimum {self.phi['optimal']:.4f}"


def both_facets(
    problem: Problem,
    fit: Callable[[Problem], Floats],
    others: Mapping[str, Floats],
    splits: int,
    generator: np.random.Generator,
) -> tuple[HeldOut, ...]:
    """Hold out topics, then runs; a facet that is too small is left out."""
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
    """Fit on one half of the topics (or runs) and value on the other, then the other way round.

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


def _part(problem: Problem, facet: str, places: Places) -> Problem:
    part: Problem = problem.restrict(**{facet: places})  # type: ignore[assignment]
    return part


def _halves(size: int, splits: int, generator: np.random.Generator) -> Iterator[tuple[Places, Places]]:
    """Yield both directions of random halves; an odd one is left out, so that halves are alike."""
    half = size // 2
    for _ in range(splits):
        order = generator.permutation(size)
        first, second = np.sort(order[:half]), np.sort(order[half : 2 * half])
        yield first, second
        yield second, first


def _named(names: list[str], values: Floats) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
