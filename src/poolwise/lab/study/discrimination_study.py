"""How many pairs of runs does a measure tell apart, also with few labels? [S07 section 7, K09, G20]"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.comparisons.discrimination import discriminative_power, swap_method
from poolwise.lab.study.choices import (
    BANDS,
    FRACTIONS,
    MEASURES,
    Reduction,
    asked,
    mean_and_spread,
    mean_bands,
    measure_rows,
    names,
    nearest,
    percent,
    properties,
)
from poolwise.lab.study.conduct import conduct
from poolwise.lab.study.result import Study
from poolwise.show.column_words import words_of
from poolwise.show.figures import curves, log_percent, thinned
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import kendall_tau

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, Unpack

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Figure


def discrimination(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    fractions: Sequence[float] = FRACTIONS,
    trials: int = 10,
    seed: int | np.random.Generator = 0,
    alpha: float = 0.05,
    resamples: int = 1000,
    rounding: Literal["up", "down"] = "up",
    retrieved: float = 0.0,
    top: int | None = None,
    complete_only: str | Measure | Sequence[str | Measure] = (),
    **how: Unpack[Execution],
) -> Study:
    """Test all pairs of runs by Sakai's bootstrap, at complete judgments and at each fraction of the labels.

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
    alpha : float
        The level of significance.
    resamples : int
        Resamples of topics, which serve all pairs and measures.
    rounding : {"up", "down"}
        How numbers of documents are rounded: as [B07] or as [S07].
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    complete_only : str, Measure or sequence of these
        Those of the measures that are looked at with all labels only.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Table `discrimination` and more; figures; a summary.

    References
    ----------
    [S07] section 3.

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=12, depth=50, seed=1).pool()
    >>> study = pw.study.discrimination(pool, measures=["AP"], fractions=[0.2, 1], trials=1, resamples=100)
    >>> study.tables["discrimination"].columns["fraction"]
    [0.2, 1.0]
    """
    experiment = Discrimination(
        alpha=checks.alpha(alpha),
        resamples=checks.whole("resamples", resamples, 2),
        **asked(pool, measures, fractions, trials, seed, rounding, retrieved, top, complete_only),
    )
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class Discrimination(Reduction):
    """Settings and work of the study. A unit is a trial, or the complete judgments."""

    alpha: float
    resamples: int
    name = "discrimination"

    def units(self) -> list[str]:
        """The complete judgments, then trials."""
        return ["complete", *super().units()]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Power and required difference (fractions x measures). With complete judgments also the level of each pair."""
        samples = [pool.judgments] if unit == "complete" else self.samples(pool.judgments, unit, threads)
        # Measures for complete labels only have no reduced samples.
        measures = self.measures if unit == "complete" else self.reduced
        scores = pool.score(*measures, judgments=samples, threads=threads)
        powers = [
            [
                discriminative_power(
                    scores.array(measure)[index][list(self.run_indices)],
                    alpha=self.alpha,
                    resamples=self.resamples,
                    seed=self.seed,
                    threads=threads,
                )
                for measure in measures
            ]
            for index in range(len(samples))
        ]
        arrays = {
            "power": np.array([[each.power for each in row] for row in powers]),
            "required": np.array([[each.difference_required for each in row] for row in powers]),
        }
        if unit == "complete":
            arrays["asl"] = np.stack([each.curve for each in powers[0]])
            tables = [scores.array(measure)[0][list(self.run_indices)] for measure in self.measures]
            # The swap method is slow, and [S07] uses it with complete judgments only.
            swaps = [swap_method(table, draws=self.resamples, most=self.alpha, seed=self.seed) for table in tables]
            arrays["swap"] = np.array([[each.difference_required, each.sensitivity] for each in swaps])
        return arrays

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """The study from all trials."""
        outcome = _DiscriminationOutcome(
            self,
            results[0],
            np.stack([result["power"] for result in results[1:]]),
            np.stack([result["required"] for result in results[1:]]),
        )
        runs = len(self.run_indices)
        return Study(
            self.name,
            "How many pairs of runs does a measure tell apart?",
            tuple(outcome.in_words()),
            (
                *outcome.figures(),
                outcome.complete_table(),
                outcome.swap_table(),
                outcome.table(),
                outcome.asl_table(),
                properties(pool, self.run_indices),
            ),
            (
                f"Sakai's bootstrap test of all {runs * (runs - 1) // 2} pairs of {runs} runs: {self.resamples} "
                f"resamples of topics, the same for all pairs and measures, seed {self.seed} [S07]. Discriminative "
                f"power is the share of pairs with an achieved significance level (ASL) below {self.alpha}; the "
                "difference required is the largest over pairs of the mean difference that belongs to that level.",
                f"The swap method (Voorhees and Buckley 2002): {self.resamples} times two disjoint random halves of "
                "the "
                "topics; the difference from which on at most this share of the pairs swap, and the share of "
                "comparisons with at least that difference.",
                f"Labels are reduced as in the robustness study; {self.trials} trials. Power at few labels counts "
                "differences found, right or wrong: see the decisions study for how many of them are right.",
            ),
            pool.warnings,
            {**self.settings(), "trials": self.trials},
        )


