"""What assessors did, event by event, and the labels that follow from it.

Events are only ever added. Which label a document has is worked out from all of them, so that nothing which was
pressed is ever lost, and the same events always lead to the same labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Pair = tuple[str, str]  # topic and document

# What can be said of a document; the last one that was not undone counts.
ANSWERS = ("label", "cannot", "later")
VALUES = "values"  # what an event of viewing says when an assessor sees the values of runs from there on
IN_VIEW = "# poolwise judge in view "  # how the line of a judged file begins that says how many labels were given so


@dataclass(frozen=True, slots=True)
class Event:
    """One thing an assessor did.

    `action` is an answer, or what else can happen: `note`, a remark on a document; `reading`, how a topic is read;
    `undo`; `settle`, of a disagreement; `share`, how work is shared out from here on; `look`, at the estimates; `view`,
    whether an assessor sees values of runs from here on (the note says `values`) or not. `id`
    was drawn by the page, so that an event sent twice is kept once. `replaces` is the id of the event that is undone or
    put right. `again` marks a document that the same assessor was shown before, unknown to them.
    """

    id: str
    time: int  # milliseconds since 1970, by the clock of the server
    assessor: str
    topic: str
    document: str
    action: str
    label: int | None = None
    unsure: bool = False
    again: bool = False
    milliseconds: int | None = None  # for which the document was in view
    note: str | None = None
    replaces: str | None = None


@dataclass(slots=True)
class Standing:
    """What one assessor says of one document: the answer that counts, the first label, and remarks."""

    answer: Event | None = None
    first: int = -1  # place of the first label among the events
    notes: list[str] = field(default_factory=list)

    @property
    def label(self) -> int | None:
        """The label, if one was given."""
        return self.answer.label if self.answer is not None and self.answer.action == "label" else None


def in_force(events: Iterable[Event]) -> list[Event]:
    """The events that were not undone, in order; undoing itself is left out."""
    listed = list(events)
    undone = {event.replaces for event in listed if event.action == "undo"}
    return [event for event in listed if event.action != "undo" and event.id not in undone]


def standings(events: Iterable[Event], again: bool = False) -> dict[str, dict[Pair, Standing]]:
    """What every assessor says of each document, at first sight or when they saw it again."""
    standings: dict[str, dict[Pair, Standing]] = {}
    for place, event in enumerate(in_force(events)):
        if event.again != again or event.action not in (*ANSWERS, "note"):
            continue
        own = standings.setdefault(event.assessor, {})
        standing = own.setdefault((event.topic, event.document), Standing())
        if event.action == "note":
            standing.notes = [event.note] if event.note else []
            continue
        standing.answer = event
        if event.action == "label" and standing.first < 0:
            standing.first = place
    return standings


def settlements(events: Iterable[Event]) -> list[Event]:
    """Labels that ended a disagreement: the last of each assessor for each document, in order."""
    last = {
        (event.assessor, event.topic, event.document): event for event in in_force(events) if event.action == "settle"
    }
    kept = {event.id for event in last.values()}
    return [event for event in in_force(events) if event.id in kept]


def settled(events: Iterable[Event]) -> dict[Pair, Event]:
    """Labels that ended a disagreement, the last for each document."""
    return {(event.topic, event.document): event for event in in_force(events) if event.action == "settle"}


def combined(events: list[Event]) -> dict[Pair, int | None]:
    """One label per document; None where it could not be judged.

    A settled label counts; otherwise that of the assessor who was the first to label the document. Who says "cannot
    judge" leaves the document to the others. Documents that are put off, or were never shown, have no entry.
    """
    labels: dict[Pair, int | None] = {}
    firsts: dict[Pair, int] = {}
    for own in standings(events).values():
        for pair, standing in own.items():
            if standing.label is not None:
                if pair not in firsts or standing.first < firsts[pair]:
                    labels[pair], firsts[pair] = standing.label, standing.first
            elif standing.answer is not None and standing.answer.action == "cannot":
                labels.setdefault(pair, None)
    for pair, event in settled(events).items():
        labels[pair] = event.label
    return labels


def given_in_view(events: Iterable[Event]) -> tuple[int, int]:
    """How many labels were given while the assessor saw values of runs, and how many there are."""
    listed = list(events)
    seeing: set[str] = set()
    seen: set[str] = set()
    for event in listed:
        if event.action == "view":
            (seeing.add if event.note == VALUES else seeing.discard)(event.assessor)
        elif event.assessor in seeing:
            seen.add(event.id)
    answers = [standing.answer for own in standings(listed).values() for standing in own.values()]
    labels = [answer.id for answer in answers if answer is not None and answer.action == "label"]
    return len(seen.intersection(labels)), len(labels)


def in_view_words(seen: int, labels: int) -> Iterator[str]:
    """Say how many labels were given so, if any were."""
    if seen:
        yield f"{seen} of {labels} labels were given with values of runs in view"


def in_view_of(comments: Iterable[bytes]) -> tuple[int, int]:
    """What the lines of a judged file say of labels that were given so.

    >>> in_view_of([b"# poolwise judge in view 3 of 40"])
    (3, 40)
    """
    mark, seen, labels = IN_VIEW.encode(), 0, 0
    for line in comments:
        words = line[len(mark) :].split() if line.startswith(mark) else []
        if len(words) == 3 and words[0].isdigit() and words[2].isdigit():
            seen, labels = seen + int(words[0]), labels + int(words[2])
    return seen, labels
