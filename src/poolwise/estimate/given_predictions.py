"""Predicted labels or probabilities of pooled documents, from any source, as columns of the relevance model.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poolwise.estimate.features import standardised
from poolwise.estimate.layout import Array, Layout
from poolwise.magnitude import near_one
from poolwise.read.prediction_rows import lacking, predicted_values

__all__ = ["prediction_columns"]


def prediction_columns(predictions: Any, layout: Layout) -> tuple[Array, list[str]]:
    """Columns from each predictor: the value, its square, its logit where all are probabilities, where it is missing.

    The scale does not matter: columns are standardised, and the model finds their worth, which may be none. The first
    column, which has a slope in each topic, is the value, or the mean of several. Also notes on what is missing.
    """
    names = [layout.pool.documents(topic) for topic in layout.pool.topics]
    documents = [
        (topic, names[t][number])
        for t, topic in enumerate(layout.pool.topics)
        for number in layout.listed[layout.part(t)].tolist()
    ]
    given = predicted_values(predictions, documents)
    parts = [_columns(np.array(values)) for values in given]
    mean = [] if len(parts) == 1 else [standardised(np.mean([part[:, :1] for part in parts], axis=0))]
    return np.hstack([*mean, *parts]), lacking(given)


def _columns(values: Array) -> Array:
    known = np.isfinite(values)
    scaled = near_one(values)
    scaled = np.where(known, scaled, scaled[known].mean())
    standard = standardised(scaled[:, None])[:, 0]
    columns = [standard, standard**2]
    if values[known].min() >= 0.0 and values[known].max() <= 1.0:
        filled = np.where(known, values, values[known].mean())
        inside = np.clip(filled, 1e-3, 1.0 - 1e-3)
        columns.append(np.log(inside / (1.0 - inside)))
    if not known.all():
        columns.append((~known).astype(float))
    return standardised(np.column_stack(columns))
