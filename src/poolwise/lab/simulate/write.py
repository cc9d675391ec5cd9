"""Text of simulated campaigns: document ids, TREC lines, and files that appear whole or not at all.

Lines are built as a byte matrix with one row per line and unused cells left zero; dropping the zeros gives the
text. That is some twenty times faster than formatting line by line. Imports nothing of poolwise but errors.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import TYPE_CHECKING

import numpy as np

from poolwise.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Shown = int | NDArray[np.int64]

__all__ = [
    "ENDINGS",
    "SCORE_UNIT",
    "identifier_cells",
    "identifiers",
    "packed",
    "qrels_text",
    "run_text",
    "text_cells",
]

SOURCES = 8  # the collection is cut into this many sources, each with its own width of numbers
SCORE_UNIT = 10_000  # scores are whole numbers of 1/10000: four decimals, printed and read back exactly
PADDING = np.array([2, 0, 1, 0, 3, 1, 2, 0])  # digits more than a source's highest number needs
ENDINGS = {None: "", "gz": ".gz", "bz2": ".bz2", "xz": ".xz"}


def identifiers(numbers: NDArray[np.int32], collection: int) -> list[str]:
    """Document ids of document numbers below `collection`; ids sort as their numbers do.

    >>> identifiers(np.array([0, 74_999, 75_000], dtype=np.int32), 600_000)
    ['SIM01-0000000', 'SIM01-0074999', 'SIM02-00000']
    """
    return joined([identifier_cells(numbers, collection), b"\n"]).decode().splitlines()


def identifier_cells(numbers: NDArray[np.int32], collection: int) -> Bytes:
    """Document ids as rows of bytes; each source has its own width of numbers, so lengths differ."""
    size = -(-collection // SOURCES)
    source, number = np.divmod(numbers.ravel().astype(np.uint32), np.uint32(size))
    widths = PADDING + len(str(size - 1))
    prefix = np.frombuffer(b"".join(b"SIM%02d-" % (place + 1) for place in range(SOURCES)), dtype=np.uint8)
    digits = digit_cells(number, int(widths.max()), widths[source])
    return np.hstack([prefix.reshape(SOURCES, 6)[source], digits])


def digit_cells(number: NDArray[np.uint32], columns: int, shown: Shown) -> Bytes:
    """Decimal digits as rows of bytes, the last `shown` of them; zero bytes to their left."""
    text = np.empty((number.size, columns), dtype=np.uint8)
    for place in range(columns):
        digit = number // np.uint32(10**place) % np.uint32(10) + np.uint32(48)
        text[:, columns - 1 - place] = digit if isinstance(shown, int) else digit * (place < shown)
    return text


def run_text(name: str, topics: Bytes, identifier: Bytes, ranks: Bytes, units: NDArray[np.int32]) -> bytes:
    """Lines `topic Q0 document rank score tag` of one run; every array has one row per line.

    >>> topics, ranks = text_cells(["101", "101"]), text_cells(["1", "2"])
    >>> ids = text_cells(["SIM01-0000007", "SIM02-00003"])
    >>> run_text("a", topics, ids, ranks, np.array([31250, -500], dtype=np.int32))
    b'101 Q0 SIM01-0000007 1 3.1250 a\\n101 Q0 SIM02-00003 2 -0.0500 a\\n'
    """
    return joined([topics, b" Q0 ", identifier, b" ", ranks, b" ", score_cells(units), f" {name}\n".encode()])


def qrels_text(topics: Bytes, identifier: Bytes, labels: NDArray[np.int8]) -> bytes:
    """Lines `topic 0 document label`.

    >>> qrels_text(text_cells(["101"]), text_cells(["SIM01-0000007"]), np.array([-2], dtype=np.int8))
    b'101 0 SIM01-0000007 -2\\n'
    """
    names = text_cells([str(label) for label in range(-128, 128)])
    return joined([topics, b" 0 ", identifier, b" ", names[labels.astype(np.int64) + 128], b"\n"])


def score_cells(units: NDArray[np.int32]) -> Bytes:
    """Scores with four decimals as rows of bytes, zero where nothing is printed."""
    whole, rest = np.divmod(np.abs(units).astype(np.uint32), np.uint32(SCORE_UNIT))
    columns = len(str(int(whole.max(initial=0))))
    lengths = 1 + sum((whole >= 10**place).astype(np.int64) for place in range(1, columns))
    sign = np.where(units < 0, np.uint8(ord("-")), np.uint8(0))[:, None]
    point = np.full_like(sign, ord("."))
    return np.hstack([sign, digit_cells(whole, columns, lengths), point, digit_cells(rest, 4, 4)])


def text_cells(texts: Sequence[str]) -> Bytes:
    """ASCII texts as rows of bytes, zero past their ends."""
    array = np.array([text.encode() for text in texts], dtype=np.bytes_)
    return array.view(np.uint8).reshape(array.size, array.dtype.itemsize)


def joined(parts: list[Bytes | bytes]) -> bytes:
    """Rows of the parts side by side, without the zero bytes; a `bytes` part stands in every row."""
    cells = [np.frombuffer(part, dtype=np.uint8) if isinstance(part, bytes) else part for part in parts]
    rows = max(cell.shape[0] for cell in cells if cell.ndim == 2)
    text = np.empty((rows, sum(cell.shape[-1] for cell in cells)), dtype=np.uint8)
    start = 0
    for cell in cells:
        text[:, start : start + cell.shape[-1]] = cell
        start += cell.shape[-1]
    return bytes(text[text != 0].tobytes())


def packed(text: bytes, compression: str | None) -> bytes:
    """Text in a compression; gzip without a time, so that the same seed gives the same bytes."""
    if compression == "gz":
        return gzip.compress(text, compresslevel=6, mtime=0)
    if compression == "bz2":
        return bz2.compress(text)
    return lzma.compress(text, preset=1) if compression == "xz" else text


def check_compression(compression: str | None) -> str:
    """The file ending that goes with a compression."""
    if compression not in ENDINGS:
        raise ArgumentError(f"compression {compression!r} is not known; use None, 'gz', 'bz2' or 'xz'")
    return ENDINGS[compression]
