"""Random small topics for hypothesis: every state of a document, ties, short and empty rankings."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies
from tests.twins.topic import Topic, sort_ranking

DOCUMENTS = [f"d{number:02d}" for number in range(10)]


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
    states = ["judged"] * len(labels) + (["pooled"] if pooled else []) + ["outside"]
    state_of = {each: draw(strategies.sampled_from(states)) for each in DOCUMENTS}
    retrieved = draw(strategies.lists(strategies.sampled_from(DOCUMENTS), unique=True))
    if ties:
        scored = {each: float(draw(strategies.integers(0, 5))) for each in retrieved}
    else:
        scored = {each: float(position) for position, each in enumerate(retrieved)}
    in_pool = [each for each in DOCUMENTS if state_of[each] != "outside"]
    stratum_of = {each: draw(strategies.integers(1, strata)) for each in in_pool} if strata > 1 else {}
    judged = [each for each in in_pool if state_of[each] == "judged"]
    topic = Topic(
        ranking=sort_ranking(scored),
        labels={each: draw(strategies.sampled_from(labels)) for each in judged},
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
