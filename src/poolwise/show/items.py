"""What a study or an analysis shows: tables and figures, as plain data that pages and files are made from."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.extras import frame
from poolwise.score.score_tables import csv_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PAGE_ROWS = 1000  # longer tables are written to files but not shown


@dataclass(frozen=True)
class Table:
    """Named columns under a title; numbers are shown short and kept whole for sorting and download.

    `file` names the file that holds it. `note` says how to read it.

    >>> Table("Runs by AP", {"run": ["a"], "AP": [0.25]}).name
    'runs-by-ap'
    """

    title: str
    columns: Mapping[str, Sequence[Any]]
    note: str = ""
    digits: int = 4
    file: str = ""

    @property
    def name(self) -> str:
        """A name for files and anchors."""
        return self.file or anchor(self.title)

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [
            all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in column)
            for column in self.plain_columns().values()
        ]

    def rows(self) -> list[list[tuple[Any, str]]]:
        """Cells as value and text."""
        return [
            [(value, self._text(value)) for value in row] for row in zip(*self.plain_columns().values(), strict=True)
        ]

    def csv(self) -> str:
        """The table for download."""
        return csv_text(tuple(self.columns), zip(*self.plain_columns().values(), strict=True))

    def link(self) -> str:
        """The whole table as an address, so that downloading needs no file beside the page."""
        from base64 import b64encode

        return "data:text/csv;charset=utf-8;base64," + b64encode(self.csv().encode()).decode()

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the table as a data frame."""
        return frame(self.plain_columns(), backend)

    @property
    def names_runs(self) -> bool:
        """Whether rows begin with a run."""
        return next(iter(self.columns), "").startswith("run")

    @property
    def fits_page(self) -> bool:
        """Whether the table is short enough to show."""
        return len(next(iter(self.columns.values()), ())) <= PAGE_ROWS

    def plain_columns(self) -> dict[str, list[Any]]:
        """Columns as lists, also those that are numpy arrays."""
        return {name: getattr(column, "tolist", lambda c=column: list(c))() for name, column in self.columns.items()}

    def _text(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return "" if value != value else f"{value:.{self.digits}f}"
        return str(value)


@dataclass(frozen=True)
class Figure:
    """A plotly figure, as data and layout, under a title."""

    title: str
    data: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    note: str = ""

    @property
    def name(self) -> str:
        """A name for files and anchors."""
        return anchor(self.title)

    @property
    def names_runs(self) -> bool:
        """Whether points of the figure are runs."""
        return any(trace.get("meta") == "runs" for trace in self.data)

    def json(self) -> str:
        """Data and layout as JSON that is safe inside a script element."""
        from json import dumps

        return dumps({"data": list(self.data), "layout": dict(self.layout)}, allow_nan=False).replace("</", "<\\/")


def anchor(title: str) -> str:
    """A title as a name for files and anchors.

    >>> anchor("Scores, by nDCG@10")
    'scores-by-ndcg-10'
    """
    words = "".join(character.lower() if character.isalnum() else " " for character in title)
    return "-".join(words.split())
