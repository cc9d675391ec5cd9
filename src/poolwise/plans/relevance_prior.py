"""How probable it is that a pooled document is relevant, from the runs and, if there are any, from pilot labels.

One feature, x = ln(1e-4 + mean over runs of 1 / (rank + 10)), standardised over the pool: a document that many runs
rank high is probably relevant. logit P(relevant) = b0 + b1 x + a_t with an effect a_t for each topic, all with normal
priors. Estimated by penalised Newton steps. So that a plan can be made before any label is there, the prior of b1 is
what four collections show, and that of b0 has so many documents relevant as they had per topic, which hardly depends on
how many are pooled: 95 on TREC-8 and on Deep Learning 2019, 60 on Robust 2003, 218 on TREC-COVID, of 215 to 1,737. This
serves to plan only: a wrong model wastes labels, it biases nothing.

Predictions add a column: the value standardised over the pool (the mean over predictors, if there are several. 0 where
there is none). Before any label its effect is 1, more or less: one standard deviation more makes the odds of being
relevant e times as large.

logit P(relevant) = b0 + b1 z + a_t + s_t z. z says how high the runs rank a document, as in `chance`, with two
differences: runs count by how far others agree with them (those that nobody agrees with are poor, mostly), times a
weight that nobody knows before. And z is 0 at a high rank, where topics differ least. Every topic has an intercept
and a slope of its own: some have relevant documents all over the pool, others at the top alone, and what is left to
chance hangs on that more than on their mean. All this is drawn anew each time, after a pilot from what the pilot
leaves open.

Few runs tell less of a document than many, so that the slope goes with their number. Numbers were chosen on TREC-8 and
Deep Learning 2019. Docs/theory/assisted.md, section *Forecasts*, says how they did there and elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.logistic import Arrow, LogisticRows, climb, expit
from poolwise.basics.numbers import near_one
from poolwise.pool.judgments import POOLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool

if TYPE_CHECKING:
    Whole = NDArray[np.int64]
# Chosen on TREC-8, DL 2019, Robust 2003 and TREC-COVID (docs/theory/assisted.md, section *Labels saved*).
RELEVANT = 80.0  # relevant documents of a topic, as expected before any label
MOST_RELEVANT = 0.5  # share of the pool that is expected to be relevant at most
SLOPE = 1.1  # b1: logit per standard deviation of mean reciprocal rank
GRADES = (0.8, 0.2)  # shares of labels 1 and 2 among relevant documents
PRECISION = np.array([0.1, 4.0])  # of the prior of b0 and b1
PREDICTED, PREDICTED_PRECISION = 1.0, 1.0  # mean and precision of the prior of the effect of predictions
TOPIC_VARIANCE = 1.5  # of the topics' logits: a standard deviation of 1.2
FARTHEST, HALVINGS = 20.0, 40  # logits to either side of 0 where b0 is looked for, and steps of the search
TOLERANCE = 1e-16  # of the likelihood: effects are right to about 1e-8


def feature(pool: Pool, listing: Listing) -> Floats:
    """The feature x of each listed document."""
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
    """The mean over predictors of each listed document's value, standardised. 0 where there is none."""
    total = np.zeros(len(listing.topic))
    for values in map(near_one, map(np.array, _predicted(pool, listing, predictions))):
        known = np.isfinite(values)
        deviation = max(float(values[known].std()), 1e-9)
        total[known] += (values[known] - values[known].mean()) / deviation
    result: Floats = total / max(float(total.std()), 1e-9)
    return result


def unpredicted(pool: Pool, listing: Listing, predictions: Any) -> list[str]:
    """Number of listed documents without a prediction, if only some have one."""
    if predictions is None:
        return []
    from poolwise.reading.predictions import lacking

    return lacking(_predicted(pool, listing, predictions))


def _predicted(pool: Pool, listing: Listing, predictions: Any) -> list[list[float]]:
    """For each predictor the value of each listed document, NaN where there is none."""
    from poolwise.reading.predictions import predicted_values

    names = [pool.documents(topic) for topic in pool.topics]
    rows = zip(listing.topic.tolist(), listing.document.tolist(), strict=True)
    return predicted_values(predictions, [(pool.topics[topic], names[topic][document]) for topic, document in rows])


