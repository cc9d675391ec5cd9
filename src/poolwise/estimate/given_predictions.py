"""Predicted labels or probabilities of pooled documents, from any source, as columns of the relevance model.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poolwise.estimate.features import standardised
from poolwise.estimate.layout import Array, Layout
from poolwise.read.prediction_rows import predicted_values

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
    given = [np.array(values) for values in predicted_values(predictions, documents)]
    parts = [_columns(values) for values in given]
    mean = [] if len(parts) == 1 else [standardised(np.mean([part[:, :1] for part in parts], axis=0))]
    return np.hstack([*mean, *parts]), _lacking(given)


def _lacking(given: list[Array]) -> list[str]:
    """How many documents have no prediction, of each predictor that lacks some."""
    counts = [int((~np.isfinite(values)).sum()) for values in given]
    which = [""] if len(given) == 1 else [f" {number}" for number in range(1, len(given) + 1)]
    return [
        f"{count} of {len(values)} pooled documents have no prediction{number}; the model does without for these"
        for values, count, number in zip(given, counts, which, strict=True)
        if count
    ]


def _columns(values: Array) -> Array:
    known = np.isfinite(values)
    filled = np.where(known, values, values[known].mean())
    standard = standardised(filled[:, None])[:, 0]
    columns = [standard, standard**2]
    if filled.min() >= 0.0 and filled.max() <= 1.0:
        inside = np.clip(filled, 1e-3, 1.0 - 1e-3)
        columns.append(np.log(inside / (1.0 - inside)))
    if not known.all():
        columns.append((~known).astype(float))
    return standardised(np.column_stack(columns))
