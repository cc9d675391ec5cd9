"""Names, order, copies, rounds and formats change no number and no verdict.

Every verb meets every law that speaks of it, with measures drawn at random: 300 cases of a fixed seed. `make hostile`
takes the day's seed, which it prints; POOLWISE_SEED repeats it, and POOLWISE_CASES asks for another number.
"""

from __future__ import annotations

import math
import os
import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.properties import verbs
from tests.properties.verbs import CLOSED, COUNTED, NEAR, SIMULATED, Ask, Told
from tests.properties.worlds import World, in_rounds, other_format, permuted, renamed, world

import poolwise as pw

SEED = os.environ.get("POOLWISE_SEED", "1")
CASES = int(os.environ.get("POOLWISE_CASES", "300"))
COPY = "copy"

ESTIMATED = (*CLOSED, *SIMULATED)
GRADED = ("AP", "nDCG@10", "P@5", "R@20", "RBP", "bpref", "Success@5")
LAWS = {"renamed": renamed, "permuted": permuted, "in rounds": in_rounds, "other format": other_format}

# What each verb is asked by, and the laws that speak of it.
VERBS: dict[str, tuple[Ask, tuple[str, ...], tuple[str, ...]]] = {
    "score": (verbs.score, COUNTED, ("renamed", "permuted", "other format", "duplicated")),
    "bounds": (verbs.bounds, GRADED, ("renamed", "permuted", "in rounds", "other format", "duplicated")),
    "compare": (verbs.compare, ESTIMATED, ("renamed", "permuted", "other format", "duplicated")),
    "estimate": (verbs.estimate, ESTIMATED, ("renamed", "permuted", "in rounds", "other format", "duplicated")),
    "compare by labels": (
        verbs.compare_judgments,
        ESTIMATED,
        ("renamed", "permuted", "in rounds", "other format", "duplicated"),
    ),
    "gate": (verbs.gated, ESTIMATED, ("renamed", "permuted", "other format", "duplicated")),
    "holes": (verbs.holes, GRADED, ("renamed", "permuted", "in rounds", "other format", "duplicated")),
    "agreement": (verbs.agreement, GRADED, ("renamed",)),
    "label agreement": (verbs.label_agreement, ("AP",), ("renamed", "permuted")),
    "reliability": (verbs.reliability, ESTIMATED, ("renamed", "permuted", "other format")),
    "topics needed": (verbs.topics_needed, ESTIMATED, ("renamed", "permuted", "other format")),
    "plan": (verbs.plan, CLOSED, ("permuted", "other format")),
    "merge": (verbs.merged, ("AP",), ("in rounds",)),
}
PAIRS = [(verb, law) for verb, (_, _, laws) in VERBS.items() for law in laws]
# Of a copy only what is said of it and its original is compared: the model learns from all runs, and letters and
# corrected p values are of all pairs.


@pytest.mark.parametrize("number", range(CASES))
def test_what_does_not_matter_changes_nothing(number: int, tmp_path: Path) -> None:
    verb, law = PAIRS[number % len(PAIRS)]
    chance = random.Random(f"{SEED} {number}")
    _, measures, _ = VERBS[verb]
    measure, draw_topics = chance.choice(measures), chance.random() < 1 / 6
    case = f"POOLWISE_SEED={SEED}, case {number}: {verb} by {measure}, {law}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = world(chance, tmp_path, draw_topics)
        draws = chance.randrange(10**6)
        if law == "duplicated":
            doubled = replace(given, runs={**given.runs, COPY: given.runs[given.first]})
            check_copy(answer(verb, doubled, measure, draws, tmp_path), given.first, case)
            return
        changed = LAWS[law](given, chance)
        plain, other = (answer(verb, each, measure, draws, tmp_path) for each in (given, changed))
        check_equal(plain, in_old_names(other, changed), case)


def answer(verb: str, given: World, measure: str, draws: int, folder: Path) -> Told:
    """What is told; where the answer is that it cannot be told, that."""
    ask, _, _ = VERBS[verb]
    if verb not in MAY_BE_REFUSED:
        return ask(given, measure, random.Random(draws), folder)
    try:
        return ask(given, measure, random.Random(draws), folder)
    except pw.PoolwiseError as error:
        return {("refused", COPY): type(error).__name__}


def check_equal(plain: Told, changed: Told, case: str) -> None:
    """Every number the same up to rounding, every verdict the same."""
    assert plain.keys() == changed.keys(), case
    assert plain, case
    for key, value in plain.items():
        assert same(value, changed[key]), (case, key, value, changed[key])


def check_copy(found: Told, first: str, case: str) -> None:
    """A copy has what its original has, and no difference is seen between them."""
    of_copy = {key: value for key, value in found.items() if COPY in key}
    assert of_copy, case
    for key, value in of_copy.items():
        if "refused" in key:
            assert value == "InputError", case
        elif first not in key and "error" not in key:
            alike = tuple(first if name == COPY else name for name in key)
            alike = alike if alike in found else (*sorted(alike[:2]), *alike[2:])
            assert same(value, found[alike]), (case, key, value, found[alike])
        elif key[-1] == "difference":
            assert abs(value) <= NEAR, (case, key, value)
        elif key[-1] == "significant":
            assert not value, (case, key)


def same(one: Any, other: Any) -> bool:
    """Equal, or numbers as near as rounding leaves them."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def in_old_names(found: Told, changed: World) -> Told:
    """What was told under new names, by the old ones."""
    back = changed.names.back()
    return {old_key(key, back): value for key, value in found.items()}


def old_key(key: tuple[str, ...], back: dict[str, str]) -> tuple[str, ...]:
    """The key by old names; pairs that stand in the order of names stand in that of the old ones."""
    names = [back.get(name, name) for name in key]
    both = len(key) == 3 and key[0] in back and key[1] in back and key[2] in PAIRWISE
    return (*sorted(names[:2]), names[2]) if both else tuple(names)


# Where runs do not differ, where few labels are alike, and where the budget is too small for a design.
MAY_BE_REFUSED = {"topics needed", "compare by labels", "plan"}
PAIRWISE = {"p", "p_corrected", "significant", "could_be_undone", "error", "note", "could turn"}
