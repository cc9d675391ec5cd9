"""Checks of what goes in, and warnings about what comes out of an optimisation."""

from __future__ import annotations

import numpy as np

from poolwise.basics.settings import at_least_two
from poolwise.errors import InputError
from poolwise.lab.weights.optimum import reported
from poolwise.lab.weights.simplex import CONVERGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.held_out import HeldOut
    from poolwise.lab.weights.labels import RankedLabels
    from poolwise.lab.weights.optimum import Start


__all__ = ["check_labels", "doubts"]

# Maxima that differ by less are the same one.
SAME = 1e-8


def check_labels(labels: RankedLabels, gains: Floats) -> None:
    """Refuse labels that no components can be estimated from."""
    at_least_two("an optimum", (labels.runs, labels.topics))
    if not np.any(gains[labels.grades] > 0):
        raise InputError(
            f"no run retrieves a document of positive gain within the first {labels.cutoff} ranks; "
            "check that runs and judgments belong together, or raise the cut-off"
        )


def doubts(
    phi: float,
    violation: float,
    starts: Sequence[Start],
    held_out: Sequence[HeldOut],
    usual: str | None,
    best_scores: Floats,
) -> list[str]:
    """Say what makes an optimum doubtful.

    `usual` is the variant that it must beat on held-out data, `best_scores` the best score on each topic.
    """
    notes = []
    barren = int(np.sum(best_scores == 0.0))
    if barren:
        score = "topic scores" if barren == 1 else "topics score"
        notes.append(f"{barren} {score} 0 for every run with these weights")
    if reported(phi) == 0.0:
        notes.append("no weights tell these runs apart: Phi is 0 at the optimum")
    if violation >= CONVERGED:
        notes.append(f"the search did not converge: the conditions of a maximum miss by {violation:.1e}")
    reached = [start.reached for start in starts]
    if reached and max(reached) - min(reached) > SAME:
        apart = sum(value < max(reached) - SAME for value in reached)
        notes.append(f"{apart} of {len(reached)} starts ended at a lower maximum; the highest is returned")
    notes += [
        f"on held-out {part.facet} the optimum is less stable than {usual} (mean Phi {part.phi['optimal']:.4f} "
        f"against {part.phi[usual]:.4f}): it fits these {part.facet} only"
        for part in held_out
        if usual is not None and part.difference[usual] < 0.0
    ]
    return notes
