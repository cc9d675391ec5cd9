"""The page of agreement between assessors: coefficients, who agrees with whom, confusions, topics."""

from __future__ import annotations

import numpy as np

from poolwise.agree.chance_corrected import COEFFICIENTS
from poolwise.show.figures import matrix
from poolwise.show.items import Figure, Table
from poolwise.show.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.agree.assessors import Agreed, LabelAgreement

MOST_CONFUSIONS = 6  # pairs whose confusion is shown; all are in the JSON


def agreement_page(found: LabelAgreement, command: str = "") -> Page:
    """Make the page."""
    parts: list[Table | Figure] = [*coefficients(found)]
    if len(found.assessors) > 2:
        parts.insert(1, _pairs(found))
    parts += [_confusion(found, names) for names in list(found.confusions)[:MOST_CONFUSIONS]]
    parts += [_by(found.by_topic, "Topics", "topic"), _by(found.by_stratum, "Strata", "stratum")]
    drawn = (
        "Documents were drawn at known rates within topics and strata; all numbers are of the whole pool."
        if found.sampled
        else "All documents in common count; intervals say how far other topics might differ."
    )
    sources = dict.fromkeys(each.source for each in COEFFICIENTS.values() if each.source)
    methods = [
        drawn,
        f"Binary: labels of {found.rel:g} and more are relevant. Intervals of {100 * found.level:g} %, linearised. "
        f"Sources: {'; '.join(sources)}.",
        *([f"Command: {command}"] if command else []),
    ]
    summary = [f"{found.headline()}.", f"{len(found.disagreements)} documents have different labels."]
    return Page("Agreement of assessors", summary, [part for part in parts if _filled(part)], methods, found.warnings)


def _filled(part: Table | Figure) -> bool:
    return isinstance(part, Figure) or any(len(column) for column in part.columns.values())


def coefficients(found: LabelAgreement) -> list[Table]:
    """All assessors together, and pair by pair."""
    together = [row for row in found.rows if row.first == "all"]
    pairs = [row for row in found.rows if row.first != "all"]
    named = {"first": "first", "second": "second"}
    return [
        Table("All together", _columns(together, {}), "1 is full agreement, 0 what chance would give.", 3),
        Table("Pairs of assessors", _columns(pairs, named), "overlap: relevant by both of relevant by either.", 3),
    ]


def _columns(rows: list[Agreed], named: dict[str, str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {words: [getattr(row, name) for row in rows] for name, words in named.items()}
    columns["coefficient"] = [COEFFICIENTS[row.coefficient].words for row in rows]
    for name, words in {
        "scale": "scale",
        "documents": "documents",
        "value": "value",
        "low": "from",
        "high": "to",
    }.items():
        columns[words] = [getattr(row, name) for row in rows]
    return columns


def _pairs(found: LabelAgreement) -> Figure:
    """Kappa of every pair."""
    names = list(found.assessors)
    values = np.full((len(names), len(names)), np.nan)
    for row in found.rows:
        if (row.coefficient, row.scale) == ("kappa", "graded"):
            a, b = names.index(row.first), names.index(row.second)
            values[a, b] = values[b, a] = row.value
    return matrix("Cohen's kappa of pairs", names, list(values), "kappa")


def _confusion(found: LabelAgreement, names: tuple[str, str]) -> Table:
    first, second = names
    table = found.confusions[names]
    columns: dict[str, list[Any]] = {f"{first} said": [f"{value:g}" for value in found.values]}
    columns |= {f"{second}: {value:g}": table[:, place].tolist() for place, value in enumerate(found.values)}
    return Table(f"{first} and {second}", columns, "Documents of the pool by the labels of both.", 1)


def _by(rows: tuple[Agreed, ...], title: str, what: str) -> Table:
    shares = [row for row in rows if row.coefficient == "agreement"]
    kappas = [row.value for row in rows if row.coefficient == "fleiss_kappa"]
    if len(shares) < 2:
        return Table(title, {})
    columns: dict[str, list[Any]] = {
        what: [row.first for row in shares],
        "documents": [row.documents for row in shares],
        "agreeing pairs": [row.value for row in shares],
        "Fleiss' kappa": kappas,
    }
    return Table(title, columns, "Kappa has no value where everybody gave the same label.", 3)
