"""What judgments alone say of negative labels: their ratios, and how low nDCG can fall ([G20] tables 1 and 2a).

No run is needed, so these parts of the study are to be had for qrels alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.errors import InputError
from poolwise.lab.study.study_result import Study
from poolwise.lab.weights.labels import discounts_of, sorted_gains
from poolwise.reading.label_rows import label_rows
from poolwise.show.figures import curves
from poolwise.show.parts import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
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
    """A discount of [G20] as nDCG takes it.

    >>> weights_of("jk", 3), [round(weight, 3) for weight in weights_of("ln", 3)]
    ('jk', [1.0, 1.443, 0.91])
    """
    if discount != "ln":
        return discount
    return [1.0, *(1 / np.log(np.arange(2, cutoff + 1))).tolist()]


def worst_scores(
    labels: NDArray[Any], counts: NDArray[Any], cutoff: int, discount: str | list[float]
) -> tuple[Floats, Floats]:
    """DCG and NDCG_org of the worst ranking of each topic, from how many documents of each label it has.

    A topic with no positive label has no NDCG_org; its score is 0 by convention, and so is its bound.

    >>> worst, score = worst_scores(np.array([-2, 1]), np.array([[1, 3]]), 2, "log2")
    >>> worst.tolist(), score.round(4).tolist()
    ([-2.0], [-1.2263])
    """
    weights, gains = discounts_of(discount, cutoff), labels.astype(np.float64)
    worst, best = (sign * sorted_gains(counts, sign * gains, cutoff) @ weights for sign in (-1.0, 1.0))
    return worst, np.divide(worst, best, out=np.zeros_like(worst), where=best > 0)


@dataclass(frozen=True)
class LabelBounds:
    """How many documents of each label every topic has (topics x labels), and what follows from that."""

    labels: NDArray[Any]
    counts: NDArray[Any]
    cutoffs: tuple[int, ...]

    def label_table(self) -> Table:
        """[G20] table 1."""
        ratios = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        having = self.counts > 0
        columns: dict[str, list[Any]] = {
            "label": self.labels.tolist(),
            "mean_ratio": [float(ratios[having[:, place], place].mean()) for place in range(len(self.labels))],
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
        """What the bounds say at the deepest cut-off."""
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


def _label_counts(given: Any) -> tuple[Any, Any]:
    """Labels, and how many documents of each every topic has, of judgments that no run was read with."""
    rows = label_rows(given)
    topics, places = np.unique(rows.topic, return_inverse=True)
    judged = np.array([label is not None for label in rows.label])
    labels, kinds = np.unique([label for label in rows.label if label is not None], return_inverse=True)
    check_labels(labels.tolist())
    counts = np.zeros((len(topics), len(labels)), dtype=np.int64)
    np.add.at(counts, (places[judged], kinds), 1)
    return labels, counts


def labels_alone(given: Any, cutoffs: tuple[int, ...]) -> Study:
    """The parts of the study that need no runs, of a qrels file or mapping."""
    bounds = LabelBounds(*_label_counts(given), cutoffs)
    methods = (
        "A label's ratio is averaged over the topics that have the label [G20 table 1]. NDCG_org of the worst ranking, "
        "most negative gains first, follows from the numbers of labels [G20 table 2a]. No runs were given: what is "
        "said of runs is left out.",
    )
    parts = (bounds.label_table(), bounds.bounds_table(), bounds.figure())
    settings = {"cutoffs": list(bounds.cutoffs)}
    return Study("negative", TITLE, (bounds.in_words() + ".",), parts, methods, (), settings)
