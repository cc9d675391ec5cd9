"""Do significance tests decide the same when judgments are missing? [B07 sections 4.2 and 5.2]"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import TIE
from poolwise.comparisons.decisions import PAIRS, Confusion, random_pairs
from poolwise.comparisons.simple_tests import signed_rank_p
from poolwise.lab.study.choices import (
    FRACTIONS,
    MEASURES,
    Reduction,
    asked,
    knee_columns,
    measure_rows,
    names,
    nearest,
    percent,
    properties,
)
from poolwise.lab.study.conduct import conduct
from poolwise.lab.study.result import Study
from poolwise.pool.coverage import narrowed
from poolwise.scores.scoring import score_values
from poolwise.show.column_words import Words, words_of
from poolwise.show.figures import curves, log_percent
from poolwise.show.parts import Table
from poolwise.trust.ranking_agreement import knee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, Unpack

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.show.parts import Figure


POOLS = ("pair", "all")
GOOD = 0.9  # share of decisions as with all labels, from which labels are enough; chosen by hand, as tau 0.9 in [B07]
KNEES = {
    "accuracy": Words("for same decisions", "Share of the labels from which same decisions stay above", percent=True),
    "accuracy_exceeds": Words("first above", "Share of the labels at which they are above at all", percent=True),
    "g_mean": Words("for G mean", "Share of the labels from which the G mean stays above", percent=True),
    "g_mean_exceeds": Words("first above", "Share of the labels at which it is above at all", percent=True),
}
RATES = {
    "accuracy": "Share of pairs with the same decision as at complete judgments.",
    "g_mean": "Geometric mean of two shares: of the pairs that all labels do not tell apart, how many the sample does "
    "not either; and the reverse.",
    "false_positive": "Of the differences by all labels, the share that the sample loses ([B07]: false positive).",
    "false_negative": "Of the pairs that all labels do not tell apart, the share that the sample tells apart ([B07]: "
    "false negative).",
}


def decisions(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    fractions: Sequence[float] = FRACTIONS,
    trials: int = 10,
    seed: int | np.random.Generator = 0,
    pairs: int = PAIRS,
    judged: Literal["pair", "all"] = "pair",
    alpha: float = 0.05,
    rounding: Literal["up", "down"] = "up",
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[Execution],
) -> Study:
    """Test random pairs of runs with part of the labels, and compare with the decisions by all of them.

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
    pairs : int
        Random pairs of runs to test, drawn anew in every trial; all of them if there are no more.
    judged : {"pair", "all"}
        "pair" gives each pair the labels of what its two runs retrieved, as [B07] does, and reduces those; "all"
        reduces all labels.
    alpha : float
        The level of significance.
    rounding : {"up", "down"}
        How numbers of documents are rounded: as [B07] or as [S07].
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Table `decisions` and more; figures; a summary.

    References
    ----------
    [B07] section 5.2.

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=8, depth=50, seed=1).pool()
    >>> study = pw.study.decisions(pool, fractions=[0.2, 1], trials=1)
    >>> study.tables["decisions"].columns["accuracy"][1]
    1.0
    """
    checks.choice("judged", judged, POOLS)
    experiment = DecisionsStudy(
        most_pairs=checks.whole("pairs", pairs, 1),
        judged=judged,
        alpha=checks.alpha(alpha),
        **asked(pool, measures, fractions, trials, seed, rounding, retrieved, top),
    )
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class DecisionsStudy(Reduction):
    """Settings and work of the study."""

    most_pairs: int
    judged: str
    alpha: float
    name = "decisions"

    @property
    def number_of_pairs(self) -> int:
        """Number of pairs of a trial."""
        return min(self.most_pairs, len(self.run_indices) * (len(self.run_indices) - 1) // 2)

    def pairs(self, unit: str) -> list[tuple[int, int]]:
        """Random pairs of runs for a trial. The spread over trials so includes the choice of pairs."""
        generator = np.random.default_rng([self.seed, int(unit)])
        sides = random_pairs(len(self.run_indices), self.most_pairs, generator)
        return [
            (self.run_indices[a], self.run_indices[b]) for a, b in zip(*(side.tolist() for side in sides), strict=True)
        ]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Confusions: fractions x measures x four cells."""
        differences = (self._of_pairs if self.judged == "pair" else self._of_all)(pool, unit, threads)
        topics = differences.shape[-1]
        p = signed_rank_p(differences.reshape(-1, topics)).reshape(differences.shape[:-1])
        # Signed-rank p values of few topics are multiples of 2^-n, which alpha may be, too.
        rejected = p < self.alpha - TIE
        complete = rejected[-1]
        cells = [
            np.count_nonzero((complete == before) & (rejected[:-1] == after), axis=-1)
            for before in (False, True)
            for after in (False, True)
        ]
        return {"confusion": np.stack(cells, axis=-1).astype(np.int64)}

    def _of_pairs(self, pool: Campaign, unit: str, threads: int) -> Floats:
        """Differences of each pair by labels drawn for it (fractions and complete x measures x pairs x topics)."""
        rows = []
        # As in [B07], a pair is judged alone: its pool is what its two runs retrieved.
        for pair in self.pairs(unit):
            values = self._values(narrowed(pool, pool.judgments, pair), unit, threads)
            rows.append(values[:, :, 0] - values[:, :, 1])
        return np.stack(rows, axis=2)

    def _of_all(self, pool: Campaign, unit: str, threads: int) -> Floats:
        values = self._values(pool.judgments, unit, threads)
        first, second = (list(side) for side in zip(*self.pairs(unit), strict=True))
        return values[:, :, first] - values[:, :, second]

    def _values(self, judgments: Judgments, unit: str, threads: int) -> Floats:
        """Scores with each fraction of judgments, and with all (samples x measures x runs x topics)."""
        # The fraction 1 is the truth of the confusion; it is last.
        samples = self.samples(judgments, unit, threads, fractions=[*self.fractions, 1.0])
        return np.asarray(score_values(judgments.pool, list(self.measures), samples, threads))

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """The study from the sums over trials."""
        counts = np.stack([result["confusion"] for result in results])
        outcome = _DecisionsOutcome(self, counts)
        of = "the labels of what its two runs retrieved" if self.judged == "pair" else "all labels"
        return Study(
            self.name,
            "Do significance tests decide the same with fewer labels?",
            tuple(outcome.in_words()),
            (
                *outcome.figures(),
                outcome.table(),
                outcome.knees(),
                outcome.confusions(),
                properties(pool, self.run_indices),
            ),
            (
                f"{self.number_of_pairs} random pairs of runs, new ones in every trial, each judged by {of}; "
                "Wilcoxon's "
                f"signed-rank test, two-sided, not corrected, alpha {self.alpha}. Labels are reduced as in the "
                "robustness study [B07]; decisions at "
                "a fraction are held against those at all labels of the same pool.",
                f"{self.trials} trials, seed {self.seed}; confusions of all trials are added up. The paper calls it a "
                "false positive when the sample loses a difference, a false negative when it finds one; rates with "
                "nothing to divide by are 0.",
            ),
            pool.warnings,
            {**self.settings(), "trials": self.trials},
        )


