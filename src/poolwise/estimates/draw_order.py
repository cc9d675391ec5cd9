"""What labels are drawn by: an order of documents and axes of errors that neither names nor orders of lines decide.

docs/theory/assisted.md, section *Any other measure*.
"""

from __future__ import annotations

import numpy as np

from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState

__all__ = ["error_axes", "order_of"]

STILL = 1e-9  # axes that move documents less, against the first one, are left out


def order_of(state: TopicState) -> Whole:
    """Places of a topic's documents by what runs make of them; equal ones are alike to every run and to the model."""
    layout = state.model.layout
    key = layout.keys[0][layout.part(state.topic)]
    return np.lexsort((state.exceed[:, 0], state.classes >= 0, key))


def error_axes(state: TopicState) -> list[Array]:
    """For each stage N x axes: what effects get wrong in linear predictors, first along the axis that moves unjudged
    documents most.

    Rows of `TopicState.errors` have the same products, but depend on names up to a rotation. Each axis points to where
    documents lie farthest out.
    """
    axes = []
    for errors, chance in zip(state.errors, state.chances.T, strict=True):
        steep = np.where(state.classes < 0, chance * (1.0 - chance), 0.0)
        values, vectors = np.linalg.eigh((errors * steep[:, None] ** 2).T @ errors)
        moving = values > STILL * max(float(values[-1]), 0.0)
        along = errors @ vectors[:, moving][:, ::-1]
        axes.append(np.where((steep[:, None] * along**3).sum(axis=0) < 0.0, -along, along))
    return axes
