"""Significance of differences between runs, paired over topics: one test a file, all pairs at once.

May import what lies left of `analyse`; `comparison` brings the tests together, the tests know only `problem`.
"""

from poolwise.analyse.significance.comparison import Comparison, compare
from poolwise.analyse.significance.correction import benjamini_hochberg, holm

__all__ = ["Comparison", "benjamini_hochberg", "compare", "holm"]
