"""A plan read back from its file."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.errors import InputError
from poolwise.plans.judging_plan import Plan
from poolwise.pool.plan_header import header_of
from poolwise.reading.label_rows import label_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.pool.plan_header import PlanHeader
    from poolwise.reading.label_rows import LabelRows


def read_plan(given: Any, unjudged: int = -1) -> Plan:
    """Read a plan: its file, filled in or not, or a frame of its rows. Documents stay in their order."""
    if isinstance(given, Plan):
        return given
    rows = label_rows(given, unjudged=unjudged)
    if not rows:
        raise InputError(f"{rows.name}: no documents found; name the file that `poolwise plan` wrote")
    _check_once(rows)
    header = header_of(rows.header, rows.name)
    if header is not None:
        _check_lines(rows, header)
    strata = rows.stratum if rows.has_strata else [1] * len(rows)
    cost = rows.cost if header is not None and any(rows.cost) else None
    return Plan(rows.topic, rows.document, strata, rows.round, rows.label, _settings(rows, header), cost=cost)


def _settings(rows: LabelRows, header: PlanHeader | None) -> dict[str, Any]:
    last = max(rows.round, default=0)
    if header is None:  # written plain, or by another program
        return {"design": "", "round": last, "seed": 0, "depth": 0, "runs": [], "number": None}
    facts = {"design": header.design, "round": header.round, "seed": header.seed, "depth": header.depth}
    topics = {} if header.topics is None else {"topics": header.topics}
    pair = {} if header.difference is None else {"difference": list(header.difference)}
    earlier = {"earlier": header.earlier} if header.earlier else {}
    return {**facts, **topics, **pair, **earlier, "runs": list(header.runs), "number": header.number}


def _check_once(rows: LabelRows) -> None:
    seen: dict[tuple[str, str], str] = {}
    for topic, document, place in zip(rows.topic, rows.document, rows.place, strict=True):
        if seen.setdefault((topic, document), place) != place:
            raise InputError(
                f"{place}: document {document!r} of topic {topic!r} stood before, at {seen[topic, document]}; "
                "a plan lists each once"
            )


def _check_lines(rows: LabelRows, header: PlanHeader) -> None:
    """All documents that the plan pooled must be there."""
    left = dict(header.pooled)
    for key in zip(rows.topic, rows.stratum, strict=True):
        left[key] = left.get(key, 0) - 1
    wrong = {key: number for key, number in left.items() if number}
    if wrong:
        (topic, stratum), number = next(iter(wrong.items()))
        found = f"{counted(abs(number), 'line')} {'missing' if number > 0 else 'too many'}"
        raise InputError(
            f"{rows.name}: {found} of stratum {stratum} of topic {topic}, by the plan's comments; "
            "give the plan as `poolwise plan` wrote it"
        )
