"""Random small topics for hypothesis: every state of a document, ties, short and empty rankings."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies
from tests.twins.topic import Topic, sort_ranking

DOCUMENTS = [f"d{number:02d}" for number in range(10)]
RETRIEVED = strategies.lists(strategies.sampled_from(DOCUMENTS), unique=True)
SCORES = strategies.integers(0, 5)


@strategies.composite
def scored_topics(
    draw: strategies.DrawFn,
    labels: Sequence[int] = (-2, 0, 1, 2, 3),
    *,
    pooled: bool = True,
    ties: bool = True,
    strata: int = 1,
) -> tuple[Topic, dict[str, float]]:
    """A topic and the scores its ranking was sorted by; scores are small whole numbers."""
    states = strategies.sampled_from([*labels, *(["pooled"] if pooled else []), "outside"])
    state_of = {each: draw(states) for each in DOCUMENTS}
    retrieved = draw(RETRIEVED)
    if ties:
        scored = {each: float(draw(SCORES)) for each in retrieved}
    else:
        scored = {each: float(position) for position, each in enumerate(retrieved)}
    in_pool = [each for each in DOCUMENTS if state_of[each] != "outside"]
    stratum_of = {each: draw(strategies.integers(1, strata)) for each in in_pool} if strata > 1 else {}
    topic = Topic(
        ranking=sort_ranking(scored),
        labels={each: state_of[each] for each in in_pool if state_of[each] != "pooled"},
        pooled={each for each in in_pool if state_of[each] == "pooled"},
        strata=stratum_of,
        top=max(labels),
    )
    return topic, scored


def topics(
    labels: Sequence[int] = (-2, 0, 1, 2, 3),
    *,
    pooled: bool = True,
    strata: int = 1,
) -> strategies.SearchStrategy[Topic]:
    """The same without the scores."""
    return scored_topics(labels, pooled=pooled, strata=strata).map(lambda drawn: drawn[0])
