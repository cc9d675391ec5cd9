"""Drawing samples by a design, one or many at once."""

from __future__ import annotations

import numpy as np

from poolwise.basics.results import warn_of
from poolwise.basics.settings import choice, seed_number, thread_count, whole
from poolwise.basics.words import part_of
from poolwise.errors import ArgumentError
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments, check_pool_known, is_judged
from poolwise.sampling.designs import DESIGNS, check, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.sampling.designs import Design, Draw

# What many samples can differ in besides the trial.
SERIES = {"fractions": "fraction", "depths": "depth", "budgets": "budget"}


def sample(
    judgments: Judgments, design: str, *, seed: int | Generator = 0, trial: int = 0, **settings: Any
) -> Judgments:
    """Hide some labels by a design; what is hidden stays pooled.

    The same seed and trial give the same sample, whatever the order of topics, files and lines; a larger
    fraction, depth or budget judges all that a smaller one does. `design` of the sample records everything.

    Parameters
    ----------
    design : {"reduce", "uniform", "depth", "depth_plus_random", "stratified", "pair", "without"}
        How documents are drawn.
    seed : int or Generator
        Of the draw.
    trial : int
        Which draw of that seed.
    **settings
        Of the design: `reduce` (fraction, rounding="up"|"down", rel), `uniform` (fraction), `depth` and
        `depth_plus_random` (depth, contributing), `stratified` (depth and bands, or edges; rates, or budget and
        weights; contributing), `pair` (runs, fraction, rounding, rel), `without` (runs, groups, depth,
        contributing). Fractions are exact: 0.1 is one tenth. `contributing` names the runs that made the pool,
        all unless given. Documents outside the smaller pool of `depth`, `pair` and `without` are no longer in the
        pool.

    Returns
    -------
    Judgments
        The sample.

    Examples
    --------
    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": 0, "c": 0, "d": 0}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}})
    >>> pool.judgments.sample("uniform", fraction=0.5, seed=1)
    <Judgments: 2 judged of 4 pooled documents, drawn by uniform>
    """
    drawn = _draw_all(judgments, _design(design), [settings], seed_number(seed), [_trial(trial)], None)[0]
    warn_of(_unseen(drawn))
    return drawn


def _unseen(drawn: Judgments) -> list[str]:
    """Note on strata without a drawn document, which estimates do not cover."""
    if drawn.strata is None:
        return []
    hidden = drawn.classes == POOLED
    unseen = int((hidden & (drawn.inclusion() == 0.0)).sum())
    if not unseen:
        return []
    pooled = int((drawn.classes != OUTSIDE).sum())
    return [
        f"{part_of(unseen, pooled, 'pooled document', 'is', 'are')} in strata of which nothing was "
        "drawn: what is estimated there is a guess, and intervals of estimates do not cover; raise the budget, lower "
        "the depth, give rates for all strata, or draw by the design uniform"
    ]


def samples(
    judgments: Judgments,
    design: str,
    *,
    trials: int | Sequence[int] = 1,
    seed: int | Generator = 0,
    threads: int | None = None,
    **settings: Any,
) -> list[Judgments]:
    """Draw many samples: for each trial, one for each of `fractions`, `depths` or `budgets`.

    Parameters
    ----------
    design : {"reduce", "uniform", "depth", "depth_plus_random", "stratified", "pair", "without"}
        How documents are drawn.
    trials : int or sequence of int
        How many, or the numbers of trials to draw.
    seed : int or Generator
        Of the draws; `sample(..., seed=seed, trial=t)` draws the same as trial t here.
    threads : int, optional
        How many to use; every core allowed unless given.
    **settings
        Those of `sample`, and `fractions`, `depths` or `budgets`.

    Returns
    -------
    list of Judgments
        One trial after the other; samples of a trial are nested. `score` takes the whole list.

    Examples
    --------
    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": 0, "c": 0, "d": 0}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}})
    >>> [sample.count() for sample in pool.judgments.samples("uniform", fractions=[0.25, 0.5], trials=2)]
    [1, 2, 1, 2]
    """
    series = list(_series(design, settings))
    return _draw_all(judgments, _design(design), series, seed_number(seed), _trials(trials), threads)


