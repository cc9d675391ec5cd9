"""How close do estimates from sampled judgments come, and do their intervals cover? [Y08]"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise.agree.correlation import kendall_tau, pearson_r, root_mean_square_error, spearman_rho
from poolwise.checks import seed_number, whole
from poolwise.errors import ArgumentError
from poolwise.judge.judgments import Judgments, is_judged
from poolwise.score.registry import parse
from poolwise.show.figures import curves, log_percent, run_points
from poolwise.show.items import Table
from poolwise.study.shared.choices import (
    checked_fractions,
    checked_measures,
    kept_runs,
    nearest,
    percent,
)
from poolwise.study.shared.collection import properties
from poolwise.study.shared.conduct import Experiment, conduct
from poolwise.study.shared.study_result import Study
from poolwise.study.shared.trials import names, trial_units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from poolwise.arrays import Floats
    from poolwise.campaign import Campaign
    from poolwise.score.measure import Measure
    from poolwise.show.items import Figure
    from poolwise.study.shared.conduct import Arrays, How


ESTIMATORS = ("infAP", "xinfAP", "infNDCG", "AP", "nDCG")
ASSISTED = ("AP", "nDCG")  # what the assisted estimator is tried on
FRACTIONS = (0.1, 0.2, 0.3)
DEPTHS = (1, 5, 10)
POOL_DEPTH = 100  # a run whose top so many documents are judged is taken to have made the pool
LEVEL = 0.95
ENOUGH_TRIALS = 8  # for a test of normality


class Design(NamedTuple):
    """A design of the study: the family it belongs to, its name, and how it is drawn."""

    family: str
    name: str
    kind: str
    settings: tuple[tuple[str, Any], ...]


def estimation(
    pool: Campaign,
    *,
    measures: Sequence[str | Measure] = ESTIMATORS,
    fractions: Sequence[float] = FRACTIONS,
    depths: Sequence[int] = DEPTHS,
    trials: int = 100,
    assisted: int = 10,
    contributing: Sequence[str] | None = None,
    seed: int | np.random.Generator = 0,
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[How],
) -> Study:
    """Sample the labels by several designs, estimate, and compare with the scores by all labels.

    Designs are uniform samples of `fractions` of the pool, and for each of `depths` the depth-k pool with as many
    random judgments again, in two strata and in four [Y08]. The estimator of `Campaign.estimate` is tried beside the
    measures.

    Parameters
    ----------
    pool : Campaign
        A campaign with complete judgments.
    measures : sequence of str or Measure
        Plain measures or estimators; an estimator is held against what it estimates.
    fractions : sequence of float
        Shares of the pool to judge.
    depths : sequence of int
        Depths of pools that are judged in full.
    trials : int
        How often each is drawn.
    assisted : int
        In how many of these trials the estimator of `Campaign.estimate` is tried.
    contributing : sequence of str, optional
        The runs that make the depth-k pools; those whose top 100 are judged unless given. The others are unseen runs.
    seed : int or Generator
        Of the draws.
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Table `estimation` and more; figures; a summary.

    References
    ----------
    [Y08].

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=8, depth=50, pool_depth=20, seed=1).pool()
    >>> study = pw.study.estimation(pool, fractions=[0.3], depths=[2], trials=2, assisted=1)
    >>> sorted(set(study.tables["estimation"].columns["design"]))
    ['depth 2, four strata', 'depth 2, two strata', 'uniform 30 %']
    """
    experiment = Estimation(
        measures=checked_measures(measures),
        fractions=checked_fractions(fractions) if len(fractions) else (),
        depths=tuple(sorted({whole("depth", depth, 1) for depth in depths})),
        trials=whole("trials", trials, 1),
        assisted=whole("assisted", assisted, 0),
        contributing=_contributing(pool, contributing, depths),
        seed=seed_number(seed),
        kept=tuple(kept_runs(pool, retrieved, top).tolist()),
    )
    if not experiment.designs:
        raise ArgumentError("no design is left; give fractions or depths")
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class Estimation(Experiment):
    """The study's settings and its work; a unit is a trial."""

    measures: tuple[Measure, ...]
    fractions: tuple[float, ...]
    depths: tuple[int, ...]
    trials: int
    assisted: int
    contributing: tuple[str, ...]
    name = "estimation"

    @cached_property
    def designs(self) -> list[Design]:
        """Uniform samples, then for every depth two strata and four."""
        found = [Design("uniform", f"uniform {percent(f)}", "uniform", (("fraction", f),)) for f in self.fractions]
        for depth in self.depths:
            given = (("depth", depth),)
            found.append(Design("two strata", f"depth {depth}, two strata", "depth_plus_random", given))
            found.append(Design("four strata", f"depth {depth}, four strata", "stratified", given))
        return found

    def units(self) -> list[str]:
        """Trials."""
        return trial_units(self.trials)

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Estimates with their ends (NaN where there are none), designs x measures x runs, and the shares judged."""
        samples = [self._sample(pool, design, int(unit)) for design in self.designs]
        scores = pool.score(*self.measures, judgments=samples, threads=threads)
        estimates = scores.means().swapaxes(1, 2)
        ends = np.full((2, *estimates.shape), np.nan)
        places = [place for place, measure in enumerate(self.measures) if measure.name == "infAP"]
        uniform = [place for place, design in enumerate(self.designs) if design.kind == "uniform"]
        if places and uniform:  # the paper's interval
            asked = [self.measures[place] for place in places]
            found = pool.score(*asked, judgments=[samples[d] for d in uniform], interval="judgments", threads=threads)
            for end, values in enumerate((found.mean_low(), found.mean_high())):
                ends[end][np.ix_(uniform, places)] = values.swapaxes(1, 2)
        if int(unit) < self.assisted:
            more = [self._assisted(pool, sample, threads) for sample in samples]
            estimates = np.concatenate([estimates, np.stack([each[0] for each in more])], axis=1)
            ends = np.concatenate([ends, np.stack([each[1:] for each in more], axis=1)], axis=2)
        judged = np.array([sample.count() for sample in samples]) / pool.judgments.count()
        kept = list(self.kept)
        arrays = {"estimates": estimates, "low": ends[0], "high": ends[1]}
        return {name: values[..., kept] for name, values in arrays.items()} | {"judged": judged}

    def _sample(self, pool: Campaign, design: Design, trial: int) -> Judgments:
        settings: dict[str, Any] = dict(design.settings)
        if design.kind != "uniform":
            settings["contributing"] = self.contributing
        return pool.judgments.sample(design.kind, seed=self.seed, trial=trial, **settings)

    def _assisted(self, pool: Campaign, sample: Judgments, threads: int) -> Floats:
        """Estimate, low and high, each measures x runs."""
        found = pool.estimate(*ASSISTED, judgments=sample, threads=threads, level=LEVEL, outside="nonrelevant")
        return np.stack([found.means().T, found.mean_low().T, found.mean_high().T])

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Compare with complete judgments."""
        targets = [*(measure.estimated for measure in self.measures), *(parse(name) for name in ASSISTED)]
        scores = pool.score(*targets)
        truth = np.stack([scores.means()[list(self.kept), scores.measures.index(str(t))] for t in targets])
        runs = [pool.runs[run] for run in self.kept]
        seen = np.array([run in self.contributing for run in runs])
        found = _Found(self, runs, seen, truth, results)
        return Study(
            self.name,
            "What are sampled labels worth?",
            tuple(found.in_words()),
            (*found.figures(), found.table(), found.seen_table(), found.normality(), found.run_table(),
             properties(pool, self.kept)),
            (
                "The labels given are taken for complete. Uniform samples judge a share of each topic's pool; depth k "
                "in two strata judges the depth-k pool in full and as many again of the rest at random; in four strata "
                "the rest is split into three bands of equal size by best rank, judged 3 : 1.5 : 1 [Y08]. "
                f"{len(self.contributing)} of {len(pool.runs)} runs make the depth-k pools.",
                f"{self.trials} trials, seed {self.seed}; the assisted estimator in the first "
                f"{min(self.assisted, self.trials)}. tau, r (Pearson's, which the paper calls rho) and rho "
                "(Spearman's) compare the ranking and values of runs with those by all labels; coverage is the share "
                "of runs and trials whose 95 % interval holds the value by all labels; infAP's interval is the "
                "paper's. The Kolmogorov-Smirnov test asks of each run whether the errors divided by their estimated "
                "deviations may be standard normal.",
            ),
            tuple(scores.warnings),
            {**self.settings(), "trials": self.trials},
        )  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """Results of all trials and what is shown of them."""

    asked: Estimation
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
        """Estimates or ends, trials x runs."""
        return np.stack([r[what][design, measure] for r in self.results if measure < r[what].shape[1]])

    def row(self, design: int, measure: int, among: NDArray[np.bool_] | None = None) -> dict[str, float]:
        """How good an estimate is, over all runs or some."""
        kept = np.ones(len(self.runs), bool) if among is None else among
        truth, estimates = self.truth[measure][kept], self.values("estimates", design, measure)[:, kept]
        low, high = (self.values(end, design, measure)[:, kept] for end in ("low", "high"))
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
        """Every measure and design, as places."""
        return [(d, m) for m in range(len(self.names)) for d in range(len(self.asked.designs))]

    def table(self) -> Table:
        """One row per measure and design."""
        columns = self._head([(d, m) for d, m in self.rows()])
        found = [self.row(d, m) for d, m in self.rows()]
        columns |= {name: [row[name] for row in found] for name in found[0]}
        note = "Means over trials; coverage and width are empty where there is no interval."
        return Table("Estimates against scores by all labels", columns, note, file="estimation")

    def seen_table(self) -> Table:
        """Runs that made the pool and those that did not, apart."""
        groups = [(name, among) for name, among in (("seen", self.seen), ("unseen", ~self.seen)) if among.sum() > 1]
        places = self.rows()
        columns: dict[str, list[Any]] = {"runs": [name for name, _ in groups for _ in places]}
        columns |= {name: values * len(groups) for name, values in self._head(places).items()}
        found = [self.row(d, m, among) for _, among in groups for d, m in places]
        columns |= {name: [row[name] for row in found] for name in ("tau", "r", "rmse", "bias", "coverage")}
        note = "seen: the run made the depth-k pools; unseen: it did not."
        return Table("Seen and unseen runs", columns, note, file="seen")

    def normality(self) -> Table:
        """Share of runs whose standardised errors may be standard normal."""
        from scipy.special import ndtri
        from scipy.stats import kstest

        places = [(d, m) for d, m in self.rows() if self._has_intervals(d, m, ENOUGH_TRIALS)]
        kept = []
        for d, m in places:
            deviations = (self.values("high", d, m) - self.values("low", d, m)) / 2 / ndtri((1 + LEVEL) / 2)
            errors = (self.values("estimates", d, m) - self.truth[m]) / np.maximum(deviations, 1e-12)
            kept.append(float(np.mean([kstest(each, "norm").pvalue >= 0.05 for each in errors.T])))
        columns = {**self._head(places), "kept": kept}
        note = "Share of runs whose standardised errors the Kolmogorov-Smirnov test keeps as standard normal (0.05)."
        return Table("Are the errors normal?", columns, note, 3, "normality")

    def run_table(self) -> Table:
        """Every run's estimates in the first trial, at the design nearest to one fifth of the labels."""
        place = self._example()
        columns: dict[str, list[Any]] = {"run": self.runs, "seen": self.seen.tolist()}
        for m, name in enumerate(self.names):
            columns[f"{name}: estimate"] = self.results[0]["estimates"][place, m].tolist()
            columns[f"{name}: all labels"] = self.truth[m].tolist()
        return Table("Runs in the first trial", columns, f"Sample: {self.asked.designs[place].name}.", file="runs")

    def figures(self) -> list[Figure]:
        """Estimate against truth, and quality against effort."""
        place = self._example()
        shown = [m for m, name in enumerate(self.names) if name in ("infAP", "xinfAP", "AP (assisted)")] or [0]
        first = self.results[0]
        groups = {self.names[m]: (self.truth[m], first["estimates"][place, m]) for m in shown}
        errors = {
            self.names[m]: (first["low"][place, m], first["high"][place, m])
            for m in shown
            if self._has_intervals(place, m)
        }
        note = f"One point a run, first trial, {self.asked.designs[place].name}; bars are 95 % intervals."
        found = [
            run_points("Estimate and truth", groups, self.runs, "all labels", "estimate", note=note, errors=errors)
        ]
        for title, what, label in (
            ("Ranking against effort", "tau", "tau with the ranking by all labels"),
            ("Error against effort", "rmse", "RMS error of the mean score"),
            ("Coverage against effort", "coverage", "share of intervals that hold the value by all labels"),
        ):
            lines = self._lines(what)
            if lines:
                level = LEVEL if what == "coverage" else None
                found.append(curves(title, lines, "% of labels", label, level=level, xaxis=log_percent()))
        return found

    def in_words(self) -> list[str]:
        """The plain summary."""
        place = self._example()
        design, share = self.asked.designs[place], percent(round(self.share(place), 3))
        rows = {name: self.row(place, m) for m, name in enumerate(self.names)}
        best = max(rows, key=lambda name: rows[name]["tau"])
        said = [
            f"With {share} of the labels ({design.name}), {best} ranks these {len(self.runs)} runs most like all "
            f"labels do (tau {rows[best]['tau']:.2f}); its values are off by {rows[best]['rmse']:.3f} (RMS)."
        ]
        covered = [
            f"{name} {100 * row['coverage']:.0f} %"
            for m, (name, row) in enumerate(rows.items())
            if self._has_intervals(place, m)
        ]
        if covered:
            said.append(f"95 % intervals held the value by all labels in: {', '.join(covered)} of the cases.")
        low = [name for name, row in rows.items() if row["coverage"] < 0.9]
        if low:
            said.append(f"Do not trust the intervals of {', '.join(low)} at this size of sample.")
        return said

    def _has_intervals(self, design: int, measure: int, trials: int = 1) -> bool:
        low = self.values("low", design, measure)
        return len(low) >= trials and bool(np.isfinite(low).all())

    def _example(self) -> int:
        uniform = [place for place, design in enumerate(self.asked.designs) if design.kind == "uniform"]
        places = uniform or list(range(len(self.asked.designs)))
        return places[nearest([self.share(place) for place in places], 0.1)]

    def _head(self, places: Sequence[tuple[int, int]]) -> dict[str, list[Any]]:
        return {
            "measure": [self.names[m] for _, m in places],
            "design": [self.asked.designs[d].name for d, _ in places],
            "share_judged": [self.share(d) for d, _ in places],
        }

    def _lines(self, what: str) -> dict[str, tuple[list[float], list[float]]]:
        """A quality against the share judged, a line for each measure and family of designs."""
        lines: dict[str, tuple[list[float], list[float]]] = {}
        for m, name in enumerate(self.names):
            for family in dict.fromkeys(design.family for design in self.asked.designs):
                places = [d for d, design in enumerate(self.asked.designs) if design.family == family]
                places.sort(key=self.share)
                values = [self.row(d, m)[what] for d in places]
                if all(value == value for value in values):
                    lines[f"{name}, {family}"] = ([100 * self.share(d) for d in places], values)
        return lines


def _contributing(pool: Campaign, given: Sequence[str] | None, depths: Sequence[int]) -> tuple[str, ...]:
    """Names of the runs that made the pool."""
    if given is not None:
        return tuple(pool.runs[pool.run_number(run)] for run in given)
    for depth in (POOL_DEPTH, max(depths, default=1)):
        found = tuple(run for number, run in enumerate(pool.runs) if _top_is_judged(pool, number, depth))
        if len(found) > 1:
            return found
    return tuple(pool.runs)


def _top_is_judged(pool: Campaign, run: int, depth: int) -> bool:
    """Whether the whole top of a run is judged, on every topic."""
    retrieved = np.asarray(pool.retrieved())[run]
    labels, offsets = pool.judgments.labels, pool.judgments.offsets
    for topic, count in enumerate(retrieved.tolist()):
        ranks, documents = (np.asarray(values) for values in pool.known(run, topic))
        known = labels[offsets[topic] + documents[ranks <= depth].astype(np.int64)]
        if np.count_nonzero(is_judged(known)) < min(depth, count):
            return False
    return True
