"""Effects of negative labels on nDCG: ignored, used, or normalised by the worst ranking [G20]."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from poolwise.basics.settings import choice, seed_number, whole
from poolwise.comparisons.discrimination import discriminative_power
from poolwise.lab.study.choices import checked_cutoffs, numbers_of_topics, percent, properties, selected_runs
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.negative_results import (
    DISCOUNTS,
    NUMBERS,
    TITLE,
    VARIANTS,
    NegativeResults,
    check_labels,
    labels_alone,
    weights_of,
)
from poolwise.lab.study.result import Study
from poolwise.measures.registry import parse
from poolwise.scores.scoring import notes_on_runs
from poolwise.show.parts import Table
from poolwise.trust.error_rates import COUNTED, error_rates
from poolwise.trust.generalizability import reliability as reliability_of
from poolwise.trust.rank_correlation import spearman_rho

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, Unpack

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.show.parts import Figure


# [G20] section 5.
CUTOFFS = (5, 10, 15, 20)


def negative(
    pool: Campaign | Mapping[str, Mapping[str, int]] | str,
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    discount: Literal["log2", "jk", "ln"] = "log2",
    judged_only: bool = False,
    draws: int = 200,
    tolerance: float = 0.05,
    counted: Literal["means", "topics"] = "means",
    resamples: int = 1000,
    seed: int | np.random.Generator = 0,
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[Execution],
) -> Study:
    """Compare nDCG that keeps negative gains (NDCG_org), sets them to 0 (NDCG_0), or normalises by them (NDCG_min).

    Shows how low nDCG can fall, how the three rank the runs, and their reliability, error rates and discriminative
    power at every cut-off.

    Parameters
    ----------
    pool : Campaign, or judgments alone
        A campaign with negative labels; or a qrels file or mapping, from which follows what does not need runs: the
        ratios of labels and how low nDCG can fall.
    cutoffs : sequence of int
        Of nDCG.
    discount : {"log2", "jk", "ln"}
        What the paper says, what its repaired code has, and what release 1.0.0 of it has.
    judged_only : bool
        Whether documents that are not judged are taken out of the lists first, as the paper's code does.
    draws : int
        Random sets of topics of every size, for error rates.
    tolerance : float
        Two means are equal if they differ by at most this share of the larger one; the rate at tolerance 0 stands
        beside.
    counted : {"means", "topics"}
        What error rates count: means over sets of topics, or the topics that a run wins, as the paper words it.
    resamples : int
        Resamples of topics, for discriminative power.
    seed : int or Generator
        Of draws and resamples.
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Tables `labels`, `bounds`, `spearman` and more; figures; a summary.

    References
    ----------
    [G20].

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=6, topics=12, depth=50, negative=0.2, seed=1).pool()
    >>> study = pw.study.negative(pool, cutoffs=[5, 10])
    >>> study.tables["labels"].columns["label"]
    [-2, 0, 1, 2]
    """
    choice("discount", discount, tuple(DISCOUNTS))
    choice("counted", counted, COUNTED)
    if not hasattr(pool, "judgments"):
        return labels_alone(pool, checked_cutoffs(cutoffs))
    campaign: Campaign = pool  # type: ignore[assignment]
    check_labels(campaign.judgments.distinct_labels())
    experiment = Negative(
        cutoffs=checked_cutoffs(cutoffs),
        discount=discount,
        judged_only=bool(judged_only),
        counted=counted,
        draws=whole("draws", draws, 1),
        tolerance=tolerance,
        resamples=whole("resamples", resamples, 20),
        seed=seed_number(seed),
        run_indices=tuple(selected_runs(campaign, retrieved, top).tolist()),
    )
    return conduct(experiment, campaign, how)


@dataclass(frozen=True, kw_only=True)
class Negative(Experiment):
    """Settings and work of the study. A unit is a cut-off."""

    cutoffs: tuple[int, ...]
    discount: str
    judged_only: bool
    draws: int
    tolerance: float
    counted: str
    resamples: int
    name = "negative"

    def measure(self, name: str, cutoff: int) -> Any:
        """A variant as this study asks for it."""
        return variant(name, cutoff, self.discount, self.judged_only)

    def units(self) -> list[str]:
        """Cut-offs."""
        return [f"{cutoff:05d}" for cutoff in self.cutoffs]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """All results for a cut-off (variants on the first axis)."""
        measures = [str(self.measure(name, int(unit))) for name in VARIANTS]
        scores = pool.score(*measures, threads=threads)
        values = np.stack([scores.array(measure)[list(self.run_indices)] for measure in measures])
        sizes = numbers_of_topics(values.shape[2])
        rows, rates, powers = [], [], []
        notes: dict[str, None] = {}
        for table in values:
            reliability = reliability_of(table, resamples=self.resamples, seed=self.seed).to_dict()
            rows.append([reliability[name] for name in NUMBERS])
            notes |= dict.fromkeys(reliability["warnings"])
            errors = self._error_rates(table, sizes)
            rates.append([errors.rates, errors.exact_rates])
            powers.append(discriminative_power(table, resamples=self.resamples, seed=self.seed, threads=threads))
        return {
            "means": values.mean(axis=2),
            "row_rho": np.array(
                [float(spearman_rho(a.ravel(), b.ravel())) for a, b in itertools.combinations(values, 2)]
            ),
            "below": np.array([np.mean(values[0] < 0), values[0].min()]),
            "reliability": np.array(rows, dtype=np.float64),
            "rates": np.array(rates),
            "asl": np.array([power.curve for power in powers]),
            "power": np.array([[power.power, power.difference_required] for power in powers]),
            "warnings": np.array(list(notes), dtype=np.str_),
        }

    def _error_rates(self, table: Any, sizes: list[int]) -> Any:
        counted: Any = self.counted
        return error_rates(
            table, sizes=sizes, draws=self.draws, tolerance=self.tolerance, counted=counted, seed=self.seed
        )

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """The study from the results by cut-off."""
        shown = NegativeResults(self, pool, dict(zip(self.cutoffs, results, strict=True)))
        parts: list[Table | Figure] = [
            shown.bounds.label_table(), shown.bounds_table(), shown.bounds.figure(), shown.spearman_table(),
            *shown.rank_parts(), shown.phi_figure(), shown.phi_table(), *shown.error_parts(), *shown.asl_parts(),
            properties(pool, self.run_indices),
        ]  # fmt: skip
        doubts = [note for result in results for note in result["warnings"].tolist()]
        variants = [parse(self.measure(name, self.cutoffs[-1])).require() for name in VARIANTS]
        notes = notes_on_runs(pool, variants, pool.judgments, self.run_indices)
        return Study(
            self.name,
            TITLE,
            tuple(shown.in_words()),
            tuple(parts),
            self._methods(),
            tuple(dict.fromkeys((*notes, *doubts))),
            self.settings(),
        )

    def _methods(self) -> tuple[str, ...]:
        return (
            "NDCG_org keeps negative gains, NDCG_0 sets them to 0 as trec_eval does, NDCG_min is (DCG - worst) / "
            "(best - worst), where worst has the most negative gains first [G20]. Gains are labels; the discount is "
            f"{DISCOUNTS[self.discount]}. {'Documents that are not judged are taken out first.' * self.judged_only}",
            "A label's ratio is averaged over the topics that have the label, as in [G20] table 1. Phi follows from "
            "variance components as [K09] has it, with intervals from resamples of topics.",
            f"Error rate: {self.draws} random sets of m topics order every pair of runs by "
            f"{'their means over the set' if self.counted == 'means' else 'the topics of the set that each wins'}, the "
            f"less frequent order is the error. Values that differ by at most {percent(self.tolerance)} of the larger "
            "are equal, and ties are no errors. NDCG_min lies higher than the others where negative labels are many, "
            "so more of its "
            "means tie; the rate at tolerance 0 is free of that.",
            f"Achieved significance levels: bootstrap test of all pairs of runs, {self.resamples} resamples of topics, "
            f"seed {self.seed}.",
        )


def variant(name: str, cutoff: int, discount: str = "log2", judged_only: bool = False) -> Any:
    """A variant of nDCG by the paper's name.

    >>> variant("NDCG_min", 20)
    nDCG(negative='minmax')@20
    >>> variant("NDCG_org", 10, "jk", judged_only=True)
    nDCG'(discount='jk', negative='keep')@10
    """
    asked = parse("nDCG")(negative=VARIANTS[name], discount=weights_of(discount, cutoff))
    return (asked.condensed if judged_only else asked) @ cutoff
