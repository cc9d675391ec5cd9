"""Pages: one self-contained HTML file with a summary, tables, figures and methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files

from poolwise import __version__
from poolwise.extras import load
from poolwise.score.tables import csv_text, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


@dataclass(frozen=True)
class Table:
    """Named columns under a title; numbers are shown short and kept whole for sorting and download."""

    title: str
    columns: Mapping[str, Sequence[Any]]
    note: str = ""
    digits: int = 4

    @property
    def name(self) -> str:
        """A name for files and anchors."""
        return anchor(self.title)

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [
            all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in column)
            for column in self._plain().values()
        ]

    def rows(self) -> list[list[tuple[Any, str]]]:
        """Cells as value and text."""
        return [[(value, self._text(value)) for value in row] for row in zip(*self._plain().values(), strict=True)]

    def csv(self) -> str:
        """The table for download."""
        return csv_text(tuple(self.columns), zip(*self._plain().values(), strict=True))

    @property
    def names_runs(self) -> bool:
        """Whether rows begin with a run."""
        return next(iter(self.columns), "").startswith("run")

    def _plain(self) -> dict[str, list[Any]]:
        """Columns as lists, also those that are numpy arrays."""
        return {name: getattr(column, "tolist", lambda c=column: list(c))() for name, column in self.columns.items()}

    def _text(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)


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

    def json(self) -> str:
        """Data and layout as JSON that is safe inside a script element."""
        from json import dumps

        return dumps({"data": list(self.data), "layout": dict(self.layout)}, allow_nan=False).replace("</", "<\\/")


@dataclass(frozen=True)
class Page:
    """A page: what it says in plain words first, then parts, then how it was made."""

    title: str
    summary: Sequence[str]
    parts: Sequence[Table | Figure]
    methods: Sequence[str] = ()
    warnings: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    def html(self) -> str:
        """The whole page; plotly's script is inside once, if there is a figure."""
        jinja2 = load("jinja2", "report")
        figures = [part for part in self.parts if isinstance(part, Figure)]
        folder = files("poolwise.report") / "templates"
        environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        return str(
            environment.from_string((folder / "page.html").read_text("utf-8")).render(
                page=self,
                parts=[("figure" if isinstance(part, Figure) else "table", part) for part in self.parts],
                style=(folder / "page.css").read_text("utf-8"),
                script=(folder / "page.js").read_text("utf-8"),
                plotly=load("plotly.offline", "report").get_plotlyjs() if figures else "",
                searchable=any(part.names_runs for part in self.parts if isinstance(part, Table)),
                version=__version__,
            )
        )

    def write(self, path: Any) -> None:
        """Write the page, whole or not at all."""
        write_text(path, self.html())


def anchor(title: str) -> str:
    """A title as a name for files and anchors.

    >>> anchor("Scores, by nDCG@10")
    'scores-by-ndcg-10'
    """
    words = "".join(character.lower() if character.isalnum() else " " for character in title)
    return "-".join(words.split())
