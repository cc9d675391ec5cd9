"""What every result of poolwise can do, and how rows become text.

A result declares its table by `columns`; data frame, dict, JSON, CSV, the line in a terminal and the table in a
notebook follow from that. Nothing here loads numpy: `poolwise score` starts without it.
"""

from __future__ import annotations

from poolwise.errors import PoolwiseWarning
from poolwise.extras import frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

__all__ = [
    "Result", "aligned_text", "csv_lines", "csv_text", "html_table", "is_missing", "json_lines", "json_text", "plain",
    "warn_of",
]  # fmt: skip

MOST_SHOWN = 60  # rows of a table that a notebook or a terminal shows
SPECIAL = frozenset(',"\n\r')  # a cell of CSV that holds one of these is put in quotes


class Result:
    """A result: a table, the facts around it, and what to know before trusting it.

    Dataclasses that inherit from it say `repr=False`, so that the short line below is theirs.
    """

    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """The table, column by column."""
        raise NotImplementedError

    def details(self) -> Mapping[str, Any]:
        """Everything there is to know, by name: the fields, unless a result says more."""
        return vars(self)

    def overview(self) -> dict[str, Any]:
        """The table that people are shown: `columns`, unless another one says more at a glance."""
        return self.columns()

    def headline(self) -> str:
        """The result in a few words."""
        columns = self.columns()
        rows = len(next(iter(columns.values()), ()))
        return f"{rows} row{'' if rows == 1 else 's'} of {', '.join(columns)}"

    def notes(self) -> tuple[str, ...]:
        """What to know before trusting the result; each was also given as a warning."""
        return self.warnings

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: numbers, texts, lists and dicts."""
        return {name: plain(value) for name, value in self.details().items()}

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table as a data frame of pandas, polars or pyarrow."""
        return frame(self.columns(), backend)

    def to_json(self) -> str:
        """Everything as JSON; what is missing or infinite is null."""
        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """The table as CSV; numbers keep every digit."""
        columns = self.columns()
        return csv_text(tuple(columns), _rows(columns))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def __str__(self) -> str:
        columns = {name: [_shown(value) for value in plain(values)] for name, values in self.overview().items()}
        rows = _rows(columns)
        text = aligned_text(tuple(columns), rows[:MOST_SHOWN])
        more = [f"... and {len(rows) - MOST_SHOWN} more rows"] if len(rows) > MOST_SHOWN else []
        return "\n".join([self.headline(), "", text, *more, *(f"note: {note}" for note in self.notes())])

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<p>note: {escape(note)}</p>" for note in self.notes())
        return f"<p>{escape(self.headline())}</p>{html_table(self.overview(), MOST_SHOWN)}{notes}"


def warn_of(notes: Iterable[str]) -> tuple[str, ...]:
    """Give each note as a warning at the line that called poolwise, and return them to be kept in the result."""
    said = tuple(notes)
    if said:
        from warnings import warn

        calls = _calls_to_outside()
        for note in said:
            warn(note, PoolwiseWarning, stacklevel=calls)
    return said


def _calls_to_outside() -> int:
    """How many calls up, from the caller of this, the first code is that is not our own."""
    import sys

    caller, calls = sys._getframe(1), 1
    while caller.f_back is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "poolwise":
        caller, calls = caller.f_back, calls + 1
    return calls


def plain(value: Any) -> Any:
    """A value as Python's own numbers, texts, lists and dicts, also what numpy and dataclasses hold.

    >>> plain({"ends": (0.5, 1)})
    {'ends': [0.5, 1]}
    """
    if value is None or type(value) in (str, float, int, bool):
        return value
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return plain(value.tolist())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "__dataclass_fields__"):
        return plain(vars(value))
    if hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, int, float)) else repr(value)


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, or NaN, which alone differs from itself.

    >>> is_missing(float("nan")), is_missing(0.0)
    (True, False)
    """
    return value is None or (isinstance(value, float) and value != value)


def json_text(value: Any) -> str:
    """A value as JSON that every reader takes: what is missing or infinite is null.

    >>> json_text({"phi": float("nan"), "topics": float("inf")})
    '{\\n "phi": null,\\n "topics": null\\n}\\n'
    """
    from json import dumps

    return dumps(_finite(plain(value)), indent=1, allow_nan=False) + "\n"


def json_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Rows as a list of objects, one after the other, as `json_text` writes it.

    >>> "".join(json_lines(("run", "value"), [])), "".join(json_lines(("run",), [("a",)]))
    ('[]\\n', '[\\n {\\n  "run": "a"\\n }\\n]\\n')
    """
    before = "[\n "
    for row in rows:
        yield before + json_text(dict(zip(columns, row, strict=True)))[:-1].replace("\n", "\n ")
        before = ",\n "
    yield "[]\n" if before == "[\n " else "\n]\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], mark: str = ",") -> str:
    """Rows as CSV; floats keep every digit, what is missing leaves the cell empty.

    >>> csv_text(("run", "value"), [("a,b", 0.1), ("c", float("nan"))])
    'run,value\\n"a,b",0.1\\nc,\\n'
    """
    return "".join(csv_lines(header, rows, mark))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]], mark: str = ",") -> Iterator[str]:
    """The lines of CSV, one after the other."""
    special = SPECIAL | {mark}
    yield mark.join(_quoted(name, special) for name in header) + "\n"
    for row in rows:
        yield mark.join(_csv_cell(value, special) for value in row) + "\n"


def _csv_cell(value: Any, special: frozenset[str]) -> str:
    if type(value) is float:
        return repr(value) if value == value else ""
    return "" if is_missing(value) else _quoted(str(plain(value)), special)


def _quoted(text: str, special: frozenset[str]) -> str:
    return text if special.isdisjoint(text) else '"' + text.replace('"', '""') + '"'


def html_table(columns: Mapping[str, Any], most: int | None = None) -> str:
    """Columns as a plain HTML table, at most so many rows; numbers get four significant digits.

    >>> html_table({"run": ["a<b"], "phi": [0.81234]}).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td><td>0.8123</td></tr></tbody></table>'
    """
    rows = _rows(columns)
    body = "".join(_html_row(map(_shown, row), "td") for row in rows[:most])
    more = f"<p>... and {len(rows) - most} more rows</p>" if most is not None and len(rows) > most else ""
    return f"<table><thead>{_html_row(columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"


def _html_row(cells: Iterable[str], tag: str) -> str:
    from html import escape

    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def aligned_text(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """Rows as an aligned table, the first column to the left and the others to the right.

    >>> print(aligned_text(("run", "AP"), [("bm25", "0.25")]))
    run     AP
    ----------
    bm25  0.25
    """
    widths = [max(len(str(row[c])) for row in [header, *rows]) for c in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *others = [str(cell) for cell in cells]
        return "  ".join(
            [first.ljust(widths[0]), *(o.rjust(w) for o, w in zip(others, widths[1:], strict=True))]
        ).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([*([title] if title else []), line(header), rule, *map(line, rows)])


def _rows(columns: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return list(zip(*(plain(values) for values in columns.values()), strict=True))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    return "" if value is None else str(value)
