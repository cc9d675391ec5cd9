"""Tables of text as lines of TREC: CSV, TSV and the like with a header, and three columns without one."""

from __future__ import annotations

from itertools import pairwise

from poolwise.basics.words import counted, short, unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.column_names import check_places, is_numbered, places_of
from poolwise.reading.csv_rows import csv_rows
from poolwise.reading.design_columns import DESIGN
from poolwise.reading.foreign_text import MARKS, byte_lines, cells_of, is_number, text_lines, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise.reading.foreign_text import ForeignText

ENDINGS = {"csv": ",", "tsv": "\t"}
THREE = 3


def is_table(text: ForeignText) -> bool:
    """Whether the first line names columns, or the user gave their numbers; an ending that promises it binds."""
    if any(map(text.has_all, MARKS)):
        return True
    if text.ending in ENDINGS and not is_three(text):
        cells = cells_of(text.first, ENDINGS[text.ending])
        at = f"{text.where}:{text.first_number}"
        check_places(places_of(cells, text.names), text.needed, text.names, cells, at)
    return False


def table_lines(file: Any, text: ForeignText) -> Iterator[bytes]:
    """One line per row; the header becomes a comment, cells of several lines are preceded by comments."""
    mark = next(filter(text.has_all, MARKS))
    places = places_of(cells_of(text.first, mark), text.names)
    header = not all(is_numbered(text.names[name]) for name in places)
    last = max(place for name, place in places.items() if name not in DESIGN)
    if not text.labels and (header or is_numbered(text.run_names)):
        places = {**places_of(cells_of(text.first, mark), {"run": text.run_names}), **places}
    for number, before, cells in _rows(file, mark, text.where):
        yield b"#\n" * before
        if header or not cells:
            header = header and not cells
            yield b"#\n" if cells else b"\n"
        elif len(cells) <= last:
            raise InputError(
                f"{text.where}:{number}: {counted(len(cells), 'column')} found; the first line has more of them"
            )
        else:
            own = {name: cells[at].strip() for name, at in places.items() if at < len(cells)}
            yield _row(own, text, f"{text.where}:{number}")


def _row(cells: dict[str, str], text: ForeignText, place: str) -> bytes:
    topic, document = word(cells["topic"], "topic", place), word(cells["document"], "document", place)
    tag, rank = text.tag(cells.get("run", ""), place), cells.get("rank", "")
    if text.value not in cells:
        return text.ranked(topic, document, as_score(rank, place), rank, tag)
    value = cells[text.value]
    if len(value.split()) != 1:
        empty = text.labels and not value.strip()
        either = ", or -1 where nothing is judged; labels of a plan are put into it by poolwise merge" if empty else ""
        raise InputError(f"{place}: {text.value} {short(value)!r} found; every row needs one number{either}")
    if not text.labels:
        return text.ranked(topic, document, value, "" if rank.split() != [rank] else rank, tag)
    text.design.see(cells)
    second = cells.get("subtopic") or cells.get("round", "")
    second = second and word(second, "subtopic", place)
    return text.row(topic, document, value.removesuffix(".0"), cells.get("stratum", ""), second)


def as_score(rank: str, place: str) -> str:
    """A rank as a score, which is higher for what stands first."""
    if not (rank.isascii() and rank.isdecimal()):
        raise InputError(f"{place}: rank {short(rank)!r} is not a whole number; every row needs one, or a score")
    return f"-{rank}"


def _rows(file: Any, mark: str | None, where: str) -> Iterator[tuple[int, int, list[str]]]:
    """The number of a row's last line, how many lines of the row stand before that, and its cells, if any."""
    if mark is None:
        for number, line in enumerate(text_lines(file, where), 1):
            yield number, 0, line.split()
        return
    seen = 0
    for number, cells in csv_rows(text_lines(file, where), where, delimiter=mark, strict=True):
        yield number, number - seen - 1, unescaped_cells(cells) if any(map(str.strip, cells)) else []
        seen = number


def is_three(text: ForeignText) -> bool:
    """Whether lines have three words, the last of them a number."""
    words = text.first.split()
    return len(words) == THREE and is_number(words[-1])


def three_lines(file: Any, text: ForeignText) -> Iterator[bytes]:
    """Topic, document, and label or score; whole numbers that count up in a run are ranks, as in MS MARCO's."""
    form = b"%b 0 %b %b\n" if text.labels else b"%b Q0 %b 0 -%b -\n" if _are_ranks(text) else b"%b Q0 %b 0 %b -\n"
    for number, line in enumerate(byte_lines(file, text.where), 1):
        words = line.split()
        if len(words) == THREE and not line.startswith(b"#"):
            yield form % (*words,)
        elif not words or line.startswith(b"#"):
            yield b"#\n" if words else b"\n"
        else:
            raise InputError(
                f"{text.where}:{number}: {counted(len(words), 'column')} found where the first line has 3; every line "
                f"needs topic document {text.value}"
            )


def _are_ranks(text: ForeignText) -> bool:
    """Whether the values of the first topic that has several documents ascend from 0 or 1."""
    topics: dict[bytes, list[bytes]] = {}
    for line in text.start.split(b"\n")[:-1]:
        words = line.split()
        if len(words) == THREE and not line.startswith(b"#"):
            topics.setdefault(words[0], []).append(words[2])
    several = next((values for values in topics.values() if len(values) > 1), [])
    if not several or not all(map(bytes.isdigit, several)):
        return False
    ranks = [int(value) for value in several]
    return ranks[0] in (0, 1) and all(before < after for before, after in pairwise(ranks))
