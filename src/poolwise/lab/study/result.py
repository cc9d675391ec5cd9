"""`Study`: the result of an experiment as tables and figures, with a summary in words."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from pathlib import Path

from poolwise import __version__
from poolwise.basics import settings as checks
from poolwise.basics.results import MOST_SHOWN, warn_of
from poolwise.basics.rows import html_table, parquet_bytes
from poolwise.basics.words import counted
from poolwise.basics.writing import make_folder, write_bytes, write_text
from poolwise.errors import ArgumentError, MissingDependency
from poolwise.show.page import Entry, Page, check_own_pages, how_made, write_images
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal


@dataclass(frozen=True, eq=False)
class Study:
    """A finished study.

    `parts` are its tables and figures in the order of the page. `summary` and `methods` are sentences, `settings` those
    of the study. `tables` and `figures` have parts by name.
    """

    name: str
    title: str
    summary: tuple[str, ...]
    parts: tuple[Table | Figure, ...]
    methods: tuple[str, ...]
    warnings: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def tables(self) -> dict[str, Table]:
        """Tables by the name of their file."""
        return {part.name: part for part in self.parts if isinstance(part, Table)}

    @property
    def figures(self) -> dict[str, Figure]:
        """Figures by name."""
        return {part.name: part for part in self.parts if isinstance(part, Figure)}

    def to_frame(self, table: str | None = None, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Give one table as a data frame.

        Parameters
        ----------
        table : str, optional
            Its name; the first unless given.
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.

        Returns
        -------
        data frame
            The table.
        """
        return self._table(table).to_frame(backend)

    def to_markdown(self, table: str | None = None, digits: int = 4) -> str:
        """Give one table in Markdown.

        Parameters
        ----------
        table : str, optional
            Its name; the first unless given.
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table.
        """
        return replace(self._table(table), digits=digits).to_markdown()

    def to_latex(self, table: str | None = None, digits: int = 4) -> str:
        """Give one table as a LaTeX tabular.

        Parameters
        ----------
        table : str, optional
            Its name; the first unless given.
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table.
        """
        return replace(self._table(table), digits=digits).to_latex()

    def _table(self, name: str | None) -> Table:
        tables = self.tables
        name = next(iter(tables)) if name is None else name
        if name not in tables:
            raise ArgumentError(f"the study has no table {name!r}; its tables are {', '.join(tables)}")
        return tables[name]

    def plot(self, figure: str | None = None) -> Any:
        """Draw one figure.

        Parameters
        ----------
        figure : str, optional
            Its name; the first unless given.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows.
        """
        from poolwise.show.figures import plotly_figure

        figures = self.figures
        figure = next(iter(figures)) if figure is None else figure
        if figure not in figures:
            raise ArgumentError(f"the study has no figure {figure!r}; its figures are {', '.join(figures)}")
        return plotly_figure(figures[figure])

    def show(self) -> None:
        """Show every figure, in a notebook or in a browser."""
        for name in self.figures:
            self.plot(name).show()

    def write_tables(self, folder: Any) -> tuple[str, ...]:
        """Write `folder/NAME.csv` and a Parquet twin of every table.

        Parameters
        ----------
        folder : path
            Where to.

        Returns
        -------
        tuple of str
            What could not be written, in words.
        """
        from pathlib import Path

        path = Path(checks.path(folder))
        make_folder(path)
        for name, table in self.tables.items():
            write_text(path / f"{name}.csv", table.csv())
        try:
            for name, table in self.tables.items():
                write_bytes(path / f"{name}.parquet", parquet_bytes(table.plain_columns()))
        except MissingDependency as error:
            return (f"no Parquet twins of the tables were written: {error}",)
        return ()

    def report(self, folder: Any, *, figures: Sequence[str] = (), command: str = "") -> str:
        """Write `folder/index.html` and `folder/tables/`.

        Parameters
        ----------
        folder : path
            Where to.
        figures : sequence of {"svg", "png", "pdf"}
            Formats in which every figure is also written to `folder/figures/`.
        command : str
            How the study was made, for the page.

        Returns
        -------
        str
            The page's path.
        """
        return write_study(self, folder, figures=figures, command=command)

    def __repr__(self) -> str:
        return f"<Study {self.name}: {counted(len(self.tables), 'table')}, {counted(len(self.figures), 'figure')}>"

    def _repr_html_(self) -> str:
        """Summary, first table, and names of the other parts, as HTML."""
        from html import escape

        first = next(iter(self.tables.values()))
        lines = [*self.summary, *(f"note: {note}" for note in self.warnings)]
        lines += [f"Tables: {', '.join(self.tables)}; figures: {', '.join(self.figures)} (show() draws them)."]
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines)
        table = html_table(first.columns, MOST_SHOWN)
        return f"<p><b>{escape(self.title)}</b></p>{paragraphs}<p>{escape(first.title)}</p>{table}"


