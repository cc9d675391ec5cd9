"""Measures and scores. Loading this folder declares the measures that most ask for; `registry` finds all others.

May import: read, pool, judge.
"""

from poolwise.measures import rank  # isort: skip
from poolwise.measures import partly_judged as preference

__all__ = ["preference", "rank"]
