"""How long the lists of runs are where topics are scored some at a time."""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LengthsSoFar"]


class LengthsSoFar:
    """Of each run, by name, how many topics have a list of each length; 0 where the run lacks the topic."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[int]] = {}

    def count(self, runs: Sequence[str], retrieved: Sequence[int]) -> None:
        """Take in some topics: runs x topics one after another."""
        topics = len(retrieved) // max(len(runs), 1)
        for place, run in enumerate(runs):
            self._of(run).update(retrieved[place * topics : (place + 1) * topics])

    def add(self, other: LengthsSoFar) -> None:
        """Take in what was counted elsewhere."""
        for run, lengths in other.counts.items():
            self._of(run).update(lengths)

    def medians(self, runs: Sequence[str]) -> list[int]:
        """Documents per topic of each run, at the median over the topics it has, as `median_lengths` has it.

        >>> so_far = LengthsSoFar()
        >>> so_far.count(["a", "b"], [0, 3, 5, 7, 7, 0])
        >>> so_far.medians(["b", "a", "c"])
        [7, 5, 0]
        """
        return [_median(self.counts.get(run, {})) for run in runs]

    def _of(self, run: str) -> Counter[int]:
        return self.counts.setdefault(run, Counter())


def _median(topics_by_length: dict[int, int]) -> int:
    """The middle length, the upper one of two, of the topics that there are."""
    there = sorted((length, topics) for length, topics in topics_by_length.items() if length)
    before = sum(topics for _, topics in there) // 2
    for length, topics in there:
        if before < topics:
            return length
        before -= topics
    return 0
