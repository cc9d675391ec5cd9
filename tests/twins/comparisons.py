"""Literal twins of the analyses that compare runs: loops over pairs, topics and resamples, as the definitions read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import inf, log
from statistics import fmean

Values = Sequence[float]


def t_squared(z: Sequence[Fraction]) -> Fraction | float:
    """t(z)^2 with t = mean / (sd / sqrt n), sd with n - 1; without sd 0 or infinite."""
    n = len(z)
    mean = sum(z) / n
    variance = sum((value - mean) ** 2 for value in z) / (n - 1)
    if variance == 0:
        return 0.0 if mean == 0 else inf
    return mean**2 * n / variance


def bootstrap_test(a: Values, b: Values, resamples: Sequence[Sequence[int]], alpha: float) -> tuple[float, float]:
    """Achieved significance level, and the mean that belongs to the (B alpha)-th largest |t(w*)|.

    In fractions, so that ties are ties; scores with few decimals are meant as decimals.
    """
    z = [exactly(x) - exactly(y) for x, y in zip(a, b, strict=True)]
    w = [value - sum(z) / len(z) for value in z]
    drawn = [[w[topic] for topic in resample] for resample in resamples]
    sizes = [(t_squared(values), abs(sum(values) / len(values))) for values in drawn]
    level = sum(t >= t_squared(z) for t, _ in sizes) / len(resamples)
    return level, float(sorted(sizes, reverse=True)[round(len(resamples) * alpha) - 1][1])


def bootstrap_interval(a: Values, b: Values, resamples: Sequence[Sequence[int]], place: int) -> tuple[float, float]:
    """Mean difference -+ the place-th largest |t(w*)| times sd / sqrt n."""
    z = [exactly(x) - exactly(y) for x, y in zip(a, b, strict=True)]
    mean = sum(z) / len(z)
    squares = [t_squared([z[topic] - mean for topic in resample]) for resample in resamples]
    reach = float(sorted(squares, reverse=True)[place - 1]) ** 0.5
    half = reach * (float(sum((value - mean) ** 2 for value in z)) / (len(z) - 1) / len(z)) ** 0.5
    return float(mean) - half, float(mean) + half


def exactly(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def flip_test(a: Values, b: Values) -> float:
    """Share of all sign choices whose mean difference is at least as large."""
    z = [x - y for x, y in zip(a, b, strict=True)]
    sums = [abs(sum(s * value for s, value in zip(signs, z, strict=True))) for signs in product((1, -1), repeat=len(z))]
    return sum(value >= abs(sum(z)) - 1e-9 for value in sums) / len(sums)


def signed_rank_test(z: Values) -> float:
    """Twice the smaller share of sign choices whose positive rank sum is at most, or at least, that of the data."""
    kept = [value for value in z if value != 0]
    sizes = [abs(value) for value in kept]
    # Twice the mean rank of a size among all, which is a whole number.
    ranks = [sum(x < size for x in sizes) + sum(x <= size for x in sizes) + 1 for size in sizes]
    data = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    signs = product((1, 0), repeat=len(kept))
    sums = [sum(rank for rank, sign in zip(ranks, choice, strict=True) if sign) for choice in signs]
    return min(1.0, 2 * min(sum(x <= data for x in sums), sum(x >= data for x in sums)) / len(sums))


def tukey_enumerated(scores: Sequence[Values]) -> dict[tuple[int, int], float]:
    """Share of all renamings within topics whose range of means is at least each pair's difference."""
    columns = list(zip(*scores, strict=True))
    ranges = []
    for renamed in product(*(list(permutations(column)) for column in columns)):
        means = [fmean(row) for row in zip(*renamed, strict=True)]
        ranges.append(max(means) - min(means))
    means = [fmean(row) for row in scores]
    return {
        (i, j): sum(value >= abs(means[i] - means[j]) - 1e-9 for value in ranges) / len(ranges)
        for i, j in combinations(range(len(scores)), 2)
    }


def max_t_enumerated(scores: Sequence[Values]) -> dict[tuple[int, int], float]:
    """Share of all sign choices, alike for all pairs, whose largest t^2 of any pair is at least each pair's own."""
    pairs = list(combinations(range(len(scores)), 2))
    z = {(i, j): [exactly(x) - exactly(y) for x, y in zip(scores[i], scores[j], strict=True)] for i, j in pairs}
    flips = product((1, -1), repeat=len(scores[0]))
    largest = [
        max(t_squared([s * x for s, x in zip(signs, z[pair], strict=True)]) for pair in pairs) for signs in flips
    ]
    return {pair: sum(value >= t_squared(z[pair]) for value in largest) / len(largest) for pair in pairs}


