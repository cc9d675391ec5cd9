"""Opening what is not plain text on disk: compressed files, Parquet, standard input and pipes."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager, nullcontext

from poolwise import _core
from poolwise.errors import InputError
from poolwise.extras import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise.read.sources import Source

PIECE = 1 << 20  # bytes of text that are handed over at once
START = 16  # bytes that tell what kind of file it is
STREAM = "stream"  # a kind that is not known yet; what the core says of standard input and pipes
ERRORS = (("zlib", "error"), ("lzma", "LZMAError"), ("isal.isal_zlib", "error"), ("zstandard", "ZstdError"))


@contextmanager
def opened(source: Source, kind: str) -> Iterator[tuple[Any, str]]:
    """Open a source of a kind that the core named, as a file of text; also says its kind, a stream's by its start.

    It is opened once only: a pipe would lose what was read before. Whatever goes wrong while the file is open is an
    error that names it.
    """
    try:
        with _raw(source) as raw:
            file = raw
            if kind == STREAM:
                start = raw.read(START)
                kind = _core.kind_of(start)
                if source.once:
                    file = io.BufferedReader(_Rejoined(start, raw))
                else:
                    raw.seek(0)
            yield _judged(source) if kind == "sqlite" else _decompressed(file, kind), kind
    except _errors() as error:
        raise InputError(f"{source.where}: {_words(error, kind)}") from error


def pieces(file: Any) -> Iterator[tuple[bytes, bool]]:
    """The text of an open file in pieces, each with whether it is the last."""
    piece = file.read(PIECE)
    while piece:
        following = file.read(PIECE)
        yield piece, not following
        if not following:
            return
        piece = following
    yield b"", True


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self._start = start
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start[: len(buffer)] or self._rest.read(len(buffer))
        self._start = self._start[len(data) :]
        buffer[: len(data)] = data
        return len(data)


class _Zstandard:
    """Zstandard frames, one after the other; the library's own reader does not notice when the end is missing."""

    # A small piece may hold much text: 4 bytes can stand for 128 KB of it.
    compressed_piece = 1 << 12

    def __init__(self, file: Any) -> None:
        self._file = file
        self._decompressor = load("zstandard", "zst").ZstdDecompressor()
        self._frame: Any = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At least `size` bytes unless the text ends; often a few more."""
        parts: list[bytes] = []
        found = 0
        while found < size:
            data = self._rest or self._file.read(self.compressed_piece)
            if not data:
                if self._frame is not None:
                    raise EOFError("the last frame has no end")
                break
            frame = self._frame or self._decompressor.decompressobj()
            parts.append(frame.decompress(data))
            found += len(parts[-1])
            self._frame, self._rest = (None, frame.unused_data) if frame.eof else (frame, b"")
        return b"".join(parts)


def _raw(source: Source) -> Any:
    if source.path != "-":
        return open(source.path or "", "rb")
    if sys.stdin is None:
        raise InputError("standard input: it is closed; pipe a file into it")
    return nullcontext(sys.stdin.buffer)  # left open: it is not ours


def _decompressed(file: Any, kind: str) -> Any:
    if kind == "gz":
        try:
            from isal import igzip as gzip
        except ImportError:
            import gzip
        return gzip.open(file, "rb")
    if kind == "xz":
        import lzma

        return lzma.open(file, "rb")
    if kind == "bz2":
        import bz2

        return bz2.open(file, "rb")
    return _Zstandard(file) if kind == "zst" else file


def _judged(source: Source) -> Any:
    """The text of the judgments that a file of `poolwise judge` holds."""
    from poolwise.read.judging_file import judgments_of

    if source.path in (None, "-"):
        raise InputError("standard input: a file of `poolwise judge` cannot be piped; name its path")
    return io.BytesIO(judgments_of(str(source.path)))


def _errors() -> tuple[type[Exception], ...]:
    """What reading may raise: errors of the system, and of the decompression libraries that are loaded."""
    loaded = (getattr(sys.modules[module], name) for module, name in ERRORS if module in sys.modules)
    return (EOFError, OSError, *loaded)


def _words(error: Exception, kind: str) -> str:
    if kind in ("gz", "xz", "bz2", "zst"):
        return f"the {kind} data cannot be read to the end ({error}); fetch or compress the file again"
    return f"cannot be read ({getattr(error, 'strerror', None) or error}); check the file and its permissions"
