"""Formats of judgments and runs that other tools write, and their conversion to TREC's.

A form is declared once, here: how its beginning is known, and how it becomes lines of TREC, which the core reads. Where
the text has lines they keep their numbers, so that what the core says of a line holds for the user's file.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from poolwise.basics.extras import load
from poolwise.basics.words import counted, short, unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.columns import check_places, csv_rows, is_number, is_numbered, json_value, places_of
from poolwise.reading.design_columns import DESIGN
from poolwise.reading.foreign_text import MARK, MARKS, ForeignText, byte_lines, cells_of, text_lines, word
from poolwise.reading.opening import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

ENDINGS = {"csv": ",", "tsv": "\t"}
THREE = 3  # columns: topic, document, and label or score, as in MS MARCO's files


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
    indices = places_of(cells_of(text.first, mark), text.names)
    header = not all(is_numbered(text.names[name]) for name in indices)
    last = max(index for name, index in indices.items() if name not in DESIGN)
    if not text.labels and (header or is_numbered(text.run_names)):
        indices = {**places_of(cells_of(text.first, mark), {"run": text.run_names}), **indices}
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
            row = {name: cells[at].strip() for name, at in indices.items() if at < len(cells)}
            yield _row(row, text, f"{text.where}:{number}")


def _row(cells: dict[str, str], text: ForeignText, row_name: str) -> bytes:
    topic, document = word(cells["topic"], "topic", row_name), word(cells["document"], "document", row_name)
    tag, rank = text.tag(cells.get("run", ""), row_name), cells.get("rank", "")
    if text.value not in cells:
        return text.ranked(topic, document, as_score(rank, row_name), rank, tag)
    value = cells[text.value]
    if len(value.split()) != 1:
        empty = text.labels and not value.strip()
        either = ", or -1 where nothing is judged; labels of a plan are put into it by poolwise merge" if empty else ""
        raise InputError(f"{row_name}: {text.value} {short(value)!r} found; every row needs one number{either}")
    if not text.labels:
        return text.ranked(topic, document, value, "" if rank.split() != [rank] else rank, tag)
    text.design.see(cells)
    second = cells.get("subtopic") or cells.get("round", "")
    second = second and word(second, "subtopic", row_name)
    return text.row(topic, document, value.removesuffix(".0"), cells.get("stratum", ""), second)


def as_score(rank: str, row_name: str) -> str:
    """A rank as a score, which is higher for what stands first."""
    if not (rank.isascii() and rank.isdecimal()):
        raise InputError(f"{row_name}: rank {short(rank)!r} is not a whole number; every row needs one, or a score")
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


def is_records(text: ForeignText) -> bool:
    """Whether each line is an object that names topic and document, or one that should: another line follows."""
    if not text.first.startswith("{"):
        return False
    value = _loaded(text.first)
    follows = text.start.removeprefix(MARK).partition(b"\n")[2].lstrip().startswith(b"{")
    return _is_record(value, text) or (follows and _depth(value) == 1)


def record_lines(file: Any, text: ForeignText) -> Iterator[bytes]:
    """One line per object."""
    for number, line in enumerate(text_lines(file, text.where), 1):
        row_name = f"{text.where}:{number}"
        if not line.strip():
            yield b"\n"
            continue
        record = _loaded(line)
        if not isinstance(record, dict):
            raise InputError(f"{row_name}: this is no JSON object; every line needs topic, document and {text.value}")
        yield _record_row(record, text, row_name)


def is_json(text: ForeignText) -> bool:
    """Whether it begins as JSON does."""
    return text.first.lstrip().startswith(("{", "["))


def json_lines(file: Any, text: ForeignText) -> Iterator[bytes]:
    """One line per document of a value of JSON."""
    try:
        value = json_value(whole(file).removeprefix(MARK).decode("utf-8", "surrogateescape"), object_pairs_hook=_once)
    except _Twice as twice:
        name = short(str(twice))
        raise InputError(f"{text.where}: {name!r} stands twice in one object; remove one of the two") from None
    except ValueError as error:
        line, why = _fault(error)
        raise InputError(f"{text.where}{line}: this is no JSON ({why}); write the file again") from None
    return _lines(value, text)


def _fault(error: ValueError) -> tuple[str, str]:
    """Line (if known) and description of an error in JSON."""
    from json import JSONDecodeError

    if isinstance(error, JSONDecodeError):
        return f":{error.lineno}", f"{error.msg}, column {error.colno}"
    return "", short(str(error))


def is_cbor(text: ForeignText) -> bool:
    """Whether the file begins as a map of CBOR, the format of ranx's runs."""
    return text.ending in ("lz4", "cbor") and b"\xa0" <= text.start[:1] <= b"\xbf"


def cbor_lines(file: Any, text: ForeignText) -> Iterator[bytes]:
    """One line per document of a value of CBOR."""
    library = load("cbor2", "lz4")
    try:
        value = library.loads(whole(file))
    except (library.CBORError, ValueError, EOFError) as error:
        raise InputError(f"{text.where}: the CBOR data cannot be read ({error}); write the file again") from error
    return _lines(value, text)


