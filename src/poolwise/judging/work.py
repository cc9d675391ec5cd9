"""The work: what a plan wants judged, and the file in which the judging is kept."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from hashlib import blake2b

from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.judging.events import EventStore, create
from poolwise.judging.judged_outputs import taken_in
from poolwise.plans.judging_order import Item, to_come
from poolwise.pool.label_files import Held
from poolwise.pool.plan_header import header_of
from poolwise.reading.judging_file import combined, is_sqlite, opened
from poolwise.reading.opening import file_text
from poolwise.reading.sources import run_name
from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from poolwise.pool.plan_header import PlanHeader
    from poolwise.reading.judging_file import Event, Row

if TYPE_CHECKING:
    Scale = tuple["Grade", ...]
# What grades are called when nobody says otherwise, by their number from 0 on; the lowest comes first.
NAMES = {
    2: ("not relevant", "relevant"),
    3: ("not relevant", "relevant", "highly relevant"),
    4: ("not relevant", "related", "highly relevant", "perfect"),
}
SPAN = re.compile(r"(-?\d+)(?:-(-?\d+))?")
TAKEN = "ulcnsgtrh/vw?"  # keys of actions
MOST = 40  # grades
LONGEST_GRADES = 1 << 20  # bytes of a file that names them


@dataclass(frozen=True)
class Grade:
    """One label, its name and what it means, and the keys that give it."""

    label: int
    name: str
    description: str
    keys: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields that the page is sent."""
        return asdict(self)


def scale_of(text: str = "0-1") -> Scale:
    """Grades from a span, or from several: `0-3`, `-2,0-4`.

    >>> [(grade.label, grade.name, grade.keys) for grade in scale_of("-2,0-1")]
    [(-2, 'worthless', ('-', 'x')), (0, 'not relevant', ('0',)), (1, 'relevant', ('1',))]
    """
    labels: set[int] = set()
    for part in text.split(","):
        span = SPAN.fullmatch(part.strip())
        low, high = (int(span[1]), int(span[2] or span[1])) if span else (1, 0)
        if low > high:
            raise ArgumentError(f"--scale {text!r}: give whole numbers from low to high, as in 0-3 or -2,0-4")
        labels.update(range(low, min(high, low + MOST) + 1))
    names = NAMES.get(sum(label >= 0 for label in labels), ())
    return _checked({label: _entry(label, names) for label in labels}, f"--scale {text!r}")


def read_grades(path: str) -> Scale:
    """Grades from a TOML file: a label, and its name, or name, description and key.

    0 = "nothing to do with it"
    1 = { name = "mentions it", description = "A sentence or two.", key = "1" }
    """
    import tomllib

    try:
        table = tomllib.loads(file_text(path, errors="replace", most=LONGEST_GRADES))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f'{path}: this is no TOML ({error}); write lines such as 0 = "not relevant"') from None
    entries = {}
    for key, value in table.items():
        if not SPAN.fullmatch(key) or key.count("-") > key.startswith("-") or not isinstance(value, (str, dict)):
            raise InputError(f'{path}: {key!r} found; every line needs a label and its name, as in 0 = "not relevant"')
        entries[int(key)] = {"name": value} if isinstance(value, str) else value
    return _checked(entries, path)


def check_unjudged(scale: Sequence[Grade], unjudged: int) -> None:
    """A grade cannot be the number that means "not judged" in files."""
    if any(grade.label == unjudged for grade in scale):
        raise ArgumentError(
            f"grade {unjudged} is also what files write for documents that are not judged; "
            "choose another number for that with --unjudged, here and in later commands"
        )


def _entry(label: int, names: Sequence[str]) -> dict[str, str]:
    if label < 0:
        return {"name": "worthless"}
    return {"name": names[label]} if label < len(names) else {}


def _checked(entries: dict[int, dict[str, Any]], where: str) -> Scale:
    if len(entries) < 2:
        raise ArgumentError(f"{where}: {counted(len(entries), 'grade')} found; at least two are needed")
    lowest = [label for label in entries if label < 0]
    grades = []
    for label in sorted(entries):
        entry = entries[label]
        keys = (str(entry["key"]),) if entry.get("key") else _usual_keys(label, lowest)
        if not keys:
            raise ArgumentError(
                f'{where}: grade {label} needs a key of its own; name it in a grades file, as key = "y"'
            )
        grades.append(Grade(label, str(entry.get("name", label)), str(entry.get("description", "")), keys))
    used = [key for grade in grades for key in grade.keys]
    wrong = [key for key in used if len(key) != 1 or key.lower() in TAKEN or used.count(key) > 1 or key.isspace()]
    if wrong:
        raise ArgumentError(f"{where}: {wrong[0]!r} cannot be the key of a grade; take a single character that is free")
    return tuple(grades)


def _usual_keys(label: int, negative: Sequence[int]) -> tuple[str, ...]:
    """The digit itself; minus and x for a negative label, if there is one only."""
    if 0 <= label <= 9:
        return (str(label),)
    return ("-", "x") if label < 0 and len(negative) == 1 else ()


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
        """The plan's header, if it has one."""
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
    from poolwise.plans.plan import read_plan  # with numpy, which going on does not need

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
    return tuple(to_come(work.items, HashedRandom(work.plan), answered))


def _stored(store: EventStore) -> Work:
    about = store.about()
    return Work(about["plan"], about, store.pooled())


def number_of(rows: list[Row]) -> str:
    """A number for what is pooled, in which strata, and drawn in which round; labels and order play no part."""
    digest = blake2b(digest_size=12)
    for line in sorted(f"{topic} {drawn} {document} {stratum}\n" for topic, document, stratum, drawn, _ in rows):
        digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
