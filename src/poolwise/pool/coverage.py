"""Which documents of the runs judgments speak for; without numpy, as it is asked at every scoring.

A document within a measure's depth is judged, pooled and not judged, or outside: neither. The depth is the measure's
cut-off; without one it is the pool's, as the documents below it were never meant to be judged.

The design `pair` says the same on the whole pool, where all other documents stay and are passed over. Where many pairs
are looked at, most of the time would go into passing over them.

A plan lists every pooled document, drawn or not. Whoever keeps only the lines that were judged keeps a file that says
nothing of the rest. With the plan's comments it is known how much is missing; without them, strata and rounds give it
away when every run has documents that the file lacks.
"""

from __future__ import annotations

from poolwise.basics.words import counted, part_of
from poolwise.errors import InputError
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments, covered_ranks, open_totals, outside_by_rank
from poolwise.pool.pool import NO_RANK, Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.pool.plan_header import PlanHeader


def narrowed(pool: Pool, judgments: Judgments, runs: Sequence[int]) -> Judgments:
    """Give the judgments that a pool was read with, of the documents that some of its runs retrieved.

    Documents keep their names, so samples drawn from these judgments are those that the design `pair` draws.
    """
    return Judgments(pool.on_runs(runs), top=judgments.top)


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
    labels = judgments.buffer.tolist()
    listed = len(labels) - labels.count(OUTSIDE)
    return listed - labels.count(POOLED), listed


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


NO_LIMIT = 2**31 - 1  # deeper than any rank: the largest number of 32 bits
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
    counts = outside_by_rank(judgments, runs, depth, 2 * depth)
    return [documents > 0 and missing <= (1.0 - NEARLY) * documents for missing, documents in counts]


def deepest_shared(covered: list[int], topics: int) -> int:
    """The depth that runs share, from the rank down to which each is pooled.

    >>> deepest_shared([100, 100, 173, 100, 8, 0], 50)
    100
    """
    least = max(SHALLOWEST, -(-FEWEST // topics))
    depths = {rank for rank in covered if least <= rank < WHOLE}
    return max(depths, key=lambda depth: (depth**2 * sum(rank >= depth for rank in covered), depth), default=NO_LIMIT)


def open_shares(judgments: Judgments, depth: int, unjudged: bool = False) -> list[float]:
    """The share of each run's documents down to a depth that is outside, or with `unjudged` not judged."""
    return [count / max(size, 1) for count, size in open_totals(judgments, depth, unjudged)]


MERGE = "merge the labels with their plan (poolwise merge PLAN LABELS -o judged.txt)"


def check_all_lines(
    judgments: Judgments, *, taken_for_complete: bool = False, unless: str = "say outside='nonrelevant'"
) -> None:
    """Refuse to estimate or plan from judgments that lack lines; with `taken_for_complete` only if their plan says so.

    `unless` is what to do if the pool is judged in full.
    """
    missing = missing_lines(judgments)
    if missing:
        raise InputError(
            f"{counted(missing, 'document')} that the plan pooled {'has' if missing == 1 else 'have'} no line in the "
            f"judgments, and without them nothing can be estimated or planned; {MERGE}"
        )
    if not taken_for_complete and looks_cut(judgments):
        raise InputError(
            "the judgments have strata or rounds but no document that was not drawn, and every run retrieves "
            f"others; lines of what was not drawn seem to be lost: {MERGE}, or {unless} if the pool is judged in full"
        )


def missing_lines(judgments: Judgments) -> int:
    """How many pooled documents have no line, by the plan's comments; 0 without these, and more lines are refused."""
    left = lines_left(judgments, judgments.plan)
    for (topic, stratum), count in left.items():
        if count < 0:
            found = listed(judgments)[topic, stratum]
            raise InputError(
                f"stratum {stratum} of topic {topic} has {counted(found, 'document')} in the judgments and "
                f"{found + count} in their plan; {MERGE} instead of adding lines"
            )
    return sum(left.values())


def readable_plan(judgments: Judgments) -> PlanHeader | None:
    """The plan, for notes: damaged comments say nothing, and are refused only where something is estimated."""
    try:
        return judgments.plan
    except InputError:
        return None


def lines_left(judgments: Judgments, plan: PlanHeader | None) -> dict[tuple[str, int], int]:
    """How many lines each stratum of each topic lacks, by the plan's comments; below 0 if it has more."""
    if plan is None:
        return {}
    left = dict(plan.pooled)
    for key, count in listed(judgments).items():
        left[key] = left.get(key, 0) - count
    return left


def listed(judgments: Judgments) -> dict[tuple[str, int], int]:
    """How many documents the judgments list in each stratum of each topic."""
    from collections import Counter

    offsets = judgments.pool.offsets().tolist()
    strata = [1] * offsets[-1] if judgments.strata_buffer is None else judgments.strata_buffer.tolist()
    return {
        (topic, stratum): count
        for number, topic in enumerate(judgments.pool.topics)
        for stratum, count in Counter(strata[offsets[number] : offsets[number + 1]]).items()
    }


def looks_cut(judgments: Judgments) -> bool:
    """Whether lines seem to be lost: strata or rounds, nothing undrawn, and no run whose documents are all there.

    A run's documents count down to the deepest rank at which the runs have a listed document at all.
    """
    if not judgments.pool.has_strata or judgments.design or judgments.plan is not None:
        return False
    labels, rounds = judgments.buffer, Judgments(judgments.pool).rounds_buffer or ()  # those that were read
    if any(label == POOLED and not round for label, round in zip(labels, rounds, strict=True)):
        return False  # a line of a document that was not drawn
    best = judgments.pool.best_ranks().tolist()
    deepest = max((rank for rank in best if rank != NO_RANK), default=0)
    return max(covered_ranks(judgments), default=0) < deepest


def without_label(labelled: int, drawn: int) -> str:
    """How many drawn documents lack a label, in the words that all commands use.

    >>> without_label(79, 200)
    '121 of 200 drawn documents have no label yet'
    """
    return f"{drawn - labelled} of {drawn} drawn documents have no label yet"


def round_notes(judgments: Judgments) -> list[str]:
    """Say how many drawn documents lack a label, and how many have one without being drawn.

    Files of `poolwise judge` write some that nobody has reached as not drawn; the plan's comments count them.
    """
    if not judgments.pool.has_strata:
        return []
    labels, rounds = judgments.buffer.tolist(), list(judgments.rounds_buffer or ())
    drawn = len(rounds) - rounds.count(0)
    if not drawn:
        return []  # a file of strata without rounds
    unjudged = [number for number, label in zip(rounds, labels, strict=True) if label == POOLED]
    missing = len(unjudged) - unjudged.count(0)
    extra = rounds.count(0) - unjudged.count(0)
    notes = []
    if missing:
        plan = readable_plan(judgments)
        planned = 0 if plan is None else sum(sum(cell.drawn) for cell in plan.strata)
        notes.append(
            f"{without_label(drawn - missing, max(drawn, planned))}; rates count those that have one, which is right "
            "if labels are missing by chance, as when documents are judged in the plan's order and not all were reached"
        )
    if extra:
        have, were, count = ("has", "it was", "it counts") if extra == 1 else ("have", "they were", "they count")
        notes.append(
            f"{counted(extra, 'document')} {have} a label though {were} not drawn (round 0); {count} as if drawn at "
            f"random: put -1 back if {were} picked by hand"
        )
    return notes
