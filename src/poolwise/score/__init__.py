"""Measures and scores. Loading this folder declares the measures that most ask for; `registry` finds all others.

May import: read, pool, judge.
"""

from poolwise.score import rank  # isort: skip
from poolwise.score import preference

__all__ = ["preference", "rank"]
