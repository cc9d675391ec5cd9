"""Means over labels by formula, against all labellings of tiny pools."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.campaign.campaign import Campaign, read
from poolwise.estimates.drawn_labels import Drawing, DrawnChances, Formula, expected_scores, formula_of, scores_of
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.model import TopicState, fit_model
from poolwise.estimates.targets import Target, target_of
from poolwise.measures.registry import parse
from poolwise.scores.scoring import to_spec

Floats = NDArray[np.float64]

NAMES = "abcdefg"
JUDGED = {"a": 0, "d": 2, "f": 1}  # the others are not judged; f is in one list only
LISTS = {"one": "cabxdeg", "two": "gxyfdb", "three": "e"}  # x and y are in no pool
MEASURES = ["RR", "RR(rel=2)", "RR@2", "Success@1", "Success@4", "ERR", "ERR@3", "Rprec", "Rprec(times=0.4)",
            "Rprec(times=2)", "RR'", "ERR'@2", "Success'@3", "Rprec'", "RR(rel=2)'"]  # fmt: skip


def tiny() -> Campaign:
    """One topic, three runs, four documents without a label and three with."""
    runs = {run: {"1": {name: float(9 - place) for place, name in enumerate(names)}} for run, names in LISTS.items()}
    return read({"1": {name: JUDGED.get(name, -1) for name in NAMES}}, runs)


def truth(campaign: Campaign, target: Target, tail_chance: Floats) -> Floats:
    """The mean score of each run over every labelling, each scored by the measure's kernel."""
    chances = np.hstack([np.ones((len(tail_chance), 1)), tail_chance]) - np.hstack(
        [tail_chance, np.zeros((len(tail_chance), 1))]
    )
    every = np.array(list(product(range(chances.shape[1]), repeat=len(tail_chance))), dtype=np.int32)
    weight = np.prod(chances[np.arange(len(tail_chance)), every], axis=1)
    labels, nothing = every[None, weight > 0.0], np.zeros(0, dtype=np.int32)
    asked = to_spec(target.measure, target.worths, 2.0)
    values, _ = campaign.core.simulated(0, [0, 1, 2], asked, np.ascontiguousarray(labels), [], [], nothing)
    return np.asarray(np.asarray(values) @ weight[weight > 0.0])


@pytest.mark.parametrize("name", MEASURES)
def test_the_mean_over_all_labellings_is_the_formula(name: str) -> None:
    campaign = tiny()
    layout = Layout.of(campaign, campaign.judgments)
    target = target_of(parse(name), layout)
    formula = formula_of(target, layout.top)
    assert formula is not None
    classes = target.classes(layout)
    random = np.random.default_rng(4)
    tail_chance = np.sort(random.uniform(0.0, 1.0, (len(NAMES), target.grades)), axis=1)[:, ::-1]
    tail_chance = np.where(classes[:, None] >= 0, classes[:, None] > np.arange(target.grades), tail_chance)
    found = of_core(campaign, target, formula, tail_chance, classes)
    assert found[0][:, 0] == pytest.approx(truth(campaign, target, tail_chance), abs=1e-12)
    for place in np.flatnonzero(classes >= 0):
        for own in range(target.grades + 1):
            relabelled = tail_chance.copy()
            relabelled[place] = own > np.arange(target.grades)
            assert found[1][:, place, own] == pytest.approx(truth(campaign, target, relabelled), abs=1e-12)


def of_core(
    campaign: Campaign, target: Target, formula: Formula, tail_chance: Floats, classes: Any
) -> tuple[Floats, Floats]:
    worth = formula.worth
    chances = worth[0] + tail_chance @ np.diff(worth)
    count = len(NAMES)
    values, means = campaign.core.expected_scores(
        0, [0, 1, 2], np.ascontiguousarray(chances[None, None]), classes.astype(np.int32), worth.tolist(),
        formula.table, formula.times, target.measure.is_condensed, list(range(count)), [0] * count,
        np.ones((3, count), dtype=np.int32),
    )  # fmt: skip
    return np.asarray(values), np.asarray(means)


def state_of(measure: str) -> tuple[TopicState, Target, Formula]:
    campaign = small_campaign(grades=2, seed=21)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.3, 5))
    target = target_of(parse(measure), layout)
    state = fit_model(layout, rank_features(layout), target.classes(layout), target.grades).state(1)
    formula = formula_of(target, layout.top)
    assert formula is not None
    return state, target, formula


@pytest.mark.parametrize("measure", ["RR", "ERR@10", "Success@5", "Rprec"])
def test_drawn_labels_come_to_the_same_means(measure: str) -> None:
    """Another way to the same: labels drawn by the thousand, with errors of effects and without."""
    state, target, formula = state_of(measure)
    runs = list(range(6))
    drawing = Drawing(state, 499)
    for together, size in ((True, 61), (False, 0)):
        drawn = scores_of(state, target, runs, drawing.present(together)).values.mean(axis=1)
        blocks = DrawnChances(state, size).blocks(formula.worth, each=False)
        means = [expected_scores(state, target, formula, runs, block).values.mean(axis=1) for block in blocks]
        assert np.mean(means, axis=0) == pytest.approx(drawn, abs=0.02)


def test_measures_without_a_formula_have_none() -> None:
    layout = Layout.of(tiny(), tiny().judgments)
    for name in ("Q", "bpref", "nERR@10", "F1@10"):
        assert formula_of(target_of(parse(name), layout), layout.top) is None
