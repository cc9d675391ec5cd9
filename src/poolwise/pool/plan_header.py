"""The header of a plan: comments at the beginning of its file.

Each line is a comment of its own, so that files may be joined, sorted or cut and still be known:

    # poolwise plan format 1
    # poolwise plan number 6f1c0a9be2d44c07
    # poolwise plan round 2
    # poolwise plan design stratified
    # poolwise plan seed 0
    # poolwise plan depth 100
    # poolwise plan topics 20 of 50
    # poolwise plan earlier 0d5e11c2a7b3f948
    # poolwise plan run bm25
    # poolwise plan difference bm25 less dense
    # poolwise plan stratum 401 2 pooled 120 drawn 4 3

The last one says that stratum 2 of topic 401 holds 120 documents, of which 4 were drawn in the first round and 3 in the
second. So rates are known even where the lines of documents that were not drawn are lost. The line of topics is there
if only some topics were drawn: in the others no document was; that of the difference if the plan is for one. A line
`earlier` names the plan of a round before, whose labels this plan takes too. Tables say the same in columns
(`poolwise.reading.design_columns`).
"""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.basics.results import warn_of
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.pool.pool import listed_names
from poolwise.reading.design_columns import MARK, drawn_text, number_text, several_text
from poolwise.reading.files import key_numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from poolwise.pool.judgments import Judgments
    from poolwise.pool.label_files import Held


def qrels_text(judgments: Judgments, unjudged: int = -1) -> bytes:
    """One line a pooled document: `topic iteration document label`, `topic round document stratum label` with strata.

    Judgments of a plan begin with its comments. Documents outside the pool have no line. `unjudged` is written for
    those that are pooled and not judged.
    """
    check_reserved([judgments.pool.value_of(label) for label in judgments.distinct_labels()], unjudged)
    topics = [qrels_lines(judgments, topic, unjudged) for topic in range(len(judgments.pool.topics))]
    for lines in topics:
        _check_words(lines, 4 if judgments.strata is None else 5)
    _warn_of([name for name, lines in zip(judgments.pool.topics, topics, strict=True) if not lines])
    return b"".join([*judgments.plan_lines(), *(line for lines in topics for line in lines)])


def qrels_lines(judgments: Judgments, topic: int, unjudged: int) -> list[bytes]:
    """The lines of one topic, documents in byte-wise order."""
    part = slice(*judgments.offsets[topic : topic + 2].tolist())
    labels = judgments.classes[part].tolist()
    strata = None if judgments.strata is None else judgments.strata[part].tolist()
    rounds = [0] * len(labels) if judgments.rounds is None else judgments.rounds[part].tolist()
    name = judgments.pool.topics[topic].encode("utf-8", "surrogateescape")
    documents = listed_names(judgments.pool, topic)
    if judgments.pool.has_subtopics:
        return _subtopic_lines(judgments, topic, unjudged, name, labels, documents)
    lines = []
    rates = judgments.stratum_rates
    for at, label in enumerate(labels):
        if rates and strata is not None and label not in (OUTSIDE, POOLED):
            shown = judgments.pool.value_of(label)
            lines.append(b"%b %b %r %d %r\n" % (name, documents[at], shown, rounds[at], rates[strata[at]]))
        elif label != OUTSIDE:
            stratum = b"" if strata is None else b"%d " % strata[at]
            shown = unjudged if label == POOLED else judgments.pool.value_of(label)
            lines.append(b"%b %d %b %b%r\n" % (name, rounds[at], documents[at], stratum, shown))
    return lines


def _check_words(lines: list[bytes], columns: int) -> None:
    """Refuse ids that would become two columns; dicts and frames may have such."""
    for line in lines:
        if len(line.split()) != columns:
            raise ArgumentError(
                f"{line.decode('utf-8', 'replace').rstrip()!r}: an id has blanks, which a qrels file cannot hold; "
                "rename it"
            )


def _subtopic_lines(
    judgments: Judgments, topic: int, unjudged: int, name: bytes, labels: list[int], documents: list[bytes]
) -> list[bytes]:
    """A line per subtopic that a document was judged for; what a sample hides is written as not judged for each."""
    lines = {document: [] for document in range(len(labels))}  # type: dict[int, list[bytes]]
    for document, subtopic, label in judgments.pool.subtopic_labels(topic):
        shown = unjudged if labels[document] == POOLED else label
        encoded = subtopic.encode("utf-8", "surrogateescape")
        lines[document].append(b"%b %b %b %d\n" % (name, encoded, documents[document], shown))
    never = {document: b"%b 0 %b %d\n" % (name, documents[document], unjudged) for document in lines}
    return [
        line
        for document, by_subtopic in lines.items()
        if labels[document] != OUTSIDE
        for line in by_subtopic or [never[document]]
    ]


