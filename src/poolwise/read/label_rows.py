"""Labels in whatever shape they come back from assessors: rows of topic, document, label, and where each stood.

Files of TREC lines (topic document label, qrels, or a plan that was filled in), CSV, TSV, JSON lines, Parquet, of
`poolwise judge`, compressed or not; in memory dicts, lists of rows and data frames. Columns are found by their names,
or given. An empty cell is no label.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from poolwise.errors import ArgumentError, InputError
from poolwise.read.opening import STREAM, opened
from poolwise.read.problems import short
from poolwise.read.sources import qrels_source, run_name
from poolwise.read.tables import DOCUMENT, HIGHEST, LABEL, LOWEST, ROUND, STRATUM, TOPIC, columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Record = tuple[str, Mapping[str, Any]]  # where it stood, and its cells by column

NEEDED = {"topic": TOPIC, "document": DOCUMENT, "label": LABEL}
OPTIONAL = {"stratum": STRATUM, "round": ROUND}
TREC = {
    3: ("topic", "document", "label"),
    4: ("topic", "round", "document", "label"),
    5: ("topic", "round", "document", "stratum", "label"),
}


@dataclass
class LabelRows:
    """Rows one after the other; `label` is None where there is none, `place` says where a row stood.

    `stratum` and `round` are 0 where a row has none. `header` holds the comments of poolwise.
    """

    name: str
    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    label: list[int | None] = field(default_factory=list)
    stratum: list[int] = field(default_factory=list)
    round: list[int] = field(default_factory=list)
    place: list[str] = field(default_factory=list)
    header: list[bytes] = field(default_factory=list)
    has_strata: bool = False

    def __len__(self) -> int:
        return len(self.topic)


def label_rows(given: Any, *, unjudged: int | None = -1, columns: Mapping[str, str] | None = None) -> LabelRows:
    """Read labels of any shape; `unjudged` stands for none, `columns` says what our columns are called.

    >>> rows = label_rows([("401", "a", 2), ("401", "b", None)])
    >>> rows.topic, rows.document, rows.label
    (['401', '401'], ['a', 'b'], [2, None])
    """
    names = _named(columns)
    source = qrels_source(given)
    found = LabelRows(source.where)
    if source.path is None:
        records: Iterable[Record] = _of_table(source.table, source.where, names)
        _add(found, records, unjudged)
        return found
    with opened(source, STREAM) as (file, kind):
        if kind == "parquet":
            from poolwise.read.tables import read_parquet

            _add(found, _of_table(read_parquet(file, source.where), source.where, names), unjudged)
        else:
            text = file.read().decode("utf-8-sig", "surrogateescape")
            _add(found, _of_text(text, source.path, source.where, names, found.header), unjudged)
    return found


def _named(columns: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
    """Names by which columns are known: those given, or the usual ones."""
    known = {**NEEDED, **OPTIONAL}
    for name, given in (columns or {}).items():
        if name not in known:
            raise ArgumentError(f"columns: no column is called {name!r} here; name {', '.join(known)}")
        known[name] = (given,)
    return known


def _add(found: LabelRows, records: Iterable[Record], unjudged: int | None) -> None:
    for place, cells in records:
        found.topic.append(_word(cells["topic"], "topic", place))
        found.document.append(_word(cells["document"], "document", place))
        label = _whole(cells["label"], "label", place)
        found.label.append(None if label == unjudged else label)
        found.has_strata = found.has_strata or "stratum" in cells
        found.stratum.append(_whole(cells.get("stratum"), "stratum", place) or 0)
        found.round.append(_round(cells.get("round")))
        found.place.append(place)


# ---- Text ----------------------------------------------------------------------------------------------------------


def _of_text(
    text: str, path: str, where: str, names: Mapping[str, tuple[str, ...]], header: list[bytes]
) -> Iterator[Record]:
    """Rows of text, whose kind its ending and its first line tell."""
    lines = list(_lines(text, where, header))
    first = lines[0][1] if lines else ""
    if first.lstrip().startswith("{"):
        return _of_json(lines, names)
    for mark, ending in ((",", ".csv"), ("\t", ".tsv")):
        if run_name(path).endswith(ending) or _has_names(first.split(mark), names):
            return _of_csv(lines, mark, names)
    return _of_trec(lines)


def _lines(text: str, where: str, header: list[bytes]) -> Iterator[tuple[str, str]]:
    """Lines with something in them that are no comments, each with its place; comments of poolwise are kept apart."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# poolwise "):
            header.append(line.encode("utf-8", "surrogateescape"))
        elif line.strip() and not line.startswith("#"):
            yield f"{where}:{number}", line.rstrip("\r")


def _of_trec(lines: Iterable[tuple[str, str]]) -> Iterator[Record]:
    for place, line in lines:
        words = line.split()
        if len(words) not in TREC:
            raise InputError(
                f"{place}: {len(words)} columns found; every line needs topic document label, or is one of a qrels file"
            )
        yield place, dict(zip(TREC[len(words)], words, strict=True))


