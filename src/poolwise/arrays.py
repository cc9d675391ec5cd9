"""Names for the arrays that types speak of; loaded by type checkers only."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

__all__ = ["Floats", "Indices", "Places"]

Floats = NDArray[numpy.float64]
Indices = NDArray[numpy.int32]  # places of runs, as the core takes them
Places = NDArray[numpy.intp]  # places in an array
