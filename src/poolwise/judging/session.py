"""Opening a judging by its options, which are saved for the next time.

The folder of a plan may come from somebody else, so nothing in it says which command is run, who may judge, or which
files are written. What is kept belongs to the absolute path of the plan, and counts as long as labels are there.

Who names a file of their own to keep what is judged (`--store`) has a judging of their own, with its own team, links
and settings. Who settles disagreements is not the team, whose names and links stay as they are.

Port and tokens stay the same, so that pages which were open find the server again after a restart, and what they could
not send is not lost. Only the owner may read the files.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

from poolwise.basics import settings as checks
from poolwise.basics.words import counted
from poolwise.basics.writing import temporary_name
from poolwise.errors import ArgumentError, InputError
from poolwise.judging.documents import FromCommand, Nothing, open_documents
from poolwise.judging.judged_outputs import check_ending, label_rows
from poolwise.judging.judging import Judging, JudgingSession, check_names
from poolwise.judging.sharing import OWN, Rules, disagreements, read_disagreements
from poolwise.judging.topic_texts import read_topics
from poolwise.judging.work import ENDING, beside, check_unjudged, open_work, read_grades, scale_of
from poolwise.reading.columns import of_runs
from poolwise.reading.opening import file_text
from poolwise.reading.predictions import predicted_values, renamed
from poolwise.reading.sources import run_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from poolwise.judging.document_text import Advance
    from poolwise.judging.events import EventStore
    from poolwise.judging.work import Scale, Work

LONGEST_GUIDELINES = 200_000  # characters
ASKED = 20  # documents whose texts are looked for before anybody is let in


@dataclass(frozen=True)
class JudgeOptions:
    """Options of a judging; see `poolwise judge --help`."""

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
        """The name of the plan's file."""
        return os.path.basename(self.plan)


def open_session(wishes: JudgeOptions, advance: Advance = None) -> JudgingSession:
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
    judging, to_settle = _judging(wishes, work, store, scale, rules)
    room = JudgingSession(
        judging, documents, topics, wishes.name, guidelines, wishes.images, fixed=bool(names),
        scores=bool(wishes.runs) and not wishes.hide_scores, disagreements=to_settle,
    )  # fmt: skip
    check_not_swapped(wishes, room)
    return room


def outputs_of(wishes: JudgeOptions) -> list[str]:
    """Files to write: those asked for, or one beside the plan, or beside the file named to keep what is judged."""
    for path in wishes.outputs:
        check_ending(path)
        if os.path.exists(path) and os.path.realpath(path) == os.path.realpath(wishes.plan):
            raise ArgumentError(f"{path}: is the plan itself; name another file with -o")
    return list(wishes.outputs) or [beside(wishes.store or wishes.plan, ".judged.txt")]


def texts_of(wishes: JudgeOptions) -> list[str]:
    """Those of the files that are in the plan's columns, whose labels count though nothing else knows of them.

    With `overwrite` what they hold is put aside.
    """
    plain = ("", ".txt")
    return [path for path in outputs_of(wishes) if os.path.splitext(path)[1] in plain and not wishes.overwrite]


def _rules(wishes: JudgeOptions, names: tuple[str, ...]) -> Rules:
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


def notes(room: JudgingSession) -> Iterator[str]:
    """Notes for the beginning: only ids are shown, or the scale has changed."""
    if isinstance(room.documents, Nothing):
        yield "no texts are named, so documents are shown by their ids alone; give --documents or --documents-from"
    elif not isinstance(room.documents, FromCommand) and (asked := without_texts(room)):
        yield (
            f"no text was found for any of the first {len(asked)} documents, as {asked[0]!r}; check that "
            "--documents has the ids of the plan"
        )
    labels = room.judging.labels
    so_far = [row["label"] for row in label_rows(room.judging.events()) if row["label"] is not None]
    if outside := [label for label in so_far if label not in labels]:
        yield (
            f"{len(outside)} of {counted(len(so_far), 'label')} given so far {'is' if len(outside) == 1 else 'are'} "
            f"outside the scale, which has {', '.join(map(str, sorted(labels)))}; they stay as they are: name the "
            "scale of before with --scale or --grades, or judge these documents again"
        )
    if not room.topics:
        yield "no topics are named, so they are shown by their ids alone; give --topics"


