"""Can these judgments score a run that did not help to make them? Runs or groups are left out, one by one.

Zobel, SIGIR 1998; Voorhees, CLEF 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise import checks
from poolwise.agree.correlation import kendall_tau, swapped_pairs
from poolwise.errors import InputError
from poolwise.judge.judgments import OUTSIDE
from poolwise.score.scoring import score_values
from poolwise.show.figures import run_points
from poolwise.show.items import Table
from poolwise.study.shared.choices import checked_measures
from poolwise.study.shared.collection import properties
from poolwise.study.shared.conduct import Experiment, conduct
from poolwise.study.shared.study_result import Study
from poolwise.study.shared.trials import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from poolwise.arrays import Floats
    from poolwise.campaign import Campaign
    from poolwise.score.measure import Measure
    from poolwise.show.items import Figure
    from poolwise.study.shared.conduct import Arrays, How


MEASURES = ("AP", "nDCG@10", "P@10")
DEPTH = 100  # the usual depth of pools
ALL_JUDGED = 0.9999  # of a contributing run's top documents
SMALL = 1.0  # per cent of a score: less than this is not worth a word
LARGE = 5.0


def reusability(
    pool: Campaign,
    *,
    measures: Sequence[str | Measure] = MEASURES,
    groups: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    depth: int | None = None,
    contributing: Sequence[str] | None = None,
    seed: int = 0,
    **how: Unpack[How],
) -> Study:
    """Leave out each run, or each group of runs, with the documents that only it brought into the pool.

    Parameters
    ----------
    pool : Campaign
        A campaign with complete judgments of a pool.
    measures : sequence
        Measures to look at.
    groups : mapping, optional
        The group (team) of each run. Runs of a group are left out together, since they resemble one another.
    kinds : mapping, optional
        The kind of each run, such as manual and automatic; each is summed up apart.
    depth : int, optional
        How deep the contributing runs were pooled; by default the deepest of 100, 50, 20 and 10 to which at least two
        runs are judged in full.
    contributing : sequence of str, optional
        The runs that made the pool; by default those whose top `depth` documents are all judged.
    seed : int
        Kept for the record; nothing is drawn.
    **how
        How the work is done: `folder`, `resume`, `executor`, `threads`, `progress`, see `shared.conduct.How`.

    Returns
    -------
    Study
        Tables `losses` (a row per run and measure), `groups`, `summary`, `correction`; figures; a verdict.

    References
    ----------
    Zobel, SIGIR 1998; Voorhees, CLEF 2001, "The philosophy of information retrieval evaluation".

    Examples
    --------
    >>> from poolwise.simulate import simulate
    >>> study = reusability(simulate(runs=6, topics=8, depth=60, pool_depth=20, seed=1).pool(), depth=20)
    >>> len(study.tables["losses"].columns["run"])
    18
    """
    depth, made = _pooled(pool, depth, contributing)
    experiment = ReusabilityStudy(
        seed=seed,
        kept=tuple(range(len(pool.runs))),
        measures=checked_measures(measures),
        depth=depth,
        contributing=made,
        group_of=tuple((groups or {}).get(run, run) for run in made),
        kind_of=tuple((kinds or {}).get(run, "all") for run in made),
    )
    if len(set(experiment.group_of)) < 2:
        raise InputError("reusability needs at least two groups of contributing runs; all belong to one")
    return conduct(experiment, pool, how)


def _pooled(pool: Campaign, depth: int | None, contributing: Sequence[str] | None) -> tuple[int, tuple[str, ...]]:
    """How deep the pool goes and which runs made it."""
    if contributing is not None:
        pool.run_numbers(list(contributing))
        return checks.whole("depth", DEPTH if depth is None else depth, 1), tuple(contributing)
    depths = (DEPTH, 50, 20, 10) if depth is None else (checks.whole("depth", depth, 1),)
    for cutoff in depths:
        judged = pool.score(f"Judged@{cutoff}", missing="skip").means()[:, 0]
        made = tuple(run for run, share in zip(pool.runs, judged, strict=True) if share > ALL_JUDGED)
        if len(made) >= 2:
            return cutoff, made
    raise InputError(
        f"fewer than two runs have all of their top {depths[-1]} documents judged; name the contributing runs and depth"
    )


@dataclass(frozen=True, kw_only=True)
class ReusabilityStudy(Experiment):
    """The study's settings and its work: one unit per group."""

    measures: tuple[Measure, ...]
    depth: int
    contributing: tuple[str, ...]
    group_of: tuple[str, ...]
    kind_of: tuple[str, ...]
    name = "reusability"

    @cached_property
    def groups(self) -> list[str]:
        """Groups in the order of their first run."""
        return list(dict.fromkeys(self.group_of))

    def units(self) -> Sequence[str]:
        """Numbers of groups, since names may hold anything."""
        return [f"{number:05d}" for number in range(len(self.groups))]

    def members(self, number: int) -> list[str]:
        """Runs of a group."""
        wanted = self.groups[number]
        return [run for run, group in zip(self.contributing, self.group_of, strict=True) if group == wanted]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Mean scores of all runs without the group, and how many documents only it brought."""
        left = pool.judgments.sample(
            "without", runs=self.members(int(unit)), depth=self.depth, contributing=list(self.contributing)
        )
        labels, now = pool.judgments.labels, left.labels
        unique = (now == OUTSIDE) & (labels != OUTSIDE)
        values = np.asarray(score_values(pool, list(self.measures), [pool.judgments, left], threads))
        return {
            "means": values.mean(axis=-1),  # full and reduced x measures x runs
            "unique": np.array([unique.sum(), (unique & (labels >= 1)).sum()], dtype=np.int64),
        }

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Put the losses together."""
        found = _Losses(self, list(pool.runs), results)
        return Study(
            self.name,
            "Can these judgments score runs that did not make them?",
            tuple(found.in_words()),
            (*found.figures(), found.summary(), found.groups(), found.table(), found.correction(),
             properties(pool, self.kept)),
            (
                f"{len(self.contributing)} runs made the pool to depth {self.depth}; each "
                f"{'group' if self._grouped else 'run'} was left out with the documents that only it brought, which "
                "count as non-relevant then, and its runs were scored again (Zobel, SIGIR 1998; Voorhees, CLEF 2001). "
                "Loss is the score by all labels minus the score without; per cent is of the score by all labels.",
            ),
            pool.warnings,
            self.settings(),
        )  # fmt: skip

    @property
    def _grouped(self) -> bool:
        return len(self.groups) < len(self.contributing)


