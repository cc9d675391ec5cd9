"""Feeding files to the core: plain text goes there directly, compressed text and standard input in pieces."""

from __future__ import annotations

import sys

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError
from poolwise.extras import load
from poolwise.read.problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise.read.sources import Source

PIECE = 1 << 20
COMPRESSED = _core.FAULTS.index("compressed")
SCATTERED = _core.FAULTS.index("scattered")
MAGIC = {"gz": b"\x1f\x8b", "xz": b"\xfd7zXZ\0", "bz2": b"BZh", "zst": b"\x28\xb5\x2f\xfd", "parquet": b"PAR1"}


def read_labels(builder: _core.Builder, source: Source) -> None:
    """Read a qrels file of any kind into the pool."""
    path = source.path or ""
    if path != "-":
        report = builder.read_labels(path)
        if report[0] != COMPRESSED:
            raise_if(problem(report, path, labels=True))
            return
        if report[2] == b"parquet":
            from poolwise.read.tables import add_labels, read_parquet

            add_labels(builder, read_parquet(path), path)
            return
    for piece, last in _pieces(source):
        raise_if(problem(builder.feed_labels(piece, last), source.where, labels=True))


def read_runs(builder: _core.Builder, sources: list[Source], numbers: list[int], threads: int) -> None:
    """Read run files of any kind, each into the run of its number; the first faulty one is the error."""
    plain = [i for i, source in enumerate(sources) if source.path != "-"]
    reports = builder.read_runs([numbers[i] for i in plain], [sources[i].path or "" for i in plain], threads)
    errors: dict[int, PoolwiseError | None] = {}
    others = [i for i in range(len(sources)) if i not in set(plain)]
    for i, report in zip(plain, reports, strict=True):
        if report[0] == COMPRESSED:
            others.append(i)
        else:
            errors[i] = problem(report, sources[i].where, labels=False)
    errors.update(zip(others, _read_others(builder, sources, numbers, others, threads), strict=True))
    for i in sorted(errors):
        raise_if(errors[i])


def raise_if(error: PoolwiseError | None) -> None:
    """Raise an error if there is one."""
    if error is not None:
        raise error


def _read_others(
    builder: _core.Builder, sources: list[Source], numbers: list[int], others: list[int], threads: int
) -> list[PoolwiseError | None]:
    if len(others) < 2 or threads < 2:
        return [_read_other(builder, sources[i], numbers[i]) for i in others]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as executor:
        return list(executor.map(lambda i: _read_other(builder, sources[i], numbers[i]), others))


def _read_other(builder: _core.Builder, source: Source, number: int) -> PoolwiseError | None:
    try:
        if source.path != "-" and _kind(source.path or "") == "parquet":
            from poolwise.read.tables import add_run, read_parquet

            add_run(builder, number, read_parquet(source.path or ""), source.where)
            return None
        pieces = list(_pieces(source)) if source.path == "-" else None
        for gather in (False, True):
            builder.start_run(number, gather)
            for piece, last in pieces or _pieces(source):
                report = builder.feed_run(number, piece, last)
                if report[0]:
                    break
            if report[0] != SCATTERED:
                return problem(report, source.where, labels=False)
    except PoolwiseError as error:
        return error
    return None


def _pieces(source: Source) -> Iterator[tuple[bytes, bool]]:
    """The text of a source in pieces, each with whether it is the last."""
    errors: tuple[type[BaseException], ...] = (EOFError, OSError)
    try:
        with _open(source) as file:
            errors = (*errors, *_decompression_errors())
            piece, last = file.read(PIECE), False
            while not last:
                following = file.read(PIECE)
                last = not following
                yield piece, last
                piece = following
    except errors as error:
        raise InputError(
            f"{source.where}: the compressed data cannot be read to its end ({error}); fetch or compress the file again"
        ) from error


def _open(source: Source) -> Any:
    if source.path == "-":
        import io

        data = sys.stdin.buffer.read()
        kind = next((kind for kind in ("gz", "xz", "bz2", "zst") if data.startswith(MAGIC[kind])), "")
        return _decompressing(io.BytesIO(data), kind)
    path = source.path or ""
    return _decompressing(path, _kind(path))


def _decompressing(file: Any, kind: str) -> Any:
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
    if kind == "zst":
        return load("zstandard", "zst").open(file, "rb")
    return open(file, "rb") if isinstance(file, str) else file


def _decompression_errors() -> tuple[type[BaseException], ...]:
    """Error classes of the decompression libraries that are loaded."""
    found = []
    for module, name in (
        ("zlib", "error"),
        ("lzma", "LZMAError"),
        ("isal.isal_zlib", "error"),
        ("zstandard", "ZstdError"),
    ):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def _kind(path: str) -> str:
    with open(path, "rb") as file:
        start = file.read(6)
    return next((kind for kind, magic in MAGIC.items() if start.startswith(magic)), "")
