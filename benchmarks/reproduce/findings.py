"""What was found of an item of a paper on one set: numbers with standard errors over trials, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from benchmarks.reproduce.plan import Workbench

HOLDS, FAILS, PARTLY, SHOWN = "holds", "fails", "partly", ""


@dataclass(frozen=True)
class Finding:
    """Of an item on a set: what was found, in how many trials, and whether the claim holds by which rule."""

    item: str
    data: str
    text: str
    verdict: str = SHOWN
    trials: int | None = None
    rule: str = ""

    def markdown(self) -> str:
        """For a cell of the table."""
        many = f" ({self.trials} trials)" if self.trials else ""
        rule = f" ({self.rule})" if self.rule else ""
        said = f" **{self.verdict}**{rule}" if self.verdict else ""
        return f"{self.data}: {self.text}{many}.{said}"


def verdict(*checks: bool) -> str:
    """Holds if all checks do, partly if some do."""
    return HOLDS if all(checks) else PARTLY if any(checks) else FAILS


def mean_error(values: np.ndarray) -> str:
    """Mean over trials and its standard error."""
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {error:.3f}"


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

    def ahead(self, a: str, b: str) -> tuple[int, int, int]:
        """At how many fractions a is above b, at how many by more than two standard errors, and of how many."""
        differences = [self.at(a, f) - self.at(b, f) for f in self.few()]
        errors = [d.std(ddof=1) / len(d) ** 0.5 if len(d) > 1 else 0.0 for d in differences]
        above = sum(d.mean() > 0 for d in differences)
        clearly = sum(d.mean() > 2 * e for d, e in zip(differences, errors, strict=True))
        return int(above), int(clearly), len(differences)

    def ahead_words(self, a: str, b: str) -> str:
        """The same in words."""
        above, clearly, most = self.ahead(a, b)
        return f"{called(a)} above {called(b)} at {above} of {most} (by more than two errors at {clearly})"

    def lowest(self, measure: str, most: float = 0.05) -> float:
        """The lowest mean below a share of labels."""
        return min(self.mean(measure, f) for f in self.fractions if f < most)


def called(measure: str) -> str:
    """A short name for the page."""
    return {"nDCG(discount='jk')@1000": "nDCG", "nDCG'(discount='jk')@1000": "nDCG'"}.get(measure, measure)


def percents(value: float) -> str:
    """A knee in words."""
    return "none" if value != value else f"{100 * value:g} %"
