"""Files that follow from the events: judgments in the plan's columns, plain qrels, and every label with its story.

A judged text is small and travels: by git, which leaves SQLite files alone, or by mail. Its labels become events of
somebody unknown, who is dealt just these documents, so that nobody is asked for them again.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC
from functools import cached_property

from poolwise.basics.results import warn_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError, PoolwiseError
from poolwise.judging.events import new_id
from poolwise.judging.sharing import Rules
from poolwise.pool.label_files import LabelFile, held
from poolwise.reading.judging_file import Event, JudgedText, combined, settlements, standings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from poolwise.judging.judging import Judging
    from poolwise.judging.work import Work
    from poolwise.pool.label_files import Held


def taken_in(paths: Iterable[str], store: str, work: Work, events: Sequence[Event]) -> list[Event]:
    """Events for the labels of judged texts that are not among the events of a file.

    A text of which a label does not fit this plan, or contradicts what is known, gives none at all: it is for those
    who would replace it to refuse that.
    """
    known = work.held(events)
    asked = {(item.topic, item.document) for item in work.items}
    found: list[Event] = []
    for path in filter(os.path.isfile, paths):
        text = held(path, int(work.about["unjudged"]))
        new = {pair: labels for pair, labels in text.labels.items() if not labels <= known.labels.get(pair, set())}
        fits = all(
            pair in asked and pair not in known.labels and len(labels) == 1 and float(*labels).is_integer()
            for pair, labels in new.items()
        )
        if not new or not fits or (text.plan and known.plan and text.plan != known.plan):
            continue
        name = f"unknown ({os.path.basename(path)})"
        moment = os.stat(path).st_mtime_ns // 1_000_000
        for pair, labels in new.items():
            found.append(Event(new_id(), moment, name, *pair, "label", int(*labels)))
            known.labels[pair] = set(labels)
        found = [_dealt(Rules((name,)), moment), *found, _dealt(_last_rules(events), moment)]
        warn_of([
            f"{path}: {counted(len(new), 'label')} that {store} did not hold taken in as those of {name!r}: who gave "
            "them, and when, is not in that file"
        ])  # fmt: skip
    return found


def _dealt(rules: Rules, moment: int) -> Event:
    """All that is not answered is shared out by these rules."""
    return Event(new_id(), moment, "", "", "", "share", note=rules.as_note())


def _last_rules(events: Sequence[Event]) -> Rules:
    notes = [event.note for event in events if event.action == "share"]
    return Rules.of(notes[-1]) if notes else Rules(())


COLUMNS = (
    "assessor", "topic", "document", "answer", "label", "unsure", "again", "milliseconds", "time", "note",
)  # fmt: skip
ENDINGS = ("", ".txt", ".qrels", ".jsonl", ".csv")


class Outputs:
    """The files of a judging, written again as labels come; `events` gives all events so far.

    What the files held that is not among the events is not replaced.
    """

    def __init__(
        self, paths: Sequence[str], work: Work, events: Callable[[], list[Event]], overwrite: bool = False
    ) -> None:
        self.paths, self._work, self._events = paths, work, events
        self._files = [LabelFile(path, self._held, overwrite, int(work.about["unjudged"])) for path in paths]

    @cached_property
    def _judged(self) -> JudgedText:
        """Prepared when first written, not before the page is served: that takes a while for a large pool."""
        return JudgedText(self._work.about, self._work.rows)

    def check(self) -> None:
        """Refuse files with labels that are not among the events, before anybody judges."""
        for file in self._files:
            file.check()

    def write(self) -> None:
        """Write each file in the format that its ending names, whole or not at all; one that fails stops no other."""
        events, failed = self._events(), []
        for file in self._files:
            try:
                file.write([text_for(file.path, self._work, self._judged, events)])
            except InputError as error:
                failed.append(error)
        if failed:
            raise failed[0]

    def _held(self) -> Held:
        return self._work.held(self._events())


def written_at_last(write: Callable[[], None], judging: Judging, plan: str) -> PoolwiseError | None:
    """Write all for the last time; an error says what could not be written, and where its labels are."""
    try:
        write()
        judging.store.check_there()
    except PoolwiseError as error:
        with suppress(PoolwiseError):
            store = judging.rescued()
            subject = plan if store == judging.store.path else store
            return InputError(
                f"{error}; all that was judged is kept in {store}, and `poolwise judge {subject} --export` writes the "
                "files"
            )
        return error
    return None


def check_ending(path: str) -> None:
    """Refuse a file whose ending says nothing of its format."""
    ending = os.path.splitext(path)[1]
    if ending not in ENDINGS:
        raise ArgumentError(
            f"{path}: no format ends in {ending}; use .qrels, .jsonl or .csv, or .txt or no ending for the plan's "
            "columns"
        )


def text_for(path: str, work: Work, judged: JudgedText, events: list[Event]) -> bytes:
    """.jsonl and .csv: one line per label; .qrels: judged documents in four columns; .txt, none: the plan's columns."""
    if path.endswith(".jsonl"):
        return "".join(json.dumps(row) + "\n" for row in label_rows(events)).encode()
    if path.endswith(".csv"):
        return _csv(list(label_rows(events)))
    if path.endswith(".qrels"):
        return _plain(work, events)
    return judged.after(events)


def label_rows(events: list[Event]) -> Iterator[dict[str, Any]]:
    """One row per assessor and document, also of those that came again or were settled, in the order of the answers."""
    rows = [(event.assessor, event, [event.note] if event.note else []) for event in settlements(events)]
    for again in (False, True):
        for assessor, standing_of in standings(events, again).items():
            for standing in standing_of.values():
                event = standing.answer
                if event is not None:
                    notes = [*standing.notes, *filter(None, [event.note])]
                    rows.append((assessor, event, notes))
    order = {event.id: number for number, event in enumerate(events)}
    for assessor, event, notes in sorted(rows, key=lambda entry: order[entry[1].id]):
        cells = (
            assessor, event.topic, event.document, event.action, event.label, event.unsure, event.again,
            event.milliseconds, _moment(event.time), "\n".join(notes),
        )  # fmt: skip
        yield dict(zip(COLUMNS, cells, strict=True))


def _plain(work: Work, events: list[Event]) -> bytes:
    labels = combined(events)
    lines = []
    for topic, document, _, _, planned in work.rows:
        label = planned if planned is not None else labels.get((topic, document))
        if label is not None:
            lines.append(f"{topic} 0 {document} {label}\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def _csv(rows: list[dict[str, Any]]) -> bytes:
    from poolwise.basics.rows import csv_text

    return csv_text(COLUMNS, [list(row.values()) for row in rows]).encode("utf-8", "surrogateescape")


def _moment(milliseconds: int) -> str:
    """A moment as people and programs read it.

    >>> _moment(0)
    '1970-01-01T00:00:00.000Z'
    """
    from datetime import datetime

    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
