"""`LabelSheet`: what several assessors said of the same documents, and how these documents were drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poolwise.errors import InputError
from poolwise.reading.topic_order import key_numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    left_out: Mapping[str, int] = field(default_factory=dict)  # labels of other documents than the pool's, by assessor
    repeated: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)  # two labels by one assessor
    in_view: tuple[int, int] = (0, 0)  # labels that were given with values of runs in view, of how many

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
    given: Mapping[str, Sequence[Row]],
    settled: Mapping[tuple[str, str], float] | None = None,
    plans: Sequence[str] = (),
) -> LabelSheet:
    """Bring the labels of several assessors together, document by document.

    The pool is what the plans among them list (`plans` names these); without a plan, what those list who list documents
    that were not judged; without these, what anyone lists. Labels of other documents are left out: no label of the
    sample speaks for them. A stratum given by one file holds for all. Two labels of one assessor for one document are
    an error.

    >>> ann, model = [("1", "a", 1.0, 1), ("1", "b", None, 1)], [("1", "a", 0.0, 1), ("1", "z", 1.0, 1)]
    >>> sheet = label_sheet({"ann": ann, "model": model})
    >>> sheet.labels.tolist(), sheet.pooled.tolist(), sheet.left_out
    ([[1.0, 0.0], [nan, nan]], [2], {'model': 1})
    """
    if len(given) < 2:
        raise InputError("agreement needs the labels of two assessors or more; give another file")
    rows: dict[tuple[str, str], list[float]] = {}
    strata: dict[tuple[str, str], int] = {}
    sampled, pool, left_out = False, _pool(given, plans), dict.fromkeys(given, 0)
    for column, (name, listed) in enumerate(given.items()):
        for topic, document, label, stratum in listed:
            key = (topic, document)
            if pool is not None and key not in pool:
                left_out[name] += label is not None
                continue
            row = rows.setdefault(key, [np.nan] * len(given))
            strata[key] = max(stratum, strata.get(key, 1))
            if label is None:
                sampled = True
                continue
            if row[column] == row[column] and row[column] != label:
                raise InputError(f"{name}: topic {topic!r}: document {document!r} has two labels; keep one")
            row[column] = label
    keys = sorted(rows, key=lambda key: (key_numbered(key[0]), key[1]))
    built = _built(list(given), keys, [rows[key] for key in keys], [strata[key] for key in keys], sampled)
    return replace(built, settled=settled or {}, left_out={name: count for name, count in left_out.items() if count})


def _pool(given: Mapping[str, Sequence[Row]], plans: Sequence[str]) -> set[tuple[str, str]] | None:
    """The documents that a sample was drawn from; None where nothing was drawn."""
    listing = plans or [name for name, rows in given.items() if any(label is None for _, _, label, _ in rows)]
    return {(topic, document) for name in listing for topic, document, _, _ in given[name]} or None


def _built(
    assessors: list[str],
    keys: list[tuple[str, str]],
    labels: list[list[float]],
    strata: list[int],
    sampled: bool,
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
    )
