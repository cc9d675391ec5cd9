"""Looks at estimates, kept from one `poolwise estimate` to the next: in a file of JSON, or among a judging's events."""

from __future__ import annotations

import os

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.estimates.interim_looks import Looks


def kept_looks(path: str | None, end: str | None) -> Looks | None:
    """The looks so far; `end` is needed at the first one, and later only to move it."""
    if path is None:
        if end is not None:
            raise ArgumentError("--end says where looks end; name a file that keeps them with --looks")
        return None
    from poolwise.estimates.interim_looks import Looks

    if not os.path.exists(path):
        if end is None:
            raise ArgumentError(f"--looks {path}: this is the first look; say where judging ends with --end")
        return Looks(_end(end))
    looks = _of_judging(path) if _is_judging(path) else Looks.read(path)
    return looks if end is None else looks.until(_end(end))


def keep_looks(path: str, looks: Looks) -> None:
    """Write the looks, or add the last of them to the events of a judging if it is new."""
    if not _is_judging(path):
        looks.write(path)
        return
    if looks.seen == _of_judging(path).seen:
        return
    import json

    from poolwise.judging.event_store import EventStore
    from poolwise.judging.requests import new_id, now
    from poolwise.reading.judging_events import Event

    store = EventStore(path)
    note = json.dumps({**looks.seen[-1].to_dict(), "width": None})
    store.add([Event(new_id(), now(), "", "", "", "look", note=note)])
    store.close()


def _end(given: str) -> int | float | str:
    """A number of labels, a share, or a file.

    >>> _end("300"), _end("0.2"), _end("plan.txt")
    (300, 0.2, 'plan.txt')
    """
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _is_judging(path: str) -> bool:
    from poolwise.reading.judging_file import is_sqlite

    return os.path.isfile(path) and is_sqlite(path)


def _of_judging(path: str) -> Looks:
    import json

    from poolwise.estimates.interim_looks import Look, Looks
    from poolwise.judging.work import still_to_come
    from poolwise.reading.judging_file import opened

    file = opened(path)
    seen = [json.loads(event.note or "{}") for event in file.events() if event.action == "look"]
    file.connection.close()
    return Looks(path, tuple(map(Look.from_dict, seen)), to_come=still_to_come(path))
