"""How many judgments a wanted interval width needs, and how sure that is: by the forecast of widths, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.plans.planned_widths import Foresight

__all__ = ["Needed", "needed"]

MODEL_ERROR = 0.1  # relative, of the width: by how much forecasts were off, on average over runs
RANGE = 0.9  # between `low` and `high`
STEPS = 4  # that come closer to the number, once it is known between which two it lies
AIM = 0.99  # of the width: guesses that are a little too many labels are answers, too few are not


@dataclass(frozen=True)
class Needed:
    """Judgments needed, besides those there are, for an interval of a wanted width.

    The width is `of` the difference asked for, or the mean over differences or runs, as `estimate` gives it. `low` and
    `high` are the ends of a 90 % range: labels are supposed, and forecasts from them are not exact. `width_with` is the
    width to expect with the budget of the plan, `width_now` with the pilot alone (infinite when a stratum has no label
    yet). `left` documents are left to judge; a number of as many says that nothing less will do.
    """

    width: float
    level: float
    of: str
    labels: int
    low: int
    high: int
    left: int
    budget: int
    width_now: float
    width_with: float

    def __str__(self) -> str:
        what = f"a {100 * self.level:g} % interval of width {self.width:g} ({self.of})"
        if self.labels == 0:
            return f"{what} needs no more judgments"
        if self.labels >= self.left:
            return f"{what} is out of reach unless all {self.left} documents that are left of the pool are judged"
        likely = f"{100 * RANGE:g} % range {self.low} to {self.high}"
        return f"{what} needs about {self.labels} more judgments ({likely}){self._beyond()}"

    def _beyond(self) -> str:
        """That the budget will not do, if it will not."""
        if self.budget >= self.labels:
            return ""
        return f": out of reach with {self.budget}"


def needed(foresight: Foresight, width: float, level: float, budget: int | None) -> Needed:
    """How many judgments a width needs, with a range."""
    curve = _Curve(foresight)
    labels = curve.labels(width)
    spread = np.hypot(MODEL_ERROR, curve.spread(labels)) * NormalDist().inv_cdf(0.5 + RANGE / 2)
    low, high = (curve.between(width * np.exp(side * spread)) for side in (1.0, -1.0))
    given = labels if budget is None else budget
    now, then = (curve.width(number) for number in (0, given))
    return Needed(
        width,
        level,
        _words(foresight),
        labels,
        min(low, labels),
        max(high, labels),
        foresight.capacity,
        given,
        now,
        then,
    )


def _words(foresight: Foresight) -> str:
    """Of what the width is."""
    names = [name for name, wanted in zip(foresight.names, foresight.wanted.tolist(), strict=True) if wanted]
    if len(names) == 1:
        return names[0]
    return f"mean over {len(names)} {'differences' if foresight.of_differences else 'runs'}"


class _Curve:
    """The width of what was asked for against the number of labels, as far as it was needed."""

    def __init__(self, foresight: Foresight) -> None:
        self._foresight, self._asked = foresight, foresight.wanted
        self._known: dict[int, float] = {}

    def width(self, labels: int) -> float:
        """Mean over what was asked for; infinite where some stratum has no label, 0 when all is judged."""
        if labels >= self._foresight.capacity:
            return 0.0
        if labels not in self._known:
            own = self._foresight.widths(labels)[self._asked]
            own = own[np.isfinite(own)]
            self._known[labels] = float(own.mean()) if len(own) else np.inf
        return self._known[labels]

    def spread(self, labels: int) -> float:
        """How far the logarithm of the width differs from one set of supposed labels to the next."""
        if not 0 < labels < self._foresight.capacity:
            return 0.0
        draws = self._foresight.draws(labels)[:, self._asked].mean(axis=1)
        draws = draws[np.isfinite(draws) & (draws > 0.0)]
        return float(np.log(draws).std(ddof=1)) if len(draws) > 1 else 0.0

    def labels(self, width: float) -> int:
        """The number that gives this width: doubled until it is too many, then closed in on."""
        if self.width(0) <= width:
            return 0
        few, many = 0, max(self._foresight.least, 1)
        while self.width(many) > width:
            few, many = many, min(2 * many, self._foresight.capacity)
        for _ in range(STEPS):
            middle = self._towards_all(few, AIM * width) if many == self._foresight.capacity else 0
            middle = middle or self.between(AIM * width)
            if not few < middle < many:
                break
            few, many = (few, middle) if self.width(middle) <= width else (middle, many)
        return many

    def _towards_all(self, few: int, width: float) -> int:
        """A number above `few` where only all n that are left are known to do: widths go with the root of n / few - 1.

        0 if nothing is known of the width of `few`.
        """
        own, every = self.width(few), self._foresight.capacity
        if not few or own == np.inf:
            return 0
        return int(np.ceil(every / (1.0 + (every / few - 1.0) * (width / own) ** 2)))

    def between(self, width: float) -> int:
        """The number of labels by what is known of others; beyond those widths go with the root of it."""
        known = sorted((labels, own) for labels, own in self._known.items() if labels and 0.0 < own < np.inf)
        if not known:
            return self._foresight.capacity
        number, own = np.log(np.array(known)).T
        own, wanted = np.minimum.accumulate(own), float(np.log(width))
        inside = float(np.interp(-wanted, -own, number))
        beyond = max(own[-1] - wanted, 0.0) - max(wanted - own[0], 0.0)
        return min(int(np.ceil(np.exp(inside + 2.0 * beyond))), self._foresight.capacity)
