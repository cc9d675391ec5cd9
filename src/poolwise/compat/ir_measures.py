"""poolwise as a provider of ir_measures: `from poolwise.compat import ir_measures` registers it.

`use()` puts it before the providers of ir_measures. Then `ir_measures.calc_aggregate` and its callers (such as
`pt.Experiment` of PyTerrier) score by poolwise, and measures that poolwise lacks by the other providers.
"""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.compat.pytrec_eval import subtopic_scores, topic_scores
from poolwise.errors import ArgumentError
from poolwise.measures.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from poolwise.measures.measure import Measure

__all__ = ["leave", "provider", "use"]

NAME = "poolwise"
TO_THE_END = 2**31 - 1  # the largest cut-off: more documents than any ranking has
GDEVAL_TOP = 4  # the highest label of gdeval.pl, which ir_measures runs for ERR

library: Any = load("ir_measures", "ir-measures")


def ours(measure: Any) -> Measure | None:
    """The equivalent of a measure of ir_measures, or None."""
    try:
        return _special(measure) or parse(measure).require()
    except ArgumentError:
        return None


def _special(measure: Any) -> Measure | None:
    """The equivalent of a measure whose name or parameters mean something else in poolwise, or None."""
    parameters = dict(measure.params)
    if measure.NAME == "NumRet" and "rel" in parameters:
        return parse("NumRelRet")(rel=parameters["rel"])
    if measure.NAME == "Judged" and "cutoff" not in parameters:
        # Judged without a cut-off is the share of the whole ranking there.
        return parse("Judged") @ TO_THE_END
    if measure.NAME == "SetP" and parameters.pop("relative", False):
        return _with(parse("SetRelativeP"), parameters)
    if measure.NAME == "SetP":
        return _with(parse("SetP"), parameters)
    if measure.NAME == "IPrec":  # ir_measures asks pytrec_eval, which is trec_eval 9
        return _with(parse("IPrec")(compat="trec_eval9"), parameters)
    if measure.NAME == "Compat":
        return _with(parse("Compat")(compat="ir_measures"), parameters)
    if measure.NAME == "ERR":
        return parse(measure)(top=GDEVAL_TOP)
    return None


def _with(measure: Measure, parameters: dict[str, Any]) -> Measure:
    judged_only = parameters.pop("judged_only", False)
    complete = measure(**parameters).require()
    return complete.on_judged_only() if judged_only else complete


class Provider(library.providers.Provider):  # type: ignore[misc]
    """Scores measures of ir_measures by poolwise."""

    NAME = NAME

    def supports(self, measure: Any) -> bool:
        """Whether poolwise has the measure, with these parameters."""
        measure.validate_params()
        return ours(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        return Evaluator(list(measures), list(library.util.QrelsConverter(qrels).as_namedtuple_iter()))


class Evaluator(library.providers.Evaluator):  # type: ignore[misc]
    """Scores runs by the same measures and judgments."""

    def __init__(self, measures: list[Any], qrels: list[Any]) -> None:
        self._qrels: dict[str, dict[str, int]] = library.util.QrelsConverter(qrels).as_dict_of_dict()
        super().__init__(measures, set(self._qrels))
        self._rows = [(each.query_id, str(each.iteration), each.doc_id, each.relevance) for each in qrels]
        known = [(measure, _known(measure)) for measure in measures]
        # Subtopics need another reading of the judgments, so measures are split.
        self._plain = [each for each in known if not each[1].declaration.subtopics]
        self._of_subtopics = [each for each in known if each[1].declaration.subtopics]

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        scores = library.util.RunConverter(run).as_dict_of_dict()
        yield from _metrics(self._plain, lambda ours: topic_scores(self._qrels, scores, ours))
        yield from _metrics(self._of_subtopics, lambda ours: subtopic_scores(self._rows, scores, ours))


def _metrics(
    asked: list[tuple[Any, Measure]], score: Callable[[list[Measure]], dict[str, list[float]]]
) -> Iterator[Any]:
    scores = score([ours for _, ours in asked]) if asked else {}
    for topic, values in scores.items():
        for (measure, _), value in zip(asked, values, strict=True):
            yield library.Metric(query_id=topic, measure=measure, value=value)


def _known(measure: Any) -> Measure:
    known = ours(measure)
    if known is None:
        raise ArgumentError(f"poolwise has no {measure}; ask ir_measures itself, which has other providers")
    return known


provider = library.providers.register(Provider())


def use() -> None:
    """Have ir_measures score by poolwise all measures that poolwise has."""
    leave()
    # `leave` first, so that calling `use` twice registers once.
    library.DefaultPipeline.providers.insert(1, provider)  # index 0 is for measures defined at run time


def leave() -> None:
    """Have ir_measures score as before `use`."""
    chain = library.DefaultPipeline.providers
    chain[:] = [each for each in chain if each.NAME != NAME]
