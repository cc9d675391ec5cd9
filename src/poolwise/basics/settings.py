"""Checks of arguments, each with one wording.

Every check takes the argument's name and value and returns the value to use, so that it can stand where the value is
used: `level = checks.level(level)`. Nothing here loads numpy. Numbers of numpy are known by how they behave.
"""

from __future__ import annotations

import os

from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray


class Lazy:
    """A method that is a function of another module, which is loaded when the method is first used."""

    def __init__(self, home: str) -> None:
        self.home = home

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        from importlib import import_module

        function = getattr(import_module(self.home), self.name)
        setattr(owner, self.name, function)
        return function.__get__(instance, owner)


FEW_TOPICS = 10  # with fewer topics, conclusions about other topics are doubtful; chosen by hand


def share(name: str, value: Any, example: float = 0.5) -> float:
    """A share between 0 and 1, both excluded.

    >>> share("level", 0.9)
    0.9
    """
    if not _is_number(value) or not 0 < value < 1:
        raise ArgumentError(f"{name}={value!r} must lie between 0 and 1, such as {example}")
    return float(value)


def level(value: Any) -> float:
    """The nominal coverage of an interval: more than 0, less than 1."""
    return share("level", value, 0.95)


def alpha(value: Any) -> float:
    """The level of significance of a test."""
    return share("alpha", value, 0.05)


