"""Objects as UMBRELA writes them (Upadhyay et al. 2024, arXiv:2406.06519), in JSON lines of labels and predictions.

Its judges answer with a `judgment` beside the text that it was read from, `prediction`. Pools that it has judged keep
the shape they had: a `query` with its `qid`, and `candidates`, each with a `docid` and its judgment.
"""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.foreign_text import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def unfolded(record: dict[str, Any], value: str, place: str) -> list[dict[str, Any]]:
    """The rows of an object: one for every candidate of a query, or the object itself, without a text for a prediction.

    >>> unfolded({"query": {"qid": "9"}, "candidates": [{"docid": "a", "judgment": 3}]}, "label", "pool.jsonl:1")
    [{'topic': '9', 'document': 'a', 'label': 3}]
    >>> unfolded({"qid": "9", "docid": "a", "prediction": "Score: 3", "judgment": 3}, "value", "judged.jsonl:1")
    [{'qid': '9', 'docid': 'a', 'judgment': 3}]
    """
    query, candidates = record.get("query"), record.get("candidates")
    if isinstance(query, dict) and isinstance(candidates, list):
        return [_row(query, one, value, place) for one in candidates]
    answer = record.get("prediction")
    if "judgment" in record and isinstance(answer, str) and not is_number(answer):
        return [{name: cell for name, cell in record.items() if name != "prediction"}]
    return [record]


def _row(query: dict[str, Any], candidate: Any, value: str, place: str) -> dict[str, Any]:
    if "qid" not in query or not isinstance(candidate, dict) or "docid" not in candidate:
        raise InputError(
            f"{place}: a query with candidates, but without names, such as {short(repr(candidate))}; every query "
            "needs its qid, every candidate its docid and judgment"
        )
    return {"topic": query["qid"], "document": candidate["docid"], value: candidate.get("judgment")}
