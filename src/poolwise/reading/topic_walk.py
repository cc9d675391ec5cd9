"""Files read some topics at a time: judgments and runs whose topics ascend are walked through side by side.

Topics ascend either as the pool orders them (whole numbers by value, then other names) or byte by byte, in all files
alike. What is held at once is a piece of each file, however long the files are.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError
from poolwise.reading.files import LONGEST_LINE, NotGrouped, key_bytewise, key_numbered, problem, raise_if
from poolwise.reading.opening import STREAM, named_errors, opened_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from poolwise.reading.sources import Source
    from poolwise.reading.topic_parts import TopicRows

PIECES = 8 << 20  # bytes of text that all files together hand over at once
SMALLEST = 1 << 15  # of one file
ROW = 64  # bytes that a row of a table stands for
TOGETHER = 64  # runs that are walked through at once
LONG_LINE = _core.FAULTS.index("long_line")
FEW_MORE, MORE = 16, 256  # files that are open besides those that are walked through: at least, and to be safe


class TextBlock:
    """Lines of whole topics of one file, as a stretch of text, and how many lines stand before them."""

    __slots__ = ("before", "begin", "end", "text")

    def __init__(self, text: bytes, begin: int, end: int, before: int) -> None:
        self.text, self.begin, self.end = text, begin, end
        self.before = before


class TextFeed:
    """A text file, compressed or not; `topics` are those at hand as a whole."""

    def __init__(self, source: Source, file: Any, kind: str, piece: int, labels: bool) -> None:
        self.source, self.where, self.kind, self._labels = source, source.where, kind, labels
        self.topics: list[bytes] = []
        self.ended = False
        self.numbered = self.bytewise = True
        self._file, self._piece = file, piece
        self._text, self._unfinished = b"", b""  # whole topics, and what follows
        self._begins = self._lines = memoryview(b"")
        self._before = 0
        self._last: bytes | None = None
        self._at_start = True

    def more(self) -> None:
        """Read on until there is a whole topic, or the file ends."""
        piece = self._piece
        while not self.topics and not self.ended:
            with named_errors(self.source, self.kind):  # others are open too
                data = self._file.read(piece)
            self.ended = not data
            self._find(self._unfinished + self._without_mark(data))
            piece *= 2  # so that a topic of any length takes few attempts

    def take(self, count: int) -> TextBlock | None:
        """Hand over the first topics, if any."""
        if not count:
            return None
        lines = self._lines[count]
        part = TextBlock(self._text, self._begins[0], self._begins[count], self._before + self._lines[0])
        self.topics = self.topics[count:]
        self._begins, self._lines = self._begins[count:], self._lines[count:]
        if not self.topics:
            self._before += lines
            self._text = b""
        return part

    def _find(self, text: bytes) -> None:
        names, begins, lines, numbered, bytewise = _core.find_blocks(text, self.ended)
        if len(text) - begins[len(names)] > LONGEST_LINE:  # it is no use to wait for its end
            report = (LONG_LINE, self._before + lines[len(names)] + 1, b"")
            raise_if(problem(report, self.where, labels=self._labels))
        if self._last is not None and names:
            numbered &= key_numbered(self._last) < key_numbered(names[0])
            bytewise &= self._last < names[0]
        self.numbered &= numbered
        self.bytewise &= bytewise
        count = len(names) if self.ended else max(0, len(names) - 1)
        self.topics = names[:count]
        self._last = names[count - 1] if count else self._last
        self._begins, self._lines = begins[: count + 1], lines[: count + 1]
        end = begins[count]
        self._text, self._unfinished = (text[:end], text[end:]) if count else (b"", text)

    def _without_mark(self, data: bytes) -> bytes:
        """A mark of UTF-8 at the start of a file is no part of the first topic."""
        start, self._at_start = self._at_start, False
        return data[3:] if start and data.startswith(b"\xef\xbb\xbf") else data


class NoFeed:
    """What takes the place of a run that cannot be read and is left out."""

    topics: tuple[bytes, ...] = ()
    ended = numbered = bytewise = True

    def __init__(self, error: PoolwiseError) -> None:
        self.error = error

    def take(self, count: int) -> None:
        """There is nothing to take."""


class Feeds:
    """Judgments and runs that are open side by side, judgments first; with `skip`, bad runs are done without."""

    def __init__(self, skip: bool) -> None:
        self.all: list[Any] = []
        self._skip = skip

    def open(self, stack: ExitStack, source: Source, piece: int) -> None:
        """Open the next file."""
        labels = not self.all
        try:
            file, kind = stack.enter_context(opened_lines(source, STREAM, labels))
        except InputError as error:
            self._leave_out(len(self.all), error)
            return
        if kind == "parquet":
            from poolwise.reading.topic_parts import TableFeed

            value = "label" if labels else "score"
            self.all.append(TableFeed(source.where, file, value, piece // ROW, source.columns))
        else:
            self.all.append(TextFeed(source, file, kind, piece, labels))

    def more(self) -> None:
        """Read on in every file of which no whole topic is at hand."""
        for index, feed in enumerate(self.all):
            if not feed.topics and not feed.ended:
                self._try(index, feed.more)

    def take(self, limit: Any, key: Callable[[bytes], Any]) -> list[TextBlock | TopicRows | None]:
        """The topics of every file up to a limit, or all that are at hand."""
        return [self._try(index, partial(_taken, feed, limit, key)) for index, feed in enumerate(self.all)]

    def errors(self) -> dict[int, PoolwiseError]:
        """What is wrong with runs that were left out, by their places among runs."""
        return {index - 1: feed.error for index, feed in enumerate(self.all) if isinstance(feed, NoFeed)}

    def _try(self, place: int, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except NotGrouped:
            raise
        except InputError as error:
            self._leave_out(place, error)

    def _leave_out(self, place: int, error: InputError) -> None:
        if place == 0 or not self._skip:
            raise error
        self.all[place : place + 1] = [NoFeed(error)]


def walks(labels: Source, runs: list[Source]) -> list[list[Source]]:
    """Groups of runs to be walked through one after the other, each beside the judgments, which are read again.

    So neither memory nor open files grow with the number of runs. All of them are one group where judgments can be read
    once only, or are longer than the runs of a group, so that reading them again would take longer than all else; not,
    though, where the system lets no program open so many files.
    """
    most = max(1, _most_files() - FEW_MORE - 1)
    count = max(1, -(-len(runs) // min(TOGETHER, most)))
    too_long = len(runs) <= most and _size(labels) * count > sum(map(_size, runs))
    if count == 1 or labels.once or too_long:
        return [runs]
    bounds = [len(runs) * group // count for group in range(count + 1)]
    return [runs[begin:end] for begin, end in pairwise(bounds)]


def _most_files() -> int:
    """How many files a program may open at once, as far as the system lets it raise that."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return sys.maxsize if most == resource.RLIM_INFINITY else most


