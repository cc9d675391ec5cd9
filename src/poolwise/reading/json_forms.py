"""JSON, JSON lines and CBOR as lines of TREC: documents by topic, or an object per document."""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.column_names import check_places, places_of
from poolwise.reading.foreign_text import MARK, is_number, text_lines, word
from poolwise.reading.json_objects import json_value
from poolwise.reading.opening import whole
from poolwise.reading.table_forms import as_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from poolwise.reading.foreign_text import ForeignText


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
        place = f"{text.where}:{number}"
        if not line.strip():
            yield b"\n"
            continue
        record = _loaded(line)
        if not isinstance(record, dict):
            raise InputError(f"{place}: this is no JSON object; every line needs topic, document and {text.value}")
        yield _row(record, text, place)


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
    """The line of a fault in JSON, where it is known, and what is wrong."""
    from json import JSONDecodeError

    if isinstance(error, JSONDecodeError):
        return f":{error.lineno}", f"{error.msg}, column {error.colno}"
    return "", short(str(error))


def is_cbor(text: ForeignText) -> bool:
    """Whether it begins as a map of CBOR does, which is how ranx stores runs, and no text."""
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
            place = f"{text.where}: entry {number}"
            if not isinstance(record, dict):
                raise InputError(f"{place} is {short(repr(record))}; expected an object")
            yield _row(record, text, place)
        return
    for topic, documents in _by_topic(value, text).items():
        place = f"{text.where}: topic {short(str(topic))!r}"
        if not isinstance(documents, dict):
            raise InputError(f"{place} holds {short(repr(documents))}; expected {text.value}s by document")
        name = _name(topic, "topic", place)
        for document, given in documents.items():
            at = f"{place}: document {short(str(document))!r}"
            yield text.row(name, _name(document, "document", at), _number(given, text, at))


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


def _row(record: Mapping[str, Any], text: ForeignText, place: str) -> bytes:
    columns, cells = list(record), list(record.values())
    places = places_of(columns, text.names)
    ranked = text.value not in places and "rank" in places
    check_places(places, text.needed[:2] if ranked else text.needed, text.names, columns, place)
    own = {name: cells[at] for name, at in places.items()}
    value = as_score(str(own["rank"]), place) if ranked else _number(own[text.value], text, place)
    ids = (_name(own["topic"], "topic", place), _name(own["document"], "document", place))
    if not text.labels:
        run = places_of(columns, {"run": text.run_names}).get("run")
        tag = text.tag(_run_name(None if run is None else cells[run], place), place)
        rank = own.get("rank")
        return text.ranked(*ids, value, str(rank) if isinstance(rank, int) else "", tag)
    text.design.see(own)
    second = own.get("subtopic", own.get("round", 0))
    return text.row(*ids, value, str(own.get("stratum", "")), _name(second, "subtopic", place))


def _name(value: Any, what: str, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{place}: {what} {short(repr(value))} is no id; ids are texts or whole numbers")
    return word(str(value), what, place)


def _run_name(value: Any, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{place}: run {short(repr(value))} is no name; names are texts or whole numbers")
    return " ".join(str(value).split())


def _number(value: Any, text: ForeignText, place: str) -> str:
    if isinstance(value, str) and is_number(value):
        raise InputError(f"{place}: {text.value} {short(value)!r} is a text; write numbers without quotes")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (text.labels and value != value):
        raise InputError(f"{place}: {text.value} {short(repr(value))} is not a number; every document needs one")
    if value != value:
        text.nan_at = text.nan_at or place  # the core says what becomes of it
    if text.labels and isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)
