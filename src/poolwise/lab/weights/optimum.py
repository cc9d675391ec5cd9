"""What an optimisation returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from poolwise.basics.extras import frame
from poolwise.basics.results import Result
from poolwise.basics.settings import choice, share
from poolwise.lab.weights.simplex import CONVERGED
from poolwise.trust.dependability import phi_for, topics_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy.random import Generator

    from poolwise.lab.weights.held_out import HeldOut

__all__ = ["Optimum", "Start", "reported"]

TABLES = ("comparison", "curve", "discounts", "gains", "held_out", "starts")
CURVE_TOPICS = (1, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)


def reported(value: float) -> float:
    """Return Phi as it is reported: a negative or merely rounded one is 0."""
    return value if value > 1e-12 else 0.0


class Start(NamedTuple):
    """A start of the search: its Phi, the Phi it led to, and the violation of the conditions there."""

    name: str
    phi: float
    reached: float
    violation: float


@dataclass(frozen=True, repr=False)
class Optimum(Result):
    """Discounts and gains of nDCG with the highest Phi, and how sure that is.

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
        """What was found, and what it is worth."""
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
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    def _starts(self) -> dict[str, list[Any]]:
        return {name: [getattr(start, name) for start in self.starts] for name in Start._fields}


def sum_to_one(values: Sequence[float]) -> list[float]:
    """Scale weights so that their sizes sum to 1, as [K09] compares them.

    >>> sum_to_one([1, 3])
    [0.25, 0.75]
    """
    total = sum(abs(value) for value in values)
    return [value / total for value in values]
