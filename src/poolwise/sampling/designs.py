"""Designs: which documents of complete judgments a sample judges. Each is declared once, at the end of this file.

A design sorts the judged documents of each topic into classes and says how many of each class to keep. Which ones is
left to chance: the first by a random number that follows from seed, trial, topic and document alone. Documents that
were pooled but not judged stay so, and are neither drawn nor counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from poolwise.basics.settings import choice, whole
from poolwise.errors import ArgumentError
from poolwise.pool.judgments import OUTSIDE, POOLED, is_judged
from poolwise.pool.pool import NO_RANK, Pool
from poolwise.sampling.allocate import ROUNDINGS, evenly, exact, exact_weights, nearest, portions, proportional
from poolwise.sampling.strata import by_bands, by_edges, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.pool.judgments import Judgments

Settings = dict[str, Any]
MOST_BANDS = 10_000  # of a topic; more have no document each


def check(pool: Pool, design: str, allowed: Iterable[str], settings: Mapping[str, Any]) -> Settings:
    """Checked settings (None: not set) in the form that designs use."""
    names = list(allowed)
    for name, value in settings.items():
        if value is not None and name not in names:
            raise ArgumentError(f"design {design!r} has no setting {name!r}; it takes {', '.join(names) or 'none'}")
    return {name: CHECKS[name](pool, value) for name, value in settings.items() if value is not None}


def require(settings: Settings, design: str, name: str) -> Any:
    """A required setting."""
    if name not in settings:
        raise ArgumentError(f"design {design!r} needs {name}; give for example {name}={EXAMPLES[name]}")
    return settings[name]


def plain(value: Any) -> Any:
    """A setting as it is recorded: numbers, text, lists and dicts only.

    >>> plain((Fraction(1, 10), 2))
    [0.1, 2]
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _share(pool: Pool, value: Any) -> Fraction:
    share = exact(value)
    if share == 0:
        raise ArgumentError(f"fraction={value!r} leaves nothing to judge; give a fraction above 0 and at most 1")
    return share


def _whole(name: str, most: int | None = None) -> Callable[[Pool, Any], int]:
    def read(pool: Pool, value: Any) -> int:
        return whole(name, value, 1, most)

    return read


