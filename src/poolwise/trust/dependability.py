"""Phi and E rho^2 of means over many topics, from what one topic tells [Brennan 2001].

Both are n r / (1 + n r) for n topics, r being the ratio of signal to noise of a single topic: the variance between runs
over the variance that topics add to it (for Phi of all kinds, for E rho^2 of the interaction only).
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["coefficient", "phi_for", "topics_for", "topics_needed"]


def coefficient(ratio: float, topics: Any) -> Any:
    """n r / (1 + n r) of a number of topics or of an array of them, written so that an infinite ratio gives 1.

    >>> coefficient(0.5, 2), coefficient(math.inf, 2), coefficient(0.0, 2)
    (0.5, 1.0, 0.0)
    """
    return 1.0 / (1.0 + 1.0 / (topics * ratio)) if ratio != 0.0 else 0.0 * topics


def topics_needed(ratio: float, wanted: float) -> float:
    """How many topics a wanted coefficient needs (not rounded; infinite if none suffice)."""
    return wanted / (1.0 - wanted) / ratio if ratio != 0.0 else math.inf


def phi_for(phi: float, topics: float) -> float:
    """Phi of means over topics, from that of one topic.

    >>> phi_for(0.5, 3)
    0.75
    """
    return float(coefficient(_ratio(phi), topics))


def topics_for(phi: float, wanted: float = 0.95) -> float:
    """How many topics a wanted Phi needs, from Phi of one topic; infinite where that is not above 0.

    >>> round(topics_for(0.5), 6), topics_for(0.0)
    (19.0, inf)
    """
    return topics_needed(_ratio(phi), wanted)


def _ratio(phi: float) -> float:
    return math.inf if phi == 1.0 else max(phi, 0.0) / (1.0 - phi)
