"""What a label and a rank are worth to a measure: the one place where all that weigh documents ask.

Formulas and names of discounts are the core's (`discounts.hpp`), gains of labels are `parameters.gain_of`.
"""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.measures.measure import Measure


def label_gains(measure: Measure, labels: Iterable[float], top: float = 0) -> list[float]:
    """The gain of each label; without gains of its own a measure asks whether the label is relevant.

    `top` is the highest label of the collection, which some measures look at. Negative gains are given as they are.

    >>> from poolwise.measures.rank import AP, nDCG
    >>> label_gains(nDCG(gain="exp"), [-2, 0, 1, 3]), label_gains(AP(rel=2), [1, 2])
    ([-3.0, 0.0, 1.0, 7.0], [0.0, 1.0])
    """
    gains, parameters = measure.declaration.gains, measure.parameters
    if gains is None:
        return [float(label >= parameters.get("rel", 1)) for label in labels]
    return [gains(parameters, label, top) for label in labels]


def rank_discounts(measure: Measure, depth: int) -> memoryview:
    """The discount of each rank from 1 to `depth`, as doubles: 1 without a discount, 0 beyond the cut-off.

    >>> from poolwise.measures.rank import nDCG
    >>> rank_discounts(nDCG(discount="zipf") @ 2, 3).tolist()
    [1.0, 0.5, 0.0]
    """
    measure.require()
    cutoff = measure.cutoff or 0
    declared = measure.declaration.discount
    name, numbers = declared(measure.parameters, cutoff) if declared else ("uniform", [])
    return _core.discounts(name, numbers, depth, cutoff)
