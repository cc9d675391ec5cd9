"""The page of a study, with its tables and figures as files beside it, and an index of several."""

from __future__ import annotations

import platform
from pathlib import Path

from poolwise import __version__
from poolwise.basics import settings as checks
from poolwise.basics.results import warn_of
from poolwise.basics.writing import make_folder
from poolwise.show.images import write_images
from poolwise.show.origin import how_made
from poolwise.show.page import Entry, Page, check_own_pages
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.lab.study.study_result import Study

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
    """What was found, its tables and figures but for empty ones, and how it was done, on one page."""
    parts = [part for part in study.parts if isinstance(part, Figure) or part.length]
    return Page(study.title, study.summary, parts, methods_of(study, command), study.warnings, dict(links or {}))


def methods_of(study: Study, command: str = "") -> list[str]:
    """How the study was made: its own words, the papers they cite, versions and the command."""
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
    """Write `index.html`, `tables/` and, in the formats asked for, `figures/`; returns the page's path.

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
    """A page that leads to others, by their folder, and says what each of them says."""
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
