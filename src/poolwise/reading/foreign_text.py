"""Conversion of texts in other formats to lines of TREC."""

from __future__ import annotations

from contextlib import suppress

from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.columns import (
    LABEL_COLUMNS,
    RUN_COLUMNS,
    RUN_IN_TEXT,
    check_line_ends,
    is_number,
    names_for,
    names_of_runs,
    places_of,
)
from poolwise.reading.design_columns import DESIGN, DesignCells
from poolwise.reading.files import LONGEST, LONGEST_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Any

    from poolwise.reading.columns import Names

SHOWN = 2  # ids of each side in a message


def _without_zeros(name: str) -> str:
    return name.lstrip("0") or name[-1:]


def _number(name: str) -> str:
    return name.lstrip("".join({sign for sign in name if not sign.isdigit()}))


# What is done to ids of both sides, and what they differ in if they are the same then; the simplest first.
FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("leading zeros", _without_zeros),
    ("upper and lower case", str.lower),
    ("a decimal point", lambda name: name.removesuffix(".0")),
    ("quotation marks", lambda name: name.strip("\"'")),
    ("their ending", lambda name: name.rpartition(".")[0] or name),
    ("the folder before the name", lambda name: name.replace("\\", "/").rpartition("/")[2]),
    ("the folder and their ending", lambda name: name.rpartition("/")[2].partition(".")[0]),
    ("letters before the number", _number),
    ("letters and zeros before the number", lambda name: _without_zeros(_number(name))),
)


def difference(here: Collection[str], there: Collection[str]) -> str:
    """The systematic difference between two sets of ids, such as leading zeros. Empty if no change unites half of them.

    >>> difference(["Q1", "Q2"], ["1", "2", "3"]), difference(["0301"], ["301"]), difference(["x"], ["y"])
    ('letters before the number', 'leading zeros', '')
    """
    for words, change in FORMS:
        known = {change(name) for name in there} - {""}
        if here and 2 * sum(change(name) in known for name in here) >= len(here):
            return words
    return ""


def both(here: Collection[str], there: Collection[str], whose: tuple[str, str]) -> str:
    """Examples of ids of two sides, and what they seem to differ in.

    >>> both(["a.txt"], ["a", "b"], ("in the run", "in the judgments"))
    "'a.txt' in the run, 'a' and 'b' in the judgments, as if they differed in their ending"
    """
    sides = [f"{_some(names)} {words}" for names, words in zip((here, there), whose, strict=True) if names]
    form = difference(here, there)
    return ", ".join(sides) + (f", as if they differed in {form}" if form else "")


def _some(names: Collection[str]) -> str:
    return " and ".join(repr(short(name)) for name in list(names)[:SHOWN])


PIECE = 1 << 20  # bytes that are read at once
MARKS = (",", "\t", ";", None)  # what may stand between cells; None is white space
MARK = b"\xef\xbb\xbf"  # of UTF-8, at the start of a file
LONG_ENOUGH = 3  # a score that must be reached by counting up from 0 or 1
NO_TAG = "-"  # of a run that is not named


class ForeignText:
    """A text: its file, whether it holds labels, the names of its columns, and its beginning.

    Rows of several runs are refused, unless `split` is set: then each line's tag says whose it is.
    """

    def __init__(self, where: str, path: str, labels: bool, columns: Mapping[str, str] | None, start: bytes) -> None:
        self.where, self.labels = where, labels
        self.needed = LABEL_COLUMNS if labels else RUN_COLUMNS
        self.value = self.needed[-1]
        self.ending = path.rpartition(".")[2].lower()
        self.start = start.removeprefix(MARK)
        self.first, self.first_number = _first_line(self.start)
        check_line_ends(self.first, where)
        usual = names_for(labels)
        # Numbers are of tables without a header: one that names its columns is another.
        numbered = columns and all(map(str.isdigit, columns.values()))
        named = numbered and any(self.has_all(mark, usual) for mark in MARKS)
        self.names: Names = usual if named else names_for(labels, columns)
        if labels and (named or not numbered):
            self.names = {**self.names, **DESIGN}
        self.design = DesignCells()
        self.run_names = names_of_runs(None if named else columns, RUN_IN_TEXT)
        self.split = False
        self.scores = CountedUp()
        self.nan_at = ""  # the place of the first score that is NaN, where lines do not tell it
        self._runs: list[str] = []

    def has_all(self, mark: str | None, names: Names | None = None) -> bool:
        """Whether the first line, cut at a mark, has all the columns that are needed; a rank serves as a score."""
        indices = places_of(cells_of(self.first, mark), names or self.names)
        return all(name in indices or (name == "score" and "rank" in indices) for name in self.needed)

    def tag(self, run: str, row_name: str) -> str:
        """Tag of a row's line: its run if the text may have several, else empty. A second run is then refused."""
        if self.split:
            return run or NO_TAG
        if run and run not in self._runs:
            self._runs.append(run)
            check_one_run(self._runs, row_name)
        return NO_TAG

    def ranked(self, topic: str, document: str, value: str, rank: str = "", tag: str = NO_TAG) -> bytes:
        """A line of a run; the rank is what the file says, which need not be so."""
        self.scores.see(topic, value)
        return f"{topic} Q0 {document} {rank or 0} {value} {tag}\n".encode("utf-8", "surrogateescape")

    def row(self, topic: str, document: str, value: str, stratum: str = "", second: str = "") -> bytes:
        """A line of TREC; with a stratum of judgments one of five columns. The second is a round or a subtopic."""
        if not self.labels:
            return self.ranked(topic, document, value)
        if stratum:
            line = f"{topic} {second or 0} {document} {stratum} {value}\n"
        else:
            line = f"{topic} {second or 0} {document} {value}\n"
        return line.encode("utf-8", "surrogateescape")