def without_texts(room: JudgingSession) -> list[str]:
    """The first documents, if none of them has a text."""
    asked = [item.document for item in room.judging.items[:ASKED]]
    return asked if all(room.documents.get(document) is None for document in asked) else []


def check_not_swapped(wishes: JudgeOptions, room: JudgingSession) -> None:
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


def pair_of(wishes: JudgeOptions, work: Work | None = None) -> tuple[str, str] | None:
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


def _check_predictions(wishes: JudgeOptions, work: Work) -> None:
    """Read predictions once, so that mistakes are told now and not in a corner of the page."""
    if not wishes.predictions:
        return
    if not wishes.runs:
        raise ArgumentError("--predictions are for estimates while judging; name the runs with --runs")
    predicted_values(
        renamed(list(wishes.predictions), wishes.columns), [(topic, document) for topic, document, *_ in work.rows]
    )


def _judging(
    wishes: JudgeOptions, work: Work, store: EventStore, scale: Scale, rules: Rules
) -> tuple[Judging, dict[tuple[str, str], list[str]]]:
    judging = Judging(work, store, scale)
    if wishes.adjudicate is None:
        before = judging.shares.rules.assessors if judging.shares is not None else ()
        judging.share(rules if rules.assessors else replace(rules, assessors=before))
        return judging, {}
    named = {grade.label: grade.name for grade in scale}
    found = disagreements(judging.events(), named)
    to_settle = found if wishes.adjudicate == OWN else {**read_disagreements(wishes.adjudicate)}
    for pair, words in to_settle.items():
        to_settle[pair] = found.get(pair) or words  # our own words name nobody
    wanted = [judging.number_of[pair] for pair in to_settle if pair in judging.number_of]
    if not wanted:
        raise InputError(f"{wishes.adjudicate}: no disagreement on a document of {wishes.plan}; nothing is to settle")
    return Judging(work, store, scale, settle=wanted), to_settle


def _scale(wishes: JudgeOptions) -> Scale:
    if wishes.grades is not None and wishes.scale is not None:
        raise ArgumentError("give --grades or --scale, not both")
    return read_grades(wishes.grades) if wishes.grades is not None else scale_of(wishes.scale or "0-1")


def _guidelines(path: str | None) -> str:
    return "" if path is None else file_text(path, errors="replace")[:LONGEST_GUIDELINES]


FOLDER = os.path.join("poolwise", "judge")
TEAM = ("assessors", "overlap", "per_document", "repeat")
# What `poolwise judge PLAN` knows of last time; of each line all is taken from there, or nothing.
REMEMBERED_TOGETHER = (
    ("documents", "documents_from"),
    ("topics",),
    ("runs", "difference", "predictions", "columns", "hide_scores"),
    ("measure",),
    ("grades", "scale"),
    ("guidelines",),
    TEAM,
    ("outputs",),
)
REMEMBERED = {name for names in REMEMBERED_TOGETHER for name in names}


@dataclass
class SavedSession:
    """State of the last time: the port, a token per assessor, and the options."""

    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)
    wishes: dict[str, Any] = field(default_factory=dict)

    def tokens_for(self, names: Sequence[str], renew: bool) -> dict[str, str]:
        """A token per assessor, the old one where there is one."""
        return {name: (None if renew else self.tokens.get(name)) or new_token() for name in names}


