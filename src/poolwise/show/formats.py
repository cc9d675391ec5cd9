"""The output formats, declared once: name, file endings, part of a result, description, writer.

Commands print a `Shown`. The parts that it defines (rows, tables, page, TREC lines) decide which formats it has. A new
format is one entry of FORMATS. Options, help, endings and error messages follow from it.
"""

from __future__ import annotations

import os

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from poolwise.show.page import Page
    from poolwise.show.parts import Table

__all__ = ["FORMATS", "Format", "Shown", "format_of_ending", "formats_of", "written"]

PLAIN = ("", ".txt")  # endings of plain text, written as the command prints it


class Shown:
    """Output of a command. A subclass defines the parts that it has."""

    if TYPE_CHECKING:  # only for types: a subclass without a part must not inherit it, see `formats_of`

        def lines(self) -> Iterable[str] | Iterable[bytes]:
            """Lines in one of TREC's formats."""

        def rows(self) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
            """Names of columns, and rows with every digit, for programs."""

        def tables(self) -> Sequence[Table]:
            """Tables for people."""

        def page(self) -> Page:
            """A page with figures."""

    def record(self) -> Any:
        """Content of JSON, if that is more than the rows."""
        return None

    def sentences(self) -> Sequence[str]:
        """Sentences for every output with tables: a conclusion, or how the numbers were computed."""
        return ()

    def text(self) -> str:
        """The tables as aligned text."""
        from poolwise.basics.rows import aligned_text

        return "\n\n".join(aligned_text(list(table.columns), table.cells()) for table in self.tables()) + "\n"


class Format:
    """An output format. `holds` names the part of a `Shown` that it writes, `needs` a library and its extra."""

    def __init__(
        self,
        name: str,
        endings: Sequence[str],
        holds: str,
        words: str,
        write: Callable[[Shown], str | Iterable[str] | Iterable[bytes]],
        needs: tuple[str, str] | None = None,
        binary: bool = False,
    ) -> None:
        self.name, self.endings, self.holds, self.words, self.write = name, endings, holds, words, write
        self.needs, self.binary = needs, binary


def _csv(shown: Shown, mark: str = ",") -> Iterable[str]:
    from poolwise.basics.rows import csv_lines

    return csv_lines(*shown.rows(), mark=mark)


def _parquet(shown: Shown) -> Iterable[bytes]:
    from poolwise.basics.rows import parquet_pieces

    return parquet_pieces(*shown.rows())


def _markdown(shown: Shown) -> str:
    from poolwise.basics.rows import markdown_text

    sentences = " ".join(shown.sentences())
    return _titled("### {}\n\n", markdown_text, shown) + (f"\n{sentences}\n" if sentences else "")


def _latex(shown: Shown) -> str:
    from poolwise.basics.rows import latex_text

    return "".join(f"% {sentence}\n" for sentence in shown.sentences()) + _titled("% {}\n", latex_text, shown)


def _json(shown: Shown) -> Iterable[str]:
    from poolwise.basics.rows import json_lines, json_text

    record = shown.record()
    return json_lines(*shown.rows()) if record is None else [json_text(record)]


def _jsonl(shown: Shown) -> Iterable[str]:
    from poolwise.basics.rows import json_objects

    return json_objects(*shown.rows())


def _titled(before: str, write: Callable[..., str], shown: Shown) -> str:
    """All tables. With titles if there are several."""
    tables = shown.tables()
    titles = [before.format(table.title) if len(tables) > 1 else "" for table in tables]
    parts = [write(list(table.columns), table.cells(), table.numeric, table.bold()) for table in tables]
    return "\n".join(title + part for title, part in zip(titles, parts, strict=True))


FORMATS = {
    each.name: each
    for each in (
        Format("trec", (".trec", ".qrels"), "lines", "lines as trec_eval has them", lambda shown: shown.lines()),
        Format("table", (), "tables", "an aligned table", lambda shown: shown.text()),
        Format("csv", (".csv",), "rows", "comma-separated rows, every digit", _csv),
        Format("tsv", (".tsv",), "rows", "the same with tabs", lambda shown: _csv(shown, "\t")),
        Format("json", (".json",), "rows", "a list of objects", _json),
        Format("jsonl", (".jsonl", ".ndjson"), "rows", "objects, each on a line of its own", _jsonl),
        Format("markdown", (".md", ".markdown"), "tables", "a rounded table for a page or an issue", _markdown),
        Format("latex", (".tex",), "tables", "a rounded table for a paper", _latex),
        Format(
            "html", (".html", ".htm"), "page", "a page with figures, one file",
            lambda shown: shown.page().html(), needs=("jinja2", "report"),
        ),
        Format(
            "parquet", (".parquet",), "rows", "a Parquet file", _parquet,
            needs=("pyarrow", "parquet"), binary=True,
        ),
    )
}  # fmt: skip


def formats_of(shown: type[Shown]) -> tuple[str, ...]:
    """Formats of a command: those whose part its output defines.

    >>> class Runs(Shown):
    ...     def rows(self):
    ...         return ["run"], [["bm25"]]
    >>> "csv" in formats_of(Runs), "latex" in formats_of(Runs)
    (True, False)
    """
    return tuple(each.name for each in FORMATS.values() if hasattr(shown, each.holds))


def format_of_ending(path: str, known: Sequence[str]) -> str | None:
    """The format of a file ending. None for plain text, an error for an unknown ending.

    >>> format_of_ending("scores.tex", ("csv", "latex")), format_of_ending("scores.txt", ("csv",))
    ('latex', None)
    """
    ending = os.path.splitext(path)[1].lower()
    if ending in PLAIN:
        return None
    for name in known:
        if ending in FORMATS[name].endings:
            return name
    endings = ", ".join(FORMATS[name].endings[0] for name in known if FORMATS[name].endings)
    form = next((each.name for each in FORMATS.values() if ending in each.endings), None)
    why = f"{form} is not made here" if form else f"no format ends in {ending}"
    raise ArgumentError(f"{path}: {why}; use {endings}, or .txt or no ending for plain text")


def written(shown: Shown, name: str) -> str | Iterable[str] | Iterable[bytes]:
    """The output in a format, whole or in pieces.

    >>> class Runs(Shown):
    ...     def rows(self):
    ...         return ["run"], [["bm25"]]
    >>> "".join(written(Runs(), "csv"))
    'run\\nbm25\\n'
    """
    return FORMATS[name].write(shown)
