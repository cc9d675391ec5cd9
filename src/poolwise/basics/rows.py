"""Rows as text and bytes: CSV, JSON, Markdown, LaTeX, HTML, aligned text, Parquet.

Only this module decides how missing and infinite numbers are written. Nothing here loads numpy:
`poolwise score` starts without it.
"""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.basics.settings import whole
from poolwise.basics.words import escaped_cell, readable, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

__all__ = [
    "aligned_text", "cell_text", "csv_lines", "csv_text", "html_table", "is_missing", "json_lines", "json_objects",
    "json_text", "latex_text", "markdown_text", "parquet_bytes", "parquet_pieces", "plain", "rounded", "rows_of",
    "stacked_head",
]  # fmt: skip

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"} | {
    character: "\\" + character for character in "_&%#${}"
}
PAGE_LINES = 45  # rows of a table on a page of a paper, at 10 points with its caption
LONG = r"more rows than a page holds: \usepackage{longtable}"
MARKDOWN = {ord("|"): "\\|", ord("<"): "&lt;", ord("&"): "&amp;"}  # Markdown takes a name such as <b> for HTML
ROW_GROUP = 1 << 17  # rows of a Parquet row group: a few MB in memory; pyarrow reads a group at a time
PIECE = 1 << 20  # bytes of a finished Parquet file that are passed on at once
SPECIAL = frozenset(',"\n\r')  # a cell of CSV that holds one of these is put in quotes


def plain(value: Any) -> Any:
    """A value as Python's own numbers, texts, lists and dicts, also what numpy and dataclasses hold.

    >>> plain({"ends": (0.5, 1)})
    {'ends': [0.5, 1]}
    """
    # Most cells: a fast way before the tests by attribute.
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
        return {", ".join(map(str, key)) if isinstance(key, tuple) else key: plain(item) for key, item in value.items()}
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


