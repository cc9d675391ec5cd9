"""The work: what a plan wants judged, and the file in which the judging is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b

from poolwise.errors import InputError
from poolwise.judging.event_store import EventStore, create
from poolwise.judging.travelled_labels import taken_in
from poolwise.plans.judging_order import Chance, Item, to_come
from poolwise.pool.label_files import Held
from poolwise.pool.plan_header import header_of
from poolwise.reading.judging_events import combined
from poolwise.reading.judging_file import is_sqlite, opened
from poolwise.reading.sources import run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolwise.pool.plan_header import PlanHeader
    from poolwise.reading.judging_events import Event
    from poolwise.reading.judging_file import Row

ENDING = ".sqlite"


@dataclass(frozen=True)
class Work:
    """The documents of a plan, in the order of its judged file, and those of them that are to be judged."""

    plan: str  # a hash of what is drawn, by which a plan is known again
    about: dict[str, str]
    rows: list[Row]

    @property
    def items(self) -> list[Item]:
        """Documents to judge: drawn and without a label; all without one, where the plan says nothing of draws."""
        rounds = any(row[3] for row in self.rows)
        wanted = [row for row in self.rows if row[4] is None and (row[3] > 0 or not rounds)]
        return [Item(number, topic, document, stratum) for number, (topic, document, stratum, *_) in enumerate(wanted)]

    @property
    def header(self) -> PlanHeader | None:
        """What the plan says of itself, if it does."""
        lines = (line.encode("utf-8", "surrogateescape") for line in self.about.get("heading", "").splitlines())
        return header_of(lines, "the plan")

    @property
    def difference(self) -> tuple[str, str] | None:
        """The two runs whose difference the plan is for, if it is for one."""
        header = self.header
        return None if header is None else header.difference

    def held(self, events: Iterable[Event]) -> Held:
        """The labels of the plan, and all that were ever given, also those taken back; and what is listed."""
        header = self.header
        found = Held(plan="" if header is None else header.number)
        found.add((topic, document, 1, label) for topic, document, _, _, label in self.rows)
        return found.add((event.topic, event.document, 1, event.label) for event in events if event.topic)

    @property
    def documents(self) -> set[str]:
        """Ids of the documents to judge."""
        return {item.document for item in self.items}


def open_work(
    plan: str, store: str | None = None, unjudged: int = -1, judged: Sequence[str] = ()
) -> tuple[Work, EventStore]:
    """Open the file that belongs to a plan, made first if it is not there; the file itself may be named, too.

    Labels of judged texts (`judged`) that it does not know are taken in: such a text travels where the file does not.
    """
    if plan != "-" and os.path.isfile(plan) and is_sqlite(plan):
        store_itself = EventStore(plan)
        return _stored(store_itself), store_itself
    path = store or beside(plan, ENDING)
    if not os.path.exists(path):
        work = read_work(plan, unjudged)
        create(path, {**work.about, "stamp": _stamp(plan)}, work.rows, taken_in(judged, path, work, []))
    events = EventStore(path)
    about = events.about()
    # A plan that has not been touched since need not be read again, which takes a second for a large one.
    if about.get("stamp") != _stamp(plan) and about["plan"] != read_work(plan, unjudged).plan:
        events.close()
        raise InputError(f"{path}: holds labels of another plan than {plan}; name another file with --store")
    work = _stored(events)
    if missing := taken_in(judged, path, work, events.events()) if judged else []:
        events.add(missing)
    return work, events


def read_work(path: str, unjudged: int = -1) -> Work:
    """Read a plan, or any judgments some of which are missing."""
    from poolwise.plans.plan_file import read_plan  # with numpy, which going on does not need

    plan = read_plan(path, unjudged)
    rows: list[Row] = list(zip(plan.topic, plan.document, plan.stratum, plan.round, plan.label, strict=True))
    bare = plan.header is None and not any(plan.round) and len(set(plan.stratum)) < 2
    number = number_of(rows)
    about = {
        "plan": number,
        "columns": "4" if bare else "5",
        "unjudged": str(unjudged),
        "heading": "" if plan.header is None else plan.header.text(),
    }
    work = Work(number, about, rows)
    if not work.items:
        raise InputError(f"{path}: every drawn document has a label; make a plan of what to judge next")
    return work


def beside(plan: str, ending: str) -> str:
    """The name of a file that belongs to a plan, or to the file that keeps what is judged.

    >>> beside("rounds/round1.txt.gz", ".sqlite"), beside("rounds/round1.sqlite", ".judged.txt")
    ('rounds/round1.sqlite', 'rounds/round1.judged.txt')
    """
    return os.path.join(os.path.dirname(plan), run_name(plan).removesuffix(ENDING) + ending)


def _stamp(plan: str) -> str:
    """Size and time of a file; nothing for a pipe."""
    if not os.path.isfile(plan):
        return ""
    status = os.stat(plan)
    return f"{status.st_size} {status.st_mtime_ns}"


def still_to_come(path: str) -> tuple[tuple[str, int], ...]:
    """Topic and stratum of what is left to judge, in order, from a file that others may be writing to."""
    file = opened(path)
    try:
        about = file.about()
        work, answered = Work(about["plan"], about, file.pooled()), combined(file.events())
    finally:
        file.connection.close()
    return tuple(to_come(work.items, Chance(work.plan), answered))


def _stored(store: EventStore) -> Work:
    about = store.about()
    return Work(about["plan"], about, store.pooled())


def number_of(rows: list[Row]) -> str:
    """A number for what is pooled, in which strata, and drawn in which round; labels and order play no part."""
    digest = blake2b(digest_size=12)
    for line in sorted(f"{topic} {drawn} {document} {stratum}\n" for topic, document, stratum, drawn, _ in rows):
        digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
