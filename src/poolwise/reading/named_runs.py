"""Text tables of several runs, told apart by a column: one table per run, as of data frames and Parquet."""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.column_names import is_numbered, places_of
from poolwise.reading.foreign_text import MARKS, NO_TAG, cells_of
from poolwise.reading.opening import STREAM, formed, opened
from poolwise.reading.sources import file_or_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from poolwise.reading.foreign_text import ForeignText
    from poolwise.reading.forms import Form
    from poolwise.reading.sources import Source

    Rows = dict[str, list[tuple[str, str, float]]]  # topic, document and score, by run


def runs_of_table(path: str, columns: Mapping[str, str] | None = None) -> list[tuple[str, Any]]:
    """The runs of a table, JSON lines or a list of JSON that names several, as rows; none if it names one or none."""
    source = file_or_table(path, "run")
    source.columns = columns
    if not _names_runs(source):
        return []
    with opened(source, STREAM) as (file, _):
        text, form, file = formed(file, source, labels=False)
        text.split = True
        rows = _by_run(form.lines(file, text), text, form.name == "JSON") if form else {}
    return list(rows.items()) if len(rows) > 1 else []


def _names_runs(source: Source) -> bool:
    """Whether the beginning of a file tells of runs; one that cannot be read is for others to refuse."""
    try:
        with opened(source, STREAM) as (file, kind):
            if kind in ("parquet", "sqlite"):
                return False
            text, form, _ = formed(file, source, labels=False)
            return form is not None and _beginning_names(text, form)
    except InputError:
        return False


def _by_run(lines: Iterator[bytes], text: ForeignText, entries: bool) -> Rows:
    """Rows by the tag of their lines; `entries` are counted where the text is no matter of lines."""
    rows: Rows = {}
    number = 0
    unnamed = ""
    for line in lines:
        number += line.count(b"\n")
        if line.strip() and not line.startswith(b"#"):
            topic, _, document, _, score, tag = line.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 5)
            place = f"{text.where}: entry {number}" if entries else f"{text.where}:{number}"
            unnamed = unnamed or (place if tag == NO_TAG else "")
            rows.setdefault(tag, []).append((topic, document, _score(score, place)))
    if unnamed and len(rows) > 1:
        raise InputError(f"{unnamed}: no run is named, as in other rows; name one")
    return rows


def _beginning_names(text: ForeignText, form: Form) -> bool:
    """Whether runs are named, as far as the beginning tells; those of JSON may turn out to be something else."""
    if form.name == "table":
        mark = next(filter(text.has_all, MARKS))
        return is_numbered(text.run_names) or bool(places_of(cells_of(text.first, mark), {"run": text.run_names}))
    if not form.name.startswith("JSON") or (form.name == "JSON" and not text.start.lstrip().startswith(b"[")):
        return False
    start = text.start.lower()
    return any(f'"{name}"'.lower().encode("utf-8", "surrogateescape") in start for name in text.run_names)


def _score(text: str, place: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{place}: score {short(text)!r} is not a number; every row needs one") from None
