"""Correlated errors of documents under the relevance model, and the second-order correction from them.

Effects are uncertain, with the inverse Hessian as their covariance, and what they get wrong they get wrong for all
documents of a topic together. docs/theory/assisted.md, section *Second order*, paragraph *A mixture*.

The probabilities at the fitted effects lie too near 0 and 1 where effects are uncertain, and by how much depends on
what was judged: under uniform samples documents at the top of rankings are few, and errors there are up to a third
larger than the model says. Judged documents, each left out of the fit, show it. docs/theory/assisted.md, section *The
interval*, paragraph *Tempering*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.estimates.layout import Array, squares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.estimates.model import LabelModel, TopicState

__all__ = [
    "TOGETHER", "Mixture", "common_columns", "error_scales", "errors_together", "joint_errors", "mixture_of",
    "within_reason", "within_strata",
]  # fmt: skip

GROUPS = 8  # of documents by closeness; more follow it closer on fewer labels each, chosen by hand
DIGITS = 12  # sums over runs in another order differ in later ones
PRIOR = 5.0  # weight of the mean over all groups in a group, in expected squares; fitted: benchmarks/calibrate.py


def error_scales(closeness: Array, rows: Array, residuals: Array, left_out: Array) -> Array:
    """Of all pooled documents: mean square of residuals as a share of p (1 - p), by how close to the top runs have it.

    `rows` are judged documents, `residuals` theirs with each left out, `left_out` their probabilities then. They are
    put into groups by closeness that expect equal sums of squares.
    """
    squares, expected = residuals**2, left_out * (1.0 - left_out)
    closeness = np.round(closeness, DIGITS)  # equal ones go together, whatever documents are called
    values, value_of = np.unique(closeness[rows], return_inverse=True)
    expected_by_value = np.bincount(value_of, expected, len(values))
    sums = np.cumsum(expected_by_value)
    if not len(rows) or sums[-1] <= 0.0:
        return np.ones(len(closeness))
    group = np.minimum((sums - expected_by_value / 2.0) / sums[-1] * GROUPS, GROUPS - 1).astype(int)
    seen_in_group, expected_in_group = (np.bincount(group[value_of], each, GROUPS) for each in (squares, expected))
    whole = (seen_in_group.sum() + PRIOR) / (expected_in_group.sum() + PRIOR)
    scale = (seen_in_group + PRIOR * whole) / (expected_in_group + PRIOR)
    ends = np.searchsorted(group, np.arange(1, GROUPS))
    edges = values[np.minimum(ends, len(values) - 1)]
    return np.asarray(scale[np.searchsorted(edges, closeness, side="right")])


# Documents err together more than the uncertainty of effects says, as there is more to topics than the model's columns:
# what pairs of labels show is 1.0 to 3.0 times as much for AP, 1.9 in the middle (measured on 13 designs of four
# collections). For nDCG it is .9 to 1.6 times, and small pools need no more than the sum itself.
TOGETHER = {"precision": 2.0, "ratio": 1.0}

USUAL = 1.8  # the same for counts of relevant documents, where pairs say nothing; fitted: benchmarks/calibrate.py
DIRECTIONS = 4  # hold nine tenths of what documents of a stratum err by together


def joint_errors(state: TopicState) -> Array:
    """N x m, m few: the covariance of the errors of documents i and j is the product of rows i and j.

    Errors of being relevant, by the model's first stage; judged documents have none.
    """
    return np.asarray(state.main_errors * state.steep[:, None])


def within_strata(state: TopicState, errors: Array) -> Array | None:
    """The same errors as if documents shared them only within strata of which one document is judged; None without any.

    Rows have the columns of their stratum, so that all other products of two are 0.
    """
    layout, part = state.model.layout, state.model.layout.part(state.topic)
    cells = np.where(layout.unpaired[part], layout.cell[part], -1)
    found = np.unique(cells[cells >= 0])
    return np.hstack([np.where((cells == cell)[:, None], errors, 0.0) for cell in found]) if len(found) else None


def common_columns(state: TopicState) -> Array:
    """N x any: derivatives of a value by the effects of these columns, squared and summed, are what V has too much of.

    Documents of a stratum of which n > 1 are judged err by a common part, too. As n is fixed, it falls on as many
    documents whichever are drawn, and moves no estimate; V takes it for the error of each.
    """
    cells, judged = state.model.layout.cell[state.model.layout.part(state.topic)], state.classes >= 0
    errors, found = state.main_errors[:, :DIRECTIONS], [np.zeros((len(cells), 0))]
    for cell in np.unique(cells[cells >= 0]):
        within = cells == cell
        n, left = int((within & judged).sum()), int((within & ~judged).sum())
        if n > 1 and left > 0:
            scale = np.sqrt((1.0 - 1.0 / n) * (n + left) / (n * left))
            found.append(np.where(within[:, None], errors * scale, 0.0))
    return np.hstack(found)


def errors_together(model: LabelModel) -> float:
    """Ratio of the observed covariance of errors, from all pairs of labels, to that of the model.

    Measured by numbers of relevant documents: what pairs say of their squared errors, relative to the number, over what
    effects let expect of the same pairs. Pairs of few labels are noisy, and as far as they are, what is usual counts.
    """
    seen = expected = noise = 0.0
    for topic in model.layout.in_mean.tolist():
        state = model.state(topic)
        errors, weight = joint_errors(state), 1.0 / max(float(state.tail_chance[:, 0].sum()), 1.0) ** 2
        unpaired = within_strata(state, errors)
        seen += weight * float(state.pair_weights.sum())
        expected += weight * (_of_pairs(errors) - (0.0 if unpaired is None else _of_pairs(unpaired)))
        noise += weight**2 * float((state.pair_weights.sum(axis=1) ** 2).sum()) / 2.0
    if expected <= 0.0:
        return USUAL
    share = expected**2 / (expected**2 + noise)
    return max(share * seen / expected + (1.0 - share) * USUAL, 0.0)


def _of_pairs(errors: Array) -> float:
    """The sum of products of rows i and j over all i != j."""
    return float((errors.sum(axis=0) ** 2).sum() - (errors**2).sum())


def within_reason(second: Array, value: Array) -> Array:
    """A second-order term a, bounded relative to a value v: a v / (|a| + v).

    It is an expansion as long as a is small beside v. Where it is not, no more than v can be believed of it.
    """
    size = np.abs(second) + value
    return np.divide(second * value, size, out=np.zeros(size.shape), where=size > 0.0)


@dataclass(frozen=True)
class Mixture:
    """Weights of pairs of labels and of the model in the second-order correction of a measure."""

    share: Array  # r: of what pairs say
    doubt: Array  # r, signed: a standard deviation of what the model's part may be off, the same way for all runs


def mixture_of(sums: Array, curvature_shares: Array) -> Mixture:
    """Weigh both by their variances: `sums` (r x T) are what the model's uncertainty alone lets expect of each topic.

    Pairs of few labels are noisy, and the sum of squares of their shares counts that noise twice (each pair belongs to
    two documents). The model hardly moves from sample to sample, but may be wrong by as much as the sums say, whatever
    their signs. Each run has a weight of its own, so that its estimate does not depend on which others are asked for.
    """
    noise = squares(curvature_shares) / 2.0
    wrong = np.abs(sums).mean(axis=1)
    share = np.divide(wrong**2, wrong**2 + noise, out=np.ones(len(noise)), where=noise > 0.0)
    return Mixture(share, (1.0 - share) * wrong)
