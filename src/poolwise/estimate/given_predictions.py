"""Predicted labels or probabilities of pooled documents, from any source, as columns of the relevance model.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from typing import Any

import numpy

from poolwise.errors import InputError
from poolwise.estimate.features import standardised
from poolwise.estimate.layout import Array, Layout
from poolwise.read.prediction_rows import prediction_rows

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
    table = {(topic, document): value for topic, document, value in prediction_rows(predictions)}
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
