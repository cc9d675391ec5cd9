"""Whether intervals of agreement from a sample hold the agreement on all documents.

    python benchmarks/agreement_coverage.py QRELS MODEL [--rel 2] [--model-rel 1] [--share 0.05] [--trials 300]
    python benchmarks/agreement_coverage.py [--team NUMBER] [--trials 300]

With files, each trial keeps the labels of a share of every topic's documents, at random, and lists the others as not
judged; the model's labels are complete. Prints kappa of all labels, the mean estimate, the share of 95 % intervals that
hold it, and their mean width, graded and binary.

Without files, teams judge simulated pools. A pool is made once for each row: topics of unlike richness in two strata,
and what every assessor would say of every document, more carelessly on some topics than on others. Each trial draws a
plan, the same number of each topic and half of it from the upper third, and deals it out as `poolwise judge` does.
Prints the documents that pairs have in common and, for some coefficients, the share of 95 % intervals that hold the
value of the whole pool, and their mean width over the one that the estimates' own spread asks for.
"""

from __future__ import annotations

import argparse
import random
import warnings
from dataclasses import dataclass

import numpy as np

from poolwise.errors import PoolwiseWarning
from poolwise.judging.sharing import Rules, deal
from poolwise.plans.judging_order import Item, in_blocks
from poolwise.reading.records import label_rows
from poolwise.sampling.hashed_random import HashedRandom
from poolwise.trust.label_agreement import LabelAgreement, agreement_of
from poolwise.trust.label_sheet import label_sheet


def rows_of(path: str) -> list[tuple[str, str, float, int]]:
    rows = label_rows(path)
    listed = zip(rows.topic, rows.document, rows.label, strict=True)
    return [(topic, document, float(label), 1) for topic, document, label in listed if label is not None]


def drawn(rows: list, share: float, chance: random.Random) -> list:
    """The same with labels of a share of every topic only, two at least."""
    topics: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        topics.setdefault(row[0], []).append(place)
    kept = {place for own in topics.values() for place in chance.sample(own, max(2, round(share * len(own))))}
    return [row if place in kept else (*row[:2], None, 1) for place, row in enumerate(rows)]


@dataclass(frozen=True)
class Team:
    """Topics, pooled documents of each, how many are drawn in all, who judges them, and the share that is shared."""

    topics: int
    pooled: int
    drawn: int
    assessors: int
    overlap: float


TEAMS = (
    Team(50, 34, 100, 3, 1.0),
    Team(50, 34, 100, 2, 1.0),
    Team(50, 40, 300, 3, 0.33),
    Team(20, 90, 500, 5, 0.1),
    Team(10, 200, 500, 3, 0.2),
    Team(10, 100, 400, 3, 1.0),
    Team(20, 90, 300, 3, 0.2),
    Team(20, 100, 400, 2, 1.0),
)
SHOWN = ("kappa", "agreement", "quadratic_kappa", "fleiss_kappa", "alpha_ordinal")


def pool_of(team: Team, generator: np.random.Generator) -> tuple[list[tuple[str, str, int]], np.ndarray]:
    """Topic, document and stratum of every pooled document, and every assessor's label of it."""
    listed, said = [], []
    for topic in range(team.topics):
        size = max(6, round(team.pooled * generator.uniform(0.6, 1.4)))
        upper = np.arange(size) < size // 3
        share, careless = generator.beta(1.2, 2.0), generator.uniform(0.05, 0.35)
        relevant = generator.random(size) < np.where(upper, min(1.0, 1.6 * share), 0.7 * share)
        truth = np.where(relevant, generator.integers(1, 3, size), 0)
        other = generator.integers(0, 3, (size, team.assessors))
        listed += [(str(topic), f"{topic}-{place}", 1 if upper[place] else 2) for place in range(size)]
        said.append(np.where(generator.random((size, team.assessors)) < careless, other, truth[:, None]))
    return listed, np.concatenate(said)


