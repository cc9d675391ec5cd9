"""The page of scores: how runs rank, how topics differ, how much of each run is judged."""

from __future__ import annotations

from poolwise.report.audit_page import judged_figure, judged_words
from poolwise.score.scores import Scores
from poolwise.show.figures import run_intervals
from poolwise.show.page import Figure, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.audit import Audit
    from poolwise.score.score_rows import ScoreRows

OF_INTERVALS = {
    "topics": "{level} intervals over topics",
    "judgments": "{level} intervals over the sampling of judgments",
    "both": "{level} intervals over topics and the sampling of judgments",
    "bounds": "the range that unjudged documents leave open",
}


def scores_page(
    scores: ScoreRows,
    audit: Audit | None = None,
    *,
    title: str = "Scores of all runs",
    methods: Sequence[str] = (),
    command: str = "",
) -> Page:
    """Make the page of `Scores`, or of means that were streamed: these have no topics and no audit."""
    means = _means(scores)
    first = scores.measures[0]
    order = sorted(range(len(scores.runs)), key=lambda run: -means[first][run])
    bars = _bars(scores)
    parts: list[Table | Figure] = [
        Table(
            "Scores", _columns(scores, means, order), f"Means over topics{'; low and high: ' + bars if bars else ''}."
        ),
        _figure(scores, means, order, bars),
    ]
    if isinstance(scores, Scores) and len(scores.topics) > 1:
        parts.append(Table(f"Topics by {first}", _topics(scores, first), "Over all runs, the hardest topic first."))
    if audit is not None:
        note = "What each run retrieved and how much of it is judged."
        parts += [judged_figure(audit), Table("Judged share and depth", audit.columns(), note, 3)]
    best, worst = order[0], order[-1]
    summary = [
        f"{len(scores.runs)} runs were scored on {scores.number_of_topics} topics. By {first}, {scores.runs[best]} "
        f"comes first ({means[first][best]:.4f}) and {scores.runs[worst]} last ({means[first][worst]:.4f}).",
        *([judged_words(audit)] if audit is not None else []),
    ]
    findings = () if audit is None else audit.findings
    warnings = [*scores.warnings, *(each for each in findings if not _is_said(each, scores.warnings))]
    made = [*methods, *([f"Command: {command}"] if command else [])]
    return Page(title, summary, parts, made, warnings)


def _means(scores: ScoreRows) -> dict[str, list[float]]:
    rows, runs = scores.mean_rows(), len(scores.runs)
    return {measure: rows[place * runs : (place + 1) * runs] for place, measure in enumerate(scores.measures)}


def _bars(scores: ScoreRows) -> str:
    """What low and high mean, in words."""
    if scores.interval is None:
        return ""
    level = f"{100 * scores.interval.level:g} %" if scores.interval.level is not None else ""
    return OF_INTERVALS[scores.interval.kind].format(level=level)


def _columns(scores: ScoreRows, means: dict[str, list[float]], order: list[int]) -> dict[str, list[Any]]:
    """Runs and their means, each with its ends beside it."""
    columns: dict[str, list[Any]] = {"run": [scores.runs[run] for run in order]}
    for place, (measure, values) in enumerate(means.items()):
        columns[measure] = [values[run] for run in order]
        if scores.interval is not None:
            columns[f"{measure} low"] = scores.interval.mean_low[0, place, order].tolist()
            columns[f"{measure} high"] = scores.interval.mean_high[0, place, order].tolist()
    return columns


def _figure(scores: ScoreRows, means: dict[str, list[float]], order: list[int], bars: str) -> Figure:
    measure = scores.measures[0]
    title, runs = f"Runs by {measure}", [scores.runs[run] for run in order]
    values = [means[measure][run] for run in order]
    if scores.interval is not None:
        ends = [end[0, 0, order].tolist() for end in (scores.interval.mean_low, scores.interval.mean_high)]
        return run_intervals(title, runs, (values, ends[0], ends[1]), f"mean {measure}", note=f"Bars are {bars}.")
    data = {"type": "bar", "x": runs, "y": values, "meta": "runs", "hovertemplate": "%{x}<br>%{y:.4f}<extra></extra>"}
    axes = {"yaxis": {"title": {"text": f"mean {measure}"}, "rangemode": "tozero"}, "xaxis": {"tickangle": -60}}
    return Figure(title, [data], axes, "Hover to see a run's name and score.")


def _topics(scores: Scores, measure: str) -> dict[str, list[Any]]:
    """What the runs score on each topic: mean, lowest, median, highest, and by which run."""
    import numpy

    array = scores.array(measure)
    order = numpy.argsort(array.mean(axis=0), kind="stable")
    array = array[:, order]
    return {
        "topic": [scores.topics[topic] for topic in order],
        "mean": array.mean(axis=0).tolist(),
        "lowest": array.min(axis=0).tolist(),
        "median": numpy.median(array, axis=0).tolist(),
        "highest": array.max(axis=0).tolist(),
        "best run": [scores.runs[run] for run in array.argmax(axis=0)],
    }


def _is_said(finding: str, warnings: Sequence[str]) -> bool:
    """Whether scoring said the same in other words, which begin alike: so many runs lack topics."""
    return any(warning.split(" (")[0] in finding for warning in warnings)
