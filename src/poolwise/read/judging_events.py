"""What assessors did, event by event, and the labels that follow from it.

Events are only ever added. Which label a document has is worked out from all of them, so that nothing which was
pressed is ever lost, and the same events always lead to the same labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Pair = tuple[str, str]  # topic and document

# What can be said of a document; the last one that was not undone counts.
ANSWERS = ("label", "cannot", "later")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing an assessor did.

    `action` is an answer, or what else can happen: `note`, a remark on a document; `reading`, how a topic is read;
    `undo`; `settle`, of a disagreement; `share`, how work is shared out from here on; `look`, at the estimates. `id`
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