def planned(team: Team, listed: list[tuple[str, str, int]], generator: np.random.Generator) -> list[int]:
    """Places of the documents that are drawn."""
    cells: dict[tuple[str, int], list[int]] = {}
    for place, (topic, _, stratum) in enumerate(listed):
        cells.setdefault((topic, stratum), []).append(place)
    each = team.drawn // team.topics
    wanted = {1: each // 2, 2: each - each // 2}
    return [int(p) for (_, stratum), own in cells.items() for p in generator.permutation(own)[: wanted[stratum]]]


def agreement_in(team: Team, listed: list, said: np.ndarray, trial: int | None) -> LabelAgreement:
    """After one plan is dealt out and judged; without a trial, on the whole pool."""
    names = [f"a{place}" for place in range(team.assessors)]
    judged = {name: set(range(len(listed))) for name in names}
    if trial is not None:
        places, chance = planned(team, listed, np.random.default_rng((7, trial))), HashedRandom(f"plan {trial}")
        items = [Item(number, *listed[place]) for number, place in enumerate(places)]
        shares = deal(in_blocks(items, chance), chance, Rules(tuple(names), team.overlap))
        judged = {name: {places[number] for number, _ in shares.queues[name]} for name in names}
    rows = {
        name: [
            (topic, document, float(said[place, column]) if place in judged[name] else None, stratum)
            for place, (topic, document, stratum) in enumerate(listed)
        ]
        for column, name in enumerate(names)
    }
    return agreement_of(label_sheet(rows))


def graded(agreement: LabelAgreement) -> dict[tuple[str, str, str], tuple[float, float, float, int]]:
    rows = [*agreement.rows, *(agreement.means if len(agreement.assessors) > 2 else ())]
    return {
        (row.coefficient, row.first, row.second): (row.value, row.low, row.high, row.documents)
        for row in rows
        if row.scale == "graded" and row.coefficient in SHOWN
    }


def team_rows(team: Team, seed: int, trials: int) -> None:
    listed, said = pool_of(team, np.random.default_rng(seed))
    truth = graded(agreement_in(team, listed, said, None))
    seen: dict[str, list[tuple[float, float, float, float, int]]] = {}
    for trial in range(trials):
        for key, numbers in graded(agreement_in(team, listed, said, trial)).items():
            name = f"{key[0]}, mean of pairs" if key[1] == "mean" else key[0]
            seen.setdefault(name, []).append((truth[key][0], *numbers))
    print(f"| {team.drawn} documents of {team.topics} topics, {team.assessors} assessors, overlap {team.overlap:g} |")
    for name, each in seen.items():
        own, value, low, high, documents = np.asarray(each).T
        known = ~np.isnan(low)
        if not known.any():
            print(f"| {name} | {documents.mean():.0f} documents | no interval |")
            continue
        held, width = (low <= own) & (own <= high), np.mean((high - low)[known])
        asked = 2 * 1.96 * np.std((value - own)[known])
        print(
            f"| {name} | {documents.mean():.0f} documents | {100 * (~known).mean():.0f} % without interval | "
            f"held {100 * held[known].mean():.1f} % | truth below {100 * (own < low)[known].mean():.1f} %, "
            f"above {100 * (own > high)[known].mean():.1f} % | width {width:.3f}, {width / asked:.2f} of that asked |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", nargs="?")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--team", type=int, metavar="NUMBER", help="only this team, from 0 on")
    parser.add_argument("--rel", type=float, default=2)
    parser.add_argument("--model-rel", type=float)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--trials", type=int, default=300)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    if arguments.model is None:
        for number, team in enumerate(TEAMS):
            if arguments.team in (None, number):
                team_rows(team, number, arguments.trials)
        return
    people, model = rows_of(arguments.qrels), rows_of(arguments.model)
    known = {row[:2] for row in model}
    people = [row for row in people if row[:2] in known]
    rel = {"": arguments.rel, "model": arguments.model_rel or arguments.rel}

    def kappas(listed: list) -> list:
        found = agreement_of(label_sheet({"people": listed, "model": model}), rel=rel)
        return [found.of("kappa", "people", "model", scale) for scale in ("graded", "binary")]

    truth = [found.value for found in kappas(people)]
    seen: list[list[tuple[float, bool, float]]] = [[], []]
    for trial in range(arguments.trials):
        for place, found in enumerate(kappas(drawn(people, arguments.share, random.Random(trial)))):
            seen[place].append((found.value, found.low <= truth[place] <= found.high, found.high - found.low))
    print("| scale | kappa of all | mean of samples | held | width |\n|---|---|---|---|---|")
    for scale, own, each in zip(("graded", "binary"), truth, seen, strict=True):
        value, held, width = np.mean(each, axis=0)
        print(f"| {scale} | {own:.3f} | {value:.3f} | {100 * held:.1f} % | {width:.3f} |")


if __name__ == "__main__":
    main()
