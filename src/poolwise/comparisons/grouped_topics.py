"""Scores of groups of topics: the same runs and measures on part of the topics."""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.basics.words import part_of
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.scores.matrix import ScoresLike

__all__ = ["ScoresOfTopics", "split_topics"]


class ScoresOfTopics:
    """Some topics of some scores; analyses take it as they take scores."""

    def __init__(self, scores: ScoresLike, topics: list[str]) -> None:
        self.runs, self.measures, self.topics = list(scores.runs), list(scores.measures), topics
        self._scores, self.estimated = scores, getattr(scores, "estimated", False)

    def array(self, measure: Any) -> Any:
        """Scores of one measure, runs x topics."""
        place = {topic: number for number, topic in enumerate(self._scores.topics)}
        return self._scores.array(measure)[:, [place[topic] for topic in self.topics]]


def split_topics(scores: ScoresLike, groups: Mapping[Any, str]) -> dict[str, ScoresOfTopics]:
    """The scores of each group, in the order of their first topics; topics without a group are left out and counted.

    >>> from poolwise import read
    >>> scores = read({"1": {"a": 1}, "2": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}).score("AP")
    >>> {name: part.topics for name, part in split_topics(scores, {"1": "easy", "2": "hard"}).items()}
    {'easy': ['1'], 'hard': ['2']}
    """
    if not hasattr(groups, "items") or not hasattr(scores, "topics"):
        raise ArgumentError("groups of topics need scores, and a dict from topic to group")
    named = {str(topic): group for topic, group in groups.items()}  # topics may be given as numbers
    topics_of: dict[str, list[str]] = {}
    for topic in scores.topics:
        if topic in named:
            topics_of.setdefault(named[topic], []).append(topic)
    if not topics_of:
        first = next(iter(scores.topics), "")
        raise InputError(f"no topic of the scores has a group; their topics are called {first!r} and the like")
    left = len(scores.topics) - sum(map(len, topics_of.values()))
    are = "is" if left == 1 else "are"
    warn_of([f"{part_of(left, len(scores.topics), 'topic')} no group and {are} left out"] if left else [])
    return {name: ScoresOfTopics(scores, topics) for name, topics in topics_of.items()}