def held_by(judgments: Judgments) -> Held:
    """The labels of judged documents, and the number of their plan, as files hold them."""
    from poolwise.pool.label_files import Held, number_in

    topics = {topic: judgments.of(topic) for topic in judgments.pool.topics}
    labels = {(topic, document): {label} for topic, of_topic in topics.items() for document, label in of_topic.items()}
    return Held(labels, plan=number_in(judgments.plan_lines()))


def same(a: Judgments, b: Judgments) -> bool:
    """Whether two judgments have the same lines; what are no judgments has none."""
    if not hasattr(b, "pool"):
        return False
    lines = [
        [line for topic in range(len(each.pool.topics)) for line in qrels_lines(each, topic, POOLED)] for each in (a, b)
    ]
    return lines[0] == lines[1]


def check_reserved(labels: Sequence[float], unjudged: int) -> None:
    """Refuse to let a label mean two things."""
    if unjudged in labels:
        raise ArgumentError(
            f"label {unjudged} is a label of these judgments and cannot also mean 'not judged' in a file; "
            "write them with unjudged= another number, and read them with the same"
        )


def _warn_of(empty: list[str]) -> None:
    if empty:
        shown = ", ".join(empty[:10]) + (", ..." if len(empty) > 10 else "")
        have, are = ("topic has", "is") if len(empty) == 1 else ("topics have", "are")
        message = f"{len(empty)} {have} no document left in the pool and {are} missing from the text: {shown}"
        warn_of([message])


FORMAT = 1  # of the comments; readers refuse any other
ONCE = ("format", "number", "round", "design", "seed", "depth")  # lines of one word, in every plan
SOMETIMES = ("topics",)
LESS = " less "


@dataclass(frozen=True)
class Stratum:
    """One stratum of one topic: how many documents it holds, and how many were drawn in rounds 1, 2, ..."""

    topic: str
    number: int
    pooled: int
    drawn: tuple[int, ...]


@dataclass(frozen=True)
class PlanHeader:
    """A plan's number, by which it is known again, and how it was drawn."""

    number: str
    round: int
    design: str
    seed: int
    depth: int
    runs: tuple[str, ...]
    strata: tuple[Stratum, ...]
    topics: tuple[int, int] | None = None  # how many of how many were drawn, where some were not
    difference: tuple[str, str] | None = None  # two runs, the second of which is taken from the first
    earlier: tuple[str, ...] = ()  # numbers of the plans of earlier rounds

    def text(self) -> str:
        """The lines, each with its end."""
        facts = [str(FORMAT), self.number, str(self.round), self.design, str(self.seed), str(self.depth)]
        lines = [f"{name} {fact}" for name, fact in zip(ONCE, facts, strict=True)]
        lines += [] if self.topics is None else [f"topics {self.topics[0]} of {self.topics[1]}"]
        lines += [f"earlier {number}" for number in self.earlier]
        lines += [f"run {_escaped(run)}" for run in self.runs]
        lines += [] if self.difference is None else [f"difference {LESS.join(map(_escaped, self.difference))}"]
        lines += [
            f"stratum {cell.topic} {cell.number} pooled {cell.pooled} drawn {' '.join(map(str, cell.drawn))}"
            for cell in self.strata
        ]
        return "".join(f"{MARK}{line}\n" for line in lines)

    def columns(self, topics: Sequence[str], strata: Sequence[int]) -> dict[str, list[Any]]:
        """The same in columns, for rows of these topics and strata; runs stand one below the other."""
        rows = len(topics)
        facts: dict[str, Any] = {"plan": number_text(self.number), "design": self.design, "rounds": self.round}
        facts |= {"seed": self.seed, "depth": self.depth}
        facts |= dict(zip(("topics_drawn", "topics_pooled"), self.topics or (), strict=False))
        facts |= {} if self.difference is None else {"difference": LESS.join(map(_escaped, self.difference))}
        facts |= {"earlier_plans": " ".join(map(number_text, self.earlier))} if self.earlier else {}
        columns = {name: [fact] * rows for name, fact in facts.items()}
        cells = {(cell.topic, cell.number): cell for cell in self.strata}
        by_row = [cells[key] for key in zip(topics, strata, strict=True)]
        several = any(len(cell.drawn) > 1 for cell in by_row)
        columns["stratum_pooled"] = [cell.pooled for cell in by_row]
        columns["stratum_drawn"] = [drawn_text(cell.drawn) if several else sum(cell.drawn) for cell in by_row]
        columns["rate"] = [sum(cell.drawn) / cell.pooled for cell in by_row]
        runs = [_escaped(run) for run in self.runs]
        columns["pool_run"] = [several_text(runs[row::rows]) or None for row in range(rows)]
        return columns

    @property
    def pooled(self) -> dict[tuple[str, int], int]:
        """How many documents each stratum of each topic holds."""
        return {(cell.topic, cell.number): cell.pooled for cell in self.strata}


