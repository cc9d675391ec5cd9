"""Measures and scores. Loading this folder declares all measures.

May import: read, pool, judge.
"""

from poolwise.score import rank  # isort: skip
from poolwise.score import estimators, preference

__all__ = ["estimators", "preference", "rank"]
