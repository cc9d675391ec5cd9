"""Tables, figures and summary of the study of negative labels: three variants of nDCG side by side.

The parts that follow from labels alone need no runs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from poolwise.errors import InputError
from poolwise.lab.study.choices import numbers_of_topics, percent
from poolwise.lab.study.result import Study
from poolwise.lab.weights.labels import discounts_of, sorted_gains
from poolwise.reading.records import label_rows
from poolwise.show.column_words import Words
from poolwise.show.figures import curves, run_points, thinned
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import mean_ranks, spearman_rho

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays
    from poolwise.lab.study.negative_study import Negative
    from poolwise.show.parts import Figure

TITLE = "What do negative labels do to nDCG?"
# The discounts of [G20]: what the paper says; its code after a repair; release 1.0.0, to which the paper points, where
# rank 2 weighs more than rank 1.
DISCOUNTS = {
    "log2": "1 / log2(rank + 1), as the paper says",
    "jk": "1, 1, 1 / log2(3), ..., as its repaired code has it",
    "ln": "1, 1 / ln 2, 1 / ln 3, ..., as release 1.0.0 of its code has it",
}


def weights_of(discount: str, cutoff: int) -> str | list[float]:
    """A discount of [G20] as a parameter of nDCG.

    >>> weights_of("jk", 3), [round(weight, 3) for weight in weights_of("ln", 3)]
    ('jk', [1.0, 1.443, 0.91])
    """
    if discount != "ln":
        return discount
    return [1.0, *(1 / np.log(np.arange(2, cutoff + 1))).tolist()]


def worst_scores(
    labels: NDArray[Any], counts: NDArray[Any], cutoff: int, discount: str | list[float]
) -> tuple[Floats, Floats]:
    """DCG and NDCG_org of the worst ranking of each topic, from its numbers of documents by label.

    A topic with no positive label has no NDCG_org. Its score is 0 by convention, and so is its bound.

    >>> worst, score = worst_scores(np.array([-2, 1]), np.array([[1, 3]]), 2, "log2")
    >>> worst.tolist(), score.round(4).tolist()
    ([-2.0], [-1.2263])
    """
    weights, gains = discounts_of(discount, cutoff), labels.astype(np.float64)
    worst, best = (sign * sorted_gains(counts, sign * gains, cutoff) @ weights for sign in (-1.0, 1.0))
    return worst, np.divide(worst, best, out=np.zeros_like(worst), where=best > 0)


@dataclass(frozen=True)
class LabelBounds:
    """Numbers of documents (topics x labels) with the bounds of scores that follow from them."""

    labels: NDArray[Any]
    counts: NDArray[Any]
    cutoffs: tuple[int, ...]

    def label_table(self) -> Table:
        """[G20] table 1."""
        ratios = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        having = self.counts > 0
        columns: dict[str, list[Any]] = {
            "label": self.labels.tolist(),
            "mean_ratio": [float(ratios[having[:, index], index].mean()) for index in range(len(self.labels))],
            "mean_ratio_all_topics": ratios.mean(axis=0).tolist(),
            "topics": having.sum(axis=0).tolist(),
        }
        note = "Share of a topic's judged documents, averaged over the topics that have the label, and over all."
        return Table("Labels", columns, note, file="labels")

    def bounds(self) -> dict[str, list[Any]]:
        """[G20] table 2a by cut-off, in every reading."""
        columns: dict[str, list[Any]] = {"cutoff": list(self.cutoffs)}
        for discount in DISCOUNTS:
            ending = "" if discount == "log2" else f"_{discount}"
            for cutoff in self.cutoffs:
                worst, score = worst_scores(self.labels, self.counts, cutoff, weights_of(discount, cutoff))
                shares = {"below_0": score < 0, "at_most_minus_1": score <= -1, "dcg_at_most_minus_1": worst <= -1}
                for name, share in shares.items():
                    columns.setdefault(name + ending, []).append(float(np.mean(share)))
        twice = [worst_scores(self.labels, 2 * self.counts, cutoff, "log2")[1] <= -1 for cutoff in self.cutoffs]
        columns["at_most_minus_1_twice"] = [float(np.mean(each)) for each in twice]
        return columns

    def bounds_table(self, more: dict[str, list[Any]] | None = None, words: str = "") -> Table:
        """The table, with columns about runs if there are any."""
        note = (
            "Share of topics whose worst NDCG_org is below 0 and at most -1, and whose worst DCG is at most -1; jk and "
            "ln: with the discounts of the paper's code, repaired and in release 1.0.0; twice: every document counted "
            f"twice, which like k = 10 gives the paper's second column.{words}"
        )
        return Table("How low NDCG_org can fall", self.bounds() | (more or {}), note, file="bounds")

    def figure(self) -> Figure:
        """The worst score of every topic, sorted."""
        lines = {}
        for cutoff in self.cutoffs:
            _, score = worst_scores(self.labels, self.counts, cutoff, "log2")
            lines[f"k = {cutoff}"] = (list(range(1, len(score) + 1)), np.sort(score))
        note = "NDCG_org of the worst ranking, topics sorted. Dotted: -1, as far below 0 as the best is above."
        return curves("Worst attainable score", lines, "topics", "NDCG_org", note=note, markers=False, level=-1.0)

    def in_words(self) -> str:
        """The bounds at the deepest cut-off in words."""
        bounds = self.bounds()
        return (
            f"At k = {self.cutoffs[-1]} the worst ranking has an NDCG_org below 0 on "
            f"{100 * bounds['below_0'][-1]:.0f} % of the topics, and of at most -1 on "
            f"{100 * bounds['at_most_minus_1'][-1]:.0f} %"
        )


def check_labels(labels: Sequence[int]) -> None:
    """Refuse judgments that have no negative label."""
    if not any(label < 0 for label in labels):
        raise InputError(
            f"the judgments have no negative label (found {', '.join(map(str, labels))}), so this study has nothing to "
            "show; if -1 is a label there and does not mean 'not judged', read with unjudged=None (--unjudged none)"
        )


def _label_counts(judgments: Any) -> tuple[Any, Any]:
    """Labels, and numbers of documents by topic and label, of judgments without runs."""
    rows = label_rows(judgments)
    topics, topic_of = np.unique(rows.topic, return_inverse=True)
    judged = np.array([label is not None for label in rows.label])
    labels, kinds = np.unique([label for label in rows.label if label is not None], return_inverse=True)
    check_labels(labels.tolist())
    counts = np.zeros((len(topics), len(labels)), dtype=np.int64)
    np.add.at(counts, (topic_of[judged], kinds), 1)
    return labels, counts


def labels_alone(judgments: Any, cutoffs: tuple[int, ...]) -> Study:
    """The parts of the study that need no runs, for a qrels file or mapping."""
    bounds = LabelBounds(*_label_counts(judgments), cutoffs)
    methods = (
        "A label's ratio is averaged over the topics that have the label [G20 table 1]. NDCG_org of the worst ranking, "
        "most negative gains first, follows from the numbers of labels [G20 table 2a]. No runs were given: what is "
        "said of runs is left out.",
    )
    parts = (bounds.label_table(), bounds.bounds_table(), bounds.figure())
    settings = {"cutoffs": list(bounds.cutoffs)}
    return Study("negative", TITLE, (bounds.in_words() + ".",), parts, methods, (), settings)


# The paper's names, and how nDCG is asked for that.
VARIANTS = {"NDCG_org": "keep", "NDCG_0": "zero", "NDCG_min": "minmax"}
ALPHA = 0.05  # level at which discriminative power is counted
NUMBERS = ("system", "topic", "interaction", "phi", "phi_low", "phi_high", "rho2", "topics_for_phi95")


@dataclass(frozen=True)
class NegativeResults:
    """Results by cut-off with their tables and figures."""

    asked: Negative
    pool: Campaign
    results: dict[int, Arrays]

    @property
    def runs(self) -> list[str]:
        """Names of the runs in the study."""
        return [self.pool.runs[run] for run in self.asked.run_indices]

    @property
    def bounds(self) -> LabelBounds:
        """The bounds that follow from the labels."""
        return LabelBounds(*self.pool.judgments.label_counts(), self.asked.cutoffs)

    def bounds_table(self) -> Table:
        """[G20] table 2a in every reading, with the lowest scores of these runs."""
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
        for index, name in enumerate(NUMBERS):
            columns[name] = [float(row[index]) for result in self.results.values() for row in result["reliability"]]
        return Table("Reliability", columns, "low and high: 95 % interval of Phi.", file="phi")

    def phi_figure(self) -> Figure:
        """Phi against cut-off."""
        middle, low, high = (NUMBERS.index(name) for name in ("phi", "phi_low", "phi_high"))
        phi = np.stack([result["reliability"] for result in self.results.values()])
        lines = {name: (self.asked.cutoffs, phi[:, v, middle]) for v, name in enumerate(VARIANTS)}
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
                for index, column in enumerate(("error_rate", "error_rate_at_0")):
                    columns.setdefault(column, []).extend(result["rates"][v, index].tolist())
        shares = (self.asked.tolerance, 0.0)
        for index, tolerance in enumerate(shares):
            for cutoff in dict.fromkeys((self.asked.cutoffs[0], self.asked.cutoffs[-1])):
                rates = self.results[cutoff]["rates"]
                lines = {name: (sizes, 100 * rates[v, index]) for v, name in enumerate(VARIANTS)}
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
        sentences = [
            f"{self.bounds.in_words()}; of the scores of these {len(self.runs)} runs {below:.1f} % are below 0."
        ]
        zero, minmax, between = self.rhos(deepest).values()
        sentences.append(
            f"NDCG_0 ranks the runs like NDCG_org with a Spearman's rho of {zero:.2f}, NDCG_min with {minmax:.2f}; "
            f"NDCG_0 and NDCG_min agree with {between:.2f}."
        )
        return [*sentences, self._phi_words(deepest), self._error_words(deepest), self._power_words(deepest)]

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
