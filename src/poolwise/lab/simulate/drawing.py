"""Simulated campaigns: families of systems, their runs, and the constants of the simulation.

`Shape` has all constants. Its defaults were fitted to statistics of TREC-8 (benchmarks/simulator_fit.py,
docs/explanation/simulator.md). `make calibrate NAMES=Shape` prints the curves of some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.basics.settings import fraction, seed_number, whole
from poolwise.errors import ArgumentError
from poolwise.lab.simulate.generate import STRIDE, Topic, candidates_for, simulate_topic
from poolwise.lab.simulate.simulated import Simulated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
if TYPE_CHECKING:
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """Constants of the simulation, in the units of a document's latent score (spread 1 without relevance)."""

    candidates: int = 30_000  # documents per topic that some system could retrieve, for depths up to 1000
    # Topics: number of relevant documents (gamma distributed), and how far relevance lifts a document.
    relevant: float = 130.0
    relevant_shape: float = 1.15
    lift: float = 1.97
    lift_spread: float = 0.91
    lift_slope: float = 0.97  # topics with many relevant documents lift each of them less
    # Relevant documents: how easy each is to find, and for whom.
    ease_spread: float = 1.42
    unusual: float = 0.135  # share of the ease that is a run's own view, automatic runs
    unusual_manual: float = 0.98  # the same for the best manual family; others lie between
    unusual_run: float = 0.56  # of that own view, the share the run does not have in common with its family
    degree_weight: float = 0.7  # correlation of a document's ease with its degree of relevance
    # All documents: shares of the latent score's variance.
    common: float = 0.63
    common_topic_spread: float = 0.15
    common_family_spread: float = 0.14
    common_manual: float = 0.45  # manual runs share this part of it
    family: float = 0.21
    # Quality of families and runs.
    best: float = 1.44
    quality_slope: float = 0.28
    quality_power: float = 1.35  # above 1: the good half lies close together, the bad tail is long
    quality_run: float = 0.02
    manual_share: float = 0.15  # of the families
    manual_best: float = 1.45
    manual_slope: float = 0.22
    weak_below: float = 1.25  # runs of lower quality also share less with the others ...
    weak_power: float = 2.0  # ... by this power of their quality
    family_topic_spread: float = 0.15
    run_topic_spread: float = 0.08
    # Near-copies, short lists and missing topics.
    copies: float = 0.12
    copy_noise: float = 0.15
    short_runs: float = 0.1
    missing_runs: float = 0.03
    # Negative labels go to non-relevant documents that attract all systems.
    spam_attraction: float = 0.35
    spam_topic_spread: float = 1.1
    # Share of each label above the lowest relevant one, relative to the label below it.
    grade_ratio: float = 0.4


@dataclass(frozen=True)
class Entrants:
    """Traits of runs, constant over topics. Arrays have one entry per run."""

    names: list[str]
    family: Integers
    first: Flags  # first run of its family
    manual: Flags
    quality: Floats
    sharing: Floats  # factor on the part of the latent score that is common to all runs
    unusual: Floats
    copy: Flags  # near-copy of the run before it
    style: Integers  # scale its scores are printed on
    short: Floats  # 0: full lists; else how soon lists end
    missing: Integers  # number of a topic left out, or -1

    @property
    def families(self) -> int:
        """Number of families."""
        return int(self.family[-1]) + 1


def enter(runs: int, topics: int, random: np.random.Generator, shape: Shape) -> Entrants:
    """Draw the runs of a campaign."""
    family, by_hand = draw_families(runs, random, shape)
    first = np.diff(family, prepend=-1) > 0
    quality, unusual = draw_quality(by_hand, random, shape)
    manual, quality = by_hand[family], quality[family]
    quality = np.maximum(0.0, quality * (1 + shape.quality_run * random.standard_normal(runs)))
    return Entrants(
        names=run_names(family, manual),
        family=family,
        first=first,
        manual=manual,
        quality=quality,
        sharing=draw_sharing(family, manual, quality, random, shape),
        unusual=unusual[family],
        copy=(random.random(runs) < shape.copies) & ~first,
        style=random.integers(0, 3, size=by_hand.size)[family],
        short=np.where(random.random(runs) < shape.short_runs, random.uniform(0.2, 2.0, runs), 0.0),
        missing=draw_missing(runs, topics, random, shape),
    )


def draw_families(runs: int, random: np.random.Generator, shape: Shape) -> tuple[Integers, Flags]:
    """Family of each run, and whether each family is manual.

    Sizes 1 to 5 have the frequencies of TREC-8's groups. Manual families have one or two runs, and are spread evenly
    over the families.
    """
    # Numbers of TREC-8's groups with 1 to 5 runs.
    sizes = 1 + random.choice(5, size=runs, p=np.array([8, 5, 9, 7, 12]) / 41)
    manual = np.diff(np.floor(random.random() + shape.manual_share * np.arange(runs + 1))) > 0
    sizes = np.where(manual, np.minimum(sizes, 2), sizes)
    family = np.repeat(np.arange(runs), sizes)[:runs]
    return family, manual[: int(family[-1]) + 1]


