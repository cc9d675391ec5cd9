"""What the model expects of the second order of measures that are divided by an ideal: nDCG and recall.

Effects of the model are uncertain, and what they get wrong they get wrong for all documents of a topic. With
covariances of z_ig, the error of document i in "class g or more", and the second derivative of A = DCG / I by z_ig and
z_jh, the mean of half the sum over pairs of unjudged documents is known without a label. docs/theory/assisted.md,
section *Second order*, paragraph *A mixture*.

With steps of gain b_g, first and second differences c_g and k_g of the mean of D (one document of class g or more in
addition, and two), and discounts d of a run, that derivative is

    -(d_i b_g b_h c_h + d_j b_h b_g c_g) / I^2 + 2 DCG b_g c_g b_h c_h / I^3 - [g = h] DCG b_g k_g / I^2.

Errors of z_ig are sums over stages l <= g of z_ig (1 - chance_il) times the error of the linear predictor, and stages
err independently, so that sums over pairs are products of sums, less those of a document with itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolwise.estimates.layout import Array
from poolwise.estimates.model import TopicState
from poolwise.estimates.ordered_sums import products
from poolwise.estimates.targets import Target

__all__ = ["expected_ratio_bend"]


def expected_ratio_bend(
    state: TopicState,
    target: Target,
    runs: Sequence[int],
    total: Array,
    ideal: float,
    more: Array,
    errors_of_stages: Sequence[Array],
) -> Array:
    """r: half the expected sum over pairs.

    `total` is DCG (r), `more` the mean of D with 0, 1 and 2 documents more (G x 3); products of rows of a stage's
    errors (N x any) are covariances of linear predictors.
    """
    steps = np.diff(target.gains)
    first, second = more[:, 1] - more[:, 0], more[:, 2] - 2.0 * more[:, 1] + more[:, 0]
    if not (np.isfinite(ideal) and (first.any() or second.any())):
        return np.zeros(len(runs))
    # The ideal is a mean over the cases in which there is any document worth something.
    first, second = (ideal / float(more[:, 0] @ steps) * part for part in (first, second))
    loose = np.where(state.classes[:, None] < 0, state.exceed, 0.0)
    used, near = _discounts(state, target, runs)
    cross, square, curve = np.zeros(len(runs)), 0.0, 0.0
    for stage, errors in enumerate(errors_of_stages):
        moved = loose[:, stage:] * (1.0 - state.chances[:, [stage]])  # N x classes from this stage's on
        gain, best = moved @ steps[stage:], moved @ (steps * first)[stage:]
        own = np.einsum("ip,ip->i", errors, errors)
        sums = best @ errors
        cross += products(near, (gain * (errors @ sums - best * own))[used])
        square += float(sums @ sums) - float(best**2 @ own)
        each = moved.T @ errors  # classes x shared
        curve += float((steps * second)[stage:] @ ((each**2).sum(axis=1) - (moved**2).T @ own))
    return -cross / ideal**2 + total * square / ideal**3 - 0.5 * total * curve / ideal**2


def _discounts(state: TopicState, target: Target, runs: Sequence[int]) -> tuple[Array, Array]:
    """Documents that count in any run, as places among the pooled ones, and their discounts (r x these)."""
    layout, table = state.model.layout, np.ascontiguousarray(target.discounts[: target.depth])
    used, near = (np.asarray(part) for part in layout.pool.core.used_weights(state.topic, list(runs), table))
    place = np.full(layout.size(state.topic), -1)
    listed = layout.listed[layout.part(state.topic)]
    place[listed] = np.arange(len(listed))
    pooled = place[used] >= 0
    return place[used[pooled]], near[:, pooled]
