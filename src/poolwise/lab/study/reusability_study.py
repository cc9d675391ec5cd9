"""Study of reusability: scores of runs that did not contribute to the pool, by leaving out groups in turn.

Zobel, SIGIR 1998. Voorhees, CLEF 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import warn_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.study.choices import checked_measures, properties
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.result import Study
from poolwise.lab.study.reusability_results import Losses
from poolwise.pool.coverage import open_shares
from poolwise.pool.judgments import OUTSIDE, is_judged, open_totals
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments


MEASURES = ("AP", "nDCG@10", "P@10")
DEPTHS = (100, 50, 20, 10)  # usual depths of pools, TREC's ad hoc depth first
MOSTLY = 0.98  # judged share down to the depth of the pool from which a run counts as contributing; lines get lost
ALL_JUDGED = 0.9999  # judged share of a contributing run; less is reported
FEW_STRANGERS = 0.05  # share of judged documents of no contributing run, above which runs seem to be missing


def reusability(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    groups: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    depth: int | None = None,
    contributing: Sequence[str] | None = None,
    seed: int | np.random.Generator = 0,
    **how: Unpack[Execution],
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
        runs are judged in full, or to which nearly all of the contributing runs that are named is judged.
    contributing : sequence of str, optional
        The runs that made the pool; by default those whose top `depth` documents are all judged.
    seed : int or Generator
        Kept for the record; nothing is drawn.
    **how
        How the work is done: `folder`, `resume`, `executor`, `threads`, `progress`, as in the other studies.

    Returns
    -------
    Study
        Tables `losses` (a row per run and measure), `groups`, `summary`, `correction`, `newcomers`; figures; a verdict.

    References
    ----------
    Zobel, SIGIR 1998; Voorhees, CLEF 2001, "The philosophy of information retrieval evaluation".

    Examples
    --------
    >>> from poolwise import simulate
    >>> study = reusability(simulate(runs=6, topics=8, depth=60, pool_depth=20, seed=1).pool(), depth=20)
    >>> len(study.tables["losses"].columns["run"])
    18
    """
    for what, names in (("groups", groups), ("kinds", kinds)):
        _check_runs(what, names, pool.runs)
    depth, made = _pooled(pool, depth, contributing)
    experiment = ReusabilityStudy(
        seed=checks.seed_number(seed),
        run_indices=tuple(range(len(pool.runs))),
        measures=checked_measures(measures),
        depth=depth,
        contributing=made,
        group_of=tuple((groups or {}).get(run, run) for run in made),
        kind_of=tuple((kinds or {}).get(run, "all") for run in made),
        all_kinds=tuple((kinds or {}).get(run, "all") for run in pool.runs),
    )
    if len(set(experiment.group_of)) < 2:
        raise InputError("reusability needs at least two groups of contributing runs; all belong to one")
    return conduct(experiment, pool, how)


def _check_runs(what: str, names: Mapping[str, str] | None, runs: list[str]) -> None:
    """Refuse groups or kinds of unknown runs, and warn of runs without one."""
    if not names:
        return
    without = [run for run in runs if run not in names]
    if len(without) == len(runs):
        raise ArgumentError(
            f"{what}: none of the {len(names)} names is a run's; the first is {next(iter(names))!r}, the first run "
            f"{runs[0]!r}; give the runs' names as poolwise reads them"
        )
    if without:
        warn_of([f"{counted(len(without), 'run')} without an entry in {what}, such as {without[0]}: each counts alone"])


def _pooled(pool: Campaign, depth: int | None, contributing: Sequence[str] | None) -> tuple[int, tuple[str, ...]]:
    """Depth of the pool, and its contributing runs."""
    if contributing is not None:
        numbers = pool.run_numbers(list(contributing))
        return _depth_of(pool, numbers) if depth is None else checks.whole("depth", depth, 1), tuple(contributing)
    depths = DEPTHS if depth is None else (checks.whole("depth", depth, 1),)
    for cutoff in depths:
        # A run that lacks topics may have contributed on the others.
        judged = pool.score(f"Judged@{cutoff}", missing="skip").means()[:, 0]
        made = tuple(run for run, share in zip(pool.runs, judged, strict=True) if share > ALL_JUDGED)
        if len(made) >= 2:
            return cutoff, made
    raise InputError(
        f"fewer than two runs have all of their top {depths[-1]} documents judged; name the contributing runs and depth"
    )


def _depth_of(pool: Campaign, runs: Sequence[int]) -> int:
    """The deepest usual depth at which runs are almost fully judged, else 100."""
    for cutoff in DEPTHS:
        counts = [open_totals(pool.judgments, cutoff, unjudged=True)[run] for run in runs]
        if sum(count for count, _ in counts) <= (1 - MOSTLY) * sum(size for _, size in counts):
            return cutoff
    return DEPTHS[0]


