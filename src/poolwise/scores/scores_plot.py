"""The figure of scores: runs by a measure, best first, with intervals if there are."""

from __future__ import annotations

from poolwise.basics.closeness import best_first
from poolwise.scores.interval_kinds import INTERVAL_WORDS
from poolwise.show.figures import run_intervals
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.scores.score_rows import ScoreRows


def means_by_measure(scores: ScoreRows) -> dict[str, list[float]]:
    """The means of the runs, measure by measure."""
    rows, runs = scores.mean_rows(), len(scores.runs)
    return {measure: rows[place * runs : (place + 1) * runs] for place, measure in enumerate(scores.measures)}


def interval_words(scores: ScoreRows) -> str:
    """What low and high mean; nothing where there are none."""
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
        place = scores.measures.index(measure)
        low, high = (
            [end[0, place, run] for run in order] for end in (scores.interval.mean_low, scores.interval.mean_high)
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
