"""How close do estimates from sampled judgments come, and do their intervals cover? [Y08]"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.settings import choice, seed_number, whole
from poolwise.errors import ArgumentError
from poolwise.lab.study.choices import (
    checked_fractions,
    checked_measures,
    percent,
    properties,
    selected_runs,
    trial_units,
)
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.estimation_results import ASSISTED, LEVEL, EstimationResults, StudiedDesign, equal_effort
from poolwise.lab.study.result import Study
from poolwise.measures.registry import parse
from poolwise.pool.judgments import Judgments, is_judged
from poolwise.scores.scoring import notes_on_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, Unpack

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure


ESTIMATORS = ("infAP", "xinfAP", "infNDCG", "AP", "nDCG")
FRACTIONS = (0.1, 0.2, 0.3)  # of the pool
DEPTHS = (1, 5, 10)  # of pools to which as many random documents are added
POOL_DEPTH = 100  # ranks, of TREC's pools: a run with a fully judged top is taken for a contributing run
EFFORTS = ("own", "equal")
PRECISIONS = ("independent", "dependent")


def estimation(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = ESTIMATORS,
    fractions: Sequence[float] = FRACTIONS,
    depths: Sequence[int] = DEPTHS,
    effort: Literal["own", "equal"] = "own",
    precisions: Literal["independent", "dependent"] = "independent",
    trials: int = 100,
    assisted: int = 10,
    contributing: Sequence[str] | None = None,
    seed: int | np.random.Generator = 0,
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[Execution],
) -> Study:
    """Sample the labels by several designs, estimate, and compare with the scores by all labels.

    Designs are uniform samples of `fractions` of the pool, and for each of `depths` the depth-k pool with as many
    random judgments again, in two strata and in four [Y08]. The estimator of `Campaign.estimate` is tried beside the
    measures.

    Parameters
    ----------
    pool : Campaign
        A campaign with complete judgments.
    measures : sequence of str or Measure
        Plain measures or estimators; an estimator is held against what it estimates.
    fractions : sequence of float
        Shares of the pool to judge.
    depths : sequence of int
        Depths of pools that are judged in full.
    effort : {"own", "equal"}
        "equal" adds to every depth a uniform sample of as many documents, so that designs are compared at equal
        effort, as [Y08] figures 3 and 4 do.
    precisions : {"independent", "dependent"}
        Whether infAP's interval takes precisions at different ranks as independent, or adds their covariances ([Y08]
        has both).
    trials : int
        How often each is drawn.
    assisted : int
        In how many of these trials the estimator of `Campaign.estimate` is tried.
    contributing : sequence of str, optional
        The runs that make the depth-k pools; those whose top 100 are judged unless given. The others are unseen runs.
    seed : int or Generator
        Of the draws.
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Table `estimation` and more; figures; a summary.

    References
    ----------
    [Y08].

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=8, depth=50, pool_depth=20, seed=1).pool()
    >>> study = pw.study.estimation(pool, fractions=[0.3], depths=[2], trials=2, assisted=1)
    >>> sorted(set(study.tables["estimation"].columns["design"]))
    ['depth 2, four strata', 'depth 2, two strata', 'uniform 30 %']
    """
    choice("effort", effort, EFFORTS)
    choice("precisions", precisions, PRECISIONS)
    makers = _contributing(pool, contributing, depths)
    deep = tuple(sorted({whole("depth", depth, 1) for depth in depths}))
    experiment = Estimation(
        measures=checked_measures(measures),
        fractions=checked_fractions(fractions) if len(fractions) else (),
        depths=deep,
        equal_shares=tuple(_share_of(pool, makers, depth) for depth in deep) if effort == "equal" else (),
        dependent=precisions == "dependent",
        trials=whole("trials", trials, 1),
        assisted=whole("assisted", assisted, 0),
        contributing=makers,
        seed=seed_number(seed),
        run_indices=tuple(selected_runs(pool, retrieved, top).tolist()),
    )
    if not experiment.designs:
        raise ArgumentError("no design is left; give fractions or depths")
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class Estimation(Experiment):
    """Settings and work of the study. A unit is a trial."""

    measures: tuple[Measure, ...]
    fractions: tuple[float, ...]
    depths: tuple[int, ...]
    equal_shares: tuple[float, ...]  # of uniform samples as large as those with a depth; none unless asked for
    dependent: bool
    trials: int
    assisted: int
    contributing: tuple[str, ...]
    name = "estimation"

    @cached_property
    def designs(self) -> list[StudiedDesign]:
        """Uniform samples, then for every depth two strata and four."""
        designs = [
            StudiedDesign("uniform", f"uniform {percent(f)}", "uniform", (("fraction", f),)) for f in self.fractions
        ]
        for depth in self.depths:
            settings = (("depth", depth),)
            designs.append(StudiedDesign("two strata", f"depth {depth}, two strata", "depth_plus_random", settings))
            designs.append(StudiedDesign("four strata", f"depth {depth}, four strata", "stratified", settings))
        for depth, share in zip(self.depths, self.equal_shares, strict=False):
            name = equal_effort({"depth": depth})
            designs.append(StudiedDesign("uniform, equal effort", name, "uniform", (("fraction", share),)))
        return designs

    def units(self) -> list[str]:
        """Trials."""
        return trial_units(self.trials)

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Estimates with interval limits, NaN if missing (designs x measures x runs), and judged shares."""
        samples = [self._sample(pool, design, int(unit)) for design in self.designs]
        scores = pool.score(*self.measures, judgments=samples, threads=threads)
        estimates = scores.means().swapaxes(1, 2)
        ends = np.full((2, *estimates.shape), np.nan)
        indices = [index for index, measure in enumerate(self.measures) if measure.declaration.variance]
        uniform = [index for index, design in enumerate(self.designs) if design.kind == "uniform"]
        # The variance formulas hold for uniform samples.
        if indices and uniform:  # infAP's, of the paper, and statAP's
            asked = [self.measures[index] for index in indices]
            sampled = pool.score(
                *asked,
                judgments=[samples[d] for d in uniform],
                interval="judgments",
                dependent=self.dependent,
                threads=threads,
            )
            for end, values in enumerate((sampled.mean_low(), sampled.mean_high())):
                ends[end][np.ix_(uniform, indices)] = values.swapaxes(1, 2)
        # The assisted estimator takes most of the time, so it runs in the first trials only.
        if int(unit) < self.assisted:
            more = [self._assisted(pool, sample, threads) for sample in samples]
            estimates = np.concatenate([estimates, np.stack([each[0] for each in more])], axis=1)
            ends = np.concatenate([ends, np.stack([each[1:] for each in more], axis=1)], axis=2)
        judged = np.array([sample.count() for sample in samples]) / pool.judgments.count()
        chosen = list(self.run_indices)
        arrays = {"estimates": estimates, "low": ends[0], "high": ends[1]}
        return {name: values[..., chosen] for name, values in arrays.items()} | {"judged": judged}

    def _sample(self, pool: Campaign, design: StudiedDesign, trial: int) -> Judgments:
        settings: dict[str, Any] = dict(design.settings)
        if design.kind != "uniform":
            settings["contributing"] = self.contributing
        return pool.judgments.sample(design.kind, seed=self.seed, trial=trial, **settings)

    def _assisted(self, pool: Campaign, sample: Judgments, threads: int) -> Floats:
        """Estimate, low and high, each measures x runs."""
        estimate = pool.estimate(*ASSISTED, judgments=sample, threads=threads, level=LEVEL, outside="nonrelevant")
        return np.stack([estimate.means().T, estimate.mean_low().T, estimate.mean_high().T])

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Compare with complete judgments."""
        targets = [*(measure.estimated for measure in self.measures), *(parse(name) for name in ASSISTED)]
        scores = pool.score(*targets)
        truth = np.stack([scores.means()[list(self.run_indices), scores.measures.index(str(t))] for t in targets])
        runs = [pool.runs[run] for run in self.run_indices]
        seen = np.array([run in self.contributing for run in runs])
        outcome = EstimationResults(self, runs, seen, truth, results)
        return Study(
            self.name,
            "What are sampled labels worth?",
            tuple(outcome.in_words()),
            (*outcome.figures(), outcome.table(), *outcome.seen_tables(), outcome.normality(), outcome.run_table(),
             properties(pool, self.run_indices)),
            (
                "The labels given are taken for complete. Uniform samples judge a share of each topic's pool; depth k "
                "in two strata judges the depth-k pool in full and as many again of the rest at random; in four strata "
                "the rest is split into three bands of equal size by best rank, judged 3 : 1.5 : 1 [Y08]. "
                f"{len(self.contributing)} of {len(pool.runs)} runs make the depth-k pools.",
                f"{self.trials} trials, seed {self.seed}; the assisted estimator in the first "
                f"{min(self.assisted, self.trials)}. tau, r (Pearson's, which the paper calls rho) and rho "
                "(Spearman's) compare the ranking and values of runs with those by all labels; coverage is the share "
                "of runs and trials whose 95 % interval holds the value by all labels; infAP's interval is the "
                "paper's. The Kolmogorov-Smirnov test asks of each run whether the errors divided by their estimated "
                "deviations may be standard normal.",
            ),
            tuple(notes_on_runs(pool, list(dict.fromkeys(targets)), pool.judgments, self.run_indices)),
            {**self.settings(), "trials": self.trials},
        )  # fmt: skip


def _contributing(pool: Campaign, names: Sequence[str] | None, depths: Sequence[int]) -> tuple[str, ...]:
    """Names of the contributing runs."""
    if names is not None:
        return tuple(pool.runs[pool.run_number(run)] for run in names)
    # A shallow pool has no run judged to depth 100; the deepest depth of the study is enough for its designs.
    for depth in (POOL_DEPTH, max(depths, default=1)):
        contributing = tuple(run for number, run in enumerate(pool.runs) if _top_is_judged(pool, number, depth))
        if len(contributing) > 1:
            return contributing
    return tuple(pool.runs)


def _share_of(pool: Campaign, contributing: tuple[str, ...], depth: int) -> float:
    """The share of the labels in a depth-k pool with as many random documents, the same in every trial."""
    sample = pool.judgments.sample("depth_plus_random", depth=depth, contributing=contributing)
    # Six decimals: the share is shown and stored, and must give the same sample when it is read back.
    return round(sample.count() / pool.judgments.count(), 6)


def _top_is_judged(pool: Campaign, run: int, depth: int) -> bool:
    """Whether the whole top of a run is judged, on every topic."""
    retrieved = np.asarray(pool.retrieved())[run]
    labels, offsets = pool.judgments.labels, pool.judgments.offsets
    for topic, count in enumerate(retrieved.tolist()):
        ranks, documents = (np.asarray(values) for values in pool.known(run, topic))
        known = labels[offsets[topic] + documents[ranks <= depth].astype(np.int64)]
        if np.count_nonzero(is_judged(known)) < min(depth, count):
            return False
    return True
