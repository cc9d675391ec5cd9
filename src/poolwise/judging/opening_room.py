"""From what a user asks for to a room that is ready: everything is read and checked before anybody is let in."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from poolwise.basics import settings as checks
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.judging.adjudication import OWN, disagreements, read_disagreements
from poolwise.judging.document_store import FromCommand, Nothing, open_documents
from poolwise.judging.grade_scale import check_unjudged, read_grades, scale_of
from poolwise.judging.judged_outputs import check_ending, label_rows
from poolwise.judging.judging import Judging, check_names
from poolwise.judging.room import Room
from poolwise.judging.sharing import Rules
from poolwise.judging.topic_texts import read_topics
from poolwise.judging.work import beside, open_work
from poolwise.reading.column_names import of_runs
from poolwise.reading.predictions import predicted_values, renamed
from poolwise.reading.sources import run_sources
from poolwise.reading.text_files import file_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolwise.judging.document_files import Advance
    from poolwise.judging.event_store import EventStore
    from poolwise.judging.grade_scale import Scale
    from poolwise.judging.work import Work

LONGEST_GUIDELINES = 200_000  # characters
ASKED = 20  # documents whose texts are looked for before anybody is let in


@dataclass(frozen=True)
class Wishes:
    """What to judge, by whom, and what is shown; see `poolwise judge --help`."""

    plan: str
    documents: Sequence[str] = ()
    documents_from: str | None = None
    topics: str | None = None
    runs: Sequence[str] = ()
    measure: str | None = None
    difference: Sequence[str] | None = None
    predictions: Sequence[str] = ()
    columns: Mapping[str, str] | None = None  # of runs and predictions
    level: float = 0.95
    grades: str | None = None
    scale: str | None = None
    guidelines: str | None = None
    assessors: Sequence[str] = ()
    overlap: float | None = None
    per_document: int | None = None
    repeat: float | None = None
    adjudicate: str | None = None
    hide_scores: bool = False
    images: bool = False
    store: str | None = None
    outputs: Sequence[str] = ()
    unjudged: int = -1
    overwrite: bool = False

    @property
    def name(self) -> str:
        """What the plan is called."""
        return os.path.basename(self.plan)


def open_room(wishes: Wishes, advance: Advance = None) -> Room:
    """Read plan, texts, topics and grades, and share out the work."""
    outputs_of(wishes)  # refuses what could not be written in the end
    scale = _scale(wishes)
    check_unjudged(scale, wishes.unjudged)
    names = check_names(wishes.assessors)
    rules = _rules(wishes, names)
    pair_of(wishes)
    topics, guidelines = read_topics(wishes.topics), _guidelines(wishes.guidelines)
    work, store = open_work(wishes.plan, wishes.store, wishes.unjudged, texts_of(wishes))
    _check_predictions(wishes, work)
    documents = open_documents(wishes.documents, wishes.documents_from, work.documents, store.path, advance)
    judging, said = _judging(wishes, work, store, scale, rules)
    room = Room(
        judging, documents, topics, wishes.name, guidelines, wishes.images, fixed=bool(names),
        scores=bool(wishes.runs) and not wishes.hide_scores, said=said,
    )  # fmt: skip
    check_not_swapped(wishes, room)
    return room


def outputs_of(wishes: Wishes) -> list[str]:
    """Files to write: those asked for, or one beside the plan, or beside the file named to keep what is judged."""
    for path in wishes.outputs:
        check_ending(path)
        if os.path.exists(path) and os.path.realpath(path) == os.path.realpath(wishes.plan):
            raise ArgumentError(f"{path}: is the plan itself; name another file with -o")
    return list(wishes.outputs) or [beside(wishes.store or wishes.plan, ".judged.txt")]


def texts_of(wishes: Wishes) -> list[str]:
    """Those of the files that are in the plan's columns, whose labels count though nothing else knows of them.

    With `overwrite` what they hold is put aside.
    """
    plain = ("", ".txt")
    return [path for path in outputs_of(wishes) if os.path.splitext(path)[1] in plain and not wishes.overwrite]


def _rules(wishes: Wishes, names: tuple[str, ...]) -> Rules:
    """How work is shared out; who says how many judge a document means all of them, unless a share is named."""
    several = checks.whole("per_document", 2 if wishes.per_document is None else wishes.per_document, 2)
    share = wishes.overlap if wishes.overlap is not None else float(wishes.per_document is not None)
    rules = Rules(names, checks.fraction("overlap", share), checks.fraction("repeat", wishes.repeat or 0), several)
    if rules.overlap and names and len(names) < several:
        raise ArgumentError(
            f"{several} assessors are to judge the same documents, and there {'is' if len(names) == 1 else 'are'} "
            f"{len(names)}; name more with --assessors, as in ann,bob"
        )
    return rules


def notes(room: Room) -> Iterator[str]:
    """What those who begin a judging should know: ids alone are shown, or the scale is another one."""
    if isinstance(room.documents, Nothing):
        yield "no texts are named, so documents are shown by their ids alone; give --documents or --documents-from"
    elif not isinstance(room.documents, FromCommand) and (asked := without_texts(room)):
        yield (
            f"no text was found for any of the first {len(asked)} documents, as {asked[0]!r}; check that "
            "--documents has the ids of the plan"
        )
    labels = room.judging.labels
    given = [row["label"] for row in label_rows(room.judging.events()) if row["label"] is not None]
    if outside := [label for label in given if label not in labels]:
        yield (
            f"{len(outside)} of {counted(len(given), 'label')} given so far {'is' if len(outside) == 1 else 'are'} "
            f"outside the scale, which has {', '.join(map(str, sorted(labels)))}; they stay as they are: name the "
            "scale of before with --scale or --grades, or judge these documents again"
        )
    if not room.topics:
        yield "no topics are named, so they are shown by their ids alone; give --topics"


def without_texts(room: Room) -> list[str]:
    """The first documents, if none of them has a text."""
    asked = [item.document for item in room.judging.items[:ASKED]]
    return asked if all(room.documents.get(document) is None for document in asked) else []


def check_not_swapped(wishes: Wishes, room: Room) -> None:
    """Refuse texts and topics that know nothing of the plan: one was most likely given for the other."""
    named = bool(wishes.documents) and bool(wishes.topics)
    if not named or isinstance(room.documents, (Nothing, FromCommand)) or not room.judging.items:
        return
    if any(item.topic in room.topics for item in room.judging.items):
        return
    if without_texts(room):
        raise InputError(
            f"{wishes.plan}: neither a text of its documents is in --documents {wishes.documents[0]} nor a topic of it "
            f"in --topics {wishes.topics}; if the two were swapped, swap them back"
        )


def pair_of(wishes: Wishes, work: Work | None = None) -> tuple[str, str] | None:
    """The two runs to compare: those named, or the two given, in the plan's order if it is for their difference."""
    names = [source.name for source in run_sources(wishes.runs, columns=of_runs(wishes.columns))] if wishes.runs else []
    if wishes.difference is None:
        planned = None if work is None else work.difference
        if planned is not None and sorted(planned) == sorted(names):
            return planned
        return (names[0], names[1]) if len(names) == 2 else None
    if not names:
        raise ArgumentError("--difference needs the runs; name them with --runs")
    ((first, second),) = checks.pairs([tuple(wishes.difference)])
    for run in (first, second):
        checks.known_name("run", run, names)
    return first, second


