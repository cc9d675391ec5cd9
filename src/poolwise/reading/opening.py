"""Opening what is not plain TREC text on disk: other forms, compressed files, Parquet, standard input and pipes."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager, nullcontext

from poolwise import _core
from poolwise.basics.extras import load
from poolwise.errors import InputError, MissingDependency
from poolwise.reading.sources import file_or_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from poolwise.reading.foreign_text import ForeignText
    from poolwise.reading.forms import Form
    from poolwise.reading.sources import Source

DATASET = "irds:"  # may stand before an id of ir_datasets, as other tools have it


def plain_id(dataset_id: str) -> str:
    """An id without what may stand before it.

    >>> plain_id("irds:vaswani")
    'vaswani'
    """
    return dataset_id.removeprefix(DATASET)


def dataset_named(dataset_id: str, part: str) -> Any:
    """The dataset that a name of no file stands for: one that says so, or that the library knows; else None."""
    if dataset_id.startswith(DATASET):
        return dataset_of(dataset_id, part)
    if any(sign in dataset_id for sign in "*?[\\.") or dataset_id.startswith("/"):
        return None  # a file, or several
    try:
        load("ir_datasets", "datasets").load(dataset_id)
    except (KeyError, MissingDependency):
        return None
    return dataset_of(dataset_id, part)


def dataset_of(dataset_id: str, part: str) -> Any:
    """A dataset of ir_datasets by its id, which must have a part: docs, queries, qrels or scoreddocs."""
    library = load("ir_datasets", "datasets")
    try:
        dataset = library.load(plain_id(dataset_id))
    except KeyError:
        raise InputError(f"{dataset_id}: neither a file nor a dataset of ir_datasets; check the name") from None
    if not getattr(dataset, f"has_{part}")():
        raise InputError(f"{dataset_id}: this dataset has no {part}; choose one that has")
    return dataset


PIECE = 1 << 20  # bytes of text that are handed over at once
START = 16  # bytes that tell what kind of file it is
STREAM = "stream"  # a kind that is not known yet; what the core says of standard input and pipes
COMPRESSED_PIECE = 1 << 16  # bytes of compressed data that are read at once
COMPRESSIONS = ("gz", "xz", "bz2", "zst", "lz4")
ERRORS = (
    ("zlib", "error"), ("lzma", "LZMAError"), ("isal.isal_zlib", "error"),
    ("compression.zstd", "ZstdError"), ("backports.zstd", "ZstdError"),
)  # fmt: skip


@contextmanager
def opened(source: Source, kind: str) -> Iterator[tuple[Any, str]]:
    """Open a source of a kind that the core named, as a file of text; also says its kind, a stream's by its start.

    It is opened once only: a pipe would lose what was read before. Whatever goes wrong while the file is open is an
    error that names it.
    """
    with named_errors(source, kind), _raw(source) as raw:
        file = raw
        if kind == STREAM:
            start = raw.read(START)
            kind = _core.kind_of(start)
            if source.once:
                file = io.BufferedReader(_Rejoined(start, raw))
            else:
                raw.seek(0)
        with named_errors(source, kind):
            yield _judged(source) if kind == "sqlite" else _decompressed(file, kind), kind


@contextmanager
def opened_lines(source: Source, kind: str, labels: bool) -> Iterator[tuple[Any, str]]:
    """Open a source as `opened` does, and have text of any form as lines of TREC: judgments or a run."""
    with opened(source, kind) as (file, real_kind):
        yield (file if real_kind in ("parquet", "sqlite") else as_trec(file, source, labels)), real_kind


def as_trec(file: Any, source: Source, labels: bool) -> Any:
    """An open file of text as one of TREC lines."""
    from poolwise.reading.forms import TrecText

    text, form, file = formed(file, source, labels)
    return file if form is None else TrecText(_with_design(form.lines(file, text), text), text)


def _with_design(lines: Iterator[bytes], text: ForeignText) -> Iterator[bytes]:
    """Lines, and behind them the comments that columns of a plan stand for, so that lines keep their numbers."""
    yield from lines
    yield from text.design.lines()


def formed(file: Any, source: Source, labels: bool) -> tuple[ForeignText, Form | None, Any]:
    """An open file's text, the form it has if it is not TREC's, and the file from its start on."""
    from poolwise.reading.foreign_text import ForeignText
    from poolwise.reading.forms import BEGINNING, form_of

    start = file.read(BEGINNING)
    peeked, kind = _Peeked(start, file), _core.kind_of(start)
    if kind in COMPRESSIONS:  # within another: ranx does so
        return formed(_decompressed(peeked, kind), source, labels)
    text = ForeignText(source.where, source.path or "", labels, source.columns, start)
    return text, form_of(text), peeked


def said_of(file: Any) -> list[str]:
    """Notes on a run of another form that was read to its end."""
    text = getattr(file, "text", None)
    if text is None or not text.scores.are_ranks:
        return []
    from poolwise.reading.foreign_text import rank_words

    return [rank_words(text.where)]


def nan_place(file: Any) -> str:
    """Where the first score that is NaN stands, in a run of a form that has no lines; empty for all others."""
    text = getattr(file, "text", None)
    return "" if text is None else str(text.nan_at)


def is_other_form(source: Source, labels: bool) -> bool:
    """Whether a file that the core could not read as TREC text has another form."""
    from poolwise.reading.foreign_text import ForeignText
    from poolwise.reading.forms import BEGINNING, form_of

    with named_errors(source, ""), _raw(source) as raw:
        start = raw.read(BEGINNING)
    return form_of(ForeignText(source.where, source.path or "", labels, source.columns, start)) is not None


@contextmanager
def named_errors(source: Source, kind: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into an error that names it."""
    try:
        yield
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


