"""The two sides of `poolwise gate`: runs with judgments, or scores of an earlier time, and what may be said of both."""

from __future__ import annotations

from math import isfinite

from poolwise.basics.results import unwarned
from poolwise.cli.arguments import unjudged_label
from poolwise.cli.options import columns_given, columns_of_runs
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace
    from poolwise.measures.measure import Measure
    from poolwise.scores.scores import Scores

SCORES = (".csv", ".tsv")  # endings of a file of scores that was kept
BOUNDS = "bounds"  # what a file calls ends that unjudged documents leave open
FAR = 2**31  # the rank of what is not retrieved


class GateSide:
    """One of the two: a run with judgments, or scores of an earlier time."""

    def __init__(self, path: str, arguments: Namespace) -> None:
        self.path = path
        self.is_table = path.lower().endswith(SCORES) and _holds_scores(path, columns_given(arguments.columns) or {})
        self.sampled = False
        if self.is_table:
            from poolwise.scores.scores import Scores

            self.scores = Scores.from_csv(path)
            self.name = self._only_run(self.scores)
            return
        if not arguments.qrels:
            raise ArgumentError(f"{path}: a run needs judgments; give --qrels QRELS")
        from poolwise.campaign.campaign import read
        from poolwise.pool.coverage import sample_words

        self.pool = read(arguments.qrels, path, **_reading(arguments))
        self.sampled = bool(sample_words(self.pool.judgments))
        self.name = self._only_run(self.pool)

    def _only_run(self, holder: Any) -> str:
        if len(holder.runs) != 1:
            raise InputError(f"{self.path}: {len(holder.runs)} runs found; a gate takes one on each side")
        return str(holder.runs[0])

    def of(self, measure: Measure, bounds: bool = False) -> dict[str, float]:
        """Score by topic; with `bounds` the highest that unjudged documents allow."""
        scores = self.scores if self.is_table else self._scored(measure, bounds)
        name = self._named(scores, measure)
        values = (scores.high(name) if bounds else scores.array(name))[0]
        found = dict(zip(scores.topics, values.tolist(), strict=True))
        wrong = [topic for topic, value in found.items() if not isfinite(value)]
        if wrong:
            are = "is" if len(wrong) == 1 else "are"
            raise InputError(
                f"{self.path}: {len(wrong)} of {len(found)} scores by {name} {are} missing or infinite, the first is "
                f"on topic {wrong[0]}; correct it, or delete its line, and the topic is left out"
            )
        return found

    def _named(self, scores: Scores, measure: Measure) -> str:
        from poolwise.scores.read_scores import measure_of

        try:
            return measure_of(scores, measure)
        except ArgumentError:
            raise InputError(f"{self.path}: no scores by {measure}; it has {', '.join(scores.measures)}") from None

    def _scored(self, measure: Measure, bounds: bool) -> Scores:
        return self.pool.score(measure, interval="bounds" if bounds else None)

    @property
    def estimated(self) -> bool:
        """Whether scores that were kept are estimates from sampled labels."""
        return self.is_table and self.scores.estimated

    def holes(self, measure: Measure) -> float | None:
        """The share of the top documents that is unjudged; None of scores of an earlier time."""
        if self.is_table:
            return None
        cutoff = measure.cutoff or 100
        with unwarned():
            return 1.0 - float(self.pool.score(f"Judged@{cutoff}", missing="skip").means()[0, 0])

    def ends(self, measure: Measure) -> dict[str, tuple[float, float]]:
        """The lowest and highest score by topic that unjudged top documents allow; none if all of these are judged."""
        if not self.is_table:
            return _ends(self, measure) if self.holes(measure) else {}
        columns = self._columns()
        if not {"topic", "measure", "low", "high", "interval"} <= set(columns):
            return {}
        cells = zip(*(columns[name] for name in ("topic", "measure", "interval", "low", "high")), strict=True)
        wanted = self._named(self.scores, measure)
        return {
            str(topic): (_number(low), _number(high))
            for topic, name, kind, low, high in cells
            if name == wanted and kind == BOUNDS and topic != "all"
        }

    def _columns(self) -> dict[str, list[Any]]:
        from poolwise.reading.named_columns import named_columns

        return named_columns(self.path, "scores").columns

    def outside(self, measure: Measure) -> tuple[float, float, float]:
        """Of estimates that were kept: the share outside the pool, and by how much that lowers and raises the mean."""
        columns = self._columns() if self.is_table else {}
        ends = ("outside", "plain_low", "low", "high", "plain_high")
        if not {"topic", "measure", *ends} <= set(columns):
            return 0.0, 0.0, 0.0
        wanted = self._named(self.scores, measure)
        for index, (topic, name) in enumerate(zip(columns["topic"], columns["measure"], strict=True)):
            if topic == "all" and name == wanted:
                share, plain_low, low, high, plain_high = (_number(columns[end][index]) for end in ends)
                return share, plain_low - low, high - plain_high
        return 0.0, 0.0, 0.0


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return 0.0


