"""Bounds: the lowest and highest score that unjudged documents leave possible.

Every retrieved document that is not judged may get any label of the collection, and 0, which every collection knows;
all others keep their labels. Topics are independent, so bounds of a mean are means of bounds.
"""

from __future__ import annotations

import numpy as np

from poolwise.measures.aggregate import aggregated
from poolwise.measures.measure import REPORTED
from poolwise.scores.intervals import Interval
from poolwise.scores.scoring import ask, labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool


def bounds_interval(
    pool: Pool,
    measures: list[Measure],
    sets: list[Judgments],
    values: NDArray[Any],
    counted: NDArray[Any],
    threads: int,
) -> tuple[Interval, list[str]]:
    """Bounds of every score and mean; and which are outer bounds, or those of another measure."""
    targets = [measure.estimated for measure in measures]
    low, high = np.empty(values.shape), np.empty(values.shape)
    # What is judged is known, whatever labels unjudged documents would get.
    known = [number for number, target in enumerate(targets) if target.declaration.unjudged == REPORTED]
    low[:, known] = high[:, known] = values[:, known]
    rest = [number for number in range(len(targets)) if number not in known]
    own = [number for number in rest if targets[number].declaration.function is not None]
    core = [number for number in rest if number not in own]
    outer = set(own)
    if core:
        labels, values_of = sets[0].with_zero()
        asks = [ask(targets[number], values_of, sets[0].top) for number in core]
        *ends, exact = pool.core.bounds(asks, labels_of(sets), len(sets), labels, threads)
        low[:, core], high[:, core] = (np.asarray(end) for end in ends)
        outer |= {number for number, is_exact in zip(core, exact, strict=True) if not is_exact}
    for number in own:
        from poolwise.measures.user_measures import bound_own

        low[:, number], high[:, number], is_exact = bound_own(pool, targets[number], sets, values[:, number])
        outer -= {number} if is_exact else set()
    means = [aggregated([measure.declaration.aggregate for measure in measures], end, counted) for end in (low, high)]
    return Interval("bounds", low, high, *means), _notes(measures, targets, outer)


def _notes(measures: list[Measure], targets: list[Measure], outer: set[int]) -> list[str]:
    said = []
    loose = [str(measures[number]) for number in sorted(outer)]
    if loose:
        said.append(
            f"outer bound: the bounds of {', '.join(loose)} hold every possible score, but need not be "
            "reached by any labels"
        )
    estimators = [
        f"{measure} (of {target})" for measure, target in zip(measures, targets, strict=True) if measure != target
    ]
    if estimators:
        said.append(f"bounds of an estimator are those of what it estimates: {', '.join(estimators)}")
    return said
