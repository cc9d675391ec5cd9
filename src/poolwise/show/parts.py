"""Tables, headings and figures of results, as plain data for pages and files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial

from poolwise.basics.extras import frame
from poolwise.basics.results import MOST_SHOWN as NOTEBOOK_ROWS
from poolwise.basics.rows import cell_text, csv_text, html_table, is_missing, latex_text, markdown_text, plain, rows_of
from poolwise.basics.settings import whole
from poolwise.basics.words import readable
from poolwise.show.column_words import in_words, words_in, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from poolwise.show.column_words import Words

PAGE_ROWS = 1000  # rows of a table on a page; more make browsers slow, and files have them all
STORED_DIGITS = 5  # significant digits of numbers behind figures and cells: one more than is shown
NEAR = 0.001  # relative: a cell whose text differs by less needs no stored number for sorting
BROAD, BROADEST = 11, 16  # columns from which a page sets tables closer, and closer still (page.css)
CLOSE_DIGITS = 3  # decimals in broad tables


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns under a title. Pages round numbers, files keep every digit.

    `file` is the name of its file, `note` explains it. The highest value of the columns `best` is bold in tables for
    papers. If their cells are texts (a value with its interval), `ranked` has the numbers. `wide` names three columns:
    a page shows values of the third by the first (rows) and the second (columns), files keep one row per value.
    `links` are addresses by cell text. `heads` override the headings of columns. Pages omit columns `only_in_file`.

    >>> Table("Runs by AP", {"run": ["a"], "AP": [0.25]}).name
    'runs-by-ap'
    """

    title: str
    columns: Mapping[str, Sequence[Any]]
    note: str = ""
    digits: int = 4
    file: str = ""
    best: tuple[str, ...] = ()
    ranked: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    wide: tuple[str, str, str] | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, Words] = field(default_factory=dict)
    only_in_file: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        whole("digits", self.digits)

    @property
    def name(self) -> str:
        """A name for files and anchors."""
        return self.file or anchor(self.title)

    @property
    def numeric(self) -> list[bool]:
        """For each column, whether it holds numbers."""
        kinds = [{type(value) for value in column} - {type(None)} for column in self.plain_columns().values()]
        return [kind <= {int, float} and bool(kind) for kind in kinds]

    @property
    def words(self) -> list[Words]:
        """Headings and meanings of the columns."""
        return [self.heads.get(name, words) for name, words in zip(self.columns, words_in(self.columns), strict=True)]

    @property
    def headed(self) -> list[tuple[str, Words]]:
        """Names of the columns in files, with their headings."""
        return list(zip(self.columns, self.words, strict=True))

    def page_rows(self) -> list[list[tuple[str, str]]]:
        """Cells as pairs: the stored number (empty if the text is exact), and the text."""
        columns = zip(self.words, self.plain_columns().values(), strict=True)
        return [list(row) for row in zip(*(self._page_column(*column) for column in columns), strict=True)]

    def _page_column(self, words: Words, column: list[Any]) -> list[tuple[str, str]]:
        numbers = [value for value in column if isinstance(value, float) and math.isfinite(value)]
        # Columns of counts that are floats (NaN among them) are shown without decimals; 0 and 1 alone may be
        # shares.
        whole = all(value == int(value) for value in numbers) and any(abs(value) > 1 for value in numbers)
        digits = self.digits if words.digits is None else words.digits
        form = ".0f" if whole else f".{digits}f"
        shown = up_text if words.up else chance_text if words.chance else partial(cell_text, form=form)
        if words.percent:
            shown = partial(percent_text, digits=_percent_digits(numbers) if words.digits is None else words.digits)
        return [(behind(value, text), text) for value, text in zip(column, map(shown, column), strict=True)]

    def for_page(self) -> Table:
        """The table as a page shows it: pivoted if it is `wide`, with headings instead of column names in its note."""
        if self.wide is None:
            shorter = {name: column[:PAGE_ROWS] for name, column in self.columns.items()}
            columns: dict[str, Any] = {name: shorter[name] for name in shorter if name not in self.only_in_file}
            if "what" in columns:  # its cells are names of numbers, as columns have them
                columns["what"] = [words_of(str(name)).heading for name in columns["what"]]
            return replace(self, columns=columns, note=in_words(self.note))
        down, across, value = self.wide
        listed = self.plain_columns()
        percent, shown = words_of(across).percent, words_of(value)
        wide: dict[str, list[Any]] = {down: list(dict.fromkeys(listed[down]))}
        cells = dict(zip(zip(listed[down], listed[across], strict=True), listed[value], strict=True))
        decimals = _percent_digits(listed[value]) if shown.percent else None
        heads = {}
        for head in dict.fromkeys(listed[across]):
            text = percent_text(head) if percent else str(head)
            wide[text] = [cells.get((row, head)) for row in wide[down]]
            heads[text] = shown._replace(heading=text, meaning="", digits=decimals)
        words = f"{shown.heading} by {words_of(down).heading} and {words_of(across).heading}"
        note = f"{in_words(self.note)} {words[0].upper()}{words[1:]}.".strip()
        digits = min(self.digits, CLOSE_DIGITS) if len(wide) >= BROAD else self.digits
        return replace(self, columns=wide, note=note, wide=None, heads=heads, digits=digits)

    def rows(self) -> list[list[tuple[Any, str]]]:
        """Cells as value and text."""
        usual = partial(cell_text, form=f".{self.digits}f")
        shown = [chance_text if words.chance else usual for words in self.words]
        return [[(value, text(value)) for value, text in zip(row, shown, strict=True)] for row in rows_of(self.columns)]

    def cells(self) -> list[list[str]]:
        """Cells as text, row by row."""
        return [[text for _, text in row] for row in self.rows()]

    def bold(self) -> set[tuple[int, int]]:
        """Row and column of the highest value of each column of `best`. Several if they are equal after rounding."""
        cells = set()
        for index, (name, column) in enumerate(self.plain_columns().items()):
            values = plain(self.ranked.get(name, column))
            numbers = [value for value in values if type(value) in (int, float)]
            if name in self.best and numbers and len(values) > 1:
                texts = [cell_text(value, f".{self.digits}f") for value in values]
                highest = texts[values.index(max(numbers))]
                cells |= {(row, index) for row, text in enumerate(texts) if text == highest}
        return cells

    def csv(self) -> str:
        """The table as a file, with every digit."""
        return csv_text(tuple(self.columns), rows_of(self.columns))

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the table as a data frame."""
        return frame(self.plain_columns(), backend)

    def to_markdown(self) -> str:
        """Return the table, rounded, in Markdown."""
        return markdown_text(list(self.columns), self.cells(), self.numeric, self.bold())

    def to_latex(self) -> str:
        """Return the table, rounded, as a LaTeX tabular."""
        return latex_text(list(self.columns), self.cells(), self.numeric, self.bold())

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self.title}, {self.length} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.title)}</p>{html_table(self.columns, NOTEBOOK_ROWS)}<p>{escape(self.note)}</p>"

    @property
    def names_runs(self) -> bool:
        """Whether rows begin with a run."""
        return next(iter(self.columns), "").startswith("run")

    @property
    def breadth(self) -> str:
        """CSS classes of a table with many columns, which is set closer."""
        if len(self.columns) >= BROADEST:
            return "broad broadest"
        return "broad" if len(self.columns) >= BROAD else ""

    @property
    def is_cut(self) -> bool:
        """Whether a page shows only its first rows."""
        return self.wide is None and self.length > PAGE_ROWS

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def plain_columns(self) -> dict[str, list[Any]]:
        """Columns as lists, also those that are numpy arrays."""
        return {name: plain(column) for name, column in self.columns.items()}


@dataclass(frozen=True)
class Heading:
    """Title of a section, with its summary."""

    title: str
    sentences: Sequence[str] = ()
    names_runs = False

    @property
    def name(self) -> str:
        """A name for anchors."""
        return anchor(self.title)


@dataclass(frozen=True, repr=False)
class Figure:
    """A plotly figure, as data and layout, under a title."""

    title: str
    data: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    note: str = ""
    height: float = 0  # in lines of text; 0: the default
    width: float = 0  # least, in the same unit; narrower pages scroll

    @property
    def name(self) -> str:
        """A name for files and anchors."""
        return anchor(self.title)

    @property
    def names_runs(self) -> bool:
        """Whether points of the figure are runs."""
        return any(trace.get("meta") == "runs" for trace in self.data)

    def plot(self) -> Any:
        """The figure as a plotly figure, for notebooks."""
        from poolwise.show.figures import plotly_figure

        return plotly_figure(self)

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}>"

    def traces(self) -> list[dict[str, Any]]:
        """The data with names escaped, because plotly reads them as HTML."""
        return [
            {key: _as_text(value) if key in NAMES else value for key, value in trace.items()} for trace in self.data
        ]

    def json(self) -> str:
        """Traces and layout as JSON that is safe inside a script element, with numbers rounded to the stored digits."""
        from json import dumps

        drawn = _shortened({"data": _copied_once(self.traces()), "layout": self.layout})
        return dumps(drawn, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


NAMES = ("name", "text", "x", "y")  # keys of traces with names of runs, topics and measures


def _as_text(value: Any) -> Any:
    """Texts, alone or in lists, escaped for plotly.

    >>> _as_text(["<b>", 1.5])
    ['&lt;b>', 1.5]
    """
    if isinstance(value, str):
        return readable(value).replace("&", "&amp;").replace("<", "&lt;")
    return [_as_text(each) for each in value] if isinstance(value, list) else value


def _copied_once(traces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Traces without the repeated grey lines: the page's script copies those of the first panel to all.

    >>> _copied_once([{"meta": "behind", "x": [1], "y": [2]}, {"meta": "behind", "x": [1], "y": [2], "xaxis": "x2"}])
    [{'meta': 'behind', 'x': [1], 'y': [2]}, {'meta': 'behind', 'xaxis': 'x2'}]
    """
    first = next((trace for trace in traces if trace.get("meta") == "behind"), None)
    return [
        {key: value for key, value in trace.items() if key not in "xy"}
        if trace.get("meta") == "behind" and trace is not first
        else trace
        for trace in traces
    ]


