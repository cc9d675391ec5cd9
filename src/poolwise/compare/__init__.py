"""Significance of differences between runs, paired over topics: one test per file, all pairs at once.

`significance_tests` declares the tests, `compare_runs` brings them together, and each knows only `pairs`. May import:
the stations up to show. Names are loaded when first used: the command line lists the tests without numpy.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.compare.compare_runs import compare
    from poolwise.compare.comparison import Comparison
    from poolwise.compare.correction import benjamini_hochberg, holm
    from poolwise.compare.significance_tests import CORRECTIONS, TESTS

_HOMES = {
    "CORRECTIONS": "significance_tests",
    "TESTS": "significance_tests",
    "Comparison": "comparison",
    "benjamini_hochberg": "correction",
    "compare": "compare_runs",
    "holm": "correction",
}

__all__ = ["CORRECTIONS", "TESTS", "Comparison", "benjamini_hochberg", "compare", "holm"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'poolwise.compare' has no attribute {name!r}")
    value = getattr(import_module(f"poolwise.compare.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