def _draw_all(
    judgments: Judgments,
    design: Design,
    series: list[dict[str, Any]],
    seed: int,
    trials: list[int],
    threads: int | None,
) -> list[Judgments]:
    """One sample for each trial and, within it, each entry of the series."""
    check_pool_known(judgments)
    if not len(judgments.labels):
        raise ArgumentError(
            "there are no judgments to draw from; read some with the runs, or make a plan of what to judge"
        )
    checked = [check(judgments.pool, design.name, design.settings, _canonical(design, settings)) for settings in series]
    draws = design.draw(judgments, checked)
    labels = _labels(judgments, draws, seed, trials, thread_count(threads))
    drawn = []
    for t, trial in enumerate(trials):
        for s, settings in enumerate(checked):
            strata, rounds = _strata(judgments, draws[s], labels[s][t])
            record = _record(judgments, design, settings, seed, trial)
            drawn.append(
                Judgments(judgments.pool, labels[s][t], strata=strata, rounds=rounds, top=judgments.top, design=record)
            )
    return drawn


def _labels(
    judgments: Judgments, draws: Sequence[Draw], seed: int, trials: list[int], threads: int
) -> list[NDArray[np.int32]]:
    """Labels of each draw (trials x documents). Draws with the same classes are made together."""
    labels: list[NDArray[np.int32]] = []
    begin = 0
    while begin < len(draws):
        end = begin + 1
        while end < len(draws) and _same(draws[begin], draws[end]):
            end += 1
        counts = np.stack([draw.counts for draw in draws[begin:end]])
        first = draws[begin]
        core = judgments.pool.core
        drawn = np.asarray(core.draw(first.labels, first.classes, counts, seed, trials, threads))
        drawn.flags.writeable = False
        labels.extend(drawn[:, index] for index in range(end - begin))
        begin = end
    return labels


def _same(a: Draw, b: Draw) -> bool:
    if a.classes is b.classes and a.labels is b.labels:
        return True
    return np.array_equal(a.classes, b.classes) and np.array_equal(a.labels, b.labels)


def _strata(judgments: Judgments, draw: Draw, labels: NDArray[np.int32]) -> tuple[Any, Any]:
    """Strata and rounds of a sample: new ones, or those its judgments had.

    A uniform or reduced part of a stratified sample is, within each stratum, again a random part, so strata stay.
    """
    if draw.strata is not None:
        judged = is_judged(labels)
        return np.where(labels != OUTSIDE, draw.strata, 0).astype(np.int32), judged.astype(np.int32)
    if judgments.strata is None:
        return None, None
    rounds = judgments.rounds
    hidden = (labels == POOLED) & (judgments.labels != POOLED)
    return judgments.strata, None if rounds is None else np.where(hidden, 0, rounds).astype(np.int32)


def _record(judgments: Judgments, design: Design, settings: Mapping[str, Any], seed: int, trial: int) -> dict[str, Any]:
    from poolwise import __version__

    record: dict[str, Any] = {"design": design.name}
    record.update((name, plain(value)) for name, value in settings.items())
    record.update(seed=seed, trial=trial, version=__version__)
    if judgments.design:
        record["of"] = dict(judgments.design)
    return record


def _series(design: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    varied = [name for name in SERIES if settings.get(name) is not None]
    rest = {name: value for name, value in settings.items() if name not in SERIES}
    if len(varied) > 1:
        raise ArgumentError(f"{' and '.join(varied)} were given; let only one of them vary")
    if not varied:
        yield rest
        return
    varying = settings[varied[0]]
    values = [varying] if isinstance(varying, str) or not hasattr(varying, "__iter__") else list(varying)
    if not values:
        raise ArgumentError(f"{varied[0]} is empty; name at least one {SERIES[varied[0]]}")
    for value in values:
        yield {**rest, SERIES[varied[0]]: value}


def _canonical(design: Design, settings: dict[str, Any]) -> dict[str, Any]:
    """`pair=` and `without=` may name the runs of these designs, as on the command line."""
    if settings.get(design.name) is not None and "runs" in design.settings:
        return {**settings, "runs": settings[design.name], design.name: None}
    return settings


def _design(name: str) -> Design:
    return DESIGNS[choice("design", name, DESIGNS)]


def _trials(trials: int | Sequence[int]) -> list[int]:
    return list(range(whole("trials", trials, 1))) if isinstance(trials, int) else [_trial(trial) for trial in trials]


def _trial(trial: int) -> int:
    return whole("trial", trial, 0, 2**64 - 1)
