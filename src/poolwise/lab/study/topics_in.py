"""Some of the topics of a campaign: those that a paper, or a question, is about."""

from __future__ import annotations

from poolwise.basics import settings as checks
from poolwise.basics.words import counted
from poolwise.campaign.campaign import Campaign
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.judgments import Judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def on_topics(pool: Campaign, topics: str | Sequence[str | int]) -> Campaign:
    """Give the campaign of some of its topics, as if judgments and runs had no others.

    Judgments count as complete: what a plan says of its design stays behind.

    Parameters
    ----------
    pool : Campaign
        A campaign.
    topics : str or sequence of str or int
        Names of topics and ranges of numbers, "303,601-650" or ["303", "601-650"] or range(601, 651).

    Returns
    -------
    Campaign
        The topics, in the order of the campaign, with all of its runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=3, topics=9, depth=20, seed=1).pool()
    >>> on_topics(pool, "102,107-109").topics
    ['102', '107', '108', '109']
    """
    checks.campaign(pool)
    given = topics.split(",") if isinstance(topics, str) else [str(topic) for topic in topics]
    places: set[int] = set()
    for text in (each.strip() for each in given):
        found = _places(pool.topics, text)
        if not found:
            first, last = pool.topics[0], pool.topics[-1]
            raise ArgumentError(
                f"topics {text!r}: none of the {len(pool.topics)} topics ({first} to {last}) is meant; give names and "
                "ranges with commas between, as in 303,601-650"
            )
        places.update(found)
    if not places:
        raise ArgumentError("no topic is named; give names and ranges with commas between, as in 303,601-650")
    return _cut(pool, sorted(places))


def _places(topics: Sequence[str], text: str) -> list[int]:
    """Where the topics stand that a name or a range means; a name comes first, as it may look like a range."""
    if text in topics:
        return [topics.index(text)]
    low, dash, high = (part.strip() for part in text.partition("-"))
    if not (dash and low.isdecimal() and high.isdecimal()):
        return []
    wanted = range(int(low), int(high) + 1)
    return [place for place, topic in enumerate(topics) if topic.isdecimal() and int(topic) in wanted]


def _cut(pool: Campaign, places: list[int]) -> Campaign:
    """The campaign of the topics at these places; a run that has none of them is refused, as `read` refuses it."""
    core = pool.core.on_topics(places)
    cut = Campaign(core, list(pool.runs), stratum_rates=pool.stratum_rates)
    size = len(places)
    retrieved = memoryview(cut.retrieved()).cast("B").cast("i").tolist()
    empty = [run for place, run in enumerate(pool.runs) if not any(retrieved[place * size : (place + 1) * size])]
    if empty:
        raise InputError(
            f"{', '.join(empty[:3])}: no documents for the {counted(size, 'topic')} chosen; leave such runs out"
        )
    cut.judgments = Judgments(cut)
    cut._duplicates, cut._nan = pool._duplicates, pool._nan
    return cut
