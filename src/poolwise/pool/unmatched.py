"""Ids that never meet: a run of whose topics or documents the judgments know none is most likely one of other names."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.reading.sources import Source

LISTED, LINES, IGNORED = (_core.RUN_COUNTS.index(name) for name in ("listed", "lines", "ignored_lines"))
SHOWN = 3  # runs of which ids are shown
OF_BOTH = ("in the run", "in the judgments")


def topics_of_both(source: Source, topics: Sequence[bytes]) -> str:
    """Topics of a run and of the judgments, to be put into a message; nothing where they are not at hand."""
    from poolwise.reading.first_ids import first_ids
    from poolwise.reading.id_forms import both

    here = list(dict.fromkeys(topic for topic, _ in first_ids(source)))
    return f" ({both(here, list(map(_text, topics)), OF_BOTH)})" if here and topics else ""


def unmatched_words(core: Any, sources: Sequence[Source], qrels: str) -> list[str]:
    """Say of runs that they retrieve no document of the judgments, with ids of both."""
    counts = core.run_counts()
    runs = [number for number, own in enumerate(counts) if not own[LISTED]]
    if not runs:
        return []
    words = [_words(core, sources[number], counts[number], qrels) for number in runs[:SHOWN]]
    more = len(runs) - SHOWN
    retrieve = "run retrieves" if more == 1 else "runs retrieve"
    return [*words, *([f"{more} more {retrieve} no document that {qrels} lists"] if more > 0 else [])]


def _words(core: Any, source: Source, counts: Sequence[int], qrels: str) -> str:
    from poolwise.reading.first_ids import first_ids
    from poolwise.reading.id_forms import both

    own = counted(counts[LINES] - counts[IGNORED], "document")
    said = f"run {source.name!r}: none of its {own} is listed in {qrels}, so it finds nothing there"
    numbers = {_text(name): number for number, name in enumerate(core.topic_names())}
    ids = [(topic, document) for topic, document in first_ids(source) if topic in numbers]
    if not ids:
        return said
    topic = numbers[ids[0][0]]
    begins = memoryview(core.offsets()).cast("B").cast("q").tolist()
    listed = core.document_names(topic)[: begins[topic + 1] - begins[topic]]
    here = [document for own, document in ids if own == ids[0][0]]
    return f"{said}: {both(here, list(map(_text, listed)), OF_BOTH)}"


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
