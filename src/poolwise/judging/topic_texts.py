"""Texts of topics: title, description and narrative, from any of the usual files.

JSON lines, TSV, CSV, TREC's tagged text (tags that are never closed included), XML, or an id of ir_datasets. The kind
is told by the beginning of the text, not by the file's name.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from dataclasses import asdict, dataclass

from poolwise.errors import InputError
from poolwise.judging.document_text import kind_of
from poolwise.reading.columns import csv_rows, json_object, json_value
from poolwise.reading.opening import DATASET, dataset_of, opened
from poolwise.reading.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

# Names by which a field is known, ours first.
ID = ("id", "topic", "qid", "query_id", "_id", "number", "num", "topic_id")
TITLE = ("title", "text", "query", "question")
DESCRIPTION = ("description", "desc", "question", "background")
NARRATIVE = ("narrative", "narr")
OPENING = re.compile(r"<(top|topic|query)\b([^<>]*)>", re.IGNORECASE)
CLOSING = re.compile(r"</(top|topic|query)>", re.IGNORECASE)
LABELS = re.compile(r"^\s*(number|title|topic|description|narrative)\s*:", re.IGNORECASE)


@dataclass(frozen=True)
class TopicText:
    """Title, description and narrative of a topic."""

    title: str
    description: str = ""
    narrative: str = ""

    def as_dict(self) -> dict[str, str]:
        """The fields that the page is sent."""
        return asdict(self)


def read_topics(source: str | None) -> dict[str, TopicText]:
    """Topics by id; none without a source."""
    if source is None:
        return {}
    if source.startswith(DATASET) or not os.path.exists(source):
        dataset = dataset_of(source, "queries")
        return _by_id((query._asdict() for query in dataset.queries_iter()), source)
    with opened(Source("topics", source), kind_of(source)) as (file, _):
        text = file.read(1 << 30).decode("utf-8-sig", "replace")
    topics = _by_id(_records(text, source), source)
    if not topics:
        raise InputError(f"{source}: no topics found; give JSON lines, TSV, CSV or TREC topics with ids and titles")
    return topics


def _records(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    start = text.lstrip()[:1]
    if start == "{":
        return _json_lines(text, where)
    if start == "[":
        return _json_list(text, where)
    if start == "<":
        return _tagged(text)
    return _columns(text, where)


def _by_id(records: Iterable[Mapping[str, Any]], where: str) -> dict[str, TopicText]:
    topics: dict[str, TopicText] = {}
    for number, record in enumerate(records, 1):
        name = _field(record, ID)
        if not name:
            raise InputError(f"{where}: topic {number} has no id; give each an id (called id, qid or number)")
        if name in topics:
            raise InputError(f"{where}: two topics are called {name!r}; remove one of them")
        title = _field(record, TITLE)
        description = _field(record, DESCRIPTION)
        topics[name] = TopicText(title, "" if description == title else description, _field(record, NARRATIVE))
    return topics


def _field(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = record.get(name)
        if value is not None and str(value).strip():
            return " ".join(str(value).split()) if name in ID + TITLE else str(value).strip()
    return ""


def _json_lines(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield json_object(line, f"{where}:{number}", "an object with id and title")


def _json_list(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    try:
        yield from [{**record} for record in json_value(text)]
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{where}: this is no JSON ({error}); give a list of objects, or one object per line"
        ) from None


def _columns(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    """TSV or CSV, with names of columns or without: id and title, then description and narrative."""
    from csv import QUOTE_NONE

    lines = [line for line in text.splitlines() if line.strip()]
    tabs = bool(lines) and "\t" in lines[0]
    rows = csv_rows(lines, where, **({"delimiter": "\t", "quoting": QUOTE_NONE} if tabs else {}))
    names = ["id", "title", "description", "narrative"]
    for number, (_, row) in enumerate(rows, 1):
        if number == 1 and any(cell.strip().lower() in ID for cell in row):
            names = [cell.strip().lower() for cell in row]
        elif len(row) < 2:
            raise InputError(f"{where}:{number}: {row[0]!r} found; every line needs id and title, with a tab or comma")
        else:
            yield dict(zip(names, row, strict=False))


def _tagged(text: str) -> Iterator[Mapping[str, Any]]:
    """XML, or TREC's tagged text, where a field ends where the next one begins."""
    for attributes, body in _elements(text):
        record = {name.lower(): value for name, value in re.findall(r"\b(\w+)\s*=\s*[\"']([^\"']*)", attributes)}
        pieces = re.split(r"<(/?)([A-Za-z]\w*)[^<>]*>", body)
        if len(pieces) == 1:
            record.setdefault("title", _clean(body))
        for closing, tag, value in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            if not closing and _clean(value):
                record.setdefault(tag.lower(), _clean(value))
        yield record


def _elements(text: str) -> Iterator[tuple[str, str]]:
    """Attributes and contents of topics, in time that grows with the text, whatever is never closed.

    In some files a query is a topic, in others a field of one: what opens first ends with the tag of its own name.
    """
    ends: dict[str, list[tuple[int, int]]] = {}
    for closing in CLOSING.finditer(text):
        ends.setdefault(closing[1].lower(), []).append(closing.span())
    past = 0
    for opening in OPENING.finditer(text):
        of_name = ends.get(opening[1].lower(), [])
        number = bisect_left(of_name, (opening.end(), 0))
        if opening.start() >= past and number < len(of_name):
            begin, past = of_name[number]
            yield opening[2], text[opening.end() : begin]


def _clean(text: str) -> str:
    """Text of a field, without TREC's `Number:` and the like, references resolved."""
    from html import unescape

    paragraphs = re.split(r"\n\s*\n", unescape(LABELS.sub("", text)))
    return "\n\n".join(" ".join(part.split()) for part in paragraphs if part.strip())
