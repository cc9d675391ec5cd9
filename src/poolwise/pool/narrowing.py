"""Judgments of what a few runs retrieved, on a pool of these runs alone.

The design `pair` says the same on the whole pool, where all other documents stay and are passed over. Where many pairs
are looked at, most of the time would go into passing over them.
"""

from __future__ import annotations

from poolwise.pool.judgments import Judgments
from poolwise.pool.pool import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def narrowed(pool: Pool, judgments: Judgments, runs: Sequence[int]) -> Judgments:
    """Give the judgments that a pool was read with, of the documents that some of its runs retrieved.

    Documents keep their names, so samples drawn from these judgments are those that the design `pair` draws.
    """
    alone = Pool(pool.core.narrowed(runs), [pool.runs[run] for run in runs], stratum_rates=pool.stratum_rates)
    return Judgments(alone, top=judgments.top)