def _size(source: Source) -> int:
    try:
        return os.path.getsize(source.path or "")
    except OSError:  # it will be said when it is opened
        return 0


@contextmanager
def feeds_of(labels: Source, runs: list[Source], skip: bool = False) -> Iterator[Feeds]:
    """Open judgments and runs to be walked through side by side; with `skip`, without runs that cannot be read."""
    piece = max(SMALLEST, PIECES // (1 + len(runs)))
    with _room_for(1 + len(runs)), ExitStack() as stack:
        feeds = Feeds(skip)
        for source in (labels, *runs):
            feeds.open(stack, source, piece)
        yield feeds


def order_of(given: Feeds) -> Callable[[bytes], Any]:
    """The order that the topics of all files are in, as a sort key; read from the start of each file."""
    given.more()
    feeds = given.all
    key = key_numbered if all(feed.numbered for feed in feeds) else key_bytewise
    if key is key_bytewise and not all(feed.bytewise for feed in feeds):
        key = key_numbered
    _check(feeds, key)
    return key


def aligned(given: Feeds, key: Callable[[bytes], Any]) -> Iterator[list[TextBlock | TopicRows | None]]:
    """Parts of all files that hold the same topics, whole ones."""
    while True:
        given.more()
        feeds = given.all
        _check(feeds, key)
        if not any(feed.topics for feed in feeds):
            return
        limit = min((key(feed.topics[-1]) for feed in feeds if not feed.ended), default=None)
        yield given.take(limit, key)


def _taken(feed: Any, limit: Any, key: Callable[[bytes], Any]) -> TextBlock | TopicRows | None:
    return feed.take(len(feed.topics) if limit is None else bisect_right(feed.topics, limit, key=key))


def _check(feeds: list[Any], key: Callable[[bytes], Any]) -> None:
    for feed in feeds:
        if not (feed.numbered if key is key_numbered else feed.bytewise):
            raise NotGrouped(
                f"{feed.where}: topics do not ascend, so it cannot be scored some topics at a time; sort all files by "
                "topic in the same order, or score without --stream"
            )


@contextmanager
def _room_for(files: int) -> Iterator[None]:
    """Let so many files be open at once while they are read, as far as the system allows."""
    import resource

    usual, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _most_files()
    if most < files + FEW_MORE:
        raise NotGrouped(
            f"{files} files cannot be walked through side by side: this system lets a program open {most} at once; "
            "score fewer runs, or without --stream"
        )
    wanted = min(files + MORE, most)
    if usual == resource.RLIM_INFINITY or usual >= wanted:
        yield
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (usual, hard))