@dataclass(frozen=True)
class Labels:
    """Pilot labels: place of each judged document in the listing, its topic, its gain (above 0: relevant)."""

    rows: Whole
    topic: Whole
    gain: Floats
    usual: tuple[float, ...] = (1.0, 1.0)  # gains of labels 1 and 2

    def without(self, topics: Sequence[int]) -> Labels:
        """All but those of some topics."""
        others = ~np.isin(self.topic, topics)
        return Labels(self.rows[others], self.topic[others], self.gain[others], self.usual)

    @cached_property
    def mixture(self) -> tuple[Floats, Floats]:
        """The positive gains that occur, and the share of each among relevant documents. As is usual if none is known.

        Grades matter to the ideal list of nDCG: relevant documents may fill it, and those of the best grade not yet.
        """
        found = self.gain[self.gain > 0]
        gains_seen, weight = (found, np.ones(len(found))) if len(found) else (np.array(self.usual), np.array(GRADES))
        gains, kind = np.unique(gains_seen, return_inverse=True)
        return gains, np.bincount(kind.reshape(-1), weight) / weight.sum()


@dataclass(frozen=True)
class RelevancePrior:
    """Slopes b0, b1 (and that of predictions), the topics' effects, and their inverse Hessian: how sure they are."""

    slopes: Floats
    effects: Floats
    arrow: Arrow
    prior: Floats  # what slopes were before any label

    def chance(self, x: Floats, topic: Whole, shift: float = 0.0) -> Floats:
        """Probability of relevance, with a shifted logit."""
        chance: Floats = expit(self.slopes[0] + _columns(x) @ self.slopes[1:] + self.effects[topic] + shift)
        return chance


def fit(x: Floats, labels: Labels, topics: int, start: RelevancePrior | None = None) -> RelevancePrior:
    """Estimate the model. Without labels, the prior. Labels stand topic by topic."""
    columns = np.column_stack([np.ones(len(labels.rows)), _columns(x)[labels.rows]])
    prior = prior_effects(x, topics) if start is None else start.prior
    precision = np.append(PRECISION, [PREDICTED_PRECISION] * (len(prior) - len(PRECISION)))
    bounds = np.searchsorted(labels.topic, np.arange(topics + 1))
    relevant = (labels.gain > 0).astype(float)
    rows = LogisticRows(columns, np.ones((len(columns), 1)), relevant, bounds, columns @ prior)
    begin = np.zeros(len(prior)), np.zeros((topics, 1))
    if start is not None:
        begin = start.slopes - prior, start.effects[:, None]
    (slopes, effects), arrow = climb(rows, begin, (precision, np.array([1.0 / TOPIC_VARIANCE])), TOLERANCE)
    return RelevancePrior(prior + slopes, effects[:, 0], arrow, prior)


def prior_effects(x: Floats, topics: int) -> Floats:
    """Prior b0, b1 and effect of predictions, at which the usual number of documents is relevant.

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
    labels, kind = np.unique(listing.label[judged], return_inverse=True)
    gain = np.array([gain_of(int(label)) for label in labels], dtype=float)[kind.reshape(-1)]
    return Labels(judged, listing.topic[judged], gain, tuple(max(gain_of(label), 1e-9) for label in (1, 2)))


# Chosen on TREC-8 and DL 2019 by forecasts of widths (docs/theory/assisted.md; benchmarks/first_forecasts.py).
SUPPOSED_SLOPE, SLOPE_PRECISION = 2.0, 12.0  # b1 before any label, of many runs
LEVEL_PRECISION = (4.0, 0.1)  # of b0 before any label, and after a pilot
TOPIC_VARIANCES = np.array([1.5, 1.0])  # of a_t and s_t; that of s_t goes with the square of b1
WORTH_TOPICS = 10.0  # topics that these variances are worth against those of a pilot
EM_STEPS = 8  # steps of EM from the first guess of variances
NEAR_THE_TOP = 0.95  # the share of the pool below the rank where z is 0
MOST_RELEVANT_DOCUMENTS = (
    130.0  # documents of a topic, however large its pool: of many runs, N of them have 130 N / (130 + N)
)
# Two runs tell less of a document than thirty, and of what they rank high less is relevant: n runs have n / (n + 1.5)
# of the slope, and of the share in small pools.
FEW_RUNS = 1.5
RUN_SPREAD = 0.7  # of the logarithm of what a run counts
LEAST_AGREEMENT = 0.02  # of the mean: what the oddest run counts
TOP_RANKS = 20  # first ranks of runs whose documents are compared
SUPPOSED_GRADES = ((1, 0.5), (2, 0.35), (3, 0.15))  # of relevant documents before any label
# Among relevant documents, the odds of the next grade go up by this with z, and differ by topic with this variance.
GRADE_SLOPE, GRADE_VARIANCE = 0.7, 2.2


@dataclass(frozen=True)
class _PriorFit:
    """Shared effects, those of topics (T x 2), and how sure both are."""

    shared: Floats
    topic: Floats
    arrow: Arrow

    def draw(self, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Effects drawn from their posterior."""
        off = random.multivariate_normal(np.zeros(len(self.shared)), self.arrow.inverse)
        roots = np.linalg.cholesky(self.arrow.topic_inverse)
        by_topic = np.einsum("tij,tj->ti", roots, random.standard_normal(self.topic.shape))
        return self.shared + off, self.topic + by_topic - self.arrow.carry @ off


