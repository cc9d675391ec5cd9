"""What the relevance model expects of errors that documents share, and of the second-order correction made of them.

Effects are uncertain, with the inverse Hessian as their covariance, and what they get wrong they get wrong for all
documents of a topic together. docs/theory/assisted.md, section *Second order*, paragraph *A mixture*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.estimate.layout import Array
from poolwise.estimate.model import Stage, TopicState

__all__ = ["Mixture", "effect_roots", "joint_errors", "mixture_of", "pairs_alone"]

KEPT = 0.99  # of the variance that effects cause: the rest of their directions is left out
DOUBT = 1.0  # the expectation may be wrong by as much as it is (residuals go together 0.6 to 3 times as much; measured)


def joint_errors(state: TopicState) -> Array:
    """N x m, m few: the covariance of the errors of documents i and j is the product of rows i and j.

    Errors of being relevant, by the model's first stage; judged documents have none.
    """
    pull = state.pulls[0][0]
    root = np.linalg.cholesky(_covariance(state.model.stages[0], state.topic, state.model.features.places))
    values, vectors = np.linalg.eigh(root.T @ (pull.T @ pull) @ root)
    largest = vectors[:, ::-1][:, : 1 + int((np.cumsum(values[::-1]) < KEPT * values.sum()).sum())]
    return np.asarray(pull @ (root @ largest))


def effect_roots(state: TopicState) -> Iterator[tuple[Array, Array]]:
    """For each stage the columns of a topic's documents, and a root of the covariance of what effects add to them."""
    columns = state.model.features.shared[state.model.layout.part(state.topic)]
    for stage in state.model.stages:
        places = state.model.features.places[: stage.fit.topic.shape[1]]
        yield columns, np.linalg.cholesky(_covariance(stage, state.topic, places))


def _covariance(stage: Stage, topic: int, places: Sequence[int]) -> Array:
    """Of what columns add to the linear predictor: of shared effects, each with a topic's of the same column.

    Made of the block of the inverse Hessian; `places` are those of a topic's columns among the shared ones.
    """
    arrow, own = stage.fit.arrow, list(places)
    link = -arrow.carry[topic] @ arrow.inverse
    covariance = arrow.inverse.copy()
    covariance[:, own] += link.T
    covariance[own] += link
    covariance[np.ix_(own, own)] += arrow.topic_inverse[topic] - link @ arrow.carry[topic].T
    return covariance


@dataclass(frozen=True)
class Mixture:
    """How the second-order correction of a measure is mixed of what pairs of labels say and what the model expects."""

    share: Array  # r: of what pairs say
    doubt: Array  # r, signed: a standard deviation of what the model's part may be off, the same way for all runs


def pairs_alone(runs: int) -> Mixture:
    """No mixture."""
    return Mixture(np.ones(runs), np.zeros(runs))


def mixture_of(expected: Array, bend_shares: Array) -> Mixture:
    """Weigh both by their variances: `expected` (r) is the model's correction of the means.

    Pairs of few labels are noisy, and the sum of squares of their shares counts that noise twice (each pair belongs to
    two documents). The model hardly moves from sample to sample, but may be wrong by as much as it says. Each run has a
    weight of its own, so that its estimate does not depend on which others are asked for.
    """
    noise = (bend_shares**2).sum(axis=1) / 2.0
    wrong = (DOUBT * expected) ** 2
    share = np.divide(wrong, wrong + noise, out=np.ones(len(noise)), where=noise > 0.0)
    return Mixture(share, (1.0 - share) * DOUBT * expected)
