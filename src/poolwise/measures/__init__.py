"""Measures as they are declared. Loading this folder declares the usual ones. `registry` finds all others.

May import: pool and below.
"""

from poolwise.measures import rank  # isort: skip
from poolwise.measures import partly_judged

__all__ = ["partly_judged", "rank"]