def check_one_run(names: Iterable[str], where: str) -> None:
    """Refuse rows of several runs where one is read: documents of one would be taken for the other's."""
    several = list(dict.fromkeys(names))
    if len(several) > 1:
        raise InputError(
            f"{where}: {len(several)} runs found, {short(several[0])!r} and {short(several[1])!r} among them, where "
            "one is read; give each a file, or read it in memory and say with columns what their column is called, as "
            "in run=..."
        )


class CountedUp:
    """Whether scores count up by one within each topic, as ranks do and scores hardly ever.

    >>> seen = CountedUp()
    >>> for score in ("1", "2", "3"):
    ...     seen.see("301", score)
    >>> seen.are_ranks
    True
    """

    def __init__(self) -> None:
        self._rising, self._topic, self._next, self._longest = True, "", 0.0, 0.0

    def see(self, topic: str, value: Any) -> None:
        """Take in a row."""
        if not self._rising:
            return
        number = float(value) if is_number(value) else -1.0
        if topic != self._topic:
            self._topic, self._next, self._rising = topic, number, number in (0.0, 1.0)
        self._rising &= number == self._next
        self._next += 1.0
        self._longest = max(self._longest, self._next - 1.0)

    @property
    def are_ranks(self) -> bool:
        """Whether all do, and far enough to tell."""
        return self._rising and self._longest >= LONG_ENOUGH


def rank_words(where: str) -> str:
    """Say that scores look like ranks, and how to have them read so."""
    return (
        f"{where}: scores count up from 0 or 1 within topics, as ranks do, and the highest is taken for the best; if "
        "they are ranks, say so with columns, as in rank=score"
    )


def cells_of(line: str, mark: str | None) -> list[str]:
    """Cells of a first line, as those of all others are told.

    >>> cells_of('topic,"doc"', ","), cells_of('"title, long",topic', ",")
    (['topic', 'doc'], ['title, long', 'topic'])
    """
    cells = line.split(mark)
    if mark is not None and '"' in line:
        import csv

        with suppress(csv.Error):  # what is wrong is said where rows are read
            cells = next(csv.reader([line], delimiter=mark), cells)
    return [cell.strip().strip('"') for cell in cells]


def _first_line(start: bytes) -> tuple[str, int]:
    """The first line with something in it that is no comment, and its number; nothing if the text is binary."""
    for number, line in enumerate(start.split(b"\n"), 1):
        if line.strip() and not line.startswith(b"#"):
            return "" if b"\0" in line else line.decode("utf-8", "surrogateescape").strip("\r\n"), number
    return "", 1


def byte_lines(file: Any, where: str) -> Iterator[bytes]:
    """Lines of an open file, without their ends; none is longer than the core allows."""
    rest = file.read(PIECE).removeprefix(MARK)
    while rest:
        *lines, rest = rest.split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise InputError(f"{where}: a line is longer than {LONGEST}; is this a table? End lines with line feeds")
        yield from lines
        piece = file.read(PIECE)
        if not piece:
            break
        rest += piece
    if rest:
        yield rest


def text_lines(file: Any, where: str) -> Iterator[str]:
    """Lines of an open file as texts; comments are empty."""
    for line in byte_lines(file, where):
        yield "" if line.startswith(b"#") else line.decode("utf-8", "surrogateescape").rstrip("\r")


def word(text: str, what: str, row_name: str) -> str:
    """An id, which is a single word."""
    words = text.split()
    if len(words) == 1 and (words[0].isascii() or _can_be_written(words[0])):
        return words[0]
    if not words:
        raise InputError(f"{row_name}: there is no {what}; every row needs topic and document")
    if len(words) == 1:
        raise InputError(f"{row_name}: {what} {short(words[0])!r} cannot be written as UTF-8; mend it")
    raise InputError(f"{row_name}: {what} {short(text.strip())!r} holds blanks; ids are single words")


def _can_be_written(text: str) -> bool:
    """Whether a text can stand in a file; one of JSON may hold halves of signs, as in "\\ud83d"."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
