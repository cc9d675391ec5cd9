"""Measures of poolwise in other tools."""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.campaign.campaign import read
from poolwise.measures.aggregate import MEAN
from poolwise.measures.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise.measures.aggregate import Aggregate
    from poolwise.measures.measure import Measure


def as_ir_measure(measure: str | Measure, **options: Any) -> Any:
    """Make a measure one of ir_measures, which also `pt.Experiment` of PyTerrier takes.

    Parameters
    ----------
    measure : str or Measure
        The measure.
    **options
        Those of `read`, such as `unjudged`.

    Returns
    -------
    ir_measures.Measure
        A measure that ir_measures computes by ours.

    Examples
    --------
    >>> import ir_measures
    >>> bpref = as_ir_measure("bpref_N")
    >>> ir_measures.calc_aggregate([bpref], {"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}})
    {bpref_N: 0.0}
    """
    library = load("ir_measures", "ir-measures")
    wanted = parse(measure).require()

    def scored(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        if len(run):  # ir_measures scores an empty run as 0
            scores = read(qrels, {"run": run}, **options).score(wanted)
            yield from zip(scores.topics, scores.array(wanted)[0].tolist(), strict=True)

    defined = library.define(scored, str(wanted), support_cutoff=False, short_desc=wanted.declaration.summary)
    # ir_measures averages unless a measure has its own aggregator.
    if wanted.declaration.aggregate is not MEAN:
        defined.aggregator = lambda: _Aggregator(wanted.declaration.aggregate)
    return defined


class _Aggregator:
    """Aggregate over topics with the interface of ir_measures: topics are added in turn."""

    def __init__(self, aggregate: Aggregate) -> None:
        self._aggregate, self._total, self._topics = aggregate, 0.0, 0

    def add(self, value: float) -> None:
        """Add a topic's score."""
        self._total += self._aggregate.term(value)
        self._topics += 1

    def result(self) -> float:
        """The aggregate."""
        return self._aggregate.finish(self._total, self._topics)
