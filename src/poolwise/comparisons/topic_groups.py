"""Runs on groups of topics: means with simultaneous intervals, whether runs and groups interact, wins and losses.

Intervals hold all means (or all differences of pairs) of all groups together with the level asked for, by Bonferroni's
inequality: t intervals over the topics of each group at 1 - (1 - level) / number. A mean of equal scores is not
certain: as many other topics as Clopper and Pearson's interval leaves open may be at either end of the scale.
Interaction asks whether differences of runs depend on the group. Each topic's scores are centred, so that hard topics
do not count, and the groups' labels are permuted over topics: if runs differed alike in all groups, every permutation
would be as likely as the one seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import nearest_possible, student_quantile
from poolwise.basics.results import Result, warn_of
from poolwise.basics.words import part_of
from poolwise.comparisons.pairs import all_pairs
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import bounds_of
from poolwise.scores.read_scores import score_matrix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.scores.read_scores import ScoresLike


class ScoresOfTopics:
    """Some topics of some scores; analyses take it as they take scores."""

    def __init__(self, scores: ScoresLike, topics: list[str]) -> None:
        self.runs, self.measures, self.topics = list(scores.runs), list(scores.measures), topics
        self._scores, self.estimated = scores, getattr(scores, "estimated", False)

    def array(self, measure: Any) -> Any:
        """Scores of one measure, runs x topics."""
        column_of = {topic: number for number, topic in enumerate(self._scores.topics)}
        return self._scores.array(measure)[:, [column_of[topic] for topic in self.topics]]


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


SAME = 1e-12  # scores that differ by less are tied
FEW = 5  # topics of a group


@dataclass(frozen=True, eq=False, repr=False)
class TopicGroups(Result):
    """Runs on groups of topics by one measure.

    `means`, `low` and `high` are runs x groups. Of pairs (`run_a`, `run_b`), pairs x groups: `difference` with
    `difference_low` and `difference_high`, and on how many topics of the group the first is better (`wins`), worse
    (`losses`) and equal (`ties`); these are None for estimates, whose single topics are too noisy. `p_interaction` is
    how likely differences of runs would depend on groups as much if they did not.
    """

    measure: str
    runs: list[str]
    groups: list[str]
    topics: list[int]  # of each group
    means: Floats
    low: Floats
    high: Floats
    run_a: list[str]
    run_b: list[str]
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    wins: NDArray[np.int64] | None
    losses: NDArray[np.int64] | None
    ties: NDArray[np.int64] | None
    interaction: float
    p_interaction: float
    level: float
    resamples: int
    seed: int
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per run and group."""
        return self._long({"run": self.runs}, {"mean": self.means, "low": self.low, "high": self.high})

    def pair_columns(self) -> dict[str, list[Any]]:
        """Give one row per pair of runs and group.

        Returns
        -------
        dict
            Lists by name of column.
        """
        ends = {"low": self.difference_low, "high": self.difference_high}
        values: dict[str, Any] = {"difference": self.difference, **ends}
        counts = {"wins": self.wins, "losses": self.losses, "ties": self.ties}
        values |= {name: count for name, count in counts.items() if count is not None}
        return self._long({"run_a": self.run_a, "run_b": self.run_b}, values)

    def _long(self, names: dict[str, list[str]], values: dict[str, Any]) -> dict[str, list[Any]]:
        number, rows = len(self.groups), len(next(iter(names.values())))
        return {
            **{name: [each for each in cells for _ in range(number)] for name, cells in names.items()},
            "measure": [self.measure] * (number * rows),
            "group": self.groups * rows,
            "topics": self.topics * rows,
            **{name: np.ravel(table).tolist() for name, table in values.items()},
        }

    def headline(self) -> str:
        """Whether runs and groups interact."""
        if math.isnan(self.p_interaction):
            return f"{self.measure} on {len(self.groups)} group of topics; interaction needs two runs and two groups"
        words = "depend" if self.p_interaction < 1 - self.level else "do not clearly depend"
        return (
            f"differences of runs in {self.measure} {words} on the group of topics (p {self.p_interaction:.4f}, "
            f"{len(self.groups)} groups)"
        )