def fraction(name: str, value: Any) -> float:
    """A share from 0 to 1, both allowed."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise ArgumentError(f"{name}={value!r} must be a number from 0 to 1")
    return float(value)


def above_zero(name: str, value: Any, example: float = 0.05) -> float:
    """A finite number above 0."""
    if not _is_number(value) or not 0 < value < float("inf"):
        raise ArgumentError(f"{name}={value!r} must be a number above 0, such as {example}")
    return float(value)


def number(name: str, value: Any, example: float = 1) -> float:
    """Any finite number."""
    if not _is_number(value) or abs(value) == float("inf"):
        raise ArgumentError(f"{name}={value!r} must be a number, such as {example}")
    return float(value)


def numbers(name: str, values: Any) -> NDArray[Any]:
    """Numbers as an array."""
    import numpy as np

    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        text = repr(values)
        raise ArgumentError(f"{name} must be numbers, found {text[:60]}{'...' if len(text) > 60 else ''}") from None


def whole(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """A whole number within its bounds, also one of numpy, but not True or False.

    >>> whole("threads", 2, 1)
    2
    """
    number = None if _is_truth(value) or not hasattr(value, "__index__") else value.__index__()
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ArgumentError(f"{name}={value!r} must be a whole number {bounds}")
    return int(number)


def choice(name: str, value: Any, known: Iterable[str]) -> str:
    """One of some names.

    >>> choice("missing", "skip", ("zero", "skip"))
    'skip'
    """
    names = list(known)
    if value not in names:
        raise ArgumentError(f"{name}={value!r} is unknown; choose one of {', '.join(names)}")
    return str(value)


def known_name(what: str, name: str, names: Sequence[str]) -> int:
    """The index of a name among names. The error for an unknown name suggests similar ones."""
    if name in names:
        return list(names).index(name)
    hint = did_you_mean(name, names) or f"there are {len(names)}, the first is {names[0]!r}"
    raise ArgumentError(f"no {what} is called {name!r}; {hint}")


def names(argument: str, value: Any) -> list[Any]:
    """One name, or several. Each once.

    >>> names("runs", "bm25"), names("runs", ("bm25", "dense", "bm25"))
    (['bm25'], ['bm25', 'dense'])
    """
    if isinstance(value, str):
        return [value]
    if not hasattr(value, "__iter__"):
        raise ArgumentError(f"{argument}={value!r} must be a name, or a list of names")
    return list(dict.fromkeys(value))


def path(value: Any) -> str:
    """The name of a file.

    >>> path("scores.csv")
    'scores.csv'
    """
    import os

    if not isinstance(value, (str, bytes, os.PathLike)):
        raise ArgumentError(f"{type(value).__name__} found where a file is needed; give its name, a text or a Path")
    return os.fsdecode(value)


def pairs(difference: Any, what: str = "run") -> list[tuple[Any, Any]]:
    """A pair of names, or several pairs, as a list. The names of a pair must differ.

    >>> pairs(("a", "b")), pairs([("a", "b"), ("a", "c")])
    ([('a', 'b')], [('a', 'b'), ('a', 'c')])
    """
    listed = list(difference) if hasattr(difference, "__iter__") and not isinstance(difference, str) else [difference]
    if len(listed) == 2 and not any(isinstance(name, (tuple, list)) for name in listed):
        listed = [tuple(listed)]
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in listed):
        one = "a run, " if what == "run" else ""
        raise ArgumentError(
            f"difference={difference!r} is not understood; give {one}a pair of {what}s, pairs, or 'all'"
        )
    for a, b in listed:
        if a == b:
            raise ArgumentError(f"difference={[a, b]} must be two different {what}s")
    return [(a, b) for a, b in listed]


def campaign(value: Any, has: str = "judgments") -> None:
    """Runs with judgments, as `read` returns them. `has` is the attribute that is needed."""
    if not hasattr(value, has):
        kind = type(value).__name__
        raise ArgumentError(f"{kind} found where runs and judgments are needed; give what poolwise.read gives")


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """A suggestion of names similar to an unknown one. Empty if there is none.

    >>> did_you_mean("--mesure", ["--measure", "--missing", "--level"])
    'did you mean --measure?'
    >>> did_you_mean("bm25", ["BM25", "dense"])
    'did you mean BM25?'
    """
    from difflib import get_close_matches

    known = list(names)
    same = [each for each in known if each.lower() == str(name).lower()]
    near = same or get_close_matches(str(name), known, 3, 0.7)  # 0.7: difflib's 0.6 offers unrelated measures
    return f"did you mean {', '.join(near)}?" if near else ""


def measures_given(measures: Sequence[Any]) -> None:
    """At least one measure."""
    if not measures:
        raise ArgumentError("no measure was given; name at least one, such as 'AP'")


def at_least_two(what: str, shape: Iterable[int], names: Sequence[str] = ("runs", "topics")) -> None:
    """Refuse a table of runs x topics with fewer than two of either: nothing can be compared in it."""
    for count, name in zip(shape, names, strict=True):
        if count < 2:
            raise InputError(f"{what} needs at least two {name}, found {count}")


def seed_number(seed: Any) -> int:
    """A seed as a number that reproduces the result. A numpy Generator draws one.

    >>> seed_number(7)
    7
    """
    if hasattr(seed, "integers"):
        return int(seed.integers(0, 2**63))
    if _is_truth(seed) or not hasattr(seed, "__index__") or not 0 <= seed.__index__() < 2**64:
        raise ArgumentError(f"seed={seed!r} must be a whole number from 0 on, or a numpy Generator")
    return int(seed)


def seed_or_generator(seed: Any) -> Any:
    """A seed for numpy: a whole number, or a Generator, which continues from its state."""
    return seed if hasattr(seed, "integers") else seed_number(seed)


def _is_truth(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # Python's and numpy's


def _is_number(value: Any) -> bool:
    """Whether a value is one real number (NaN is none)."""
    # By behaviour, not by type: numpy must not be loaded to recognise its numbers.
    if _is_truth(value) or not hasattr(value, "__float__") or getattr(value, "shape", ()) != ():
        return False
    return bool(value == value)


def thread_count(threads: int | None = None) -> int:
    """Return the number asked for, else POOLWISE_THREADS, else every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads is None:
        text = os.environ.get("POOLWISE_THREADS", "")
        if not text:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return whole("POOLWISE_THREADS", int(text) if text.isdecimal() else text, 1)
    return whole("threads", threads, 1)
