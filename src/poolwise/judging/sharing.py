"""Dealing blocks to assessors: some documents go to several, some come again to the same one.

Dealing follows from the plan's random numbers and from the names of the assessors. When somebody joins or leaves, what
is answered, and what is next on somebody's desk, stays with them; the rest is dealt anew.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import chain

from poolwise.basics.words import unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.columns import DOCUMENT, TOPIC, csv_rows, json_value
from poolwise.reading.judging_file import in_force
from poolwise.reading.opening import file_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from poolwise.plans.judging_order import Item
    from poolwise.reading.judging_file import Event
    from poolwise.sampling.hashed_random import HashedRandom

if TYPE_CHECKING:
    Disagreements = dict[tuple[str, str], list[str]]
OWN = "own"  # in place of a file: what assessors of this plan disagree on


def disagreements(events: list[Event], names: Mapping[int, str]) -> Disagreements:
    """Documents to which assessors gave different labels, with what was said, not by whom."""
    last: dict[tuple[str, str], dict[str, Event]] = {}
    for event in in_force(events):
        if event.action == "label" and not event.again:
            last.setdefault((event.topic, event.document), {})[event.assessor] = event
    return {
        pair: [_words(event, names) for event in by_assessor.values()]
        for pair, by_assessor in last.items()
        if len({event.label for event in by_assessor.values()}) > 1
    }


def read_disagreements(path: str) -> Disagreements:
    """Lines of topic and document, or a CSV or JSON lines with these columns; what else they say is shown."""
    listed: Disagreements = {}
    for number, record in enumerate(_records(file_text(path), path), 1):
        topic, document = (
            next((record[name] for name in names if record.get(name)), None) for names in (TOPIC, DOCUMENT)
        )
        if topic is None or document is None:
            raise InputError(
                f"{path}: entry {number} lacks topic or document; name these columns, or give just the two"
            )
        cells = [f"{name}: {value}" for name, value in record.items() if name not in TOPIC + DOCUMENT and value != ""]
        listed[str(topic), str(document)] = cells
    if not listed:
        raise InputError(f"{path}: nothing to settle found; give lines of topic and document")
    return listed


def _records(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines and lines[0].lstrip().startswith("{"):
        for line in lines:
            try:
                record = json_value(line)
            except ValueError:
                record = {}
            yield record if isinstance(record, dict) else {}
        return
    sign = next((sign for sign in ("\t", ",") if lines and sign in lines[0]), None)
    if sign is not None and set(TOPIC) & set(lines[0].split(sign)):
        names, *rows = (unescaped_cells(row) for _, row in csv_rows(lines, where, delimiter=sign))
        yield from (dict(zip(names, row, strict=False)) for row in rows)
        return
    for line in lines:
        words = line.replace(sign, " ").split() if sign else line.split()
        yield dict(zip(("topic", "document"), words, strict=False))


def _words(event: Event, names: Mapping[int, str]) -> str:
    label = 0 if event.label is None else event.label
    unsure = ", not sure" if event.unsure else ""
    note = f": {event.note}" if event.note else ""
    return f"{label} {names.get(label, '')}".strip() + unsure + note


if TYPE_CHECKING:
    Entry = tuple[int, bool]  # number of the document, and whether it comes again
APART = 20  # documents that stand between a document and its return, if there are so many
NEXT = 20  # documents that stay on a desk when work is dealt anew


@dataclass(frozen=True)
class Rules:
    """How work is shared out."""

    assessors: tuple[str, ...]
    overlap: float = 0.0  # the share of documents that several judge
    repeat: float = 0.0
    per_document: int = 2  # so many judge each of these

    def as_note(self) -> str:
        """The rules as an event holds them; what is as ever is not written, so that an earlier poolwise can go on.

        >>> Rules.of(Rules(("ann",), repeat=0.1).as_note())
        Rules(assessors=('ann',), overlap=0.0, repeat=0.1, per_document=2)
        """
        settings = {name: value for name, value in asdict(self).items() if value != getattr(Rules, name, None)}
        return json.dumps(settings, sort_keys=True)

    @classmethod
    def of(cls, note: str | None) -> Rules:
        """The reverse of `as_note`."""
        settings = json.loads(note or "{}")
        return cls(tuple(settings.pop("assessors")), **settings)


@dataclass
class AssessorShares:
    """The first assessor of each document, its other assessors, and each assessor's work in order."""

    rules: Rules
    first: dict[int, str] = field(default_factory=dict)
    others: dict[int, tuple[str, ...]] = field(default_factory=dict)
    queues: dict[str, list[Entry]] = field(default_factory=dict)


def deal(
    blocks: Sequence[Sequence[Item]],
    chance: HashedRandom,
    rules: Rules,
    before: AssessorShares | None = None,
    answered: Mapping[str, Collection[Entry]] | None = None,
) -> AssessorShares:
    """Share out all documents (see `in_blocks`), keeping what was dealt before as far as it is answered or at hand."""
    before = AssessorShares(rules) if before is None else before
    kept = _kept(before, rules, answered or {})
    first = _firsts(blocks, chance, rules, {n: name for n, name in before.first.items() if (n, name) in kept})
    chosen = _chosen([item for block in blocks for item in block], chance, rules.overlap)
    earlier = {n: tuple(name for name in names if (n, name) in kept) for n, names in before.others.items()}
    others = _others(blocks, chance, rules, first, chosen, {n: names for n, names in earlier.items() if names})
    shares = AssessorShares(rules, first, others)
    for name in dict.fromkeys([*rules.assessors, *first.values(), *chain(*others.values())]):
        shares.queues[name] = _queue(blocks, chance, name, shares)
    return shares