def strangers(pool: Campaign, contributing: Sequence[str], depth: int) -> float:
    """Share of judged documents that none of these runs has down to a depth."""
    labels, offsets = pool.judgments.labels, pool.judgments.offsets
    strange = is_judged(labels)
    judged = int(strange.sum())
    for topic in range(len(pool.topics)):
        part = strange[offsets[topic] : offsets[topic + 1]]
        for run in pool.run_numbers(list(contributing)):
            ranks, documents = (np.asarray(each) for each in pool.known(run, topic))
            # A view: the flags of all topics are cleared in place.
            part[documents[ranks <= depth]] = False
    return int(strange.sum()) / max(judged, 1)


@dataclass(frozen=True, kw_only=True)
class ReusabilityStudy(Experiment):
    """Settings and work of the study. A unit is a group."""

    measures: tuple[Measure, ...]
    depth: int
    contributing: tuple[str, ...]
    group_of: tuple[str, ...]
    kind_of: tuple[str, ...]
    all_kinds: tuple[str, ...]  # of all runs, contributing or not
    name = "reusability"

    @cached_property
    def groups(self) -> list[str]:
        """Groups in the order of their first run."""
        return list(dict.fromkeys(self.group_of))

    def units(self) -> Sequence[str]:
        """Numbers of groups: their names may not be valid file names."""
        return [f"{number:05d}" for number in range(len(self.groups))]

    def members(self, number: int) -> list[str]:
        """Runs of a group."""
        wanted = self.groups[number]
        return [run for run, group in zip(self.contributing, self.group_of, strict=True) if group == wanted]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Mean scores of all runs without the group, and the number of its unique documents."""
        left = pool.judgments.sample(
            "without", runs=self.members(int(unit)), depth=self.depth, contributing=list(self.contributing)
        )
        labels, now = pool.judgments.labels, left.labels
        # Documents that leave the pool with the group; unjudged ones of them count too.
        unique = (now == OUTSIDE) & (labels != OUTSIDE)
        values = np.asarray(score_values(pool, list(self.measures), [pool.judgments, left], threads))
        return {
            "means": values.mean(axis=-1),  # full and reduced x measures x runs
            "unjudged": np.array([[self.unjudged(each, m) for m in self.measures] for each in (pool.judgments, left)]),
            "unique": np.array([unique.sum(), (unique & (labels >= 1)).sum()], dtype=np.int64),
        }

    def unjudged(self, judgments: Judgments, measure: Measure) -> list[float]:
        """The share of each run's documents within the measure's cut-off, or the pool's depth, that is not judged."""
        return open_shares(judgments, measure.cutoff or self.depth, unjudged=True)

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """The study from the losses."""
        losses = Losses(self, list(pool.runs), results)
        return Study(
            self.name,
            "Can these judgments score runs that did not make them?",
            tuple(losses.in_words()),
            (*losses.figures(), losses.summary(), losses.groups(), losses.correction(), losses.newcomers(),
             losses.table(), properties(pool, self.run_indices)),
            (
                f"{len(self.contributing)} runs made the pool to depth {self.depth}; each "
                f"{'group' if self._grouped else 'run'} was left out with the documents that only it brought, which "
                "count as non-relevant then, and its runs were scored again (Zobel, SIGIR 1998; Voorhees, CLEF 2001). "
                "Loss is the score by all labels minus the score without; per cent is of the score by all labels.",
                "By its holes a run is expected to lose a factor times its share of unjudged documents (within the "
                "measure's cut-off, or the pool's depth) times its score; the factor is the sum of losses of left-out "
                "runs over the sum of these products, of the same kind where there are three groups of it. Intervals "
                "are Student's over groups, at 95 %.",
            ),
            (*pool.warnings, *self._absent(pool)),
            self.settings(),
        )  # fmt: skip

    def _absent(self, pool: Campaign) -> list[str]:
        """Whether judged documents show that contributing runs are missing."""
        share = strangers(pool, self.contributing, self.depth)
        if share <= FEW_STRANGERS:
            return []
        sentence = (
            f"{100 * share:.0f} % of the judged documents are in the top {self.depth} of none of the "
            f"{len(self.contributing)} contributing runs: other runs made the pool too, and what they also brought "
            "counts as a run's own here, so losses may be overstated; or it was judged deeper, which --pool-depth K "
            "(depth=K) can say"
        )
        return [sentence]

    @property
    def _grouped(self) -> bool:
        return len(self.groups) < len(self.contributing)
