"""A standard output that the caller has closed."""

from __future__ import annotations

import errno
import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ClosedOutput(io.TextIOWrapper):
    """Takes nothing: whoever prints to it is told, as one is who writes to a full disk."""

    def __init__(self) -> None:
        super().__init__(_Nowhere(), encoding="utf-8", write_through=True)


class _Nowhere(io.RawIOBase):
    name = "standard output"

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if len(data):
            raise OSError(errno.EBADF, "standard output is closed", "standard output")
        return 0
