"""The table of a comparison that people are shown, the same in a terminal, in papers and from Python."""

from __future__ import annotations

from poolwise.comparisons.significance_tests import TESTS
from poolwise.show.column_words import Words
from poolwise.show.parts import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.comparisons.comparison import Comparison

__all__ = ["comparison_table"]


def comparison_table(comparison: Comparison, letters: bool = False, digits: int = 4) -> Table:
    """The runs from best to worst, with their groups, or with what they differ from the baselines by."""
    return _against(comparison, digits) if comparison.baselines else _ranking(comparison, letters, digits)


def _ranking(comparison: Comparison, letters: bool, digits: int) -> Table:
    names = {"better_than": "better than", "worse_than": "worse than"}
    columns = {names.get(name, name): values for name, values in comparison.overview(letters).items()}
    return Table(f"Runs by {comparison.measure}", columns, digits=digits, best=(comparison.measure,))


def _against(comparison: Comparison, digits: int) -> Table:
    """Every run with its difference from each baseline, the interval, the effect size and the corrected p."""
    mean = dict(zip(comparison.runs, comparison.means.tolist(), strict=True))
    rows: list[tuple[Any, ...]] = [(run, mean[run], "", None, "", None, None) for run in comparison.baselines]
    pairs = zip(
        comparison.run_a,
        comparison.run_b,
        comparison.difference,
        comparison.low,
        comparison.high,
        comparison.effect,
        comparison.p_corrected,
        strict=True,
    )
    for a, b, difference, low, high, effect, p in pairs:
        run, baseline, sign = (a, b, 1) if b in comparison.baselines else (b, a, -1)
        ends = " to ".join(f"{end:+.{digits}f}" for end in sorted((sign * low, sign * high)))
        rows.append((run, mean[run], baseline, float(sign * difference), ends, float(sign * effect), float(p)))
    rows.sort(key=lambda row: -row[1])
    interval = f"{100 - 100 * comparison.alpha:g} % interval"
    names = ("run", comparison.measure, "baseline", "difference", interval, "effect size", "corrected p")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    if TESTS[comparison.test].of_estimates:  # what sampling adds to the spread over topics makes effects look smaller
        del columns["effect size"]
    heads = {"corrected p": Words("corrected p", chance=True)}
    best = (comparison.measure,)
    return Table(f"Runs by {comparison.measure}", columns, digits=digits, best=best, heads=heads)
