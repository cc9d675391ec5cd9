"""What a page sends, checked before it is kept: nothing in it is trusted."""

from __future__ import annotations

import secrets
import time

from poolwise.reading.judging_events import VALUES, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.judging.judging import Judging

LONGEST_NOTE = 20_000  # characters
OLDEST = 90 * 24 * 3600 * 1000  # milliseconds that an event may wait in a page
SENT = ("label", "cannot", "later", "note", "reading", "undo", "view")


class Refused(Exception):
    """Why something that was sent is not kept."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """An id for an event, as pages draw them."""
    return secrets.token_urlsafe(12)


def event_from(given: Mapping[str, Any], name: str, judging: Judging) -> Event:
    """The event that a page tells of, or the reason why it cannot be kept."""
    id, action = given.get("id"), given.get("action")
    if not isinstance(id, str) or not _is_id(id):
        raise Refused("an event needs an id of 8 to 64 letters, digits, - and _")
    known = judging.known(id)
    if known is not None:
        if known.assessor != name:
            raise Refused("this id belongs to an event of another assessor")
        if not _is_same(known, given, judging):
            raise Refused("this id belongs to another event, which was kept; give each an id of its own")
        return known
    if action not in SENT:
        raise Refused(f"no such action: {str(action)[:20]!r}")
    moment = now() - _whole(given.get("age", 0), 0, OLDEST, "age")
    note = _note(given.get("note"))
    if action == "undo":
        return _undoing(id, moment, name, given, judging)
    if action == "view":
        return Event(id, moment, name, "", "", "view", note=VALUES if given.get("values") is True else None)
    if action == "reading":
        topic = given.get("topic")
        if not any(judging.items[number].topic == topic for number, _ in judging.queue(name)):
            raise Refused("this topic is not part of your work")
        return Event(id, moment, name, str(topic), "", "reading", note=note)
    return _answer(id, moment, name, given, judging, note)


def _is_same(known: Event, given: Mapping[str, Any], judging: Judging) -> bool:
    """Whether what is sent again is the event that was kept; how long it waited and was looked at may differ."""
    action = given.get("action")
    if known.action != ("settle" if action == "label" and known.action == "settle" else action):
        return False
    if action == "undo":
        return known.replaces == given.get("replaces")
    if action == "view":
        return (given.get("values") is True) == (known.note == VALUES)
    if _note(given.get("note")) != known.note:
        return False
    if action == "reading":
        return known.topic == given.get("topic")
    number = _whole(given.get("item"), 0, len(judging.items) - 1, "item")
    item, label = judging.items[number], given.get("label") if action == "label" else None
    return (item.topic, item.document, label) == (known.topic, known.document, known.label)


def _answer(id: str, moment: int, name: str, given: Mapping[str, Any], judging: Judging, note: str | None) -> Event:
    number = _whole(given.get("item"), 0, len(judging.items) - 1, "item")
    if not judging.may_see(name, number):
        raise Refused("this document is not part of your work")
    item, action, label = judging.items[number], str(given["action"]), given.get("label")
    if action == "label" and (type(label) is not int or label not in judging.labels):
        raise Refused(f"no such grade: {str(label)[:20]!r}")
    if judging.settle is not None:
        if action not in ("label", "note"):
            raise Refused("a disagreement is settled by a label")
        action = "settle" if action == "label" else action
    shown = given.get("milliseconds")
    return Event(
        id, moment, name, item.topic, item.document, action,
        label=label if action in ("label", "settle") else None,
        unsure=given.get("unsure") is True,
        again=given.get("again") is True,
        milliseconds=None if shown is None else _whole(shown, 0, OLDEST, "milliseconds"),
        note=note,
        replaces=_replaced(given.get("replaces")),
    )  # fmt: skip


def _undoing(id: str, moment: int, name: str, given: Mapping[str, Any], judging: Judging) -> Event:
    undone = judging.known(str(given.get("replaces")))
    if undone is None or undone.assessor != name or undone.action in ("undo", "share", "view"):
        raise Refused("there is nothing of yours to undo here")
    return Event(id, moment, name, undone.topic, undone.document, "undo", again=undone.again, replaces=undone.id)


def _replaced(given: Any) -> str | None:
    if given is None or _is_id(given):
        return given
    raise Refused(f"what is replaced has no id such as {str(given)[:20]!r}")


def _is_id(given: Any) -> bool:
    return isinstance(given, str) and 8 <= len(given) <= 64 and given.replace("-", "").replace("_", "").isalnum()


def _note(given: Any) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str) or len(given) > LONGEST_NOTE:
        raise Refused(f"a note is a text of at most {LONGEST_NOTE} characters")
    return given.encode("utf-8", "replace").decode()


def _whole(given: Any, low: int, high: int, what: str) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not low <= given <= high:
        raise Refused(f"{what} {str(given)[:20]!r} is not a number from {low} to {high}")
    if given % 1:
        raise Refused(f"{what} {str(given)[:20]!r} is not a whole number")
    return int(given)
