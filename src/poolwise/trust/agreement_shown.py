"""The page of agreement between assessors: coefficients, who agrees with whom, confusions, topics."""

from __future__ import annotations

import numpy as np

from poolwise.basics.words import counted
from poolwise.show.figures import matrix
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table
from poolwise.trust.chance_corrected import COEFFICIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.campaign.assessor_effect import AssessorEffect
    from poolwise.campaign.model_effect import ModelEffect
    from poolwise.trust.label_agreement import Agreed, LabelAgreement

MOST_PAIRS = 20  # pairs of a table on the page; all are in the JSON
MOST_CONFUSIONS = 6  # pairs whose confusion is shown; all are in the JSON
ONESELF = "Documents that came again, unknown to the assessor; each counts alike."
OVERLAP = "Relevant by both / relevant by either: of what one of them calls relevant, the share that both do."


def agreement_page(
    agreement: LabelAgreement,
    command: str = "",
    assessors: AssessorEffect | None = None,
    model: ModelEffect | None = None,
) -> Page:
    """Make the page, with what labels do to runs if that is known."""
    parts: list[Table | Figure] = [*coefficients(agreement)]
    if len(agreement.assessors) > 2:
        parts.insert(1, _pairs(agreement))
    parts += [_confusion(agreement, names) for names in list(agreement.confusions)[:MOST_CONFUSIONS]]
    parts += [_by(agreement.by_topic, "Topics", "topic"), _by(agreement.by_stratum, "Strata", "stratum")]
    parts += effects(assessors, model)
    drawn = _sentence(weighting(agreement))
    sources = dict.fromkeys(each.source for each in COEFFICIENTS.values() if each.source)
    methods = [
        drawn,
        f"Binary: {_thresholds(agreement.rel)} and more are relevant. "
        f"Intervals of {100 * agreement.level:g} %, linearised. Sources: {'; '.join(sources)}.",
        *how_made(command),
    ]
    summary = [f"{agreement.headline()}.", _different(len(agreement.disagreements))]
    summary += [_sentence(each.headline()) for each in (assessors, model) if each is not None]
    return Page(
        "Agreement of assessors", summary, [part for part in parts if _filled(part)], methods, agreement.warnings
    )


def weighting(agreement: LabelAgreement) -> str:
    """Weights of documents, and the population of intervals, in words."""
    if agreement.sampled:
        return (
            "documents were drawn from a pool, and each counts for as many of its topic and stratum as there are for "
            "every one drawn: numbers are of the whole pool, and differ from shares of the documents in common"
        )
    return "all documents in common count alike; intervals say how far other topics might differ"


def _thresholds(rel: dict[str, float]) -> str:
    """The lowest relevant label, or that of each assessor where they differ.

    >>> _thresholds({"a": 2.0, "b": 2.0}), _thresholds({"a": 2.0, "b": 1.0})
    ('labels of 2', 'labels of 2 (a), 1 (b)')
    """
    if len(set(rel.values())) == 1:
        return f"labels of {next(iter(rel.values())):g}"
    return "labels of " + ", ".join(f"{value:g} ({name})" for name, value in rel.items())


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def effects(assessors: AssessorEffect | None, model: ModelEffect | None) -> list[Table]:
    """Tables of how labels change scores and ranks of runs."""
    tables = []
    if assessors is not None:
        about = f"Scores and ranks over {assessors.resamples} draws of one assessor per topic: 95 of 100 lie between."
        order = np.argsort(assessors.rank, kind="stable")
        ordered = _ordered(assessors.columns(), order)
        ordered |= {name: [f"{rank:g}" for rank in ordered[name]] for name in ("rank", "best", "worst")}
        tables.append(Table(f"Runs by {assessors.measure}", ordered, about, 4))
        shown = assessors.pairs[:MOST_PAIRS]
        columns: dict[str, list[Any]] = {
            "run": [pair[0] for pair in shown],
            "other": [pair[1] for pair in shown],
            "difference": [pair[2] for pair in shown],
            "swapped": [pair[3] for pair in shown],
        }
        tables.append(Table("Pairs that are swapped most often", columns, "Share of draws in which the other wins.", 4))
    if model is not None:
        about = (
            "favour: by how much a run comes off better by the model's labels than runs do on average; its interval "
            "holds for all runs together, p is corrected for their number."
        )
        order = np.argsort(-model.favour, kind="stable")
        named = {"by_model": f"by {model.model}", "low": "from", "high": "to"}
        columns = {named.get(name, name): column for name, column in _ordered(model.columns(), order).items()}
        tables.append(Table(f"Runs by {model.measure}, by people and by {model.model}", columns, about, 4))
        widths: dict[str, list[Any]] = {
            "labels of people": [model.labels], "width without": [model.width_without],
            f"width with {model.model}": [model.width_with], "labels saved": [f"{100 * model.saved:.0f} %"],
        }  # fmt: skip
        sentence = "Mean width of runs' intervals, with and without the model's labels as predictions."
        if not model.sampled:
            sentence += " Labels are complete; this is from a sample of them."
        tables.append(Table(f"What {model.model} saves", widths, sentence, 4))
    return tables


