"""Rows of tables in any format: cells by column, with their position in the source.

Files of TREC lines, CSV, TSV, JSON (a list of objects), JSON lines, Parquet, of `poolwise judge`, compressed or not; in
memory dicts, lists of rows and data frames. Columns are found by their names, or given.

Its judges answer with a `judgment` beside the text that it was read from, `prediction`. Pools that it has judged keep
the shape they had: a `query` with its `qid`, and `candidates`, each with a `docid` and its judgment.

Lines of TREC are topic document label, those of a qrels file, or of a plan that was filled in; all other shapes are
told by `records`. An empty cell is no label.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from poolwise.basics.words import counted, short, unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.columns import (
    DOCUMENT,
    HINT,
    LABEL,
    ROUND,
    STRATUM,
    TOPIC,
    check_columns,
    check_line_ends,
    check_places,
    csv_rows,
    is_empty,
    is_number,
    is_numbered,
    json_object,
    json_value,
    places_of,
)
from poolwise.reading.design_columns import DESIGN, DesignCells, number_of
from poolwise.reading.foreign_text import word as single_word
from poolwise.reading.opening import STREAM, opened, whole
from poolwise.reading.sources import ending_of, file_or_table
from poolwise.reading.tables import HIGHEST, LOWEST, columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any


def unfolded(record: dict[str, Any], value: str, row_name: str) -> list[dict[str, Any]]:
    """The rows of an object: one for every candidate of a query, or the object itself, without a text for a prediction.

    >>> unfolded({"query": {"qid": "9"}, "candidates": [{"docid": "a", "judgment": 3}]}, "label", "pool.jsonl:1")
    [{'topic': '9', 'document': 'a', 'label': 3}]
    >>> unfolded({"qid": "9", "docid": "a", "prediction": "Score: 3", "judgment": 3}, "value", "judged.jsonl:1")
    [{'qid': '9', 'docid': 'a', 'judgment': 3}]
    """
    query, candidates = record.get("query"), record.get("candidates")
    if isinstance(query, dict) and isinstance(candidates, list):
        return [_row(query, one, value, row_name) for one in candidates]
    answer = record.get("prediction")
    if "judgment" in record and isinstance(answer, str) and not is_number(answer):
        return [{name: cell for name, cell in record.items() if name != "prediction"}]
    return [record]


def _row(query: dict[str, Any], candidate: Any, value: str, row_name: str) -> dict[str, Any]:
    if "qid" not in query or not isinstance(candidate, dict) or "docid" not in candidate:
        raise InputError(
            f"{row_name}: a query with candidates, but without names, such as {short(repr(candidate))}; every query "
            "needs its qid, every candidate its docid and judgment"
        )
    return {"topic": query["qid"], "document": candidate["docid"], value: candidate.get("judgment")}


if TYPE_CHECKING:
    Names = Mapping[str, tuple[str, ...]]
if TYPE_CHECKING:
    Record = tuple[str, Mapping[str, Any]]  # where it stood, and its cells by column


@dataclass(frozen=True)
class RowShape:
    """The columns of rows: topic, document, `value`, and others that may be there.

    `words` names the columns of a line without names by how many words it has; `lines` says so in error messages.
    """

    value: str
    names: tuple[str, ...]  # by which the column of values is known
    words: Mapping[int, tuple[str, ...]]
    lines: str
    optional: Names = field(default_factory=dict)
    ours: Names = field(default_factory=dict)  # columns that poolwise itself writes, which nobody names
    hint: str = "name the columns in the first line"
    named: frozenset[str] = frozenset()  # columns that the user named, which must be there
    one_of_several: bool = False  # tables are read, of which some may use the usual names in place of those given

    @property
    def needed(self) -> dict[str, tuple[str, ...]]:
        """The three columns that every table has."""
        return {"topic": TOPIC, "document": DOCUMENT, self.value: self.names}

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns without which a table with names is refused: those needed, and those that the user named."""
        return (*self.needed, *(name for name in self.optional if name in self.named))

    def called(self, columns: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
        """Names by which columns are known: those given, or the usual ones."""
        known = {**self.needed, **self.optional}
        pairs = check_columns(columns, tuple(known)).items()
        usual = known if self.one_of_several else {}
        named = {name: (called, *(() if called.isdecimal() else usual.get(name, ()))) for name, called in pairs}
        return {**known, **named, **({} if any(map(is_numbered, named.values())) else self.ours)}


def records(
    data: Any,
    shape: RowShape,
    *,
    name: str,
    columns: Mapping[str, str] | None = None,
    header: list[bytes] | None = None,
) -> Iterator[Record]:
    """The rows of a file or a table; `header` takes the comments of poolwise, `name` is what a table is called.

    >>> shape = RowShape("value", ("value",), {3: ("topic", "document", "value")}, "lines need topic document value")
    >>> list(records([("401", "a", 0.5)], shape, name="predictions"))
    [('predictions: row 1', {'topic': '401', 'document': 'a', 'value': 0.5})]
    """
    source, names = file_or_table(data, name), shape.called(columns)
    shape = shape if shape.one_of_several else replace(shape, named=frozenset(columns or ()))
    if source.path is None:
        yield from _of_table(source.table, source.where, names, shape)
        return
    with opened(source, STREAM) as (file, kind):
        if kind == "parquet":
            from poolwise.reading.tables import read_parquet

            yield from _of_table(read_parquet(file, source.where), source.where, names, shape)
        else:
            text = whole(file).decode("utf-8-sig", "surrogateescape")
            lines = list(_lines(text, source.where, [] if header is None else header))
            yield from _of_text(lines, source.path, source.where, names, shape)


# ---- Text ----------------------------------------------------------------------------------------------------------


def _of_text(
    lines: Sequence[tuple[str, str]], path: str, where: str, names: Names, shape: RowShape
) -> Iterator[Record]:
    """Rows of text, whose kind its ending and its first line tell."""
    first = lines[0][1] if lines else ""
    check_line_ends(first, where)
    needs = f"an object with {', '.join(shape.needed)}"
    if first.lstrip().startswith("{"):
        return _of_objects(((row_name, json_object(line, row_name, needs)) for row_name, line in lines), names, shape)
    if first.lstrip().startswith("[") and first.lstrip()[1:].lstrip()[:1] in ("", "{", "]"):
        return _of_objects(_listed(lines, where, needs), names, shape)
    for mark, ending in ((",", ".csv"), ("\t", ".tsv")):
        if ending_of(path) == ending or _has_names(first.split(mark), names, shape):
            return _of_csv(lines, where, mark, names, shape)
    return _of_words(lines, shape)


def _lines(text: str, where: str, header: list[bytes]) -> Iterator[tuple[str, str]]:
    """Lines with something in them that are no comments, each with its place; comments of poolwise are kept apart."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# poolwise "):
            header.append(line.encode("utf-8", "surrogateescape"))
        elif line.strip() and not line.startswith("#"):
            yield f"{where}:{number}", line.rstrip("\r")


def _of_words(lines: Iterable[tuple[str, str]], shape: RowShape) -> Iterator[Record]:
    for row_name, line in lines:
        words = line.split()
        if len(words) not in shape.words:
            raise InputError(f"{row_name}: {counted(len(words), 'column')} found; {shape.lines}")
        yield row_name, dict(zip(shape.words[len(words)], words, strict=True))


def _of_csv(lines: Sequence[tuple[str, str]], where: str, mark: str, names: Names, shape: RowShape) -> Iterator[Record]:
    columns: dict[str, int] = {}
    for number, row in csv_rows((line for _, line in lines), where, delimiter=mark):
        row_name, cells = lines[number - 1][0], [cell.strip() for cell in unescaped_cells(row)]
        if not columns:
            columns = _columns(cells, names, row_name, needed=shape.asked, hint=shape.hint)
        elif len(cells) <= max(at for name, at in columns.items() if name not in shape.ours):
            raise InputError(f"{row_name}: {counted(len(cells), 'column')} found; the first line names more")
        else:
            yield row_name, {name: cells[at] for name, at in columns.items() if at < len(cells)}


def _listed(lines: Sequence[tuple[str, str]], where: str, needs: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Objects of a file that is one list of JSON, each with its place."""
    try:
        value = json_value("\n".join(line for _, line in lines))
    except ValueError as error:
        row_name = lines[min(getattr(error, "lineno", 1), len(lines)) - 1][0]
        why = getattr(error, "msg", error)
        raise InputError(f"{row_name}: this is no JSON ({why}); write the file again") from None
    for number, record in enumerate(value, 1):
        if not isinstance(record, dict):
            raise InputError(f"{where}: item {number} is {short(repr(record))}; every item of the list must be {needs}")
        yield f"{where}: item {number}", record


def _of_objects(objects: Iterable[tuple[str, dict[str, Any]]], names: Names, shape: RowShape) -> Iterator[Record]:
    """Rows of objects; some may lack the value, as one that nobody gave, but not all: then it is called otherwise."""
    rows = [(row_name, row) for row_name, record in objects for row in unfolded(record, shape.value, row_name)]
    there = list(dict.fromkeys(name for _, record in rows for name in record))
    if rows:
        _columns(there, names, rows[0][0], needed=shape.asked, hint=shape.hint)
    for row_name, record in rows:
        columns = _columns(list(record), names, row_name, needed=("topic", "document"), hint=shape.hint)
        cells = list(record.values())
        yield row_name, {shape.value: None, **{name: cells[at] for name, at in columns.items()}}


# ---- Tables --------------------------------------------------------------------------------------------------------


def _of_table(table: Any, where: str, names: Names, shape: RowShape) -> Iterator[Record]:
    from poolwise.reading.columns import plain

    table = plain(table, tuple(names[name] for name in shape.needed), where)
    if isinstance(table, dict):
        yield from _of_dict(table, where, shape)
    elif isinstance(table, (list, tuple)) and table and all(isinstance(row, dict) for row in table):
        yield from _of_objects(((f"{where}: row {number}", row) for number, row in enumerate(table, 1)), names, shape)
    elif isinstance(table, (list, tuple)):
        for number, row in enumerate(table, 1):
            if not isinstance(row, (list, tuple)) or len(row) != 3:
                raise InputError(f"{where}: row {number} is {short(repr(row))}; expected ({', '.join(shape.needed)})")
            yield f"{where}: row {number}", dict(zip(shape.needed, row, strict=True))
    else:
        others = {**shape.optional, **shape.ours}
        needed, optional = ({name: names[name] for name in some if name in names} for some in (shape.asked, others))
        cells = columns_of(table, needed, optional, where)
        for number, row in enumerate(zip(*cells.values(), strict=True), 1):
            yield f"{where}: row {number}", dict(zip(cells, row, strict=True))


def _of_dict(table: Mapping[Any, Any], where: str, shape: RowShape) -> Iterator[Record]:
    """Values by document by topic."""
    for topic, documents in table.items():
        if not isinstance(documents, dict):
            raise InputError(
                f"{where}: topic {topic!r} holds {short(repr(documents))}; "
                f"expected a dict from documents to {shape.value}s"
            )
        for document, value in documents.items():
            row_name = f"{where}: topic {topic!r}: document {short(str(document))!r}"
            yield row_name, {"topic": topic, "document": document, shape.value: value}


# ---- Columns and cells ---------------------------------------------------------------------------------------------


def _columns(header: Sequence[str], names: Names, row_name: str, needed: Iterable[str], hint: str) -> dict[str, int]:
    """Where our columns stand among those of a table, by their names in any case."""
    columns = places_of(header, names)
    check_places(columns, needed, names, header, row_name, hint)
    return columns


def _has_names(cells: Sequence[str], names: Names, shape: RowShape) -> bool:
    """Whether the first line of a table names its columns."""
    return {*shape.needed} <= {*places_of(cells, names)}


def word(value: Any, what: str, row_name: str) -> str:
    """A topic or document of a row."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a frame with an empty cell makes 401 a 401.0
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    return single_word("" if is_empty(value) else text, what, row_name)


LABELS = RowShape(
    value="label",
    names=LABEL,
    words={
        3: ("topic", "document", "label"),
        4: ("topic", "round", "document", "label"),
        5: ("topic", "round", "document", "stratum", "label"),
    },
    lines="every line needs topic document label, or is one of a qrels file",
    optional={"stratum": STRATUM, "round": ROUND},
    ours={**DESIGN, "cost": ("cost",)},
    hint=HINT,
    one_of_several=True,
)


@dataclass
class LabelRows:
    """Rows one after the other; `label` is None where there is none, `place` says where a row stood.

    `stratum` and `round` are 0 where a row has none, `cost` is None. `header` holds the comments of poolwise, or what
    columns say in their place; `plans` has the numbers of plans that rows name, each with the first row that does.
    """

    name: str
    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    label: list[Any] = field(default_factory=list)  # whole numbers, or any where decimals are asked for
    stratum: list[int] = field(default_factory=list)
    round: list[int] = field(default_factory=list)
    row_name: list[str] = field(default_factory=list)
    cost: list[float | None] = field(default_factory=list)
    header: list[bytes] = field(default_factory=list)
    plans: dict[str, str] = field(default_factory=dict)
    has_strata: bool = False

    def __len__(self) -> int:
        return len(self.topic)


def label_rows(
    data: Any, *, unjudged: int | None = -1, columns: Mapping[str, str] | None = None, decimals: bool = False
) -> LabelRows:
    """Read labels of any shape; `unjudged` stands for none, `columns` says what our columns are called.

    With `decimals`, labels may be any numbers.

    >>> rows = label_rows([("401", "a", 2), ("401", "b", None)])
    >>> rows.topic, rows.document, rows.label
    (['401', '401'], ['a', 'b'], [2, None])
    """
    rows, design = LabelRows(file_or_table(data, "qrels").where), DesignCells()
    for row_name, cells in records(data, LABELS, name="qrels", columns=columns, header=rows.header):
        rows.topic.append(word(cells["topic"], "topic", row_name))
        rows.document.append(word(cells["document"], "document", row_name))
        label = number(cells["label"], row_name) if decimals else whole_number(cells["label"], "label", row_name)
        rows.label.append(None if label == unjudged else label)
        rows.has_strata = rows.has_strata or "stratum" in cells
        rows.stratum.append(whole_number(cells.get("stratum"), "stratum", row_name) or 0)
        rows.round.append(_round(cells.get("round")))
        cost = _float(cells.get("cost"))
        rows.cost.append(cost if cost > 0 else None)
        rows.row_name.append(row_name)
        design.see(cells)
        if plan := number_of(cells):
            rows.plans.setdefault(plan, row_name)
    rows.header += design.lines()
    return rows


def number(value: Any, row_name: str) -> float | None:
    """A label that may have a decimal point, also as text; None for an empty cell.

    >>> number("0.5", "labels:1"), number("", "labels:2")
    (0.5, None)
    """
    if is_empty(value):
        return None
    label = _float(value)
    if LOWEST <= label <= HIGHEST:
        return label
    raise InputError(f"{row_name}: label {short(repr(value))} is not a number; leave the cell empty for none")


def whole_number(value: Any, what: str, row_name: str) -> int | None:
    """A whole number, also as text; None for an empty cell."""
    if is_empty(value):
        return None
    number = _float(value)
    if number.is_integer() and (LOWEST if what == "label" else 0) <= number <= HIGHEST:
        return int(number)
    raise InputError(f"{row_name}: {what} {short(repr(value))} is not a whole number; leave the cell empty for none")


def _float(value: Any) -> float:
    """The number in a cell, NaN where there is none; True is none."""
    try:
        return float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _round(value: Any) -> int:
    """A round; as in a qrels file, other words stand for none.

    >>> [_round(word) for word in ("2", "Q0", "\u00b2", "9" * 5000, None)]
    [2, 0, 0, 0, 0]
    """
    text = "" if is_empty(value) else str(value).strip()
    return int(text) if text.isdecimal() and len(text) < 19 and int(text) <= HIGHEST else 0
