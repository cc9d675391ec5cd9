"""Scores by topic from dicts, as other tools take and give them: topics that both have, empty ones among them."""

from __future__ import annotations

from poolwise.pool.joining import Joining
from poolwise.pool.judgments import Judgments
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.reading.tables import add_labels, add_run, add_subtopic_labels
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from poolwise import _core
    from poolwise.measures.measure import Measure
    from poolwise.pool.joining import Errors


def topic_scores(
    qrels: Mapping[str, Mapping[str, Any]], run: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
) -> dict[str, list[float]]:
    """The scores of each topic that judgments and run have, one per measure; every negative label is no judgment."""
    judged = {topic: labels for topic, labels in qrels.items() if topic in run and labels}
    joining = Joining(ReadingOptions("negative"))
    return _scored(joining, lambda builder: add_labels(builder, judged, "qrels"), set(judged), run, measures)


def subtopic_scores(
    rows: Sequence[tuple[str, str, str, int]], run: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
) -> dict[str, list[float]]:
    """The same from rows of topic, subtopic, document and label."""
    judged = [row for row in rows if row[0] in run]
    joining = Joining(ReadingOptions("negative", subtopics=True))
    topics = {row[0] for row in judged}
    return _scored(joining, lambda builder: add_subtopic_labels(builder, judged, "qrels"), topics, run, measures)


def _scored(
    joining: Joining,
    add: Callable[[_core.Builder], None],
    topics: set[str],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[Measure],
) -> dict[str, list[float]]:
    ranked = {topic: scores for topic, scores in run.items() if topic in topics}
    if not ranked or not measures:
        return {topic: [] for topic in ranked}
    joining.add_labels(add)
    joining.add_runs(1, lambda builder: _added(builder, ranked))
    pool = Pool(joining.finish(), ["run"])
    scored = score_values(pool, list(measures), [Judgments(pool)], 1)
    values: Any = memoryview(scored).cast("B").cast("d").tolist()
    size = len(pool.topics)
    places = {topic: place for place, topic in enumerate(pool.topics)}
    return {str(topic): values[places[str(topic)] :: size] for topic in ranked}


def _added(builder: _core.Builder, ranked: Mapping[str, Mapping[str, float]]) -> Errors:
    add_run(builder, 0, ranked, "run")
    return {}