def whole(file: Any) -> bytes:
    """All of the text of an open file."""
    return b"".join(piece for piece, _ in pieces(file))


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


class _Peeked:
    """A file whose first bytes were read already."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        if not self._start:
            return bytes(self._rest.read(size))
        start, self._start = self._start[:size], self._start[size:]
        return start + self._rest.read(size - len(start)) if len(start) < size else start


class _Streams:
    """Compressed streams one after the other, as parallel compressors and `cat` make them.

    Python's own readers take whatever follows a whole stream and is none for padding, so that damage in a later one
    ends the text early, without a word. Here only zeros may follow.
    """

    def __init__(self, file: Any, new: Callable[[], Any]) -> None:
        self._file, self._new = file, new
        self._stream: Any = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """So many bytes of text, fewer only at the end."""
        parts: list[bytes] = []
        while size > 0 and (self._stream is not None or self._next()):
            stream = self._stream
            data = self._rest
            if not data and stream.needs_input:
                data = self._file.read(COMPRESSED_PIECE)
                if not data:
                    raise EOFError("the last stream has no end")
            parts.append(stream.decompress(data, size))
            size -= len(parts[-1])
            self._rest = b""
            if stream.eof:
                self._stream, self._rest = None, stream.unused_data or b""
        return b"".join(parts)

    def _next(self) -> bool:
        """Turn to the next stream, if there is one."""
        self._rest = self._rest.lstrip(b"\0")
        while not self._rest:
            piece = self._file.read(COMPRESSED_PIECE)
            if not piece:
                return False
            self._rest = piece.lstrip(b"\0")
        self._stream = self._new()
        return True


class _Lz4:
    """A decompressor of lz4, whose library raises RuntimeError for damaged data."""

    def __init__(self) -> None:
        self._stream = load("lz4.frame", "lz4").LZ4FrameDecompressor()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def decompress(self, data: bytes, size: int) -> bytes:
        """So many bytes of text at most."""
        try:
            return bytes(self._stream.decompress(data, size))
        except RuntimeError as error:
            raise EOFError(str(error)) from None


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
    new = _decompressor(kind)
    return _Streams(file, new) if new else file


def _decompressor(kind: str) -> Callable[[], Any] | None:
    """A maker of decompressors of single streams."""
    if kind == "xz":
        from lzma import FORMAT_XZ, LZMADecompressor

        return lambda: LZMADecompressor(FORMAT_XZ)
    if kind == "bz2":
        from bz2 import BZ2Decompressor

        return BZ2Decompressor
    if kind == "zst":
        library = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        return load(library, "zst").ZstdDecompressor
    if kind == "lz4":
        load("lz4.frame", "lz4")
        return _Lz4
    return None


def _judged(source: Source) -> Any:
    """The text of the judgments that a file of `poolwise judge` holds."""
    from poolwise.reading.judging_file import judgments_of

    if source.path in (None, "-"):
        raise InputError("standard input: a file of `poolwise judge` cannot be piped; name its path")
    return io.BytesIO(judgments_of(str(source.path)))


def _errors() -> tuple[type[Exception], ...]:
    """Errors that reading may raise: of the system, and of the decompression libraries that are loaded."""
    loaded = (getattr(sys.modules[module], name) for module, name in ERRORS if module in sys.modules)
    return (EOFError, OSError, *loaded)


def _words(error: Exception, kind: str) -> str:
    if kind in COMPRESSIONS:
        return f"the {kind} data cannot be read to the end ({error}); fetch or compress the file again"
    return f"cannot be read ({getattr(error, 'strerror', None) or error}); check the file and its permissions"


def file_text(path: Any, errors: str = "surrogateescape", most: int | None = None) -> str:
    """The text of a file; bytes that are no UTF-8 pass through as they are in names of files.

    In text that people read, `errors="replace"` puts a mark in their place. A file of more than `most` bytes, as one
    that was packed may turn out to be, is none of the kind that was asked for.
    """
    with opened(source := file_or_table(path, "file"), STREAM) as (file, _):
        if most is None:
            return whole(file).decode("utf-8-sig", errors)
        data: bytes = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"{source.where}: holds more than {most:,} bytes, which no such file needs; check its name")
    return data.decode("utf-8-sig", errors)


def qrels_lines(path: Any) -> str:
    """The judgments of a file of any form as lines of TREC."""
    with opened_lines(file_or_table(path, "file"), STREAM, labels=True) as (file, _):
        return whole(file).decode("utf-8", "surrogateescape")


def numbered_lines(path: Any) -> list[tuple[int, str]]:
    """Lines with something in them, less the blanks around it, each with its number from 1."""
    lines = enumerate(file_text(path).splitlines(), 1)
    return [(number, line.strip()) for number, line in lines if line.strip()]
