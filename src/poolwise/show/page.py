"""Pages: a summary, tables, figures and methods, as one HTML file. Pages of a folder can share plotly's script."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from poolwise import __version__
from poolwise.basics.extras import load
from poolwise.basics.words import counted, readable
from poolwise.basics.writing import make_folder, write_bytes, write_text
from poolwise.errors import ArgumentError, InputError, MissingDependency
from poolwise.show.parts import Figure, Heading, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

SHOWN = 12  # characters of a SHA-256 digest, 48 bits: enough to notice another version of a file
PIECE = 1 << 20  # bytes that are read at once


def digest_words(path: str) -> str:
    """Digest of a file. For a folder the number of its files and the digest of them all."""
    from hashlib import sha256

    files, digest = sorted(_files(path)), sha256()
    for file in files:
        with open(file, "rb") as opened:
            while piece := opened.read(PIECE):
                digest.update(piece)
    number = "" if os.path.isfile(path) else f"{counted(len(files), 'file')}, "
    return f"{number}sha256 {digest.hexdigest()[:SHOWN]}"


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (os.path.join(folder, name) for name in names)


FORMATS = ("svg", "png", "pdf")


def write_images(figures: Iterable[Figure], folder: Any, formats: Sequence[str]) -> None:
    """Write every figure in every format to `folder/NAME.FORMAT`, on white, 900 x 550."""
    check_images(formats)
    graph = load("plotly.graph_objects", "report")
    path = Path(folder)
    make_folder(path)
    with _painter():
        for figure in figures:
            drawn = graph.Figure({"data": figure.traces(), "layout": {"template": "plotly_white", **figure.layout}})
            for form in formats:
                image = drawn.to_image(format=form, width=900, height=550, scale=2 if form == "png" else 1)
                write_bytes(path / f"{figure.name}.{form}", image)


def check_images(formats: Sequence[str]) -> None:
    """Refuse unknown image formats, and all of them if kaleido or its browser is missing."""
    import os

    wrong = [form for form in formats if form not in FORMATS]
    if wrong:
        raise ArgumentError(f"figures cannot be written as {wrong[0]!r}; choose among {', '.join(FORMATS)}")
    load("kaleido", "images")
    browsers = load("choreographer.browsers.chromium", "images").Chromium
    if not os.environ.get("BROWSER_PATH") and browsers.find_browser(skip_local=False) is None:
        raise MissingDependency("figures as files are drawn by a browser; install Chrome or Chromium")


@contextmanager
def _painter() -> Iterator[None]:
    """One browser for all images, in which kaleido draws."""
    import warnings

    kaleido = load("kaleido", "images")
    kaleido.start_sync_server(silence_warnings=True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "The kopts argument"
            )  # plotly always passes it, also where a server ignores it
            yield
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


OUTPUT = ("-o", "--output")  # options before a file that is written, not read


def how_made(command: str) -> list[str]:
    """The command and its input files with their digests, as sentences. None without a command.

    >>> how_made("poolwise measures")
    ['Command: poolwise measures']
    """
    inputs = "; ".join(f"{path} ({digest_words(path)})" for path in _inputs(command))
    return [*([f"Command: {command}"] if command else []), *([f"Input: {inputs}."] if inputs else [])]


def today() -> str:
    """Today's date, or that of SOURCE_DATE_EPOCH, for pages that must be reproducible byte for byte."""
    import time

    return time.strftime("%Y-%m-%d", time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))


def _inputs(command: str) -> list[str]:
    """Existing files and folders that a command names. A word may list several, separated by commas."""
    import shlex

    words = shlex.split(command)[2:]  # without `poolwise COMMAND`: a folder may have the command's name
    read = [word for before, word in zip(["", *words], words, strict=False) if before not in OUTPUT]
    named = [part for word in read for part in ([word] if os.path.exists(word) else word.split(","))]
    return [word for word in dict.fromkeys(named) if os.path.isfile(word) or os.path.isdir(word)]


CONTENTS = 5  # parts from which a page gets a list of contents; fewer fit about two screens
SCRIPT = "plotly.min.js"
MARK = b"<footer>poolwise "  # in every page that poolwise writes: such a file may be replaced
KINDS = {Figure: "figure", Heading: "heading", Table: "table"}


