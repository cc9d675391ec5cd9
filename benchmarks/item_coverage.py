"""How often intervals of `items estimate` hold, and how wide they are against the plain mean: docs/howto/items.md.

    python benchmarks/item_coverage.py [TRIALS [means] [differences] [widths]]

2,000 items; scores of seven shapes, and differences; labels drawn at random; predictions that correlate with the scores
by 0, .5 and .9. Every trial draws items, predictions and labels anew. Then two systems on the same items: labels on the
same items for both, on other items for each, and half of either; against Student's interval of pairs, or Welch's.
Last, how wide intervals are with the labels that `--width 0.3` says are needed, or that a plan for it draws.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy.special import stdtrit

import poolwise as pw
from poolwise.rated_items.sampled_difference import sampled_difference
from poolwise.rated_items.sampled_mean import (
    SampledItems,
    interval_of_difference,
    interval_of_mean,
    interval_of_share,
    sampled_mean,
)

ITEMS = 2000
RATINGS, CHANCES = np.arange(1.0, 6.0), [0.03, 0.04, 0.08, 0.15, 0.7]
Kind = Callable[..., tuple[float, float]]
Draw = Callable[[np.random.Generator], np.ndarray]
SHAPES: dict[str, Draw] = {
    "normal": lambda g: g.normal(size=ITEMS),
    "ratings 1 to 5, most of them 5": lambda g: g.choice(RATINGS, ITEMS, p=CHANCES),
    "exponential": lambda g: g.exponential(size=ITEMS),
    "log-normal": lambda g: np.exp(g.normal(size=ITEMS)),
    "share of .5": lambda g: (g.random(ITEMS) < 0.5).astype(float),
    "share of .9": lambda g: (g.random(ITEMS) < 0.9).astype(float),
    "share of .05": lambda g: (g.random(ITEMS) < 0.05).astype(float),
    "difference of two shares": lambda g: difference(g),
}
DESIGNS = {"paired": 1.0, "half of them paired": 0.5, "unpaired": 0.0}  # which part of labels is on the same items
HEADING = (
    "| scores | labels | plain t | ours | width | r = 0 | r = .5 | r = .9 |\n|---|---:|---:|---:|---:|---:|---:|---:|"
)
LABELS = (10, 20, 50, 200)
CORRELATIONS = (0.0, 0.5, 0.9)


def predicted(g: np.random.Generator, score: np.ndarray, r: float) -> np.ndarray:
    spread = (score - score.mean()) / max(score.std(), 1e-12)
    return (r * spread + np.sqrt(1 - r * r) * g.normal(size=len(score)))[:, None]


def plain(score: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """Mean and half width of Student's interval, as everyone computes it."""
    labels = score[chosen]
    error = labels.std(ddof=1) / np.sqrt(len(labels)) * np.sqrt(1 - len(labels) / len(score))
    return labels.mean(), error * stdtrit(len(labels) - 1, 0.975)


def trial(g: np.random.Generator, score: np.ndarray, labels: int, kind: Kind) -> Iterator[tuple[str, bool, float]]:
    """Of each method whether its interval holds, and how wide it is."""
    truth, chosen = score.mean(), g.choice(ITEMS, labels, replace=False)
    middle, half = plain(score, chosen)
    yield "plain t", abs(middle - truth) <= half, 2 * half
    value = np.full(ITEMS, np.nan)
    value[chosen] = score[chosen]
    nothing, cell = np.full(ITEMS, np.nan), np.zeros(ITEMS, dtype=np.int64)
    predictors = {"none": np.zeros((ITEMS, 0))} | {str(r): predicted(g, score, r) for r in CORRELATIONS}
    for name, known in predictors.items():
        low, high = kind(sampled_mean(SampledItems(value, cell, nothing, known)), 0.95)
        yield name, low <= truth <= high, high - low


def difference(g: np.random.Generator) -> np.ndarray:
    """Two systems that answer .7 and .75 of the questions, on the same items."""
    other, one = two_shares(g)
    return other - one


