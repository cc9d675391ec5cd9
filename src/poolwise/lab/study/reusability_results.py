"""Tables, figures and verdict of the study of reusability: losses of runs that are left out of the pool.

A hole adds nothing to the score. Judged, it would add the mean of the run's other documents, times a factor that
is common to the holes of a collection. So a run loses about

    loss = factor x (its share of unjudged documents) x (its score),

and the factor is the sum of all losses over the sum of those products, over runs that were left out. Runs of one kind
(manual, automatic) have a separate factor if there are enough groups, because their holes differ in relevance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise.lab.study.choices import names
from poolwise.show.figures import run_points
from poolwise.show.parts import Table
from poolwise.trust.rank_correlation import kendall_tau, swapped_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.study.conduct import Arrays
    from poolwise.lab.study.reusability_study import ReusabilityStudy
    from poolwise.show.parts import Figure

LEVEL = 0.95  # nominal coverage of expected losses
FEWEST_GROUPS = 3  # groups of a kind that get a separate factor; chosen by hand
LEAST_SPREAD = 0.1  # share of the mean product, the least that errors are scaled by; chosen by hand, for few holes


class Expected(NamedTuple):
    """Expected loss and the half-width of its interval. NaN without other groups."""

    loss: float
    half: float


@dataclass(frozen=True)
class LeftOutRuns:
    """Left-out runs: loss, product of unjudged share and score, group and kind of each."""

    loss: Floats
    product: Floats
    group: NDArray[np.int64]
    kind: NDArray[np.str_]

    def others(self, group: int | None, kind: str) -> NDArray[np.bool_]:
        """Runs of other groups, of the same kind if there are enough of these."""
        others = np.ones(len(self.loss), dtype=bool) if group is None else self.group != group
        same_kind = others & (self.kind == kind)
        return same_kind if len(set(self.group[same_kind].tolist())) >= FEWEST_GROUPS else others

    def mean_loss(self, group: int | None, kind: str) -> float:
        """The mean loss of the others: one number for all runs."""
        return float(self.loss[self.others(group, kind)].mean())

    def expected(self, product: float, group: int | None, kind: str) -> Expected:
        """Expected loss of a run from its product, with Student's interval over groups, scaled by the product."""
        from poolwise.basics.numbers import student_quantile

        chosen = self.others(group, kind)
        loss, x, groups = self.loss[chosen], self.product[chosen], self.group[chosen]
        if not x.sum() > 0:
            return Expected(0.0, 0.0)
        # A ratio of sums, not a mean of ratios: runs with few holes have ratios that are mostly noise.
        factor = loss.sum() / x.sum()
        least = LEAST_SPREAD * x.mean()
        ratio = (loss - factor * x) / np.maximum(x, least)
        names = np.unique(groups)
        if len(names) == 1:  # one group shows no spread
            return Expected(float(factor * product), float("nan"))
        # Groups count equally: runs of a group are similar.
        spread = float(np.sqrt(np.mean([np.mean(ratio[groups == name] ** 2) for name in names])))
        number = len(names)
        # Prediction of a new run: its error and that of the factor.
        wide = spread * np.sqrt(1 + 1 / number) * max(product, least)
        half = student_quantile(max(number - 1, 1), 0.5 + LEVEL / 2) * wide
        return Expected(float(factor * product), float(half))

    def expected_of_all(self) -> list[Expected]:
        """Expected loss of each run, from runs of other groups."""
        rows = zip(self.product.tolist(), self.group.tolist(), self.kind.tolist(), strict=True)
        return [self.expected(product, group, kind) for product, group, kind in rows]


SMALL = 1.0  # per cent of a score: smaller losses are reported as negligible; chosen by hand
LARGE = 5.0  # per cent of a score: larger losses exceed most differences of neighbouring runs; chosen by hand
LEAST_GROUPS = 10  # left-out groups for a verdict on new runs; chosen by hand
LEAST_RANKED = 3  # runs: of two, tau is 1 or -1
EQUAL = 1e-12  # smaller differences of scores are rounding


