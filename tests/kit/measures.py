"""Every declared measure with every example of its parameters, for tests that loop over the registry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tests.twins import TWINS, Topic

from poolwise.errors import ArgumentError
from poolwise.measures.measure import Declaration, Measure
from poolwise.measures.registry import parse

Cutoffs = Mapping[str, tuple[int | None, ...]]
CUTOFFS: Cutoffs = {"none": (None,), "optional": (None, 1, 5, 100), "required": (1, 5, 100)}


def base_of(declaration: Declaration) -> Measure:
    """The measure with its defaults, and an example where there is none."""
    required = {p.name: p.examples[0] for p in declaration.parameters if p.required}
    return Measure(declaration, required)


def variants(declaration: Declaration, cutoffs: Cutoffs = CUTOFFS, condensed: bool = True) -> list[Measure]:
    """The measure with each parameter varied by its examples, with and without cut-off, condensed or not."""
    base = base_of(declaration)
    changed = [base, *(parse(example) for example in declaration.examples)]
    for parameter in declaration.parameters:
        changed += [base(**{parameter.name: value}) for value in parameter.examples]
    cut = []
    for measure in changed:
        for cutoff in cutoffs[declaration.cutoff] if measure.cutoff is None else (measure.cutoff,):
            try:
                cut.append((measure @ cutoff if cutoff else measure).require())
            except ArgumentError:
                assert "discount" in measure.parameters
    if condensed and declaration.judged_only:
        cut += [measure.on_judged_only() for measure in cut]
    return list(dict.fromkeys(cut))


def twin_value(measure: Measure, topic: Topic) -> float:
    """The score of a topic by the measure's twin."""
    return TWINS[measure.declaration.kernel](topic, measure.cutoff, **_given_to_twin(measure))


@cache
def _given_to_twin(measure: Measure) -> dict[str, object]:
    parameters = {
        name: dict(value) if name == "gain" and isinstance(value, tuple) else value
        for name, value in measure.parameters.items()
    }
    return parameters | {"condensed": True} if measure.is_condensed else parameters