def topic_groups(
    scores: ScoresLike,
    groups: Mapping[Any, str],
    measure: Any = None,
    *,
    level: float = 0.95,
    resamples: int = 9999,
    seed: int | np.random.Generator = 0,
) -> TopicGroups:
    """Look at runs on groups of topics, such as short and long queries.

    Parameters
    ----------
    scores : Scores
        Scores or estimates of runs on topics.
    groups : mapping
        The group of each topic, called by its name or number; topics without one are left out.
    measure : str or Measure, optional
        Which of the measures; the only one unless given.
    level : float
        Of the intervals, which hold for all runs and groups together.
    resamples : int
        Permutations of the test of interaction.
    seed : int or Generator
        Of these.

    Returns
    -------
    TopicGroups
        Means per group, differences of pairs with wins, losses and ties, and the interaction of runs and groups.

    Examples
    --------
    >>> from poolwise import read
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(4)}, "b": {str(t): {"y": 1.0} for t in range(4)}}
    >>> scores = read({str(t): {"x": int(t < 2), "y": 1} for t in range(4)}, runs).score("P@1")
    >>> groups = topic_groups(scores, {"0": "odd", "1": "odd", "2": "even", "3": "even"})
    >>> groups.means.tolist(), groups.difference.tolist(), groups.pair_columns()["losses"]
    ([[1.0, 0.0], [1.0, 1.0]], [[0.0, -1.0]], [0, 2])
    """
    checks.level(level)
    checks.whole("resamples", resamples, 1)
    parts = {name: score_matrix(part, measure) for name, part in split_topics(scores, groups).items()}
    tables = [part.values for part in parts.values()]
    runs, name = list(next(iter(parts.values())).runs), next(iter(parts.values())).measure
    first, second = all_pairs(len(runs)) if len(runs) > 1 else (np.arange(0), np.arange(0))
    between = [table[first] - table[second] for table in tables]
    means, low, high = _intervals(tables, level)
    estimated = getattr(scores, "estimated", False)
    if estimated:  # estimates of topics may lie outside the scale, true means do not
        possible = bounds_of(name)
        nearest = nearest_possible(means, high - means, *possible)
        low, high, means = low + (nearest - means), high + (nearest - means), np.clip(means, *possible)
    else:
        possible = _possible(name, tables)
    low, high = (np.clip(end, *possible) for end in _allowing_others(tables, means, low, high, possible, level))
    difference, difference_low, difference_high = _intervals(between, level)
    seed = checks.seed_number(seed)
    statistic, p = _interaction(tables, resamples, seed)
    return TopicGroups(
        name,
        runs,
        list(parts),
        [table.shape[1] for table in tables],
        means,
        low,
        high,
        [runs[run] for run in first],
        [runs[run] for run in second],
        difference,
        difference_low,
        difference_high,
        None if estimated else _counted(between, lambda part: part > SAME),
        None if estimated else _counted(between, lambda part: part < -SAME),
        None if estimated else _counted(between, lambda part: np.abs(part) <= SAME),
        statistic,
        p,
        level,
        resamples,
        seed,
        warn_of(_doubts(parts)),
    )


def _intervals(tables: list[Floats], level: float) -> tuple[Floats, Floats, Floats]:
    """Means with their simultaneous ends, rows x groups; NaN for a group of one topic."""
    number = sum(len(table) for table in tables)
    means = np.stack([table.mean(axis=1) for table in tables], axis=1)
    halves = np.full(means.shape, np.nan)
    for index, table in enumerate(tables):
        topics = table.shape[1]
        if topics > 1 and number:
            quantile = float(student_quantile(topics - 1, 1 - (1 - level) / (2 * number)))
            halves[:, index] = quantile * table.std(axis=1, ddof=1) / math.sqrt(topics)
    return means, means - halves, means + halves


def _allowing_others(
    tables: list[Floats], means: Floats, low: Floats, high: Floats, possible: tuple[float, float], level: float
) -> tuple[Floats, Floats]:
    """Interval limits for equal scores, which are not certain on other topics. NaN for unbounded scales."""
    lost = (1 - level) / (2 * max(sum(len(table) for table in tables), 1))
    others = [1 - lost ** (1 / table.shape[1]) if table.shape[1] > 1 else math.nan for table in tables]
    same = np.stack([np.ptp(table, axis=1) <= SAME for table in tables], axis=1)
    least, most = possible if np.isfinite(possible).all() else (math.nan, math.nan)
    return (
        np.where(same, means - others * (means - least), low),
        np.where(same, means + others * (most - means), high),
    )


def _possible(measure: str, tables: list[Floats]) -> tuple[float, float]:
    """Bounds of a mean: those of the measure, or the observed ones for unknown scores."""
    low, high = bounds_of(measure)
    return min(low, *(float(table.min()) for table in tables)), max(high, *(float(table.max()) for table in tables))


def _counted(between: list[Floats], chosen: Any) -> NDArray[np.int64]:
    return np.stack([chosen(part).sum(axis=1) for part in between], axis=1).astype(np.int64)


def _interaction(tables: list[Floats], resamples: int, seed: int) -> tuple[float, float]:
    """The sum of squares between groups of centred scores, and the share of permutations that have as much."""
    if len(tables) < 2 or len(tables[0]) < 2:
        return math.nan, math.nan
    scores = np.hstack(tables)
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    member = np.zeros((scores.shape[1], len(tables)))
    member[np.arange(len(member)), np.repeat(np.arange(len(tables)), [table.shape[1] for table in tables])] = 1.0
    sizes = member.sum(axis=0)
    random = np.random.default_rng(seed)
    seen = _between(centred, member, sizes)
    as_much = sum(
        _between(centred, member[random.permutation(len(member))], sizes) >= seen * (1 - 1e-9) for _ in range(resamples)
    )
    return seen, (1 + as_much) / (1 + resamples)


def _between(centred: Floats, member: Floats, sizes: Floats) -> float:
    return float((((centred @ member) ** 2) / sizes).sum())


def _doubts(parts: Mapping[str, Any]) -> list[str]:
    few = [f"{name} ({part.values.shape[1]})" for name, part in parts.items() if part.values.shape[1] < FEW]
    return [f"groups of fewer than {FEW} topics say little: {', '.join(few)}"] if few else []
