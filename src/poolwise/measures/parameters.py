"""Kinds of parameters of measures, which check and convert values, and the gains and discounts they name."""

from __future__ import annotations

from abc import ABC, abstractmethod

from poolwise import _core
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

GAINS = ("linear", "exp", "binary")
OTHER = "other"  # key of a mapping of gains for all labels that it lacks
DISCOUNTS = _core.DISCOUNTS
NEGATIVE = _core.NEGATIVE  # how negative gains count


class Parameter(ABC):
    """A named parameter with a default, one line of help, a check, and examples of other values.

    Contract tests try every example. A `required` one has no default.
    """

    def __init__(
        self, name: str, default: Any, help: str, *, examples: tuple[Any, ...] = (), required: bool = False
    ) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.examples = examples
        self.required = required

    @abstractmethod
    def allowed(self) -> str:
        """The allowed values in words."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The canonical form of an allowed value. Raise ValueError or TypeError for others."""

    def check(self, value: Any, measure: str) -> Any:
        """The canonical form of a value. The error lists the allowed values."""
        # None is a value only of optional parameters.
        if value is None and self.default is None:
            return None
        try:
            return self.read(value)
        except (ValueError, TypeError, OverflowError):
            raise ArgumentError(
                f"{measure}: {self.name}={value!r} is not allowed; {self.name} is {self.allowed()}"
            ) from None

    def show(self, value: Any) -> str:
        """The value as text in a measure's name."""
        return repr(value)


class Whole(Parameter):
    """A whole number of at least `least`."""

    def __init__(self, name: str, default: int | None, help: str, least: int, **more: Any) -> None:
        super().__init__(name, default, help, **more)
        self.least = least

    def allowed(self) -> str:
        return f"a whole number of at least {self.least}"

    def read(self, value: Any) -> int:
        # True equals 1, but a flag in the place of a number is a mistake.
        if isinstance(value, bool) or int(value) != value or not self.least <= value < 2**31:
            raise ValueError
        return int(value)