def _lines(value: Any, text: ForeignText) -> Iterator[bytes]:
    """Lines of a whole value: documents by topic, perhaps under other names, or a list of objects."""
    if isinstance(value, list) or _is_record(value, text):
        for number, record in enumerate(value if isinstance(value, list) else [value], 1):
            row_name = f"{text.where}: entry {number}"
            if not isinstance(record, dict):
                raise InputError(f"{row_name} is {short(repr(record))}; expected an object")
            yield _record_row(record, text, row_name)
        return
    for topic, documents in _by_topic(value, text).items():
        row_name = f"{text.where}: topic {short(str(topic))!r}"
        if not isinstance(documents, dict):
            raise InputError(f"{row_name} holds {short(repr(documents))}; expected {text.value}s by document")
        name = _name(topic, "topic", row_name)
        for document, number in documents.items():
            at = f"{row_name}: document {short(str(document))!r}"
            yield text.row(name, _name(document, "document", at), _number(number, text, at))


def _by_topic(value: dict[Any, Any], text: ForeignText) -> dict[Any, Any]:
    """Documents by topic; MTEB puts them under subset and split, beside what it says of the model."""
    while (deepest := max(map(_depth, value.values()), default=0)) > 1:
        inner = {name: part for name, part in value.items() if _depth(part) == deepest}
        if len(inner) > 1:
            listed = short(", ".join(map(repr, inner)))
            raise InputError(f"{text.where}: {len(inner)} rankings found, under {listed}; write each to its own file")
        (value,) = inner.values()
    return value


def _depth(value: Any) -> int:
    """How many objects lie within each other, by the first of each."""
    return 1 + max(map(_depth, list(value.values())[:1]), default=0) if isinstance(value, dict) else 0


class _Twice(ValueError):
    """A name that stands twice in an object, of which a parser would keep the last."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for at, name in enumerate(names) if name in names[:at]))
    return record


def _loaded(line: str) -> Any:
    """The value of a line; None if there is none."""
    try:
        return json_value(line)
    except ValueError:
        return None


def _is_record(value: Any, text: ForeignText) -> bool:
    return isinstance(value, dict) and {"topic", "document"} <= {*places_of(list(value), text.names)}


def _record_row(record: Mapping[str, Any], text: ForeignText, row_name: str) -> bytes:
    columns, cells = list(record), list(record.values())
    indices = places_of(columns, text.names)
    ranked = text.value not in indices and "rank" in indices
    check_places(indices, text.needed[:2] if ranked else text.needed, text.names, columns, row_name)
    row = {name: cells[at] for name, at in indices.items()}
    value = as_score(str(row["rank"]), row_name) if ranked else _number(row[text.value], text, row_name)
    ids = (_name(row["topic"], "topic", row_name), _name(row["document"], "document", row_name))
    if not text.labels:
        run = places_of(columns, {"run": text.run_names}).get("run")
        tag = text.tag(_run_name(None if run is None else cells[run], row_name), row_name)
        rank = row.get("rank")
        return text.ranked(*ids, value, str(rank) if isinstance(rank, int) else "", tag)
    text.design.see(row)
    second = row.get("subtopic", row.get("round", 0))
    return text.row(*ids, value, str(row.get("stratum", "")), _name(second, "subtopic", row_name))


def _name(value: Any, what: str, row_name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{row_name}: {what} {short(repr(value))} is no id; ids are texts or whole numbers")
    return word(str(value), what, row_name)


def _run_name(value: Any, row_name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{row_name}: run {short(repr(value))} is no name; names are texts or whole numbers")
    return " ".join(str(value).split())


def _number(value: Any, text: ForeignText, row_name: str) -> str:
    if isinstance(value, str) and is_number(value):
        raise InputError(f"{row_name}: {text.value} {short(value)!r} is a text; write numbers without quotes")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (text.labels and value != value):
        raise InputError(f"{row_name}: {text.value} {short(repr(value))} is not a number; every document needs one")
    if value != value:
        text.nan_at = text.nan_at or row_name  # the core says what becomes of it
    if text.labels and isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)


BEGINNING = 1 << 16  # bytes that tell a form


@dataclass(frozen=True)
class Form:
    """How a form is known, and how it becomes lines of TREC."""

    name: str
    known: Callable[[ForeignText], bool]
    lines: Callable[[Any, ForeignText], Iterator[bytes]]


# In the order in which they are tried.
FORMS = (
    Form("CBOR", is_cbor, cbor_lines),
    Form("JSON lines", is_records, record_lines),
    Form("JSON", is_json, json_lines),
    Form("table", is_table, table_lines),
    Form("three columns", is_three, three_lines),
)


def form_of(text: ForeignText) -> Form | None:
    """The format of a text. None for TREC's, and for unknown formats, which the core reports."""
    return None if _is_trec(text) else next((form for form in FORMS if form.known(text)), None)


def _is_trec(text: ForeignText) -> bool:
    words = text.first.split()
    if text.labels:
        return len(words) in (4, 5) and is_number(words[-1])
    return len(words) >= 6 and is_number(words[4])


class TrecText:
    """Lines of TREC, as they are made, as a file."""

    def __init__(self, lines: Iterator[bytes], text: ForeignText) -> None:
        self.text = text
        self._lines, self._parts, self._held = lines, [b""], 0

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        while self._held < size and (line := next(self._lines, None)) is not None:
            self._parts.append(line)
            self._held += len(line)
        text = b"".join(self._parts)
        self._parts, self._held = [text[size:]], max(0, len(text) - size)
        return text[:size]