def json_objects(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Rows as objects, each on a line of its own.

    >>> "".join(json_objects(("run", "AP"), [("a", 0.5), ("b", float("nan"))]))
    '{"run": "a", "AP": 0.5}\\n{"run": "b", "AP": null}\\n'
    """
    from json import dumps

    for row in rows:
        yield dumps(_finite(plain(dict(zip(columns, row, strict=True)))), allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], mark: str = ",") -> str:
    """Rows as CSV. Floats keep every digit, what is missing leaves the cell empty, and no text is a formula.

    >>> csv_text(("run", "value"), [("a,b", 0.1), ("=c", float("nan"))])
    'run,value\\n"a,b",0.1\\n\\'=c,\\n'
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
        # `repr` is the shortest text that reads back as the same number.
        return repr(value) if value == value else ""
    if is_missing(value):
        return ""
    text = plain(value)
    return _quoted(text, special) if isinstance(text, str) else _in_quotes(str(text), special)


def _quoted(text: str, special: frozenset[str]) -> str:
    return _in_quotes(escaped_cell(text), special)


def _in_quotes(text: str, special: frozenset[str]) -> str:
    return text if special.isdisjoint(text) else '"' + text.replace('"', '""') + '"'


def html_table(columns: Mapping[str, Any], most: int | None = None) -> str:
    """Columns as a plain HTML table, at most so many rows. Numbers get four significant digits.

    >>> html_table({"run": ["a<b"], "phi": [0.81234]}).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td><td>0.8123</td></tr></tbody></table>'
    """
    rows = rows_of(columns)
    body = "".join(_html_row(map(cell_text, row), "td") for row in rows[:most])
    left = 0 if most is None else len(rows) - most
    more = f"<p>... and {left} more row{'' if left == 1 else 's'}</p>" if left > 0 else ""
    return f"<table><thead>{_html_row(columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"


def _html_row(cells: Iterable[str], tag: str) -> str:
    from html import escape

    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def markdown_text(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    bold: Collection[tuple[int, int]] = (),
) -> str:
    """Rows of texts as a table in Markdown. Columns of numbers stand to the right, cells of `bold` are printed so.

    >>> print(markdown_text(("run", "AP"), [("a|b", "0.25")], (False, True)), end="")
    | run | AP |
    |---|---:|
    | a\\|b | 0.25 |
    """
    rule = "|" + "|".join("---:" if number else "---" for number in numeric) + "|"
    escaped = [[cell.translate(MARKDOWN) for cell in row] for row in (header, *rows)]
    head, *body = ("| " + " | ".join(row) + " |" for row in _marked(escaped, bold, "**{}**"))
    return "\n".join([head, rule, *body]) + "\n"


def latex_text(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    bold: Collection[tuple[int, int]] = (),
) -> str:
    """Rows of texts as a LaTeX tabular. Columns of numbers stand to the right, cells of `bold` are printed so.

    What does not fit on a page is a longtable, which repeats its header on every page.
    """
    kinds = "".join("r" if number else "l" for number in numeric)
    escaped = [["".join(LATEX.get(each, each) for each in cell) for cell in row] for row in (header, *rows)]
    head, *body = (" & ".join(row) + r" \\" for row in _marked(escaped, bold, r"\textbf{{{}}}"))
    long = len(body) > PAGE_LINES
    kind, repeat = ("longtable", [r"\endhead"]) if long else ("tabular", [])
    begin = [f"% {LONG}"] * long + [rf"\begin{{{kind}}}{{{kinds}}}"]
    lines = [*begin, r"\hline", head, r"\hline", *repeat, *body, r"\hline", rf"\end{{{kind}}}"]
    return "\n".join(lines) + "\n"


def _marked(lines: list[list[str]], bold: Collection[tuple[int, int]], mark: str) -> list[list[str]]:
    """Lines, the header first, with some cells of the rows in bold: their value, not the interval behind it."""
    for row, column in bold:
        value, blank, rest = lines[row + 1][column].partition(" ")
        lines[row + 1][column] = mark.format(value) + blank + rest
    return lines


def parquet_bytes(columns: Mapping[str, Any]) -> bytes:
    """Columns as a Parquet file in memory."""
    return b"".join(parquet_pieces(tuple(columns), rows_of(columns)))


def parquet_pieces(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Rows as a Parquet file, some of them at a time. NaN is an empty cell."""
    from itertools import islice
    from tempfile import TemporaryFile

    pyarrow, parquet = load("pyarrow", "parquet"), load("pyarrow.parquet", "parquet")
    writer, source = None, iter(rows)
    with TemporaryFile(prefix="poolwise-") as file:
        while (some := list(islice(source, ROW_GROUP))) or writer is None:
            cells = zip(*some, strict=True) if some else [()] * len(columns)
            filled = ([_stored(cell) for cell in column] for column in cells)
            table = pyarrow.table(dict(zip(columns, filled, strict=True)))
            if writer is None:  # a column that is empty so far holds numbers
                kinds = [pyarrow.float64() if pyarrow.types.is_null(kind) else kind for kind in table.schema.types]
                schema = pyarrow.schema(list(zip(columns, kinds, strict=True)))
                writer = parquet.ParquetWriter(file, schema)
            writer.write_table(table.cast(schema))
        writer.close()
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _stored(cell: Any) -> Any:
    """A cell of a Parquet file."""
    if isinstance(cell, str):
        return readable(cell)
    return None if is_missing(cell) else cell


def aligned_text(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """Rows as an aligned table, the first column to the left and the others to the right. Heads may have two lines.

    >>> print(aligned_text(("run", "mean\\nAP"), [("bm25", "0.25")]))
          mean
    run     AP
    ----------
    bm25  0.25
    """
    stacked = [name.split("\n") for name in header]
    height = max(map(len, stacked), default=1)
    heads = list(zip(*([""] * (height - len(lines)) + lines for lines in stacked), strict=True))
    widths = [max(len(str(row[c])) for row in [*heads, *rows]) for c in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *others = [str(cell) for cell in cells]
        return "  ".join(
            [first.ljust(widths[0]), *(o.rjust(w) for o, w in zip(others, widths[1:], strict=True))]
        ).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([*([title] if title else []), *map(line, heads), rule, *map(line, rows)])


def stacked_head(name: str) -> str:
    """A column's name as a head of two lines, for tables that are too wide for a terminal.

    >>> stacked_head("ties_move_AP"), stacked_head("judged@10"), stacked_head("run")
    ('ties\\nmove AP', 'judged\\n@10', 'run')
    """
    first, _, rest = name.replace("@", "_@", 1).partition("_")
    return f"{first}\n{rest.replace('_', ' ')}" if rest else first


def rows_of(columns: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Columns as rows of plain values."""
    return list(zip(*(plain(values) for values in columns.values()), strict=True))


def rounded(columns: Mapping[str, Any], digits: int) -> tuple[list[str], list[list[str]], list[bool]]:
    """Names, cells as texts, and which columns hold numbers."""
    form, rows = f".{whole('digits', digits)}f", rows_of(columns)
    numeric = [all(type(row[index]) in (int, float, type(None)) for row in rows) for index in range(len(columns))]
    return list(columns), [[cell_text(cell, form) for cell in row] for row in rows], numeric


def cell_text(value: Any, form: str = ".4g") -> str:
    """A cell as people are shown it: short numbers, a zero without a sign, yes and no, nothing for what is missing.

    >>> cell_text(0.123456), cell_text(0.5, ".2f"), cell_text(True), cell_text(None), cell_text("two\\nlines")
    ('0.1235', '0.50', 'yes', '', 'two\\\\nlines')
    >>> cell_text(-0.00001, ".2f")
    '0.00'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if value != value else format(value, f"z{form}")
    return "" if value is None else visible(str(value))
