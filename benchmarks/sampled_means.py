"""Coverage of 95 % intervals of a mean from strata, by rule of degrees of freedom, and where a stratum has one label.

    python benchmarks/sampled_means.py [--draws 4000]

Populations are normal, 0 or 1, or lognormal. Prints for each the share of draws whose interval covers the mean of all
units, and the mean width of intervals over the one that the estimates' own spread asks for. Rules are the sum of n - 1
over strata, Satterthwaite's, and Satterthwaite's where variances of strata are first shrunken to the one of all
(`poolwise.sampling.variance.by_cells`), with 1, 2 and 4 degrees of freedom for the spread of all.

Then the same where one stratum has one label, which speaks for a share of all units.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from poolwise.basics.numbers import student_quantile
from poolwise.sampling.variance import COMMON_SPREAD, Sample, Variance, by_cells


def normal(generator: np.random.Generator, stratum: int, size: int) -> np.ndarray:
    return generator.normal(stratum, 1, size)


def wild(spread: float) -> Callable[..., np.ndarray]:
    """The first stratum spreads so many times as far as the others."""
    return lambda generator, stratum, size: generator.normal(0, 1 if stratum else spread, size)


def rare(share: float) -> Callable[..., np.ndarray]:
    return lambda generator, stratum, size: (np.arange(size) < share * size).astype(float)


class Population(NamedTuple):
    words: str
    sizes: tuple[int, ...]
    labels: tuple[int, ...]
    make: Callable[..., np.ndarray] = normal


POPULATIONS = (
    Population("normal, 3 strata of 2 labels", (40,) * 3, (2,) * 3),
    Population("normal, 5 strata of 2", (40,) * 5, (2,) * 5),
    Population("normal, 10 strata of 2", (40,) * 10, (2,) * 10),
    Population("normal, 20 strata of 2", (40,) * 20, (2,) * 20),
    Population("normal, 10 strata of 3", (40,) * 10, (3,) * 10),
    Population("normal, 3 strata of 10", (200,) * 3, (10,) * 3),
    Population("normal, strata of 10 to 100 units, 2 of each", tuple(range(10, 101, 10)), (2,) * 10),
    Population("400 units of 3 labels, ten of 20 units of 10", (400, *(20,) * 10), (3, *(10,) * 10)),
    Population("a wild stratum of 3 beside one of 40", (100, 400), (3, 40), wild(20)),
    Population("a wild stratum of 2 beside nine of 2", (40,) * 10, (2,) * 10, wild(8)),
    Population("0 or 1 (.3), 10 strata of 2", (40,) * 10, (2,) * 10, rare(0.3)),
    Population("0 or 1 (.3), 25 strata of 4", (40,) * 25, (4,) * 25, rare(0.3)),
    Population(
        "lognormal, 4 strata of 8", (200,) * 4, (8,) * 4, lambda generator, _, size: generator.lognormal(0, 1, size)
    ),
)


def _shrunken(sample: Sample, shares: np.ndarray, common: float) -> Variance:
    return sample.variance(shares, common)


RULES: dict[str, Callable[[Sample, np.ndarray], Variance]] = {
    "sum of n - 1": lambda sample, shares: Variance(
        shares @ shares, np.asarray(len(shares) - len(np.unique(sample.group)))
    ),
    "Satterthwaite": lambda sample, shares: by_cells(shares, sample.group),
    **{f"shrunken {common}": partial(_shrunken, common=common) for common in (1, 2, 4)},
}


def covers(population: Population, rules: dict[str, Callable], draws: int) -> list[tuple[float, float]]:
    """Of each rule the share of intervals that cover, and their width over the one asked for."""
    generator = np.random.default_rng(3)
    stratum = np.repeat(np.arange(len(population.sizes)), population.sizes)
    parts = [population.make(generator, number, size) for number, size in enumerate(population.sizes)]
    value, ends = np.concatenate(parts), np.cumsum(population.sizes)
    errors, halves = np.empty(draws), np.zeros((draws, len(rules)))
    for draw in range(draws):
        labelled = np.zeros(len(value), dtype=bool)
        for end, size, labels in zip(ends, population.sizes, population.labels, strict=True):
            labelled[end - size + generator.permutation(size)[:labels]] = True
        sample = Sample.of_cells(stratum, labelled)
        shares = sample.shares(sample.errors(value[labelled])) / len(value)
        errors[draw] = sample.weight @ value[labelled] / len(value) - value.mean()
        for number, rule in enumerate(rules.values()):
            found = rule(sample, shares)
            quantile = student_quantile(max(float(found.df), 1.0), 0.975)
            halves[draw, number] = float(quantile) * float(np.sqrt(found.value))
    known = halves[:, 0] > 0
    asked = np.quantile(np.abs(errors), 0.95)
    rows = (halves[known, number] for number in range(len(rules)))
    return [(float(np.mean(np.abs(errors[known]) <= half)), float(half.mean() / asked)) for half in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4000)
    arguments = parser.parse_args()
    print(f"| population | {' | '.join(RULES)} |\n|---|{'---|' * len(RULES)}")
    for population in POPULATIONS:
        cells = (f"{100 * held:.1f} %, {width:.2f}" for held, width in covers(population, RULES, arguments.draws))
        print(f"| {population.words} | {' | '.join(cells)} |", flush=True)
    print("\n| share of units that one label speaks for | covers, width |\n|---|---|")
    rule = {"engine": lambda sample, shares: sample.variance(shares, COMMON_SPREAD)}
    for share in (0.05, 0.1, 0.2, 0.3, 0.5, 0.8):
        sizes = (round(300 * share), round(200 * (1 - share)), 300 - round(300 * share) - round(200 * (1 - share)))
        ((held, width),) = covers(Population("", sizes, (1, 8, 8)), rule, arguments.draws)
        print(f"| {100 * share:.0f} % | {100 * held:.1f} %, {width:.2f} |", flush=True)


if __name__ == "__main__":
    main()
