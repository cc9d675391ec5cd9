"""Robustness of rankings by measures against missing judgments [B07 sections 5.1 and 5.3, S07 section 6]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics.settings import campaign
from poolwise.lab.study.choices import (
    BANDS,
    FRACTIONS,
    MEASURES,
    Reduction,
    asked,
    checked_measures,
    knee_columns,
    mean_and_spread,
    mean_bands,
    mean_ends,
    measure_rows,
    names,
    nearest,
    percent,
    properties,
)
from poolwise.lab.study.conduct import conduct
from poolwise.lab.study.result import Study
from poolwise.scores.scoring import notes_on_runs
from poolwise.show.figures import curves, log_percent, matrix, run_points
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import (
    kendall_tau,
    root_mean_square_error,
    significant_tau,
    spearman_rho,
    tau_ap,
    tau_p,
)
from poolwise.trust.ranking_agreement import knee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, Unpack

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Figure


# [B07] section 5.3: gains of a highly relevant document; a relevant one has gain 1.
WEIGHTS = (1, 2, 10, 100)
GRADED = ("nDCG", "nDCG'", "Q'")
# [B07] section 5.1, after Voorhees 2001: above 0.9 two rankings are equivalent, below 0.8 they differ noticeably.
GOOD_TAU, FAIR_TAU = 0.9, 0.8
FEW_RUNS = 10  # with nine, one swapped pair changes tau by .056, half of the way from 0.9 to 1
COEFFICIENTS = {"tau": kendall_tau, "tau_ap": tau_ap, "rho": spearman_rho, "rmse": root_mean_square_error}


def robustness(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    fractions: Sequence[float] = FRACTIONS,
    trials: int = 10,
    seed: int | np.random.Generator = 0,
    rounding: Literal["up", "down"] = "up",
    retrieved: float = 0.0,
    top: int | None = None,
    complete_only: str | Measure | Sequence[str | Measure] = (),
    **how: Unpack[Execution],
) -> Study:
    """Rank runs with part of the labels, and compare with the ranking by all of them.

    If labels are graded, binary gains are compared with gains of 2, 10 and 100 for the highest label.

    Parameters
    ----------
    pool : Campaign
        A campaign with complete judgments.
    measures : str, Measure or sequence of these
        Measures to look at.
    fractions : sequence of float
        Shares of the labels to keep.
    trials : int
        How often the labels are reduced to each of them.
    seed : int or Generator
        Of the draws.
    rounding : {"up", "down"}
        How numbers of documents are rounded: as [B07] or as [S07].
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    complete_only : str, Measure or sequence of these
        Those of the measures that are looked at with all labels only.
    **how
        How the work is done, which changes nothing of what is found: `folder` keeps finished units (`resume` goes on
        with them, `overwrite` begins anew); `executor`, `threads`; `progress` is called with units done and units in
        all.

    Returns
    -------
    Study
        Tables `curve`, `agreement` and more; figures; a summary.

    References
    ----------
    [B07] section 5.1, [S07].

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=8, depth=50, seed=1).pool()
    >>> study = pw.study.robustness(pool, fractions=[0.2, 1], trials=2)
    >>> study.tables["curve"].columns["tau"][-1]
    1.0
    """
    experiment = Robustness(
        graded=_graded(pool), **asked(pool, measures, fractions, trials, seed, rounding, retrieved, top, complete_only)
    )
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class Robustness(Reduction):
    """Settings and work of the study."""

    graded: tuple[Measure, ...]
    name = "robustness"

    @property
    def all_measures(self) -> tuple[Measure, ...]:
        """The wanted measures, those with other gains, and those computed with all labels only."""
        return tuple(dict.fromkeys((*self.tried, *self.complete_only)))

    @property
    def tried(self) -> tuple[Measure, ...]:
        """All measures that are computed with fewer labels."""
        return tuple(dict.fromkeys((*self.reduced, *self.graded)))

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Mean scores, fractions x runs x measures, and how they agree with complete ones, fractions x measures."""
        samples = [*self.samples(pool.judgments, unit, threads), pool.judgments]
        means = pool.score(*self.tried, judgments=samples, threads=threads).means()[:, list(self.run_indices)]
        arrays = {"means": means[:-1]}
        for name, coefficient in COEFFICIENTS.items():
            by_measure = [coefficient(means[-1, :, m], means[:-1, :, m]) for m in range(means.shape[2])]
            arrays[name] = np.stack(by_measure, axis=1)
        return arrays

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Compare with complete judgments."""
        scores = pool.score(*self.all_measures)
        complete = scores.means()[list(self.run_indices)]
        runs = [scores.runs[run] for run in self.run_indices]
        outcome = _RobustnessOutcome(
            self, runs, complete, {name: np.stack([r[name] for r in results]) for name in results[0]}
        )
        parts: list[Table | Figure] = [
            outcome.tau_figure(), outcome.value_figure(), outcome.curve_table(), outcome.knee_table(),
            *outcome.agreement_parts(), *outcome.gain_parts(), *outcome.run_parts(), properties(pool, self.run_indices),
        ]  # fmt: skip
        return Study(
            self.name,
            "Which measure survives missing labels?",
            tuple(outcome.in_words()),
            tuple(parts),
            (
                "Per topic, relevant and other judged documents are put in random order and the first part of each is "
                f"kept: of R relevant ones max(1, f R), of N others max(10, f N), rounded {self.rounding} [B07, S07]. "
                "The rest stays in the pool without a label. Larger fractions hold the smaller ones of a trial.",
                f"{self.trials} trials, seed {self.seed}. Kendall's tau a compares the ranking of {len(runs)} runs by "
                "mean score with that at complete judgments; means within 1e-12 of each other tie. Bands: 95 % "
                "intervals of the mean over trials. The knee is the lowest fraction from which mean tau stays above "
                f"{GOOD_TAU}.",
            ),
            tuple(notes_on_runs(pool, self.measures, pool.judgments, self.run_indices)),
            {**self.settings(), "trials": self.trials},
        )


@dataclass(frozen=True)
class _RobustnessOutcome:
    """Results of all trials (trials on the first axis) with their tables and figures."""

    asked: Robustness
    runs: list[str]
    complete: Floats
    results: Arrays

    @property
    def means(self) -> Floats:
        """Mean scores, trials x fractions x runs x measures."""
        return self.results["means"]

    def taus(self, measures: Sequence[Measure]) -> dict[str, Floats]:
        """Tau with complete judgments by measure, each trials x fractions."""
        indices = {str(measure): self.asked.all_measures.index(measure) for measure in measures}
        return {name: self.results["tau"][..., index] for name, index in indices.items()}

    def curve_table(self) -> Table:
        """Mean values and tau of each measure at each fraction."""
        columns = measure_rows(names(self.asked.reduced), "fraction", self.asked.fractions)
        measures = len(self.asked.reduced)
        taus = self.results["tau"][..., :measures]
        low, high = (np.clip(end, -1.0, 1.0) for end in mean_ends(taus))
        shown = {"tau": taus.mean(axis=0), "tau_sd": mean_and_spread(taus)[1], "tau_low": low, "tau_high": high}
        shown |= {name: self.results[name][..., :measures].mean(axis=0) for name in ("tau_ap", "rho", "rmse")}
        shown["value"] = self.means[..., :measures].mean(axis=(0, 2))
        columns |= {name: values.T.ravel().tolist() for name, values in shown.items()}
        return Table(
            "Agreement with complete judgments",
            columns,
            "Means over trials.",
            file="curve",
            wide=("measure", "fraction", "tau"),
        )

    def knee_table(self) -> Table:
        """Fractions from which each measure ranks as with all labels."""
        taus = {name: values.mean(axis=0) for name, values in self.taus(self.asked.reduced).items()}
        columns: dict[str, list[Any]] = {"measure": list(taus)}
        for ending, threshold in (("", GOOD_TAU), ("_80", FAIR_TAU)):
            columns |= knee_columns(f"knee{ending}", f"exceeds{ending}", self.asked.fractions, taus.values(), threshold)
        note = (
            f"The lowest share of the labels from which mean tau stays above {GOOD_TAU} (knee), and at which it first "
            f"exceeds it; then the same for {FAIR_TAU}, below which rankings differ noticeably [B07]. Empty if there "
            "is none."
        )
        return Table("Labels needed", columns, note, 2, "knees")

    def tau_figure(self) -> Figure:
        """Tau against fraction."""
        return self._tau_figure("Agreement with the ranking by all labels", self.taus(self.asked.reduced))

    def value_figure(self) -> Figure:
        """Mean value against fraction."""
        values = self.means[..., : len(self.asked.reduced)].mean(axis=(0, 2))
        lines = {str(measure): (self._percent(), values[:, m]) for m, measure in enumerate(self.asked.reduced)}
        note = "Mean over runs and trials. A measure that stays level does not need correcting for missing labels."
        return curves("Mean value", lines, "% of labels", "mean value", note=note, xaxis=log_percent())

    def agreement_parts(self) -> list[Table | Figure]:
        """Tau between all measures at complete judgments."""
        listed = names(self.asked.measures)
        size = len(listed)
        complete = self.complete[:, [self.asked.all_measures.index(measure) for measure in self.asked.measures]]
        table = [[float(kendall_tau(complete[:, a], complete[:, b])) for b in range(size)] for a in range(size)]
        pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
        columns: dict[str, list[Any]] = {
            "measure_a": [listed[a] for a, _ in pairs],
            "measure_b": [listed[b] for _, b in pairs],
            "tau": [table[a][b] for a, b in pairs],
            "p": [tau_p(complete[:, a], complete[:, b]) for a, b in pairs],
        }
        least = significant_tau(len(self.runs), 0.01)
        takes = "" if np.isnan(least) else f"; at 0.01 it takes {least:.3f} [S07]"
        note = f"p: chance of a tau as far from 0 between unrelated rankings{takes}."
        title = "Agreement between measures at complete judgments"
        figure = matrix(title, listed, table, "tau", "Kendall's tau of the two rankings of runs.")
        return [*([figure] if pairs else []), Table("Tau between measures", columns, note, file="agreement")]

    def gain_parts(self) -> list[Table | Figure]:
        """Binary against graded gains, where labels are graded."""
        if not self.asked.graded:
            return []
        taus = self.taus(self.asked.graded)
        columns = measure_rows(list(taus), "fraction", self.asked.fractions)
        columns["tau"] = np.concatenate([values.mean(axis=0) for values in taus.values()]).tolist()
        columns["tau_sd"] = np.concatenate([mean_and_spread(values)[1] for values in taus.values()]).tolist()
        called = [_by_top_label(measure) for measure in self.asked.graded]
        note = "The highest label is worth 1 (binary), 2, 10 or 100, all lower relevant labels 1 [B07 section 5.3]."
        return [
            self._tau_figure("Binary and graded gains", dict(zip(called, taus.values(), strict=True)), note),
            Table("Tau with binary and graded gains", columns, note, file="gains", wide=("measure", "fraction", "tau")),
        ]

    def run_parts(self) -> list[Table | Figure]:
        """Every run's value at few labels against that at all labels."""
        index = nearest(self.asked.fractions, 0.1)
        share = percent(self.asked.fractions[index])
        few = self.means[:, index].mean(axis=0)
        groups = {str(measure): (self.complete[:, m], few[:, m]) for m, measure in enumerate(self.asked.reduced)}
        columns: dict[str, list[Any]] = {"run": self.runs}
        for m, measure in enumerate(self.asked.reduced):
            columns[f"{measure}"] = self.complete[:, m].tolist()
            columns[f"{measure} at {share}"] = few[:, m].tolist()
        note = "One point a run, mean over trials; switch measures on and off in the legend."
        return [
            run_points(f"Runs with {share} of the labels", groups, self.runs, "mean score with all labels",
                       f"mean score with {share}", note=note),
            Table("Runs", columns, f"Mean scores with all labels and with {share} of them.", file="runs"),
        ]  # fmt: skip

    def in_words(self) -> list[str]:
        """The plain summary."""
        taus = {name: values.mean(axis=0) for name, values in self.taus(self.asked.reduced).items()}
        index = nearest(self.asked.fractions, 0.2)
        share = percent(self.asked.fractions[index])
        order = sorted(taus, key=lambda name: -taus[name][index])
        best, worst = order[0], order[-1]
        good = [name for name in order if taus[name][index] > GOOD_TAU]
        sentences = [
            f"With {share} of the labels, {best} ranks these {len(self.runs)} runs most like all labels do "
            f"(tau {taus[best][index]:.2f}), {worst} least ({taus[worst][index]:.2f})."
            if taus[best][index] > taus[worst][index]
            else f"With {share} of the labels, {f'all {len(order)} measures rank' if order[1:] else f'{best} ranks'} "
            f"these {len(self.runs)} runs like all labels do with a tau of {taus[best][index]:.2f}."
        ]
        if good and len(good) < len(order):
            sentences.append(
                f"Above {GOOD_TAU} at {share}: {', '.join(good)}. At or below: {', '.join(order[len(good) :])}."
            )
        elif not good:
            sentences.append(f"No measure reaches {GOOD_TAU} at {share}.")
        if len(self.runs) < FEW_RUNS:
            step = 4 / (len(self.runs) * (len(self.runs) - 1))
            sentences.append(
                f"With {len(self.runs)} runs, two that change places move tau by {step:.2f}: how many labels a measure "
                f"needs cannot be told from fewer than {FEW_RUNS}."
            )
            return sentences
        knees = {name: knee(self.asked.fractions, mean, GOOD_TAU) for name, mean in taus.items()}
        found = sorted((value, index, name) for index, (name, value) in enumerate(knees.items()) if value == value)
        shares = [f"{name} {percent(value)}" for value, _, name in found]
        if shares:
            sentences.append(f"Labels needed to stay above tau {GOOD_TAU}: {', '.join(shares)}.")
        return sentences

    def _percent(self) -> list[float]:
        return [100 * fraction for fraction in self.asked.fractions]

    def _tau_figure(self, title: str, taus: dict[str, Floats], note: str = "") -> Figure:
        lines = {name: (self._percent(), values.mean(axis=0)) for name, values in taus.items()}
        bands = mean_bands(taus, (-1.0, 1.0))
        note = note or " ".join(["Kendall's tau, mean over trials.", *([BANDS] if bands else [])])
        return curves(title, lines, "% of labels", "tau", bands=bands, note=note, level=GOOD_TAU, xaxis=log_percent())


def _by_top_label(measure: Measure) -> str:
    """A measure with a gain of the highest label, and its name."""
    gains = dict(measure.parameters["gain"])
    return f"{measure.name}{chr(39) * measure.is_condensed}, top label x {gains[max(gains)]:g}"


def _graded(pool: Campaign) -> tuple[Measure, ...]:
    """nDCG, nDCG' and Q' with other gains of the highest label. Empty for binary labels."""
    campaign(pool)
    labels = [label for label in pool.judgments.distinct_labels() if label > 0]
    if len(labels) < 2:
        return ()
    gains = [dict.fromkeys(labels, 1) | {labels[-1]: weight} for weight in WEIGHTS]
    return checked_measures([_with_gain(name, gain) for name in GRADED for gain in gains])


def _with_gain(name: str, gain: dict[int, int]) -> Measure:
    from poolwise.measures.registry import parse

    return parse(name)(gain=gain)
