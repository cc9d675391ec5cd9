"""Results of `estimate_items`: means with intervals, and differences."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.basics.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["DifferenceMean", "ItemDifferences", "ItemEstimate", "ItemMean"]


@dataclass(frozen=True)
class ItemMean:
    """A mean with its interval. `plain` is the mean of the labelled items, without predictions.

    `needed` is how many labels of this system, in all, give the width that was wanted.
    """

    system: str
    group: str
    items: int
    labelled: int
    value: float
    low: float
    high: float
    plain: float
    plain_low: float
    plain_high: float
    weight: float
    needed: int | None


@dataclass(frozen=True)
class DifferenceMean(ItemMean):
    """A difference as a mean: `labelled` items have a score of either system, `labelled_both` of both.

    `needed` is how many labels of the two systems together, in all, give the width that was wanted, if every item is
    labelled for both. `needed_apart` if items are drawn for either system by itself.
    """

    labelled_a: int
    labelled_b: int
    labelled_both: int
    needed_apart: int | None


@dataclass(frozen=True, eq=False, repr=False)
class ItemDifferences(Result):
    """Differences of systems on the same items, the first less the second.

    `labelled_a` and `labelled_b` count labels of either system, `labelled_both` items that have both. If a width was
    wanted, `labels_needed_paired` says how many labels, of both systems together and with those there are, give it if
    every item is labelled for both, `labels_needed_apart` if items are drawn for either system by itself.
    """

    rows: tuple[tuple[str, str, DifferenceMean], ...]
    level: float
    width: float | None = None
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair of systems, and group if there are such."""
        means = [mean for _, _, mean in self.rows]
        needed = {
            "labels_needed_paired": [mean.needed for mean in means],
            "labels_needed_apart": [mean.needed_apart for mean in means],
        }
        return {
            "system_a": [a for a, _, _ in self.rows],
            "system_b": [b for _, b, _ in self.rows],
            **_grouped(means),
            "items": [mean.items for mean in means],
            "labelled_a": [mean.labelled_a for mean in means],
            "labelled_b": [mean.labelled_b for mean in means],
            "labelled_both": [mean.labelled_both for mean in means],
            "difference": [mean.value for mean in means],
            **_ends(means),
            **({} if self.width is None else needed),
        }

    def headline(self) -> str:
        """The first difference in numbers, and the number of differences."""
        _, _, mean = self.rows[0]
        ends = f"{mean.low:.4g} to {mean.high:.4g}" if mean.low == mean.low else "no interval"
        sentence = f"{_named(mean)}: {mean.value:.4g} ({ends})"
        return sentence if len(self.rows) == 1 else f"{len(self.rows)} differences, the first {sentence}"

    def plot(self) -> Any:
        """Draw every difference with its interval, and a line at 0.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.rated_items.items_shown import differences_figure
        from poolwise.show.figures import plotly_figure

        return plotly_figure(differences_figure(self))


@dataclass(frozen=True, eq=False, repr=False)
class ItemEstimate(Result):
    """Means, or shares, of every system and group with intervals, and differences if they were asked for.

    `plain` in the table is the mean of the labelled items without predictions. `labels_needed` is there if a width was
    wanted: labels of that system in all. `differences` is None unless some were asked for.
    """

    rows: tuple[ItemMean, ...]
    differences: ItemDifferences | None
    share_from: float | None
    predictors: tuple[str, ...]
    interval: str
    level: float
    width: float | None
    scale: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per system and group."""
        named = {"system": [row.system for row in self.rows]} if any(row.system for row in self.rows) else {}
        needed = {} if self.width is None else {"labels_needed": [row.needed for row in self.rows]}
        return {
            **named,
            **_grouped(self.rows),
            "items": [row.items for row in self.rows],
            "labelled": [row.labelled for row in self.rows],
            "value": [row.value for row in self.rows],
            **_ends(self.rows),
            **needed,
        }

    def overview(self) -> dict[str, list[Any]]:
        """Systems, then differences, in one table; of these `labelled` counts the labels of both systems."""
        if self.differences is None:
            return self.columns()
        columns = self.columns()
        others = self.differences.columns()
        others["system"] = [mean.system for _, _, mean in self.differences.rows]
        others["value"] = others["difference"]
        others["labelled"] = [mean.labelled_a + mean.labelled_b for _, _, mean in self.differences.rows]
        if self.width is not None:
            others["labels_needed"] = others["labels_needed_paired"]
        return {name: [*column, *others[name]] for name, column in columns.items()}

    def headline(self) -> str:
        """The estimate in one sentence."""
        target = "mean" if self.share_from is None else f"share from {self.share_from:g} on"
        helpers = f", helped by {', '.join(self.predictors)}" if self.predictors else ", without predictions"
        widths = [(row.high - row.low, row.plain_high - row.plain_low) for row in self.rows]
        both = [(assisted, plain) for assisted, plain in widths if assisted == assisted and plain > 0]
        ratio = (
            sum(assisted for assisted, _ in both) / sum(plain for _, plain in both)
            if both and self.predictors
            else None
        )
        narrower = "" if ratio is None else f"; intervals are {ratio:.2f} times as wide as without predictions"
        return f"{target} of all items from the labelled ones{helpers}, {100 * self.level:g} % intervals{narrower}"

    def plot(self) -> Any:
        """Draw every system and group with its interval, beside that of the plain mean.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.rated_items.items_shown import items_figure
        from poolwise.show.figures import plotly_figure

        return plotly_figure(items_figure(self))


def _named(mean: ItemMean) -> str:
    return " ".join(part for part in (mean.system, mean.group) if part)


def _grouped(rows: Sequence[ItemMean]) -> dict[str, list[str]]:
    return {"group": [row.group for row in rows]} if any(row.group for row in rows) else {}


def _ends(rows: Sequence[ItemMean]) -> dict[str, list[float]]:
    return {name: [getattr(row, name) for row in rows] for name in ("low", "high", "plain", "plain_low", "plain_high")}
