"""Files that need not fit in memory, read in ranges of topics, in the pool's order of topics.

Every file is read once, in three steps. First, some MB of it at a time are put in the order of topics, if they are not
in it, and go to one temporary file in pieces; in memory stay the first and the last topic of each piece. Then the sizes
of all pieces give ranges of topics that fit in memory. Last, a range is put together from the pieces that have some of
its topics. So topics may stand in any order, and files may be compressed or pipes.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from threading import Lock
from weakref import finalize

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError
from poolwise.reading.files import LONG_LINE, LONGEST_LINE, NotGrouped, key_numbered, problem, raise_if
from poolwise.reading.opening import STREAM, opened_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from poolwise.reading.sources import Source
    from poolwise.reading.topic_rows import TopicRows

# Sizes in bytes. A range of 8 MB takes some 100 MB where topics have 50 lines each: `make bench-scale` prints it.
RANGE = 8 << 20  # text of judgments and of the runs that are joined at once
ORDERED = 4 << 20  # text that is put in order at once; more of it makes fewer pieces for a range to look into
SMALLEST = 1 << 15  # a piece at least, so that reading pieces of many files takes few calls
TOGETHER = 64  # runs that are joined with judgments at once
READERS = 4  # files that are read at once at most, each with a few times ORDERED in memory
MARK = b"\xef\xbb\xbf"  # of UTF-8, at the start of a file: no part of the first topic


class Spool:
    """A temporary file without a name: its owner alone can read it, and it is gone with the process."""

    def __init__(self) -> None:
        from tempfile import TemporaryFile, gettempdir

        # Many systems keep /tmp in memory, which is what the data do not fit into; /var/tmp is on a disk.
        usual = "/var/tmp" if os.access("/var/tmp", os.W_OK) else gettempdir()
        self._folder = os.environ.get("TMPDIR") or usual
        try:
            self._file = TemporaryFile(prefix="poolwise-", dir=self._folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise self._error(error) from error
        self.close = finalize(self, self._file.close)
        self._end, self._lock = 0, Lock()

    def write(self, *parts: Any) -> int:
        """Append bytes; returns where they begin."""
        data = memoryview(b"".join(parts))
        with self._lock:
            begin, self._end = self._end, self._end + len(data)
        at = begin
        try:
            while data:
                written = os.pwrite(self._file.fileno(), data, at)
                data, at = data[written:], at + written
        except OSError as error:
            raise self._error(error) from error
        return begin

    def read(self, begin: int, size: int) -> bytes:
        """So many bytes from a place on."""
        return os.pread(self._file.fileno(), size, begin)

    def _error(self, error: OSError) -> PoolwiseError:
        return PoolwiseError(
            f"{self._folder}: a temporary file of topics cannot be written ({error.strerror}); it may grow as large as "
            "all files together, unpacked: name a folder with room by the variable TMPDIR"
        )


class Piece:
    """A stretch of one file, its topics in order from `first` to `last`, in the temporary file.

    Pairs of numbers follow the text: from a line of it on, the lines of the file from another line on.
    """

    __slots__ = ("begin", "first", "last", "pairs", "size")

    def __init__(self, first: bytes, last: bytes, begin: int, size: int, pairs: int = 0) -> None:
        self.first, self.last, self.begin, self.size, self.pairs = first, last, begin, size, pairs


class TopicLines:
    """The lines that a file has for a range of topics."""

    def __init__(self, spool: Spool, stretches: list[tuple[Piece, memoryview, int]]) -> None:
        self.text = b"".join(text for _, text, _ in stretches)
        self._spool = spool
        self._stretches = [(piece, len(text), skipped) for piece, text, skipped in stretches]

    def line(self, number: int) -> int:
        """The number in the file of a line of the text; both count from 1."""
        begin, index = 0, number - 1
        for piece, size, skipped in self._stretches:
            lines = self.text.count(b"\n", begin, begin + size)
            if index < lines:
                pairs = array("q", self._spool.read(piece.begin + piece.size, 16 * piece.pairs))
                index += skipped
                pair = 2 * (bisect_right(pairs[::2], index) - 1)
                return pairs[pair + 1] + index - pairs[pair] + 1
            begin, index = begin + size, index - lines
        return number


if TYPE_CHECKING:
    Part: TypeAlias = TopicLines | TopicRows | None  # nothing: the file has none of these topics
    Range: TypeAlias = tuple[Any, Any, list[list[Piece]]]  # from one topic's key on, up to another's; pieces by file


class TopicRanges:
    """Judgments (first) and runs, written to a temporary file so that ranges of topics can be read."""

    def __init__(self, sources: Sequence[Source], skip: bool, threads: int | None) -> None:
        from poolwise.basics.settings import thread_count
        from poolwise.basics.workers import run_units

        self.sources = sources
        self.skip = skip
        self._spool = Spool()
        self._pieces: list[list[Piece]] = []
        self._are_tables: list[bool] = []
        self.errors: dict[int, PoolwiseError] = {}  # of runs that are left out, by their indices among runs
        together = min(len(sources), 1 + TOGETHER)
        # A range needs about half of its first and last piece of a file: small ones, so that little is read in vain.
        self._piece = max(SMALLEST, RANGE // (16 * together))
        unordered = 0
        readers = min(thread_count(threads), READERS)
        for index, outcome in run_units(_write, self, range(len(sources)), threads=readers, name=lambda _: ""):
            if isinstance(outcome, PoolwiseError):
                self.errors[index - 1] = outcome
                outcome = [], False, 0
            self._pieces.append(outcome[0])
            self._are_tables.append(outcome[1])
            unordered += outcome[2]
        sizes = [sum(piece.size for piece in pieces) for pieces in self._pieces]
        joined = sizes[0] + max(sum(sizes[1 + run] for run in group) for group in self.groups())
        # A range reads a piece at least of every stretch that was put in order, so it should not be smaller than these.
        self._range = max(RANGE * sum(sizes) // max(joined, 1), SMALLEST * unordered)

    def groups(self) -> list[range]:
        """Indices of the runs that are joined at once, so that memory does not grow with their number."""
        runs = len(self.sources) - 1
        return [range(begin, min(begin + TOGETHER, runs)) for begin in range(0, max(runs, 1), TOGETHER)]

    def ranges(self, files: int | None = None) -> list[Range]:
        """Ranges of topics in the pool's order, of all files or the first ones."""
        listed = self._pieces[:files]
        by_topic = sorted((key_numbered(piece.first), piece.size) for pieces in listed for piece in pieces)
        if not by_topic:
            return []
        begins, size = [by_topic[0][0]], 0
        for key, more in by_topic:
            if size >= self._range and key > begins[-1]:
                begins.append(key)
                size = 0
            size += more
        ranges: list[Range] = [(low, high, [[] for _ in listed]) for low, high in pairwise([*begins, None])]
        for file, pieces in enumerate(listed):
            for piece in pieces:
                first, last = (bisect_right(begins, key_numbered(name)) for name in (piece.first, piece.last))
                for number in range(first - 1, last):
                    ranges[number][2][file].append(piece)
        return ranges

    def part(self, topics: Range, file: int) -> Part:
        """The lines or rows that a file has for a range of topics."""
        low, high, pieces = topics
        if not pieces[file]:
            return None
        if self._are_tables[file]:
            from poolwise.reading.topic_rows import rows_of_pieces

            data = (self._spool.read(piece.begin, piece.size) for piece in pieces[file])
            return rows_of_pieces(data, low, high, "score" if file else "label", self.sources[file].where)
        stretches = [self._stretch(piece, low, high) for piece in pieces[file]]
        return TopicLines(self._spool, stretches)

    def _stretch(self, piece: Piece, low: Any, high: Any) -> tuple[Piece, memoryview, int]:
        """The part of a piece that belongs to a range, and how many lines of the piece stand before it."""
        data = self._spool.read(piece.begin, piece.size)
        if low <= key_numbered(piece.first) and (high is None or key_numbered(piece.last) < high):
            return piece, memoryview(data), 0
        names, begins, lines, _ = _core.find_blocks(data)
        first, after = within(names, low, high)
        return piece, memoryview(data)[begins[first] : begins[after]], lines[first]

    def write(self, index: int) -> tuple[list[Piece], bool, int]:
        """Write a file's pieces; also says whether it is a table, and how many stretches had to be put in order."""
        source = self.sources[index]
        with opened_lines(source, STREAM, labels=not index) as (file, kind):
            if kind == "parquet":
                from poolwise.reading.topic_rows import table_pieces

                value = "score" if index else "label"
                pieces, unordered = table_pieces(file, source, value, self._spool, ORDERED, self._piece)
                return pieces, True, unordered
            text = _TextWriter(self._spool, source.where, not index, self._piece)
            while data := file.read(ORDERED):
                text.add(data)
            text.finish()
            return text.pieces, False, text.unordered

    def __enter__(self) -> TopicRanges:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()


