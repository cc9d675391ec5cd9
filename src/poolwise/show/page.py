"""Pages: one self-contained HTML file with a summary, tables, figures and methods."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.resources import files

from poolwise import __version__
from poolwise.extras import load
from poolwise.read.whole_files import write_text
from poolwise.show.items import Figure, Heading, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["Figure", "Heading", "Page", "Table", "together"]

KINDS = {Figure: "figure", Heading: "heading", Table: "table"}


@dataclass(frozen=True)
class Page:
    """A page: what it says in plain words first, then parts, then how it was made."""

    title: str
    summary: Sequence[str]
    parts: Sequence[Table | Figure | Heading]
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
                parts=[(KINDS[type(part)], part) for part in self.parts],
                style=(folder / "page.css").read_text("utf-8"),
                script=(folder / "page.js").read_text("utf-8"),
                plotly=load("plotly.offline", "report").get_plotlyjs() if figures else "",
                chapters=[part for part in self.parts if isinstance(part, Heading)],
                searchable=any(part.names_runs for part in self.parts),
                version=__version__,
            )
        )

    def write(self, path: Any) -> None:
        """Write the page, whole or not at all."""
        write_text(path, self.html())


def together(title: str, pages: Mapping[str, Page]) -> Page:
    """Pages as sections of one; what they say of methods and warnings is said once."""
    if len(pages) == 1:
        return next(iter(pages.values()))
    parts: list[Table | Figure | Heading] = []
    for name, page in pages.items():
        parts.append(Heading(name, page.summary))
        parts += [replace(part, title=f"{part.title} ({name})") for part in page.parts]
    methods, warnings = (
        list(dict.fromkeys(text for page in pages.values() for text in getattr(page, kind)))
        for kind in ("methods", "warnings")
    )
    return Page(title, [], parts, methods, warnings)