def _reading(arguments: Namespace) -> dict[str, Any]:
    return {
        "unjudged": unjudged_label(arguments.unjudged),
        "depth": arguments.depth,
        "threads": arguments.threads,
        "columns": columns_of_runs(arguments),
    }


def _holds_scores(path: str, columns: Mapping[str, str]) -> bool:
    """Whether a table is of scores by topic; one of runs has a column of documents."""
    from poolwise.reading.columns import DOCUMENT
    from poolwise.reading.opening import numbered_lines

    first = next((line for _, line in numbered_lines(path)), "")
    mark = next((mark for mark in ("\t", ";") if mark in first), ",")
    documents = {*DOCUMENT, columns.get("document", DOCUMENT[0]).lower()}
    return not any(cell.strip(' "').lower() in documents for cell in first.split(mark))


def lowest_differences(
    baseline: GateSide, candidate: GateSide, measure: Measure, arguments: Namespace
) -> dict[str, float] | None:
    """Candidate minus baseline by topic, the candidate's unjudged top documents at their worst, the baseline's best.

    A document that two runs retrieve has one label: the one that favours the baseline. Scores that were kept have no
    documents, and each side has ends of its own. None where all is judged.
    """
    from poolwise.scores.score_notes import can_move

    if not (baseline.is_table or candidate.is_table) and can_move(measure):
        if not (baseline.holes(measure) or candidate.holes(measure)):
            return None
        return _lowest_of_two(read_both(baseline, candidate, arguments)[1], measure)
    lows, highs = candidate.ends(measure), baseline.ends(measure)
    if not lows and not highs:
        return None
    first, second = baseline.of(measure), candidate.of(measure)
    alone = {topic: (value, value) for topic, value in first.items()}
    return {
        topic: lows.get(topic, (value, value))[0] - highs.get(topic, alone[topic])[1]
        for topic, value in second.items()
        if topic in first
    }


def _ends(side: GateSide, measure: Measure) -> dict[str, tuple[float, float]]:
    """The lowest and highest score of a run by topic, by labels of unjudged documents down to a measure's depth."""
    from poolwise.scores.score_notes import ALONE, Unjudged, can_move

    if not can_move(measure):
        scores = side.pool.score(measure, interval="bounds")
        low, high = (end(scores.measures[0])[0].tolist() for end in (scores.low, scores.high))
        return dict(zip(scores.topics, zip(low, high, strict=True), strict=True))
    ((low, high),) = Unjudged(side.pool.judgments).reach_by_topic(measure, [0], [ALONE])
    return dict(zip(side.pool.topics, zip(low, high, strict=True), strict=True))


def read_both(baseline: GateSide, candidate: GateSide, arguments: Namespace) -> tuple[tuple[str, str], Campaign]:
    """The names of both, and a pool of both."""
    from poolwise.campaign.campaign import read

    names = (baseline.name, candidate.name)
    if names[0] == names[1]:
        names = (f"{names[0]} before", f"{names[1]} now")
    runs = dict(zip(names, (baseline.path, candidate.path), strict=True))
    return names, read(arguments.qrels, runs, **_reading(arguments))


def _lowest_of_two(pool: Campaign, measure: Measure) -> dict[str, float]:
    """The lowest difference of a pool's second run and its first, topic by topic.

    By the labels that favour the first run, each document by itself, and by any that are tried for all together.
    """
    from poolwise.campaign.campaign import read
    from poolwise.scores.score_notes import Unjudged

    unjudged = Unjudged(pool.judgments)
    ((tried, _),) = unjudged.reach_by_topic(measure, [1], [0])
    values = sorted(pool.judgments.with_zero()[1])
    labels: dict[str, dict[str, Any]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in pool.runs}
    for number, topic in enumerate(pool.topics):
        labels[topic] = pool.judgments.of(topic)
        first, second = (_ranks(pool, run, number) for run in (0, 1))
        for document in {**first, **second}:
            before, now = first.get(document, FAR), second.get(document, FAR)
            if document not in labels[topic] and min(before, now) <= unjudged.depth(measure):
                labels[topic][document] = values[-1] if before < now else values[0]
        for run, ranks in zip(pool.runs, (first, second), strict=True):
            runs[run][topic] = {document: -float(rank) for document, rank in ranks.items()}
    judged = {topic: of_topic for topic, of_topic in labels.items() if of_topic}
    with unwarned():
        scores = read(judged, runs, unjudged=None).score(measure)
    before, now = scores.array(scores.measures[0]).tolist()
    found = {topic: b - a for topic, a, b in zip(scores.topics, before, now, strict=True)}
    return {topic: min(low, found.get(topic, low)) for topic, low in zip(pool.topics, tried, strict=True)}


def _ranks(pool: Campaign, run: int, topic: int) -> dict[str, int]:
    """The rank of every document that a run retrieves for a topic."""
    names = pool.documents(pool.topics[topic])
    listed = pool.all_documents(run, topic).tolist()
    return {names[document]: rank for rank, document in enumerate(listed, 1)}
