"""Study of assessors: scores, ranks and decisions by the labels of several assessors.

Voorhees, Information Processing and Management 36(5), 2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from poolwise.basics import settings as checks
from poolwise.comparisons.significance_tests import CORRECTIONS, DEFAULT_CORRECTION
from poolwise.errors import InputError
from poolwise.lab.study.assessor_results import AssessorResults
from poolwise.lab.study.choices import checked_measures, properties, selected_runs
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.label_sets import LabelSets, label_sets
from poolwise.lab.study.result import Study
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure


MEASURES = ("AP", "nDCG@10")


def assessors(
    pool: Campaign,
    *,
    labels: Mapping[str, Any] | Sequence[Any] = (),
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    thresholds: float | Mapping[str, float] | None = None,
    mixtures: int = 1000,
    resamples: int = 200,
    alpha: float = 0.05,
    correction: str = DEFAULT_CORRECTION,
    top: int | None = None,
    seed: int | np.random.Generator = 0,
    **how: Unpack[Execution],
) -> Study:
    """Score runs by the labels of several assessors, and see what becomes of scores, ranks and decisions.

    Every label set takes the place of the judgments; a document that it does not label keeps the judgments' label, so
    that sets may cover all documents or a part of them. Then assessors are mixed: every topic is judged by one of those
    who labelled some of it, drawn at random, many times.

    Parameters
    ----------
    pool : Campaign
        A campaign with judgments, which are one of the label sets.
    labels : mapping or sequence
        Labels of each assessor or model: by name, or files (and folders of files), named by their names; anything that
        `label_agreement` takes.
    measures : str, Measure or sequence of these
        Measures to look at.
    thresholds : float or mapping, optional
        Brings sets to one scale: labels from this on become 1, others 0; by set where scales differ, "" being all
        others and "judgments" the judgments. Without it labels are taken as they are.
    mixtures : int
        How many are drawn.
    resamples : int
        Resamples of topics, for intervals of agreement between two rankings.
    alpha : float
        The level of significance of differences between runs, by paired t tests of all pairs.
    correction : {"holm", "bh", "none"}
        Of their p values.
    top : int, optional
        Only so many best runs by AP.
    seed : int or Generator
        Of mixtures and resamples.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Tables `sets`, `scores`, `rankings`, `decisions`, `winners`, `mixed`, `pairs`, `by_set`; figures; a summary.

    References
    ----------
    Voorhees, Information Processing and Management 36(5), 2000.

    Examples
    --------
    >>> import poolwise as pw
    >>> simulated = pw.simulate(runs=6, topics=8, depth=50, seed=1)
    >>> strict = {topic: {d: int(label > 1) for d, label in own.items()} for topic, own in simulated.qrels().items()}
    >>> study = pw.study.assessors(simulated.pool(), labels={"strict": strict}, mixtures=20, resamples=20)
    >>> study.tables["sets"].columns["set"]
    ['judgments', 'strict', 'union', 'intersection']
    """
    checks.choice("correction", correction, CORRECTIONS)
    if not labels:
        raise InputError("assessors compares label sets; give those of other assessors or models (--labels, labels=)")
    sets = label_sets(pool, labels, thresholds)
    experiment = AssessorsStudy(
        seed=checks.seed_number(seed),
        run_indices=tuple(selected_runs(pool, top=top).tolist()),
        measures=checked_measures(measures),
        sets=sets.names,
        mixtures=checks.whole("mixtures", mixtures, 1),
        resamples=checks.whole("resamples", resamples, 20),
        alpha=checks.alpha(alpha),
        correction=correction,
        labels=sets,
        notes=(*pool.warnings, *sets.agreement.warnings),
    )
    return conduct(experiment, sets.pool, how)


@dataclass(frozen=True, kw_only=True)
class AssessorsStudy(Experiment):
    """Settings and work of the study. A unit is a label set."""

    measures: tuple[Measure, ...]
    sets: tuple[str, ...]
    mixtures: int
    resamples: int
    alpha: float
    correction: str
    labels: LabelSets
    notes: tuple[str, ...]
    name = "assessors"

    def settings(self) -> dict[str, Any]:
        """All settings, with a digest of the labels."""
        # Notes repeat what the pool and labels show, and the labels themselves would make study.json as large
        # as the qrels.
        settings = {name: value for name, value in super().settings().items() if name != "notes"}
        return {**settings, "labels": sha256(self.labels.labels.tobytes()).hexdigest()[:16]}

    def units(self) -> Sequence[str]:
        """Numbers of label sets: their names may not be valid file names."""
        return [f"{number:05d}" for number in range(len(self.sets))]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Scores by one set: measures x runs x topics."""
        judgments = self.labels.placed.judgments(self.labels.labels[:, int(unit)])
        return {
            "scores": np.asarray(
                score_values(pool, list(self.measures), [judgments], threads, runs=list(self.run_indices))
            )[0]
        }

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Compare the sets and their mixtures."""
        runs = [pool.runs[run] for run in self.run_indices]
        outcome = AssessorResults(self, runs, np.stack([result["scores"] for result in results]))
        return Study(
            self.name,
            "What if others had judged?",
            tuple(outcome.in_words()),
            (*outcome.figures(), *outcome.tables(), properties(pool, self.run_indices)),
            self._methods(),
            self.notes,
            self.settings(),
        )

    def _methods(self) -> tuple[str, ...]:
        return (
            "Each label set takes the place of the judgments; documents that it does not label keep the judgments' "
            "label. In the union a document has the highest label that anyone gave it, in the intersection the lowest. "
            f"Mixed sets: every topic is judged by one of those who labelled some of it, drawn at random, "
            f"{self.mixtures} times, seed {self.seed} (Voorhees, Information Processing and Management 36(5), 2000).",
            f"Runs differ significantly by a paired t test of all pairs, alpha {self.alpha}, correction "
            f"{self.correction}. Intervals of tau, tau_AP and rank-biased overlap (persistence 0.9) are from "
            f"{self.resamples} resamples of topics, the same for both sets; those of mixed sets hold 95 of 100 "
            "mixtures.",
        )
