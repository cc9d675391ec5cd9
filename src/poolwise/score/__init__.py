"""Measures and scores. Loading this folder declares all measures.

May import: read, pool, judge.
"""

from poolwise.score import rank  # isort: skip
from poolwise.score import counts, cumulative_gain, diversity, estimators, preference, sets

__all__ = ["counts", "cumulative_gain", "diversity", "estimators", "preference", "rank", "sets"]