def holm(p: Values) -> list[float]:
    """p_(i) times the hypotheses not yet rejected, never below an earlier one."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    result, reached = [0.0] * len(p), 0.0
    for step, i in enumerate(order):
        reached = max(reached, min(1.0, p[i] * (len(p) - step)))
        result[i] = reached
    return result


def letter_sets(different: Sequence[Sequence[bool]]) -> list[list[int]]:
    """Sets of runs that share a letter: each grown from the best run that lacks one with somebody below it or itself.

    Whoever differs from nobody in the set may join, runs that lack a letter with that best run before others, and the
    better before the worse.
    """
    runs = range(len(different))
    together: set[tuple[int, int]] = set()
    sets = []
    for run in runs:
        while wanted := [x for x in runs[run:] if not different[run][x] and (run, x) not in together]:
            members: list[int] = []
            for x in [*wanted, run, *runs]:
                joins = x not in members and not different[run][x]
                if joins and not any(different[x][member] for member in members):
                    members.append(x)
            together |= set(product(members, members))
            sets.append(sorted(members))
    return sorted(sets)


def kendall(a: Values, b: Values) -> tuple[float, int]:
    """tau a and the number of swapped pairs; means within 1e-12 tie."""
    concordant = discordant = 0
    for i, j in combinations(range(len(a)), 2):
        x, y = a[i] - a[j], b[i] - b[j]
        if abs(x) <= 1e-12 or abs(y) <= 1e-12:
            continue
        concordant += x * y > 0
        discordant += x * y < 0
    return (concordant - discordant) / (len(a) * (len(a) - 1) / 2), discordant


def orders(values: Values) -> Iterator[list[int]]:
    """All rankings of the indices, best first, that tied values allow."""
    levels = sorted(set(values), reverse=True)
    groups = [[i for i, value in enumerate(values) if value == level] for level in levels]
    for choice in product(*(list(permutations(group)) for group in groups)):
        yield [i for group in choice for i in group]


def tau_ap(a: Values, b: Values) -> float:
    """Mean of tau_AP over all orders of tied runs in both rankings; a is the reference."""
    return fmean(tau_ap_of_orders(x, y) for x in orders(a) for y in orders(b))


def tau_ap_of_orders(reference: list[int], order: list[int]) -> float:
    """Yilmaz et al. 2008: share of the runs above rank i that belong there, averaged over i = 2 ... N."""
    place = {run: rank for rank, run in enumerate(reference)}
    shares = [sum(place[above] < place[order[i]] for above in order[:i]) / i for i in range(1, len(order))]
    return 2 * fmean(shares) - 1


def overlap(a: Values, b: Values, p: float, depth: int = 2000) -> tuple[float, float, float]:
    """Extrapolated, lowest and highest rank-biased overlap, averaged over all orders of tied runs.

    The lowest goes on with runs nobody shares, the highest with agreement 1, both summed term by term.
    """
    runs = len(a)
    seen = fmean(overlap_of_orders(x, y, p) for x in orders(a) for y in orders(b))
    low = seen + sum((1 - p) * p ** (d - 1) * runs / d for d in range(runs + 1, depth))
    high = seen + sum((1 - p) * p ** (d - 1) for d in range(runs + 1, depth))
    return seen + p**runs, low, high


def overlap_of_orders(x: list[int], y: list[int], p: float) -> float:
    return sum((1 - p) * p ** (d - 1) * len(set(x[:d]) & set(y[:d])) / d for d in range(1, len(x) + 1))


def overlap_weight(p: float, depth: int) -> float:
    """Webber et al. 2010: weight of the first ranks, which two identical beginnings reach at least."""
    rest = log(1 / (1 - p)) - sum(p**i / i for i in range(1, depth))
    return 1 - p ** (depth - 1) + (1 - p) / p * depth * rest


def error_rate(scores: Sequence[Values], sets: Sequence[Sequence[int]], tolerance: float) -> float:
    """Less frequent orders over all decisions, for given sets of topics."""
    errors = decisions = 0
    for i, j in combinations(range(len(scores)), 2):
        above = below = equal = 0
        for topics in sets:
            a, b = fmean(scores[i][t] for t in topics), fmean(scores[j][t] for t in topics)
            if abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-12:
                equal += 1
            elif a > b:
                above += 1
            else:
                below += 1
        errors += min(above, below)
        decisions += above + below + equal
    return errors / decisions
