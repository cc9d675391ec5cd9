"""Declarations of measures, and `Measure`: a declared measure with its parameters set.

Formulas and names of discounts are the core's (`kernel.hpp`), gains of labels are `parameters.gain_of`.
"""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import MEAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from poolwise.measures.aggregate import Aggregate
    from poolwise.measures.parameters import Parameter


def label_gains(measure: Measure, labels: Iterable[float], highest_label: float = 0) -> list[float]:
    """The gain of each label. A measure that declares no gains has 1 for relevant labels and 0 for others.

    Some gains depend on the highest label of the collection. Negative gains are returned as they are.

    >>> from poolwise.measures.rank import AP, nDCG
    >>> label_gains(nDCG(gain="exp"), [-2, 0, 1, 3]), label_gains(AP(rel=2), [1, 2])
    ([-3.0, 0.0, 1.0, 7.0], [0.0, 1.0])
    """
    gains, parameters = measure.declaration.gains, measure.parameters
    if gains is None:
        return [float(label >= parameters.get("rel", 1)) for label in labels]
    return [gains(parameters, label, highest_label) for label in labels]


def rank_discounts(measure: Measure, depth: int) -> memoryview[float]:
    """Discounts of the ranks 1 to `depth`: 1 if the measure has none, 0 beyond the cut-off.

    >>> from poolwise.measures.rank import nDCG
    >>> rank_discounts(nDCG(discount="zipf") @ 2, 3).tolist()
    [1.0, 0.5, 0.0]
    """
    measure.require()
    cutoff = measure.cutoff or 0
    declared = measure.declaration.discount
    name, numbers = declared(measure.parameters, cutoff) if declared else ("uniform", [])
    return _core.discounts(name, numbers, depth, cutoff)


# Treatments of unjudged documents, in the words of every listing.
NONRELEVANT = "count as non-relevant"
LEFT_OUT = "are left out"
ESTIMATED = "are estimated"
REPORTED = "are what is measured"
NO_MATTER = "do not matter"
UNJUDGED = (NONRELEVANT, LEFT_OUT, ESTIMATED, REPORTED, NO_MATTER)