def _of_csv(lines: Sequence[tuple[str, str]], mark: str, names: Mapping[str, tuple[str, ...]]) -> Iterator[Record]:
    import csv

    rows = csv.reader((line for _, line in lines), delimiter=mark)
    columns: dict[str, int] = {}
    for row in rows:
        place, cells = lines[rows.line_num - 1][0], [cell.strip() for cell in row]
        if not columns:
            columns = _columns(cells, names, place)
        elif len(cells) <= max(columns.values()):
            raise InputError(f"{place}: {len(cells)} columns found; the first line names more")
        else:
            yield place, {name: cells[at] for name, at in columns.items()}


def _of_json(lines: Iterable[tuple[str, str]], names: Mapping[str, tuple[str, ...]]) -> Iterator[Record]:
    from json import JSONDecodeError, loads

    for place, line in lines:
        try:
            record = loads(line)
        except JSONDecodeError as error:
            raise InputError(f"{place}: this is no JSON ({error}); every line needs an object") from None
        if not isinstance(record, dict):
            raise InputError(f"{place}: {short(line)!r} is no object; every line needs topic, document and label")
        columns = _columns(list(record), names, place, optional=("label",))
        cells = list(record.values())
        yield place, {"label": None, **{name: cells[at] for name, at in columns.items()}}


# ---- Tables --------------------------------------------------------------------------------------------------------


def _of_table(table: Any, where: str, names: Mapping[str, tuple[str, ...]]) -> Iterator[Record]:
    from poolwise.read.objects import plain

    table = plain(table, (names["topic"], names["document"], names["label"]), where)
    if isinstance(table, dict):
        yield from _of_dict(table, where)
    elif isinstance(table, (list, tuple)):
        for number, row in enumerate(table, 1):
            if not isinstance(row, (list, tuple)) or len(row) != 3:
                raise InputError(f"{where}: row {number} is {short(repr(row))}; expected (topic, document, label)")
            yield f"{where}: row {number}", dict(zip(TREC[3], row, strict=True))
    else:
        needed = {name: names[name] for name in NEEDED}
        cells = columns_of(table, needed, {name: names[name] for name in OPTIONAL}, where)
        for number, row in enumerate(zip(*cells.values(), strict=True), 1):
            yield f"{where}: row {number}", dict(zip(cells, row, strict=True))


def _of_dict(table: Mapping[Any, Any], where: str) -> Iterator[Record]:
    """Labels by document by topic."""
    for topic, documents in table.items():
        if not isinstance(documents, dict):
            raise InputError(
                f"{where}: topic {topic!r} holds {short(repr(documents))}; expected a dict from documents to labels"
            )
        for document, label in documents.items():
            place = f"{where}: topic {topic!r}: document {short(str(document))!r}"
            yield place, {"topic": topic, "document": document, "label": label}


# ---- Columns and cells ---------------------------------------------------------------------------------------------


def _columns(
    found: Sequence[str], names: Mapping[str, tuple[str, ...]], place: str, optional: Sequence[str] = ()
) -> dict[str, int]:
    """Where our columns stand among those of a table, by their names in any case."""
    there = {str(name).strip().lower(): at for at, name in reversed(list(enumerate(found)))}
    columns = {}
    for name, known in names.items():
        at = next((there[word.lower()] for word in known if word.lower() in there), None)
        if at is not None:
            columns[name] = at
        elif name in NEEDED and name not in optional:
            raise InputError(
                f"{place}: no column called {' or '.join(map(repr, known))}; found {short(', '.join(map(str, found)))};"
                f" say which it is with columns, as in {name}=..."
            )
    return columns


def _has_names(cells: Sequence[str], names: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the first line of a table names its columns."""
    there = {cell.strip().lower() for cell in cells}
    return all(any(word.lower() in there for word in names[name]) for name in NEEDED)


def _word(value: Any, what: str, place: str) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a frame with an empty cell makes 401 a 401.0
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    if _is_empty(value):
        raise InputError(f"{place}: there is no {what}; every row needs topic and document")
    if len(text.split()) != 1:
        raise InputError(f"{place}: {what} {short(text)!r} holds blanks; ids are single words")
    return text


def _whole(value: Any, what: str, place: str) -> int | None:
    """A whole number, also as text; None for an empty cell."""
    if _is_empty(value):
        return None
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if number.is_integer() and (LOWEST if what == "label" else 0) <= number <= HIGHEST:
        return int(number)
    raise InputError(f"{place}: {what} {short(repr(value))} is not a whole number; leave the cell empty for none")


def _round(value: Any) -> int:
    """A round; as in a qrels file, other words stand for none."""
    text = "" if _is_empty(value) else str(value).strip()
    return int(text) if text.isdigit() and int(text) <= HIGHEST else 0


def _is_empty(value: Any) -> bool:
    """Whether a cell holds nothing: blank, None, NaN, or the like of pandas."""
    if isinstance(value, (str, bytes)):
        return not value.strip()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