@dataclass(frozen=True)
class Page:
    """A page: summary, tables and figures, methods."""

    title: str
    summary: Sequence[str]
    parts: Sequence[Table | Figure | Heading]
    methods: Sequence[str] = ()
    warnings: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)  # by address

    @property
    def figures(self) -> list[Figure]:
        """The figures, also those of entries."""
        pictures = [entry.picture for entry in self.entries.values()]
        return [part for part in (*pictures, *self.parts) if isinstance(part, Figure)]

    def contents(self) -> list[Table | Figure | Heading]:
        """Entries of the list of contents: chapters if there are any, else all parts of a long page."""
        chapters: list[Table | Figure | Heading] = [part for part in self.parts if isinstance(part, Heading)]
        return chapters or (list(self.parts) if len(self.parts) >= CONTENTS else [])

    def html(self, plotly: str = "") -> str:
        """The whole page. If there is a figure, plotly's script is inside, or found at the address `plotly`."""
        template, style, script = _template()
        text = template.render(
            page=self,
            parts=[(KINDS[type(part)], part) for part in self.parts],
            style=style,
            script=script,
            plotly=plotly,
            packed=packed_plotly() if self.figures and not plotly else None,
            contents=self.contents(),
            searchable=any(part.names_runs for part in self.parts),
            version=__version__,
            day=today(),
        )
        # Texts are ASCII for terminals; a page can show the superscript.
        return readable(str(text)).replace("rho^2", "ρ²")

    def write(self, path: Any, shared: Any = None) -> None:
        """Write the page, whole or not at all.

        Pages of a folder share plotly's script, which is written into the folder `shared`, at or above the page's
        folder. The names of such pages are fixed, so a file that is no page of poolwise is not replaced.
        """
        if shared is not None:
            check_own_pages([path])
        write_text(path, self.html(_shared_script(path, shared) if shared is not None and self.figures else ""))


@dataclass(frozen=True)
class Entry:
    """A linked page as the linking page shows it: title, summary, first figure."""

    title: str
    summary: Sequence[str]
    picture: Figure | None = None


def check_own_pages(paths: Iterable[Any]) -> None:
    """Refuse to replace files that poolwise did not write."""
    for path in paths:
        name = os.fsdecode(path)
        if os.path.lexists(name) and not _is_own(name):
            raise InputError(
                f"{name}: is there already and was not written by poolwise; move it, or name another folder"
            )


def _is_own(name: str) -> bool:
    if not os.path.isfile(name):
        return False
    with open(name, "rb") as file:
        return MARK in file.read()


@cache
def _template() -> tuple[Any, str, str]:
    """The template of pages, compiled once, its style and its script."""
    from importlib.resources import files

    jinja2 = load("jinja2", "report")
    folder = files("poolwise.show") / "templates"
    page, style, script = ((folder / f"page.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["with_code"] = _with_code
    environment.filters["unbroken"] = _unbroken
    return environment.from_string(page), style, script


def _with_code(text: str) -> Any:
    """Text with backticks as HTML: quoted parts become code, and options are not broken at hyphens.

    >>> str(_with_code("see `score -m P@<k>`"))
    'see <code>score <span class="option">-m</span> P@&lt;k&gt;</code>'
    """
    escaped = load("markupsafe", "report").escape(_unbroken(text))
    whole = re.sub(r"(?<=[\s(`])(--?[a-z][a-z-]*)", r'<span class="option">\1</span>', str(escaped))
    return type(escaped)(re.sub("`([^`]+)`", r"<code>\1</code>", whole))


def _unbroken(text: str) -> str:
    """Text with non-breaking spaces before percent signs and in coefficient names.

    >>> _unbroken("95 % of E rho^2")
    '95\xa0% of E\xa0rho^2'
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=\bE) (?=rho\^2)", "\xa0", text)


def _shared_script(page: Any, folder: Any) -> str:
    """Relative address of the shared script, which is written if it is missing or of another release."""
    script, text = os.path.join(os.fsdecode(folder), SCRIPT), plotly_script()
    # The size tells releases of plotly apart without reading 4 MB.
    if not os.path.exists(script) or os.path.getsize(script) != len(text.encode()):
        write_text(script, text)
    return os.path.relpath(script, os.path.dirname(os.path.abspath(os.fsdecode(page)))).replace(os.sep, "/")


def plotly_script() -> str:
    """The script that draws figures."""
    return str(load("plotly.offline", "report").get_plotlyjs())


@cache
def packed_plotly() -> tuple[str, str]:
    """The header of plotly's script with its licence, and the script, compressed to less than half its size."""
    from base64 import b64encode
    from zlib import compress

    script = plotly_script()
    about = script[script.index("/*") : script.index("*/")].strip("/* \n") if "*/" in script else ""
    return " ".join(about.replace("*", " ").split()), b64encode(compress(script.encode())).decode()


def together(title: str, pages: Mapping[str, Page]) -> Page:
    """Pages as sections of one page. Repeated methods and warnings appear once."""
    if len(pages) == 1:
        return next(iter(pages.values()))
    parts: list[Table | Figure | Heading] = []
    for name, page in pages.items():
        parts.append(Heading(name, page.summary))
        parts += [replace(part, title=f"{part.title} ({name})") for part in page.parts]
    methods, warnings = (_of_all([getattr(page, kind) for page in pages.values()]) for kind in ("methods", "warnings"))
    return Page(title, [], parts, methods, warnings)


def _of_all(texts: Sequence[Sequence[str]]) -> list[str]:
    """The sentences of several pages, each once. Sentences common to all are last.

    >>> _of_all([["AP by a test.", "Command: compare"], ["P@10 by a test.", "Command: compare"]])
    ['AP by a test.', 'P@10 by a test.', 'Command: compare']
    """
    distinct = dict.fromkeys(text for each in texts for text in each)
    return sorted(distinct, key=lambda text: all(text in each for each in texts))
