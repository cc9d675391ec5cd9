"""What was found of an item of a paper on one set: numbers with standard errors over trials, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from benchmarks.reproduce.plan import Workbench

HOLDS, FAILS, PARTLY, SHOWN = "holds", "fails", "partly", ""


@dataclass(frozen=True)
class Finding:
    """Of an item on a set: what was found, in how many trials, and whether the claim holds by which rule.

    `trials` counts what was drawn anew: samples of labels and pairs, bootstrap seeds, or halves; None if nothing was.
    """

    item: str
    data: str
    text: str
    verdict: str = SHOWN
    trials: int | None = None
    rule: str = ""


def verdict(*checks: bool) -> str:
    """Holds if all checks do, partly if some do."""
    return HOLDS if all(checks) else PARTLY if any(checks) else FAILS


class Ahead(NamedTuple):
    """At how many of the fractions one measure is above another, by over two standard errors, and below by as much."""

    above: int
    clearly: int
    below: int
    most: int


def standard_error(values: np.ndarray) -> float:
    """Of the mean over trials; 0 for a single one."""
    return float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else 0.0


def mean_error(values: np.ndarray, digits: int = 3) -> str:
    """Mean over trials and its standard error."""
    return f"{np.mean(values):.{digits}f} ± {standard_error(values):.{digits}f}"


class Curves:
    """A quantity of every trial, trials x fractions x measures, by measure and fraction."""

    def __init__(self, bench: Workbench, name: str, data: str, what: str) -> None:
        settings = bench.study(name, data).settings
        self.data, self.fractions = data, list(settings["fractions"])
        self.measures = [
            *settings["measures"],
            *(m for m in settings.get("graded", ()) if m not in settings["measures"]),
        ]
        self.values = bench.trials(name, data, what)
        self.trials = len(self.values)

    def at(self, measure: str, fraction: float) -> np.ndarray:
        """Of every trial."""
        return self.values[:, self.fractions.index(fraction), self.measures.index(measure)]

    def mean(self, measure: str, fraction: float) -> float:
        """Over trials."""
        return float(self.at(measure, fraction).mean())

    def few(self) -> list[float]:
        """Fractions below all labels."""
        return [fraction for fraction in self.fractions if fraction < 1]

    def listed(self, measures: list[str], fraction: float) -> str:
        """Means with errors, in words."""
        return ", ".join(f"{called(m)} {mean_error(self.at(m, fraction))}" for m in measures)

    def ahead(self, a: str, b: str) -> Ahead:
        """At how many fractions a is above b."""
        differences = [self.at(a, f) - self.at(b, f) for f in self.few()]
        errors = [standard_error(d) for d in differences]
        return Ahead(
            sum(bool(d.mean() > 0) for d in differences),
            sum(bool(d.mean() > 2 * e) for d, e in zip(differences, errors, strict=True)),
            sum(bool(d.mean() < -2 * e) for d, e in zip(differences, errors, strict=True)),
            len(differences),
        )

    def ahead_words(self, a: str, b: str) -> str:
        """The same in words."""
        found = self.ahead(a, b)
        return (
            f"{called(a)} above {called(b)} at {found.above} of {found.most} "
            f"(clearly at {found.clearly}, clearly below at {found.below})"
        )

    def ahead_in_few(self, a: str, b: str, trials: int = 30) -> tuple[int, int]:
        """Between which numbers of fractions a is above b in 95 % of random choices of so many of the trials."""
        differences = np.stack([self.at(a, f) - self.at(b, f) for f in self.few()], axis=1)
        generator = np.random.default_rng(0)
        size = min(trials, len(differences))
        counts = [
            np.count_nonzero(differences[generator.permutation(len(differences))[:size]].mean(axis=0) > 0)
            for _ in range(2000)
        ]
        low, high = np.quantile(counts, (0.025, 0.975), method="nearest")
        return int(low), int(high)

    def lowest(self, measure: str, most: float = 0.05) -> float:
        """The lowest mean below a share of labels."""
        return min(self.mean(measure, f) for f in self.fractions if f < most)


def called(measure: str) -> str:
    """A short name for the page."""
    return {"nDCG(discount='jk')@1000": "nDCG", "nDCG'(discount='jk')@1000": "nDCG'"}.get(measure, measure)


def percents(value: float) -> str:
    """A knee in words."""
    return "none" if value != value else f"{100 * value:g} %"
