"""What do negative labels do to nDCG: ignored, kept, or normalised by the worst ranking? [G20]"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from poolwise.agree.correlation import mean_ranks, spearman_rho
from poolwise.checks import choice, seed_number, whole
from poolwise.compare.discrimination import discriminative_power
from poolwise.reliability.error_rate import COUNTED, error_rates
from poolwise.reliability.generalizability import reliability as reliability_of
from poolwise.score.registry import parse
from poolwise.show.column_words import Words
from poolwise.show.figures import curves, run_points, thinned
from poolwise.show.items import Table
from poolwise.study.reliability_study import numbers_of_topics
from poolwise.study.shared.choices import checked_cutoffs, kept_runs, percent
from poolwise.study.shared.collection import properties
from poolwise.study.shared.conduct import Experiment, conduct
from poolwise.study.shared.label_bounds import DISCOUNTS, TITLE, LabelBounds, check_labels, labels_alone, weights_of
from poolwise.study.shared.study_result import Study

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, Unpack

    from poolwise.campaign import Campaign
    from poolwise.show.items import Figure
    from poolwise.study.shared.conduct import Arrays, How


# [G20] section 5.
CUTOFFS = (5, 10, 15, 20)
# The paper's names, and how nDCG is asked for that.
VARIANTS = {"NDCG_org": "keep", "NDCG_0": "zero", "NDCG_min": "minmax"}
ALPHA = 0.05
NUMBERS = ("system", "topic", "interaction", "phi", "phi_low", "phi_high", "rho2", "topics_for_phi95")


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
    **how: Unpack[How],
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
        kept=tuple(kept_runs(campaign, retrieved, top).tolist()),
    )
    return conduct(experiment, campaign, how)


@dataclass(frozen=True, kw_only=True)
class Negative(Experiment):
    """The study's settings and its work; a unit is a cut-off."""

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
        """Everything about the three variants at a cut-off, variants first."""
        measures = [str(self.measure(name, int(unit))) for name in VARIANTS]
        scores = pool.score(*measures, threads=threads)
        values = np.stack([scores.array(measure)[list(self.kept)] for measure in measures])
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
        """What the variants say."""
        shown = _Outcome(self, pool, dict(zip(self.cutoffs, results, strict=True)))
        parts: list[Table | Figure] = [
            shown.bounds.label_table(), shown.bounds_table(), shown.bounds.figure(), shown.spearman_table(),
            *shown.rank_parts(), shown.phi_figure(), shown.phi_table(), *shown.error_parts(), *shown.asl_parts(),
            properties(pool, self.kept),
        ]  # fmt: skip
        doubts = [note for result in results for note in result["warnings"].tolist()]
        scores = pool.score(*(self.measure(name, self.cutoffs[-1]) for name in VARIANTS))
        return Study(
            self.name,
            TITLE,
            tuple(shown.in_words()),
            tuple(parts),
            self._methods(),
            tuple(dict.fromkeys((*scores.warnings, *doubts))),
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


@dataclass(frozen=True)
class _Outcome:
    """Results by cut-off, and what is shown of them."""

    asked: Negative
    pool: Campaign
    results: dict[int, Arrays]

    @property
    def runs(self) -> list[str]:
        return [self.pool.runs[run] for run in self.asked.kept]

    @property
    def bounds(self) -> LabelBounds:
        """What follows from the labels alone."""
        return LabelBounds(*self.pool.judgments.label_counts(), self.asked.cutoffs)

    def bounds_table(self) -> Table:
        """[G20] table 2a, in every reading, and how low these runs fall."""
        below = [result["below"] for result in self.results.values()]
        more: dict[str, list[Any]] = {
            "scores_below_0": [float(values[0]) for values in below],
            "lowest_score": [float(values[1]) for values in below],
            "lowest_mean": [float(result["means"][0].min()) for result in self.results.values()],
        }
        words = " Then the share of scores of these runs below 0, the lowest of them, and the lowest mean of a run."
        return self.bounds.bounds_table(more, words)

    def rhos(self, cutoff: int) -> dict[tuple[str, str], float]:
        """Spearman's rho of all pairs of variants."""
        means = dict(zip(VARIANTS, self.results[cutoff]["means"], strict=True))
        return {(a, b): float(spearman_rho(means[a], means[b])) for a, b in itertools.combinations(VARIANTS, 2)}

    def spearman_table(self) -> Table:
        """[G20] table 2b."""
        rows = [(cutoff, a, b, rho) for cutoff in self.asked.cutoffs for (a, b), rho in self.rhos(cutoff).items()]
        over_rows = [float(value) for cutoff in self.asked.cutoffs for value in self.results[cutoff]["row_rho"]]
        columns: dict[str, list[Any]] = {
            "cutoff": [cutoff for cutoff, _, _, _ in rows],
            "measure_a": [a for _, a, _, _ in rows],
            "measure_b": [b for _, _, b, _ in rows],
            "rho": [rho for _, _, _, rho in rows],
            "rho_rows": over_rows,
            "canonical_a": [str(self.asked.measure(a, cutoff)) for cutoff, a, _, _ in rows],
            "canonical_b": [str(self.asked.measure(b, cutoff)) for cutoff, _, b, _ in rows],
        }
        note = (
            "rho: of the means of runs, as the paper says; rho_rows: of all scores of runs on topics, as its code does."
        )
        return Table("Spearman's rho of the rankings of runs", columns, note, file="spearman")

    def rank_parts(self) -> list[Table | Figure]:
        """[G20] figure 2c: each run's rank by one variant against that by another."""
        figures: list[Table | Figure] = []
        columns: dict[str, list[Any]] = {"run": self.runs}
        for cutoff in self.asked.cutoffs:
            means = self.results[cutoff]["means"]
            ranks = dict(zip(VARIANTS, mean_ranks(means), strict=True))
            groups = {name: (ranks["NDCG_0"], ranks[name]) for name in ("NDCG_org", "NDCG_min")}
            note = "Rank 1 is the best run; off the dotted line the two disagree."
            title = f"Ranks of runs, k = {cutoff}"
            figures.append(run_points(title, groups, self.runs, "rank by NDCG_0", "rank by the other", note=note))
            for name, values in zip(VARIANTS, means, strict=True):
                columns[f"{name}@{cutoff}"] = values.tolist()
                columns[f"rank by {name}@{cutoff}"] = ranks[name].tolist()
        heads = {name: Words("rank", f"R{name[1:]}") for name in columns if name.startswith("rank by ")}
        table = Table("Runs", columns, "Mean scores, each with its rank.", file="runs", heads=heads)
        return [*figures[-1:], *figures[:-1], table]

    def phi_table(self) -> Table:
        """[G20] table 2d."""
        columns = self._rows()
        for place, name in enumerate(NUMBERS):
            columns[name] = [float(row[place]) for result in self.results.values() for row in result["reliability"]]
        return Table("Reliability", columns, "low and high: 95 % interval of Phi.", file="phi")

    def phi_figure(self) -> Figure:
        """Phi against cut-off."""
        place, low, high = (NUMBERS.index(name) for name in ("phi", "phi_low", "phi_high"))
        phi = np.stack([result["reliability"] for result in self.results.values()])
        lines = {name: (self.asked.cutoffs, phi[:, v, place]) for v, name in enumerate(VARIANTS)}
        bands = {name: (phi[:, v, low], phi[:, v, high]) for v, name in enumerate(VARIANTS)}
        note = f"At this campaign's {len(self.pool.topics)} topics. Bands: 95 % intervals."
        return curves("Phi against cut-off", lines, "k", "Phi", bands=bands, note=note)

    def error_parts(self) -> list[Table | Figure]:
        """[G20] figure 2e, and the same with no tolerance."""
        sizes = numbers_of_topics(len(self.pool.topics))
        columns: dict[str, list[Any]] = {"cutoff": [], "measure": [], "topics": []}
        figures: list[Table | Figure] = []
        for cutoff, result in self.results.items():
            for v, name in enumerate(VARIANTS):
                columns["cutoff"] += [cutoff] * len(sizes)
                columns["measure"] += [name] * len(sizes)
                columns["topics"] += sizes
                for place, column in enumerate(("error_rate", "error_rate_at_0")):
                    columns.setdefault(column, []).extend(result["rates"][v, place].tolist())
        shares = (self.asked.tolerance, 0.0)
        for place, tolerance in enumerate(shares):
            for cutoff in dict.fromkeys((self.asked.cutoffs[0], self.asked.cutoffs[-1])):
                rates = self.results[cutoff]["rates"]
                lines = {name: (sizes, 100 * rates[v, place]) for v, name in enumerate(VARIANTS)}
                title = f"Error rate, k = {cutoff}, tolerance {percent(tolerance)}"
                figures.append(curves(title, lines, "topics", "error rate, %", markers=False))
        return [*figures, Table("Error rates against topics", columns, file="error_rate")]

    def asl_parts(self) -> list[Table | Figure]:
        """[G20] figure 2f, and discriminative power."""
        figures: list[Table | Figure] = []
        columns = self._rows()
        columns["power"], columns["difference_required"] = [], []
        for cutoff, result in self.results.items():
            lines = {name: thinned(result["asl"][v]) for v, name in enumerate(VARIANTS)}
            title = f"Achieved significance levels, k = {cutoff}"
            note = "All pairs of runs, sorted; the lower the curve, the more are told apart."
            figures.append(curves(title, lines, "pairs of runs", "ASL", note=note, markers=False, level=ALPHA))
            for power, required in result["power"].tolist():
                columns["power"].append(power)
                columns["difference_required"].append(required)
        note = f"Share of pairs with an achieved significance level below {ALPHA}, and the difference that it takes."
        return [*figures, Table("Discriminative power", columns, note, file="power")]

    def _rows(self) -> dict[str, list[Any]]:
        return {
            "cutoff": [cutoff for cutoff in self.asked.cutoffs for _ in VARIANTS],
            "measure": [name for _ in self.asked.cutoffs for name in VARIANTS],
        }

    # ---- Words -----------------------------------------------------------------------------------------------------

    def in_words(self) -> list[str]:
        """The plain summary."""
        deepest = self.asked.cutoffs[-1]
        below = 100 * float(self.results[deepest]["below"][0])
        said = [f"{self.bounds.in_words()}; of the scores of these {len(self.runs)} runs {below:.1f} % are below 0."]
        zero, minmax, between = self.rhos(deepest).values()
        said.append(
            f"NDCG_0 ranks the runs like NDCG_org with a Spearman's rho of {zero:.2f}, NDCG_min with {minmax:.2f}; "
            f"NDCG_0 and NDCG_min agree with {between:.2f}."
        )
        return [*said, self._phi_words(deepest), self._error_words(deepest), self._power_words(deepest)]

    def _phi_words(self, cutoff: int) -> str:
        rows = dict(zip(VARIANTS, self.results[cutoff]["reliability"], strict=True))
        phi, low, high = (NUMBERS.index(name) for name in ("phi", "phi_low", "phi_high"))
        listed = ", ".join(
            f"{name} {row[phi]:.3f} ({row[low]:.3f} to {row[high]:.3f})"
            for name, row in sorted(rows.items(), key=lambda pair: -pair[1][phi])
        )
        return f"Phi at k = {cutoff}: {listed}."

    def _error_words(self, cutoff: int) -> str:
        sizes = numbers_of_topics(len(self.pool.topics))
        half = max(len(sizes) // 2 - 1, 0)
        rates = 100 * self.results[cutoff]["rates"][:, :, half]
        parts = [
            ", ".join(f"{name} {rate:.1f} %" for name, rate in zip(VARIANTS, rates[:, i], strict=True)) for i in (0, 1)
        ]
        return (
            f"Error rate on {sizes[half]} topics at k = {cutoff}: {parts[0]}. At tolerance 0, where high means are no "
            f"advantage: {parts[1]}."
        )

    def _power_words(self, cutoff: int) -> str:
        powers = self.results[cutoff]["power"][:, 0]
        listed = ", ".join(f"{name} {100 * power:.0f} %" for name, power in zip(VARIANTS, powers, strict=True))
        return f"Pairs of runs told apart at k = {cutoff}: {listed}."
