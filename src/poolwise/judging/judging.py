"""The state of a judging, which follows from its events and is kept up with them, and its form for pages."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

from poolwise.basics.writing import previous_names
from poolwise.errors import ArgumentError, InputError
from poolwise.judging.events import Refused, create, event_from, new_id, now
from poolwise.judging.sharing import AssessorShares, Rules, deal
from poolwise.plans.judging_order import in_blocks
from poolwise.reading.judging_file import ANSWERS, VALUES, Event, sound
from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.judging.documents import Documents
    from poolwise.judging.events import EventStore
    from poolwise.judging.sharing import Entry
    from poolwise.judging.topic_texts import TopicText
    from poolwise.judging.work import Scale, Work
    from poolwise.plans.judging_order import Item

RECENT = 50  # labels from which the time for one is taken
LONGEST = 300_000  # milliseconds: who takes longer has gone for a walk


@dataclass
class AssessorState:
    """One assessor: answers in force for each document, latest last, and what else they wrote."""

    answers: dict[Entry, list[Event]] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)  # ids of answers in force, in order
    notes: dict[int, str] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    assigned: set[Entry] = field(default_factory=set)  # now or earlier
    finished: set[Entry] = field(default_factory=set)
    times: list[int] = field(default_factory=list)
    values: bool = False  # whether values of runs are in view

    def answer(self, entry: Entry) -> Event | None:
        """The answer that counts."""
        answers = self.answers.get(entry)
        return answers[-1] if answers else None

    def done(self, entry: Entry) -> bool:
        """Whether a document needs no more attention."""
        answer = self.answer(entry)
        return answer is not None and answer.action != "later"


class Judging:
    """A plan being judged. All methods may be called from several threads."""

    def __init__(self, work: Work, store: EventStore, scale: Scale, settle: Sequence[int] | None = None) -> None:
        self.work, self.store, self.scale = work, store, scale
        self.items = work.items
        self.number_of = {(item.topic, item.document): item.number for item in self.items}
        self.labels = {grade.label for grade in scale}
        self.settle = None if settle is None else set(settle)
        self.chance = HashedRandom(work.plan)
        self.desks: dict[str, AssessorState] = {}
        self.shares: AssessorShares | None = None
        self.last = 0  # number of the last event that was taken in
        self.dealt = 0  # how often work was shared out
        self.labels_so_far = 0  # also those that were replaced or taken back
        self.looks: list[Event] = []  # at the estimates
        self._known: dict[str, tuple[int, Event]] = {}
        self._done: set[int] = set()  # documents that somebody has finished with
        self._lock = threading.RLock()
        self.catch_up()

    # ---- Assessors -------------------------------------------------------------------------------------------------

    def share(self, rules: Rules) -> None:
        """Share out the work by these rules from here on, unless it is shared out so already."""
        with self._lock:
            self.catch_up()
            if self.shares is None or self.shares.rules != rules:
                self.add(Event(new_id(), now(), "", "", "", "share", note=rules.as_note()))

    def join(self, name: str) -> None:
        """Let somebody take part who was not named before."""
        with self._lock:
            self.catch_up()
            rules = self.shares.rules if self.shares is not None else Rules(())
            if name not in rules.assessors:
                self.share(replace(rules, assessors=(*rules.assessors, name)))

    def desk(self, name: str) -> AssessorState:
        """The state of an assessor; an empty one at first."""
        return self.desks.setdefault(name, AssessorState())

    def queue(self, name: str) -> list[Entry]:
        """An assessor's work, in order."""
        if self.settle is not None:
            wanted = [item for item in self.items if item.number in self.settle]
            return [(item.number, False) for block in in_blocks(wanted, self.chance) for item in block]
        return [] if self.shares is None else self.shares.queues.get(name, [])

    def may_see(self, name: str, number: int) -> bool:
        """Whether a document is, or was, part of an assessor's work."""
        if self.settle is not None:
            return number in self.settle
        assigned = self.desk(name).assigned
        return (number, False) in assigned or (number, True) in assigned

    # ---- Events ----------------------------------------------------------------------------------------------------

    def record(self, name: str, sent: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
        """Keep what an assessor did; says of each event whether it is kept, or why it is refused.

        Events are looked at in order, as undoing needs what came before it. All that is kept is on disk on return.
        """
        with self._lock:
            self.store.check_there()
            self.catch_up()
            replies = []
            for entry in sent:
                try:
                    event = event_from(entry, name, self)
                    if event.id not in self._known:
                        self.store.add([event])
                        self.catch_up()
                    replies.append({"id": event.id})
                except (Refused, ValueError, OverflowError) as error:
                    reason = str(error) if isinstance(error, Refused) else "it holds what no file can keep"
                    replies.append({"id": str(entry.get("id", ""))[:64], "refused": reason})
            return replies

    def add(self, event: Event) -> None:
        """Keep an event that is nobody's answer."""
        with self._lock:
            self.store.add([event])
            self.catch_up()

    def known(self, id: str) -> Event | None:
        """The event of this id."""
        return self._known[id][1] if id in self._known else None

    def catch_up(self) -> None:
        """Take in events that were added since, by whomever."""
        with self._lock:
            for number, event in self.store.numbered(self.last):
                self.last = number
                self._known[event.id] = (number, event)
                with sound(self.store.path):
                    self._take_in(event)

    def events(self) -> list[Event]:
        """All events so far, in order."""
        with self._lock:
            return [event for _, event in self._known.values()]

    def rescued(self) -> str:
        """Where all events are: in the file, or in a new one if it is gone, beside what has taken its place."""
        with self._lock, suppress(InputError):
            self.store.check_there()
            return self.store.path
        path = self.store.path
        if os.path.exists(path):
            path = next(name for name in previous_names(path) if not os.path.exists(name))
        create(path, self.work.about, self.work.rows, self.events())
        return path

    def news(self, name: str, after: int) -> list[tuple[int, Event]]:
        """Events of an assessor after the one of a number, from here or elsewhere."""
        with self._lock:
            self.catch_up()
            events: list[tuple[int, Event]] = []
            for number, event in reversed(self._known.values()):
                if number <= after:
                    break
                if event.assessor == name:
                    events.append((number, event))
            return events[::-1]

    def _take_in(self, event: Event) -> None:
        if event.action == "share":
            self._deal(Rules.of(event.note))
            return
        if event.action == "look":
            self.looks.append(event)
            return
        self.labels_so_far += event.action in ("label", "cannot", "settle")
        desk = self.desk(event.assessor)
        number = self.number_of.get((event.topic, event.document))
        if event.action == "undo":
            self._undo(desk, event.replaces or "")
        elif event.action == "view":
            desk.values = event.note == VALUES
        elif event.action == "reading":
            desk.readings[event.topic] = event.note or ""
        elif event.action == "note" and number is not None:
            desk.notes[number] = event.note or ""
        elif number is not None and event.action in (ANSWERS if self.settle is None else ("settle",)):
            desk.answers.setdefault((number, event.again), []).append(event)
            desk.history.append(event.id)
            self._count(desk, (number, event.again))
            if event.action == "label" and event.milliseconds is not None:
                desk.times.append(min(event.milliseconds, LONGEST))

    def _undo(self, desk: AssessorState, id: str) -> None:
        undone = self.known(id)
        if undone is None or id not in desk.history:
            return
        desk.history.remove(id)
        entry = (self.number_of[(undone.topic, undone.document)], undone.again)
        desk.answers[entry] = [event for event in desk.answers[entry] if event.id != id]
        self._count(desk, entry)

    @cached_property
    def _blocks(self) -> list[list[Item]]:
        return in_blocks(self.items, self.chance)

    def _count(self, desk: AssessorState, entry: Entry) -> None:
        """Keep count of what is finished, of a document whose answer has changed."""
        (desk.finished.add if desk.done(entry) else desk.finished.discard)(entry)
        first = (entry[0], False)
        anybody = any(first in each.finished for each in self.desks.values())
        (self._done.add if anybody else self._done.discard)(entry[0])

    def _deal(self, rules: Rules) -> None:
        answered = {
            name: {entry for entry in desk.answers if desk.answer(entry) is not None}
            for name, desk in self.desks.items()
        }
        self.shares = deal(self._blocks, self.chance, rules, self.shares, answered)
        self.dealt += 1
        for name, queue in self.shares.queues.items():
            self.desk(name).assigned.update(queue)

    # ---- How far the work is ---------------------------------------------------------------------------------------

    @property
    def all_done(self) -> int:
        """How many documents somebody has finished with."""
        return len(self._done)

    @property
    def left(self) -> int:
        """How many documents nobody has finished with."""
        return (len(self.items) if self.settle is None else len(self.settle)) - self.all_done

    def progress(self, name: str) -> dict[str, Any]:
        """Counts of one's own work and of everybody's, and the usual time for a label."""
        with self._lock:
            desk, queue = self.desk(name), self.queue(name)
            finished = len(desk.finished.intersection(queue))
            times = desk.times[-RECENT:]
            return {
                "done": finished,
                "left": len(queue) - finished,
                "all_done": self.all_done,
                "all": self.all_done + self.left,
                "usual": median(times) if times else None,
            }


MOST_DOCUMENTS = 30  # that are sent at once
MOST_EVENTS = 500  # of one request, so that it ends soon; pages send 100 at most, and again what got no reply


@dataclass
class JudgingSession:
    """A judging with texts, topics and settings."""

    judging: Judging
    documents: Documents
    topics: Mapping[str, TopicText]
    title: str
    guidelines: str = ""
    images: bool = False
    fixed: bool = False  # whether assessors were named beforehand
    scores: bool = False  # whether estimates are computed and may be seen
    # Words of the assessors on documents that are to be settled.
    disagreements: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)

    def start(self, name: str) -> dict[str, Any]:
        """All a page needs to begin: the work in order, what was done, and names."""
        judging = self.judging
        judging.catch_up()
        desk = judging.desk(name)
        return {
            "plan": judging.work.plan,
            "title": self.title,
            "assessor": name,
            "grades": [grade.as_dict() for grade in judging.scale],
            "guidelines": self.guidelines,
            "settle": judging.settle is not None,
            "scores": self.scores,
            "values": desk.values,
            "queue": [[number, int(again)] for number, again in judging.queue(name)],
            "topics": self._topic_of(name),
            "history": [_brief(event, judging) for id in desk.history if (event := judging.known(id)) is not None],
            "notes": {str(number): note for number, note in desk.notes.items() if note},
            "readings": {topic: text for topic, text in desk.readings.items() if text},
            **self.where(name),
        }

    def where(self, name: str) -> dict[str, Any]:
        """How far the work is; `dealt` changes when work is shared out anew."""
        judging = self.judging
        return {"last": judging.last, "dealt": judging.dealt, "progress": judging.progress(name)}

    def texts(self, name: str, numbers: Sequence[int]) -> dict[str, Any]:
        """Documents of an assessor's work, with what their topics ask for."""
        items = [
            self.judging.items[number]
            for number in numbers[:MOST_DOCUMENTS]
            if 0 <= number < len(self.judging.items) and self.judging.may_see(name, number)
        ]
        texts = {}
        for item in items:
            document = self.documents.get(item.document)
            words = self.disagreements.get((item.topic, item.document), ())
            shown = None if document is None else document.as_dict(self.images)
            texts[str(item.number)] = {
                "id": item.document,
                "topic": item.topic,
                "shown": shown,
                "said": list(words),
            }
        asked = {item.topic: self.topics[item.topic].as_dict() for item in items if item.topic in self.topics}
        return {"documents": texts, "topics": asked}

    def keep(self, name: str, events: Sequence[Mapping[str, Any]], after: int) -> dict[str, Any]:
        """Keep events, and tell what else this assessor did meanwhile, in another tab or on another machine."""
        replies = self.judging.record(name, events[:MOST_EVENTS])
        news = [_brief(event, self.judging) for _, event in self.judging.news(name, after)]
        return {"said": replies, "news": [each for each in news if each is not None], **self.where(name)}

    def _topic_of(self, name: str) -> list[str]:
        """The topic of each document of the work, in order."""
        return [self.judging.items[number].topic for number, _ in self.judging.queue(name)]


def _brief(event: Event, judging: Judging) -> list[Any] | None:
    """An event as pages know it: id, document, again, action, label, unsure, what it replaces, note."""
    number = judging.number_of.get((event.topic, event.document))
    action = "label" if event.action == "settle" else event.action
    if number is None and action != "reading":
        return None
    shown = event.topic if action == "reading" else number
    return [event.id, shown, int(event.again), action, event.label, int(event.unsure), event.replaces, event.note]


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of assessors that can be told apart.

    >>> check_names(["ann", " bob "])
    ('ann', 'bob')
    """
    assessors = tuple(name.strip() for name in names)
    for name in assessors:
        if not name or len(name) > 60 or not name.isprintable():
            raise ArgumentError(f"assessor {name!r}: give names of 1 to 60 printable characters, with commas between")
        if assessors.count(name) > 1:
            raise ArgumentError(f"assessor {name!r} is named twice; give each a name of their own")
    return assessors
