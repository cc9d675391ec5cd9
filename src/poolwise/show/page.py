"""Pages: one self-contained HTML file with a summary, tables, figures and methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files

from poolwise import __version__
from poolwise.extras import load
from poolwise.score.score_tables import write_text
from poolwise.show.items import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["Figure", "Page", "Table"]


@dataclass(frozen=True)
class Page:
    """A page: what it says in plain words first, then parts, then how it was made."""

    title: str
    summary: Sequence[str]
    parts: Sequence[Table | Figure]
    methods: Sequence[str] = ()
    warnings: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)  # of other pages: title and summary

    def html(self) -> str:
        """The whole page; plotly's script is inside once, if there is a figure."""
        jinja2 = load("jinja2", "report")
        figures = [part for part in self.parts if isinstance(part, Figure)]
        folder = files("poolwise.show") / "templates"
        environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        return str(
            environment.from_string((folder / "page.html").read_text("utf-8")).render(
                page=self,
                parts=[("figure" if isinstance(part, Figure) else "table", part) for part in self.parts],
                style=(folder / "page.css").read_text("utf-8"),
                script=(folder / "page.js").read_text("utf-8"),
                plotly=load("plotly.offline", "report").get_plotlyjs() if figures else "",
                searchable=any(part.names_runs for part in self.parts),
                version=__version__,
            )
        )

    def write(self, path: Any) -> None:
        """Write the page, whole or not at all."""
        write_text(path, self.html())