def two_shares(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    ease = g.normal(size=ITEMS)
    one, other = ((ease + g.normal(size=ITEMS) < at).astype(float) for at in (0.74, 0.95))
    return other, one


def two_ratings(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of 1 to 5; items differ more than systems do."""
    ease = g.normal(size=ITEMS)
    one, other = (np.clip(np.round(at + ease + g.normal(0, 0.6, ITEMS)), 1, 5) for at in (3.4, 3.6))
    return other, one


def two_skewed(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Times of two systems: the harder the item, the longer both take."""
    hard = g.exponential(size=ITEMS)
    one, other = (hard + g.exponential(size=ITEMS) * at for at in (0.8, 1.0))
    return other, one


def two_alike(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of two systems that differ on few items: 15 % are rated anew."""
    one = g.choice(RATINGS, ITEMS, p=CHANCES)
    return one, np.where(g.random(ITEMS) < 0.15, g.choice(RATINGS, ITEMS, p=CHANCES), one)


def two_of_which_one_breaks(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same, and the second fails on 6 % of the items."""
    one, other = two_alike(g)
    return one, np.where(g.random(ITEMS) < 0.06, 1.0, other)


PAIRS: dict[str, Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "ratings 1 to 5": two_ratings,
    "exponential": two_skewed,
    "shares of .7 and .75": two_shares,
    "ratings that seldom differ": two_alike,
    "the same, and one breaks": two_of_which_one_breaks,
}


def plain_difference(a: np.ndarray, b: np.ndarray, paired: bool) -> tuple[float, float]:
    """Difference and half width of Student's interval of pairs, or of Welch's, as everyone computes them."""
    if paired:
        return plain(a - b, np.flatnonzero(~np.isnan(a - b)))
    (one, n), (other, m) = ((x.var(ddof=1) / len(x), len(x)) for x in (a[~np.isnan(a)], b[~np.isnan(b)]))
    freedom = (one + other) ** 2 / max(one**2 / (n - 1) + other**2 / (m - 1), 1e-300)
    return np.nanmean(a) - np.nanmean(b), np.sqrt(one + other) * stdtrit(max(freedom, 1.0), 0.975)


def trial_of_two(
    g: np.random.Generator, scores: tuple[np.ndarray, np.ndarray], labels: int, paired: float, kind: Kind
) -> Iterator[tuple[str, bool, float]]:
    """The same of a difference: `labels` of each system, a part of them on the same items."""
    truth, drawn, shared = scores[0].mean() - scores[1].mean(), g.permutation(ITEMS), round(labels * paired)
    chosen = drawn[:labels], np.concatenate([drawn[:shared], drawn[labels : 2 * labels - shared]])
    value = [np.full(ITEMS, np.nan) for _ in scores]
    for each, score, at in zip(value, scores, chosen, strict=True):
        each[at] = score[at]
    middle, half = plain_difference(value[0], value[1], paired == 1)
    yield "plain t", abs(middle - truth) <= half, 2 * half
    nothing, cell = np.full(ITEMS, np.nan), np.zeros(ITEMS, dtype=np.int64)
    for name in ("none", *CORRELATIONS):
        known = [np.zeros((ITEMS, 0)) if name == "none" else predicted(g, score, float(name)) for score in scores]
        first, second = (SampledItems(y, cell, nothing, f) for y, f in zip(value, known, strict=True))
        low, high = kind(sampled_difference(first, second).mean, 0.95)
        yield str(name), low <= truth <= high, high - low


def row(name: str, labels: int, found: list[list[tuple[str, bool, float]]]) -> str:
    """Coverage of the plain mean and of each method, and the width against the plain mean's and against none's."""
    by = {each[0]: [t[at] for t in found] for at, each in enumerate(found[0])}
    held = {key: 100 * np.mean([t[1] for t in each if t[2] == t[2]]) for key, each in by.items()}
    width = {key: np.nanmean([t[2] for t in each]) for key, each in by.items()}
    cells = [f"{held['plain t']:.1f}", f"{held['none']:.1f}", f"{width['none'] / width['plain t']:.2f}"]
    cells += [f"{held[str(r)]:.1f} ({width[str(r)] / width['none']:.2f})" for r in CORRELATIONS]
    return f"| {name} | {labels} | {' | '.join(cells)} |"


def means(trials: int) -> None:
    print(HEADING)
    for name, draw in SHAPES.items():
        kind = interval_of_mean if not name.startswith("share") else interval_of_share
        kind = interval_of_difference if name.startswith("difference") else kind
        for labels in LABELS:
            g = np.random.default_rng([7, labels, len(name)])
            print(row(name, labels, [list(trial(g, draw(g), labels, kind)) for _ in range(trials)]), flush=True)


def differences(trials: int) -> None:
    print(HEADING.replace("labels", "labels of each"))
    for name, draw in PAIRS.items():
        kind = interval_of_difference if name.startswith("shares") else interval_of_mean
        for design, paired in DESIGNS.items():
            for labels in LABELS:
                g = np.random.default_rng([8, labels, len(name), len(design)])
                found = [list(trial_of_two(g, draw(g), labels, paired, kind)) for _ in range(trials)]
                print(row(f"{name}, {design}", labels, found), flush=True)


def answers(g: np.random.Generator, items: int = 500) -> list[dict[str, Any]]:
    """Two systems' answers, rated 1 to 5 by people and by a model that favours the new one."""
    ease, rows = g.normal(size=items), []
    for system, better, liked in (("old", 0.0, 0.0), ("new", 0.2, 0.4)):
        score = np.clip(np.round(3.4 + better + ease + g.normal(0, 0.6, items)), 1, 5)
        told = np.clip(np.round(score + liked + g.normal(0, 0.8, items)), 1, 5)
        rows += [{"item": n, "system": system, "score": score[n], "prediction": told[n]} for n in range(items)]
    return rows


def only(rows: list[dict[str, Any]], there: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    known = set(there)
    return [{**row, "score": row["score"] if (row["system"], row["item"]) in known else None} for row in rows]


def drawn_by(
    g: np.random.Generator, rows: list[dict[str, Any]], paired: bool, width: float
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A pilot of 60 labels, then what is needed or planned: its name and the table."""
    order, other = g.permutation(500).tolist(), g.permutation(500).tolist()
    keys = [(row["system"], row["item"]) for row in rows]
    first = [(s, n) for n in order[:30] for s in ("old", "new")]
    pilot = only(rows, first if paired else [keys[at] for at in g.choice(1000, 60, replace=False)])
    found = pw.estimate_items(pilot, width=width, difference=("new", "old"))
    for name, difference in (("plan for means", None), ("plan for the difference", ("new", "old"))):
        columns = pw.plan_items(pilot, width=width, difference=difference, seed=int(g.integers(10**6))).columns()
        there = [(s, n) for s, n, r in zip(columns["system"], columns["item"], columns["round"], strict=True) if r]
        table = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        score = {(row["system"], row["item"]): row["score"] for row in only(rows, there)}
        yield name, [{**row, "score": score[row["system"], row["item"]]} for row in table]
    old, new = found.columns()["labels_needed"]
    yield "labels_needed", only(rows, [("old", n) for n in order[:old]] + [("new", n) for n in other[:new]])
    for way, second in (("paired", order), ("apart", other)):
        needed = found.differences.columns()[f"labels_needed_{way}"][0]
        if needed is None:  # too few items have both labels to tell
            continue
        each = needed // 2
        there = [("old", n) for n in order[:each]] + [("new", n) for n in second[:each]]
        yield f"labels_needed_{way}", only(rows, there)


def widths(trials: int, width: float = 0.3) -> None:
    print(
        "| to begin with | then | labels in all | old | new | difference | held |\n|---|---|---:|---:|---:|---:|---:|"
    )
    for paired in (True, False):
        by: dict[str, list[list[float]]] = {}
        for trial in range(trials):
            g = np.random.default_rng([9, trial])
            rows = answers(g)
            truth = {s: np.mean([row["score"] for row in rows if row["system"] == s]) for s in ("old", "new")}
            for name, table in drawn_by(g, rows, paired, width):
                found = pw.estimate_items(table, difference=("new", "old"))
                gap = found.differences.rows[0][2]
                held = gap.low <= truth["new"] - truth["old"] <= gap.high
                by_system = sorted(found.rows, key=lambda row: row.system != "old")
                ends = [row.high - row.low for row in (*by_system, gap)]
                by.setdefault(name, []).append([gap.labelled_a + gap.labelled_b, *ends, held])
        for name, each in by.items():
            labels, old, new, gap, held = np.mean(each, axis=0)
            begin = "30 items, both systems" if paired else "60 rows at random"
            print(f"| {begin} | {name} | {labels:.0f} | {old:.3f} | {new:.3f} | {gap:.3f} | {100 * held:.1f} |")


if __name__ == "__main__":
    wanted = sys.argv[2:] or ["means", "differences", "widths"]
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    for table in (means, differences, widths):
        if table.__name__ in wanted:
            table(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
