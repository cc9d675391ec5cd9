"""Files that hold labels of people: what is in them is not lost by writing another in their place.

Plans, judged texts, qrels, lists to judge and to settle, and tables of labels are written here. What a file holds is
read first: labels that the new file would not have, and plans or lists that somebody may have in hand. Such a file is
replaced only if that is asked for, and stays beside the new one then, as FILE.previous. A file in which
`poolwise judge` keeps what is judged is never replaced.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field

from poolwise.basics import settings as checks
from poolwise.basics.results import warn_of
from poolwise.basics.words import counted, unescaped_cells
from poolwise.basics.writing import keep_beside, written
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    Pair = tuple[str, str]  # topic and document
    Label = float | str
    Row = tuple[str, str, int, Label | None]  # topic, document, round, label

NUMBER = b"# poolwise plan number "
OURS = (  # how files of ours begin
    "# poolwise plan", "topic,document,label", "topic,document,plan,label", "assessor,topic,document",
)  # fmt: skip
OTHER_FILE = "name another file"
OR_OVERWRITE = "name another file, or --overwrite (overwrite=True) to replace this one, which is then kept beside it"


@dataclass
class Held:
    """Contents of a file: labels by document, documents that are still to be judged, and the number of the plan.

    A file to be written counts labels of other files, too: several labels of one document may be known.
    """

    labels: dict[Pair, set[Label]] = field(default_factory=dict)
    asked: set[Pair] = field(default_factory=set)
    plan: str = ""
    any_label: bool = False  # whether a document of `labels` may have had any other label, too
    kinds: tuple[str, str] = ("topic", "document")  # what labels are of

    def add(self, rows: Iterable[Row]) -> Held:
        """Take in rows; those with a round and without a label are to be judged."""
        for topic, document, drawn, label in rows:
            if label is not None:
                self.labels.setdefault((topic, document), set()).add(label)
            elif drawn:
                self.asked.add((topic, document))
        return self

    def lost_to(self, new: Held) -> str:
        """The labels that a new file in place of this one would lose, in words; empty if there are none."""
        missing = [
            (pair, label)
            for pair, labels in self.labels.items()
            for label in labels
            if pair not in new.labels or not (new.any_label or label in new.labels[pair])
        ]
        if missing:
            ((topic, document), label), *_ = missing
            shown = label if isinstance(label, str) else f"{label:g}"
            return (
                f"{counted(len(missing), 'label')} that the new file would not have, such as {shown} of "
                f"{self.kinds[1]} {document!r}" + (f" of {self.kinds[0]} {topic!r}" if topic else "")
            )
        if self.plan and self.plan != new.plan:
            return f"another plan, number {self.plan}" + (f", and not number {new.plan}" if new.plan else "")
        gone = [pair for pair in self.asked if pair not in new.asked and pair not in new.labels]
        if gone and not self.plan:
            topic, document = min(gone)
            return (
                f"a list to judge with {counted(len(gone), 'document')} that the new file would not have, such as "
                f"{document!r} of topic {topic!r}"
            )
        return ""


@dataclass
class LabelFile:
    """A file to be written, with what it will hold or what of it is kept elsewhere, asked for only if there is a file.

    `way` says what to do where something would be lost; `read` what a file holds, if it is of a kind of its own. A file
    that was not touched since it was written here is not looked at again.
    """

    path: Any
    new: Callable[[], Held]
    overwrite: bool = False
    unjudged: int = -1
    way: str = OR_OVERWRITE
    read: Callable[[str], Held] | None = None
    _written: tuple[int, ...] = ()

    def check(self) -> bool:
        """Refuse where something would be lost; whether that was asked for."""
        path = checks.path(self.path)
        if not os.path.isfile(path) or self._written == _stamp(path):
            return False
        from poolwise.reading.judging_file import is_sqlite

        if is_sqlite(path):
            raise InputError(
                f"{path}: is an SQLite file, as `poolwise judge` keeps labels in, and is never replaced; {OTHER_FILE}"
            )
        try:
            found = held(path, self.unjudged) if self.read is None else self.read(path)
            lost = found.lost_to(self.new())
        except InputError as error:
            if self.overwrite:
                return True
            raise InputError(f"{error}; it would be replaced: mend it, or {self.way}") from error
        if lost and not self.overwrite:
            raise InputError(f"{path}: holds {lost}; {self.way}")
        return bool(lost)

    def write(self, pieces: Iterable[bytes]) -> None:
        """Write the file, whole or not at all; what it held stays beside it if the new one has not all of that."""
        path = checks.path(self.path)
        with written(path, lasting=True) as file:
            file.writelines(pieces)
            previous = keep_beside(path) if self.check() else ""
        self._written = _stamp(path)
        warn_of([f"{path}: what it held is kept as {previous}"] if previous else [])


def held(path: str, unjudged: int = -1) -> Held:
    """Contents of a file; empty if it is no file of labels. A file of ours that cannot be read is an error."""
    from poolwise.reading.opening import file_text, qrels_lines
    from poolwise.reading.records import label_rows

    text = file_text(path)
    with suppress(ValueError):
        return _of_lines(text, unjudged)
    try:
        rows = label_rows(path, unjudged=unjudged, decimals=True)
    except InputError:
        if text.startswith(OURS):
            raise
        with suppress(InputError, ValueError):
            return _of_lines(qrels_lines(path), unjudged)  # forms that only judgments have
        return Held()
    # What has columns of its own is a list to fill in: all of it is asked for, or what was drawn, if that is told.
    drawn = rows.round if any(rows.round) else [1] * len(rows)
    found = Held(plan=number_in(rows.header) or " and ".join(rows.plans))
    return found.add(zip(rows.topic, rows.document, drawn, rows.label, strict=True))


def held_list(path: str, known: Collection[str]) -> Held:
    """Contents of a list to settle: every entry in a column that is not among those known is a label."""
    from poolwise.reading.columns import csv_rows
    from poolwise.reading.opening import file_text

    names, *rows = (unescaped_cells(row) for _, row in csv_rows(file_text(path).splitlines() or [""], path))
    if tuple(names[:2]) != ("topic", "document"):
        return held(path)
    return Held().add(
        (row[0], row[1], 1, f"{name} {cell}")
        for row in rows
        for name, cell in zip(names, row, strict=False)
        if name not in known and cell
    )


def _of_lines(text: str, unjudged: int) -> Held:
    """Contents of TREC lines, four or five words each; anything else is a ValueError."""
    lines = text.split("\n")
    found = Held(plan=number_in(line.encode("utf-8", "surrogateescape") for line in lines if line.startswith("#")))
    if found.plan:  # which says what is to be judged: most lines of a large plan have no label
        unlabelled = f" {unjudged}"
        lines = [line for line in lines if not line.endswith(unlabelled)]
    columns = 0
    for line in lines:
        words = line.split()
        if not words or line.startswith("#"):
            continue
        columns = columns or len(words)
        if columns not in (4, 5) or len(words) != columns:
            raise ValueError
        label = float(words[-1])
        if label != unjudged:
            found.labels.setdefault((words[0], words[2]), set()).add(label)
        elif words[1].isdecimal() and words[1].strip("0"):
            found.asked.add((words[0], words[2]))
    return found


def number_in(comments: Iterable[bytes]) -> str:
    """The number of a plan, by its comments."""
    return next((line.removeprefix(NUMBER).strip().decode() for line in comments if line.startswith(NUMBER)), "")


def _stamp(path: str) -> tuple[int, ...]:
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
