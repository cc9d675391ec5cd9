"""`Reliability`: variance components of a measure's scores, and coefficients for any number of topics."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, overload

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import Result
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.trust.components import Components, coefficient, topics_needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats

__all__ = ["Curve", "Interval", "Reliability"]

SETTINGS = ("seed", "method", "missing", "dropped", "warnings")  # of `details`, not for the table
# Where the curve has points when none are asked for; today's number of topics joins them.
CURVE_TOPICS = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)


class Interval(NamedTuple):
    """Interval limits."""

    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Curve(Result):
    """Phi and E rho^2 against the number of topics. `today` marks the number that was scored."""

    topics: tuple[float, ...]
    today: tuple[bool, ...]
    phi: tuple[float, ...]
    phi_low: tuple[float, ...]
    phi_high: tuple[float, ...]
    rho2: tuple[float, ...]
    rho2_low: tuple[float, ...]
    rho2_high: tuple[float, ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per number of topics."""
        return {name: list(values) for name, values in vars(self).items()}

    def headline(self) -> str:
        """The numbers of topics of the curve, in a phrase."""
        return f"Phi and E rho^2 at {len(self.topics)} numbers of topics"


@dataclass(frozen=True, repr=False)
class Reliability(Result):
    """Variance components of one measure's scores and what follows from them.

    `components` are the variances of systems, topics and their interaction. `signal_absolute` and
    `signal_relative` are intervals for the two ratios that everything else derives from: system
    variance over topic + interaction variance (Phi), and over interaction variance (E rho^2).
    """

    measure: str
    runs: int
    topics: int
    components: Components
    signal_absolute: Interval
    signal_relative: Interval
    level: float
    resamples: int
    seed: int | np.random.Generator
    missing: str
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    method: str = field(default="two-way random effects, mean squares; F and topic bootstrap intervals")

    @overload
    def phi(self, n: float | None = None) -> float: ...
    @overload
    def phi(self, n: Sequence[float] | Floats) -> Floats: ...
    def phi(self, n: float | Sequence[float] | Floats | None = None) -> float | Floats:
        """Compute the dependability Phi of means over n topics.

        Parameters
        ----------
        n : float or sequence, optional
            Numbers of topics; today's unless given.

        Returns
        -------
        float or array
            Phi of each.

        Examples
        --------
        >>> import poolwise as pw
        >>> scores = np.random.default_rng(1).random((10, 20)) + 0.1 * np.arange(10)[:, None]
        >>> pw.reliability(scores).phi([1, 20]).round(3).tolist()
        [0.515, 0.955]
        """
        return coefficient(self._ratio("phi"), self._topics(n))

    @overload
    def rho2(self, n: float | None = None) -> float: ...
    @overload
    def rho2(self, n: Sequence[float] | Floats) -> Floats: ...
    def rho2(self, n: float | Sequence[float] | Floats | None = None) -> float | Floats:
        """Compute the generalizability E rho^2 of means over n topics.

        Parameters
        ----------
        n : float or sequence, optional
            Numbers of topics; today's unless given.

        Returns
        -------
        float or array
            E rho^2 of each.
        """
        return coefficient(self._ratio("rho2"), self._topics(n))

    def topics_for(self, *, phi: float | None = None, rho2: float | None = None) -> float:
        """Say how many topics a wanted Phi or E rho^2 needs.

        Parameters
        ----------
        phi, rho2 : float, optional
            The coefficient wanted; one of the two.

        Returns
        -------
        float
            The number, not rounded; infinite if none suffices.

        Examples
        --------
        >>> import poolwise as pw
        >>> result = pw.reliability(np.random.default_rng(1).random((10, 20)) + np.arange(10)[:, None])
        >>> round(result.phi(result.topics_for(phi=0.95)), 12)
        0.95
        """
        name, wanted = _wanted(phi, rho2)
        return topics_needed(self._ratio(name), wanted)

    def phi_interval(self, n: float | None = None) -> Interval:
        """Give the interval of Phi: by a bootstrap of topics, so for these runs and other topics.

        Parameters
        ----------
        n : float, optional
            The number of topics; today's unless given.

        Returns
        -------
        Interval
            Its two ends.
        """
        topics = self._topics(n)
        return Interval(*(coefficient(ratio, topics) for ratio in self.signal_absolute))

    def rho2_interval(self, n: float | None = None) -> Interval:
        """Give the interval of E rho^2: exact by the F distribution, for normal effects of runs and topics.

        Parameters
        ----------
        n : float, optional
            The number of topics; today's unless given.

        Returns
        -------
        Interval
            Its two ends.
        """
        topics = self._topics(n)
        return Interval(*(coefficient(ratio, topics) for ratio in self.signal_relative))

    def topics_for_interval(self, *, phi: float | None = None, rho2: float | None = None) -> Interval:
        """Give the interval of the number of topics needed, from that of Phi or E rho^2.

        Parameters
        ----------
        phi, rho2 : float, optional
            The coefficient wanted; one of the two.

        Returns
        -------
        Interval
            Its two ends.
        """
        name, wanted = _wanted(phi, rho2)
        low, high = self.signal_absolute if name == "phi" else self.signal_relative
        return Interval(topics_needed(high, wanted), topics_needed(low, wanted))

    def curve(self, topics: Sequence[float] | None = None) -> Curve:
        """Give Phi and E rho^2, with intervals, for several numbers of topics.

        Parameters
        ----------
        topics : sequence, optional
            Numbers of topics; some around today's unless given.

        Returns
        -------
        Curve
            One row per number.

        Examples
        --------
        >>> import poolwise as pw
        >>> scores = np.random.default_rng(1).random((10, 20)) + np.arange(10)[:, None]
        >>> pw.reliability(scores).curve([10, 20, 40]).today
        (False, True, False)
        """
        numbers = sorted({*CURVE_TOPICS, self.topics}) if topics is None else list(topics)
        phi = [self.phi_interval(n) for n in numbers]
        rho2 = [self.rho2_interval(n) for n in numbers]
        return Curve(
            topics=tuple(numbers),
            today=tuple(n == self.topics for n in numbers),
            phi=tuple(self.phi(n) for n in numbers),
            phi_low=tuple(ends.low for ends in phi),
            phi_high=tuple(ends.high for ends in phi),
            rho2=tuple(self.rho2(n) for n in numbers),
            rho2_low=tuple(ends.low for ends in rho2),
            rho2_high=tuple(ends.high for ends in rho2),
        )

    def plot(self) -> Any:
        """Draw Phi and E rho^2 against the number of topics.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.show.figures import plotly_figure
        from poolwise.trust.reliability_shown import reliability_figure

        return plotly_figure(reliability_figure(self))

    def details(self) -> dict[str, Any]:
        """Components, coefficients, topics needed with their intervals, and settings."""
        needed, needed_rho2 = self.topics_for_interval(phi=0.95), self.topics_for_interval(rho2=0.95)
        return {
            "measure": self.measure,
            **self.components._asdict(),
            "topics": self.topics,
            "phi": self.phi(),
            "rho2": self.rho2(),
            "topics_for_phi95": self.topics_for(phi=0.95),
            "topics_for_rho95": self.topics_for(rho2=0.95),
            "runs": self.runs,
            **_ends("phi", self.phi_interval()),
            **_ends("rho2", self.rho2_interval()),
            **_ends("topics_for_phi95", needed),
            **_ends("topics_for_rho95", needed_rho2),
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "method": self.method,
            "missing": self.missing,
            "dropped": self.dropped,
            "warnings": self.warnings,
        }

    def in_words(self) -> str:
        """Coefficients of today's topics and topics needed: a sentence for rankings, and one for scores."""
        needed = self.topics_for(phi=0.95)
        if math.isnan(needed):
            return f"All scores of {self.topics} topics are equal: this measure tells no systems apart."
        if math.isinf(needed):
            return f"With {self.topics} topics Phi is {self.phi():.3f}: no number of topics tells these systems apart."
        rank = self._sentence("To rank the systems", f"E rho^2 is {self.rho2():.3f}", rho2=0.95)
        return f"{rank} {self._sentence('To know how high each scores', f'Phi is {self.phi():.3f}', phi=0.95)}"

    def _sentence(self, aim: str, today: str, **wanted: float) -> str:
        """Whether today's topics are enough for an aim, and how many would be."""
        needed = self.topics_for(**wanted)
        interval = self.topics_for_interval(**wanted)
        ends = (str(_least(end)) if math.isfinite(end) else "any number" for end in interval)
        enough = self.topics >= needed
        verb = "are" if (self.topics >= interval.high if enough else self.topics < interval.low) else "seem"
        (target,) = wanted.values()
        return (
            f"{aim}, {self.topics} topics {verb} {'enough' if enough else 'not enough'}: {today}, and {target:g} takes "
            f"about {counted(_least(needed), 'topic')} ({100 * self.level:g} % interval {' to '.join(ends)})."
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row: components, topics, Phi, E rho^2, topics needed for 0.95, intervals."""
        return {name: [value] for name, value in self.details().items() if name not in SETTINGS}

    def overview(self) -> dict[str, list[Any]]:
        """Phi and E rho^2 against the number of topics."""
        return self.curve().columns()

    def headline(self) -> str:
        """The coefficients on today's topics, in a phrase."""
        coefficients = f"Phi {self.phi():.3f}, E rho^2 {self.rho2():.3f}"
        return f"{self.measure}, {self.runs} runs, {self.topics} topics: {coefficients}"

    def _ratio(self, name: str) -> float:
        system, topic, interaction = self.components
        noise = interaction + (topic if name == "phi" else 0.0)
        if noise == 0.0:
            return math.inf if system > 0.0 else math.nan
        return system / noise

    def _topics(self, n: float | Sequence[float] | Floats | None) -> float | Floats:
        if n is None:
            return float(self.topics)
        topics = checks.numbers("n", n)
        if not np.all(topics > 0):
            raise ArgumentError(f"a number of topics must be above 0, found {n!r}")
        return float(topics) if topics.ndim == 0 else topics


def _wanted(phi: float | None, rho2: float | None) -> tuple[str, float]:
    wanted = [(name, value) for name, value in (("phi", phi), ("rho2", rho2)) if value is not None]
    if len(wanted) != 1:
        raise ArgumentError("give one of phi and rho2, for example topics_for(phi=0.95)")
    name, value = wanted[0]
    return name, checks.share(name, value, 0.95)


def _least(topics: float) -> int:
    """A sufficient whole number of topics, at least one.

    >>> _least(28.1), _least(0.0)
    (29, 1)
    """
    return max(1, math.ceil(topics))


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high}