def _write(files: TopicRanges, index: int) -> tuple[list[Piece], bool, int] | PoolwiseError:
    """Write a file's pieces; or what is wrong with a run that is to be left out."""
    try:
        return files.write(index)
    except NotGrouped:
        raise
    except InputError as error:
        if not index or not files.skip:
            raise
        return error


def within(names: list[bytes], low: Any, high: Any) -> tuple[int, int]:
    """Where topics of a range begin and end among topics in order."""
    after = len(names) if high is None else bisect_left(names, high, key=key_numbered)
    return bisect_left(names, low, key=key_numbered), after


class _TextWriter:
    """Lines of a file on their way into pieces."""

    def __init__(self, spool: Spool, where: str, labels: bool, piece: int) -> None:
        self.pieces: list[Piece] = []
        self.unordered = 0
        self._spool, self._where, self._labels, self._piece = spool, where, labels, piece
        self._rest = b""  # a line that is not read to its end
        self._lines = 0  # before it
        self._topic: bytes | None = None  # the last one

    def add(self, data: bytes) -> None:
        """Take in the next bytes of the file."""
        if not self._rest and self._topic is None:
            data = data.removeprefix(MARK)
        text = self._rest + data
        begins: Sequence[int]
        lines: Sequence[int]
        names, begins, lines, ascending = _core.find_blocks(text)
        whole = begins[len(names)]
        if len(text) - whole > LONGEST_LINE:  # it is no use to wait for its end
            report = (LONG_LINE, self._lines + lines[len(names)] + 1, b"")
            raise_if(problem(report, self._where, labels=self._labels))
        if not names:  # comments and blank lines go with the topic before them, at the start with the first one
            if self._topic is None:
                self._rest = text
                return
            names, begins, lines = (
                [self._topic],
                memoryview(array("q", [0, whole])),
                memoryview(array("q", [0, lines[0]])),
            )
        self._topic = names[-1]
        if ascending:
            self._cut(names, memoryview(text)[:whole], begins, lines, range(len(names)))
        else:
            self.unordered += 1
            order = sorted(range(len(names)), key=lambda block: key_numbered(names[block]))
            view = memoryview(text)
            blocks = [view[begins[block] : begins[block + 1]] for block in order]
            ends = array("q", accumulate(map(len, blocks), initial=0))
            self._cut([names[block] for block in order], memoryview(b"".join(blocks)), ends, lines, order)
        self._rest = text[whole:]
        self._lines += lines[len(lines) - 1]

    def finish(self) -> None:
        """Take in what is left: the last line of a file needs no end."""
        if self._rest:
            self.add(b"\n")

    def _cut(self, names: list[bytes], text: memoryview, begins: Any, lines: Any, order: Sequence[int]) -> None:
        """Write pieces of text whose topics are in order; `order` says which block of the file each one is."""
        first = 0
        size = self._piece if isinstance(order, range) else SMALLEST
        while first < len(names):
            after = min(max(first + 1, bisect_left(begins, begins[first] + size)), len(names))
            pairs = array("q")
            behind = 0  # lines of the piece before the block
            for block in order[first : first + 1] if isinstance(order, range) else order[first:after]:
                pairs.extend((behind, self._lines + lines[block]))
                behind += lines[block + 1] - lines[block]
            stretch = text[begins[first] : begins[after]]
            begin = self._spool.write(stretch, pairs)
            self.pieces.append(Piece(names[first], names[after - 1], begin, len(stretch), len(pairs) // 2))
            first = after