def _shortened(value: Any) -> Any:
    """Numbers rounded to the stored digits, also in lists and dicts. NaN becomes None, a gap in a figure.

    >>> _shortened({"x": [0.123456789, 12, None, float("nan")]})
    {'x': [0.12346, 12, None, None]}
    """
    if isinstance(value, float):
        return float(f"{value:.{STORED_DIGITS}g}") if math.isfinite(value) else None
    if hasattr(value, "items"):
        return {key: _shortened(each) for key, each in value.items()}
    return [_shortened(each) for each in value] if isinstance(value, (list, tuple)) else value


def behind(value: Any, text: str) -> str:
    """The number behind a cell, for sorting and downloads. Empty if the text is exact enough.

    >>> behind(0.123456, "0.1235"), behind(0.001234567, "0.0012"), behind(0.1, "10 %"), behind(True, "yes")
    ('', '0.0012346', '0.1', 'True')
    """
    if isinstance(value, bool):
        return str(value)
    if not isinstance(value, (int, float)) or is_missing(value) or _is_near(text, value):
        return ""
    return f"{value:.{STORED_DIGITS}g}" if isinstance(value, float) else str(value)


def _is_near(text: str, value: float) -> bool:
    try:
        shown = float(text)
    except ValueError:
        return False
    return shown == value or abs(shown - value) <= NEAR * abs(value)