@dataclass(frozen=True)
class _Losses:
    """What is lost by leaving out, and what is shown of it."""

    asked: ReusabilityStudy
    runs: list[str]
    results: Sequence[Arrays]

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        """Unit and place among all runs, of every contributing run."""
        place = {run: number for number, run in enumerate(self.runs)}
        return [(unit, place[run]) for unit in range(len(self.results)) for run in self.asked.members(unit)]

    def column(self, measure: int) -> tuple[Floats, Floats]:
        """Scores by all labels and without, of every row."""
        pairs = [self.results[unit]["means"][:, measure, run] for unit, run in self.rows]
        full, reduced = np.array(pairs).T
        return full, reduced

    def percents(self, measure: int) -> Floats:
        """Losses in per cent of the score by all labels; 0 where that is 0."""
        full, reduced = self.column(measure)
        return np.divide(100 * (full - reduced), full, out=np.zeros_like(full), where=full > 0)

    def ranks(self, measure: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ranks among all runs, by all labels and when left out."""
        found = []
        for unit, run in self.rows:
            means = self.results[unit]["means"][:, measure]
            found.append([1 + int((side > side[run]).sum()) for side in means])
        full, reduced = np.array(found).T
        return full, reduced

    def kinds(self) -> NDArray[np.str_]:
        """Kinds of the rows' runs."""
        of = dict(zip(self.asked.contributing, self.asked.kind_of, strict=True))
        return np.array([of[self.runs[run]] for _, run in self.rows])

    def table(self) -> Table:
        """One row per measure and run."""
        heads = (
            "measure", "run", "group", "kind", "all_labels", "left_out", "loss", "loss_percent", "rank_all",
            "rank_left_out", "ranks_lost", "unique_relevant",
        )  # fmt: skip
        group = dict(zip(self.asked.contributing, self.asked.group_of, strict=True))
        runs = [self.runs[run] for _, run in self.rows]
        about = [runs, [group[run] for run in runs], self.kinds().tolist()]
        unique = [int(self.results[unit]["unique"][1]) for unit, _ in self.rows]
        rows: list[tuple[Any, ...]] = []
        for place, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(place)
            before, after = self.ranks(place)
            numbers = (full, reduced, full - reduced, self.percents(place), before, after, after - before)
            listed = (*about, *(values.tolist() for values in numbers), unique)
            rows += [(measure, *row) for row in zip(*listed, strict=True)]
        columns = _columns(heads, rows)
        return Table("Losses of every run", columns, "unique_relevant: of the run's group.", file="losses")

    def groups(self) -> Table:
        """One row per measure and group: what it brought, and what leaving it out does to the ranking of all runs."""
        rows: list[tuple[Any, ...]] = []
        for place, measure in enumerate(names(self.asked.measures)):
            for unit, result in enumerate(self.results):
                full, reduced = result["means"][:, place]
                moved = (float(kendall_tau(full, reduced)), int(swapped_pairs(full, reduced)))
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
        for place, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(place)
            before, after = self.ranks(place)
            percents = self.percents(place)
            for kind, chosen in self._parts():
                own = percents[chosen]
                shares = [float(own.mean()), *np.quantile(own, [0.5, 0.95, 1]).tolist()]
                most = (float((full - reduced)[chosen].max()), int((after - before)[chosen].max()))
                rows.append((measure, kind, int(chosen.sum()), *shares, *most))
        columns = _columns(heads, rows)
        note = "Loss in per cent of the score by all labels. percent_95: one run of twenty loses more than this."
        return Table("What a run loses that did not contribute", columns, note, 2, "summary")

    def _parts(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        kinds = self.kinds()
        yield "all", np.ones(len(kinds), dtype=bool)
        for kind in dict.fromkeys(kinds.tolist()):
            if kind != "all":
                yield kind, kinds == kind

    def corrected(self, measure: int) -> tuple[Floats, Floats]:
        """Errors of the left-out scores as they are, and with the mean loss of the other groups added.

        That mean is taken over runs of groups other than the run's own, so that no run corrects itself.
        """
        full, reduced = self.column(measure)
        loss = full - reduced
        unit = np.array([unit for unit, _ in self.rows])
        others = np.array([loss[unit != own].mean() for own in unit])
        return reduced - full, reduced + others - full

    def correction(self) -> Table:
        """Whether adding the losses of others mends the score of a run that was left out."""
        rows: list[tuple[Any, ...]] = []
        for place, measure in enumerate(names(self.asked.measures)):
            full, reduced = self.column(place)
            for form, error in zip(("as it is", "corrected"), self.corrected(place), strict=True):
                added = float((full - reduced).mean()) if form == "corrected" else 0.0
                size = (float(np.sqrt((error**2).mean())), float(np.abs(error).max()))
                rows.append((measure, form, added, float(error.mean()), *size, float(kendall_tau(full, full + error))))
        columns = _columns(("measure", "form", "added", "bias", "rmse", "most_error", "tau"), rows)
        note = (
            "A run that did not contribute can be given back what contributing runs lose on the mean when they are "
            "left out (`added`). The check: each run corrected by the losses of other groups only."
        )
        return Table("Correcting for the advantage of pooled runs", columns, note, file="correction")

    def figures(self) -> list[Figure]:
        """Score without against score by all labels; loss against unique relevant documents."""
        runs = [self.runs[run] for _, run in self.rows]
        unique = np.array([float(self.results[unit]["unique"][1]) for unit, _ in self.rows])
        first = str(self.asked.measures[0])
        full, reduced = self.column(0)
        parts = [(kind, chosen) for kind, chosen in self._parts() if kind != "all"] or [("runs", full == full)]
        points = {kind: (full[chosen], reduced[chosen]) for kind, chosen in parts}
        against = {kind: (unique[chosen], (full - reduced)[chosen]) for kind, chosen in parts}
        named = [runs[place] for _, chosen in parts for place in np.flatnonzero(chosen).tolist()]
        return [
            run_points("Scores when left out", points, named, f"{first} by all labels", f"{first} when left out",
                       note="A run on the dotted line loses nothing."),
            run_points("Loss and unique relevant documents", against, named,
                       "relevant documents that only the group found", f"loss of {first}", diagonal=False),
        ]  # fmt: skip

    def in_words(self) -> list[str]:
        """The verdict."""
        said = []
        table = self.summary().columns
        for place in range(len(table["measure"])):
            measure, kind, runs = (table[name][place] for name in ("measure", "kind", "runs"))
            mean, most = table["mean_percent"][place], table["most_percent"][place]
            who = "runs" if kind == "all" else f"{kind} runs"
            said.append(
                f"{measure}: {runs} {who} lose {mean:.2f} % on the mean when left out, at most {most:.1f} % and "
                f"{table['most_ranks_lost'][place]} ranks."
            )
        return [self._verdict(), *said]

    def _verdict(self) -> str:
        most = float(np.quantile(self.percents(0), 0.95))
        measure = self.asked.measures[0]
        if most < SMALL:
            return f"These judgments can be reused: by {measure}, 19 of 20 new runs would lose less than {SMALL:g} %."
        if most < LARGE:
            return (
                f"These judgments can be reused with care: by {measure}, one new run of 20 may lose {most:.1f} % of "
                "its score or more; judge the holes of a run before calling it worse."
            )
        return (
            f"These judgments treat new runs unfairly: by {measure}, one of 20 may lose {most:.1f} % of its score or "
            "more; judge the holes of new runs (poolwise holes) or correct for them."
        )


def _columns(heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return dict(zip(heads, (list(column) for column in zip(*rows, strict=True)), strict=True))
