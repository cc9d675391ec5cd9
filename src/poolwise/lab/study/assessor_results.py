"""Tables, figures and summary of the study of assessors: scores by the labels of several assessors."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np

from poolwise.basics.words import counted
from poolwise.lab.study.label_sets import BASE, PERSISTENCE, AssessorScores, Decided
from poolwise.show.figures import curves, matrix, run_intervals, run_points
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import mean_ranks
from poolwise.trust.ranking_agreement import agreement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.show.parts import Figure

__all__ = ["AssessorResults"]

COEFFICIENTS = ("tau", "tau_ap", "rbo")
ENDS = (2.5, 97.5)  # percentiles: ends of 95 % of the mixtures


class AssessorResults(AssessorScores):
    """Tables, figures and summary of the scores."""

    def tables(self) -> list[Table]:
        """All tables, in the order of the page."""
        return [
            self.sets(),
            self.scores_table(),
            self.rankings,
            self.decisions_table,
            self.winners(),
            self.mixed_table(),
            self.pairs_table(),
            self.by_set(),
        ]

    def sets(self) -> Table:
        """One row per set."""
        labels, agreed = self.asked.labels, self.asked.labels.agreement
        judged = ~np.isnan(labels.labels[:, 0])
        rows: list[tuple[Any, ...]] = []
        for index, name in enumerate(self.asked.sets):
            relevant = int((labels.labels[:, index] >= 1).sum())
            number = labels.label_numbers[index] if index < self.single else None
            # The judgments agree with themselves, and combinations contain them: no kappa for these.
            if 0 < index < self.single:
                kappa, overlap = (
                    _of(agreed, each, BASE, name) for each in (("kappa", "graded"), ("overlap", "binary"))
                )
            else:
                kappa = overlap = (None, None, None)
            rows.append((name, number, relevant, *kappa, *overlap))
        heads = ("set", "labels", "relevant", "kappa", "kappa_low", "kappa_high", "overlap", "overlap_low")
        columns = _columns((*heads, "overlap_high"), rows)
        note = (
            f"The judgments hold {int(judged.sum())} labels; a set counts in their place where it has labels. "
            "relevant: documents of label 1 or more then. Cohen's kappa and overlap (relevant by both of those "
            "relevant by either) with the judgments, on documents that both labelled."
        )
        return Table("Label sets", columns, note, 3, "sets")

    def scores_table(self) -> Table:
        """One row per measure and run."""
        heads = (
            "measure", "run", "judgments", "mean", "lowest", "highest", "mixed_low", "mixed_high", "rank", "best_rank",
            "worst_rank", "mixed_best_rank", "mixed_worst_rank",
        )  # fmt: skip
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(self.names):
            single = self.means[: self.single, index]
            mixed = self.mixed[index]["means"]
            ranks, mixed_ranks = mean_ranks(single), mean_ranks(mixed)
            numbers = (
                single[0], single.mean(axis=0), single.min(axis=0), single.max(axis=0),
                *np.percentile(mixed, ENDS, axis=0),
                ranks[0], ranks.min(axis=0), ranks.max(axis=0), *np.percentile(mixed_ranks, ENDS, axis=0),
            )  # fmt: skip
            rows += [(measure, run, *row) for run, *row in zip(self.runs, *(n.tolist() for n in numbers), strict=True)]
        note = "Over single sets, the judgments among them; mixed: the ends that hold 95 of 100 mixtures."
        return Table("Scores and ranks of every run", _columns(heads, rows), note, 3, "scores")

    @cached_property
    def rankings(self) -> Table:
        """One row per measure and pair of sets."""
        ends = [f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")]
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(self.names):
            for a, b in combinations(range(len(self.asked.sets)), 2):
                first, second = self.asked.sets[a], self.asked.sets[b]
                taus = agreement(
                    self.scores[a, index], self.scores[b, index], persistence=PERSISTENCE,
                    resamples=self.asked.resamples, seed=self.asked.seed,
                )  # fmt: skip
                numbers = [value for name in COEFFICIENTS for value in (getattr(taus, name), *taus.intervals[name])]
                shift = float((self.means[b, index] - self.means[a, index]).mean())
                agreed = self.asked.labels.agreement
                kappa, overlap = (
                    _of(agreed, e, first, second)[0] for e in (("kappa", "graded"), ("overlap", "binary"))
                )
                rows.append((measure, first, second, *numbers, taus.swapped, shift, kappa, overlap))
        columns = _columns(("measure", "first", "second", *ends, "swaps", "shift", "kappa", "overlap"), rows)
        note = "shift: mean score of runs by the second set less that by the first. swaps: pairs of runs."
        return Table("Rankings by two label sets", columns, note, 3, "rankings")

    @cached_property
    def decisions_table(self) -> Table:
        """One row per measure and pair of sets."""
        heads = (
            "measure", "first", "second", "told_apart", "told_apart_second", "kept", "lost", "turned", "new",
            "swapped", "kept_share",
        )  # fmt: skip
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(self.names):
            for a, b in combinations(range(len(self.asked.sets)), 2):
                each = Decided(self.decided[a, index], self.decided[b, index], self.gap(self.means[b, index]))
                counts = [int((signs != 0).sum()) for signs in (each.first, each.second)]
                cells = (each.kept, each.lost, each.turned, each.new, each.swapped, each.share)
                rows.append((measure, self.asked.sets[a], self.asked.sets[b], *counts, *cells))
        note = (
            f"Pairs of runs, {len(self.pairs[0])} in all. told_apart: differ significantly by the first set; kept: by "
            "the second too and in the same direction; lost: not by the second; turned: by the second in the other "
            "direction; new: by the second alone; swapped: of told_apart, those whose means stand the other way round."
        )
        return Table("Decisions by two label sets", _columns(heads, rows), note, 3, "decisions")

    def winners(self) -> Table:
        """One row per measure and set."""
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(self.names):
            ranks = mean_ranks(self.means[:, index])
            base = int(self.means[0, index].argmax())
            for number, name in enumerate(self.asked.sets):
                best = int(self.means[number, index].argmax())
                decisions = self.decided[number, index][(self.pairs[0] == best) | (self.pairs[1] == best)]
                alike = len(self.runs) - 1 - int((decisions != 0).sum())
                rows.append((measure, name, self.runs[best], float(ranks[0, best]), float(ranks[number, base]), alike))
        columns = _columns(("measure", "set", "winner", "its_rank", "rank_of_winner", "not_told_apart"), rows)
        note = (
            "its_rank: of the set's winner by the judgments; rank_of_winner: of the judgments' winner by the set; "
            "not_told_apart: runs that do not differ significantly from the set's winner."
        )
        return Table("Winners", columns, note, 3, "winners")

    def mixed_table(self) -> Table:
        """One row per measure and number."""
        rows: list[tuple[Any, ...]] = []
        for measure, mixed in zip(self.names, self.mixed, strict=True):
            for name, values in mixed.items():
                if name != "means":
                    ends = (*np.percentile(values, ENDS), values.min(), values.max())
                    rows.append((measure, name, float(values.mean()), *map(float, ends)))
        columns = _columns(("measure", "what", "mean", "low", "high", "lowest", "highest"), rows)
        note = (
            f"{self.asked.mixtures} mixtures against the judgments. decisions_kept: the share of the judgments' "
            "significant differences that the mixture finds too. differences_turned, differences_swapped: how many of "
            "these it finds the other way round, and how many have their means so."
        )
        return Table("Mixed assessors", columns, note, 3, "mixed")

    def pairs_table(self) -> Table:
        """Pairs of runs that a set orders differently, the most frequent first."""
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(self.names):
            gap = self.gap(self.means[0, index])
            sets = (self.gap(self.means[1 : self.single, index]) * gap < 0).sum(axis=0)
            share = (self.gap(self.mixed[index]["means"]) * gap < 0).mean(axis=0)
            # By sets first: they are few real assessors, mixtures are random.
            order = np.lexsort((-share, -sets))
            for pair in order[(sets + share)[order] > 0].tolist():
                a, b = int(self.pairs[0][pair]), int(self.pairs[1][pair])
                above, below = (a, b) if gap[pair] > 0 else (b, a)
                # Significance by the judgments: swaps of pairs that do not differ are expected.
                differs = bool(self.decided[0, index, pair])
                row = (self.runs[above], self.runs[below], abs(float(gap[pair])), "yes" if differs else "no")
                rows.append((measure, *row, int(sets[pair]), float(share[pair])))
        columns = _columns(("measure", "run_a", "run_b", "difference", "significant", "sets", "mixed_share"), rows)
        note = (
            "By the judgments run A is ahead. of sets: how many other label sets have run B ahead; of mixtures: what "
            "share of the mixtures has."
        )
        return Table("Pairs that others order differently", columns, note, 4, "pairs")

    def by_set(self) -> Table:
        """One row per measure, run and set."""
        rows = [
            (measure, run, name, float(self.means[number, index, which]), float(ranks[number, which]))
            for index, measure in enumerate(self.names)
            for ranks in [mean_ranks(self.means[:, index])]
            for which, run in enumerate(self.runs)
            for number, name in enumerate(self.asked.sets)
        ]
        return Table("Scores by set", _columns(("measure", "run", "set", "score", "rank"), rows), "", 4, "by_set")

    # Figures and words

    def figures(self) -> list[Figure]:
        """Figures of scores with their ranges, agreement of rankings, and agreement on rankings against labels."""
        first, order = self.names[0], np.argsort(-self.means[0, 0], kind="stable")
        mixed = self.mixed[0]["means"]
        columns = (mixed.mean(axis=0), *np.percentile(mixed, ENDS, axis=0))
        values = (columns[0][order].tolist(), columns[1][order].tolist(), columns[2][order].tolist())
        size = len(self.asked.sets)
        table, tau = self.rankings.columns, np.full((size, size), np.nan)
        for row, (a, b) in enumerate(combinations(range(size), 2)):
            tau[a, b] = tau[b, a] = table["tau"][row]
        return [
            run_intervals("Scores with other assessors", [self.runs[run] for run in order], values, first,
                          self.means[0, 0][order], "Bars hold 95 of 100 mixtures of assessors.",
                          ("mixed assessors", "judgments")),
            self._distribution(),
            matrix(f"Kendall's tau between rankings, {first}", self.asked.sets, list(tau), "tau"),
            self._against_labels(),
        ]  # fmt: skip

    def _distribution(self) -> Figure:
        lines, shares = {}, np.linspace(0, 100, 101)
        for measure, mixed in zip(self.names, self.mixed, strict=True):
            values = np.percentile(mixed["tau"], shares)
            lines[measure] = (np.repeat(values, 2)[1:].tolist(), np.repeat(shares, 2)[:-1].tolist())  # in steps
        title, y = "Tau of mixed assessors with the judgments", "% of mixtures at most so high"
        return curves(title, lines, "Kendall's tau", y, markers=False)

    def _against_labels(self) -> Figure:
        """Tau of rankings against kappa of labels, one point per pair of single sets."""
        table = self.rankings.columns
        points: dict[str, tuple[list[float], list[float]]] = {}
        named: list[str] = []
        rows = zip(*(table[name] for name in ("measure", "first", "second", "kappa", "tau")), strict=True)
        for measure, first, second, kappa, tau in rows:
            if kappa is not None:
                xs, ys = points.setdefault(measure, ([], []))
                xs.append(kappa)
                ys.append(tau)
                if measure == self.names[0]:
                    named.append(f"{first}, {second}")
        title = "Agreement on rankings and on labels"
        return run_points(
            title, points, named, "Cohen's kappa of labels", "Kendall's tau of rankings",
            diagonal=False, note="One point per pair of label sets.",
        )  # fmt: skip

    def in_words(self) -> list[str]:
        """The summary, measure by measure."""
        return [words for index in range(len(self.names)) for words in self._words(index)]

    def _words(self, index: int) -> list[str]:
        measure, single = self.names[index], self.means[: self.single, index]
        rows = [row for row in range(len(self.rankings.columns["first"])) if self._is_base(row, measure)]
        tau, kept_share = self.rankings.columns["tau"], self.decisions_table.columns["kept_share"]
        taus, shares = [tau[row] for row in rows], [kept_share[row] for row in rows]
        turned = sum(self.decisions_table.columns["turned"][row] for row in rows)
        separated = self.decisions_table.columns["told_apart"][rows[0]]
        mixed = self.mixed[index]
        low, high = np.percentile(mixed["tau"], ENDS)
        spread = float((single.max(axis=0) - single.min(axis=0)).mean())
        sentences = [
            f"{measure}: the judgments and {counted(self.single - 1, 'other label set')} rank runs with tau "
            f"{_span(taus)}, though a run's score differs by {spread:.3f} on the mean between sets."
        ]
        if separated:
            around = "none is turned around" if not turned else f"{turned} are turned around"
            sentences.append(
                f"Of {separated} differences that the judgments show, others keep {_span(shares, True)}; {around}."
            )
        sentences.append(
            f"With an assessor drawn for every topic tau is {mixed['tau'].mean():.3f} (95 of 100: {low:.3f} to "
            f"{high:.3f}), and the winner is the same in {100 * mixed['same_winner'].mean():.0f} %."
        )
        return sentences

    def _is_base(self, row: int, measure: str) -> bool:
        columns = self.rankings.columns
        single = columns["second"][row] in self.asked.labels.assessors
        return bool(columns["measure"][row] == measure and columns["first"][row] == BASE and single)


def _span(values: Sequence[float], percent: bool = False) -> str:
    """The range of values, or the single value.

    >>> _span([0.912, 0.95]), _span([0.5], True)
    ('0.912 to 0.950', '50 %')
    """
    ends = sorted(
        {f"{100 * value:.0f}" if percent else f"{value:.3f}" for value in (min(values), max(values))}, key=float
    )
    return " to ".join(ends) + (" %" if percent else "")


def _of(agreed: Any, coefficient: tuple[str, str], first: str, second: str) -> tuple[float | None, ...]:
    """A coefficient of a pair with its interval. None if the two have no document in common."""
    for row in agreed.rows:
        if (row.coefficient, row.scale) == coefficient and (row.first, row.second) == (first, second):
            return row.value, row.low, row.high
    return None, None, None


def _columns(heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in heads]
    return dict(zip(heads, columns, strict=True))
