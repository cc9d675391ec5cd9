"""Judgments that say how likely each document was to be judged: the `prels` of TREC's Million Query and Web tracks.

A line is `topic document label method probability`. Documents of one topic and probability are taken as a stratum that
was sampled at that rate, without replacement; how many documents it had, nobody needs to know.
"""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.columns import HINT, LABEL
from poolwise.reading.records import RowShape, records, whole_number, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PRELS = RowShape(
    value="label",
    names=LABEL,
    words={5: ("topic", "document", "label", "method", "probability")},
    lines="every line of prels needs topic document label method probability",
    optional={"method": ("method",), "probability": ("probability", "iprob")},
    hint=HINT,
)


def prels_lines(
    source: Any, *, columns: Mapping[str, str] | None = None, keep_first: bool = False
) -> tuple[bytes, list[float]]:
    """Lines of judgments with strata, and the rate of each stratum by its number; the round is the method.

    >>> import pandas
    >>> rows = {"topic": [7, 7], "document": ["a", "b"], "label": [1, 0], "method": [1, 1], "probability": [0.25, 1]}
    >>> prels_lines(pandas.DataFrame(rows))
    (b'7 1 a 0 1\\n7 1 b 1 0\\n', [0.25, 1.0])
    """
    rates: dict[float, int] = {}
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    for where, cells in records(source, PRELS, name="prels", columns=columns):
        topic, document = (word(cells[name], name, where) for name in ("topic", "document"))
        if (topic, document) in seen:
            if keep_first:
                continue
            raise InputError(f"{where}: document {short(document)!r} of topic {topic!r} has a line before; remove one")
        seen.add((topic, document))
        stratum = rates.setdefault(_probability(cells, where), len(rates))
        label, method = (whole_number(cells.get(name), name, where) for name in ("label", "method"))
        if label is not None:
            lines.append(f"{topic} {method or 0} {document} {stratum} {label}\n")
    return "".join(lines).encode("utf-8", "surrogateescape"), list(rates)


def _probability(cells: Mapping[str, Any], where: str) -> float:
    value = cells.get("probability")
    try:
        number = float("nan") if value is None else float(value)
    except ValueError:
        number = float("nan")
    if 0.0 < number <= 1.0:
        return number
    raise InputError(
        f"{where}: probability {short(str(value))!r} is not above 0 and at most 1; it says how likely the document was "
        "to be judged, so remove documents that could not be drawn"
    )
