"""What is asked of a world, as numbers and verdicts by name, so that two worlds can be compared."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tests.properties.worlds import World

import poolwise as pw
from poolwise.comparisons.non_inferiority import gate

Told = dict[tuple[str, ...], Any]  # names and what is told of them
Ask = Callable[[World, str, random.Random, Path], Told]

CLOSED = ("AP", "nDCG@10", "nDCG", "P@5", "P@10", "R@20", "RBP", "DCG@10")
SIMULATED = ("RR", "ERR@10", "Q", "bpref", "Rprec", "Success@5")
COUNTED = (*CLOSED, *SIMULATED, "AP'", "infAP", "nDCG(gain='exp')@10", "Judged@5", "RBPres", "Compat")
NEAR = 1e-9
EXACT_TESTS = ("t", "wilcoxon", "sign", "randomisation")  # those that draw nothing on so few topics
OF_RUNS = ("standard_error", "df", "plain_low", "plain_high", "outside")


def score(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """Scores by topic, and the order of runs."""
    found = given.campaign(folder).score(measure)
    told: Told = {(run, name, topic): value for run, name, topic, value in found.rows()}
    means = dict(zip(found.runs, np.asarray(found.means()).ravel().tolist(), strict=True))
    return {**told, **_places(list(found.mean_columns()["run"]), means)}


def bounds(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """How far unjudged documents could move scores."""
    found = given.sampled(folder).score(measure, interval="bounds")
    return {(run, str(place)): value for run, *ends in _means(found) for place, value in enumerate(ends)}


def compare(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """Differences, p values and letters, from all labels."""
    found = given.campaign(folder).compare(measure, test=chance.choice(EXACT_TESTS))
    return _compared(found)


def estimate(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """Estimates with intervals, differences, and the order of runs."""
    found = given.sampled(folder).estimate(measure, difference="all")
    values = found.means() if found.steadied is None else found.steadied
    told: Told = _places(found.order(), dict(zip(found.runs, values[:, 0].tolist(), strict=True)))
    for row, run in enumerate(found.runs):
        told.update({(run, name): float(getattr(found, name)[row, 0]) for name in OF_RUNS})
        told[run, "value"], told[run, "low"], told[run, "high"] = (
            float(part[row, 0]) for part in (found.means(), found.mean_low(), found.mean_high())
        )
        if found.steadied is not None:
            told[run, "steadied"] = float(found.steadied[row, 0])
    assert found.differences is not None
    for a, b, _, *numbers, note in zip(*found.differences.columns().values(), strict=True):
        told.update(_of_pair(a, b, numbers[:3]))
        told[(*sorted((a, b)), "error")], told[(*sorted((a, b)), "note")] = float(numbers[3]), note
    return told


def compare_judgments(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """Differences, p values and letters, from the labels of the plan."""
    campaign = given.sampled(folder)
    return _compared(campaign.compare(measure, test="judgments"))


def gated(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """The verdict on every pair of runs."""
    found = given.campaign(folder).score(measure)
    margin = chance.choice((0.0, 0.02, 0.1))
    table = dict(zip(found.runs, found.array(found.measures[0]), strict=True))
    return {
        (a, b, name): value
        for a in table
        for b in table
        if a != b
        for name, (value,) in gate(table[a], table[b], margin=margin).columns().items()
        if name not in ("measure", "baseline", "candidate")
    }


def holes(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """What holes leave open, and which comparisons they could turn."""
    found = given.sampled(folder).holes(measure)
    told: Told = {}
    for run, _, *numbers in zip(*found.columns().values(), strict=True):
        told.update({(run, str(place)): float(number) for place, number in enumerate(numbers)})
    for a, b, difference, model, low, high, *rest in zip(*found.pairs.columns().values(), strict=True):
        told.update(_of_pair(a, b, [difference, low, high]))
        told.update(_of_pair(a, b, [model, *rest[1:3]], "model"))
        told[(*sorted((a, b)), "could turn")] = bool(rest[3])
    return told


def agreement(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """How much alike two measures rank the runs."""
    found = given.campaign(folder).score(measure, "P@3")
    told = pw.agreement(found.array(measure).mean(axis=1), found.array("P@3").mean(axis=1))
    return {(name,): value for name, value in told.to_dict().items() if isinstance(value, float)}


def label_agreement(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """How much alike two assessors label, the second of whom errs by the number of the document."""
    other = {
        topic: {
            document: (label + (place % 4 == 0)) % 3 for place, (document, label) in enumerate(_by_score(given, topic))
        }
        for topic in given.labels
    }
    found = pw.label_agreement({"ann": given.labels, "bob": other})
    told = found.columns()
    return {
        (told["scale"][row], told["coefficient"][row], name): float(told[name][row])
        for row in range(len(told["scale"]))
        for name in ("documents", "value", "low", "high")
    }


def reliability(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """Parts of the variance, and what they say of more topics; the bootstrap over topics goes by their order."""
    told = pw.reliability(given.campaign(folder).score(measure), measure).to_dict()
    return {(name,): told[name] for name in ("system", "topic", "interaction", "phi", "rho2", "topics_for_phi95")}


def topics_needed(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """How many topics a difference takes."""
    told = pw.topics_needed(given.campaign(folder).score(measure), measure, difference=0.05).to_dict()
    return {(name,): value for name, value in told.items() if isinstance(value, int | float)}


def plan(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """What a plan draws."""
    design = chance.choice(("stratified", "uniform", "depth_plus_random"))
    found = pw.read(None, given._given_runs(folder)).plan(budget=60, design=design, depth=12, measure=measure, seed=5)
    return {(topic, document): stratum for topic, document, stratum in _drawn(found)}


def merged(given: World, measure: str, chance: random.Random, folder: Path) -> Told:
    """The plan with its labels, line by line."""
    return {(line,): True for line in given.judged.splitlines()}


# ---- Parts ---------------------------------------------------------------------------------------------------------


def _means(found: Any) -> list[tuple[Any, ...]]:
    low, high = (np.asarray(end).ravel().tolist() for end in (found.interval.mean_low, found.interval.mean_high))
    return list(zip(found.runs, np.asarray(found.means()).ravel().tolist(), low, high, strict=True))


def _compared(found: Any) -> Told:
    told: Told = _places(list(found.ranking_columns()["run"]), dict(zip(found.runs, found.means.tolist(), strict=True)))
    told.update({(run, "letters"): letters for run, letters in found.groups.items()})
    columns = found.columns()
    for place, (a, b) in enumerate(zip(found.run_a, found.run_b, strict=True)):
        told.update(_of_pair(a, b, [columns[name][place] for name in ("difference", "low", "high")]))
        for name in ("p", "p_corrected", "significant", "could_be_undone"):
            told[(*sorted((a, b)), name)] = columns[name][place].item()
    return told


def _places(order: list[str], values: dict[str, float]) -> Told:
    """The place of each run in an order, which goes by values; runs that are tied share the best one."""
    along = [values[run] for run in order]
    assert all(later <= earlier + NEAR for earlier, later in pairwise(along)), (order, along)
    return {(run, "place"): sum(value > values[run] + NEAR for value in along) for run in order}


def _of_pair(a: str, b: str, numbers: Sequence[float], name: str = "difference") -> Told:
    """A difference and its interval, the same whichever of the two comes first."""
    value, low, high = (float(number) for number in numbers)
    return {
        (a, b, name): value, (b, a, name): -value,
        (a, b, name, "low"): low, (b, a, name, "high"): -low,
        (a, b, name, "high"): high, (b, a, name, "low"): -high,
    }  # fmt: skip


def _by_score(given: World, topic: str) -> list[tuple[str, int]]:
    """The judged documents of a topic in an order that no name decides."""
    best = {
        document: max(own[topic].get(document, -1e9) for own in given.runs.values()) for document in given.labels[topic]
    }
    return sorted(given.labels[topic].items(), key=lambda item: -best[item[0]])


def _drawn(found: Any) -> list[tuple[str, str, int]]:
    columns = found.columns()
    rows = zip(columns["topic"], columns["document"], columns["stratum"], columns["round"], strict=True)
    return [(topic, document, stratum) for topic, document, stratum, number in rows if number]