def percent_text(share: Any, digits: int | None = None) -> str:
    """A share in percent, with `digits` decimals. By default one if it is not a whole percent.

    >>> percent_text(0.1), percent_text(0.9342), percent_text(0.005), percent_text(0.1, 1), percent_text(None)
    ('10 %', '93.4 %', '0.5 %', '10.0 %', '')
    """
    if not isinstance(share, (int, float)) or share != share:
        return ""
    return f"{100 * share:.{int(_has_tenths(share)) if digits is None else digits}f} %"


def _percent_digits(shares: Sequence[Any]) -> int:
    """Common number of decimals for a column of shares in percent."""
    return int(any(isinstance(share, float) and math.isfinite(share) and _has_tenths(share) for share in shares))


def _has_tenths(share: float) -> bool:
    return round(100 * share, 1) % 1 != 0


def chance_text(p: Any) -> str:
    """A probability with four decimals. A small one is not shown as 0.

    >>> chance_text(0.0312), chance_text(0.00001), chance_text(None)
    ('0.0312', '<0.0001', '')
    """
    return "<0.0001" if isinstance(p, (int, float)) and 0 <= p < 0.00005 else cell_text(p, ".4f")


def up_text(number: Any) -> str:
    """A required number, rounded up.

    >>> up_text(43.2), up_text(float("inf")), up_text(None)
    ('44', 'inf', '')
    """
    if not isinstance(number, (int, float)) or number != number:
        return ""
    return str(math.ceil(number - 1e-9)) if math.isfinite(number) else f"{number:g}"


def anchor(title: str) -> str:
    """A title as a name for files and anchors.

    >>> anchor("Scores, by nDCG@10")
    'scores-by-ndcg-10'
    """
    words = "".join(character.lower() if character.isalnum() else " " for character in title)
    return "-".join(words.split())
