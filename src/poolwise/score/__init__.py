"""Measures and scores. Loading this folder declares all measures.

May import: read, pool, judge.
"""

from poolwise.score import rank  # isort: skip
from poolwise.score import counts, estimators, preference

__all__ = ["counts", "estimators", "preference", "rank"]
