"""How scores were computed, in sentences that a paper or a page can take as they are; all from settings."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.measures.measure import LEFT_OUT, UNJUDGED
from poolwise.measures.registry import parse
from poolwise.scores.scores import Scores
from poolwise.scores.scores_plot import interval_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.scores.score_rows import ScoreRows

MISSING = {
    "zero": "Topics that a run lacks score 0.",
    "skip": "Topics that a run lacks are left out of its mean.",
}
TIES = {
    "id": "Documents of one score are ordered by their ids, descending, as by trec_eval.",
    "expected": "Scores are means over all orders of documents that have one score.",
    "range": "Documents of one score are ordered by their ids, descending, as by trec_eval; low and high are the "
    "lowest and highest score over all orders of them.",
}


def how_scored(scores: ScoreRows, names: Mapping[str, str] | None = None, missing: str | None = None) -> list[str]:
    """Sentences on version, measures, unjudged documents, missing topics, ties and intervals.

    `names` are those that measures were asked by; `missing` says what became of topics that a run lacks, where scores
    that were streamed do not know it.

    >>> from poolwise import read
    >>> scores = read({"1": {"a": 1}, "2": {"a": 1}}, {"mine": {"1": {"a": 1.0}, "2": {"a": 1.0}}}).score("AP", "bpref")
    >>> for sentence in how_scored(scores)[1:]:
    ...     print(sentence)
    Unjudged documents count as non-relevant in AP; are left out in bpref.
    Topics that a run lacks score 0.
    Documents of one score are ordered by their ids, descending, as by trec_eval.
    """
    from poolwise import __version__

    known = {} if missing is None else {"missing": missing}
    settings: dict[str, Any] = known | getattr(scores, "settings", {})
    called = {measure: (names or {}).get(measure, measure) for measure in scores.measures}
    size = f"{counted(len(scores.runs), 'run')} on {counted(scores.number_of_topics, 'topic')}"
    computed = "missing" in settings or not isinstance(scores, Scores)  # else they come from a file
    said = [f"{', '.join(called.values())} of {size}{f', computed by poolwise {__version__}' if computed else ''}."]
    said += _unjudged(called)
    if "missing" in settings:
        said += [MISSING[settings["missing"]], TIES[settings.get("ties", "id")]]
    return [*said, *_intervals(scores, settings)]


def _unjudged(called: Mapping[str, str]) -> list[str]:
    """How unjudged documents count, by the declarations of the measures."""
    ways: dict[str, list[str]] = {}
    for text, name in called.items():
        try:
            measure = parse(text)
        except ArgumentError:  # scores from elsewhere
            continue
        ways.setdefault(LEFT_OUT if measure.is_condensed else measure.declaration.unjudged, []).append(name)
    parts = [f"{way} in {', '.join(ways[way])}" for way in UNJUDGED if way in ways]
    return [f"Unjudged documents {'; '.join(parts)}."] if parts else []


def _intervals(scores: ScoreRows, settings: dict[str, Any]) -> list[str]:
    words = interval_words(scores)
    if not words or settings.get("ties") == "range":
        return []
    drawn = f" ({settings['resamples']} resamples, seed {settings['seed']})" if "resamples" in settings else ""
    return [f"Low and high, in tables the brackets, are {words}{drawn}."]
