"""Tables, figures and summary of the estimation study: estimates against scores by all labels [Y08]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from poolwise.lab.study.choices import names, nearest, percent
from poolwise.show.figures import curves, log_percent, run_points
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import kendall_tau, pearson_r, root_mean_square_error, spearman_rho

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.study.conduct import Arrays
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Figure

ASSISTED = ("AP", "nDCG")  # what the assisted estimator is tried on
LEVEL = 0.95  # nominal coverage, as in [Y08]
ENOUGH_TRIALS = 8  # trials for a Kolmogorov-Smirnov test, which hardly rejects with fewer; chosen by hand


class StudiedDesign(NamedTuple):
    """A design of the study: its family, its name, and its settings."""

    family: str
    name: str
    kind: str
    settings: tuple[tuple[str, Any], ...]


def equal_effort(settings: Mapping[str, Any]) -> str:
    """Name of the uniform sample that is as large as a sample with a depth.

    >>> equal_effort({"depth": 5})
    'uniform, as many as depth 5'
    """
    return f"uniform, as many as depth {settings['depth']}"


class Asked(Protocol):
    """Settings of the study that the results need."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Measures asked for."""

    @property
    def assisted(self) -> int:
        """Trials of the assisted estimator."""

    @property
    def designs(self) -> list[StudiedDesign]:
        """Designs tried."""


