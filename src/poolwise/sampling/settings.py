"""Settings of designs: what each is called, and what it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from poolwise.basics.settings import choice, whole
from poolwise.errors import ArgumentError
from poolwise.pool.pool import Pool
from poolwise.sampling.exact import ROUNDINGS, exact, exact_weights

Settings = dict[str, Any]

MOST_BANDS = 10_000  # of a topic; more have no document each


def check(pool: Pool, design: str, allowed: Iterable[str], given: Mapping[str, Any]) -> Settings:
    """Read the settings that were given (None: not given) to what designs compute with."""
    names = list(allowed)
    for name, value in given.items():
        if value is not None and name not in names:
            raise ArgumentError(f"design {design!r} has no setting {name!r}; it takes {', '.join(names) or 'none'}")
    return {name: CHECKS[name](pool, value) for name, value in given.items() if value is not None}


def require(settings: Settings, design: str, name: str) -> Any:
    """A setting that a design cannot do without."""
    if name not in settings:
        raise ArgumentError(f"design {design!r} needs {name}; give for example {name}={EXAMPLES[name]}")
    return settings[name]


def plain(value: Any) -> Any:
    """A setting as it is recorded: numbers, text, lists and dicts only.

    >>> plain((Fraction(1, 10), 2))
    [0.1, 2]
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _share(pool: Pool, value: Any) -> Fraction:
    share = exact(value)
    if share == 0:
        raise ArgumentError(f"fraction={value!r} leaves nothing to judge; give a fraction above 0 and at most 1")
    return share


def _whole(name: str, most: int | None = None) -> Callable[[Pool, Any], int]:
    def read(pool: Pool, value: Any) -> int:
        return whole(name, value, 1, most)

    return read


def _label(pool: Pool, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ArgumentError(f"rel={value!r} must be a label, a whole number")
    return int(value)


def _rates(pool: Pool, value: Any) -> tuple[Fraction, ...]:
    return tuple(exact(rate, "rates") for rate in _several("rates", value))


def _edges(pool: Pool, value: Any) -> tuple[int, ...]:
    edges = tuple(_whole("edges")(pool, edge) for edge in _several("edges", value))
    if any(a >= b for a, b in pairwise(edges)):
        raise ArgumentError(f"edges={list(edges)} must ascend; they are the last rank of each stratum but the last")
    return edges


def _rounding(pool: Pool, value: Any) -> str:
    return choice("rounding", value, ROUNDINGS)


def _contributing(pool: Pool, value: Any) -> tuple[str, ...]:
    names = _runs(pool, value, "contributing")
    for name in names:
        pool.run_number(name)
    if not names:
        raise ArgumentError("contributing names no run; leave it out to let all runs contribute")
    return names


def _runs(pool: Pool, value: Any, what: str = "runs") -> tuple[str, ...]:
    # Whether there are such runs (or groups) is for the design to say.
    names = (value,) if isinstance(value, str) else _several(what, value)
    return tuple(dict.fromkeys(map(str, names)))


def _groups(pool: Pool, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ArgumentError(f"groups={value!r} must be a dict from run to group")
    return {str(run): str(group) for run, group in value.items()}


def _several(name: str, value: Any) -> Iterable[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f"{name}={value!r} must be a list")
    return value


CHECKS: dict[str, Callable[[Pool, Any], Any]] = {
    "fraction": _share,
    "depth": _whole("depth"),
    "budget": _whole("budget"),
    "bands": _whole("bands", MOST_BANDS),
    "edges": _edges,
    "rates": _rates,
    "weights": lambda pool, value: exact_weights(_several("weights", value), "weights"),
    "rounding": _rounding,
    "rel": _label,
    "contributing": _contributing,
    "runs": _runs,
    "groups": _groups,
}
EXAMPLES = {"fraction": "0.1", "depth": "10", "runs": "('run_a', 'run_b')"}
