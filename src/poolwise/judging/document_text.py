"""One document as it is shown: title, address, text, and whatever else its record says."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html.parser import HTMLParser

from poolwise import _core
from poolwise.errors import InputError
from poolwise.reading.columns import json_object, json_value
from poolwise.reading.opening import PIECE, START, opened
from poolwise.reading.sources import COMPRESSION_ENDINGS, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

UNREAD = {"script", "style", "noscript", "template", "svg", "head"}
APART = {
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
}  # fmt: skip


class _VisibleText(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.parts: list[str] = []
        self._unread = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "title":
            self._in_title = True
        elif tag in UNREAD:
            self._unread += 1
        elif tag in APART:
            self.parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in UNREAD:
            self._unread = max(0, self._unread - 1)
        elif tag in APART:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._unread:
            self.parts.append(data)


def words_of(text: str) -> tuple[str, str]:
    """Title and text of a page.

    >>> words_of("<head><title>A &amp; B</title></head><p>one</p><p>two\\n lines</p>")
    ('A & B', 'one\\n\\ntwo lines')
    """
    parser = _VisibleText()
    parser.feed(text)
    parser.close()
    paragraphs = (" ".join(part.split()) for part in "".join(parser.parts).split("\n\n"))
    return " ".join("".join(parser.title).split()), "\n\n".join(part for part in paragraphs if part)


# Names by which a field is known, ours first.
ID = (
    "id", "docid", "_id", "doc_id", "docno", "document", "document_id", "passage_id", "chunk_id", "corpus-id",
    "corpus_id", "pid",
)  # fmt: skip
TEXT = ("text", "contents", "content", "body", "passage", "abstract")
TITLE = ("title", "headline", "name")
URL = ("url", "link")
IMAGES = ("image", "images")
LONGEST = 400_000  # characters of a text that are shown


@dataclass(frozen=True)
class DocumentText:
    """The parts of a document that an assessor sees; all of it is text, none of it is ever run."""

    text: str
    title: str = ""
    url: str = ""
    more: dict[str, str] = field(default_factory=dict)
    images: tuple[str, ...] = ()

    def as_dict(self, images: bool = False) -> dict[str, Any]:
        """The fields that the page is sent, long texts cut with a word about it."""
        text = self.text
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n\n[cut here: the text has {len(self.text)} characters]"
        return {
            "title": self.title,
            "url": self.url if self.url.startswith(("http://", "https://")) else "",
            "text": text,
            "more": self.more,
            "images": list(self.images) if images else [],
        }


def id_of(record: Mapping[str, Any]) -> str | None:
    """The id of a record, as text; None if it has none.

    >>> id_of({"_id": 7, "text": "..."})
    '7'
    """
    identifier = _first(record, ID)
    return None if identifier is None or identifier == "" else str(identifier)


def from_record(record: Mapping[str, Any]) -> DocumentText:
    """A record of any fields: known ones have their place, others are listed below the text.

    >>> from_record({"docid": "a", "title": "Bees", "contents": "Bees fly.", "year": 1999})
    DocumentText(text='Bees fly.', title='Bees', url='', more={'year': '1999'}, images=())
    """
    images = _first(record, IMAGES)
    listed = images if isinstance(images, (list, tuple)) else [images] if images else []
    known = {name for names in (ID, TEXT, TITLE, URL, IMAGES) for name in names}
    more = {str(name): _shown(value) for name, value in record.items() if name not in known and _worth(value)}
    return DocumentText(
        _shown(_first(record, TEXT)), _shown(_first(record, TITLE)), _shown(_first(record, URL)), more,
        tuple(map(str, listed)),
    )  # fmt: skip


def from_plain(text: str) -> DocumentText:
    """The text that a command printed: a JSON object with fields, or the text itself.

    >>> from_plain('{"title": "Bees", "text": "Bees fly."}').title, from_plain("Bees fly.").text
    ('Bees', 'Bees fly.')
    """
    if text.lstrip().startswith("{"):
        try:
            record = json_value(text)
        except ValueError:
            return DocumentText(text)
        if isinstance(record, dict) and _first(record, TEXT) is not None:
            return from_record(record)
    return DocumentText(text)


def from_html(text: str) -> DocumentText:
    """The words of a page, without its tags, scripts and styles.

    >>> from_html("<title>Bees</title><script>x()</script><p>Bees <b>fly</b>.</p>")
    DocumentText(text='Bees fly.', title='Bees', url='', more={}, images=())
    """
    title, words = words_of(text)
    return DocumentText(words, title)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "\n\n".join(_shown(part) for part in value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_shown(part)}" for name, part in value.items())
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _worth(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}


if TYPE_CHECKING:
    Advance = Callable[[int, int], None] | None
BATCH = 1024  # rows of a Parquet file that are held at once
LONGEST_CELL = 1 << 26  # characters of a CSV cell; the csv module's own limit of 128 KiB is shorter than long texts
EVERY_LINE = "an object with id and text"
NEWS = 20_000  # records after which progress is told
# Columns of a file that does not name them, by their number, as collections of MS MARCO have them.
WITHOUT_NAMES = {2: ["id", "text"], 3: ["id", "title", "text"], 4: ["id", "url", "title", "text"]}


def records(path: str, advance: Advance = None) -> Iterator[dict[str, Any]]:
    """Every record of a file, in its order."""
    with opened(Source("documents", path), kind_of(path)) as (file, kind):
        for number, record in enumerate(_rows(path, file, kind), 1):
            yield record
            if advance is not None and number % NEWS == 0:
                advance(number, 0)


def kind_of(path: str) -> str:
    """The kind of a file by its first bytes; empty for plain text."""
    try:
        with open(path, "rb") as file:
            return _core.kind_of(file.read(START))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the file") from error


def ending(path: str) -> str:
    """The ending that tells how records are written, less one of compression.

    >>> ending("corpus/documents.jsonl.xz")
    '.jsonl'
    """
    stem, last = os.path.splitext(path)
    return os.path.splitext(stem)[1].lower() if last in COMPRESSION_ENDINGS else last.lower()


def _rows(path: str, file: Any, kind: str) -> Iterator[dict[str, Any]]:
    if kind == "parquet":
        return _parquet_rows(file)
    if ending(path) in (".csv", ".tsv"):
        return _csv_rows(path, file)
    return _json_rows(path, file)


def _json_rows(path: str, file: Any) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines_of(file), 1):
        if line.strip():
            yield json_object(line, f"{path}:{number}", EVERY_LINE)


def _csv_rows(path: str, file: Any) -> Iterator[dict[str, Any]]:
    import csv

    text = (line.decode("utf-8", "replace") for line in lines_of(file))
    tabs = ending(path) == ".tsv"
    rows = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(text)
    usual = csv.field_size_limit(LONGEST_CELL)  # of the whole process, so it is set back afterwards
    try:
        yield from _named(path, rows)
    except csv.Error as error:
        raise InputError(f"{path}: the CSV cannot be read ({error}); quote texts with commas and line ends") from None
    finally:
        csv.field_size_limit(usual)


def _named(path: str, rows: Iterator[list[str]]) -> Iterator[dict[str, Any]]:
    first = [cell.removeprefix("\ufeff") for cell in next(rows, [])]
    names = first if any(cell in ID for cell in first) else WITHOUT_NAMES.get(len(first))
    if names is None:
        raise InputError(f"{path}: the first line names no column id; begin the file with names, as in id,title,text")
    if names is not first:
        yield dict(zip(names, first, strict=True))
    for row in rows:
        yield dict(zip(names, row, strict=False))


def _parquet_rows(file: Any) -> Iterator[dict[str, Any]]:
    from poolwise.basics.extras import load

    table = load("pyarrow.parquet", "parquet").ParquetFile(file)
    for batch in table.iter_batches(batch_size=BATCH):
        yield from batch.to_pylist()


def lines_of(file: Any) -> Iterator[bytes]:
    """The lines of a file that can be read piece by piece, each with its end."""
    rest = b""
    while piece := file.read(PIECE):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest
