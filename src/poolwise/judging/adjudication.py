"""Disagreements to settle: from a list, or from what this judging holds."""

from __future__ import annotations

from poolwise.basics.words import unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.column_names import DOCUMENT, TOPIC
from poolwise.reading.csv_rows import csv_rows
from poolwise.reading.json_objects import json_value
from poolwise.reading.judging_events import in_force
from poolwise.reading.text_files import file_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from poolwise.reading.judging_events import Event

    Said = dict[tuple[str, str], list[str]]

OWN = "own"  # in place of a file: what assessors of this plan disagree on


def disagreements(events: list[Event], names: Mapping[int, str]) -> Said:
    """Documents to which assessors gave different labels, with what was said, not by whom."""
    last: dict[tuple[str, str], dict[str, Event]] = {}
    for event in in_force(events):
        if event.action == "label" and not event.again:
            last.setdefault((event.topic, event.document), {})[event.assessor] = event
    return {
        pair: [_words(event, names) for event in own.values()]
        for pair, own in last.items()
        if len({event.label for event in own.values()}) > 1
    }


def read_disagreements(path: str) -> Said:
    """Lines of topic and document, or a CSV or JSON lines with these columns; what else they say is shown."""
    listed: Said = {}
    for number, record in enumerate(_records(file_text(path), path), 1):
        topic, document = (
            next((record[name] for name in names if record.get(name)), None) for names in (TOPIC, DOCUMENT)
        )
        if topic is None or document is None:
            raise InputError(
                f"{path}: entry {number} lacks topic or document; name these columns, or give just the two"
            )
        said = [f"{name}: {value}" for name, value in record.items() if name not in TOPIC + DOCUMENT and value != ""]
        listed[str(topic), str(document)] = said
    if not listed:
        raise InputError(f"{path}: nothing to settle found; give lines of topic and document")
    return listed


def _records(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines and lines[0].lstrip().startswith("{"):
        for line in lines:
            try:
                record = json_value(line)
            except ValueError:
                record = {}
            yield record if isinstance(record, dict) else {}
        return
    sign = next((sign for sign in ("\t", ",") if lines and sign in lines[0]), None)
    if sign is not None and set(TOPIC) & set(lines[0].split(sign)):
        names, *rows = (unescaped_cells(row) for _, row in csv_rows(lines, where, delimiter=sign))
        yield from (dict(zip(names, row, strict=False)) for row in rows)
        return
    for line in lines:
        words = line.replace(sign, " ").split() if sign else line.split()
        yield dict(zip(("topic", "document"), words, strict=False))


def _words(event: Event, names: Mapping[int, str]) -> str:
    label = 0 if event.label is None else event.label
    unsure = ", not sure" if event.unsure else ""
    note = f": {event.note}" if event.note else ""
    return f"{label} {names.get(label, '')}".strip() + unsure + note
