"""The interface of pytrec_eval: write `from poolwise.compat import pytrec_eval` instead of `import pytrec_eval`.

Scores equal those of trec_eval 9, which pytrec_eval wraps. (Version 10 rounds differently in interpolated precision.)
Scores of documents are compared as 64-bit floats.
"""

from __future__ import annotations

from math import exp

from poolwise.errors import ArgumentError, InputError
from poolwise.measures.other_names import FAMILIES, NICKNAMES, TREC_MEASURES, lines_of
from poolwise.pool.joining import Joining
from poolwise.pool.judgments import Judgments
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.reading.tables import add_labels, add_run, add_subtopic_labels
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from poolwise import _core
    from poolwise.measures.measure import Measure
    from poolwise.measures.other_names import TrecEvalLine
    from poolwise.pool.joining import Errors


def topic_scores(
    qrels: Mapping[str, Mapping[str, Any]], run: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
) -> dict[str, list[float]]:
    """Scores by topic (of judgments and run) and measure. Negative labels count as unjudged."""
    judged = {topic: labels for topic, labels in qrels.items() if topic in run and labels}
    # pytrec_eval treats every negative label as unjudged, not only -1.
    joining = Joining(ReadingOptions("negative"))
    return _scored(joining, lambda builder: add_labels(builder, judged, "qrels"), set(judged), run, measures)


def subtopic_scores(
    rows: Sequence[tuple[str, str, str, int]], run: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
) -> dict[str, list[float]]:
    """The same for judgments as rows of topic, subtopic, document and label."""
    judged = [row for row in rows if row[0] in run]
    joining = Joining(ReadingOptions("negative", subtopics=True))
    topics = {row[0] for row in judged}
    return _scored(joining, lambda builder: add_subtopic_labels(builder, judged, "qrels"), topics, run, measures)


def _scored(
    joining: Joining,
    add: Callable[[_core.Builder], None],
    topics: set[str],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[Measure],
) -> dict[str, list[float]]:
    ranked = {topic: scores for topic, scores in run.items() if topic in topics}
    # The core needs a run and a measure; pytrec_eval returns topics without values.
    if not ranked or not measures:
        return {topic: [] for topic in ranked}
    joining.add_labels(add)
    joining.add_runs(1, lambda builder: _added(builder, ranked))
    pool = Pool(joining.finish(), ["run"])
    scored = score_values(pool, list(measures), [Judgments(pool)], 1)
    by_topic = dict(zip(pool.topics, zip(*(runs[0] for runs in scored.tolist()[0]), strict=True), strict=True))
    return {str(topic): list(by_topic[str(topic)]) for topic in ranked}


def _added(builder: _core.Builder, ranked: Mapping[str, Mapping[str, float]]) -> Errors:
    add_run(builder, 0, ranked, "run")
    return {}


SINCE_10 = ("rbp", "rbp_resid", "unj")  # measures of all_trec that trec_eval 9 lacks
supported_measures = set(TREC_MEASURES)
supported_nicknames = {name: set(members) - set(SINCE_10) for name, members in NICKNAMES.items()}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a run.

    Parameters
    ----------
    f_run : iterable of str
        Lines of topic, Q0, document, rank, score and tag, such as an open file.

    Returns
    -------
    dict
        Scores by topic and document.
    """
    return _parsed(f_run, 6, 4, float, "topic Q0 document rank score tag")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of judgments.

    Parameters
    ----------
    f_qrel : iterable of str
        Lines of topic, 0, document and label, such as an open file.

    Returns
    -------
    dict
        Labels by topic and document.
    """
    return _parsed(f_qrel, 4, 3, int, "topic 0 document label")


