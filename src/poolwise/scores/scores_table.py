"""The table of scores that people are shown: one column per measure, runs from best to worst."""

from __future__ import annotations

from poolwise.basics.closeness import best_first
from poolwise.basics.words import counted
from poolwise.scores.score_rows import number_text
from poolwise.show.parts import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.scores.score_rows import ScoreRows


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
        keys = [keys[place] for place in best_first(cells[key][first][0] for key in keys)]
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
