"""Zstandard, of the standard library where it has it."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import compress
else:
    from backports.zstd import compress

__all__ = ["compress"]
