"""What was found of an item of a paper on one set: numbers with standard errors over trials, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from benchmarks.reproduce.plan import Workbench

HOLDS, FAILS, PARTLY, UNDECIDED, SHOWN = "holds", "fails", "partly", "undecided", ""
VERDICTS = (HOLDS, PARTLY, FAILS, UNDECIDED)
NAMES = {"nDCG(discount='jk')@1000": "nDCG", "nDCG(gain='binary')": "nDCG"}
NAMES |= {name.replace("nDCG(", "nDCG'("): f"{short}'" for name, short in NAMES.items()}


@dataclass(frozen=True)
class Finding:
    """Of an item on a set: what was found, in how many trials, and whether the claim holds by which rule.

    A row without a verdict shows numbers: of a protocol, or where the paper claims nothing.

    `trials` counts what was drawn anew: samples of labels and pairs, bootstrap seeds, or halves; None if nothing was.
    """

    item: str
    data: str
    text: str
    verdict: str = SHOWN
    trials: int | None = None
    rule: str = ""


def verdict(*checks: bool | None) -> str:
    """What checks say together; a check is None where its figures lie within their errors.

    Holds if all do, fails if some do not and none does, partly if some do and some do not. If none fails, but some
    cannot be told, undecided.

    >>> verdict(True, True), verdict(False, None), verdict(True, False, None), verdict(True, None)
    ('holds', 'fails', 'partly', 'undecided')
    """
    said = {None if check is None else bool(check) for check in checks}
    if said == {True}:
        return HOLDS
    if False in said:
        return PARTLY if True in said else FAILS
    return UNDECIDED


def decided(difference: float, error: float) -> bool | None:
    """Whether a difference is above 0 or below, by more than two standard errors; else None.

    >>> decided(0.3, 0.1), decided(-0.3, 0.1), decided(0.1, 0.1), decided(0.0, 0.0)
    (True, False, None, None)
    """
    return bool(difference > 0) if abs(difference) > 2 * error else None


def clear(differences: np.ndarray, least: float = 0.0) -> bool | None:
    """The same of the mean of differences over trials, beyond `least`."""
    return decided(float(np.mean(differences)) - least, standard_error(differences))


def apart(a: np.ndarray, b: np.ndarray) -> bool | None:
    """Whether a is above b where they have no trials in common: by their errors together."""
    return decided(float(np.mean(a) - np.mean(b)), float(np.hypot(standard_error(a), standard_error(b))))


def within(values: np.ndarray, bound: float) -> bool | None:
    """Whether the size of a mean is at most a bound."""
    return decided(bound - abs(float(np.mean(values))), standard_error(values))


def as_good(differences: np.ndarray) -> bool:
    """Whether the first is not clearly below the second, which is all that "as good as" says."""
    return clear(differences) is not False


def every(*checks: bool | None) -> bool | None:
    """Whether all checks hold: not if one fails, and it cannot be told if one cannot.

    >>> every(True, True), every(True, None), every(None, False)
    (True, None, False)
    """
    said = {None if check is None else bool(check) for check in checks}
    return False if False in said else None if None in said else True


def likely(draws: np.ndarray) -> bool | None:
    """Whether something is so in nearly all of many draws, or in hardly any; else it cannot be told."""
    share = float(np.mean(draws))
    return True if share >= 0.975 else False if share <= 0.025 else None


class Ahead(NamedTuple):
    """At how many of the fractions one measure is above another, by over two standard errors, and below by as much."""

    above: int
    clearly: int
    below: int
    most: int

    def mostly(self) -> bool | None:
        """Whether it is above at more than half of them, if that many are clear."""
        half = self.most / 2
        return True if self.clearly > half else False if self.below >= half else None


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
        reduced = [m for m in settings["measures"] if m not in settings.get("complete_only", ())]
        self.measures = [*reduced, *(m for m in settings.get("graded", ()) if m not in reduced)]
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

    def lowest(self, measure: str, most: float = 0.05) -> np.ndarray:
        """The values of every trial at the lowest mean below a share of labels."""
        return min((self.at(measure, f) for f in self.fractions if f < most), key=lambda values: values.mean())

    def exceeds(self, measure: str, level: float, draws: int = 500) -> np.ndarray:
        """The lowest fraction at which the mean first exceeds a level, in random choices of the trials, with repeats.

        The choices are the same for all measures; where no fraction does, it is infinite.
        """
        generator = np.random.default_rng(0)
        weights = generator.multinomial(self.trials, [1 / self.trials] * self.trials, size=draws) / self.trials
        means = weights @ self.values[:, :, self.measures.index(measure)]
        found = np.where(means > level, np.array(self.fractions), np.inf)
        return np.asarray(found.min(axis=1))


def called(measure: str) -> str:
    """A short name for the page."""
    return NAMES.get(measure, measure)


def percents(value: float) -> str:
    """A knee in words."""
    return "none" if value != value else f"{100 * value:g} %"
