"""Predicted labels or probabilities of pooled documents, from any source, as columns of the relevance model.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poolwise.basics.magnitude import near_one
from poolwise.estimates.features import standardised
from poolwise.estimates.layout import Array, Layout
from poolwise.reading.predictions import lacking, predicted_values

__all__ = ["prediction_columns"]

SAME = 1e-9  # standard deviations: predictors no further apart for any document are one
CONSTANT = "predictions that are the same for all documents change nothing; they are left out"


def prediction_columns(predictions: Any, layout: Layout) -> tuple[Array, list[str], frozenset[int]]:
    """Columns from each predictor: the value, its square, its logit where all are probabilities, where it is missing.

    Columns are standardised, so x and a x + b give the same ones, but for the logit of values that all lie between 0
    and 1. Two values, such as labels 0 and 1, have neither square nor logit. The model finds the worth of columns,
    which may be none. The first one, which has a slope in each topic, is the value, or the mean of several. Predictors
    that are constant, or the same as another, are left out. Also notes on what is missing, and the topics that have
    predictions, of some of their documents at least.
    """
    names = [layout.pool.documents(topic) for topic in layout.pool.topics]
    documents = [
        (topic, names[t][number])
        for t, topic in enumerate(layout.pool.topics)
        for number in layout.listed[layout.part(t)].tolist()
    ]
    given = predicted_values(predictions, documents)
    made = [_columns(np.array(values)) for values in given]
    parts = _different([columns for columns in made if columns.shape[1]])
    notes = [*lacking(given), *([CONSTANT] if any(columns.shape[1] == 0 for columns in made) else [])]
    mean = [_common(np.column_stack([part[:, 0] for part in parts]))] if len(parts) > 1 else []
    told = np.isfinite(np.array(given, dtype=float)).any(axis=0) & bool(parts)
    return np.hstack([np.zeros((len(documents), 0)), *mean, *parts]), notes, frozenset(layout.topic_of[told].tolist())


def _columns(values: Array) -> Array:
    """Of a constant only which values are missing, if any are."""
    known = np.isfinite(values)
    different = len(np.unique(values[known]))
    columns: list[Array] = []
    if different > 1:
        scaled = near_one(values)
        columns.append(np.where(known, scaled, scaled[known].mean()))
    if different > 2:
        columns.append(standardised(columns[0][:, None])[:, 0] ** 2)
        if values[known].min() >= 0.0 and values[known].max() <= 1.0:
            filled = np.where(known, values, values[known].mean())
            inside = np.clip(filled, 1e-3, 1.0 - 1e-3)
            columns.append(np.log(inside / (1.0 - inside)))
    if not known.all():
        columns.append((~known).astype(float))
    return standardised(np.column_stack([np.zeros((len(values), 0)), *columns]))


def _different(parts: list[Array]) -> list[Array]:
    """Predictors without those that are another one times a number; of these the one with most columns stays."""
    kept: list[Array] = []
    for part in sorted(parts, key=lambda part: -part.shape[1]):
        if all(_apart(part, other) > SAME for other in kept):
            kept.append(part)
    return [part for part in parts if any(part is other for other in kept)]


def _apart(one: Array, other: Array) -> float:
    """The largest distance of the values of two predictors, either of which may be turned round."""
    values, others = one[:, 0], other[:, 0]
    return float(min(np.abs(values - others).max(), np.abs(values + others).max()))


def _common(values: Array) -> Array:
    """The mean of predictors, each turned round if it says the opposite of what most have in common."""
    axis = np.linalg.eigh(values.T @ values)[1][:, -1]
    signs = np.where(axis * axis[np.argmax(np.abs(axis))] < 0, -1.0, 1.0)
    return standardised((values @ signs)[:, None])
