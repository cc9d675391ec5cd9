"""Ids that never meet: a run of whose topics or documents the judgments know none is most likely one of other names."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.errors import InputError, PoolwiseError
from poolwise.pool.pool import RUN_COUNTS
from poolwise.reading.files import needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import Any

    from poolwise.reading.sources import Source

LISTED, LINES, IGNORED = (RUN_COUNTS.index(name) for name in ("listed", "lines", "ignored_lines"))
SHOWN = 3  # runs of which ids are shown
OF_BOTH = ("in the run", "in the judgments")


def topics_of_both(source: Source, topics: Sequence[bytes]) -> str:
    """Topics of a run and of the judgments, to be put into a message; nothing where they are not at hand."""
    from poolwise.reading.foreign_text import both
    from poolwise.reading.run_text import first_ids

    here = list(dict.fromkeys(topic for topic, _ in first_ids(source)))
    return f" ({both(here, list(map(_text, topics)), OF_BOTH)})" if here and topics else ""


def unmatched_words(core: Any, sources: Sequence[Source], qrels: str) -> list[str]:
    """Say of runs that they retrieve no document of the judgments, with ids of both."""
    counts = core.run_counts()
    runs = [number for number, of_run in enumerate(counts) if not of_run[LISTED]]
    if not runs:
        return []
    words = [_words(core, sources[number], counts[number], qrels) for number in runs[:SHOWN]]
    more = len(runs) - SHOWN
    retrieve = "run retrieves" if more == 1 else "runs retrieve"
    return [*words, *([f"{more} more {retrieve} no document that {qrels} lists"] if more > 0 else [])]


def _words(core: Any, source: Source, counts: Sequence[int], qrels: str) -> str:
    from poolwise.reading.foreign_text import both
    from poolwise.reading.run_text import first_ids

    documents = counted(counts[LINES] - counts[IGNORED], "document")
    sentence = f"run {source.name!r}: none of its {documents} is listed in {qrels}, so it finds nothing there"
    numbers = {_text(name): number for number, name in enumerate(core.topic_names())}
    ids = [(topic, document) for topic, document in first_ids(source) if topic in numbers]
    if not ids:
        return sentence
    topic = numbers[ids[0][0]]
    listed = core.listed_names(topic)
    here = [document for name, document in ids if name == ids[0][0]]
    return f"{sentence}: {both(here, list(map(_text, listed)), OF_BOTH)}"


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


ALL_LINES, IGNORED_LINES = (RUN_COUNTS.index(name) for name in ("lines", "ignored_lines"))


def faults_of_counts(
    counts: Sequence[Sequence[int]],
    sources: list[Source],
    qrels: str,
    but: Container[int] = (),
    topics: Sequence[bytes] = (),
) -> dict[int, PoolwiseError]:
    """The errors of runs that are empty or have no topic of the judgments, by their places; `topics` are theirs."""
    errors: dict[int, PoolwiseError] = {}
    for number, (source, of_run) in enumerate(zip(sources, counts, strict=True)):
        if number in but:
            continue
        if of_run[ALL_LINES] == 0:
            errors[number] = InputError(f"{source.where}: the run is empty; {needed(source.where, False)}")
        elif of_run[IGNORED_LINES] == of_run[ALL_LINES]:
            errors[number] = InputError(
                f"{source.where}: no topic in common with {qrels}{topics_of_both(source, topics)}; check that both "
                "belong to the same campaign"
            )
    return errors


def passed_over(core: Any, runs: int, qrels: str) -> list[str]:
    """Notes on lines that reading passed over, from the counts of a pool (or of its parts)."""
    notes = []
    if core.label_blank:
        notes.append(f"{qrels}: {counted(core.label_blank, 'blank line')} skipped")
    if core.label_comments:
        notes.append(f"{qrels}: {counted(core.label_comments, 'label')} {AFTER_MARK}")
    if core.label_duplicates:
        notes.append(f"{qrels}: {counted(core.label_duplicates, 'repeated judgment')} ignored, the first of each kept")
    counts = core.run_counts()
    by_name = {name: [of_run[index] for of_run in counts] for index, name in enumerate(RUN_COUNTS)}
    words = _counts_in_words(by_name, qrels)
    for name in PASSED_OVER:
        having = sum(map(bool, by_name[name]))
        if having:
            notes.append(f"{words[name]}, in {having} of {counted(runs, 'run')}")
    return notes


AFTER_MARK = "of a topic whose name begins with # taken for comments"
PASSED_OVER = ("ignored_lines", "duplicates", "nan", "longer", "comments", "blank")


def _counts_in_words(counts: dict[str, list[int]], qrels: str) -> dict[str, str]:
    total = {name: sum(by_run) for name, by_run in counts.items()}
    topics = _some_topics([count for count in counts["ignored_topics"] if count])
    return {
        "ignored_lines": f"{counted(total['ignored_lines'], 'line')} of {topics} that {qrels} lacks ignored",
        "duplicates": f"{counted(total['duplicates'], 'repeated document')} ignored, the first of each kept",
        "nan": f"{counted(total['nan'], 'score')} that {'is' if total['nan'] == 1 else 'are'} NaN ranked last",
        "longer": "fields after the tag ignored",
        "comments": f"{counted(total['comments'], 'line')} {AFTER_MARK}",
        "blank": f"{counted(total['blank'], 'blank line')} skipped",
    }


def _some_topics(counts: list[int]) -> str:
    """How many topics; of several runs how many each has, as these may be the same."""
    if len(counts) < 2:
        return counted(sum(counts), "topic")
    return f"{'up to ' if min(counts) < max(counts) else ''}{counted(max(counts), 'topic')} per run"
