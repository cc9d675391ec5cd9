"""Whether judgments are a sample of a pool, as of a judged plan, and its size in words; without numpy, for `score`."""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.judge.judgments import Judgments

NEARLY_ALL = 0.95  # of the pool: from there on plain scores have little left to estimate
INSTEAD = "use `poolwise estimate`, which gives scores with intervals from a sample"


def sample_words(judgments: Judgments) -> str:
    """Say how large a sample is, of judgments that leave more than a few pooled documents open; else nothing.

    >>> from poolwise import read
    >>> run = {"mine": {"1": {"a": 2.0, "b": 1.0}}}
    >>> sample_words(read({"1": {"a": 1, "b": -1}}, run).judgments)
    'this is a sample (1 of 2 pooled documents judged)'
    >>> sample_words(read({"1": {"a": 1, "b": 0}}, run).judgments)
    ''
    """
    labels = memoryview(judgments.buffer).cast("B").cast("i").tolist()
    pooled = len(labels) - labels.count(_core.OUTSIDE)
    return words_of_size(pooled - labels.count(_core.POOLED), pooled)


def words_of_size(judged: int, pooled: int) -> str:
    """The same, where it is counted already."""
    if judged >= NEARLY_ALL * pooled:
        return ""
    return f"this is a sample ({judged} of {pooled} pooled documents judged)"
