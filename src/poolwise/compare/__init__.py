"""Significance of differences between runs, paired over topics: one test per file, all pairs at once.

`comparison` brings the tests together, the tests know only `pairs`. May import: the stations up to show.
"""

from poolwise.compare.comparison import Comparison, compare
from poolwise.compare.correction import benjamini_hochberg, holm

__all__ = ["Comparison", "benjamini_hochberg", "compare", "holm"]
