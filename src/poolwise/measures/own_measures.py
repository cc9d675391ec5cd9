"""Measures that users define: functions of the labels along a ranking, and names for measures with parameters."""

from __future__ import annotations

import inspect
from functools import partial
from itertools import permutations, product
from math import factorial, prod
from typing import overload
from zlib import crc32

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.settings import choice
from poolwise.basics.writing import write_text
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.measure import LEFT_OUT, NONRELEVANT, UNJUDGED, Declaration, Measure
from poolwise.measures.parameters import Parameter, Real, Whole
from poolwise.measures.registry import DEFINITIONS, REGISTRY, declare_all, parse, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool


class Text(Parameter):
    """Any text."""

    def allowed(self) -> str:
        return "a text"

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        return value


@overload
def measure(name: Callable[..., float]) -> Measure: ...


@overload
def measure(
    name: str | None = None,
    *,
    unjudged: str = NONRELEVANT,
    perfect: float | None = None,
    bounds: tuple[float, float] = (float("-inf"), float("inf")),
    monotone: bool = False,
    citation: str = "",
) -> Callable[[Callable[..., float]], Measure]: ...


def measure(
    name: str | Callable[..., float] | None = None,
    *,
    unjudged: str = NONRELEVANT,
    perfect: float | None = None,
    bounds: tuple[float, float] = (float("-inf"), float("inf")),
    monotone: bool = False,
    citation: str = "",
) -> Measure | Callable[[Callable[..., float]], Measure]:
    """Declare a function as a measure (a decorator).

    The function takes `labels`, the labels along one ranking as a float array with NaN where a document is not
    judged, and if it wants a second argument `judged`, all judged labels of the topic, highest first. Further
    arguments with defaults become the measure's parameters. Cut-offs and condensed lists work without its help. The
    same function may be declared again, as when a cell of a notebook is run again; the newer one counts.

    Parameters
    ----------
    name : str, optional
        What it is called; the function's name unless given, as with `@measure` alone.
    unjudged : str
        How unjudged documents count, in the words that `poolwise measures` groups by.
    perfect : float, optional
        The score of a perfect ranking, if there is one for all topics.
    bounds : pair of float
        The lowest and highest score there can be.
    monotone : bool
        Whether a higher label never lowers the score. `score(interval="bounds")` needs this or `bounds`.
    citation : str
        Where it is defined.

    Returns
    -------
    callable
        What makes a function a `Measure`.

    Examples
    --------
    >>> import numpy, poolwise
    >>> @poolwise.measure("FirstHalf")
    ... def first_half(labels, rel=1):
    ...     "whether the first relevant document is in the first half of the list"
    ...     return float(np.any(labels[: (len(labels) + 1) // 2] >= rel))
    >>> first_half @ 10
    FirstHalf@10
    """
    choice("unjudged", unjudged, UNJUDGED)
    _check_bounds(bounds)

    def declare(function: Callable[..., float]) -> Measure:
        called = _checked_name(function, None if callable(name) else name)
        summary, _, rest = (inspect.getdoc(function) or "a measure of your own").partition("\n")
        return register(
            Declaration(
                called,
                summary.rstrip("."),
                rest.strip() or summary,
                unjudged=unjudged,
                parameters=_parameters(function),
                cutoff="optional",
                condensable=unjudged != LEFT_OUT,
                perfect=perfect,
                bounds=bounds,
                monotone=monotone,
                citation=citation,
                function=function,
                relative=_wants_judged(function),
            )
        )

    return declare(name) if callable(name) else declare


def score_own(pool: Pool, measures: list[Measure], judgment_sets: list[Judgments], values: Any) -> NDArray[Any]:
    """Scores of all measures (samples x measures x runs x topics), given those that the core computed."""
    shape = (len(judgment_sets), len(measures), len(pool.runs), len(pool.topics))
    result = np.empty(shape)
    by_users = [number for number, measure in enumerate(measures) if measure.declaration.function is not None]
    if values is not None:
        result[:, [number for number in range(len(measures)) if number not in by_users]] = np.asarray(values)
    for sample, judgments in enumerate(judgment_sets):
        for topic in range(len(pool.topics)):
            judged = _judged(judgments, topic)
            for run in range(len(pool.runs)):
                labels = _labels_along(pool, judgments, run, topic)
                for number in by_users:
                    result[sample, number, run, topic] = call_own(measures[number], labels, judged, pool, run, topic)
    return result


