"""Everything that one judging has at hand, and what a page is told of it."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.judging.document_store import Documents
    from poolwise.judging.judging import Judging
    from poolwise.judging.topic_texts import TopicText
    from poolwise.reading.judging_events import Event

MOST_DOCUMENTS = 30  # that are sent at once
MOST_EVENTS = 500


@dataclass
class Room:
    """A judging with texts, topics and settings."""

    judging: Judging
    documents: Documents
    topics: Mapping[str, TopicText]
    title: str
    guidelines: str = ""
    images: bool = False
    fixed: bool = False  # whether assessors were named beforehand
    scores: bool = False  # whether estimates are computed and may be seen
    said: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)  # what there is to settle

    def start(self, name: str) -> dict[str, Any]:
        """All a page needs to begin: the work in order, what was done, and how things are called."""
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
            said = self.said.get((item.topic, item.document), ())
            shown = None if document is None else document.as_dict(self.images)
            texts[str(item.number)] = {"id": item.document, "topic": item.topic, "shown": shown, "said": list(said)}
        asked = {item.topic: self.topics[item.topic].as_dict() for item in items if item.topic in self.topics}
        return {"documents": texts, "topics": asked}

    def keep(self, name: str, events: Sequence[Mapping[str, Any]], after: int) -> dict[str, Any]:
        """Keep events, and tell what else this assessor did meanwhile, in another tab or on another machine."""
        said = self.judging.record(name, events[:MOST_EVENTS])
        news = [_brief(event, self.judging) for _, event in self.judging.news(name, after)]
        return {"said": said, "news": [each for each in news if each is not None], **self.where(name)}

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
