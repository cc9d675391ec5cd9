"""Labels that came with the judged text of a plan, and not with the file that knows who gave them and when.

A judged text is small and travels: by git, which leaves SQLite files alone, or by mail. Its labels become events of
somebody unknown, who is dealt just these documents, so that nobody is asked for them again.
"""

from __future__ import annotations

import os

from poolwise.basics.results import warn_of
from poolwise.basics.words import counted
from poolwise.judging.requests import new_id
from poolwise.judging.sharing import Rules
from poolwise.pool.label_files import held
from poolwise.reading.judging_events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolwise.judging.work import Work


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
    return Event(new_id(), moment, "", "", "", "share", note=rules.told())


def _last_rules(events: Sequence[Event]) -> Rules:
    told = [event.note for event in events if event.action == "share"]
    return Rules.of(told[-1]) if told else Rules(())