def saved_session(wishes: JudgeOptions) -> SavedSession:
    """Read what was kept; a file that makes no sense counts as none, and so does that of labels which are gone."""
    try:
        with open(state_path(wishes, ".json"), encoding="utf-8") as file:
            kept = json.load(file)
        tokens = {str(name): str(token) for name, token in kept["tokens"].items()}
        last = SavedSession(int(kept["port"]), tokens, dict(kept["wishes"]))
        subject = wishes.store or wishes.plan
        labels = [subject if wishes.store else beside(subject, ENDING), beside(subject, ".judged.txt")]
        return last if any(map(os.path.exists, [*labels, *last.wishes.get("outputs", ())])) else SavedSession()
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return SavedSession()


def keep(wishes: JudgeOptions, port: int, tokens: dict[str, str]) -> None:
    """Write port, tokens and wishes down."""
    last = SavedSession(port, tokens, _to_keep(wishes))
    subject = os.path.abspath(wishes.store or wishes.plan)
    _write(state_path(wishes, ".json"), json.dumps({"of": subject, **vars(last)}, indent=1))


def page_that_leads_to(address: str, wishes: JudgeOptions) -> str:
    """Write a page that leads to an address: a browser that is handed its name shows the token to no other user."""
    from html import escape

    path = state_path(wishes, ".html")
    to = escape(address, quote=True)
    _write(
        path,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={to}"><title>Judging</title></head>\n'
        f'<body><a href="{to}">Begin judging</a></body></html>\n',
    )
    return path


def state_path(wishes: JudgeOptions, ending: str) -> str:
    """A file of the user's state folder that belongs to this judging."""
    subject = os.path.realpath(beside(wishes.store or wishes.plan, ""))
    number = blake2b(os.fsencode(subject), digest_size=8).hexdigest()
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(home, FOLDER, f"{os.path.basename(subject)}-{number}{ending}")


def _write(path: str, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    part, folder = temporary_name(path), os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({error.strerror}); name a folder that you may write to with XDG_STATE_HOME"
        ) from error
    finally:
        with suppress(OSError):
            os.remove(part)


def _to_keep(wishes: JudgeOptions) -> dict[str, Any]:
    """The options to save; while disagreements are settled, the team stays that of before."""
    kept = remembered(wishes)
    if wishes.adjudicate is None:
        return kept
    others = {name: value for name, value in kept.items() if name not in TEAM}
    return others | {name: value for name, value in saved_session(wishes).wishes.items() if name in TEAM}


def remembered(wishes: JudgeOptions) -> dict[str, Any]:
    """Options worth remembering for the next time, paths spelt out."""
    kept = {name: value for name, value in asdict(wishes).items() if name in REMEMBERED and value not in (None, (), [])}
    for name in ("topics", "grades", "guidelines"):
        if name in kept and os.path.exists(kept[name]):
            kept[name] = os.path.abspath(kept[name])
    for name in ("documents", "runs", "predictions", "outputs"):
        if name in kept:
            kept[name] = [os.path.abspath(path) if _is_here(name, path) else path for path in kept[name]]
    return kept


def as_last_time(wishes: JudgeOptions) -> tuple[JudgeOptions, SavedSession]:
    """Wishes with what was not said filled in from last time; who names runs anew says anew what is hidden."""
    last = saved_session(wishes)
    kept, settings = last.wishes, {}
    for names in REMEMBERED_TOGETHER:
        if names == TEAM and wishes.adjudicate is not None:
            continue
        if all(getattr(wishes, name) in (None, (), [], False) for name in names):
            settings.update({name: kept[name] for name in names if name in kept})
    return replace(wishes, **settings), last


def command_of_last_time(requested: JudgeOptions, wishes: JudgeOptions) -> Iterator[str]:
    """Name a command that will be run though nobody named it this time."""
    if wishes.documents_from and not requested.documents_from:
        yield (
            f"texts come from the command of last time: {wishes.documents_from}; name another with --documents-from, "
            "or files with --documents"
        )


def new_token() -> str:
    """A token nobody can guess: 192 random bits."""
    return secrets.token_urlsafe(24)


def _is_here(name: str, path: str) -> bool:
    return name == "outputs" or os.path.exists(path)
