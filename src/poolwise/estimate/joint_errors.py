"""What the relevance model expects of errors that documents share, and of the second-order correction made of them.

Effects are uncertain, with the inverse Hessian as their covariance, and what they get wrong they get wrong for all
documents of a topic together. docs/theory/assisted.md, section *Second order*, paragraph *With predictions*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.estimate.layout import Array
from poolwise.estimate.model import Stage, TopicState

__all__ = ["LARGER", "JointErrors", "Mixture", "joint_errors", "mixture_of"]

KEPT = 0.99  # of the variance that effects cause: the rest of their directions is left out
LARGER = 2.0  # residuals of a topic go together this many times as much as effects explain (measured)
DOUBT = 0.5  # and the expectation may be wrong by this share of itself


@dataclass(frozen=True)
class JointErrors:
    """Factors of the covariances: for each stage l and grade g >= l, N x m, m few.

    The covariance of the errors of "class g or more" of i and "class h or more" of j is the sum over stages of the
    product of row i of factor g and row j of factor h.
    """

    factors: list[list[Array]]

    def row_sums(self, stage: int, grade: int, other: int) -> Array:
        """N: for each i the sum over j != i of its covariance with j, for two grades counted from the stage's own."""
        one, two = self.factors[stage][grade], self.factors[stage][other]
        return np.asarray(one @ two.sum(axis=0) - np.einsum("nm,nm->n", one, two))


def joint_errors(state: TopicState) -> JointErrors:
    """The factors of a topic; judged documents have no error."""
    return JointErrors(
        [_factors(state, stage, pulls) for stage, pulls in zip(state.model.stages, state.pulls, strict=True)]
    )


def _factors(state: TopicState, stage: Stage, pulls: list[Array]) -> list[Array]:
    root = _root(_covariance(stage, state.topic))
    whole = [pull @ root for pull in pulls]
    values, vectors = np.linalg.eigh(np.asarray(sum(part.T @ part for part in whole)))
    largest = vectors[:, ::-1][:, : 1 + int((np.cumsum(values[::-1]) < KEPT * values.sum()).sum())]
    return [part @ largest for part in whole]


def _covariance(stage: Stage, topic: int) -> Array:
    """Of shared effects and those of a topic: the block of the inverse Hessian."""
    arrow = stage.fit.arrow
    link = -arrow.carry[topic] @ arrow.inverse
    return np.block([[arrow.inverse, link.T], [link, arrow.topic_inverse[topic] - link @ arrow.carry[topic].T]])


def _root(covariance: Array) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class Mixture:
    """How the second-order correction of a measure is mixed of what pairs of labels say and what the model expects."""

    share: float  # of what pairs say
    doubt: Array  # r, signed: a standard deviation of what the model's part may be off, the same way for all runs


def mixture_of(expected: Array, bend_shares: Array) -> Mixture:
    """Weigh both by their variances: `expected` (r) is the model's correction of the means.

    Pairs of few labels are noisy, and the sum of squares of their shares counts that noise twice (each pair belongs to
    two documents). The model hardly moves from sample to sample, but may be wrong by half of what it says. The weight
    is the same for all runs, so that noise that runs share stays shared.
    """
    noise = float((bend_shares**2).sum(axis=1).mean()) / 2.0
    wrong = float(((DOUBT * expected) ** 2).mean())
    share = wrong / (wrong + noise) if noise > 0.0 else 1.0
    return Mixture(share, (1.0 - share) * DOUBT * expected)