class Real(Parameter):
    """A number within bounds. The bounds themselves are allowed unless `open`."""

    def __init__(
        self,
        name: str,
        default: float | None,
        help: str,
        low: float,
        high: float = float("inf"),
        open: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(name, default, help, **more)
        self.low, self.high, self.open = low, high, open

    def allowed(self) -> str:
        if self.high == float("inf"):
            return f"a number {'above' if self.open else 'of at least'} {self.low:g}"
        return f"a number between {self.low:g} and {self.high:g}{', both excluded' if self.open else ''}"

    def read(self, value: Any) -> float:
        if isinstance(value, (bool, str)):
            raise TypeError
        number = float(value)
        inside = self.low < number < self.high if self.open else self.low <= number <= self.high
        if not inside or number == float("inf"):
            raise ValueError
        return number

    def show(self, value: float) -> str:
        return repr(int(value)) if value == int(value) else repr(value)


class Label(Real):
    """A label, which may have decimals. Whole labels stay integers."""

    def read(self, value: Any) -> float:
        number = super().read(value)
        return int(number) if number.is_integer() else number


class Shares(Parameter):
    """A list of numbers from 0 to 1, stored as a tuple."""

    def allowed(self) -> str:
        return "a list of numbers between 0 and 1"

    def read(self, value: Any) -> tuple[float, ...]:
        share = Real("share", 0.0, "", 0.0, 1.0)
        shares = tuple(share.read(each) for each in value)
        if isinstance(value, str) or not shares:
            raise ValueError
        return shares

    def show(self, value: tuple[float, ...]) -> str:
        return "[" + ", ".join(_short(share) for share in value) + "]"


class Choice(Parameter):
    """One of a few words."""

    def __init__(self, name: str, default: str | None, help: str, choices: tuple[str, ...]) -> None:
        super().__init__(name, default, help, examples=tuple(choice for choice in choices if choice != default))
        self.choices = choices

    def allowed(self) -> str:
        if len(self.choices) == 1:
            return f"{self.choices[0]!r} or None"
        return "one of " + ", ".join(repr(choice) for choice in self.choices)

    def read(self, value: Any) -> str:
        if value not in self.choices:
            raise ValueError
        return str(value)


class Flag(Parameter):
    """Yes or no."""

    def __init__(self, name: str, default: bool, help: str) -> None:
        super().__init__(name, default, help, examples=(not default,))

    def allowed(self) -> str:
        return "True or False"

    def read(self, value: Any) -> bool:
        if value not in (True, False):
            raise ValueError
        return bool(value)


class Gain(Parameter):
    """A named gain, or a mapping from label to gain, stored as sorted pairs.

    Labels missing in a mapping have gain 0, or the named gain of its key `OTHER`, as in trec_eval.
    """

    def __init__(self, default: str = "linear", help: str = "what a document of a label is worth") -> None:
        named = tuple(gain for gain in GAINS if gain != default)
        mappings = ({1: 3, 2: 10, 3: 12, 4: 20, -2: -1}, {1: 1.5, OTHER: "linear"})
        super().__init__("gain", default, help, examples=(*named, *mappings))

    def allowed(self) -> str:
        return f"{', '.join(map(repr, GAINS))} or a mapping of labels to numbers such as {{1: 3, 2: 10}}"

    def read(self, value: Any) -> str | tuple[tuple[float | str, float | str], ...]:
        if isinstance(value, str):
            if value not in GAINS:
                raise ValueError
            return value
        pairs = dict(value)
        other = pairs.pop(OTHER, None)
        if not pairs or other not in (None, *GAINS):
            raise ValueError
        label, number = Label("label", 0, "", -(2.0**31)), Real("gain", 0.0, "", float("-inf"))
        named = tuple(sorted((label.read(key), number.read(pairs[key])) for key in pairs))
        return named if other is None else (*named, (OTHER, str(other)))

    def show(self, value: str | tuple[tuple[float | str, float | str], ...]) -> str:
        if isinstance(value, str):
            return repr(value)
        pairs = (f"{key!r}: {gain!r}" if isinstance(gain, str) else f"{key}: {_short(gain)}" for key, gain in value)
        return "{" + ", ".join(pairs) + "}"


class Discount(Parameter):
    """A named discount, or a sequence of weights, one per rank, stored as a tuple."""

    def __init__(self) -> None:
        named = tuple(discount for discount in DISCOUNTS if discount != "log2")
        super().__init__("discount", "log2", "what a rank is worth", examples=(*named, [1, 0.5, 0.25, 0.2, 0.1]))

    def allowed(self) -> str:
        return f"{', '.join(map(repr, DISCOUNTS))} or a list of numbers, one per rank"

    def read(self, value: Any) -> str | tuple[float, ...]:
        if isinstance(value, str):
            if value not in DISCOUNTS:
                raise ValueError
            return value
        allowed = Real("weight", 0.0, "", 0.0)
        weights = tuple(allowed.read(weight) for weight in value)
        if not weights:
            raise ValueError
        return weights

    def show(self, value: str | tuple[float, ...]) -> str:
        if isinstance(value, str):
            return repr(value)
        return "[" + ", ".join(_short(weight) for weight in value) + "]"


def _short(number: float) -> str:
    return repr(int(number)) if number == int(number) else repr(number)


def gain_of(gain: Any, label: float, rel: float) -> float:
    """Return the gain of a label (measures.md section 2).

    >>> gain_of("exp", 3, 1), gain_of("exp", -2, 1), gain_of({1: 3, 2: 10}, 2, 1)
    (7.0, -3.0, 10.0)
    >>> gain_of({1: 3}, 2, 1), gain_of({1: 3, "other": "linear"}, 2, 1)
    (0.0, 2.0)
    """
    if gain == "linear":
        return float(label)
    if gain == "binary":
        return 1.0 if label >= rel else 0.0
    if gain == "exp":
        # 2^1024 overflows a double.
        if abs(label) > 1000:
            raise ArgumentError(
                f"label {label} is too large for gains of 2^label, as of gain='exp' and of ERR; use another gain or "
                "measure, or judgments with lower labels, such as grades 0 to 4"
            )
        return 2.0**label - 1.0 if label >= 0 else 1.0 - 2.0**-label
    named = dict(gain)
    if label not in named and OTHER in named:
        return gain_of(named[OTHER], label, rel)
    return float(named.get(label, 0.0))


def positive_gain(parameters: Mapping[str, Any], label: float, highest_label: float) -> float:
    """The gain of a label, at least 0, in the form of a declaration's `gains`."""
    return max(0.0, gain_of(parameters["gain"], label, parameters["rel"]))


def relevant_gain(parameters: Mapping[str, Any], label: float, highest_label: float) -> float:
    """The gain of a relevant label, at least 0. Other labels have gain 0."""
    return positive_gain(parameters, label, highest_label) if label >= parameters["rel"] else 0.0


def dcg_discount(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    """Name and numbers of DCG's discount."""
    discount = parameters["discount"]
    if isinstance(discount, tuple):
        return "list", list(discount)
    # The linear discount falls to 0 just behind the cut-off, so it needs that number.
    return discount, {"jk": [parameters["base"]], "linear": [float(cutoff)]}.get(discount, [])
