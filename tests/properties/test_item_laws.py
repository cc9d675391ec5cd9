"""Estimates of items: names, order, copies of a system and formats change no number."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.properties.test_laws import CASES, SEED, check_equal
from tests.properties.worlds import written

import poolwise as pw

LAWS = ("renamed", "permuted", "other format", "duplicated", "other units of predictions")
COLUMNS = ("item", "system", "score", "prediction", "stratum")
Row = dict[str, Any]


@pytest.mark.parametrize("number", range(CASES // 6))
def test_what_does_not_matter_changes_no_mean_of_items(number: int, tmp_path: Path) -> None:
    law, chance = LAWS[number % len(LAWS)], random.Random(f"{SEED} {number} items")
    rows, case = labelled_items(chance), f"POOLWISE_SEED={SEED}, case {number}: items, {law}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = told(rows)
        if law == "renamed":
            every = sorted({row["item"] for row in rows})
            names = {old: f"q{place}" for place, old in enumerate(chance.sample(every, len(every)))}
            changed = [{**row, "item": names[row["item"]]} for row in rows]
            check_equal(plain, told(changed), case)
        elif law == "permuted":
            check_equal(plain, told(chance.sample(rows, len(rows))), case)
        elif law == "other format":
            ending = chance.choice(("csv", "tsv", "jsonl", "json", "parquet"))
            table = [tuple(row[name] for name in COLUMNS) for row in rows]
            check_equal(plain, told(written(tmp_path / f"items.{ending}", COLUMNS, table)), case)
        elif law == "other units of predictions":
            a, b = chance.choice((-3.0, 0.01, 40.0)), chance.uniform(-5, 5)
            check_equal(plain, told([{**row, "prediction": a * row["prediction"] + b} for row in rows]), case)
        else:
            more = told([*rows, *({**row, "system": "copy"} for row in rows if row["system"] == "a")])
            check_equal({key: value for key, value in plain.items() if key[0] == "a"}, of_copy(more), case)


def labelled_items(chance: random.Random) -> list[Row]:
    """Two systems on the same items in one or two strata, some of them labelled, with predictions of them all."""
    draw = np.random.default_rng(chance.randrange(10**6))
    number, strata, scale = int(draw.integers(60, 120)), int(draw.integers(1, 3)), int(draw.integers(1, 5))
    labelled, rows = set(draw.permutation(number)[: number // 3].tolist()), []
    hard = draw.normal(size=number)
    for system, skill in (("a", 0.3), ("b", 0.0)):
        taste = hard + skill + draw.normal(size=number)
        score = np.clip(np.round((taste + 2.0) * scale / 4.0), 0, scale)
        told_by_model = score + draw.normal(size=number)
        rows += [
            {
                "item": f"item{place}", "system": system, "score": float(score[place]) if place in labelled else None,
                "prediction": float(told_by_model[place]), "stratum": place % strata,
            }
            for place in range(number)
        ]  # fmt: skip
    return rows


def told(rows: Any) -> dict[tuple[str, ...], Any]:
    """Means with intervals, and the difference of the two systems."""
    found = pw.estimate_items(rows, difference=("a", "b"))
    columns = found.columns()
    numbers = [name for name in columns if name != "system"]
    result = {
        (system, name): columns[name][place] for place, system in enumerate(columns["system"]) for name in numbers
    }
    assert found.differences is not None
    return {**result, **{("a", "b", name): values[0] for name, values in found.differences.columns().items()}}


def of_copy(found: dict[tuple[str, ...], Any]) -> dict[tuple[str, ...], Any]:
    """What is said of the copy, as if of its original."""
    return {("a", *key[1:]): value for key, value in found.items() if key[0] == "copy"} | {
        key: value for key, value in found.items() if len(key) == 3
    }