class Declaration:
    """Everything about a measure, declared once. Help, docs, checks and contract tests are derived from it."""

    def __init__(
        self,
        name: str,
        summary: str,
        description: str,
        *,
        unjudged: str,
        citation: str,
        parameters: tuple[Parameter, ...] = (),
        cutoff: str = "none",
        condensable: bool = False,
        judged_only: bool = False,
        aliases: Mapping[str, str] | None = None,
        examples: tuple[str, ...] = (),
        perfect: float | None = 1.0,
        bounds: tuple[float, float] = (0.0, 1.0),
        aggregate: Aggregate = MEAN,
        summary_only: bool = False,
        kernel: str | None = None,
        at_parameter: str = "",
        counts_missing: bool = False,
        gains: Callable[[Mapping[str, Any], float, float], float] | None = None,
        discount: Callable[[Mapping[str, Any], int], tuple[str, list[float]]] | None = None,
        numbers: Callable[[Mapping[str, Any], float], list[float]] | None = None,
        kernel_numbers_at: Callable[[Mapping[str, Any], int], list[float]] | None = None,
        function: Callable[..., float] | None = None,
        estimates: Callable[[Measure], Measure] | None = None,
        variance: str = "",
        monotone: bool = False,
        subtopics: bool = False,
        relative: bool = True,
    ) -> None:
        self.name = name
        self.summary = summary
        self.description = description
        self.unjudged = unjudged
        self.parameters = parameters
        self.cutoff = cutoff  # "none", "optional" or "required"
        self.condensable = condensable
        self.judged_only = judged_only or condensable  # defined on condensed lists, also without a prime
        self.aliases = dict(aliases or {})  # names of other tools -> names here; `{}` takes a number
        self.examples = examples  # with several parameters; each parameter has examples too
        self.citation = citation
        self.perfect = perfect  # score of a perfect ranking; None if it depends on the topic
        self.bounds = bounds
        self.aggregate = aggregate  # over topics
        self.summary_only = summary_only  # of all topics only: trec_eval prints no row per topic
        self.kernel = kernel or name  # name of the function of the core that computes a topic's score
        self.at_parameter = at_parameter  # the parameter that @ sets instead of a cut-off
        self.counts_missing = counts_missing  # has a value for topics that a run lacks
        self.gains = gains  # (parameters, label, highest label) -> gain
        self.discount = discount  # (parameters, cut-off) -> name and numbers of the discount
        self.numbers = numbers  # (parameters, highest label) -> further numbers for the kernel
        self.kernel_numbers_at = kernel_numbers_at  # (parameters, cut-off) -> the same, if they depend on the cut-off
        self.function = function  # Python function of a user's measure, instead of a kernel
        self.estimates = estimates  # estimators: (measure) -> the measure that it estimates
        self.monotone = monotone  # users' measures: a higher label never lowers the score
        self.subtopics = subtopics  # uses labels of subtopics
        self.relative = relative  # divided by relevant documents, retrieved or not: more of them lower the score
        self.variance = variance  # name of the kernel of its scores' variance; empty if there is none

    def parameter(self, name: str) -> Parameter:
        """The parameter with this name. The error for an unknown one lists all."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters) or "none"
        raise ArgumentError(f"{self.name} has no parameter {name!r}; its parameters are: {known}")


class Measure:
    """A measure with its parameters, cut-off and whether it works on condensed lists.

    >>> from poolwise import nDCG
    >>> nDCG(gain="exp") @ 10
    nDCG(gain='exp')@10
    >>> nDCG(gain="exp").condensed @ 10
    nDCG'(gain='exp')@10
    """

    # Measures are dictionary keys in inner loops: no instance dictionary, and the text for `==` and `hash` is
    # stored.
    __slots__ = ("_text", "cutoff", "declaration", "is_condensed", "parameters")

    def __init__(
        self,
        declaration: Declaration,
        parameters: Mapping[str, Any] | None = None,
        cutoff: int | None = None,
        condensed: bool = False,
    ) -> None:
        self.declaration = declaration
        self.parameters = {parameter.name: parameter.default for parameter in declaration.parameters}
        for name, value in (parameters or {}).items():
            self.parameters[name] = declaration.parameter(name).check(value, declaration.name)
        self.cutoff = self._check_cutoff(cutoff)
        self.is_condensed = self._check_condensed(condensed)
        self._text = self._canonical()

    @property
    def name(self) -> str:
        """The measure's name without parameters."""
        return self.declaration.name

    @property
    def condensed(self) -> Measure:
        """The same measure on condensed lists: rankings without unjudged documents."""
        if not self.declaration.condensable:
            raise ArgumentError(
                f"{self.name} takes no prime: its unjudged documents {self.declaration.unjudged}; write {self.name}"
            )
        return self.on_judged_only()

    def on_judged_only(self) -> Measure:
        """The same measure on condensed lists, also if its name takes no prime: trec_eval's option -J."""
        return Measure(self.declaration, self.parameters, self.cutoff, True)

    @property
    def estimated(self) -> Measure:
        """The measure that an estimator such as infAP estimates. Any other measure is returned itself."""
        return self if self.declaration.estimates is None else self.declaration.estimates(self)

    def __call__(self, **parameters: Any) -> Measure:
        """Set parameters, by name."""
        return Measure(self.declaration, {**self.parameters, **parameters}, self.cutoff, self.is_condensed)

    def __matmul__(self, cutoff: Any) -> Measure:
        """Cut rankings at a depth."""
        if self.declaration.at_parameter:
            return self(**{self.declaration.at_parameter: cutoff})
        return Measure(self.declaration, self.parameters, cutoff, self.is_condensed)

    def require(self) -> Measure:
        """Return the measure itself once it is complete enough to be computed."""
        if self.declaration.cutoff == "required" and self.cutoff is None:
            raise ArgumentError(f"{self.name} needs a cut-off; write for example {self.name}@10")
        for parameter in self.declaration.parameters:
            if parameter.required and self.parameters[parameter.name] is None:
                raise ArgumentError(
                    f"{self.name} needs {parameter.name}, {parameter.allowed()}; write for example "
                    f"{self.name}({parameter.name}={parameter.show(parameter.examples[0])})"
                )
        # These depend on the cut-off, which may be set after the parameters; so they are checked here and not
        # at once.
        discount = self.parameters.get("discount")
        if discount == "linear" and self.cutoff is None:
            raise ArgumentError(f"{self}: the linear discount needs a cut-off; write for example {self}@10")
        if isinstance(discount, tuple) and (self.cutoff is None or len(discount) < self.cutoff):
            raise ArgumentError(
                f"{self.name}: a list of {len(discount)} discounts needs a cut-off of at most {len(discount)}"
            )
        return self

    def _check_cutoff(self, cutoff: int | None) -> int | None:
        if cutoff is None:
            return None
        if self.declaration.cutoff == "none":
            raise ArgumentError(f"{self.name} takes no cut-off; write {self.name}")
        # `__index__` accepts numpy integers and refuses floats. True would be the cut-off 1.
        number = None if isinstance(cutoff, bool) or not hasattr(cutoff, "__index__") else cutoff.__index__()
        if number is None or not 1 <= number < 2**31:
            raise ArgumentError(f"{self.name}@{cutoff}: the cut-off must be a whole number from 1 to {2**31 - 1}")
        return number

    def _check_condensed(self, condensed: bool) -> bool:
        if condensed and not self.declaration.judged_only:
            raise ArgumentError(f"{self.name} is not defined on condensed lists; write {self.name}")
        return condensed

    def _canonical(self) -> str:
        shown = [
            f"{parameter.name}={parameter.show(self.parameters[parameter.name])}"
            for parameter in self.declaration.parameters
            if self.parameters[parameter.name] != parameter.default
        ]
        if self.is_condensed and not self.declaration.condensable:
            shown.append("judged_only=True")
        return "".join(
            (
                self.name,
                "'" if self.is_condensed and self.declaration.condensable else "",
                f"({', '.join(shown)})" if shown else "",
                f"@{self.cutoff}" if self.cutoff is not None else "",
            )
        )

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        from poolwise.measures.registry import parse

        # By name: declarations contain lambdas, which cannot be pickled, and every process declares the same
        # measures.
        return parse, (self._text,)


class _ClassText:
    """Docstring of the class, or of a measure if it is read from one."""

    def __init__(self, of_class: str | None) -> None:
        self.of_class = of_class

    def __get__(self, measure: Measure | None, owner: type) -> str | None:
        if measure is None:
            return self.of_class
        from poolwise.measures.measure_text import measure_text

        return measure_text(measure.declaration)


# `help(pw.nDCG)` reads `__doc__` of an instance, so the class attribute is a descriptor with both texts.
Measure.__doc__ = _ClassText(Measure.__doc__)  # type: ignore[assignment]
