"""Array types for annotations. Loaded by type checkers only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Indices", "Places", "Whole"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Indices = NDArray[np.int32]  # indices of runs, as the core takes them
Places = NDArray[np.intp]  # indices into an array
