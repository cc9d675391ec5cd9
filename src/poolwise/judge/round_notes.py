"""What to know of judgments in rounds before trusting them; without numpy, as it is asked at every reading."""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.judge.judgments import Judgments


def doubts(judgments: Judgments) -> list[str]:
    """Say how many drawn documents lack a label, and how many have one without being drawn."""
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
    said = []
    if missing:
        said.append(
            f"{missing} of {drawn} drawn documents have no label (non-response); rates count those that have one, "
            "which is right if labels are missing by chance, as when a plan's lines are judged from the top"
        )
    if extra:
        said.append(
            f"{extra} documents have a label though they were not drawn (round 0); they count as if drawn at random: "
            "put -1 back if they were picked by hand"
        )
    return said