TABLES = "All tables, with every row, column and digit, are files in the folder `tables` beside this page."
UNTOLD = ("kept", "group_of", "kind_of", "all_kinds")  # settings that repeat the runs
# What the citations in methods stand for.
PAPERS = {
    "B07": "Bompada, Chang, Chen, Kumar, Shenoy: On the robustness of relevance measures with incomplete judgments, "
    "SIGIR 2007",
    "S07": "Sakai: Alternatives to bpref, SIGIR 2007",
    "Y08": "Yilmaz, Kanoulas, Aslam: A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008",
    "K09": "Kanoulas, Aslam: Empirical justification of the gain and discount function for nDCG, CIKM 2009",
    "G20": "Gienapp, Fröbe, Hagen, Potthast: The impact of negative relevance judgments on NDCG, CIKM 2020",
}


def study_page(study: Study, command: str = "", links: Mapping[str, str] | None = None) -> Page:
    """Page of a study: summary, tables and figures (except empty ones), methods."""
    parts = [part for part in study.parts if isinstance(part, Figure) or part.length]
    return Page(study.title, study.summary, parts, methods_of(study, command), study.warnings, dict(links or {}))


def methods_of(study: Study, command: str = "") -> list[str]:
    """Methods of the study: its sentences, the papers that they cite, versions and the command."""
    from importlib.metadata import version

    text = " ".join(study.methods)
    cited = [f"[{name}] {words}." for name, words in PAPERS.items() if name in text]
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    versions = f"poolwise {__version__}, Python {platform.python_version()}, {libraries}."
    settings = (
        "Settings: "
        + "; ".join(
            f"{name.replace('_', ' ')} {shown}"
            for name, value in study.settings.items()
            if name not in UNTOLD and (shown := _short(value))
        )
        + "."
    )
    return [*study.methods, *cited, settings, versions, TABLES, *how_made(command)]


def write_study(
    study: Study,
    folder: Any,
    *,
    figures: Sequence[str] = (),
    command: str = "",
    links: Mapping[str, str] | None = None,
    shared: Any = None,
) -> str:
    """Write `index.html`, `tables/` and, in the formats asked for, `figures/`. Returns the page's path.

    Plotly's script goes to the folder `shared`, the study's own unless given.
    """
    path = Path(checks.path(folder))
    check_own_pages([path / "index.html"])
    make_folder(path)
    warn_of(study.write_tables(path / "tables"))
    if figures:
        write_images(study.figures.values(), path / "figures", figures)
    study_page(study, command, links).write(path / "index.html", path if shared is None else shared)
    return str(path / "index.html")


def contents_page(title: str, pages: Mapping[str, Page], command: str = "") -> Page:
    """Page of links to other pages by folder, with their summaries."""
    entries = {
        f"{folder}/index.html": Entry(page.title, list(page.summary), next(iter(page.figures), None))
        for folder, page in pages.items()
    }
    warnings = list(dict.fromkeys(warning for page in pages.values() for warning in page.warnings))
    methods = how_made(command)
    return Page(title, [], [], methods, warnings, entries=entries)


def _short(value: Any, most: int = 12) -> str:
    if isinstance(value, (list, tuple)):
        shown = ", ".join(map(str, value[:most]))
        return shown + (f", ... ({len(value)} in all)" if len(value) > most else "")
    return str(value)
