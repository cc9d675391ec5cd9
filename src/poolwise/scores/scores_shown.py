"""The figure of scores: runs by a measure, best first, with intervals if there are."""

from __future__ import annotations

from poolwise.basics.numbers import best_first
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.measures.measure import LEFT_OUT, UNJUDGED
from poolwise.measures.registry import parse
from poolwise.scores.score_rows import INTERVAL_WORDS, number_text
from poolwise.scores.scores import Scores
from poolwise.show.figures import run_intervals
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.scores.score_rows import ScoreRows


def means_by_measure(scores: ScoreRows) -> dict[str, list[float]]:
    """The means of the runs, measure by measure."""
    rows, runs = scores.mean_rows(), len(scores.runs)
    return {measure: rows[index * runs : (index + 1) * runs] for index, measure in enumerate(scores.measures)}


def interval_words(scores: ScoreRows) -> str:
    """The meaning of low and high; nothing where there are none."""
    if scores.interval is None:
        return ""
    level = f"{100 * scores.interval.level:g} %" if scores.interval.level is not None else ""
    return INTERVAL_WORDS[scores.interval.kind].format(level=level)


def scores_figure(scores: ScoreRows, measure: str | None = None) -> Figure:
    """Runs from best to worst, by the first measure unless another is named."""
    measure = scores.measures[0] if measure is None else measure
    means = means_by_measure(scores)[measure]
    order = best_first(means)
    title, runs = f"Runs by {measure}", [scores.runs[run] for run in order]
    values = [means[run] for run in order]
    if scores.interval is not None:
        index = scores.measures.index(measure)
        low, high = (
            [end[0, index, run] for run in order] for end in (scores.interval.mean_low, scores.interval.mean_high)
        )
        note = f"Bars are {interval_words(scores)}."
        return run_intervals(title, runs, (values, low, high), f"mean {measure}", note=note)
    hover = "%{x}<br>%{y:.4f}<extra></extra>"
    data = {
        "type": "bar",
        "x": runs,
        "y": values,
        "text": runs,
        "textposition": "none",
        "meta": "runs",
        "hovertemplate": hover,
    }
    axes = {"yaxis": {"title": {"text": f"mean {measure}"}, "rangemode": "tozero"}, "xaxis": {"tickangle": -60}}
    return Figure(title, [data], axes, "Hover to see a run's name and score.")


def scores_table(
    scores: ScoreRows, names: Mapping[str, str] | None = None, per_topic: bool = False, digits: int = 4
) -> Table:
    """Means from best to worst by the first measure, or every topic; the best mean of each measure is bold in papers.

    `names` are others for measures, such as those that they were asked by.
    """
    shown = {measure: (names or {}).get(measure, measure) for measure in scores.measures}
    cells: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for run, measure, topic, *values in scores.all_rows(per_topic):
        cells.setdefault((run, topic), {})[measure] = values
    first, *_ = scores.measures
    keys = list(cells)
    if not per_topic:
        keys = [keys[index] for index in best_first(cells[key][first][0] for key in keys)]
    columns: dict[str, list[Any]] = {"run": [run for run, _ in keys]}
    if per_topic:
        columns["topic"] = [topic for _, topic in keys]
    for measure, way in zip(scores.measures, scores.aggregates, strict=True):
        columns[shown[measure]] = [_cell(cells[key][measure], way.counts, digits) for key in keys]
    return Table(
        f"{counted(len(scores.runs), 'run')}, {counted(scores.number_of_topics, 'topic')}, sorted by {shown[first]}",
        columns,
        digits=digits,
        best=() if per_topic else tuple(shown.values()),
        ranked={shown[measure]: [cells[key][measure][0] for key in keys] for measure in scores.measures},
    )


def _cell(values: list[Any], whole: bool, digits: int) -> float | int | str:
    value, *ends = values
    if any(end is not None for end in ends):
        texts = (number_text(end, whole, digits) for end in ends)
        return f"{number_text(value, whole, digits)} [{', '.join(texts)}]"
    return int(value) if whole else value


MISSING = {
    "zero": "Topics that a run lacks score 0.",
    "skip": "Topics that a run lacks are left out of its mean.",
}
TIES_IN_WORDS = {
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
    sentences = [
        f"{', '.join(called.values())} of {size}{f', computed by poolwise {__version__}' if computed else ''}."
    ]
    sentences += _unjudged(called)
    if "missing" in settings:
        sentences += [MISSING[settings["missing"]], TIES_IN_WORDS[settings.get("ties", "id")]]
    return [*sentences, *_intervals(scores, settings)]


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
