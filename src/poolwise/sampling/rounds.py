"""What to know of judgments in rounds before trusting them; without numpy, as it is asked at every reading."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.pool.judgments import Judgments


NO_LABEL = "drawn documents have no label yet"


def without_label(labelled: int, drawn: int) -> str:
    """How many drawn documents lack a label, in the words that all commands use.

    >>> without_label(79, 200)
    '121 of 200 drawn documents have no label yet'
    """
    return f"{drawn - labelled} of {drawn} {NO_LABEL}"


def doubts(judgments: Judgments) -> list[str]:
    """Say how many drawn documents lack a label, and how many have one without being drawn.

    Files of `poolwise judge` write some that nobody has reached as not drawn; the plan's comments count them.
    """
    if not judgments.pool.has_strata:
        return []
    labels = memoryview(judgments.pool.core.labels()).cast("B").cast("i").tolist()
    rounds = memoryview(judgments.pool.core.rounds()).cast("B").cast("i").tolist()
    drawn = len(rounds) - rounds.count(0)
    if not drawn:
        return []  # a file of strata without rounds
    unjudged = [number for number, label in zip(rounds, labels, strict=True) if label == _core.POOLED]
    missing = len(unjudged) - unjudged.count(0)
    extra = rounds.count(0) - unjudged.count(0)
    notes = []
    if missing:
        from poolwise.pool.coverage import readable_plan

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
