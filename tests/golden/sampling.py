"""Draws and what is estimated from them, and what they gave before: text as it is, numbers to a relative 1e-12.

    python tests/golden/sampling.py --write                 today's answers into tests/golden/sampling.json.gz
    python tests/golden/sampling.py                         what differs from them, and by how much
    python tests/golden/sampling.py --size 10 --to FILE     more of everything, into another file; without --write
                                                            what differs from that file

Cells, rates and notes of judgments in rounds; every line of plans, as a hash; estimates; means and differences of
items; agreement of assessors. Campaigns and tables are simulated, so nothing here is anybody's data.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.trust.label_agreement import agreement_of
from poolwise.trust.label_sheet import label_sheet

FILES = Path()
KEPT = Path(__file__).with_name("sampling.json.gz")
CLOSE, NEAR_ZERO = 1e-12, 1e-13
PLANS = (
    {"budget": 60},
    {"budget": 150, "measure": "nDCG@10"},
    {"budget": 150, "design": "model", "measure": "nDCG@10"},
    {"budget": 90, "design": "model", "measure": "AP", "difference": "all"},
    {"budget": 90, "design": "model", "topic_shares": "worth", "measure": "nDCG@10"},
    {"budget": 100, "design": "uniform", "depth": 20},
    {"budget": 120, "design": "depth_plus_random", "depth": 20},
    {"depth": 5, "design": "depth"},
    {"budget": 8, "measure": "P@10"},
    {"budget": 200, "costs": True},
    {"budget": 200, "costs": True, "design": "model", "measure": "nDCG@10"},
)
SAMPLES = (
    ("uniform", {"fraction": 0.3}),
    ("reduce", {"fraction": 0.2}),
    ("stratified", {"depth": 10, "budget": 120}),
    ("stratified", {"edges": (3, 10), "rates": (1.0, 0.3, 0.1)}),
    ("depth_plus_random", {"depth": 5}),
)


def answers(size: int = 1) -> dict[str, object]:
    """All answers by name; `size` says how many campaigns, tables and sheets there are."""
    global FILES
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        FILES = Path(folder)
        for seed in range(1, size + 1):
            found |= _of_campaign(seed)
        for seed in range(20 * size):
            found |= _of_items(seed)
            found |= _of_assessors(seed)
    return found


def _of_campaign(seed: int) -> dict[str, object]:
    truth, runs = campaign_tables(8, 8, 150, 60, 0.15, 2, 1.0, seed)
    open_campaign = pw.read(None, runs)
    found: dict[str, object] = {}
    judged = {}
    for number, given in enumerate(PLANS):
        settings = dict(given)
        if settings.pop("costs", False):
            settings["costs"] = _costs(truth)
        plan = open_campaign.plan(seed=seed, **settings)
        found[f"plan {seed} {number}"] = _lines(plan)
        judged[number] = _labelled(plan, truth, seed if number % 3 == 1 else None, number in (6, 7))
        found |= _cells(f"plan {seed} {number}", pw.read(judged[number], runs))
    for number in (0, 1, 2, 5):
        pilot = pw.read(judged[number], runs)
        for design in ("stratified", "model"):
            plan = pilot.plan(budget=70, design=design, measure="nDCG@10", seed=seed + 1)
            found[f"round 2 {seed} {number} {design}"] = _lines(plan)
            second = _labelled(plan, truth, seed + 7)
            found |= _cells(f"round 2 {seed} {number} {design}", pw.read(second, runs))
        third = pw.read(second, runs).plan(budget=50, measure="AP", seed=seed + 2)
        found[f"round 3 {seed} {number}"] = _lines(third)
        found |= _cells(f"round 3 {seed} {number}", pw.read(_labelled(third, truth, None), runs))
    for number in (0, 2, 4, 6, 8, 9):
        found |= _estimates(f"estimate {seed} {number}", pw.read(judged[number], runs))
    for number, (design, settings) in enumerate(SAMPLES):
        whole = pw.read(truth, runs)
        sample = whole.judgments.sample(design, seed=seed, **settings)
        found[f"sample {seed} {number}"] = hashlib.sha256(sample.labels.tobytes()).hexdigest()
        found[f"inclusion {seed} {number}"] = _numbers(sample.inclusion())
    return found


def _costs(truth: dict[str, dict[str, int]]) -> list[dict[str, object]]:
    return [
        {"topic": topic, "document": document, "cost": 1.0 + (number * 7 + place * 3) % 5 / 2}
        for number, (topic, labels) in enumerate(sorted(truth.items()))
        for place, document in enumerate(sorted(labels))
    ]


def _lines(plan: pw.Plan) -> str:
    """The first digits of a hash of every line, and what the plan warns of."""
    rows = plan.topic, plan.document, plan.stratum, plan.round, plan.label, plan.cost, plan.warnings
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:32]


def _labelled(plan: pw.Plan, truth: dict[str, dict[str, int]], seed: int | None, lost: bool = False) -> str:
    """A file of the plan with labels; with a seed some drawn documents and one whole topic have none.

    Of `lost` lines of documents that were not drawn the head of the file has the numbers.
    """
    generator, number = np.random.default_rng(seed or 0), len(list(FILES.iterdir()))
    lines = plan.to_text().decode().splitlines()
    filled = [line for line in lines if line.startswith("#")]
    silent = sorted(set(plan.topic))[(seed or 0) % len(set(plan.topic))]
    for line in lines[len(filled) :]:
        topic, round, document, stratum, label = line.split()
        chance = generator.random()
        if round == str(plan.number) and not (seed and (chance < 0.4 or topic == silent)):
            label = str(truth.get(topic, {}).get(document, 0))
        if round != "0" or not lost or chance < 0.9:
            filled.append(f"{topic} {round} {document} {stratum} {label}")
    path = FILES / f"{number}.txt"
    path.write_text("\n".join(filled) + "\n", "utf-8")
    return str(path)


def _cells(name: str, pool: pw.Campaign) -> dict[str, object]:
    rates = pool.judgments.rates()
    return {f"{name} rates": _table(rates.columns()), f"{name} inclusion": _numbers(pool.judgments.inclusion())}


def _estimates(name: str, pool: pw.Campaign) -> dict[str, object]:
    try:
        found = pool.estimate("AP", "nDCG@10", "P@10", difference="all")
    except pw.PoolwiseError as problem:
        return {name: str(problem)}
    return {
        name: _table(found.columns()),
        f"{name} differences": _table(found.differences.columns()),
        f"{name} notes": list(found.warnings),
    }


def _of_items(seed: int) -> dict[str, object]:
    """Two systems, items in strata or at rates, some of them labelled, with predictions or without."""
    generator = np.random.default_rng((3, seed))
    number = int(generator.integers(30, 150))
    strata, kind = int(generator.integers(1, 6)), seed % 4
    base = generator.normal(size=number)
    rates = generator.uniform(0.05, 0.6, number)
    rows = []
    for system in ("a", "b"):
        score = base + generator.normal(size=number) * 0.7
        score = [score, (score > 0.3).astype(float), np.round(2 * score), np.full(number, 3.0)][seed % 7 % 4]
        told = base + generator.normal(size=number)
        for item in range(number):
            row = {"item": item, "system": system, "score": None, "group": item % 2}
            alone = system == "b" and item % 3 == 0
            if generator.random() < rates[item] and not (kind == 1 and alone) and not (kind == 3 and system == "b"):
                row["score"] = float(score[item])
            if kind == 3 and system == "b" and rows[item]["score"] is not None:
                row["score"] = float(score[item])
            if seed % 2:
                row["prediction"] = float(told[item])
            row |= {"rate": float(rates[item])} if kind == 2 else {"stratum": str(item * strata // number)}
            rows.append(row)
    found: dict[str, object] = {}
    if kind != 2:
        drawn = pw.plan_items([{**row, "round": int(row["score"] is not None)} for row in rows], budget=20, seed=seed)
        found[f"items {seed} plan"] = hashlib.sha256(repr(drawn.columns()).encode()).hexdigest()[:32]
    for interval in ("labels", "both"):
        try:
            estimate = pw.estimate_items(
                rows, interval=interval, difference="all", width=0.3, by="group", scale=(-9, 9) if seed % 5 else None
            )
        except pw.PoolwiseError as problem:
            found[f"items {seed} {interval}"] = str(problem)
            continue
        found[f"items {seed} {interval}"] = _table(estimate.columns())
        found[f"items {seed} {interval} differences"] = _table(estimate.differences.columns())
        found[f"items {seed} {interval} notes"] = list(estimate.warnings)
    return found


def _of_assessors(seed: int) -> dict[str, object]:
    """Two or three assessors who judged a draw from topics and strata, whole pools, or shares of a plan."""
    generator = np.random.default_rng((4, seed))
    topics, strata, people = int(generator.integers(1, 9)), int(generator.integers(1, 4)), 2 + seed % 2
    kind = seed % 4
    rows: dict[str, list[tuple[str, str, float | None, int]]] = {f"p{number}": [] for number in range(people)}
    for topic in range(topics):
        for stratum in range(1, strata + 1):
            size = int(generator.integers(3, 30))
            drawn = size if kind == 0 else int(generator.integers(2 if kind == 1 else 1, max(3, size // 3)))
            for place in range(size):
                truth = int(generator.integers(0, 3))
                for listed in rows.values():
                    label = truth if generator.random() < 0.7 else int(generator.integers(0, 3))
                    judged = place < drawn and (kind != 3 or generator.random() < 0.6)
                    listed.append((str(topic), f"{topic}-{stratum}-{place}", float(label) if judged else None, stratum))
    try:
        agreement = agreement_of(label_sheet(rows))
    except pw.PoolwiseError as problem:
        return {f"agreement {seed}": str(problem)}
    return {
        f"agreement {seed}": _table(agreement.columns()),
        f"agreement {seed} means": [number for row in agreement.means for number in (row.value, row.low, row.high)],
        f"agreement {seed} topics": [row.value for row in agreement.by_topic],
        f"agreement {seed} strata": [row.value for row in agreement.by_stratum],
        f"agreement {seed} notes": list(agreement.warnings),
    }


def _table(columns: dict[str, object]) -> dict[str, object]:
    return {name: [_plain(value) for value in column] for name, column in columns.items()}


def _numbers(values: object) -> list[float]:
    """Of a long row its length, sum, sum of squares, and sum by place, which hold all of it but by chance."""
    row = np.asarray(values, dtype=float)
    return [float(len(row)), float(row.sum()), float((row**2).sum()), float(row @ np.arange(len(row)))]


def _plain(value: object) -> object:
    return value if isinstance(value, (str, type(None))) else float(value)


def differences(before: object, now: object, name: str = "") -> list[tuple[str, object, object]]:
    """Where answers differ: the place, what was there, what is there."""
    if isinstance(before, dict) and isinstance(now, dict) and before.keys() == now.keys():
        return [found for key in before for found in differences(before[key], now[key], f"{name}/{key}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return [found for place, pair in pairs for found in differences(*pair, f"{name}/{place}")]
    if isinstance(before, float) and isinstance(now, float):
        same = math.isclose(before, now, rel_tol=CLOSE, abs_tol=NEAR_ZERO) or (before != before and now != now)
        return [] if same else [(name, before, now)]
    return [] if before == now else [(name, before, now)]


def as_written(found: dict[str, object]) -> dict[str, object]:
    """Answers as a file gives them back."""
    return json.loads(json.dumps(found))


def kept(path: Path = KEPT) -> dict[str, object]:
    """The answers of before."""
    return json.loads(gzip.decompress(path.read_bytes()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--to", type=Path, default=KEPT)
    arguments = parser.parse_args()
    found = as_written(answers(arguments.size))
    if arguments.write:
        arguments.to.write_bytes(gzip.compress(json.dumps(found).encode(), 9, mtime=0))
        return
    different = differences(kept(arguments.to), found)
    for name, before, now in different:
        print(f"{name}: was {before}, is {now}")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
