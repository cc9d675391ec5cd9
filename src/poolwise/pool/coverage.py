"""Which documents of the runs judgments speak for; without numpy, as it is asked at every scoring.

A document within a measure's depth is judged, pooled and not judged, or outside: neither. The depth is the measure's
cut-off; without one it is the pool's, as the documents below it were never meant to be judged.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.pool.judgments import Judgments

NO_LIMIT = 2**31 - 1
WHOLE = 2**32 - 1  # the core's word for a run of which all is pooled
NEARLY = 0.9  # of a stretch of a ranking, if so much is pooled, the pool reaches down to its end
SHALLOWEST, FEWEST = 5, 25  # ranks, and documents of a run, that must be pooled without a gap to show a depth


def pool_depth(judgments: Judgments) -> int:
    """The rank down to which runs were pooled; NO_LIMIT if the runs show none.

    A plan says it. Other files of judgments do not, so it is read off the runs: each is pooled down to some rank in
    every topic, and the depth d is the one for which d^2 x (runs pooled down to d or deeper) is greatest. Runs that
    made the pool share its depth; others reach a few ranks, and a run with short lists may by chance reach farther than
    the pool. A few ranks, or a few documents, may all be judged by chance and show nothing. Single documents may be
    missing in a pool: as long as nearly all is pooled below d, the depth is farther down.

    >>> from poolwise import read
    >>> run = {f"d{rank:02d}": -rank for rank in range(60)}
    >>> pool = read({"1": {f"d{rank:02d}": 0 for rank in range(30)}}, {"mine": {"1": run}})
    >>> pool_depth(pool.judgments)
    30
    """
    if judgments.plan is not None:
        return judgments.plan.depth
    if judgments.pool_depth is None:
        judgments.pool_depth = _found_depth(judgments)
    return judgments.pool_depth


def _found_depth(judgments: Judgments) -> int:
    covered = covered_ranks(judgments)
    depth = deepest_shared(covered, len(judgments.pool.topics))
    if depth == NO_LIMIT:
        return depth
    return _past_gaps(judgments, depth, [run for run, rank in enumerate(covered) if rank >= depth])


def _past_gaps(judgments: Judgments, depth: int, runs: list[int]) -> int:
    """The depth down to which nearly all of some runs is pooled, at least that down to which all is."""
    while (pooled := _nearly_pooled(judgments, depth, runs))[-1]:
        depth *= 2
    low, high = depth, 2 * depth
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if pooled[middle - depth - 1] else (low, middle)
    return low


def _nearly_pooled(judgments: Judgments, depth: int, runs: list[int]) -> list[bool]:
    """Whether nearly all of some runs below a depth is pooled, down to each rank as far as twice that depth."""
    counts = judgments.pool.core.outside_by_rank(judgments.buffer, runs, depth, 2 * depth)
    numbers = memoryview(counts).cast("B").cast("q").tolist()
    stretches = zip(numbers[::2], numbers[1::2], strict=True)
    return [documents > 0 and missing <= (1.0 - NEARLY) * documents for missing, documents in stretches]


def covered_ranks(judgments: Judgments) -> list[int]:
    """The rank down to which each run is pooled in every topic; WHOLE if all is that it retrieves."""
    return memoryview(judgments.pool.core.covered_ranks(judgments.buffer)).tolist()


def deepest_shared(covered: list[int], topics: int) -> int:
    """The depth that runs share, from the rank down to which each is pooled.

    >>> deepest_shared([100, 100, 173, 100, 8, 0], 50)
    100
    """
    least = max(SHALLOWEST, -(-FEWEST // topics))
    depths = {rank for rank in covered if least <= rank < WHOLE}
    return max(depths, key=lambda depth: (depth**2 * sum(rank >= depth for rank in covered), depth), default=NO_LIMIT)


def open_counts(judgments: Judgments, depth: int, unjudged: bool = False) -> list[int]:
    """How many documents down to a depth are outside, or with `unjudged` not judged: runs x topics, one after another.

    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": -1}}, {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})
    >>> open_counts(pool.judgments, 10), open_counts(pool.judgments, 10, unjudged=True)
    ([1], [2])
    """
    counts = judgments.pool.core.count_open(judgments.buffer, depth, unjudged)
    return memoryview(counts).cast("B").cast("i").tolist()


def open_shares(judgments: Judgments, depth: int, unjudged: bool = False) -> list[float]:
    """The share of each run's documents down to a depth that is outside, or with `unjudged` not judged."""
    return [count / max(size, 1) for count, size in open_totals(judgments, depth, unjudged)]


def open_totals(judgments: Judgments, depth: int, unjudged: bool = False) -> list[tuple[int, int]]:
    """How many documents of each run down to a depth are outside, or with `unjudged` not judged; and of how many."""
    found = judgments.open_totals.get((depth, unjudged))
    if found is None:
        totals = judgments.pool.core.total_open(judgments.buffer, depth, unjudged)
        numbers = memoryview(totals).cast("B").cast("q").tolist()
        found = judgments.open_totals[depth, unjudged] = list(zip(numbers[::2], numbers[1::2], strict=True))
    return found
