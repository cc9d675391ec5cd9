"""A topic of a simulated campaign: candidate documents, relevant ones, and the list of every run.

A document d has for run s the latent score

    y(s, d) = sqrt(c) A(d) + sqrt(f) F(family(s), d) + sqrt(1 - c - f) E(s, d)
              + q(s) (m + v [sqrt(1 - u) G(d) + sqrt(u) H(s, d)])

with the second line for relevant documents only, and the run returns the documents with the highest scores.
The explanation page of the simulator describes each part. Scores of non-relevant documents have exponential
tails and those of relevant ones are near normal, as Manmatha, Rath and Feng (SIGIR 2001) found for TREC runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolwise.lab.simulate.simulated import SCORE_UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.simulate.drawing import Entrants, Shape

    Single = NDArray[np.float32]
    Places = NDArray[np.int64]

__all__ = ["STRIDE", "Topic", "candidates_for", "simulate_topic"]

STRIDE = 20  # one candidate in 20 documents of the collection, so that topics share documents; chosen by hand
# Largest share of variance of the common and the family part together: the rest makes runs of a family differ.
LARGEST_SHARE = 0.97


@dataclass(frozen=True)
class Topic:
    """Documents and lists of a topic. `lists` (indices of candidates) and `units` (scores) have a row per run."""

    documents: NDArray[np.int32]
    relevant: Places  # indices of the relevant candidates
    degree: Floats  # of each relevant candidate, uniform in (0, 1)
    spam: Floats  # of each candidate: documents with the highest values get negative labels
    lists: NDArray[np.int32]  # -1 past a list's end
    units: NDArray[np.int32]


@dataclass(frozen=True)
class Candidates:
    """Latent signals of one topic's candidates."""

    common: Single  # A
    family: Single  # F, a row a family
    relevant: Places
    degree: Floats
    lift: float  # m
    ease: Floats  # G
    ease_family: Floats  # H's family part, a row a family
    share: float  # c without the factor of a run


