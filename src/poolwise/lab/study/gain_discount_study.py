"""Which gains and discounts make nDCG most stable, and does that hold for other topics? [K09]"""

from __future__ import annotations

import re
from dataclasses import dataclass

from poolwise.basics.settings import choice, seed_number, whole
from poolwise.lab.study.choices import checked_cutoffs, properties, selected_runs
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.gain_discount_results import BEST_RUNS, Optima
from poolwise.lab.study.optima import FREE, PROBLEMS, Best, SelectedRuns, best_of, grades_of, solve
from poolwise.lab.study.result import Study

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, Unpack

    import numpy as np

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.show.parts import Figure, Table


CUTOFFS = (10, 20, 100)  # ranks: two usual cut-offs, and that of [K09] figures 7 and 8


def gain_discount(
    pool: Campaign,
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    discounts: Literal["falling", "free"] = "falling",
    splits: int = 10,
    resamples: int = 1000,
    seed: int | np.random.Generator = 0,
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[Execution],
) -> Study:
    """Find the discounts and gains of nDCG with the highest Phi, and compare them with those in use.

    At every cut-off: discounts for linear gains, gains for the log2 discount (that may not fall with the label, and
    free), and both at once. Binary labels leave no gains to choose.

    Parameters
    ----------
    pool : Campaign
        A campaign.
    cutoffs : sequence of int
        Of nDCG.
    discounts : {"falling", "free"}
        "free" also seeks discounts that may rise with rank, as in [K09] figure 3.
    splits : int
        Random halves of topics and of runs that say what is left of an optimum where it was not fitted.
    resamples : int
        Resamples of topics.
    seed : int or Generator
        Of splits and resamples.
    retrieved : float
        Only runs that retrieved this share of the most documents.
    top : int, optional
        Only so many best runs by AP.
    **how
        How the work is done, as in `robustness`.

    Returns
    -------
    Study
        Tables `discounts`, `gains`, `phi` and more; figures; a summary.

    References
    ----------
    [K09].

    Examples
    --------
    >>> import poolwise as pw
    >>> study = pw.study.gain_discount(pw.simulate(runs=8, topics=10, depth=50, seed=1).pool(), cutoffs=[5], splits=1)
    >>> study.tables["phi"].columns["variant"][:4]
    ['optimal', 'log2', 'zipf', 'linear']
    """
    choice("discounts", discounts, ("falling", "free"))
    experiment = GainDiscount(
        cutoffs=checked_cutoffs(cutoffs),
        graded=len(grades_of(pool)) > 1,
        free=discounts == "free",
        splits=whole("splits", splits, 1),
        resamples=whole("resamples", resamples, 20),
        seed=seed_number(seed),
        run_indices=tuple(selected_runs(pool, retrieved, top).tolist()),
    )
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class GainDiscount(Experiment):
    """Settings and work of the study. A unit is a cut-off and a problem (discount, gain, or both)."""

    cutoffs: tuple[int, ...]
    graded: bool
    free: bool
    splits: int
    resamples: int
    name = "gain-discount"

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems: discount, and with graded labels gain and both."""
        return (*(PROBLEMS if self.graded else PROBLEMS[:1]), *([FREE] if self.free else []))

    def units(self) -> list[str]:
        """Cut-offs and problems."""
        return [f"{cutoff:05d}-{problem}" for cutoff in self.cutoffs for problem in self.problems]

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Find one optimum."""
        cutoff, _, problem = unit.partition("-")
        return solve(problem, SelectedRuns(pool, self.run_indices), int(cutoff), self.splits, self.seed)

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Compare the optima with the usual gains and discounts."""
        optima: dict[tuple[int, str], Best] = {}
        for unit, result in zip(self.units(), results, strict=True):
            cutoff, _, problem = unit.partition("-")
            optima[int(cutoff), problem] = best_of(result)
        shown = Optima(pool, self.run_indices, self.cutoffs, optima, self.splits, self.resamples, self.seed)
        parts: list[Table | Figure] = [
            *shown.weight_figures(), *shown.phi_figures(), shown.phi_table(), shown.held_out_table(),
            *shown.gain_parts(), *shown.ranking_parts(), *shown.asl_parts(), *shown.share_parts(),
            shown.discount_table(), properties(pool, self.run_indices),
        ]  # fmt: skip
        return Study(
            self.name,
            "Which gains and discounts make nDCG stable?",
            tuple(shown.in_words()),
            tuple(parts),
            self._methods(),
            (*shown.warnings, *_doubts(optima)),
            self.settings(),
        )

    def _methods(self) -> tuple[str, ...]:
        return (
            "Phi of a single topic, the share of the variance of scores that is due to runs, is maximised over the "
            "discounts of nDCG (not increasing with rank), over its gains (that of label 0 is 0; constrained: rising "
            "with the label), and over both at once [K09]. Discounts are chosen for linear gains, gains for the log2 "
            "discount. Exact gradients, several starts; no optimum is worse than the choices it is compared with.",
            f"Held out: {self.splits} random halves of topics (and of runs), fitted on one half, valued on the other, "
            f"both ways, seed {self.seed}. The paper does not do that. An optimum that is not ahead there fits these "
            "topics only.",
            f"Achieved significance levels: bootstrap test of all pairs of the best runs by AP, {BEST_RUNS} at most, "
            f"{self.resamples} resamples of topics, the same for all variants [S07, K09].",
        )


def _doubts(optima: Mapping[tuple[int, str], Best]) -> list[str]:
    """Doubts about the optima, each once with its cut-offs and problems. Numbers are in the tables."""
    affected: dict[str, dict[int, list[str]]] = {}
    for (cutoff, name), best in optima.items():
        for note in best.warnings:
            sentence = re.sub(r" \(mean Phi [^)]*\)", "", note)
            affected.setdefault(sentence, {}).setdefault(cutoff, []).append(name)
    return [
        f"{note}: {'; '.join(f'cut-off {cutoff}, {_and(names)}' for cutoff, names in where.items())}"
        for note, where in affected.items()
    ]


def _and(names: list[str]) -> str:
    """Names in words."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
