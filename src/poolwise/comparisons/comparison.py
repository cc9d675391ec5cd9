"""The result of a comparison: pairs of runs with p values, groups and conclusions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics.extras import frame
from poolwise.basics.numbers import TIE, best_first
from poolwise.basics.results import Result
from poolwise.comparisons.conclusion import method, tiers_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

__all__ = ["Comparison"]

MOST_GROUPS = 8  # more groups of letters than this overlap in ways that nobody reads


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Tests of pairs of runs by one measure; arrays have one entry per pair.

    `difference` is the mean of `run_a` minus that of `run_b`, `low` and `high` bound it at level 1 - alpha for the pair
    alone (for a simultaneous test, such as Tukey's, for all pairs together). `effect` is the effect size, Cohen's d_z:
    the mean difference over the standard deviation of the differences over topics. `p_error` is the Monte Carlo
    standard error of `p`; `asl` is the plain share of resamples at least as extreme, NaN for tests that do not
    resample. `groups` gives each run letters: runs that share one cannot be told apart (empty when baselines were
    given); `tiers` are coarser, and what tables show where letters need more than eight groups. `could_be_undone` marks
    significant differences that other labels of unjudged documents could turn around, where scores know their
    judgments; it looks down to the measure's cut-off, or without one down to the depth of the pool.
    `topics_drawn_of` says of how many topics those of estimates were drawn, None if all were judged; `complete` that
    the whole pool is judged, so that nothing is left to estimate.
    """

    measure: str
    test: str
    correction: str
    alpha: float
    runs: tuple[str, ...]
    means: Floats
    topics: int
    baselines: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    difference: Floats
    p: Floats
    p_corrected: Floats
    low: Floats
    high: Floats
    effect: Floats
    asl: Floats
    p_error: Floats
    groups: dict[str, str]
    conclusion: str
    resamples: int
    exact: bool
    seed: int | np.random.Generator
    could_be_undone: NDArray[np.bool_]
    warnings: tuple[str, ...] = ()
    topics_drawn_of: int | None = None
    complete: bool = False

    @property
    def run_a(self) -> list[str]:
        """First run of every pair."""
        return [self.runs[index] for index in self.first]

    @property
    def run_b(self) -> list[str]:
        """Second run of every pair."""
        return [self.runs[index] for index in self.second]

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether each pair differs: corrected p below alpha."""
        return np.asarray(self.p_corrected < self.alpha - TIE)

    @property
    def tiers(self) -> dict[str, int]:
        """Tier of each run, best first: 1 cannot be told apart from the best run; empty when baselines were given.

        Every further tier is the best run that is left and those of the rest that cannot be told apart from that one.

        >>> from poolwise import compare
        >>> compare(np.random.default_rng(1).random((3, 40)) + [[0.1], [0.0], [0.4]], test="t").tiers
        {'3': 1, '1': 2, '2': 2}
        """
        if self.baselines:
            return {}
        order = self._order()
        tiers = tiers_of(self.different()[np.ix_(order, order)])
        return {self.runs[index]: tier for index, tier in zip(order, tiers, strict=True)}

    @property
    def in_tiers(self) -> bool:
        """Whether tables show tiers: letters need too many groups to be read."""
        mark = "," if any("," in letters for letters in self.groups.values()) else ""
        names = {name for letters in self.groups.values() for name in (letters.split(mark) if mark else letters)}
        return len(names) > MOST_GROUPS

    @property
    def method(self) -> str:
        """How the pairs were tested, for a footnote."""
        return method(self)

    def matrix(self) -> Floats:
        """Return the corrected p values as runs x runs; NaN where a pair was not compared.

        >>> from poolwise import compare
        >>> scores = np.random.default_rng(1).random((2, 40))
        >>> compare(scores, test="t").matrix().round(3).tolist()
        [[nan, 0.286], [0.286, nan]]
        """
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        table[self.first, self.second] = table[self.second, self.first] = self.p_corrected
        return table

    def different(self) -> NDArray[np.bool_]:
        """Return which runs differ significantly, as runs x runs."""
        return np.asarray(np.nan_to_num(self.matrix(), nan=1.0) < self.alpha - TIE)

    def wins(self) -> NDArray[np.bool_]:
        """Return which runs (rows) are significantly better than which others (columns)."""
        table = np.zeros((len(self.runs), len(self.runs)), dtype=np.bool_)
        table[self.first, self.second] = self.significant & (self.difference > 0)
        table[self.second, self.first] = self.significant & (self.difference < 0)
        return table

    def ranking(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Rank the runs from best to worst.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.

        Returns
        -------
        data frame
            Run, mean, group, tier, and how many it is better and worse than.
        """
        return frame(self.ranking_columns(), backend)

    def plot(self) -> Any:
        """Draw who beats whom: differences of all pairs that are significant, best run first.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.comparisons.comparison_shown import comparison_figure
        from poolwise.show.figures import plotly_figure

        return plotly_figure(comparison_figure(self))

    def details(self) -> dict[str, Any]:
        """Settings, means, groups, conclusion and the pairs."""
        names = (
            "measure", "test", "correction", "alpha", "topics", "groups", "tiers", "conclusion", "resamples", "exact",
            "runs", "means", "baselines", "seed", "warnings",
        )  # fmt: skip
        return {**{name: getattr(self, name) for name in names}, "pairs": self.columns()}

    def headline(self) -> str:
        """The conclusion."""
        return self.conclusion

    def overview(self, letters: bool = False) -> dict[str, list[Any]]:
        """The runs from best to worst, with their groups or tiers.

        Parameters
        ----------
        letters : bool
            Letters of groups also where they are too many to be read; they come last then, where they hide nothing.

        Returns
        -------
        dict
            Lists by name of column.
        """
        columns = {self.measure if name == "mean" else name: values for name, values in self.ranking_columns().items()}
        if self.in_tiers and letters:
            columns["group"] = columns.pop("group")
        del columns["group" if self.in_tiers and not letters else "tier"]
        return columns

    def to_markdown(self, digits: int = 4) -> str:
        """Give the runs from best to worst, or what they differ from the baselines by, as `poolwise compare` does.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table in Markdown; the highest mean is bold.
        """
        from poolwise.comparisons.comparison_shown import comparison_table

        return comparison_table(self, digits=digits).to_markdown()

    def to_latex(self, digits: int = 4) -> str:
        """Give the same table as a LaTeX tabular.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table; the highest mean is bold.
        """
        from poolwise.comparisons.comparison_shown import comparison_table

        return comparison_table(self, digits=digits).to_latex()

    def columns(self) -> dict[str, Any]:
        """One row per pair: run_a, run_b, difference, p, p_corrected and more."""
        return {
            "run_a": self.run_a,
            "run_b": self.run_b,
            "difference": self.difference,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "significant": self.significant,
            "low": self.low,
            "high": self.high,
            "effect": self.effect,
            "asl": self.asl,
            "p_error": self.p_error,
            "could_be_undone": self.could_be_undone,
            "measure": [self.measure] * len(self.difference),
        }

    def ranking_columns(self) -> dict[str, list[Any]]:
        """Runs from the highest mean down, their groups, how many they beat and how many beat them."""
        wins, order, tiers = self.wins(), self._order(), self.tiers
        return {
            "run": [self.runs[index] for index in order],
            "mean": self.means[order].tolist(),
            "group": [self.groups.get(self.runs[index], "") for index in order],
            "tier": [tiers.get(self.runs[index]) for index in order],
            "better_than": wins.sum(axis=1)[order].tolist(),
            "worse_than": wins.sum(axis=0)[order].tolist(),
        }

    def _order(self) -> NDArray[np.intp]:
        """The runs from the highest mean down."""
        return np.array(best_first(self.means), dtype=np.intp)
