"""The two sides of a gate: a run with judgments, scores of an earlier time, or two runs with sampled labels."""

from __future__ import annotations

from math import isfinite

from poolwise.cli.column_options import columns_given, columns_of_runs
from poolwise.cli.options import predictions_given, unjudged_label
from poolwise.errors import ArgumentError, InputError
from poolwise.results import unwarned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.cli.arguments import Namespace
    from poolwise.compare.no_worse import Gate
    from poolwise.score.measure import Measure
    from poolwise.score.scores import Scores

SCORES = (".csv", ".tsv")  # endings of a file of scores that was kept


class Side:
    """One of the two: a run with judgments, or scores of an earlier time."""

    def __init__(self, path: str, arguments: Namespace) -> None:
        self.path = path
        self.kept = path.lower().endswith(SCORES) and _holds_scores(path, columns_given(arguments.columns) or {})
        self.sampled = False
        if self.kept:
            from poolwise.score.scores import Scores

            self.scores = Scores.from_csv(path)
            self.name = self._only_run(self.scores)
            return
        if not arguments.qrels:
            raise ArgumentError(f"{path}: a run needs judgments; give --qrels QRELS")
        from poolwise.campaign import read
        from poolwise.judge.sample_words import sample_words

        self.pool = read(arguments.qrels, path, **_reading(arguments))
        self.sampled = bool(sample_words(self.pool.judgments))
        self.name = self._only_run(self.pool)

    def _only_run(self, holder: Any) -> str:
        if len(holder.runs) != 1:
            raise InputError(f"{self.path}: {len(holder.runs)} runs found; a gate takes one on each side")
        return str(holder.runs[0])

    def of(self, measure: Measure, bounds: bool = False) -> dict[str, float]:
        """Score by topic; with `bounds` the highest that unjudged documents allow."""
        scores = self.scores if self.kept else self._scored(measure, bounds)
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
        from poolwise.score.matrix import measure_of

        try:
            return measure_of(scores, measure)
        except ArgumentError:
            raise InputError(f"{self.path}: no scores by {measure}; it has {', '.join(scores.measures)}") from None

    def _scored(self, measure: Measure, bounds: bool) -> Scores:
        return self.pool.score(measure, interval="bounds" if bounds else None)

    def holes(self, measure: Measure) -> float:
        """The share of the top documents that is unjudged."""
        cutoff = measure.cutoff or 100
        with unwarned():
            return 1.0 - float(self.pool.score(f"Judged@{cutoff}", missing="skip").means()[0, 0])

    def outside(self, measure: Measure) -> tuple[float, float, float]:
        """Of estimates that were kept: the share outside the pool, and by how much that lowers and raises the mean."""
        from poolwise.read.named_columns import named_columns

        columns = named_columns(self.path, "scores").columns if self.kept else {}
        ends = ("outside", "plain_low", "low", "high", "plain_high")
        if not {"topic", "measure", *ends} <= set(columns):
            return 0.0, 0.0, 0.0
        wanted = self._named(self.scores, measure)
        for place, (topic, name) in enumerate(zip(columns["topic"], columns["measure"], strict=True)):
            if topic == "all" and name == wanted:
                share, plain_low, low, high, plain_high = (_number(columns[end][place]) for end in ends)
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
    from poolwise.read.column_names import DOCUMENT
    from poolwise.read.text_files import numbered_lines

    first = next((line for _, line in numbered_lines(path)), "")
    mark = next((mark for mark in ("\t", ";") if mark in first), ",")
    documents = {*DOCUMENT, columns.get("document", DOCUMENT[0]).lower()}
    return not any(cell.strip(' "').lower() in documents for cell in first.split(mark))


def gates_of_sample(baseline: Side, candidate: Side, measures: list[Measure], arguments: Namespace) -> list[Gate]:
    """Gates from sampled labels: estimates of both runs from one pool, and what documents outside it leave open."""
    from poolwise.campaign import read
    from poolwise.compare.no_worse import SampledLabels, gate

    for side in (baseline, candidate):
        if side.kept:
            raise ArgumentError(
                f"{side.path}: scores of an earlier time, but {arguments.qrels} is a sample; give both runs, as their "
                "difference is estimated from the labels that they share"
            )
    if arguments.keep:
        raise ArgumentError(f"--keep {arguments.keep}: estimates from a sample are not kept; keep the run itself")
    names = (baseline.name, candidate.name)
    if names[0] == names[1]:
        names = (f"{names[0]} before", f"{names[1]} now")
    pool = read(arguments.qrels, dict(zip(names, (baseline.path, candidate.path), strict=True)), **_reading(arguments))
    found = pool.estimate(
        *measures,
        difference=(names[1], names[0]),
        level=1 - 2 * arguments.alpha,
        steadied=False,
        predictions=predictions_given(arguments),
        threads=arguments.threads,
    )
    pairs = found.differences
    if pairs is None or not (pairs.standard_error >= 0).all():
        raise InputError(f"{arguments.qrels}: no interval, so that nothing can be decided; judge every topic first")
    return [
        gate(
            *found.array(str(measure)),
            margin=arguments.margin,
            alpha=arguments.alpha,
            names=names,
            measure=str(measure),
            holes=tuple(found.outside[:, place].tolist()),
            sampled=SampledLabels(
                float(pairs.standard_error[place]),
                float(pairs.df[place]),
                float(pairs.plain_low[place] - pairs.low[place]),
                float(pairs.high[place] - pairs.plain_high[place]),
                found.settings.get("topics_drawn_of"),
            ),
        )
        for place, measure in enumerate(measures)
    ]