def candidates_for(depth: int, shape: Shape) -> int:
    """Number of candidate documents of a topic for runs of a depth."""
    return max(shape.candidates, shape.candidates * depth // 1000)


def simulate_topic(number: int, entrants: Entrants, depth: int, random: np.random.Generator, shape: Shape) -> Topic:
    """Draw one topic and the list of every run for it."""
    size = candidates_for(depth, shape)
    # One random document in each stretch of the collection: sorted, without repeats, and different for each
    # topic.
    documents = np.arange(0, size * STRIDE, STRIDE) + random.integers(0, STRIDE, size)
    drawn = draw_candidates(size, entrants.families, random, shape)
    lists, units = draw_lists(drawn, entrants, depth, random, shape)
    cut_lists(lists, units, number, entrants, random)
    spam = shape.spam_attraction * drawn.common + random.logistic(size=size)
    spam += shape.spam_topic_spread * random.standard_normal()
    return Topic(documents.astype(np.int32), drawn.relevant, drawn.degree, spam, lists, units)


def draw_candidates(size: int, families: int, random: np.random.Generator, shape: Shape) -> Candidates:
    """Draw relevant documents, difficulty of the topic, and the signals common to runs."""
    amount, easiness, agreement = topic_traits(random, shape)
    # At least three relevant documents, so that every topic discriminates, and at most a twentieth of the
    # candidates.
    count = int(np.clip(shape.relevant * amount, 3, size // 20))
    lift = shape.lift + shape.lift_spread * easiness - shape.lift_slope * np.log(count / shape.relevant)
    degree = random.random(count)
    weight = shape.degree_weight
    # A uniform number has variance 1/12; both parts have variance 1.
    ease = weight * np.sqrt(12) * (degree - 0.5) + np.sqrt(1 - weight**2) * random.standard_normal(count)
    return Candidates(
        common=exponential((size,), random),
        family=exponential((families, size), random),
        relevant=random.choice(size, count, replace=False, shuffle=False),
        degree=degree,
        lift=float(lift),
        ease=ease,
        ease_family=random.standard_normal((families, count)),
        share=float(np.clip(shape.common + shape.common_topic_spread * agreement, 0.05, 0.9)),
    )


def topic_traits(random: np.random.Generator, shape: Shape) -> tuple[float, float, float]:
    """Relative number of relevant documents, easiness, and agreement of systems."""
    amount = random.gamma(shape.relevant_shape, 1 / shape.relevant_shape)
    easiness, agreement = random.standard_normal(2)
    return float(amount), float(easiness), float(agreement)


def exponential(size: tuple[int, ...], random: np.random.Generator) -> Single:
    """Exponential numbers with mean 0 and variance 1."""
    numbers: Single = random.standard_exponential(size, dtype=np.float32)
    numbers -= np.float32(1)
    return numbers


def draw_lists(
    drawn: Candidates, entrants: Entrants, depth: int, random: np.random.Generator, shape: Shape
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lists of all runs: indices of candidates, and scores in units of 1/10000."""
    runs, size = len(entrants.names), drawn.common.size
    lists = np.empty((runs, depth), dtype=np.int32)
    units = np.empty((runs, depth), dtype=np.int32)
    form = shape.family_topic_spread * random.standard_normal(entrants.families)[entrants.family]
    form += shape.run_topic_spread * random.standard_normal(runs)
    # Scores of real systems have another scale on each topic.
    stretch = random.uniform(0.7, 1.3)
    individual = np.empty(0, dtype=np.float32)
    for run in range(runs):
        noise = random.standard_normal(size, dtype=np.float32)
        if entrants.copy[run]:
            noise *= np.float32(shape.copy_noise)
            noise += np.float32(np.sqrt(1 - shape.copy_noise**2)) * individual
            form[run] = form[run - 1]
        individual = noise
        latent = latent_scores(run, drawn, entrants, individual, float(form[run]), random, shape)
        lists[run], units[run] = ranked(latent, depth, int(entrants.style[run]), stretch)
    return lists, units


def latent_scores(
    run: int,
    drawn: Candidates,
    entrants: Entrants,
    individual: Single,
    form: float,
    random: np.random.Generator,
    shape: Shape,
) -> Single:
    """Latent scores y(s, d) of a run for all candidates."""
    family = entrants.family[run]
    common = min(drawn.share * entrants.sharing[run], LARGEST_SHARE - shape.family)
    latent = np.float32(np.sqrt(1 - common - shape.family)) * individual
    latent += np.float32(np.sqrt(shape.family)) * drawn.family[family]
    latent += np.float32(np.sqrt(common)) * drawn.common
    quality = entrants.quality[run]
    quality = max(0.0, quality + form * min(1.0, 1.5 * quality))  # a bad run is not good on some topics
    unusual, alone = entrants.unusual[run], shape.unusual_run
    view = np.sqrt(alone) * random.standard_normal(drawn.relevant.size)
    view += np.sqrt(1 - alone) * drawn.ease_family[family]
    ease = np.sqrt(1 - unusual) * drawn.ease + np.sqrt(unusual) * view
    latent[drawn.relevant] += (quality * (drawn.lift + shape.ease_spread * ease)).astype(np.float32)
    return latent


def ranked(latent: Single, depth: int, style: int, stretch: float) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Indices of the `depth` best candidates, and their printed scores, in trec_eval's order.

    trec_eval sorts by score, ties by document id, both descending. Indices sort as ids do.
    """
    # Partition before sorting: of 30,000 candidates a thousand are listed.
    indices = np.argpartition(latent, latent.size - depth)[-depth:]
    units = printed_units(latent[indices].astype(np.float64), style, stretch)
    # Score and index in one 64-bit key: a single sort gives trec_eval's order.
    keys = np.sort((units << 32) | indices)[::-1]
    return (keys & 0xFFFFFFFF).astype(np.int32), (keys >> 32).astype(np.int32)


def printed_units(latent: Floats, style: int, stretch: float) -> NDArray[np.int64]:
    """Scores on the scale of a style: weights that vary by topic, cosines, log probabilities."""
    if style == 0:
        scores = stretch * (6.0 + 3.0 * latent)
    elif style == 1:
        centred = (latent - 3.0) / 2.0
        scores = 0.5 + 0.5 * centred / (1.0 + np.abs(centred))
    else:
        scores = 0.8 * latent - 9.0
    return np.rint(SCORE_UNIT * scores).astype(np.int64)


def cut_lists(
    lists: NDArray[np.int32],
    units: NDArray[np.int32],
    number: int,
    entrants: Entrants,
    random: np.random.Generator,
) -> None:
    """Truncate the lists of a few runs, and remove those of missing topics, in place."""
    depth = lists.shape[1]
    shares = np.minimum(1.0, 2.0 * random.random(len(entrants.names)) ** entrants.short)
    lengths = np.where(entrants.short > 0, np.ceil(depth * shares), depth)
    lengths[entrants.missing == number] = 0
    gone = np.arange(depth) >= lengths[:, None]
    lists[gone] = -1
    units[gone] = 0
