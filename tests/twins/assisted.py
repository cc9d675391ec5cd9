"""The assisted estimator's measures and corrections spelled out, one document and one pair at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Ranking = Sequence[int]  # documents by rank; -1 stands for one outside the pool
Value = Callable[[Sequence[float]], float]


def average_precision(p: Sequence[float], ranking: Ranking) -> float:
    """The mean of S / R: 1 is known, other probabilities are of documents whose number follows Poisson's law."""
    certain, loose, _ = parts(p)
    divided = [mean_reciprocal(certain + uncertain, loose) for uncertain in range(3)]
    total, known, unknown = 0.0, 0.0, 0.0
    for k, document in enumerate(ranking, 1):
        if document < 0:
            continue
        own = int(p[document] != 1.0)
        total += p[document] / k * ((1.0 + known) * divided[own] + unknown * divided[own + 1])
        known, unknown = (known, unknown + p[document]) if own else (known + 1.0, unknown)
    return total


def mean_reciprocal(certain: int, loose: float) -> float:
    """The mean of 1 / (certain + N), N drawn from Poisson's law; of no use, and 0, where nothing is certain."""
    if certain == 0:
        return 0.0
    chance, total = math.exp(-loose), 0.0
    for more in range(60 + 3 * int(loose)):
        total += chance / (certain + more)
        chance *= loose / (more + 1)
    return total


def relevant_twice(value: Value, p: Sequence[float], step: float = 1e-3) -> float:
    """Half the sum of p^2 times the second derivative by p of a value, numerically, over uncertain documents."""
    total = 0.0
    for document, own in enumerate(p):
        if 0.0 < own < 1.0:
            ends = [value(changed(p, {document: own + by})) for by in (step, 0.0, -step)]
            total += own**2 / 2.0 * (ends[0] - 2.0 * ends[1] + ends[2]) / step**2
    return total


def discounted(p: Sequence[float], ranking: Ranking, discount: Callable[[int], float]) -> float:
    """DCG / ideal with probabilities in place of labels; those of 0 and 1 are certain."""
    gained = sum(p[document] * discount(k) for k, document in enumerate(ranking, 1) if document >= 0)
    known = parts(p)
    return gained * chance_of_any(*known) / mean_ideal(*known, discount)


def parts(p: Sequence[float]) -> tuple[int, float, float]:
    """How many documents are certain, how many more are expected, and the sum of their squared probabilities."""
    loose = [one for one in p if one != 1.0]
    return sum(one == 1.0 for one in p), sum(loose), sum(one**2 for one in loose)


def chance_of_any(certain: int, loose: float, squares: float) -> float:
    """The chance that there is any document; Poisson's none is too likely by half the sum of squares."""
    return 1.0 if certain else 1.0 - math.exp(-loose) * max(1.0 - squares / 2.0, 0.0)


def mean_ideal(certain: int, loose: float, squares: float, discount: Callable[[int], float]) -> float:
    """What the best documents are worth together, their number being `certain` and one drawn from Poisson's law.

    Half the sum of squares times the second difference is taken off, as no document counts twice.
    """
    total, chance, best = 0.0, math.exp(-loose), sum(discount(k) for k in range(1, certain + 1))
    for more in range(300):
        curvature = discount(certain + more + 2) - discount(certain + more + 1)
        total += chance * (best - squares / 2.0 * curvature)
        chance *= loose / (more + 1)
        best += discount(certain + more + 1)
    return total


def bracket(value: Value, p: Sequence[float], document: int) -> float:
    """A(y = 1) - A(y = 0) for one document."""
    return value(changed(p, {document: 1.0})) - value(changed(p, {document: 0.0}))


def pair_difference(value: Value, p: Sequence[float], i: int, j: int) -> float:
    """A(1, 1) - A(1, 0) - A(0, 1) + A(0, 0) for two documents."""
    values = {(a, b): value(changed(p, {i: a, j: b})) for a in (0.0, 1.0) for b in (0.0, 1.0)}
    return values[1, 1] - values[1, 0] - values[0, 1] + values[0, 0]


def changed(p: Sequence[float], places: dict[int, float]) -> list[float]:
    """A copy with some entries replaced."""
    return [places.get(document, old) for document, old in enumerate(p)]


def mixed_difference(value: Value, p: Sequence[float], i: int, j: int, step: float = 1e-3) -> float:
    """The second derivative of a value by two different probabilities, numerically."""
    total = 0.0
    for first in (step, -step):
        for second in (step, -step):
            moved = list(p)
            moved[i] += first
            moved[j] += second
            total += first * second * value(moved)
    return total / (4.0 * step**4)


def slopes(known: Sequence[float], loose: Sequence[float], ranking: Ranking, document: int) -> tuple[float, float]:
    """How S grows with the label of a document: by 1 / k and known relevant others, and by uncertain others."""
    if document not in ranking:
        return 0.0, 0.0
    own = ranking.index(document) + 1
    others = [(other, max(own, k)) for k, other in enumerate(ranking, 1) if other >= 0 and other != document]
    near = 1.0 / own + sum(known[other] / rank for other, rank in others)
    return near, sum(loose[other] / rank for other, rank in others)


def pair_sum(first: Sequence[float], second: Sequence[float], ranking: Ranking) -> float:
    """Sum over pairs of documents, in both orders, of the product of their numbers / the larger rank."""
    places = [(k, document) for k, document in enumerate(ranking, 1) if document >= 0]
    return sum(first[d] * second[e] / max(k, other) for k, d in places for other, e in places if d != e)
