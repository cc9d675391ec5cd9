"""Tables, figures and summary of the study of gains and discounts: the optimal ones next to the usual ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.comparisons.discrimination import discriminative_power
from poolwise.lab.study.optima import DISCOUNTS, FREE, Best, HeldOutRow, SelectedRuns, Variants, called
from poolwise.lab.weights.labels import grade_shares
from poolwise.show.figures import curves, log_numbers, run_points, thinned
from poolwise.show.parts import Table
from poolwise.trust.components import phi_for, topics_for
from poolwise.trust.rank_correlation import kendall_tau, root_mean_square_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.show.parts import Figure

__all__ = ["BEST_RUNS", "Optima"]

CURVE_TOPICS = (1, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)  # points of the curve, [K09] figure 4
SHOWN = ("optimal", *DISCOUNTS, "optimal gain", "joint")  # in the figure of Phi
CHOSEN = {"discount": "discounts", FREE: "free discounts"}
BEST_RUNS = 30  # [K09] section 4.5, after Sakai
SHOWN_AT = 100  # the cut-off of [K09] figures 7 and 8; without it, the deepest
ALPHA = 0.05  # level at which discriminative power is counted


@dataclass(frozen=True)
class Optima(Variants):
    """The optima with their tables and figures."""

    splits: int
    resamples: int
    seed: int

    # ---- Tables --------------------------------------------------------------------------------------------------

    def discount_table(self) -> Table:
        """Weights of ranks."""
        columns: dict[str, list[Any]] = {"cutoff": [], "rank": []}
        for cutoff in self.cutoffs:
            columns["cutoff"] += [cutoff] * cutoff
            columns["rank"] += range(1, cutoff + 1)
            for name, weights in self.discounts(cutoff).items():
                columns.setdefault(name, []).extend(weights)
        return Table("Discounts", columns, "Weights of ranks, summing to 1 at every cut-off.", file="discounts")

    def phi_table(self) -> Table:
        """Phi and topics needed."""
        rows = [(cutoff, name, *row) for cutoff in self.cutoffs for name, row in self.phi(cutoff).items()]
        columns: dict[str, list[Any]] = {
            "cutoff": [row[0] for row in rows],
            "variant": [row[1] for row in rows],
            "phi_1": [row[4] for row in rows],
            "phi_50": [phi_for(row[4], 50) for row in rows],
            "topics_for_95": [topics_for(row[4]) for row in rows],
            "discount": [row[2] for row in rows],
            "gain": [row[3] for row in rows],
        }
        note = "On the topics that the optima were fitted to: for one topic, for 50, and topics for a Phi of 0.95."
        return Table("Phi of the variants", columns, note, file="phi")

    def held_out_table(self) -> Table:
        """Phi of the optima on topics or runs that were not fitted."""
        rows = [(cutoff, name, row) for (cutoff, name), best in self.best.items() for row in best.held_out]
        columns: dict[str, list[Any]] = {
            "cutoff": [cutoff for cutoff, _, _ in rows],
            "chosen": [CHOSEN.get(name, f"gains, {name}") for _, name, _ in rows],
            "held_out": [row.facet for _, _, row in rows],
            "variant": [row.variant for _, _, row in rows],
            "phi_1": [row.phi for _, _, row in rows],
            "optimal_ahead_by": [_ahead(row, row.difference) for _, _, row in rows],
            "optimal_ahead_sd": [_ahead(row, row.spread) for _, _, row in rows],
            "optimal_ahead_share": [_ahead(row, row.ahead) for _, _, row in rows],
            "fits": [int(row.fits) for _, _, row in rows],
        }
        note = (
            "Mean Phi of one topic on the half that was not fitted; how far the optimum is ahead of the variant there, "
            "the standard deviation of that over fits, and in which share of the fits."
        )
        return Table("On topics and runs that were not fitted", columns, note, file="held_out")

    # ---- Figures and the rest ------------------------------------------------------------------------------------

    def weight_figures(self) -> list[Figure]:
        """Weights against rank."""
        note = "Weights sum to 1. A flat part of the optimum is a group of ranks that count alike."
        return [
            curves(
                f"Discounts at cut-off {cutoff}",
                {name: (list(range(1, cutoff + 1)), weights) for name, weights in self.discounts(cutoff).items()},
                "rank", "share of the weight", note=note, markers=cutoff <= 20, xaxis=log_numbers(cutoff),
            )
            for cutoff in self.cutoffs
        ]  # fmt: skip

    def phi_figures(self) -> list[Figure]:
        """Phi against topics."""
        note = "On the topics that the optima were fitted to. Dotted: 0.95. More variants are in the table below."
        return [
            curves(
                f"Phi against topics, cut-off {cutoff}",
                {
                    name: (CURVE_TOPICS, [phi_for(value, n) for n in CURVE_TOPICS])
                    for name, (_, _, value) in self.phi(cutoff).items()
                    if name in SHOWN
                },
                "topics", "Phi", level=0.95, note=note, markers=False, xaxis=log_numbers(CURVE_TOPICS[-1]),
            )
            for cutoff in self.cutoffs
        ]  # fmt: skip

    def gain_parts(self) -> list[Table | Figure]:
        """Gains, and ratios of neighbouring grades."""
        if not self.graded:
            return []
        columns: dict[str, list[Any]] = {"cutoff": [], "grade": []}
        ratios: dict[str, list[Any]] = {"cutoff": [], "grades": []}
        pairs = list(zip(self.grades[1:], self.grades, strict=False))
        for cutoff in self.cutoffs:
            columns["cutoff"] += [cutoff] * len(self.grades)
            columns["grade"] += self.grades
            ratios["cutoff"] += [cutoff] * len(pairs)
            ratios["grades"] += [f"{higher} to {lower}" for higher, lower in pairs]
            for name, values in self.gains(cutoff).items():
                columns.setdefault(name, []).extend(values)
                steps = [_ratio(high, low) for high, low in zip(values[1:], values, strict=False)]
                ratios.setdefault(name, []).extend(steps)
        note = "Gains sum to 1. constrained, unconstrained: for the log2 discount; joint: with the joint discount."
        about = "What a grade is worth in units of the next lower one; empty if that is worth nothing [K09 table 2]."
        return [
            Table("Ratios of gains", ratios, about, 3, "gain_ratios"),
            Table("Gains", columns, note, file="gains"),
        ]

    def ranking_parts(self) -> list[Table | Figure]:
        """Agreement of the rankings by the variants."""
        columns: dict[str, list[Any]] = {"cutoff": [], "variant_a": [], "variant_b": [], "tau": [], "rmse": []}
        for cutoff in self.cutoffs:
            means = {name: self.values(at, name).mean(axis=1) for at, name in self.measures if at == cutoff}
            listed = list(means)
            for index, a in enumerate(listed):
                for b in listed[index + 1 :]:
                    row = (cutoff, called(a), called(b), float(kendall_tau(means[a], means[b])))
                    for name, value in zip(
                        columns, (*row, float(root_mean_square_error(means[a], means[b]))), strict=True
                    ):
                        columns[name].append(value)
        shown_at = SHOWN_AT if SHOWN_AT in self.cutoffs else self.cutoffs[-1]
        runs = [self.pool.runs[run] for run in self.run_indices]
        table: dict[str, list[Any]] = {"run": runs}
        for at, name in self.measures:
            table[f"{called(name)} @{at}"] = self.values(at, name).mean(axis=1).tolist()
        groups = {called(name): name for at, name in self.measures if at == shown_at and name != "optimal"}
        x = self.values(shown_at, "optimal").mean(axis=1)
        points = {called: (x, self.values(shown_at, name).mean(axis=1)) for called, name in groups.items()}
        note = "One point a run; on the dotted line both give the same mean."
        title = f"Means of runs at cut-off {shown_at}"
        return [
            run_points(title, points, runs, "optimal discount", "other weights", note=note),
            *self._gain_points(shown_at, runs),
            *self._top_tables(),
            Table("Agreement of the induced rankings", columns, "Kendall's tau and RMS difference.", file="rankings"),
            Table("Runs", table, "Mean nDCG.", file="runs"),
        ]

    def _gain_points(self, cutoff: int, runs: list[str]) -> list[Table | Figure]:
        """[K09] figure 8: means by the optimal gains against those by the usual ones."""
        if not self.graded:
            return []
        x = self.values(cutoff, "constrained").mean(axis=1)
        usual = {"exp gain": "exp", "linear gain": "log2"}
        points = {name: (x, self.values(cutoff, variant).mean(axis=1)) for name, variant in usual.items()}
        note = "One point a run, all with the log2 discount; on the dotted line both give the same mean."
        title = f"Means of runs by gains, cut-off {cutoff}"
        return [run_points(title, points, runs, "optimal gain", "usual gain", note=note)]

    def _top_tables(self) -> list[Table | Figure]:
        """Number of the best runs with the same rank by optimal and by exponential gains."""
        if not self.graded:
            return []
        columns: dict[str, list[Any]] = {"cutoff": list(self.cutoffs), "same_from_top": [], "of": []}
        for cutoff in self.cutoffs:
            orders = [np.argsort(-self.values(cutoff, v).mean(axis=1), kind="stable") for v in ("constrained", "exp")]
            differ = np.flatnonzero(orders[0] != orders[1])
            columns["same_from_top"].append(int(differ[0]) if differ.size else len(orders[0]))
            columns["of"].append(len(orders[0]))
        note = "So many runs from the top on have the same rank by the optimal gain and by exp gain [K09 figure 8]."
        return [Table("The top by optimal and exponential gains", columns, note, file="top_ranks")]

    def asl_parts(self) -> list[Table | Figure]:
        """Achieved significance levels of the best runs."""
        best = self._best_run_rows()
        variants = ("joint", "log2", "exp", "linear") if self.graded else ("optimal", *DISCOUNTS)
        columns: dict[str, list[Any]] = {"cutoff": [], "variant": [], "power": [], "difference_required": []}
        figures: list[Table | Figure] = []
        for cutoff in self.cutoffs:
            lines = {}
            for name in variants:
                power = discriminative_power(
                    self.values(cutoff, name)[best], resamples=self.resamples, seed=self.seed, alpha=ALPHA
                )
                lines[called(name)] = thinned(power.curve)
                row = (cutoff, called(name), power.power, power.difference_required)
                for column, value in zip(columns, row, strict=True):
                    columns[column].append(value)
            title = f"Achieved significance levels, cut-off {cutoff}"
            note = f"Pairs of the {len(best)} best runs by AP, sorted; the lower the curve, the more are told apart."
            figures.append(curves(title, lines, "pairs of runs", "ASL", note=note, markers=False, level=ALPHA))
        note = (
            f"Share of the pairs with an achieved significance level below {ALPHA}, and the difference that it takes."
        )
        return [*figures, Table("Discriminative power", columns, note, file="power")]

    def share_parts(self) -> list[Table | Figure]:
        """Grades by rank."""
        shares = grade_shares(SelectedRuns(self.pool, self.run_indices), self.cutoffs[-1])
        ranks = list(range(1, shares.cutoff + 1))
        lines = {f"label {grade}": (ranks, [100 * v for v in row]) for grade, row in shares.shares.items() if grade}
        note = "Averaged over runs and topics; the rest has label 0 or is not judged [K09 figure 5]."
        return [
            curves("Labels by rank", lines, "rank", "% of documents", note=note, markers=False),
            Table("Share of labels by rank", shares.columns(), file="grade_shares", wide=("rank", "grade", "share")),
        ]

    def _best_run_rows(self) -> list[int]:
        means = self.pool.score("AP").means()[list(self.run_indices), 0]
        return np.sort(np.argsort(-means, kind="stable")[:BEST_RUNS]).tolist()

    # ---- Words ---------------------------------------------------------------------------------------------------

    def in_words(self) -> list[str]:
        """The plain summary."""
        sentences = [self._discount_words(cutoff) for cutoff in self.cutoffs]
        if not self.graded:
            return [*sentences, "The labels are binary, so there are no gains to choose: that part is left out."]
        return [*sentences, *(self._gain_words(cutoff) for cutoff in self.cutoffs)]

    def _discount_words(self, cutoff: int) -> str:
        best = self.best[cutoff, "discount"]
        depth = {name: float(np.arange(1, cutoff + 1) @ values) for name, values in self.discounts(cutoff).items()}
        steep = "less steep" if depth["optimal"] > depth["log2"] else "steeper"
        text = (
            f"Cut-off {cutoff}: the most stable discount is {steep} than log2; topics needed for a Phi of 0.95: "
            f"{_topics(best.phi)}, with log2 {_topics(best.others['log2'])}."
        )
        return text + _held_words(best, "log2")

    def _gain_words(self, cutoff: int) -> str:
        best = self.best[cutoff, "constrained"]
        values = self.gains(cutoff)["constrained"]
        ratios = ", ".join(_times(high, low) for high, low in zip(values[1:], values, strict=False))
        text = (
            f"Cut-off {cutoff}: with the most stable gains a grade is worth {ratios} the next lower one; topics needed "
            f"for a Phi of 0.95: {_topics(best.phi)}, with linear gains {_topics(best.others['linear'])}."
        )
        return text + _held_words(best, "linear")


def _held_words(best: Best, usual: str) -> str:
    """Whether an optimum holds up on other topics."""
    here, other = best.on_held_out("topics", "optimal"), best.on_held_out("topics", usual)
    if here is None or other is None:
        return " There are too few topics to see whether it holds up on others."
    verdict = "holds up" if other.difference > 0 and other.ahead > 0.5 else "does not hold up"
    return (
        f" On topics that it was not fitted to it {verdict}: Phi of one topic {here.phi:.3f} against {other.phi:.3f} "
        f"with {usual}, ahead in {100 * other.ahead:.0f} % of {other.fits:.0f} fits."
    )


def _ahead(row: HeldOutRow, value: float) -> float:
    """Cells for the lead of the optimum over a variant. They are empty for the optimum itself."""
    return math.nan if row.variant == "optimal" else value


def _topics(phi: float) -> str:
    needed = topics_for(phi)
    return str(math.ceil(needed)) if math.isfinite(needed) else "more than any number"


def _ratio(high: float, low: float) -> float:
    return high / low if low > 0 else math.nan


def _times(high: float, low: float) -> str:
    return f"{high / low:.2f} times" if low > 1e-6 else "far more than"
