"""How often intervals of `items estimate` hold, and how wide they are against the plain mean: docs/howto/items.md.

    python benchmarks/item_coverage.py [TRIALS [means] [differences]]

2,000 items; scores of seven shapes, and differences; labels drawn at random; predictions that correlate with the scores
by 0, .5 and .9. Every trial draws items, predictions and labels anew. Then two systems on the same items: labels on the
same items for both, on other items for each, and half of either; against Student's interval of pairs, or Welch's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import stdtrit

from poolwise.items.mean_interval import interval_of_difference, interval_of_mean, interval_of_share
from poolwise.items.sampled_difference import sampled_difference
from poolwise.items.sampled_mean import Drawn, sampled_mean

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
        low, high = kind(sampled_mean(Drawn(value, cell, nothing, known)), 0.95)
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


PAIRS: dict[str, Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "ratings 1 to 5": two_ratings,
    "exponential": two_skewed,
    "shares of .7 and .75": two_shares,
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
        first, second = (Drawn(y, cell, nothing, f) for y, f in zip(value, known, strict=True))
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


if __name__ == "__main__":
    wanted = sys.argv[2:] or ["means", "differences"]
    for table in (means, differences):
        if table.__name__ in wanted:
            table(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