@dataclass(frozen=True)
class Losses:
    """Losses by leaving out, with their tables and figures."""

    asked: ReusabilityStudy
    runs: list[str]
    results: Sequence[Arrays]

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        """Unit and run index of every contributing run."""
        index = {run: number for number, run in enumerate(self.runs)}
        return [(unit, index[run]) for unit in range(len(self.results)) for run in self.asked.members(unit)]

    def column(self, measure: int) -> tuple[Floats, Floats]:
        """Scores by all labels and without, of every row."""
        pairs = [self.results[unit]["means"][:, measure, run] for unit, run in self.rows]
        full, reduced = np.array(pairs).T
        return full, reduced

    def percents(self, measure: int) -> Floats:
        """Losses in per cent of the score by all labels. 0 where that is 0."""
        full, reduced = self.column(measure)
        return np.divide(100 * (full - reduced), full, out=np.zeros_like(full), where=full > 0)

    def ranks(self, measure: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ranks among all runs, by all labels and when left out."""
        # Ranks count runs with a strictly higher score, so ties share the better rank.
        ranks = []
        for unit, run in self.rows:
            means = self.results[unit]["means"][:, measure]
            ranks.append([1 + int((side > side[run]).sum()) for side in means])
        full, reduced = np.array(ranks).T
        return full, reduced

    def kinds(self) -> NDArray[np.str_]:
        """Kinds of the rows' runs."""
        of = dict(zip(self.asked.contributing, self.asked.kind_of, strict=True))
        return np.array([of[self.runs[run]] for _, run in self.rows])

    def table(self) -> Table:
        """One row per measure and run."""
        heads = (
            "measure", "run", "group", "kind", "all_labels", "left_out", "loss", "loss_percent", "unjudged",
            "expected_loss", "rank_all", "rank_left_out", "ranks_lost", "unique_relevant",
        )  # fmt: skip
        group = dict(zip(self.asked.contributing, self.asked.group_of, strict=True))
        runs = [self.runs[run] for _, run in self.rows]
        about = [runs, [group[run] for run in runs], self.kinds().tolist()]
        unique = [int(self.results[unit]["unique"][1]) for unit, _ in self.rows]
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(index)
            before, after = self.ranks(index)
            unjudged = np.array([self.results[unit]["unjudged"][1, index, run] for unit, run in self.rows])
            expected = np.array([each.loss for each in self.expected[index]])
            losses = (full, reduced, full - reduced, self.percents(index), unjudged, expected)
            numbers = (*losses, before, after, after - before)
            listed = (*about, *(values.tolist() for values in numbers), unique)
            rows += [(measure, *row) for row in zip(*listed, strict=True)]
        columns = _columns(heads, rows)
        note = "unjudged: share when left out; expected_loss: by these holes; unique_relevant: of the run's group."
        return Table("Losses of every run", columns, note, file="losses")

    def groups(self) -> Table:
        """One row per measure and group: its unique documents, and the effect of leaving it out on the ranking."""
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(names(self.asked.measures)):
            for unit, result in enumerate(self.results):
                full, reduced = result["means"][:, index]
                tau = float(kendall_tau(full, reduced)) if len(full) >= LEAST_RANKED else None
                moved = (tau, int(swapped_pairs(full, reduced)))
                group, runs = self.asked.groups[unit], len(self.asked.members(unit))
                rows.append((measure, group, runs, *result["unique"].tolist(), *moved))
        columns = _columns(("measure", "group", "runs", "unique", "unique_relevant", "tau", "swaps"), rows)
        note = "unique: documents that only the group brought. tau and swaps compare the rankings of all runs."
        return Table("Groups left out", columns, note, file="groups")

    def summary(self) -> Table:
        """One row per measure and kind."""
        heads = (
            "measure", "kind", "runs", "mean_percent", "median_percent", "percent_95", "most_percent", "most_loss",
            "most_ranks_lost",
        )  # fmt: skip
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(index)
            before, after = self.ranks(index)
            percents = self.percents(index)
            for kind, chosen in self._parts():
                losses = percents[chosen]
                shares = [float(losses.mean()), *np.quantile(losses, [0.5, 0.95, 1]).tolist()]
                most = (float((full - reduced)[chosen].max()), int((after - before)[chosen].max()))
                rows.append((measure, kind, int(chosen.sum()), *shares, *most))
        columns = _columns(heads, rows)
        note = "Loss in per cent of the score by all labels. The percent_95: one run of twenty loses more than this."
        return Table("What a run loses that did not contribute", columns, note, 2, "summary")

    def _parts(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        kinds = self.kinds()
        yield "all", np.ones(len(kinds), dtype=bool)
        for kind in dict.fromkeys(kinds.tolist()):
            if kind != "all":
                yield kind, kinds == kind

    def left_out(self, measure: int) -> LeftOutRuns:
        """The losses as data for predictions."""
        full, reduced = self.column(measure)
        unjudged = np.array([self.results[unit]["unjudged"][1, measure, run] for unit, run in self.rows])
        unit = np.array([unit for unit, _ in self.rows])
        return LeftOutRuns(full - reduced, unjudged * reduced, unit, self.kinds())

    @cached_property
    def expected(self) -> list[list[Expected]]:
        """Expected losses by measure and row, from runs of other groups."""
        return [self.left_out(index).expected_of_all() for index in range(len(self.asked.measures))]

    def corrected(self, measure: int) -> dict[str, Floats]:
        """Errors of left-out scores: uncorrected, corrected by the mean loss, and corrected by holes.

        Corrections of a run use runs of other groups only.
        """
        left = self.left_out(measure)
        mean = np.array([left.mean_loss(*of) for of in zip(left.group.tolist(), left.kind.tolist(), strict=True)])
        by_holes = np.array([each.loss for each in self.expected[measure]])
        return {"as it is": -left.loss, "mean loss": mean - left.loss, "by holes": by_holes - left.loss}

    def correction(self) -> Table:
        """Table of the corrections: errors of left-out scores with and without them."""
        heads = ("measure", "kind", "form", "runs", "added", "bias", "rmse", "most_error", "tau", "coverage", "width")
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(index)
            half = np.array([each.half for each in self.expected[index]])
            for kind, chosen in self._parts():
                for form, errors in self.corrected(index).items():
                    error, truth, number = errors[chosen], full[chosen], int(chosen.sum())
                    added = float((truth + error - reduced[chosen]).mean())
                    size = (float(error.mean()), float(np.sqrt((error**2).mean())), float(np.abs(error).max()))
                    tau = float(kendall_tau(truth, truth + error)) if number >= LEAST_RANKED else None
                    held: tuple[float | None, float | None] = (None, None)
                    # Only this correction has an interval; with a single group it is NaN.
                    if form == "by holes" and not np.isnan(half[chosen]).any():
                        held = (float((np.abs(error) <= half[chosen] + EQUAL).mean()), float(2 * half[chosen].mean()))
                    rows.append((measure, kind, form, number, added, *size, tau, *held))
        note = (
            "The check of a correction: each left-out run is corrected by the losses of other groups only, and held "
            "against its score by all labels. added: on the mean. mean loss: the same for all runs (of a kind); by "
            "holes: more for runs with more unjudged documents. coverage, width: of the interval by holes."
        )
        return Table("Correcting for the advantage of pooled runs", _columns(heads, rows), note, file="correction")

    def newcomers(self) -> Table:
        """Runs that did not contribute, corrected by their holes."""
        heads = ("measure", "run", "kind", "unjudged", "score", "expected_loss", "corrected", "low", "high")
        rows: list[tuple[Any, ...]] = []
        for index, measure in enumerate(names(self.asked.measures)):
            left = self.left_out(index)
            means, unjudged = (self.results[0][name][0, index].tolist() for name in ("means", "unjudged"))
            for run, kind, score, share in zip(self.runs, self.asked.all_kinds, means, unjudged, strict=True):
                if run not in self.asked.contributing:
                    loss, half = left.expected(share * score, None, kind)
                    ends = (score + loss, score + loss - half, score + loss + half)
                    rows.append((measure, run, kind, share, score, loss, *ends))
        note = (
            "What these runs may score once their holes are judged, as far as their holes are like those of runs that "
            "were left out. Labels of holes say more: poolwise holes."
        )
        return Table("Runs that did not contribute", _columns(heads, rows), note, file="newcomers")

    def figures(self) -> list[Figure]:
        """Score without against score by all labels. Loss against unique relevant documents."""
        runs = [self.runs[run] for _, run in self.rows]
        unique = np.array([float(self.results[unit]["unique"][1]) for unit, _ in self.rows])
        first = str(self.asked.measures[0])
        full, reduced = self.column(0)
        parts = [(kind, chosen) for kind, chosen in self._parts() if kind != "all"] or [("runs", full == full)]
        points = {kind: (full[chosen], reduced[chosen]) for kind, chosen in parts}
        against = {kind: (unique[chosen], (full - reduced)[chosen]) for kind, chosen in parts}
        named = [runs[index] for _, chosen in parts for index in np.flatnonzero(chosen).tolist()]
        return [
            run_points("Scores when left out", points, named, f"{first} by all labels", f"{first} when left out",
                       note="A run on the dotted line loses nothing."),
            run_points("Loss and unique relevant documents", against, named,
                       "relevant documents that only the group found", f"loss of {first}", diagonal=False),
        ]  # fmt: skip

    def in_words(self) -> list[str]:
        """The verdict."""
        sentences = []
        table = self.summary().columns
        for index in range(len(table["measure"])):
            measure, kind, runs = (table[name][index] for name in ("measure", "kind", "runs"))
            mean, most = table["mean_percent"][index], table["most_percent"][index]
            who = "" if kind == "all" else f"{kind} "
            ranks = table["most_ranks_lost"][index]
            sentences.append(
                f"{measure}: {runs} {who}{'run loses' if runs == 1 else 'runs lose'} {mean:.2f} % on the mean when "
                f"left out, at most {most:.1f} % and {ranks} rank{'s' * (ranks != 1)}."
            )
        return [self._verdict(), *self._flattered(), *sentences, *self._mended()]

    def _flattered(self) -> list[str]:
        """Caveats of losses if groups or kinds of runs are unknown."""
        sentences = []
        if len(self.asked.groups) == len(self.asked.contributing):
            sentences.append(
                "No groups of runs were given (--groups), so every run was left out alone: runs of one group share "
                "documents, its sisters keep those in the pool, and a new group's runs may lose more than is said here."
            )
        if set(self.asked.kind_of) == {"all"}:
            sentences.append(
                "No kinds of runs were given (--kinds), so losses are of all runs together: manual runs, which bring "
                "more documents of their own, may lose more than automatic ones."
            )
        return sentences

    def _mended(self) -> list[str]:
        """Effect of the correction by holes, in words."""
        table = self.correction().columns
        rows = [row for row in range(len(table["form"])) if table["kind"][row] == "all"]
        rmse = {(table["measure"][row], table["form"][row]): table["rmse"][row] for row in rows}
        measure = str(self.asked.measures[0])
        before, after = rmse[measure, "as it is"], rmse[measure, "by holes"]
        better = "brings it nearer" if after < before else "does not bring it nearer"
        return [
            f"Adding what its holes let expect {better} to the score by all labels: {measure} of a left-out run is off "
            f"by {after:.4f} (root mean square) instead of {before:.4f}."
        ]

    def _verdict(self) -> str:
        """Expected loss of a new run and its basis. Empty with too few groups."""
        most = float(np.quantile(self.percents(0), 0.95))
        measure, groups = self.asked.measures[0], len(self.asked.groups)
        who = f"{len(self.rows)} runs" + (f" of {groups} groups" if groups < len(self.rows) else "")
        if groups < LEAST_GROUPS:
            return (
                f"No verdict: {who} made the pool as far as runs are here, and at least {LEAST_GROUPS} "
                f"{'groups' if groups < len(self.rows) else 'runs'}, left out one by one, are needed to tell what new "
                "runs lose. What these lost is below."
            )
        rests = f"by {measure}, going by {who} left out one by one,"
        if most < SMALL:
            return f"These judgments can be reused: {rests} 19 of 20 new runs would lose less than {SMALL:g} %."
        if most < LARGE:
            return (
                f"These judgments can be reused with care: {rests} one new run of 20 may lose {most:.1f} % of "
                "its score or more; judge the holes of a run before calling it worse."
            )
        return (
            f"These judgments treat new runs unfairly: {rests} one of 20 may lose {most:.1f} % of its score or "
            "more; judge the holes of new runs (poolwise holes) or correct for them."
        )


def _columns(heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in heads]
    return dict(zip(heads, columns, strict=True))