@dataclass(frozen=True)
class EstimationResults:
    """Results of all trials with their tables and figures."""

    asked: Asked
    runs: list[str]
    seen: NDArray[np.bool_]
    truth: Floats
    results: Sequence[Arrays]

    @property
    def names(self) -> list[str]:
        """Measures, with the assisted ones last."""
        return [*names(self.asked.measures), *(f"{name} (assisted)" for name in ASSISTED if self.asked.assisted)]

    def share(self, design: int) -> float:
        """Mean share of the labels that a design judges."""
        return float(np.mean([result["judged"][design] for result in self.results]))

    def values(self, what: str, design: int, measure: int) -> Floats:
        """Estimates or interval limits (trials x runs)."""
        return np.stack([r[what][design, measure] for r in self.results if measure < r[what].shape[1]])

    def row(self, design: int, measure: int, among: NDArray[np.bool_] | None = None) -> dict[str, float]:
        """Errors and coverage of an estimate, over all runs or some."""
        chosen = np.ones(len(self.runs), bool) if among is None else among
        truth, estimates = self.truth[measure][chosen], self.values("estimates", design, measure)[:, chosen]
        low, high = (self.values(end, design, measure)[:, chosen] for end in ("low", "high"))
        has = np.isfinite(low)
        slack = 1e-12
        covered = (low <= truth + slack) & (truth - slack <= high)
        return {
            "tau": float(np.mean(kendall_tau(truth, estimates))),
            "r": float(np.mean(pearson_r(truth, estimates))),
            "rho": float(np.mean(spearman_rho(truth, estimates))),
            "rmse": float(np.mean(root_mean_square_error(truth, estimates))),
            "bias": float(np.mean(estimates - truth)),
            "coverage": float(covered[has].mean()) if has.any() else float("nan"),
            "width": float((high - low)[has].mean()) if has.any() else float("nan"),
        }

    def rows(self) -> list[tuple[int, int]]:
        """Indices of all pairs of design and measure."""
        return [(d, m) for m in range(len(self.names)) for d in range(len(self.asked.designs))]

    def table(self) -> Table:
        """One row per measure and design."""
        columns = self._head([(d, m) for d, m in self.rows()])
        rows = [self.row(d, m) for d, m in self.rows()]
        columns |= {name: [row[name] for row in rows] for name in rows[0]}
        note = "Means over trials; coverage and width are empty where there is no interval."
        return Table("Estimates against scores by all labels", columns, note, file="estimation")

    def seen_tables(self) -> list[Table]:
        """Separate tables for runs that contributed to the pool and others. Empty if all contributed."""
        if self.seen.all():
            return []
        groups = [(name, among) for name, among in (("seen", self.seen), ("unseen", ~self.seen)) if among.sum() > 1]
        indices = self.rows()
        columns: dict[str, list[Any]] = {"runs": [name for name, _ in groups for _ in indices]}
        columns |= {name: values * len(groups) for name, values in self._head(indices).items()}
        rows = [self.row(d, m, among) for _, among in groups for d, m in indices]
        columns |= {name: [row[name] for row in rows] for name in ("tau", "r", "rmse", "bias", "coverage")}
        note = "seen: the run made the depth-k pools; unseen: it did not."
        return [Table("Seen and unseen runs", columns, note, file="seen")]

    def normality(self) -> Table:
        """Share of runs whose standardised errors may be standard normal."""
        from scipy.special import ndtri
        from scipy.stats import kstest

        indices = [(d, m) for d, m in self.rows() if self._has_intervals(d, m, ENOUGH_TRIALS)]
        normal_shares = []
        for d, m in indices:
            deviations = (self.values("high", d, m) - self.values("low", d, m)) / 2 / ndtri((1 + LEVEL) / 2)
            errors = (self.values("estimates", d, m) - self.truth[m]) / np.maximum(deviations, 1e-12)
            normal_shares.append(float(np.mean([kstest(each, "norm").pvalue >= 0.05 for each in errors.T])))
        columns = {**self._head(indices), "kept": normal_shares}
        note = "Share of runs whose standardised errors the Kolmogorov-Smirnov test keeps as standard normal (0.05)."
        return Table("Are the errors normal?", columns, note, 3, "normality")

    def run_table(self) -> Table:
        """Estimates of each run in the first trial, for the design closest to a tenth of the labels."""
        design = self._example()
        columns: dict[str, list[Any]] = {"run": self.runs}
        if not self.seen.all():
            columns["seen"] = self.seen.tolist()
        for m, name in enumerate(self.names):
            columns[f"{name}: estimate"] = self.results[0]["estimates"][design, m].tolist()
            columns[f"{name}: all labels"] = self.truth[m].tolist()
        return Table("Runs in the first trial", columns, f"Sample: {self.asked.designs[design].name}.", file="runs")

    def figures(self) -> list[Figure]:
        """Estimate against truth at every share and depth, and quality against effort."""
        figures = [*self.share_figures(), *self.depth_figures()]
        for title, what, label in (
            ("Ranking against effort", "tau", "tau with the ranking by all labels"),
            ("Correlation against effort", "r", "Pearson's r with the values by all labels"),
            ("Error against effort", "rmse", "RMS error of the mean score"),
            ("Coverage against effort", "coverage", "share of intervals that hold"),
        ):
            lines = self._lines(what)
            if lines:
                level = LEVEL if what == "coverage" else None
                figures.append(curves(title, lines, "% of labels", label, level=level, xaxis=log_percent()))
        return figures

    def share_figures(self) -> list[Figure]:
        """[Y08] figure 1: estimates of the first trial with their intervals, at each uniform share."""
        shown = self._shown("infAP", "statAP", "AP (assisted)")
        first, figures = self.results[0], []
        for design in self._share_designs():
            name = self.asked.designs[design].name
            groups = {self.names[m]: (self.truth[m], first["estimates"][design, m]) for m in shown}
            errors = {
                self.names[m]: (first["low"][design, m], first["high"][design, m])
                for m in shown
                if self._has_intervals(design, m)
            }
            note = "One point a run, first trial; bars are 95 % intervals."
            title = f"Estimate and truth, {name}"
            figures.append(run_points(title, groups, self.runs, "all labels", "estimate", note=note, errors=errors))
        return figures

    def depth_figures(self) -> list[Figure]:
        """[Y08] figure 2: estimates of the first trial, of runs that contributed to the depth-k pool and others."""
        if "xinfAP" not in self.names:
            return []
        measure, figures = self.names.index("xinfAP"), []
        designs = [d for d, design in enumerate(self.asked.designs) if design.family == "two strata"]
        for design in sorted(designs, key=self.share, reverse=True):
            values = self.results[0]["estimates"][design, measure]
            among = {"made the pool": self.seen, "did not": ~self.seen}
            groups = {
                name: (self.truth[measure], np.where(chosen, values, np.nan))
                for name, chosen in among.items()
                if chosen.any()
            }
            share = percent(round(self.share(design), 3))
            note, title = f"xinfAP, first trial, {share} of the labels", "Estimate and truth"
            if not self.seen.all():
                note += "; runs that made the depth-k pool, and those that did not"
                title = "Seen and unseen runs"
            title += f", {self.asked.designs[design].name}"
            figures.append(run_points(title, groups, self.runs, "all labels", "xinfAP", note=f"{note}."))
        return figures

    def _shown(self, *wanted: str) -> list[int]:
        return [m for m, name in enumerate(self.names) if name in wanted] or [0]

    def _share_designs(self) -> list[int]:
        """Indices of uniform samples of the wanted shares, or of all designs if there are none."""
        return [d for d, design in enumerate(self.asked.designs) if design.family == "uniform"] or [self._example()]

    def in_words(self) -> list[str]:
        """The plain summary: samples in strata with their estimators, if there are any, then uniform ones."""
        return [*self._strata_words(), *self._uniform_words()]

    def _strata_words(self) -> list[str]:
        """[Y08]: estimators for strata compared with uniform samples of the same size."""
        found = []
        for family, beside in (("two strata", True), ("four strata", False)):
            indices = [d for d, design in enumerate(self.asked.designs) if design.family == family]
            if not indices:
                continue
            chosen = indices[nearest([self.share(d) for d in indices], 0.1)]
            compared = self._compared(chosen, "xinfAP", "infNDCG")
            if not compared:
                continue
            design = self.asked.designs[chosen]
            sentence = f"With {percent(round(self.share(chosen), 3))} of the labels ({design.name}): {compared}."
            name = equal_effort(dict(design.settings))
            same_size = [d for d, other in enumerate(self.asked.designs) if other.name == name]
            uniform = self._compared(same_size[0], "infAP", "nDCG") if same_size and beside else ""
            found.append(f"{sentence} On a uniform sample of as many: {uniform}." if uniform else sentence)
        return found

    def _compared(self, design: int, *wanted: str) -> str:
        """Tau and error of measures in words, without measures that are not in the study."""
        rows = [(name, self.row(design, m)) for m, name in enumerate(self.names) if name in wanted]
        return ", ".join(
            f"{name} has a tau of {row['tau']:.2f} and errs by {row['rmse']:.3f} (RMS)" for name, row in rows
        )

    def _uniform_words(self) -> list[str]:
        index = self._example()
        design, share = self.asked.designs[index], percent(round(self.share(index), 3))
        rows = {name: self.row(index, m) for m, name in enumerate(self.names)}
        best = max(rows, key=lambda name: rows[name]["tau"])
        likest = "most like" if self.names[1:] else "like"
        sentences = [
            f"With {share} of the labels ({design.name}), {best} ranks these {len(self.runs)} runs {likest} all labels "
            f"do (tau {rows[best]['tau']:.2f}); its values are off by {rows[best]['rmse']:.3f} (RMS)."
        ]
        covered = [
            f"{name} {100 * row['coverage']:.0f} %"
            for m, (name, row) in enumerate(rows.items())
            if self._has_intervals(index, m)
        ]
        if covered:
            sentences.append(f"95 % intervals held the value by all labels in: {', '.join(covered)} of the cases.")
        low = [name for name, row in rows.items() if row["coverage"] < 0.9]
        if low:
            sentences.append(f"Do not trust the intervals of {', '.join(low)} at this size of sample.")
        return sentences

    def _has_intervals(self, design: int, measure: int, trials: int = 1) -> bool:
        low = self.values("low", design, measure)
        return len(low) >= trials and bool(np.isfinite(low).all())

    def _example(self) -> int:
        uniform = [index for index, design in enumerate(self.asked.designs) if design.family == "uniform"]
        indices = uniform or list(range(len(self.asked.designs)))
        return indices[nearest([self.share(index) for index in indices], 0.1)]

    def _head(self, indices: Sequence[tuple[int, int]]) -> dict[str, list[Any]]:
        return {
            "measure": [self.names[m] for _, m in indices],
            "design": [self.asked.designs[d].name for d, _ in indices],
            "share_judged": [self.share(d) for d, _ in indices],
        }

    def _lines(self, what: str) -> dict[str, tuple[list[float], list[float]]]:
        """A quality against the judged share: a line for each measure and family of designs."""
        lines: dict[str, tuple[list[float], list[float]]] = {}
        for m, name in enumerate(self.names):
            for family in dict.fromkeys(design.family for design in self.asked.designs):
                indices = [d for d, design in enumerate(self.asked.designs) if design.family == family]
                indices.sort(key=self.share)
                values = [self.row(d, m)[what] for d in indices]
                if all(value == value for value in values):
                    lines[f"{name}, {family}"] = ([100 * self.share(d) for d in indices], values)
        return lines