@dataclass(frozen=True)
class _DecisionsOutcome:
    """Confusions (trials x fractions x measures x cells) with their tables and figures."""

    asked: DecisionsStudy
    counts: NDArray[np.int64]

    def confusion(self, fraction: int, measure: int) -> Confusion:
        """Confusions summed over trials."""
        return Confusion(*self.counts[:, fraction, measure].sum(axis=0).tolist())

    def rates(self, name: str) -> Floats:
        """A rate, measures x fractions."""
        shape = range(len(self.asked.measures)), range(len(self.asked.fractions))
        return np.array([[getattr(self.confusion(f, m), name) for f in shape[1]] for m in shape[0]])

    def table(self) -> Table:
        """Rates by measure and fraction."""
        columns = measure_rows(names(self.asked.measures), "fraction", self.asked.fractions)
        columns |= {name: self.rates(name).ravel().tolist() for name in RATES}
        per_trial = (self.counts[..., 0] + self.counts[..., 3]) / self.asked.number_of_pairs
        spread = per_trial.std(axis=0, ddof=1) if len(per_trial) > 1 else np.zeros(per_trial.shape[1:])
        columns["accuracy_sd"] = spread.T.ravel().tolist()
        note = "Each trial has pairs and labels of its own; the file has all rates, and how far trials differ."
        return Table("Decisions", columns, note, file="decisions", wide=("measure", "fraction", "accuracy"))

    def figures(self) -> list[Figure]:
        """Each rate against the fraction."""
        percents = [100 * fraction for fraction in self.asked.fractions]
        figures = []
        for name, note in RATES.items():
            words = words_of(name).heading
            lines = {
                str(measure): (percents, row)
                for measure, row in zip(self.asked.measures, self.rates(name), strict=True)
            }
            level = GOOD if name in ("accuracy", "g_mean") else None
            title = f"{words[0].upper()}{words[1:]}"
            figures.append(curves(title, lines, "% of labels", words, note=note, level=level, xaxis=log_percent()))
        return figures

    def knees(self) -> Table:
        """Fractions from which decisions are right."""
        columns: dict[str, list[Any]] = {"measure": names(self.asked.measures)}
        for name in ("accuracy", "g_mean"):
            columns |= knee_columns(name, f"{name}_exceeds", self.asked.fractions, self.rates(name), GOOD)
        note = (
            f"The lowest share of the labels from which a rate stays above {GOOD}, and the one at which it first "
            "exceeds it [B07]; empty if there is none."
        )
        return Table("Labels needed", columns, note, 2, "knees", heads=KNEES)

    def confusions(self) -> Table:
        """Cells of the confusions."""
        columns = measure_rows(names(self.asked.measures), "fraction", self.asked.fractions)
        cells = self.counts.sum(axis=0).swapaxes(0, 1).reshape(-1, 4)
        for index, name in enumerate(("kept_kept", "kept_rejected", "rejected_kept", "rejected_rejected")):
            columns[name] = cells[:, index].tolist()
        note = "Pairs of runs, all trials together: whether all labels find a difference, and whether the sample does."
        return Table("Confusion matrices", columns, note, file="confusion")

    def in_words(self) -> list[str]:
        """The plain summary."""
        index = nearest(self.asked.fractions, 0.1)
        share = percent(self.asked.fractions[index])
        accuracy = dict(zip(names(self.asked.measures), self.rates("accuracy"), strict=True))
        order = sorted(accuracy, key=lambda name: -accuracy[name][index])
        best, worst = order[0], order[-1]
        sentences = [
            f"With {share} of the labels, {best} makes the same decision as all labels in "
            f"{100 * accuracy[best][index]:.0f} % of the pairs"
            + (f", {worst} in {100 * accuracy[worst][index]:.0f} %." if order[1:] else ".")
        ]
        lost = dict(zip(names(self.asked.measures), self.rates("false_positive"), strict=True))
        sentences.append(
            f"Of the differences that all labels show, {best} loses {100 * lost[best][index]:.0f} % then"
            + (f", {worst} {100 * lost[worst][index]:.0f} %." if order[1:] else ".")
        )
        reached = [(knee(self.asked.fractions, row, GOOD), name) for name, row in accuracy.items()]
        shares = [f"{name} {percent(value)}" for value, name in sorted(each for each in reached if each[0] == each[0])]
        if shares:
            sentences.append(f"Labels needed for {100 * GOOD:.0f} % equal decisions: {', '.join(shares)}.")
        return sentences
