"""Judgments as qrels text: four columns, five with strata."""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.errors import ArgumentError
from poolwise.pool.judgments import OUTSIDE, POOLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    documents = judgments.pool.document_names(topic)
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
    return [line for document, own in lines.items() if labels[document] != OUTSIDE for line in own or [never[document]]]


def held_by(judgments: Judgments) -> Held:
    """The labels of judged documents, and the number of their plan, as files hold them."""
    from poolwise.pool.label_files import Held, number_in

    topics = {topic: judgments.of(topic) for topic in judgments.pool.topics}
    labels = {(topic, document): {label} for topic, own in topics.items() for document, label in own.items()}
    return Held(labels, plan=number_in(judgments.plan_lines()))


def same(a: Judgments, b: Judgments) -> bool:
    """Whether two judgments have the same lines; what are no judgments has none."""
    if not hasattr(b, "pool"):
        return False
    lines = [
        [line for topic in range(len(own.pool.topics)) for line in qrels_lines(own, topic, POOLED)] for own in (a, b)
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