def draw_quality(manual: Flags, random: np.random.Generator, shape: Shape) -> tuple[Floats, Floats]:
    """Quality and unusual share of each family: many good families and a long tail of bad ones.

    The better a manual family, the more unusual relevant documents it finds.
    """
    quality = np.empty(manual.size)
    unusual = np.full(manual.size, shape.unusual)
    others, by_hand = stratified(int((~manual).sum()), random), stratified(int(manual.sum()), random)
    quality[~manual] = shape.best - shape.quality_slope * (-np.log(others)) ** shape.quality_power
    quality[manual] = shape.manual_best - shape.manual_slope * (-np.log(by_hand)) ** shape.quality_power
    unusual[manual] += (shape.unusual_manual - shape.unusual) * by_hand
    return np.maximum(0.0, quality), unusual


def draw_sharing(family: Integers, manual: Flags, quality: Floats, random: np.random.Generator, shape: Shape) -> Floats:
    """Factor of each run on the common part: low for weak and manual runs, varying over families."""
    uneven = np.sqrt(12) * (stratified(int(family[-1]) + 1, random) - 0.5)[family]
    weak = np.minimum(1.0, quality / shape.weak_below) ** shape.weak_power
    sharing: Floats = (1 + shape.common_family_spread * uneven) * weak
    return sharing * np.where(manual, shape.common_manual, 1.0)


def stratified(count: int, random: np.random.Generator) -> Floats:
    """Uniform numbers, one in each of `count` equal parts of (0, 1], in random order.

    So even a few families include good and bad ones.
    """
    return (random.permutation(count) + 1.0 - random.random(count)) / count


def draw_missing(runs: int, topics: int, random: np.random.Generator, shape: Shape) -> Integers:
    """For a few runs the topic that they lack, else -1. No run lacks its only topic."""
    topic = random.integers(0, topics, size=runs)
    lacks = (random.random(runs) < shape.missing_runs) & (topics > 1)
    return np.where(lacks, topic, -1)


def run_names(family: Integers, manual: Flags) -> list[str]:
    """Names such as `sim07b` (family and letter), or `man07b` for manual runs."""
    start = np.searchsorted(family, family)
    letters = ["abcde"[index] for index in np.arange(family.size) - start]
    width = max(2, len(str(int(family[-1]) + 1)))
    kinds = ["man" if by_hand else "sim" for by_hand in manual]
    return [f"{k}{f + 1:0{width}d}{x}" for k, f, x in zip(kinds, family, letters, strict=True)]


NEGATIVE_LABEL = -2  # the TREC Web track's label for spam
MOST_GRADES = 100  # labels are stored in 8 bits
MOST_NAMES = 100_000  # runs, and topics: arrays of runs x topics x depth would fill the memory before a check
MOST_DEPTH = 100_000  # document numbers (600 a rank) stay within 32 bits
FIRST_TOPIC = 101  # name of the first topic, three digits as in TREC


