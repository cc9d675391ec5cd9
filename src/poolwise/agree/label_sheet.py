"""`LabelSheet`: what several assessors said of the same documents, and how these documents were drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    # topic, document, label (None: listed, not judged), stratum
    Row = tuple[str, str, float | None, int]

__all__ = ["LabelSheet", "label_sheet"]


@dataclass(frozen=True, eq=False)
class LabelSheet:
    """Labels of listed documents, one row per document and one column per assessor; NaN where there is none.

    A cell is one stratum of one topic; `cell` says where each document belongs, `pooled` how many documents a cell
    lists. If someone's labels list documents that were not judged (`sampled`), labels are a simple random sample of
    each cell, as everywhere in poolwise. If not, nothing was drawn: documents that someone lacks are left out.
    """

    assessors: Sequence[str]
    topics: Sequence[str]
    documents: Sequence[str]
    labels: NDArray[np.float64]
    cell: NDArray[np.int64]
    cells: Sequence[tuple[str, int]]  # topic and stratum
    pooled: NDArray[np.int64]
    sampled: bool
    settled: Mapping[tuple[str, str], float] = field(default_factory=dict)  # disagreements that were ended

    def where(self, kept: NDArray[np.bool_]) -> LabelSheet:
        """Only some of the documents; cells, and how many documents they list, stay."""
        places = np.flatnonzero(kept).tolist()
        return replace(
            self,
            topics=[self.topics[place] for place in places],
            documents=[self.documents[place] for place in places],
            labels=self.labels[kept],
            cell=self.cell[kept],
        )

    def between(self, first: int, second: int) -> NDArray[np.bool_]:
        """Which documents both of two assessors judged."""
        return ~(np.isnan(self.labels[:, first]) | np.isnan(self.labels[:, second]))

    def shared(self) -> NDArray[np.bool_]:
        """Which documents two assessors or more judged."""
        return (~np.isnan(self.labels)).sum(axis=1) >= 2

    def values(self) -> NDArray[np.float64]:
        """The labels that occur, ascending."""
        return np.unique(self.labels[~np.isnan(self.labels)])


def label_sheet(
    given: Mapping[str, Iterable[Row]], settled: Mapping[tuple[str, str], float] | None = None
) -> LabelSheet:
    """Bring the labels of several assessors together, document by document.

    The documents listed by any of them are the pool; a stratum given by one file holds for all. Two labels of one
    assessor for one document are an error.

    >>> sheet = label_sheet({"ann": [("1", "a", 1.0, 1), ("1", "b", None, 1)], "model": [("1", "a", 0.0, 1)]})
    >>> sheet.labels.tolist(), sheet.pooled.tolist()
    ([[1.0, 0.0], [nan, nan]], [2])
    """
    if len(given) < 2:
        raise InputError("agreement needs the labels of two assessors or more; give another file")
    rows: dict[tuple[str, str], list[float]] = {}
    strata: dict[tuple[str, str], int] = {}
    sampled = False
    for column, (name, listed) in enumerate(given.items()):
        for topic, document, label, stratum in listed:
            key = (topic, document)
            row = rows.setdefault(key, [np.nan] * len(given))
            strata[key] = max(stratum, strata.get(key, 1))
            if label is None:
                sampled = True
                continue
            if row[column] == row[column] and row[column] != label:
                raise InputError(f"{name}: topic {topic!r}: document {document!r} has two labels; keep one")
            row[column] = label
    keys = sorted(rows, key=lambda key: (_numbered(key[0]), key[1]))
    return _built(list(given), keys, [rows[key] for key in keys], [strata[key] for key in keys], sampled, settled or {})


def _built(
    assessors: list[str],
    keys: list[tuple[str, str]],
    labels: list[list[float]],
    strata: list[int],
    sampled: bool,
    settled: Mapping[tuple[str, str], float],
) -> LabelSheet:
    numbers: dict[tuple[str, int], int] = {}
    cell = [
        numbers.setdefault((topic, stratum), len(numbers)) for (topic, _), stratum in zip(keys, strata, strict=True)
    ]
    cells = np.asarray(cell, dtype=np.int64)
    return LabelSheet(
        assessors,
        [topic for topic, _ in keys],
        [document for _, document in keys],
        np.asarray(labels, dtype=float).reshape(len(keys), len(assessors)),
        cells,
        list(numbers),
        np.bincount(cells, minlength=len(numbers)).astype(np.int64),
        sampled,
        settled,
    )


def _numbered(topic: str) -> tuple[bool, int, str]:
    """Topics in the order of the pool: whole numbers by value, then other names."""
    number = topic.isdigit()
    return not number, int(topic) if number else 0, topic