class SupposedLabels:
    """Labels for all listed documents. Those that are judged keep theirs."""

    def __init__(self, pool: Pool, listing: Listing, predictions: Any = None) -> None:
        self._listing, self._topics = listing, len(pool.topics)
        self._ranks = _Ranks(pool, listing)
        self._judged = np.flatnonzero(listing.label != POOLED)
        known = listing.label[self._judged]
        self._grades, self._shares = _shares_of(known[known > 0], SUPPOSED_GRADES)
        self._others, self._other_shares = _shares_of(known[known <= 0], ((0, 1.0),))
        self._predicted = np.zeros((len(listing.topic), 0))
        if predictions is not None:
            self._predicted = predicted_feature(pool, listing, predictions)[:, None]
        self._of_many = len(pool.runs) / (len(pool.runs) + FEW_RUNS)
        self._slope, self._variances = (
            SUPPOSED_SLOPE * self._of_many,
            TOPIC_VARIANCES * np.array([1.0, self._of_many**2]),
        )
        self._fit = self._fitted(self._ranks.heights(self._ranks.agreement))

    @property
    def kinds(self) -> list[int]:
        """All possible labels."""
        return sorted({*self._grades.tolist(), *self._others.tolist(), *self._listing.label[self._judged].tolist()})

    def draw(self, random: np.random.Generator) -> NDArray[np.int32]:
        """Draw one label for each listed document."""
        runs = len(self._ranks.agreement)
        height = self._ranks.heights(self._ranks.agreement * np.exp(RUN_SPREAD * random.standard_normal(runs)))
        shared, topic = self._fit.draw(random)
        effects = topic[self._listing.topic]
        chance = expit(self._columns(height) @ shared + effects[:, 0] + effects[:, 1] * height)
        relevant = random.random(len(chance)) < chance
        others = random.choice(self._others, len(chance), p=self._other_shares)
        labels = np.where(relevant, self._graded(height, chance, random), others).astype(np.int32)
        labels[self._judged] = self._listing.label[self._judged]
        return labels

    def _graded(self, height: Floats, chance: Floats, random: np.random.Generator) -> Whole:
        """Grades of documents if they are relevant."""
        middle = float((height * chance).sum()) / max(float(chance.sum()), 1e-9)
        effects = np.sqrt(GRADE_VARIANCE) * random.standard_normal(self._topics)
        pull = GRADE_SLOPE * (height - middle) + effects[self._listing.topic]
        weights = self._shares * np.exp(np.arange(len(self._grades)) * pull[:, None])
        ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        passed = (random.random(len(height))[:, None] > ends[:, :-1]).sum(axis=1)
        return np.asarray(self._grades[passed])

    def _columns(self, height: Floats) -> Floats:
        return np.column_stack([np.ones(len(height)), height, self._predicted])

    def _fitted(self, height: Floats) -> _PriorFit:
        """Fit the model to what is judged. Variances of topics' effects are found by EM, from where they were."""
        columns = self._columns(height)[self._judged]
        more = self._predicted.shape[1]
        prior = np.array([self._level(height), self._slope, *[PREDICTED] * more])
        level = LEVEL_PRECISION[len(self._judged) > 0]
        precision = np.array([level, SLOPE_PRECISION, *[PREDICTED_PRECISION] * more])
        bounds = np.searchsorted(self._listing.topic[self._judged], np.arange(self._topics + 1))
        relevant = (self._listing.label[self._judged] > 0).astype(float)
        by_topic = np.ascontiguousarray(columns[:, :2])
        rows = LogisticRows(columns, by_topic, relevant, bounds, columns @ prior)
        effects, variances = (np.zeros(len(prior)), np.zeros((self._topics, 2))), self._variances
        for _ in range(EM_STEPS if len(self._judged) else 1):
            effects, arrow = climb(rows, effects, (precision, 1.0 / variances), 1e-6)
            left = np.einsum("tkk->tk", arrow.topic_inverse)
            left = left + ((arrow.carry @ arrow.inverse) * arrow.carry).sum(axis=2)
            squares = (effects[1] ** 2 + left).sum(axis=0)
            variances = (WORTH_TOPICS * self._variances + squares) / (WORTH_TOPICS + self._topics)
        return _PriorFit(prior + effects[0], effects[1], arrow)

    def _level(self, height: Floats) -> float:
        """The b0 for the usual number of relevant documents in pools of this size."""
        size = len(height) / max(len(np.unique(self._listing.topic)), 1)
        wanted = MOST_RELEVANT_DOCUMENTS / (MOST_RELEVANT_DOCUMENTS / self._of_many + size)
        predicted = self._predicted.sum(axis=1)
        spread = self._variances[0] + self._variances[1] * height**2 + predicted**2 / PREDICTED_PRECISION
        # Averaged over effects of topics, and of predictions, nearly (MacKay 1992).
        flatter = np.sqrt(1.0 + np.pi / 8.0 * spread)
        low, high = -15.0, 15.0
        for _ in range(40):
            middle = (low + high) / 2.0
            below = float(expit((middle + self._slope * height + PREDICTED * predicted) / flatter).mean()) < wanted
            low, high = (middle, high) if below else (low, middle)
        return low


