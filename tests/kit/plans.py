"""Plans as rows, and where documents stand in the rankings that they are made from."""

from __future__ import annotations


def rows(plan):
    """Topic, document, stratum, round and label of everything that a plan lists."""
    return list(zip(plan.topic, plan.document, plan.stratum, plan.round, plan.label, strict=True))


def ranked(runs):
    """The documents of every run and topic in the order of their scores."""
    return {
        name: {topic: sorted(own, key=own.__getitem__, reverse=True) for topic, own in topics.items()}
        for name, topics in runs.items()
    }


def best_ranks(pool):
    """The best rank of every document of a topic over all runs, counted from the rankings."""
    best: dict[tuple[str, str], int] = {}
    for run in pool.runs:
        for topic in pool.topics:
            for rank, document in enumerate(pool.ranking(run, topic), 1):
                best[topic, document] = min(rank, best.get((topic, document), rank))
    return best
