"""Pages: a summary, tables, figures and methods, as one HTML file that needs no other, or sharing plotly's script."""

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

SHOWN = 12  # characters of a digest
PIECE = 1 << 20


def digest_words(path: str) -> str:
    """A file's digest; of a folder how many files it has and the digest of all."""
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
    """Refuse what cannot be drawn here: a format that nobody knows, or any while what draws is missing."""
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
    """One browser for all images; kaleido draws in it."""
    import warnings

    kaleido = load("kaleido", "images")
    kaleido.start_sync_server(silence_warnings=True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The kopts argument")  # plotly gives it always, a server needs none
            yield
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


OUTPUT = ("-o", "--output")  # what follows is written, not read


def how_made(command: str) -> list[str]:
    """Sentences for the end of a page; none without a command.

    >>> how_made("poolwise measures")
    ['Command: poolwise measures']
    """
    inputs = "; ".join(f"{path} ({digest_words(path)})" for path in _inputs(command))
    return [*([f"Command: {command}"] if command else []), *([f"Input: {inputs}."] if inputs else [])]


def today() -> str:
    """The day, or the one that SOURCE_DATE_EPOCH names, for pages that shall be made again byte for byte."""
    import time

    return time.strftime("%Y-%m-%d", time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))


def _inputs(command: str) -> list[str]:
    """The files and folders that a command names, also several in one word, and that are there."""
    import shlex

    words = shlex.split(command)[2:]  # a folder may be called as the command is
    read = [word for before, word in zip(["", *words], words, strict=False) if before not in OUTPUT]
    named = [part for word in read for part in ([word] if os.path.exists(word) else word.split(","))]
    return [word for word in dict.fromkeys(named) if os.path.isfile(word) or os.path.isdir(word)]


CONTENTS = 5  # so many parts and more are listed at the top
SCRIPT = "plotly.min.js"
OWN = b"<footer>poolwise "  # every page has it, and so tells that it is ours
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
    entries: Mapping[str, Entry] = field(default_factory=dict)  # by address

    @property
    def figures(self) -> list[Figure]:
        """The figures, also those of entries."""
        pictures = [entry.picture for entry in self.entries.values()]
        return [part for part in (*pictures, *self.parts) if isinstance(part, Figure)]

    def contents(self) -> list[Table | Figure | Heading]:
        """What a list of contents names: chapters if there are, else all parts, unless one sees them at a glance."""
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
        return readable(str(text)).replace("rho^2", "ρ²")

    def write(self, path: Any, shared: Any = None) -> None:
        """Write the page, whole or not at all.

        Pages of a folder share plotly's script: it is written into the folder `shared`, at or above the page's own. The
        names of such pages are ours, not the user's: a file that has one and is no page of ours stays.
        """
        if shared is not None:
            check_own_pages([path])
        write_text(path, self.html(_shared_script(path, shared) if shared is not None and self.figures else ""))


@dataclass(frozen=True)
class Entry:
    """Another page, as a page that leads to it shows it: title, what it says, its first figure."""

    title: str
    summary: Sequence[str]
    picture: Figure | None = None


def check_own_pages(paths: Iterable[Any]) -> None:
    """Refuse to write pages over files that are none: what else stands in a folder is not ours to replace."""
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
        return OWN in file.read()


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
    """What stands between backticks, as in notes of a terminal, set as code; options are not broken at their hyphens.

    >>> str(_with_code("see `score -m P@<k>`"))
    'see <code>score <span class="option">-m</span> P@&lt;k&gt;</code>'
    """
    escaped = load("markupsafe", "report").escape(_unbroken(text))
    whole = re.sub(r"(?<=[\s(`])(--?[a-z][a-z-]*)", r'<span class="option">\1</span>', str(escaped))
    return type(escaped)(re.sub("`([^`]+)`", r"<code>\1</code>", whole))


def _unbroken(text: str) -> str:
    """A number stays on the line of its percent sign, as does the name of a coefficient.

    >>> _unbroken("95 % of E rho^2")
    '95\xa0% of E\xa0rho^2'
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=\bE) (?=rho\^2)", "\xa0", text)


def _shared_script(page: Any, folder: Any) -> str:
    """Where a page finds the script of its folder, which is written if it is not there or is another release's."""
    script, text = os.path.join(os.fsdecode(folder), SCRIPT), plotly_script()
    if not os.path.exists(script) or os.path.getsize(script) != len(text.encode()):
        write_text(script, text)
    return os.path.relpath(script, os.path.dirname(os.path.abspath(os.fsdecode(page)))).replace(os.sep, "/")


def plotly_script() -> str:
    """The script that draws figures."""
    return str(load("plotly.offline", "report").get_plotlyjs())


@cache
def packed_plotly() -> tuple[str, str]:
    """What the script says of itself, with its licence, and the script itself, packed to less than half its size."""
    from base64 import b64encode
    from zlib import compress

    script = plotly_script()
    about = script[script.index("/*") : script.index("*/")].strip("/* \n") if "*/" in script else ""
    return " ".join(about.replace("*", " ").split()), b64encode(compress(script.encode())).decode()


def together(title: str, pages: Mapping[str, Page]) -> Page:
    """Pages as sections of one; what they say of methods and warnings is said once."""
    if len(pages) == 1:
        return next(iter(pages.values()))
    parts: list[Table | Figure | Heading] = []
    for name, page in pages.items():
        parts.append(Heading(name, page.summary))
        parts += [replace(part, title=f"{part.title} ({name})") for part in page.parts]
    methods, warnings = (_of_all([getattr(page, kind) for page in pages.values()]) for kind in ("methods", "warnings"))
    return Page(title, [], parts, methods, warnings)


def _of_all(texts: Sequence[Sequence[str]]) -> list[str]:
    """What pages say, each sentence once; what all of them say comes last.

    >>> _of_all([["AP by a test.", "Command: compare"], ["P@10 by a test.", "Command: compare"]])
    ['AP by a test.', 'P@10 by a test.', 'Command: compare']
    """
    said = dict.fromkeys(text for each in texts for text in each)
    return sorted(said, key=lambda text: all(text in each for each in texts))