def simulate(
    runs: int = 50,
    topics: int = 50,
    depth: int = 1000,
    grades: int = 3,
    negative: float = 0.05,
    pool_depth: int = 100,
    contributing: int | Sequence[str] | None = None,
    seed: int | np.random.Generator = 0,
    *,
    shape: Shape | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulated:
    """Simulate a campaign with known complete labels.

    Lists, and which documents are relevant, do not depend on `grades`, `negative`, `pool_depth` and `contributing`.

    Parameters
    ----------
    runs, topics : int
        How many.
    depth : int
        How many documents a run returns for a topic.
    grades : int
        Number of labels from 0 up: 2 gives 0 and 1, 3 gives 0, 1 and 2.
    negative : float
        Share of the judged non-relevant documents that get the label -2 (spam).
    pool_depth : int
        The judged documents are so many first ones of every contributing run.
    contributing : int or sequence of str, optional
        All runs unless given; so many of them, at least one per family first; or their names.
    seed : int or Generator
        The same number gives the same campaign; a generator draws one.
    shape : Shape, optional
        Other constants than the fitted ones.
    progress : callable, optional
        Called after each topic with how many are done and how many there are.

    Returns
    -------
    Simulated
        The campaign: rankings, labels, and what is known of every document.

    Examples
    --------
    >>> campaign = simulate(runs=5, topics=2, depth=50, pool_depth=10, seed=7)
    >>> name = campaign.runs[0]
    >>> len(campaign.run(name)["101"])
    50
    """
    runs, topics = whole("runs", runs, 1, MOST_NAMES), whole("topics", topics, 1, MOST_NAMES)
    depth, pool_depth = whole("depth", depth, 1, MOST_DEPTH), whole("pool_depth", pool_depth, 1)
    grades = whole("grades", grades, 2, MOST_GRADES)
    negative = fraction("negative", negative)
    number = seed_number(seed)
    shape = shape or Shape()
    # A seed for each topic: what is drawn for one does not change the others.
    first, *rest = np.random.SeedSequence(number).spawn(topics + 1)
    random = np.random.default_rng(first)
    entrants = enter(runs, topics, random, shape)
    judged = contributors(contributing, entrants, random)
    rankings = np.empty((runs, topics, depth), dtype=np.int32)
    units = np.empty((runs, topics, depth), dtype=np.int32)
    known = []
    for column, topic_seed in enumerate(rest):
        topic = simulate_topic(column, entrants, depth, np.random.default_rng(topic_seed), shape)
        known.append(known_documents(topic, topic.lists[judged, :pool_depth], grades, shape.grade_ratio))
        rankings[:, column] = np.where(topic.lists >= 0, topic.documents[topic.lists], -1)
        units[:, column] = topic.units
        if progress:
            progress(column + 1, topics)
    labels = np.concatenate([part.labels for part in known])
    pooled = np.concatenate([part.pooled for part in known])
    return Simulated(
        runs=entrants.names,
        topics=[str(FIRST_TOPIC + column) for column in range(topics)],
        groups=[name[:-1] for name in entrants.names],
        contributing=[name for name, chosen in zip(entrants.names, judged, strict=True) if chosen],
        depth=depth,
        pool_depth=pool_depth,
        grades=grades,
        negative=negative,
        seed=number,
        collection=STRIDE * candidates_for(depth, shape),
        rankings=rankings,
        score_units=units,
        offsets=np.cumsum([0] + [part.labels.size for part in known]),
        documents=np.concatenate([part.documents for part in known]),
        labels=with_negative(labels, pooled, np.concatenate([part.spam for part in known]), negative),
        pooled=pooled,
    )


@dataclass(frozen=True)
class Known:
    """Relevant or retrieved documents of a topic, in ascending order."""

    documents: NDArray[np.int32]
    labels: NDArray[np.int8]
    pooled: NDArray[np.bool_]
    spam: NDArray[np.float64]


def known_documents(topic: Topic, judged: NDArray[np.int32], grades: int, ratio: float) -> Known:
    """Gather the known documents of a topic and their labels without negative ones."""
    size = topic.documents.size
    labels = np.zeros(size, dtype=np.int8)
    labels[topic.relevant] = graded(topic.degree, grades, ratio)
    known, pooled = labels > 0, np.zeros(size, dtype=bool)
    known[topic.lists[topic.lists >= 0]] = True
    pooled[judged[judged >= 0]] = True
    return Known(topic.documents[known], labels[known], pooled[known], topic.spam[known])


def graded(degree: NDArray[np.float64], grades: int, ratio: float) -> NDArray[np.int8]:
    """Labels 1 to grades - 1 by degree of relevance. Each is `ratio` times as frequent as the one below.

    >>> graded(np.array([0.1, 0.7, 0.8]), 3, 0.5)
    array([1, 2, 2], dtype=int8)
    """
    shares = ratio ** np.arange(grades - 1)
    bounds = np.cumsum(shares / shares.sum())[:-1]
    return (1 + np.searchsorted(bounds, degree)).astype(np.int8)


def with_negative(
    labels: NDArray[np.int8], pooled: NDArray[np.bool_], spam: NDArray[np.float64], share: float
) -> NDArray[np.int8]:
    """Give the negative label to the asked share of judged non-relevant documents.

    Those with the highest spam values get it. Their lowest value is the bound for unjudged documents.
    """
    values = np.sort(spam[pooled & (labels == 0)])
    wanted = round(share * values.size)
    # `values[-0]` would be the lowest value.
    if wanted == 0:
        return labels
    return np.where((labels == 0) & (spam >= values[-wanted]), np.int8(NEGATIVE_LABEL), labels)


def contributors(
    contributing: int | Sequence[str] | None, entrants: Entrants, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Flags of the contributing runs. A number selects runs of all families in turn."""
    runs = len(entrants.names)
    within = np.arange(runs) - np.maximum.accumulate(np.where(entrants.first, np.arange(runs), 0))
    turn = np.lexsort((random.random(runs), within))  # always drawn, so that lists do not depend on `contributing`
    if contributing is None:
        return np.ones(runs, dtype=bool)
    if isinstance(contributing, str):
        raise ArgumentError(f"contributing is {contributing!r}; it must be a number of runs or a list of names")
    if isinstance(contributing, Sequence):
        return named(contributing, entrants.names)
    chosen = np.zeros(runs, dtype=bool)
    chosen[turn[: whole("contributing", contributing, 1, runs)]] = True
    return chosen


def named(wanted: Sequence[str], names: list[str]) -> NDArray[np.bool_]:
    """Flags of the named runs."""
    unknown = [name for name in wanted if name not in names]
    if unknown or not wanted:
        fault = f"names {unknown[0]!r}" if unknown else "is empty"
        raise ArgumentError(f"contributing {fault}; the runs of this campaign are {', '.join(names)}")
    return np.array([name in set(wanted) for name in names])