def _parsed(lines: Iterable[str], size: int, column: int, kind: Callable[[str], Any], form: str) -> dict[str, Any]:
    topics: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != size:
            raise InputError(f"line {number}: {len(fields)} fields found; every line needs {form}")
        topic, document = fields[0], fields[2]
        documents = topics.setdefault(topic, {})
        if document in documents:
            raise InputError(f"line {number}: document {document!r} of topic {topic!r} is listed twice; remove one")
        try:
            documents[document] = kind(fields[column])
        except ValueError:
            raise InputError(f"line {number}: {fields[column]!r} is not a number; every line needs {form}") from None
    return topics


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Put the values of topics together: a sum of counts, a geometric mean of logarithms, else a mean.

    Parameters
    ----------
    measure : str
        Its name, such as "map", "num_ret" or "gm_map".
    values : iterable of float
        Of the topics.

    Returns
    -------
    float
        The value of all topics.
    """
    of_topics = list(values)
    if measure.startswith("num_"):
        return float(sum(of_topics))
    mean = sum(of_topics) / len(of_topics)
    return exp(mean) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Evaluates runs by judgments.

    Parameters
    ----------
    query_relevance : mapping
        Labels by topic and document.
    measures : iterable of str
        Names of measures and nicknames; with cut-offs as "ndcg_cut.5,10" or "ndcg_cut_10".
    relevance_level : int
        The lowest label that counts as relevant.
    judged_docs_only_flag : bool
        Whether unjudged documents are left out of rankings.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._qrels = query_relevance
        # 0.0: pytrec_eval has no option for the size of the collection, which trec_eval then takes as 0.
        lines = lines_of(_combined(measures), relevance_level, bool(judged_docs_only_flag), 0.0)
        self._lines = [(_key(line), None if line.measure is None else _of_9(line.measure)) for line in lines]

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate a run.

        Parameters
        ----------
        scores : mapping
            Scores by topic and document.

        Returns
        -------
        dict
            Values by topic and measure, of the topics that judgments and run have.
        """
        measures = [measure for _, measure in self._lines if measure is not None]
        evaluated = topic_scores(self._qrels, scores, measures)
        return {topic: self._named(iter(values)) for topic, values in evaluated.items()}

    def _named(self, values: Any) -> dict[str, float]:
        """Values by name. As in pytrec_eval, text lines are 0 and geometric means are logarithms."""
        return {
            name: 0.0 if measure is None else measure.declaration.aggregate.term(next(values))
            for name, measure in self._lines
        }


def _combined(measures: Iterable[str]) -> list[str]:
    """Measures in trec_eval's syntax, each once, with the cut-offs of all its mentions."""
    cutoffs: dict[str, set[str]] = {}
    for measure in measures:
        if measure in supported_nicknames:
            for name in supported_nicknames[measure]:
                cutoffs.setdefault(name, set())
            continue
        name = next((known for known in _split_at(measure) if known in supported_measures), "")
        if not name:
            raise ArgumentError(f"unsupported measure {measure}; pytrec_eval.supported_measures has those there are")
        cutoffs.setdefault(name, set()).update(filter(None, measure[len(name) + 1 :].split(",")))
    return [f"{name}.{','.join(sorted(numbers))}" if numbers else name for name, numbers in cutoffs.items()]


def _split_at(measure: str) -> list[str]:
    """Possible names before the numbers of a measure, longest first."""
    # Longest first: P_5 is P with a cut-off, but set_F has an underscore in its name.
    ends = [index for index in range(len(measure) - 1) if measure[index] in "._" and measure[index + 1].isdigit()]
    return [measure, *(measure[:end] for end in reversed(ends))]


def _key(line: TrecEvalLine) -> str:
    """Key of a line: without parameters, unless the measure has several cut-offs."""
    return line.name if line.root in FAMILIES else line.root


def _of_9(measure: Measure) -> Measure:
    """The measure as trec_eval 9 computes it, where version 10 differs."""
    names = {parameter.name: parameter for parameter in measure.declaration.parameters}
    compat = names.get("compat")
    return measure(compat="trec_eval9") if compat is not None and "trec_eval9" in compat.examples else measure