def header_of(lines: Iterable[bytes], where: str) -> PlanHeader | None:
    """Read the comments of a file; None if they are no plan's."""
    words = [text[len(MARK) :] for text in map(_decoded, lines) if text.startswith(MARK)]
    if not words:
        return None
    facts = [(name, rest) for name, _, rest in (text.partition(" ") for text in words)]
    once = _facts(facts, where)
    try:
        return PlanHeader(
            once["number"],
            int(once["round"]),
            once["design"],
            int(once["seed"]),
            int(once["depth"]),
            tuple(_unescaped(rest) for name, rest in facts if name == "run"),
            tuple(_stratum(rest) for name, rest in facts if name == "stratum"),
            _of(once["topics"]) if "topics" in once else None,
            _two_runs([rest for name, rest in facts if name == "difference"]),
            tuple(rest for name, rest in facts if name == "earlier"),
        )
    except (KeyError, ValueError, IndexError) as error:
        raise InputError(
            f"{where}: the plan's comments are damaged ({error}); merge the labels with the plan as it was written"
        ) from None


def _facts(facts: Sequence[tuple[str, str]], where: str) -> dict[str, str]:
    """Lines of one word; two plans in one file are refused."""
    once: dict[str, str] = {}
    for name, rest in facts:
        if name in (*ONCE, *SOMETIMES) and once.setdefault(name, rest) != rest:
            raise InputError(f"{where}: two plans are joined in this file ({name} {once[name]} and {rest}); merge one")
    if once.get("format", "1") != str(FORMAT):
        raise InputError(f"{where}: a later poolwise wrote this plan (format {once['format']}); update poolwise")
    return once


def plan_number(rows: Iterable[tuple[str, str, int]], strata: Iterable[Stratum], design: str, seed: int) -> str:
    """A number for the pool (topic, document, stratum), the design and the seed, whatever the order of the lines."""
    from hashlib import blake2b

    digest = blake2b(f"{design} {seed}\n".encode(), digest_size=8)
    for cell in sorted(f"{cell.topic} {cell.number} {cell.pooled} {cell.drawn}\n" for cell in strata):
        digest.update(cell.encode("utf-8", "surrogateescape"))
    for topic, document, stratum in sorted(rows):
        digest.update(f"{topic} {document} {stratum}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def count_strata(topics: Sequence[str], strata: Sequence[int], rounds: Sequence[int]) -> tuple[Stratum, ...]:
    """Count the documents of each stratum of each topic, topics by number and then by name.

    >>> count_strata(["1", "1", "1"], [1, 1, 2], [2, 0, 1])
    (Stratum(topic='1', number=1, pooled=2, drawn=(0, 1)), Stratum(topic='1', number=2, pooled=1, drawn=(1, 0)))
    """
    last = max(rounds, default=0)
    order = {topic: index for index, topic in enumerate(sorted(set(topics), key=key_numbered))}
    counts: dict[tuple[int, int], list[int]] = {}
    for topic, stratum, round in zip(topics, strata, rounds, strict=True):
        counts.setdefault((order[topic], stratum), [0] * (last + 1))[round] += 1
    names = list(order)
    return tuple(
        Stratum(names[topic], stratum, sum(documents), tuple(documents[1:]))
        for (topic, stratum), documents in sorted(counts.items())
    )


def _stratum(text: str) -> Stratum:
    topic, number, _, pooled, _, *drawn = text.split(" ")
    return Stratum(topic, int(number), int(pooled), tuple(map(int, filter(None, drawn))))


def _of(text: str) -> tuple[int, int]:
    some, all_of_them = text.split(" of ")
    return int(some), int(all_of_them)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").rstrip("\r\n")


def _two_runs(lines: Sequence[str]) -> tuple[str, str] | None:
    """The runs of the first line; None where a name makes it unclear which they are."""
    names = lines[0].split(LESS) if lines else []
    return (_unescaped(names[0]), _unescaped(names[1])) if len(names) == 2 else None


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D")


def _unescaped(name: str) -> str:
    return name.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