def _kept(before: AssessorShares, rules: Rules, answered: Mapping[str, Collection[Entry]]) -> set[tuple[int, str]]:
    """Documents that stay with whom they are: answered by them, or next on the desk of one who goes on."""
    kept: set[tuple[int, str]] = set()
    for name, queue in before.queues.items():
        done = answered.get(name, ())
        kept.update((number, name) for number, again in done if not again)
        if name in rules.assessors:
            left = [entry for entry in queue if entry not in done]
            kept.update((number, name) for number, again in left[:NEXT] if not again)
    return kept


def _load(rules: Rules, kept: Iterable[str]) -> dict[str, int]:
    """How many documents each assessor has already."""
    has = Counter(kept)
    return {name: has[name] for name in rules.assessors}


def _firsts(
    blocks: Sequence[Sequence[Item]], chance: HashedRandom, rules: Rules, kept: Mapping[int, str]
) -> dict[int, str]:
    """Each block to whoever has least so far, ties by chance."""
    first = dict(kept)
    load = _load(rules, kept.values())
    for number, block in enumerate(blocks):
        open_ones = [item for item in block if item.number not in first]
        if open_ones and load:
            name = min(load, key=lambda each: (load[each], chance.number("deal", number, each)))
            first.update((item.number, name) for item in open_ones)
            load[name] += len(open_ones)
    return first


def _chosen(items: Sequence[Item], chance: HashedRandom, share: float) -> set[int]:
    """A simple random sample of the plan's documents; a larger share holds the smaller one."""
    order = chance.shuffled("overlap", items) if share else []
    return {item.number for item in order[: round(share * len(items))]}


def _others(
    blocks: Sequence[Sequence[Item]],
    chance: HashedRandom,
    rules: Rules,
    first: Mapping[int, str],
    chosen: Collection[int],
    kept: Mapping[int, tuple[str, ...]],
) -> dict[int, tuple[str, ...]]:
    """Deal chosen documents to assessors beside the first, those who have fewest of the kind so far."""
    others = dict(kept)
    load = _load(rules, [name for names in kept.values() for name in names])
    for turn in range(1, rules.per_document):
        purpose = "second" if turn == 1 else f"other {turn}"
        for number, block in enumerate(blocks):
            wanted: dict[tuple[str, ...], list[int]] = {}  # by who has them already
            for item in block:
                has = others.get(item.number, ())
                if item.number in chosen and item.number in first and len(has) < turn:
                    wanted.setdefault((first[item.number], *has), []).append(item.number)
            for has, documents in wanted.items():
                free = {name: (load[name], chance.number(purpose, number, name)) for name in load if name not in has}
                if free:
                    name = min(free, key=free.__getitem__)
                    others.update((item, (*has[1:], name)) for item in documents)
                    load[name] += len(documents)
    return others


def _queue(blocks: Sequence[Sequence[Item]], chance: HashedRandom, name: str, shares: AssessorShares) -> list[Entry]:
    """The work of one assessor: blocks of their own, with documents of others among those of the same topic."""
    parts: list[list[Item]] = []
    mixed = False
    for block in blocks:
        first = [item for item in block if shares.first.get(item.number) == name]
        visiting = [item for item in block if name in shares.others.get(item.number, ())]
        parts.append(first)
        if visiting:
            _insert(parts, visiting)
            mixed = True
    # Blocks come in the order in which they are shown; where documents of others joined, it is made anew.
    shown = [chance.shuffled("shown", part) if mixed else part for part in parts if part]
    entries = [(item.number, False) for part in shown for item in part]
    return _with_returns(entries, [item for part in shown for item in part], chance, name, shares.rules.repeat)


def _insert(parts: list[list[Item]], visiting: list[Item]) -> None:
    """Put documents of another's block into one's own last block of their topic, or make a block of them."""
    topic = visiting[0].topic
    same = (part for part in reversed(parts) if part and part[0].topic == topic)
    next(same, parts[-1]).extend(visiting)


def _with_returns(
    entries: list[Entry], items: list[Item], chance: HashedRandom, name: str, share: float
) -> list[Entry]:
    """Let some documents come again, a good way after their first time, among others of their topic if possible."""
    chosen = chance.shuffled("repeat", items, name)[: round(share * len(items))]
    topic_of = {item.number: item.topic for item in items}
    order = list(entries)
    for item in chance.shuffled("return", chosen, name):
        begin = min(order.index((item.number, False)) + 1 + APART, len(order))
        positions = range(begin, len(order) + 1)
        near = [position for position in positions if topic_of[order[position - 1][0]] == item.topic]
        fit = near or positions
        position = fit[chance.number("place", item.topic, item.document, name) % len(fit)]
        order.insert(position, (item.number, True))
    return order
