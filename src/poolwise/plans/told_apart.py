"""Which differences a plan is to tell best: of some pairs of runs, of one run and every other, or of all pairs."""

from __future__ import annotations

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.pool.pool import Pool

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
    """Refuse what is no pair of two runs, or no run."""
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