def _check_predictions(wishes: Wishes, work: Work) -> None:
    """Read predictions once, so that mistakes are told now and not in a corner of the page."""
    if not wishes.predictions:
        return
    if not wishes.runs:
        raise ArgumentError("--predictions are for estimates while judging; name the runs with --runs")
    predicted_values(
        renamed(list(wishes.predictions), wishes.columns), [(topic, document) for topic, document, *_ in work.rows]
    )


def _judging(
    wishes: Wishes, work: Work, store: EventStore, scale: Scale, rules: Rules
) -> tuple[Judging, dict[tuple[str, str], list[str]]]:
    judging = Judging(work, store, scale)
    if wishes.adjudicate is None:
        before = judging.shares.rules.assessors if judging.shares is not None else ()
        judging.share(rules if rules.assessors else replace(rules, assessors=before))
        return judging, {}
    named = {grade.label: grade.name for grade in scale}
    own = disagreements(judging.events(), named)
    said = own if wishes.adjudicate == OWN else {**read_disagreements(wishes.adjudicate)}
    for pair, words in said.items():
        said[pair] = own.get(pair) or words  # our own words name nobody
    wanted = [judging.number_of[pair] for pair in said if pair in judging.number_of]
    if not wanted:
        raise InputError(f"{wishes.adjudicate}: no disagreement on a document of {wishes.plan}; nothing is to settle")
    return Judging(work, store, scale, settle=wanted), said


def _scale(wishes: Wishes) -> Scale:
    if wishes.grades is not None and wishes.scale is not None:
        raise ArgumentError("give --grades or --scale, not both")
    return read_grades(wishes.grades) if wishes.grades is not None else scale_of(wishes.scale or "0-1")


def _guidelines(path: str | None) -> str:
    return "" if path is None else file_text(path, errors="replace")[:LONGEST_GUIDELINES]
