"""Whether judgments are a sample of a pool, as of a judged plan, and its size in words; without numpy, for `score`."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.words import counted, part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.pool.judgments import Judgments

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
    from poolwise.pool.lost_lines import lines_left, readable_plan

    lost = sum(max(count, 0) for count in lines_left(judgments, readable_plan(judgments)).values())
    return words_of_size(*judged_and_listed(judgments), lost)


def nearly_all_words(judgments: Judgments) -> str:
    """Say so of judgments that are taken for complete though a few pooled documents are open; else nothing."""
    judged, listed = judged_and_listed(judgments)
    if judged == listed or sample_words(judgments):
        return ""
    return (
        f"{part_of(judged, listed, 'pooled document', 'is', 'are')} judged: from {100 * NEARLY_ALL:g} % on "
        "judgments are taken for complete, and what is not judged counts as the measure says, mostly as non-relevant"
    )


def topics_in_words(topics: int, drawn_of: int | None = None) -> str:
    """Say how many topics there are, and of how many they were drawn, if they were.

    >>> topics_in_words(1), topics_in_words(5, 20)
    ('1 topic', '5 topics drawn of 20')
    """
    return counted(topics, "topic") + (f" drawn of {drawn_of}" if drawn_of is not None else "")


def judged_and_listed(judgments: Judgments) -> tuple[int, int]:
    """How many documents have a label, and how many a line."""
    labels = memoryview(judgments.buffer).cast("B").cast("i").tolist()
    listed = len(labels) - labels.count(_core.OUTSIDE)
    return listed - labels.count(_core.POOLED), listed


def words_of_size(judged: int, listed: int, lost: int = 0) -> str:
    """The same, where it is counted already; `lost` are pooled documents whose lines are gone.

    >>> words_of_size(20, 40), words_of_size(39, 40)
    ('this is a sample (20 of 40 pooled documents judged)', '')
    """
    pooled = listed + lost
    if judged >= NEARLY_ALL * pooled:
        return ""
    gone = f"; {lost} of the pool have no line here, which `poolwise merge PLAN LABELS` puts back" if lost else ""
    return f"this is a sample ({judged} of {pooled} pooled documents judged{gone})"