@dataclass(frozen=True)
class _DiscriminationOutcome:
    """Results (`power`, `required`: trials x fractions x measures) with their tables and figures."""

    asked: Discrimination
    complete: Arrays
    power: Floats
    required: Floats

    def table(self) -> Table:
        """Power against fraction."""
        columns = measure_rows(names(self.asked.reduced), "fraction", self.asked.fractions)
        for name, values in (("power", self.power), ("difference_required", self.required)):
            mean, spread = mean_and_spread(values)
            columns[name] = mean.T.ravel().tolist()
            columns[f"{name}_sd"] = spread.T.ravel().tolist()
        return Table(
            "Discriminative power by fraction",
            columns,
            "Means over trials.",
            file="discrimination",
            wide=("measure", "fraction", "power"),
        )

    def complete_table(self) -> Table:
        """Power with all labels, best first."""
        order = np.argsort(-self.complete["power"][0], kind="stable")
        listed = names(self.asked.measures)
        columns = {
            "measure": [listed[index] for index in order],
            "power": self.complete["power"][0][order].tolist(),
            "difference_required": self.complete["required"][0][order].tolist(),
        }
        return Table("With all labels", columns, file="complete")

    def swap_table(self) -> Table:
        """Bootstrap and swap method side by side, which agree in [S07] section 7."""
        swap, power = self.complete["swap"], self.complete["power"][0]
        columns = {
            "measure": names(self.asked.measures),
            "power": power.tolist(),
            "sensitivity": swap[:, 1].tolist(),
            "difference_required": self.complete["required"][0].tolist(),
            "swap_difference": swap[:, 0].tolist(),
        }
        tau = float(kendall_tau(power, swap[:, 1])) if len(power) > 1 else float("nan")
        note = (
            f"{words_of('power').heading} and difference_required: bootstrap; sensitivity and swap_difference: swap "
            f"method, on half of the topics. Tau of the orders of measures by the two methods: {tau:.2f}."
        )
        return Table("Bootstrap and swap method", columns, note, file="swap")

    def asl_table(self) -> Table:
        """Achieved levels of all pairs, sorted."""
        curves_of = self.complete["asl"]
        columns = measure_rows(names(self.asked.measures), "place", list(range(1, curves_of.shape[1] + 1)))
        columns["asl"] = curves_of.ravel().tolist()
        return Table("ASL curves", columns, "From the pair least told apart on.", file="asl")

    def figures(self) -> list[Figure]:
        """ASL curves, and power and difference required against fraction."""
        levels = self.complete["asl"]
        listed = names(self.asked.measures)
        sorted_levels = {name: thinned(levels[m]) for m, name in enumerate(listed)}
        percents = [100 * fraction for fraction in self.asked.fractions]
        note = "Pairs of runs from the least told apart on. The lower a curve, the more pairs are told apart."
        figures = [
            curves(
                "ASL curves with all labels",
                sorted_levels,
                "pair",
                "ASL",
                note=note,
                markers=False,
                level=self.asked.alpha,
            )
        ]
        for title, label, values, within in (
            ("Discriminative power", "share of pairs told apart", self.power, (0.0, 1.0)),
            ("Difference required", "mean difference", self.required, (0.0, 2.0)),
        ):
            reduced = names(self.asked.reduced)
            lines = {name: (percents, values[..., m].mean(axis=0)) for m, name in enumerate(reduced)}
            bands = mean_bands({name: values[..., m] for m, name in enumerate(reduced)}, within)
            note = BANDS if bands else ""
            figures.append(curves(title, lines, "% of labels", label, bands=bands, note=note, xaxis=log_percent()))
        return figures

    def in_words(self) -> list[str]:
        """The plain summary."""
        listed = names(self.asked.measures)
        power, required = self.complete["power"][0], self.complete["required"][0]
        order = np.argsort(-power, kind="stable")
        best, worst = order[0], order[-1]
        sentences = [
            f"With all labels, {listed[best]} tells {100 * power[best]:.0f} % of the pairs of runs apart"
            + (f", {listed[worst]} {100 * power[worst]:.0f} %. " if listed[1:] else ". ")
            + f"By {listed[best]} a difference of {required[best]:.3f} is enough for any pair."
        ]
        index = nearest(self.asked.fractions, 0.1)
        few = self.power.mean(axis=0)[index]
        best, worst = int(np.argmax(few)), int(np.argmin(few))
        listed = names(self.asked.reduced)
        sentences.append(
            f"With {percent(self.asked.fractions[index])} of the labels, {listed[best]} tells {100 * few[best]:.0f} % "
            + (f"apart, {listed[worst]} {100 * few[worst]:.0f} %." if listed[1:] else "apart.")
        )
        return sentences