def _ordered(columns: dict[str, Any], order: Any) -> dict[str, list[Any]]:
    return {name: [column[index] for index in order.tolist()] for name, column in columns.items()}


def _filled(part: Table | Figure) -> bool:
    return isinstance(part, Figure) or any(len(column) for column in part.columns.values())


def coefficients(agreement: LabelAgreement) -> list[Table]:
    """Table of coefficients: all assessors, each with themselves, and pairs."""
    means = agreement.means if len(agreement.assessors) > 2 else ()
    together = [*means, *(row for row in agreement.rows if row.first == "all")]
    pairs = [row for row in agreement.rows if row.first != "all"]
    named = {"first": "first", "second": "second"}
    return [
        Table(
            "All together",
            _columns(together, {}),
            f"1 is full agreement, 0 what chance would give. {_sentence(weighting(agreement))}",
            3,
        ),
        *([_oneself(agreement.with_themselves)] if agreement.with_themselves else []),
        Table("Pairs of assessors", _columns(pairs, named), OVERLAP, 3),
    ]


def _oneself(rows: tuple[Agreed, ...]) -> Table:
    """Each assessor with themselves."""
    return Table("Each with themselves", _columns(list(rows), {"first": "assessor"}), ONESELF, 3)


def _columns(rows: list[Agreed], named: dict[str, str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {words: [getattr(row, name) for row in rows] for name, words in named.items()}
    columns["coefficient"] = [f"{COEFFICIENTS[row.coefficient].words}{_mean(row)}" for row in rows]
    for name, words in {
        "scale": "scale",
        "documents": "documents",
        "value": "value",
        "low": "from",
        "high": "to",
    }.items():
        columns[words] = [getattr(row, name) for row in rows]
    return columns


def _mean(row: Agreed) -> str:
    return ", mean of pairs" if row.first == "mean" else ""


def _pairs(agreement: LabelAgreement) -> Figure:
    """Kappa of every pair."""
    names = list(agreement.assessors)
    values = np.full((len(names), len(names)), np.nan)
    for row in agreement.rows:
        if (row.coefficient, row.scale) == ("kappa", "graded"):
            a, b = names.index(row.first), names.index(row.second)
            values[a, b] = values[b, a] = row.value
    return matrix("Cohen's kappa of pairs", names, list(values), "kappa")


def _confusion(agreement: LabelAgreement, names: tuple[str, str]) -> Table:
    first, second = names
    table = agreement.confusions[names]
    columns: dict[str, list[Any]] = {f"{first} said": [f"{value:g}" for value in agreement.values]}
    columns |= {f"{second}: {value:g}": table[:, index].tolist() for index, value in enumerate(agreement.values)}
    return Table(f"{first} and {second}", columns, "Documents of the pool by the labels of both.", 1)


def _by(rows: tuple[Agreed, ...], title: str, group: str) -> Table:
    shares = [row for row in rows if row.coefficient == "agreeing"]
    kappas = [row for row in rows if row.coefficient == "fleiss_kappa"]
    if len(shares) < 2:
        return Table(title, {})
    columns: dict[str, list[Any]] = {
        group: [row.first for row in shares],
        "documents": [row.documents for row in shares],
        "agreeing pairs": [row.value for row in shares],
        "from": [row.low for row in shares],
        "to": [row.high for row in shares],
        "Fleiss' kappa": [row.value for row in kappas],
        "kappa from": [row.low for row in kappas],
        "kappa to": [row.high for row in kappas],
    }
    return Table(title, columns, "Kappa has no value where everybody gave the same label.", 3)


def _different(number: int) -> str:
    return f"{counted(number, 'document')} {'has' if number == 1 else 'have'} different labels."
