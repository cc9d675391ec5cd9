"""How probable it is that a pooled document is relevant, from the runs and, if there are any, from pilot labels.

One feature, x = ln(1e-4 + mean over runs of 1 / (rank + 10)), standardised over the pool: a document that many runs
rank high is probably relevant. logit P(relevant) = b0 + b1 x + a_t with an effect a_t for each topic, all with normal
priors; estimated by penalised Newton steps. So that a plan can be made before any label is there, the prior of b1 is
what four collections show, and that of b0 has so many documents relevant as they had per topic, which hardly depends on
how many are pooled: 95 on TREC-8 and on Deep Learning 2019, 60 on Robust 2003, 218 on TREC-COVID, of 215 to 1,737. This
serves to plan only: a wrong model wastes labels, it biases nothing.

Predictions add a column: the value standardised over the pool (the mean over predictors, if there are several; 0 where
there is none). Before any label its effect is 1, more or less: one standard deviation more makes the odds of being
relevant e times as large.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.logistic import Rows, climb, expit
from poolwise.basics.magnitude import near_one
from poolwise.pool.judgments import POOLED
from poolwise.reading.predictions import lacking, predicted_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.basics.logistic import Arrow
    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool

    Whole = NDArray[np.int64]

RELEVANT = 80.0  # documents per topic, as expected before any label
MOST_RELEVANT = 0.5  # of the pool
SLOPE = 1.1  # b1
GRADES = (0.8, 0.2)  # shares of labels 1 and 2 among relevant documents
PRECISION = np.array([0.1, 4.0])  # of the prior of b0 and b1
PREDICTED, PREDICTED_PRECISION = 1.0, 1.0  # mean and precision of the prior of the effect of predictions
TOPIC_VARIANCE = 1.5
FARTHEST, HALVINGS = 20.0, 40  # where b0 is looked for
TOLERANCE = 1e-16  # of the likelihood: effects are right to about 1e-8


def feature(pool: Pool, listing: Listing) -> Floats:
    """x of each listed document."""
    offsets = np.asarray(pool.document_offsets())
    total = np.zeros(int(offsets[-1]))
    for run in range(len(pool.runs)):
        for topic in range(len(pool.topics)):
            ranking = np.asarray(pool.all_documents(run, topic))
            total[offsets[topic] + ranking] += 1.0 / np.arange(11, len(ranking) + 11)
    x = np.log(1e-4 + total[offsets[listing.topic] + listing.document] / len(pool.runs))
    result: Floats = (x - x.mean()) / max(float(x.std()), 1e-9)
    return result


def predicted_feature(pool: Pool, listing: Listing, predictions: Any) -> Floats:
    """The mean over predictors of each listed document's value, standardised; 0 where there is none."""
    total = np.zeros(len(listing.topic))
    for values in map(near_one, map(np.array, _predicted(pool, listing, predictions))):
        known = np.isfinite(values)
        deviation = max(float(values[known].std()), 1e-9)
        total[known] += (values[known] - values[known].mean()) / deviation
    result: Floats = total / max(float(total.std()), 1e-9)
    return result


def unpredicted(pool: Pool, listing: Listing, predictions: Any) -> list[str]:
    """How many listed documents have no prediction, if some have none."""
    return [] if predictions is None else lacking(_predicted(pool, listing, predictions))


def _predicted(pool: Pool, listing: Listing, predictions: Any) -> list[list[float]]:
    """For each predictor the value of each listed document, NaN where there is none."""
    names = [pool.documents(topic) for topic in pool.topics]
    places = zip(listing.topic.tolist(), listing.document.tolist(), strict=True)
    return predicted_values(predictions, [(pool.topics[topic], names[topic][document]) for topic, document in places])


@dataclass(frozen=True)
class Labels:
    """Pilot labels: place of each judged document in the listing, its topic, its gain (above 0: relevant)."""

    place: Whole
    topic: Whole
    gain: Floats
    usual: tuple[float, ...] = (1.0, 1.0)  # gains of labels 1 and 2

    def without(self, topics: Sequence[int]) -> Labels:
        """All but those of some topics."""
        kept = ~np.isin(self.topic, topics)
        return Labels(self.place[kept], self.topic[kept], self.gain[kept], self.usual)

    @cached_property
    def mixture(self) -> tuple[Floats, Floats]:
        """The positive gains that occur, and the share of each among relevant documents; as is usual if none is known.

        Grades matter to the ideal list of nDCG: relevant documents may fill it, and those of the best grade not yet.
        """
        found = self.gain[self.gain > 0]
        given, weight = (found, np.ones(len(found))) if len(found) else (np.array(self.usual), np.array(GRADES))
        gains, place = np.unique(given, return_inverse=True)
        return gains, np.bincount(place.reshape(-1), weight) / weight.sum()


@dataclass(frozen=True)
class Model:
    """Slopes b0, b1 (and that of predictions), the topics' effects, and their inverse Hessian: how sure they are."""

    slopes: Floats
    effects: Floats
    arrow: Arrow
    prior: Floats  # what slopes were before any label

    def chance(self, x: Floats, topic: Whole, shift: float = 0.0) -> Floats:
        """P(relevant), its logit being shifted."""
        chance: Floats = expit(self.slopes[0] + _columns(x) @ self.slopes[1:] + self.effects[topic] + shift)
        return chance


def fit(x: Floats, labels: Labels, topics: int, start: Model | None = None) -> Model:
    """Estimate the model; without labels, the prior. Labels stand topic by topic."""
    columns = np.column_stack([np.ones(len(labels.place)), _columns(x)[labels.place]])
    prior = prior_effects(x, topics) if start is None else start.prior
    precision = np.append(PRECISION, [PREDICTED_PRECISION] * (len(prior) - len(PRECISION)))
    bounds = np.searchsorted(labels.topic, np.arange(topics + 1))
    relevant = (labels.gain > 0).astype(float)
    rows = Rows(columns, np.ones((len(columns), 1)), relevant, bounds, columns @ prior)
    begin = np.zeros(len(prior)), np.zeros((topics, 1))
    if start is not None:
        begin = start.slopes - prior, start.effects[:, None]
    (slopes, effects), arrow = climb(rows, begin, (precision, np.array([1.0 / TOPIC_VARIANCE])), TOLERANCE)
    return Model(prior + slopes, effects[:, 0], arrow, prior)


def prior_effects(x: Floats, topics: int) -> Floats:
    """b0, b1 and the effect of predictions before any label: as many documents are relevant as is usual.

    >>> b0, b1 = prior_effects(np.zeros(1600), topics=2)
    >>> float(expit(np.array([b0]))[0].round(3))
    0.1
    """
    columns = _columns(x)
    slopes = np.append(SLOPE, [PREDICTED] * (columns.shape[1] - 1))
    wanted = min(RELEVANT * topics / max(len(columns), 1), MOST_RELEVANT)
    low, high = -FARTHEST, FARTHEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if expit(middle + columns @ slopes).mean() < wanted else (low, middle)
    return np.append(low, slopes)


def _columns(x: Floats) -> Floats:
    """One feature or several as columns."""
    return x[:, None] if x.ndim == 1 else x


def read_labels(listing: Listing, gain_of: Callable[[int], float]) -> Labels:
    """The pilot's labels, if there are any."""
    judged = np.flatnonzero(listing.label != POOLED)
    labels, place = np.unique(listing.label[judged], return_inverse=True)
    gain = np.array([gain_of(int(label)) for label in labels], dtype=float)[place.reshape(-1)]
    return Labels(judged, listing.topic[judged], gain, tuple(max(gain_of(label), 1e-9) for label in (1, 2)))
