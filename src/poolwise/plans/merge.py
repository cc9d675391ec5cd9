"""`merge`: labels of any format, merged into their plan.

What a plan drew it drew at random, so a label of a drawn document speaks for others. One that somebody picked by hand
speaks for itself alone. So labels of documents that were not drawn are refused, or left out with `drawn_only`, or with
`extra` put into a stratum of their own that is judged in full. The document leaves its old stratum: what was drawn
there is a random sample of what is left. Drawn documents without a label stay drawn, as non-response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from poolwise.basics import settings as checks
from poolwise.basics.results import warn_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.plans.plan import Plan, read_plan
from poolwise.pool.coverage import without_label
from poolwise.pool.plan_header import header_of
from poolwise.reading.named_columns import check_somewhere
from poolwise.reading.records import label_rows
from poolwise.reading.sources import file_or_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.reading.records import LabelRows

    Key = tuple[str, str]  # topic and document

CONFLICTS = ("error", "first", "last")
SHOWN = 3  # documents or files that a message names


@dataclass(frozen=True)
class GivenLabel:
    """A label with its source."""

    label: int
    where: str


def merge(
    plan: Any,
    *labels: Any,
    extra: bool = False,
    drawn_only: bool = False,
    conflicts: Literal["error", "first", "last"] = "error",
    columns: Mapping[str, str] | None = None,
    unjudged: int = -1,
) -> Plan:
    """Put labels into a plan, in any shape and order, some of them missing.

    Parameters
    ----------
    plan : Plan or path
        A plan or its file, with labels of an earlier merge or without.
    *labels : path, dict, list or data frame
        The labels: a file (TREC lines, CSV, TSV, JSON, JSON lines, Parquet, of `poolwise judge`), a dict, a list of
        (topic, document, label), or a data frame.
    extra : bool
        Whether labels of documents that were not drawn go into a stratum of their own, judged in full.
    drawn_only : bool
        Whether labels of documents that were not drawn are left out, as when complete labels show what a plan would
        have given. With neither they are an error.
    conflicts : {"error", "first", "last"}
        What to do with different labels for one document.
    columns : mapping, optional
        What columns are called, as in `{"label": "grade"}`; else they are found by their names (topic, qid, query_id,
        ...; document, docid, ...; label, relevance, ...).
    unjudged : int
        The label that stands for none, as empty cells do.

    Returns
    -------
    Plan
        The plan with its labels.

    Examples
    --------
    >>> from poolwise import read
    >>> runs = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "yours": {"1": {"c": 3.0, "d": 2.0}}}
    >>> plan = read(None, runs).plan(budget=2, seed=1)
    >>> judged = merge(plan, [("1", "b", 1), ("1", "d", 0)])
    >>> read(judged, runs).judgments.inclusion().tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    checks.choice("conflicts", conflicts, CONFLICTS)
    if extra and drawn_only:
        raise ArgumentError(
            "labels of documents that were not drawn are taken (extra, --extra) or left out (drawn_only, "
            "--drawn-only); choose one"
        )
    made = read_plan(plan, unjudged)
    check_somewhere(columns, labels)
    _check_plan(made, plan)
    drawn = _drawn(made)
    found, notes = _gathered(made, labels, conflicts, columns, unjudged, drawn if drawn_only else None)
    of_drawn, others = _sorted_out(drawn, found)
    if others and not extra:
        raise InputError(_not_drawn(others))
    if made.header is not None:  # kept, whatever is added
        made = replace(made, settings={**made.settings, "number": made.header.number})
    merged = _with_extra(_filled(made, of_drawn), others)
    return replace(merged, warnings=warn_of([*notes, *_notes(merged, of_drawn, others)]), needed=None)


def _gathered(
    plan: Plan,
    labels: Sequence[Any],
    conflicts: str,
    columns: Mapping[str, str] | None,
    unjudged: int,
    wanted: Container[Key] | None,
) -> tuple[dict[Key, GivenLabel], list[str]]:
    """All labels by document, those of the plan first. Labels of unwanted documents are only counted."""
    known = zip(plan.topic, plan.document, plan.label, strict=True)
    found = {(topic, document): GivenLabel(label, "the plan") for topic, document, label in known if label is not None}
    notes: list[str] = []
    differing: list[str] = []
    left_out: dict[Key, int] = {}
    taken = 0
    for source in labels:
        rows = label_rows(source, unjudged=unjudged, columns=columns)
        _check_own(plan, rows)
        for topic, document, label, where in zip(rows.topic, rows.document, rows.label, rows.row_name, strict=True):
            before = found.get((topic, document))
            if label is None:
                continue
            if wanted is not None and before is None and (topic, document) not in wanted:
                left_out[topic, document] = label
                continue
            taken += 1
            if before is not None and before.label == label:
                continue
            if before is not None:
                differing.append(
                    f"document {document} of topic {topic} is {before.label} at {before.where} and {label} at {where}"
                )
            if before is None or conflicts == "last":
                found[topic, document] = GivenLabel(label, where)
    if labels and not taken:
        raise InputError(_no_label(labels, len(left_out)))
    if differing and conflicts == "error":
        raise InputError(
            f"{counted(len(differing), 'document')} with different labels: {_some(differing, '; ')}; settle which "
            "holds, or choose conflicts='first' or 'last'"
        )
    if differing:
        notes.append(
            f"{counted(len(differing), 'document')} with different labels, of which the {conflicts} counts: "
            f"{_some(differing, '; ')}"
        )
    if left_out:
        notes.append(f"{counted(len(left_out), 'label')} of documents that the plan did not draw left out, as asked")
        notes += _outside_pool(plan, left_out)
    return found, notes


