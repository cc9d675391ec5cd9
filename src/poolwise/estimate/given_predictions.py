"""Predicted labels or probabilities of pooled documents, from any source, as columns of the relevance model.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy

from poolwise.errors import InputError
from poolwise.estimate.features import standardised
from poolwise.estimate.layout import Array, Layout

__all__ = ["prediction_columns", "prediction_values"]


def prediction_columns(predictions: Any, layout: Layout) -> Array:
    """Columns from predictions: the value, its square, its logit where all are probabilities, and where it is missing.

    The scale does not matter: columns are standardised, and the model finds their worth, which may be none.
    """
    values = prediction_values(predictions, layout)
    known = numpy.isfinite(values)
    filled = numpy.where(known, values, values[known].mean())
    standard = standardised(filled[:, None])[:, 0]
    columns = [standard, standard**2]
    if filled.min() >= 0.0 and filled.max() <= 1.0:
        inside = numpy.clip(filled, 1e-3, 1.0 - 1e-3)
        columns.append(numpy.log(inside / (1.0 - inside)))
    if not known.all():
        columns.append((~known).astype(float))
    return standardised(numpy.column_stack(columns))


def prediction_values(predictions: Any, layout: Layout) -> Array:
    """The value predicted for every pooled document; NaN where there is none."""
    table: dict[tuple[str, str], float] = {}
    for topic, document, value in _rows(predictions):
        table[str(topic), str(document)] = float(value)
    by_document = [
        table.get((topic, names[number]), numpy.nan)
        for t, topic in enumerate(layout.pool.topics)
        for names in [layout.pool.documents(topic)]
        for number in layout.listed[layout.part(t)].tolist()
    ]
    values = numpy.array(by_document, dtype=float)
    if not numpy.isfinite(values).any():
        raise InputError(
            f"predictions: none of {len(table)} rows is about a pooled document; rows need topic, document and value"
        )
    return values


def _rows(predictions: Any) -> Iterable[tuple[Any, Any, Any]]:
    """Rows of topic, document, value from a file, a mapping, a data frame or rows."""
    if isinstance(predictions, (str, PathLike)):
        return _file_rows(predictions)
    if isinstance(predictions, Mapping):
        return ((topic, document, value) for topic, part in predictions.items() for document, value in part.items())
    if hasattr(predictions, "to_dict") and hasattr(predictions, "columns"):
        return zip(*(list(predictions[name]) for name in list(predictions.columns)[:3]), strict=True)
    rows: Iterable[tuple[Any, Any, Any]] = predictions
    return rows


def _file_rows(path: Any) -> Iterable[tuple[str, str, float]]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = [(number, line.split()) for number, line in enumerate(file, 1) if line.strip()]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    rows = []
    for number, words in lines:
        try:
            topic, document, value = words
            rows.append((topic, document, float(value)))
        except ValueError:
            raise InputError(
                f"{path}:{number}: {' '.join(words)!r} found; every line needs topic document value"
            ) from None
    return rows
