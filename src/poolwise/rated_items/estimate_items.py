"""`estimate_items`: means, shares and differences of systems from a table of items of which few are labelled."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import warn_of
from poolwise.basics.words import counted, short
from poolwise.errors import ArgumentError, InputError
from poolwise.rated_items.item_means import EVERYTHING, ItemEstimator
from poolwise.rated_items.item_results import ItemDifferences, ItemEstimate
from poolwise.rated_items.item_table import item_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.rated_items.item_table import ItemTable

__all__ = ["estimate_items", "labels_of", "wanted_pairs"]

KINDS = ("labels", "both")
FAR = 4.0  # standard deviations of the number of labels


def estimate_items(
    items: Any,
    *,
    predictions: str | Sequence[str] | None = None,
    share_from: float | None = None,
    by: str | None = None,
    difference: Literal["all"] | tuple[str, str] | Sequence[tuple[str, str]] | None = None,
    interval: Literal["labels", "both"] = "labels",
    width: float | None = None,
    scale: tuple[float, float] | None = None,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> ItemEstimate:
    """Estimate the mean score of all items from the scores of those that were labelled, and from predictions for all.

    Labelled items must be a random draw: of all items, of each stratum where the table has a column `stratum`, or with
    the probabilities of a column `rate`. Predictions may be as wrong as they like: they make the interval narrower or
    do nothing.

    Parameters
    ----------
    items : path or table
        One row per item, or per system and item: CSV, TSV, JSON, JSON lines, Parquet, a data frame, a list of dicts.
        Columns are `item`, `system`, `score` (empty where there is none), `prediction`, and what `plan_items` adds.
    predictions : str or sequence of str, optional
        Columns of predictions; by default the first that is called `prediction` or the like.
    share_from : float, optional
        Estimate the share of items whose score is at least this, in place of the mean.
    by : str, optional
        A column of groups: each has a row, after the row of all.
    difference : {"all"}, pair of str, or sequence of pairs, optional
        Systems to subtract, the first less the second; "all" for every pair. Items labelled for both count as pairs,
        items labelled for one of the two count, too.
    interval : {"labels", "both"}
        About these items, whose labels are missing; or also about items like these, of which these are a sample.
    width : float, optional
        Say how many labels in all give intervals of this width: labels of a system for its mean, labels of both
        systems together for a difference.
    scale : pair of float, optional
        The lowest and highest score there can be; intervals are cut to that. By default, if at least ten
        scores are given and all are whole numbers at most 10 apart, the lowest and highest of them.
    level : float
        Level of the intervals.
    columns : mapping, optional
        What columns are called, as in `{"item": "question", "score": "human"}`.

    Returns
    -------
    ItemEstimate
        Values with intervals, beside those of the plain mean.

    Examples
    --------
    >>> rows = [{"score": float(n % 3 > 0) if n < 30 else None, "prediction": n % 3 > 0} for n in range(300)]
    >>> estimate_items(rows).columns()["value"]
    [0.6666666666666666]
    """
    checks.level(level)
    checks.choice("interval", interval, KINDS)
    if width is not None:
        checks.above_zero("width", width)
    table = item_table(items, predictions=predictions, by=by, columns=columns)
    notes = list(_usable_notes(table))
    table = labels_of(table)
    if np.isnan(table.score).all():
        raise InputError(f"{table.source.where}: {_no_score(table)}")
    if share_from is not None:
        share_from = checks.number("share_from", share_from)
    possible = None if scale is None else _checked_scale(table, scale)
    asked = ItemEstimator(table, level, share_from=share_from, both=interval == "both", width=width, scale=possible)
    rows = tuple(asked.rows())
    pairs = wanted_pairs(table, difference)
    pair_means = tuple(row for a, b in pairs for row in asked.differences(a, b))
    notes += asked.notes
    differences = ItemDifferences(pair_means, level, width) if pairs else None
    warnings = warn_of(dict.fromkeys(notes))
    return ItemEstimate(rows, differences, share_from, table.predictors, interval, level, width, asked.scale, warnings)


def _no_score(table: ItemTable) -> str:
    if table.has_scores:
        return "no item has a score; label some, drawn at random"
    found = short(", ".join(table.source.columns))
    return (
        f"no column is called score, or label, rating, human; found {found}: say which one it is with "
        "--columns score=..."
    )


def labels_of(table: ItemTable) -> ItemTable:
    """The table without scores of items that a plan did not draw: users chose them, so they are no random sample."""
    if table.round is None:
        return table
    return replace(table, score=np.where(table.round > 0, table.score, np.nan))


def _usable_notes(table: ItemTable) -> Iterator[str]:
    yield from _odd_rates(table)
    if table.round is None:
        return
    labelled = ~np.isnan(table.score)
    picked, missing = int((labelled & (table.round == 0)).sum()), int((~labelled & (table.round > 0)).sum())
    if picked:
        yield f"{counted(picked, 'score')} left out: their items were not drawn (round 0), so they speak for no others"
    if missing:
        yield f"{counted(missing, 'drawn item')} without a score: taken as missing at random"


def _odd_rates(table: ItemTable) -> Iterator[str]:
    """Note on sampling rates that contradict the number of labels. Variances depend on the rates."""
    known = ~np.isnan(table.rate)
    rates, labels = table.rate[known], int((~np.isnan(table.score[known])).sum())
    expected, spread = float(rates.sum()), math.sqrt(float(rates @ (1.0 - rates)))
    if abs(labels - expected) > FAR * spread + 1.0:
        yield (
            f"rates say that {expected:.0f} of {len(rates)} rows were drawn, but {labels} have a score; intervals go "
            "by rates, so give those at which these were drawn"
        )


def _checked_scale(table: ItemTable, scale: Any) -> tuple[float, float]:
    try:
        least, most = map(float, () if isinstance(scale, str) else scale)
    except (TypeError, ValueError):
        raise ArgumentError(f"scale={scale!r} is not understood; give the lowest and the highest score") from None
    if not least < most:
        raise ArgumentError(f"scale={scale!r} goes nowhere; give the lowest score, then the highest")
    for row in np.flatnonzero((table.score < least) | (table.score > most)).tolist():
        off = f"score {table.score[row]:g} is not on the scale from {least:g} to {most:g}"
        raise InputError(f"{table.source.row_name(row)}: {off}; mend one of the two")
    return least, most


def wanted_pairs(table: ItemTable, difference: Any) -> list[tuple[str, str]]:
    """Read what `difference` asks for: "all", one pair, or pairs."""
    if difference is None:
        return []
    if len(table.systems) < 2:
        raise ArgumentError(f"{table.source.where}: a difference needs two systems; a column system names them")
    if isinstance(difference, str) and difference == EVERYTHING:
        return list(combinations(table.systems, 2))
    pairs = [(str(a), str(b)) for a, b in checks.pairs(difference or None, "system")]
    for name in (name for pair in pairs for name in pair):
        checks.known_name("system", name, table.systems)
    return pairs