class _Ranks:
    """1 / (rank + 10) of every listed document in every run that has it."""

    def __init__(self, pool: Pool, listing: Listing) -> None:
        offsets = np.asarray(pool.document_offsets())
        index = np.full(int(offsets[-1]), -1)
        index[offsets[listing.topic] + listing.document] = np.arange(len(listing.topic))
        indices, runs, values = [], [], []
        for run in range(len(pool.runs)):
            for topic in range(len(pool.topics)):
                at = index[offsets[topic] + np.asarray(pool.all_documents(run, topic))]
                indices.append(at[at >= 0].astype(np.int32))
                values.append(1.0 / (11.0 + np.flatnonzero(at >= 0)))
                runs.append(np.full(len(values[-1]), run, dtype=np.int32))
        self._document, self._run, self._value = np.concatenate(indices), np.concatenate(runs), np.concatenate(values)
        self._size, self._runs = len(listing.topic), len(pool.runs)
        self.agreement = self._agreement()

    def _agreement(self) -> Floats:
        """Agreement of each run: ranks of its top documents in other runs, relative to the mean."""
        total = np.bincount(self._document, self._value, self._size)
        near = self._value > 1.0 / (10.5 + TOP_RANKS)
        others = total[self._document[near]] - self._value[near]
        number = np.maximum(np.bincount(self._run[near], minlength=self._runs), 1)
        found = np.bincount(self._run[near], others, self._runs) / number
        mean = float(found.mean())
        return np.maximum(found / mean, LEAST_AGREEMENT) if mean > 0.0 else np.ones(self._runs)

    def heights(self, weights: Floats) -> Floats:
        """Weighted ranks of each document, standardised, 0 near the top."""
        mean = np.bincount(self._document, self._value * weights[self._run], self._size) / weights.sum()
        x = np.log(1e-4 + mean)
        result: Floats = (x - np.quantile(x, NEAR_THE_TOP)) / max(float(x.std()), 1e-9)
        return result


def _shares_of(labels: NDArray[np.int32], unless: tuple[tuple[int, float], ...]) -> tuple[Whole, Floats]:
    """The labels and their shares among relevant documents, the usual ones without labels."""
    kinds, counts = np.unique(labels, return_counts=True)
    if not len(kinds):
        return np.array([kind for kind, _ in unless]), np.array([share for _, share in unless])
    return kinds.astype(np.int64), counts / counts.sum()