def _label(pool: Pool, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ArgumentError(f"rel={value!r} must be a label, a whole number")
    return int(value)


def _rates(pool: Pool, value: Any) -> tuple[Fraction, ...]:
    return tuple(exact(rate, "rates") for rate in _several("rates", value))


def _edges(pool: Pool, value: Any) -> tuple[int, ...]:
    edges = tuple(_whole("edges")(pool, edge) for edge in _several("edges", value))
    if any(a >= b for a, b in pairwise(edges)):
        raise ArgumentError(f"edges={list(edges)} must ascend; they are the last rank of each stratum but the last")
    return edges


def _rounding(pool: Pool, value: Any) -> str:
    return choice("rounding", value, ROUNDINGS)


def _contributing(pool: Pool, value: Any) -> tuple[str, ...]:
    names = _runs(pool, value, "contributing")
    for name in names:
        pool.run_number(name)
    if not names:
        raise ArgumentError("contributing names no run; leave it out to let all runs contribute")
    return names


def _runs(pool: Pool, value: Any, what: str = "runs") -> tuple[str, ...]:
    # Whether there are such runs (or groups) is for the design to say.
    names = (value,) if isinstance(value, str) else _several(what, value)
    return tuple(dict.fromkeys(map(str, names)))


def _groups(pool: Pool, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ArgumentError(f"groups={value!r} must be a dict from run to group")
    return {str(run): str(group) for run, group in value.items()}


def _several(name: str, value: Any) -> Iterable[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f"{name}={value!r} must be a list")
    return value


CHECKS: dict[str, Callable[[Pool, Any], Any]] = {
    "fraction": _share,
    "depth": _whole("depth"),
    "budget": _whole("budget"),
    "bands": _whole("bands", MOST_BANDS),
    "edges": _edges,
    "rates": _rates,
    "weights": lambda pool, value: exact_weights(_several("weights", value), "weights"),
    "rounding": _rounding,
    "rel": _label,
    "contributing": _contributing,
    "runs": _runs,
    "groups": _groups,
}
EXAMPLES = {"fraction": "0.1", "depth": "10", "runs": "('run_a', 'run_b')"}
if TYPE_CHECKING:
    Labels = NDArray[np.int32]
BPREF_LEAST = (1, 10)  # [B07]: at least one relevant and ten non-relevant documents of a topic stay
POOL_DEPTH = 100  # as deep as TREC's ad hoc pools


@dataclass(frozen=True)
class Draw:
    """The documents that a design draws from, and how many of each class.

    `labels` are those to start from, `classes` the class of each document to draw from (-1: stays as it is),
    `counts` how many of each class to keep (topics x classes), `strata` the strata of a stratified design.
    """

    labels: Labels
    classes: NDArray[np.int32]
    counts: NDArray[np.int64]
    strata: NDArray[np.int32] | None = None


@dataclass(frozen=True)
class Design:
    """A design as declared: its name, what it does, the settings it takes, and how it draws.

    `draw` answers a series of settings that differ in fraction, depth or budget only.
    """

    name: str
    summary: str
    settings: tuple[str, ...]
    draw: Callable[[Judgments, Sequence[Settings]], list[Draw]]
    random: bool = True
    stratified: bool = False
    citation: str = ""


def one_by_one(draw: Callable[[Judgments, Settings], Draw]) -> Callable[[Judgments, Sequence[Settings]], list[Draw]]:
    """Answer a series by answering each of its settings."""
    return lambda judgments, series: [draw(judgments, settings) for settings in series]


def reduce(judgments: Judgments, series: Sequence[Settings]) -> list[Draw]:
    """Keep a share of the relevant and of the non-relevant documents, at least 1 and 10 of them."""
    shares = [require(settings, "reduce", "fraction") for settings in series]
    return _reduced(judgments.labels, judgments, series[0], shares)


def uniform(judgments: Judgments, settings: Settings) -> Draw:
    """Keep a share of the topic's judged documents."""
    share = require(settings, "uniform", "fraction")
    labels = judgments.labels
    classes = np.where(is_judged(labels), 0, -1).astype(np.int32)
    sizes = table(classes, judgments.offsets, 1)
    return Draw(labels, classes, _each(sizes, lambda size, _: nearest(share, size)))


def depth(judgments: Judgments, settings: Settings) -> Draw:
    """Keep the top k documents of the contributing runs. Others leave the pool."""
    inside = _best_ranks(judgments, settings) <= require(settings, "depth", "depth")
    return _keep_all(judgments, np.where(inside, judgments.labels, OUTSIDE))


def depth_plus_random(judgments: Judgments, settings: Settings) -> Draw:
    """Keep the depth-k pool, stratum 1, and as many again at random of the rest, stratum 2."""
    k = require(settings, "depth_plus_random", "depth")
    strata = by_edges(_best_ranks(judgments, settings), (k,))
    classes, sizes = _strata_classes(judgments, strata, 2)
    counts = np.stack([sizes[:, 0], np.minimum(sizes[:, 0], sizes[:, 1])], axis=1)
    return Draw(judgments.labels, classes, counts, strata)


def stratified(judgments: Judgments, settings: Settings) -> Draw:
    """Keep some of each stratum by best rank: by rates, within a budget, or as [Y08] section 5 does."""
    strata, number = _strata(judgments, settings)
    classes, sizes = _strata_classes(judgments, strata, number)
    if "rates" in settings:
        counts = _by_rates(sizes, settings)
    elif "budget" in settings:
        if settings["budget"] < len(sizes):
            raise ArgumentError(
                f"budget={settings['budget']} is less than one judgment for each of {len(sizes)} topics; raise it"
            )
        counts = _by_budget(sizes, evenly(settings["budget"], sizes.sum(axis=1)), settings)
    else:
        counts = _by_budget(sizes, 2 * sizes[:, 0], settings)
    return Draw(judgments.labels, classes, counts, strata)


def pair(judgments: Judgments, series: Sequence[Settings]) -> list[Draw]:
    """Keep the documents of two runs, and reduce these. Others leave the pool."""
    runs = require(series[0], "pair", "runs")
    if len(runs) != 2:
        raise ArgumentError(f"runs={list(runs)} must be two different runs")
    retrieved = judgments.pool.best_ranks(runs) < NO_RANK
    labels = np.where(retrieved, judgments.labels, OUTSIDE)
    return _reduced(labels, judgments, series[0], [settings.get("fraction", Fraction(1)) for settings in series])


def without(judgments: Judgments, settings: Settings) -> Draw:
    """Remove the documents that only these runs added to the pool.

    A document leaves the pool if one of the runs, itself contributing, has it in its top k and no other contributing
    run has. k is the depth the pool was made with.
    """
    left_out = _named_runs(judgments, settings)
    contributing = settings.get("contributing", tuple(judgments.pool.runs))
    k = settings.get("depth", POOL_DEPTH)
    theirs = judgments.pool.best_ranks([run for run in contributing if run in left_out]) <= k
    others = judgments.pool.best_ranks([run for run in contributing if run not in left_out]) <= k
    return _keep_all(judgments, np.where(theirs & ~others, OUTSIDE, judgments.labels))


def _reduced(labels: Labels, judgments: Judgments, settings: Settings, shares: Sequence[Fraction]) -> list[Draw]:
    classes = np.where(labels >= settings.get("rel", 1), 0, 1)
    classes = np.where(is_judged(labels), classes, -1).astype(np.int32)
    rounding = settings.get("rounding", "up")
    sizes = table(classes, judgments.offsets, 2)
    reduced = labels.astype(np.int32)

    def counts(share: Fraction) -> NDArray[np.int64]:
        columns = [portions(share, sizes[:, kind], rounding, least=least) for kind, least in enumerate(BPREF_LEAST)]
        return np.stack(columns, axis=1)

    return [Draw(reduced, classes, counts(share)) for share in shares]


def _keep_all(judgments: Judgments, labels: Labels) -> Draw:
    counts = np.zeros((len(judgments.offsets) - 1, 1), dtype=np.int64)
    return Draw(labels.astype(np.int32), np.full(len(labels), -1, dtype=np.int32), counts)


def _strata(judgments: Judgments, settings: Settings) -> tuple[NDArray[np.int32], int]:
    ranks = _best_ranks(judgments, settings)
    if "edges" in settings:
        if "depth" in settings or "bands" in settings:
            raise ArgumentError("give edges, or depth and bands, not both")
        return by_edges(ranks, settings["edges"]), len(settings["edges"]) + 1
    bands = settings.get("bands", 3)
    k = require(settings, "stratified", "depth")
    return by_bands(ranks, is_judged(judgments.labels), judgments.offsets, k, bands), bands + 1


def _strata_classes(
    judgments: Judgments, strata: NDArray[np.int32], number: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    if judgments.strata is not None and bool((judgments.labels == POOLED).any()):
        raise ArgumentError(
            "these judgments are a stratified sample already; draw new strata from complete judgments, "
            "or a uniform or reduced part of these"
        )
    classes = np.where(is_judged(judgments.labels), strata - 1, -1).astype(np.int32)
    return classes, table(classes, judgments.offsets, number)


def _by_rates(sizes: NDArray[np.int64], settings: Settings) -> NDArray[np.int64]:
    rates = settings["rates"]
    if "budget" in settings or "weights" in settings:
        raise ArgumentError("give rates, or a budget and weights, not both")
    if len(rates) != sizes.shape[1]:
        raise ArgumentError(
            f"rates={[float(rate) for rate in rates]} are not one for each of {sizes.shape[1]} strata; give as many"
        )
    return _each(sizes, lambda size, stratum: nearest(rates[stratum], size, least=int(rates[stratum] > 0)))


def _by_budget(sizes: NDArray[np.int64], budgets: NDArray[np.int64], settings: Settings) -> NDArray[np.int64]:
    """Stratum 1 in full, the rest in proportion to the weights. With a weight for stratum 1 too, all in proportion."""
    others = sizes.shape[1] - 1
    # [Y08]'s 3 : 1.5 : 1 for three strata is 1 : 1/2 : 1/3, continued here for any number of them.
    weights = settings.get("weights", tuple(Fraction(1, index) for index in range(1, others + 1)))
    if len(weights) not in (others, others + 1):
        raise ArgumentError(
            f"{len(weights)} weights found; give {others} for the strata from 2 on, or {others + 1} for all"
        )
    counts = np.zeros_like(sizes)
    for topic, (row, budget) in enumerate(zip(sizes.tolist(), budgets.tolist(), strict=True)):
        first = min(row[0], budget) if len(weights) == others else 0
        counts[topic, 0] = first
        if weights:
            counts[topic, -len(weights) :] = proportional(budget - first, weights, row[-len(weights) :])
    return counts


def _named_runs(judgments: Judgments, settings: Settings) -> set[str]:
    """The runs that are left out, by themselves or by their group."""
    groups = settings.get("groups", {})
    named: set[str] = set()
    for name in require(settings, "without", "runs"):
        members = {run for run in judgments.pool.runs if groups.get(run) == name}
        if not members:
            judgments.pool.run_number(name)
        named |= members or {name}
    return named


def _best_ranks(judgments: Judgments, settings: Settings) -> NDArray[np.uint32]:
    return judgments.pool.best_ranks(settings.get("contributing"))


def _each(sizes: NDArray[np.int64], rule: Callable[[int, int], int]) -> NDArray[np.int64]:
    """A rule of size and class, applied to every cell."""
    return np.array([[rule(size, number) for number, size in enumerate(row)] for row in sizes.tolist()], dtype=np.int64)


DESIGNS = {
    design.name: design
    for design in (
        Design(
            "reduce",
            "a share of the relevant and of the non-relevant documents",
            ("fraction", "rounding", "rel"),
            reduce,
            citation="[B07, S07]",
        ),
        Design("uniform", "a share of the pool at random", ("fraction",), one_by_one(uniform), citation="[Y08]"),
        Design(
            "depth", "the top k of the contributing runs", ("depth", "contributing"), one_by_one(depth), random=False
        ),
        Design(
            "depth_plus_random",
            "the top k of the contributing runs, and as many again at random",
            ("depth", "contributing"),
            one_by_one(depth_plus_random),
            stratified=True,
            citation="[Y08] section 3.1",
        ),
        Design(
            "stratified",
            "strata by the best rank of a contributing run, by rates or within a budget",
            ("depth", "bands", "edges", "rates", "budget", "weights", "contributing"),
            one_by_one(stratified),
            stratified=True,
            citation="[Y08] section 5",
        ),
        Design(
            "pair",
            "what two runs retrieved, reduced to a share",
            ("runs", "fraction", "rounding", "rel"),
            pair,
            citation="[B07] section 4.2",
        ),
        Design(
            "without",
            "the pool as if some runs had not contributed",
            ("runs", "groups", "depth", "contributing"),
            one_by_one(without),
            random=False,
        ),
    )
}
