"""For all tests."""

from __future__ import annotations

import os

# ranx, whose objects we read, compiles itself for 20 seconds of two or three calls; it runs as well uncompiled.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
