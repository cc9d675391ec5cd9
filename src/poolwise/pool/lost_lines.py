"""Judgments whose lines of documents that were not drawn are gone: they look complete and are not.

A plan lists every pooled document, drawn or not. Whoever keeps only the lines that were judged keeps a file that says
nothing of the rest. With the plan's comments it is known how much is missing; without them, strata and rounds give it
away when every run has documents that the file lacks.
"""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.words import counted
from poolwise.errors import InputError
from poolwise.pool.coverage import covered_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.plan_header import PlanHeader

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

    offsets = memoryview(judgments.pool.offsets()).tolist()
    buffer = judgments.strata_buffer
    strata = [1] * offsets[-1] if buffer is None else memoryview(buffer).tolist()
    return {
        (topic, stratum): count
        for number, topic in enumerate(judgments.pool.topics)
        for stratum, count in Counter(strata[offsets[number] : offsets[number + 1]]).items()
    }


def looks_cut(judgments: Judgments) -> bool:
    """Whether lines seem to be lost: strata or rounds, nothing undrawn, and no run whose documents are all there.

    A run's documents count down to the deepest rank at which the runs have a listed document at all.
    """
    core = judgments.pool.core
    if not core.has_strata or judgments.design or judgments.plan is not None:
        return False
    labels, rounds = memoryview(judgments.buffer).tolist(), memoryview(core.rounds()).tolist()
    if any(label == _core.POOLED and not round for label, round in zip(labels, rounds, strict=True)):
        return False  # a line of a document that was not drawn
    best = memoryview(core.best_ranks(list(range(len(judgments.pool.runs))))).tolist()
    deepest = max((rank for rank in best if rank != _core.NO_RANK), default=0)
    return max(covered_ranks(judgments), default=0) < deepest
