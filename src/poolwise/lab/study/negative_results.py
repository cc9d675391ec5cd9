"""Three ways to count negative labels beside each other: tables, figures and words of the study of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from poolwise.lab.study.choices import numbers_of_topics, percent
from poolwise.lab.study.label_bounds import LabelBounds
from poolwise.show.column_words import Words
from poolwise.show.figures import curves, run_points, thinned
from poolwise.show.parts import Table
from poolwise.trust.correlation import mean_ranks, spearman_rho

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays
    from poolwise.lab.study.negative_study import Negative
    from poolwise.show.parts import Figure

# The paper's names, and how nDCG is asked for that.
VARIANTS = {"NDCG_org": "keep", "NDCG_0": "zero", "NDCG_min": "minmax"}
ALPHA = 0.05
NUMBERS = ("system", "topic", "interaction", "phi", "phi_low", "phi_high", "rho2", "topics_for_phi95")


@dataclass(frozen=True)
class NegativeResults:
    """Results by cut-off, and what is shown of them."""

    asked: Negative
    pool: Campaign
    results: dict[int, Arrays]

    @property
    def runs(self) -> list[str]:
        """Names of the runs that are looked at."""
        return [self.pool.runs[run] for run in self.asked.kept]

    @property
    def bounds(self) -> LabelBounds:
        """What follows from the labels alone."""
        return LabelBounds(*self.pool.judgments.label_counts(), self.asked.cutoffs)

    def bounds_table(self) -> Table:
        """[G20] table 2a, in every reading, and how low these runs fall."""
        below = [result["below"] for result in self.results.values()]
        more: dict[str, list[Any]] = {
            "scores_below_0": [float(values[0]) for values in below],
            "lowest_score": [float(values[1]) for values in below],
            "lowest_mean": [float(result["means"][0].min()) for result in self.results.values()],
        }
        words = " Then the share of scores of these runs below 0, the lowest of them, and the lowest mean of a run."
        return self.bounds.bounds_table(more, words)

    def rhos(self, cutoff: int) -> dict[tuple[str, str], float]:
        """Spearman's rho of all pairs of variants."""
        means = dict(zip(VARIANTS, self.results[cutoff]["means"], strict=True))
        return {(a, b): float(spearman_rho(means[a], means[b])) for a, b in itertools.combinations(VARIANTS, 2)}

    def spearman_table(self) -> Table:
        """[G20] table 2b."""
        rows = [(cutoff, a, b, rho) for cutoff in self.asked.cutoffs for (a, b), rho in self.rhos(cutoff).items()]
        over_rows = [float(value) for cutoff in self.asked.cutoffs for value in self.results[cutoff]["row_rho"]]
        columns: dict[str, list[Any]] = {
            "cutoff": [cutoff for cutoff, _, _, _ in rows],
            "measure_a": [a for _, a, _, _ in rows],
            "measure_b": [b for _, _, b, _ in rows],
            "rho": [rho for _, _, _, rho in rows],
            "rho_rows": over_rows,
            "canonical_a": [str(self.asked.measure(a, cutoff)) for cutoff, a, _, _ in rows],
            "canonical_b": [str(self.asked.measure(b, cutoff)) for cutoff, _, b, _ in rows],
        }
        note = (
            "rho: of the means of runs, as the paper says; rho_rows: of all scores of runs on topics, as its code does."
        )
        return Table("Spearman's rho of the rankings of runs", columns, note, file="spearman")

    def rank_parts(self) -> list[Table | Figure]:
        """[G20] figure 2c: each run's rank by one variant against that by another."""
        figures: list[Table | Figure] = []
        columns: dict[str, list[Any]] = {"run": self.runs}
        for cutoff in self.asked.cutoffs:
            means = self.results[cutoff]["means"]
            ranks = dict(zip(VARIANTS, mean_ranks(means), strict=True))
            groups = {name: (ranks["NDCG_0"], ranks[name]) for name in ("NDCG_org", "NDCG_min")}
            note = "Rank 1 is the best run; off the dotted line the two disagree."
            title = f"Ranks of runs, k = {cutoff}"
            figures.append(run_points(title, groups, self.runs, "rank by NDCG_0", "rank by the other", note=note))
            for name, values in zip(VARIANTS, means, strict=True):
                columns[f"{name}@{cutoff}"] = values.tolist()
                columns[f"rank by {name}@{cutoff}"] = ranks[name].tolist()
        heads = {name: Words("rank", f"R{name[1:]}") for name in columns if name.startswith("rank by ")}
        table = Table("Runs", columns, "Mean scores, each with its rank.", file="runs", heads=heads)
        return [*figures[-1:], *figures[:-1], table]

    def phi_table(self) -> Table:
        """[G20] table 2d."""
        columns = self._rows()
        for place, name in enumerate(NUMBERS):
            columns[name] = [float(row[place]) for result in self.results.values() for row in result["reliability"]]
        return Table("Reliability", columns, "low and high: 95 % interval of Phi.", file="phi")

    def phi_figure(self) -> Figure:
        """Phi against cut-off."""
        place, low, high = (NUMBERS.index(name) for name in ("phi", "phi_low", "phi_high"))
        phi = np.stack([result["reliability"] for result in self.results.values()])
        lines = {name: (self.asked.cutoffs, phi[:, v, place]) for v, name in enumerate(VARIANTS)}
        bands = {name: (phi[:, v, low], phi[:, v, high]) for v, name in enumerate(VARIANTS)}
        note = f"At this campaign's {len(self.pool.topics)} topics. Bands: 95 % intervals."
        return curves("Phi against cut-off", lines, "k", "Phi", bands=bands, note=note)

    def error_parts(self) -> list[Table | Figure]:
        """[G20] figure 2e, and the same with no tolerance."""
        sizes = numbers_of_topics(len(self.pool.topics))
        columns: dict[str, list[Any]] = {"cutoff": [], "measure": [], "topics": []}
        figures: list[Table | Figure] = []
        for cutoff, result in self.results.items():
            for v, name in enumerate(VARIANTS):
                columns["cutoff"] += [cutoff] * len(sizes)
                columns["measure"] += [name] * len(sizes)
                columns["topics"] += sizes
                for place, column in enumerate(("error_rate", "error_rate_at_0")):
                    columns.setdefault(column, []).extend(result["rates"][v, place].tolist())
        shares = (self.asked.tolerance, 0.0)
        for place, tolerance in enumerate(shares):
            for cutoff in dict.fromkeys((self.asked.cutoffs[0], self.asked.cutoffs[-1])):
                rates = self.results[cutoff]["rates"]
                lines = {name: (sizes, 100 * rates[v, place]) for v, name in enumerate(VARIANTS)}
                title = f"Error rate, k = {cutoff}, tolerance {percent(tolerance)}"
                figures.append(curves(title, lines, "topics", "error rate, %", markers=False))
        return [*figures, Table("Error rates against topics", columns, file="error_rate")]

    def asl_parts(self) -> list[Table | Figure]:
        """[G20] figure 2f, and discriminative power."""
        figures: list[Table | Figure] = []
        columns = self._rows()
        columns["power"], columns["difference_required"] = [], []
        for cutoff, result in self.results.items():
            lines = {name: thinned(result["asl"][v]) for v, name in enumerate(VARIANTS)}
            title = f"Achieved significance levels, k = {cutoff}"
            note = "All pairs of runs, sorted; the lower the curve, the more are told apart."
            figures.append(curves(title, lines, "pairs of runs", "ASL", note=note, markers=False, level=ALPHA))
            for power, required in result["power"].tolist():
                columns["power"].append(power)
                columns["difference_required"].append(required)
        note = f"Share of pairs with an achieved significance level below {ALPHA}, and the difference that it takes."
        return [*figures, Table("Discriminative power", columns, note, file="power")]

    def _rows(self) -> dict[str, list[Any]]:
        return {
            "cutoff": [cutoff for cutoff in self.asked.cutoffs for _ in VARIANTS],
            "measure": [name for _ in self.asked.cutoffs for name in VARIANTS],
        }

    # ---- Words -----------------------------------------------------------------------------------------------------

    def in_words(self) -> list[str]:
        """The plain summary."""
        deepest = self.asked.cutoffs[-1]
        below = 100 * float(self.results[deepest]["below"][0])
        said = [f"{self.bounds.in_words()}; of the scores of these {len(self.runs)} runs {below:.1f} % are below 0."]
        zero, minmax, between = self.rhos(deepest).values()
        said.append(
            f"NDCG_0 ranks the runs like NDCG_org with a Spearman's rho of {zero:.2f}, NDCG_min with {minmax:.2f}; "
            f"NDCG_0 and NDCG_min agree with {between:.2f}."
        )
        return [*said, self._phi_words(deepest), self._error_words(deepest), self._power_words(deepest)]

    def _phi_words(self, cutoff: int) -> str:
        rows = dict(zip(VARIANTS, self.results[cutoff]["reliability"], strict=True))
        phi, low, high = (NUMBERS.index(name) for name in ("phi", "phi_low", "phi_high"))
        listed = ", ".join(
            f"{name} {row[phi]:.3f} ({row[low]:.3f} to {row[high]:.3f})"
            for name, row in sorted(rows.items(), key=lambda pair: -pair[1][phi])
        )
        return f"Phi at k = {cutoff}: {listed}."

    def _error_words(self, cutoff: int) -> str:
        sizes = numbers_of_topics(len(self.pool.topics))
        half = max(len(sizes) // 2 - 1, 0)
        rates = 100 * self.results[cutoff]["rates"][:, :, half]
        parts = [
            ", ".join(f"{name} {rate:.1f} %" for name, rate in zip(VARIANTS, rates[:, i], strict=True)) for i in (0, 1)
        ]
        return (
            f"Error rate on {sizes[half]} topics at k = {cutoff}: {parts[0]}. At tolerance 0, where high means are no "
            f"advantage: {parts[1]}."
        )

    def _power_words(self, cutoff: int) -> str:
        powers = self.results[cutoff]["power"][:, 0]
        listed = ", ".join(f"{name} {100 * power:.0f} %" for name, power in zip(VARIANTS, powers, strict=True))
        return f"Pairs of runs told apart at k = {cutoff}: {listed}."