def own_over_orders(
    pool: Pool, measure: Measure, judgments: Judgments, draws: int, most: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Mean, lowest and highest scores of a user's measure over the orders of tied documents (runs x topics).

    Up to `most` orders are all tried. With more, the mean is over random orders. The lowest and highest scores are then
    those with labels in ascending and descending order, unjudged documents counting as 0.
    """
    tables = np.empty((3, len(pool.runs), len(pool.topics)))
    for topic, name in enumerate(pool.topics):
        judged = _judged(judgments, topic)
        for run in range(len(pool.runs)):
            labels = _labels_along(pool, judgments, run, topic)
            groups = [labels[begin:end] for begin, end in pool.tie_groups(run, topic)]  # views, to be written to
            call = partial(call_own, measure, labels, judged, pool, run, topic)
            # Seeds depend on run and topic, not on the order of computation, so partitions and threads
            # draw the same orders.
            generator = np.random.default_rng([run, crc32(name.encode("utf-8", "surrogateescape"))])
            tables[:, run, topic] = _over_orders(groups, call, generator, draws, most)
    return tables[0], tables[1], tables[2]


def _over_orders(
    groups: list[NDArray[Any]], call: Callable[[], float], generator: np.random.Generator, draws: int, most: int
) -> tuple[float, float, float]:
    """Mean, lowest and highest result of a call while groups of a ranking are reordered in place."""
    score = call()
    if not groups:
        return score, score, score
    # 8! is more than `most`, so that larger factorials need not be computed.
    if prod(factorial(min(len(group), 8)) for group in groups) <= most:
        orders = product(*(permutations(group.tolist()) for group in groups))
        values = [_called(groups, order, call) for order in orders]
        return sum(values) / len(values), min(values), max(values)
    ends = [
        _called(groups, [group[np.argsort(sign * np.nan_to_num(group), kind="stable")] for group in groups], call)
        for sign in (1, -1)
    ]
    # `nan_to_num` above and NaN here: unjudged documents count as 0 in the extremes, and the measure decides
    # about NaN.
    drawn = (_called(groups, [generator.permutation(group) for group in groups], call) for _ in range(draws))
    return sum(drawn) / max(draws, 1), min(score, *ends), max(score, *ends)


def _called(groups: list[NDArray[Any]], orders: Sequence[Any], call: Callable[[], float]) -> float:
    for group, order in zip(groups, orders, strict=True):
        group[:] = order
    return call()


def bound_own(
    pool: Pool, measure: Measure, judgment_sets: list[Judgments], values: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """Lowest and highest scores of a user's measure (samples x runs x topics), and whether they are exact."""
    declared, monotone = measure.declaration.bounds, measure.declaration.monotone
    if not monotone and not np.isfinite(declared).all():
        raise ArgumentError(
            f"{measure} has no bounds; declare it with monotone=True (a higher label never lowers it) or with "
            "bounds=(lowest, highest)"
        )
    ends = np.stack([values, values])
    extremes = (min(0, *judgment_sets[0].label_values()), max(0, *judgment_sets[0].label_values()))
    for sample, run, topic in np.ndindex(*values.shape):
        labels = _labels_along(pool, judgment_sets[sample], run, topic)
        if not np.isnan(labels).any():
            continue
        for end in (0, 1):
            if monotone:
                filled = np.where(np.isnan(labels), extremes[end], labels)
                added = np.full(int(np.isnan(labels).sum()), float(extremes[end]))
                # The judged labels change with the assumed ones: measures may divide by an ideal
                # ranking.
                judged = np.sort(np.append(_judged(judgment_sets[sample], topic), added))[::-1]
                ends[end, sample, run, topic] = call_own(measure, filled, judged, pool, run, topic)
            else:
                ends[end, sample, run, topic] = declared[end]
    return ends[0], ends[1], monotone


def call_own(measure: Measure, labels: NDArray[Any], judged: NDArray[Any], pool: Pool, run: int, topic: int) -> float:
    """The score of one ranking by a user's measure."""
    # Topics that a run lacks score 0, and user functions need not handle empty arrays.
    if len(labels) == 0:
        return 0.0
    if measure.is_condensed:
        labels = labels[~np.isnan(labels)]
    function = measure.declaration.function
    wanted = {"judged": judged.copy()} if _wants_judged(function) else {}
    # Copies: a user's function may write into its arguments, which are used again.
    value = function(labels[: measure.cutoff].copy(), **wanted, **measure.parameters)  # type: ignore[misc]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        where = f"run {pool.runs[run]!r}, topic {pool.topics[topic]!r}"
        raise ArgumentError(f"{measure} returned {value!r} for {where}; a measure returns a finite number")
    return number


def _labels_along(pool: Pool, judgments: Judgments, run: int, topic: int) -> NDArray[Any]:
    ranks, documents = (np.asarray(part, dtype=np.int64) for part in pool.known(run, topic))
    labels = np.full(np.asarray(pool.retrieved())[run, topic], np.nan)
    labels[ranks - 1] = judgments.values()[judgments.offsets[topic] + documents]
    return labels


def _judged(judgments: Judgments, topic: int) -> NDArray[Any]:
    labels = judgments.values()[judgments.offsets[topic] : judgments.offsets[topic + 1]]
    return np.sort(labels[~np.isnan(labels)])[::-1]


def _check_bounds(bounds: Any) -> None:
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low <= high:
        raise ArgumentError(f"bounds={bounds!r} must be two numbers, the lowest score and the highest")


def _checked_name(function: Any, name: Any) -> str:
    """The name of a measure, once its function has the arguments of one."""
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise ArgumentError(f"{function!r} cannot be a measure; declare a function of labels") from None
    # `*args` and `**kwargs` have no default, yet need no argument.
    any_more = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    lacking = {each.name for each in arguments[1:] if each.default is each.empty and each.kind not in any_more}
    if not arguments or arguments[0].name == "judged" or lacking - {"judged"}:
        raise ArgumentError(
            f"a measure takes ({', '.join(each.name for each in arguments)}); the first argument is the labels along a "
            "ranking, a further one may be called judged, and all others need defaults"
        )
    called = getattr(function, "__name__", "") if name is None else name
    if not isinstance(called, str) or not called.isidentifier():
        raise ArgumentError(f"{called!r} cannot name a measure; use letters, digits and _, as in measure('Mine')")
    return called


def _wants_judged(function: Callable[..., float] | None) -> bool:
    return function is not None and "judged" in inspect.signature(function).parameters


def _parameters(function: Callable[..., float]) -> tuple[Parameter, ...]:
    """Parameters of a measure from the arguments of its function that have defaults."""
    parameters: list[Parameter] = []
    called = getattr(function, "__name__", "the function")
    for argument in inspect.signature(function).parameters.values():
        default, help = argument.default, f"see {called}"
        if default is inspect.Parameter.empty:
            continue
        if isinstance(default, int) and not isinstance(default, bool):
            parameters.append(Whole(argument.name, default, help, -(2**31)))
        elif isinstance(default, float):
            parameters.append(Real(argument.name, default, help, float("-inf")))
        elif isinstance(default, str):
            parameters.append(Text(argument.name, default, help))
        else:
            raise ArgumentError(f"{called}: the default of {argument.name} is {default!r}; use a number or a text")
    return tuple(parameters)


def define(name: str, measure: str | Measure) -> Measure:
    """Give a measure a name, under which it can be asked for from now on.

    Parameters
    ----------
    name : str
        The name.
    measure : str or Measure
        What it stands for.

    Returns
    -------
    Measure
        The measure.

    Examples
    --------
    >>> define("ours", "nDCG(gain={1: 1, 2: 5}, discount=[1, 0.5, 0.4])@3")
    nDCG(gain={1: 1, 2: 5}, discount=[1, 0.5, 0.4])@3
    >>> parse("ours").cutoff
    3
    """
    declare_all()
    if not isinstance(name, str) or not name.isidentifier() or name in REGISTRY:
        raise ArgumentError(f"{name!r} cannot name a measure; use letters, digits and _, and no name of a measure")
    DEFINITIONS[name] = parse(measure).require()
    return DEFINITIONS[name]


def save_measures(path: Any, **measures: str | Measure) -> None:
    """Write measures with names to a JSON file, for `load_measures` and `--define`.

    Parameters
    ----------
    path : path
        The file.
    **measures : str or Measure
        Names, and what they stand for.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ours.json")
    >>> save_measures(path, early="P@3")
    >>> load_measures(path)
    {'early': P@3}
    """
    from json import dumps

    write_text(path, dumps({name: str(define(name, measure)) for name, measure in measures.items()}, indent=1) + "\n")


def load_measures(path: Any) -> dict[str, Measure]:
    """Read measures with names from a JSON file and define them.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        Measures by name.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ours.json")
    >>> save_measures(path, shallow="nDCG@3")
    >>> load_measures(path)["shallow"].cutoff
    3
    """
    from poolwise.reading.columns import json_value
    from poolwise.reading.opening import file_text

    where = checks.path(path)
    try:
        table = json_value(file_text(path))
    except ValueError as error:
        raise InputError(f"{where}: no measures can be read ({error}); expected JSON of names and measures") from error
    if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
        raise InputError(f"{where}: expected a JSON object of names and measures, as save_measures writes it")
    return {name: define(name, text) for name, text in table.items()}