def _outside_pool(plan: Plan, left_out: Mapping[Key, int]) -> list[str]:
    """Note on labels of documents outside the plan's pool: estimates and scores then differ in meaning."""
    if plan.header is not None and sum(plan.header.pooled.values()) > len(plan.topic):
        return []  # lines of documents that were not drawn are lost: the pool is not known
    pool = set(zip(plan.topic, plan.document, strict=True))
    topics = set(plan.topic)
    outside = [label for key, label in left_out.items() if key not in pool and key[0] in topics]
    if not outside:
        return []
    relevant = sum(label >= 1 for label in outside)
    return [
        f"{counted(len(outside), 'label')}, {relevant} of them relevant, are of documents outside the plan's pool, "
        "which it could never draw: estimates speak of that smaller pool alone and do not match scores by all these "
        "labels; to see what fewer of them would have told, draw from the judgments themselves (poolwise sample "
        "--design uniform)"
    ]


def _check_plan(made: Plan, source: Any) -> None:
    """Refuse a file that is no plan: its labels would be treated as the whole pool."""
    if made.header is not None or any(made.round) or len(set(made.stratum)) > 1 or isinstance(source, Plan):
        return
    name = file_or_table(source, "the first table").where
    raise InputError(
        f"{name}: this is no plan: it has neither rounds nor strata, nor a plan's number; the plan comes first, then "
        "the labels"
    )


def _check_own(plan: Plan, rows: LabelRows) -> None:
    """Refuse labels that say they were made for another plan, which drew other documents. Earlier rounds are ours."""
    header, planned = header_of(rows.header, rows.name), plan.header
    if planned is None:
        return
    numbers = {**({} if header is None else {header.number: rows.name}), **rows.plans}
    for number, file in numbers.items():
        if number not in (planned.number, *planned.earlier):
            raise InputError(
                f"{file}: these labels were made for plan {number}, and this is plan {planned.number}; merge them with "
                "their own plan"
            )


def _no_label(labels: Sequence[Any], left_out: int) -> str:
    where = ", ".join(file_or_table(source, "the labels").where for source in labels[:SHOWN])
    if left_out:
        return (
            f"{where}: {counted(left_out, 'label')}, none of a document that the plan drew; merge them with their plan"
        )
    return f"{where}: no label was found; fill in the column of labels, or name the file that holds them"


def _drawn(plan: Plan) -> set[Key]:
    """Drawn documents. In a plan without rounds, all documents."""
    rounds = any(plan.round)
    return {
        (topic, document)
        for topic, document, round in zip(plan.topic, plan.document, plan.round, strict=True)
        if round or not rounds
    }


def _sorted_out(
    drawn: Container[Key], labels: dict[Key, GivenLabel]
) -> tuple[dict[Key, GivenLabel], dict[Key, GivenLabel]]:
    """Labels of drawn documents, and of others."""
    of_drawn = {key: label for key, label in labels.items() if key in drawn or label.where == "the plan"}
    return of_drawn, {key: label for key, label in labels.items() if key not in of_drawn}


def _filled(plan: Plan, of_drawn: Mapping[Key, GivenLabel]) -> Plan:
    labels = [of_drawn[key].label if key in of_drawn else None for key in zip(plan.topic, plan.document, strict=True)]
    return replace(plan, label=labels)


def _with_extra(plan: Plan, others: Mapping[Key, GivenLabel]) -> Plan:
    """Move or add documents to a stratum of their own, behind all others, drawn in the plan's round."""
    if not others:
        return plan
    stratum = max(plan.stratum) + 1
    rows = [
        (topic, document, number, round, label)
        for topic, document, number, round, label in zip(
            plan.topic, plan.document, plan.stratum, plan.round, plan.label, strict=True
        )
        if (topic, document) not in others
    ]
    last = max(plan.number, 1)
    rows += [(topic, document, stratum, last, found.label) for (topic, document), found in others.items()]
    topics, documents, strata, rounds, labels = (list(column) for column in zip(*rows, strict=True))
    return replace(plan, topic=topics, document=documents, stratum=strata, round=rounds, label=labels, cost=None)


def _not_drawn(others: Mapping[Key, GivenLabel]) -> str:
    shown = [f"document {document} of topic {topic} ({found.where})" for (topic, document), found in others.items()]
    return (
        f"{counted(len(others), 'label')} of documents that the plan did not draw: {_some(shown, ', ')}; leave them "
        "out by drawn_only=True (--drawn-only), or use extra=True (--extra) to count them as judged for themselves "
        "alone"
    )


def _notes(plan: Plan, of_drawn: Mapping[Key, GivenLabel], others: Mapping[Key, GivenLabel]) -> list[str]:
    notes = []
    drawn = sum(round > 0 for round in plan.round) if any(plan.round) else len(plan.round)
    labelled = len(of_drawn) + len(others)
    if labelled < drawn:
        notes.append(without_label(labelled, drawn))
    if others:
        notes.append(
            f"{counted(len(others), 'label')} of documents that the plan did not draw: they are stratum "
            f"{max(plan.stratum)}, judged in full, and speak for no others"
        )
    return notes


def _some(words: Sequence[str], mark: str) -> str:
    return mark.join(words[:SHOWN]) + (f"{mark}and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
