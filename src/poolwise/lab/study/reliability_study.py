"""How far can a campaign's comparison of runs be trusted, and how many topics does it need? [K09, G20]"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.basics.settings import seed_number, whole
from poolwise.basics.words import counted
from poolwise.lab.study.choices import (
    checked_measures,
    measure_rows,
    names,
    numbers_of_topics,
    percent,
    properties,
    selected_runs,
    trial_units,
)
from poolwise.lab.study.conduct import Experiment, conduct
from poolwise.lab.study.result import Study
from poolwise.scores.scoring import notes_on_runs
from poolwise.show.figures import curves, log_numbers, stacked
from poolwise.show.parts import Table
from poolwise.trust.components import Components
from poolwise.trust.error_rates import error_rates
from poolwise.trust.generalizability import reliability as reliability_of
from poolwise.trust.reliability import Interval, Reliability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Unpack

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays, Execution
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Figure

MEASURES = ("AP", "nDCG", "nDCG@10", "P@10", "bpref", "RBP", "RR")
GOOD = 0.95  # the Phi that [K09] asks for
LEVEL = 0.95  # nominal coverage of intervals


def reliability(
    pool: Campaign,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    draws: int = 200,
    tolerance: float = 0.05,
    resamples: int = 1000,
    seed: int | np.random.Generator = 0,
    retrieved: float = 0.0,
    top: int | None = None,
    **how: Unpack[Execution],
) -> Study:
    """Split the variance of scores into runs, topics and the rest, and say how many topics are needed.

    Parameters
    ----------
    pool : Campaign
        A campaign.
    measures : str, Measure or sequence of these
        Measures to look at.
    draws : int
        Random sets of topics of every size, for error rates.
    tolerance : float
        Two means are equal if they differ by at most this share of the larger one; the rate at tolerance 0 stands
        beside.
    resamples : int
        Resamples of topics, for the interval of Phi; that of E rho^2 is from the F distribution.
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
        Tables `reliability`, `error_rate` and more; figures; a summary.

    References
    ----------
    [K09] section 2.

    Examples
    --------
    >>> import poolwise as pw
    >>> study = pw.study.reliability(pw.simulate(runs=6, topics=12, depth=50, seed=1).pool(), measures=["AP", "P@10"])
    >>> study.tables["reliability"].columns["measure"]
    ['AP', 'P@10']
    """
    experiment = ReliabilityStudy(
        measures=checked_measures(measures),
        draws=whole("draws", draws, 1),
        tolerance=tolerance,
        resamples=whole("resamples", resamples, 1),
        seed=seed_number(seed),
        run_indices=tuple(selected_runs(pool, retrieved, top).tolist()),
    )
    return conduct(experiment, pool, how)


@dataclass(frozen=True, kw_only=True)
class ReliabilityStudy(Experiment):
    """Settings and work of the study. A unit is a measure."""

    measures: tuple[Measure, ...]
    draws: int
    tolerance: float
    resamples: int
    name = "reliability"

    def units(self) -> list[str]:
        """Measures, by number."""
        return trial_units(len(self.measures))

    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Components, intervals of the two ratios, and error rates of a measure."""
        scores = pool.score(self.measures[int(unit)], threads=threads)
        values = scores.array(scores.measures[0])[list(self.run_indices)]
        result = reliability_of(values, level=LEVEL, resamples=self.resamples, seed=self.seed)
        # Error rates need all sizes; the curve of Phi is a formula.
        sizes = numbers_of_topics(values.shape[1])
        rates = error_rates(values, sizes=sizes, draws=self.draws, tolerance=self.tolerance, seed=self.seed)
        return {
            "components": np.array(result.components),
            "absolute": np.array(result.signal_absolute),
            "relative": np.array(result.signal_relative),
            "rates": np.array([rates.rates, rates.exact_rates]),
            "warnings": np.array(result.warnings, dtype=np.str_),
        }

    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Coefficients, topics needed and error rates of all measures."""
        outcome = _ReliabilityOutcome(
            self, len(pool.topics), [self._reliability(pool, *pair) for pair in enumerate(results)], results
        )
        parts: list[Table | Figure] = [
            outcome.phi_figure(), outcome.reliability_table(), outcome.components_figure(), outcome.rho2_figure(),
            *outcome.error_figures(), outcome.error_table(), outcome.curve_table(), properties(pool, self.run_indices),
        ]  # fmt: skip
        doubts = [f"{result.measure}: {note}" for result in outcome.reliabilities for note in result.warnings]
        return Study(
            self.name,
            "How many topics does a comparison need?",
            tuple(outcome.in_words()),
            tuple(parts),
            self._methods(),
            (*notes_on_runs(pool, self.measures, pool.judgments, self.run_indices), *doubts),
            self.settings(),
        )

    def _reliability(self, pool: Campaign, index: int, result: Arrays) -> Reliability:
        return Reliability(
            measure=str(self.measures[index]),
            runs=len(self.run_indices),
            topics=len(pool.topics),
            components=Components(*result["components"].tolist()),
            signal_absolute=Interval(*result["absolute"].tolist()),
            signal_relative=Interval(*result["relative"].tolist()),
            level=LEVEL,
            resamples=self.resamples,
            seed=self.seed,
            missing="error",
            warnings=tuple(result["warnings"].tolist()),
        )

    def _methods(self) -> tuple[str, ...]:
        return (
            "Scores of runs on topics are split by a two-way random effects model into variance due to systems, due to "
            "topics, and their interaction with what is left; negative estimates become 0 [K09]. Phi(n) = system / "
            "(system + (topic + interaction) / n) says how far means over n topics are to be trusted, E rho^2(n) "
            "= system / (system + interaction / n) how far their order can.",
            f"{percent(LEVEL)} intervals: for E rho^2 from the F distribution, for Phi from {self.resamples} resamples "
            f"of topics (seed {self.seed}). That of Phi holds for these runs and other topics, that of E rho^2 for "
            "other "
            "runs as well, drawn like these.",
            f"Error rate [G20, after Buckley and Voorhees]: {self.draws} random sets of m topics, without replacement, "
            "order every pair of runs; the less frequent order of a pair is the error. Means are equal if they differ "
            f"by at most {percent(self.tolerance)} of the larger. That favours measures with high means, which tie "
            "more often, so the rate at tolerance 0 is shown as well. Sets of more than half of the topics overlap, "
            "and their errors fall to 0 whatever the measure.",
        )


@dataclass(frozen=True)
class _ReliabilityOutcome:
    """Results with their tables and figures."""

    asked: ReliabilityStudy
    topics: int
    reliabilities: list[Reliability]
    results: Sequence[Arrays]

    def reliability_table(self) -> Table:
        """One row per measure."""
        rows = [{name: column[0] for name, column in result.columns().items()} for result in self.reliabilities]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        note = "system, topic and interaction are variances; low and high are ends of intervals."
        same = ("topics", "runs", "level", "resamples")  # of all measures, and said elsewhere on the page
        return Table("Reliability", columns, note, file="reliability", only_in_file=same)

    def curve_table(self) -> Table:
        """Both coefficients against the number of topics."""
        tables = [result.curve().to_dict() for result in self.reliabilities]
        columns: dict[str, list[Any]] = {
            "measure": [r.measure for r, curve in zip(self.reliabilities, tables, strict=True) for _ in curve["topics"]]
        }
        for name in tables[0]:
            columns[name] = [value for curve in tables for value in curve[name]]
        return Table(
            "Phi and E rho^2 against topics",
            columns,
            "The file has E rho^2 and the ends of intervals too.",
            file="curve",
            wide=("measure", "topics", "phi"),
        )

    def error_table(self) -> Table:
        """Error rates, one row per measure and size."""
        columns = measure_rows(names(self.asked.measures), "topics", numbers_of_topics(self.topics))
        for index, name in enumerate(("error_rate", "error_rate_at_0")):
            columns[name] = np.concatenate([result["rates"][index] for result in self.results]).tolist()
        return Table("Error rates against topics", columns, file="error_rate", wide=("measure", "topics", "error_rate"))

    def phi_figure(self) -> Figure:
        """Phi against topics."""
        return self._coefficient(
            "Phi against topics", "phi", "Phi", "How far means over so many topics can be trusted, as values."
        )

    def rho2_figure(self) -> Figure:
        """E rho^2 against topics."""
        return self._coefficient("E rho^2 against topics", "rho2", "E rho^2", "The same for the order of the runs.")

    def _coefficient(self, title: str, name: str, label: str, note: str) -> Figure:
        tables = {result.measure: result.curve().to_dict() for result in self.reliabilities}
        lines = {measure: (curve["topics"], curve[name]) for measure, curve in tables.items()}
        bands = {measure: (curve[f"{name}_low"], curve[f"{name}_high"]) for measure, curve in tables.items()}
        note += f" Bands: {percent(LEVEL)} intervals. This campaign has {self.topics} topics; dotted: {GOOD}."
        return curves(title, lines, "topics", label, bands=bands, note=note, level=GOOD, xaxis=log_numbers(500))

    def components_figure(self) -> Figure:
        """Shares of variance."""
        shares = [np.array(result.components) / max(sum(result.components), 1e-300) for result in self.reliabilities]
        listed = [result.measure for result in self.reliabilities]
        parts = {
            name: [100 * share[index] for share in shares]
            for index, name in enumerate(("runs", "topics", "interaction"))
        }
        note = "Of a single score. Only the part due to runs is what an evaluation is after."
        return stacked("Where the variance of scores comes from", listed, parts, "% of variance", note)

    def error_figures(self) -> list[Figure]:
        """Error rates with the tolerance and at 0."""
        sizes = numbers_of_topics(self.topics)
        half = max(2, len(sizes) // 2)  # larger sets share topics, and err less whatever the measure
        figures = []
        for index, tolerance in enumerate((self.asked.tolerance, 0.0)):
            lines = {
                str(measure): (sizes[:half], 100 * result["rates"][index][:half])
                for measure, result in zip(self.asked.measures, self.results, strict=True)
            }
            note = "How often fewer topics order two runs the wrong way round, up to half of them." if index == 0 else (
                "The same with no tolerance: measures with high means have no advantage here."
            )  # fmt: skip
            title = f"Error rate, tolerance {percent(tolerance)}"
            figures.append(curves(title, lines, "topics", "error rate, %", note=note, markers=False))
        return figures

    def in_words(self) -> list[str]:
        """The plain summary."""
        order = sorted(self.reliabilities, key=lambda result: -_comparable(result.phi()))
        best, worst = order[0], order[-1]
        sentences = [f"{best.measure}: {best.in_words()}"]
        if len(order) > 1:
            sentences.append(f"{worst.measure}, the least reliable: {worst.in_words()}")
            needed = ", ".join(f"{result.measure} {_number(result.topics_for(phi=GOOD))}" for result in order)
            sentences.append(f"Topics needed for a Phi of {GOOD}: {needed}.")
        half = len(numbers_of_topics(self.topics)) // 2 - 1
        if half >= 0:
            sentences.append(self._error_words(half))
        return sentences

    def _error_words(self, index: int) -> str:
        size = numbers_of_topics(self.topics)[index]
        rates = np.array([result["rates"][:, index] for result in self.results])
        listed = names(self.asked.measures)
        least, at_0 = (int(np.argmin(rates[:, column])) for column in (0, 1))
        text = (
            f"With {counted(int(size), 'topic')} {listed[least]} orders {100 * rates[least, 0]:.1f} % of the pairs the "
            f"wrong way round at a tolerance of {percent(self.asked.tolerance)}"
            f"{', the least of these measures' if listed[1:] else ''}; at tolerance 0 "
        )
        if least == at_0:
            return text + f"it is {100 * rates[at_0, 1]:.1f} %{', again the least' if listed[1:] else ''}."
        return text + f"{listed[at_0]} has the least, {100 * rates[at_0, 1]:.1f} %."


def _comparable(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _number(needed: float) -> str:
    return str(math.ceil(needed)) if math.isfinite(needed) else "more than any number"
