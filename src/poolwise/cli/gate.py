"""`poolwise gate`."""

from __future__ import annotations

import sys
from math import isfinite

from poolwise.basics.results import unwarned
from poolwise.basics.words import counted
from poolwise.cli.arguments import unjudged_label
from poolwise.cli.options import (
    add_columns,
    add_measures,
    add_predictions,
    columns_given,
    columns_of_runs,
    predictions_given,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, show
from poolwise.errors import ArgumentError, InputError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.comparisons.non_inferiority import Gate, SampledLabels
    from poolwise.measures.measure import Measure
    from poolwise.scores.scores import Scores
    from poolwise.show.parts import Table

SCORES = (".csv", ".tsv")  # endings of a file of scores that was kept
BOUNDS = "bounds"  # what a file calls ends that unjudged documents leave open
FAR = 2**31  # the rank of what is not retrieved


class GateSide:
    """One of the two: a run with judgments, or scores of an earlier time."""

    def __init__(self, path: str, arguments: Namespace) -> None:
        self.path = path
        self.kept = path.lower().endswith(SCORES) and _holds_scores(path, columns_given(arguments.columns) or {})
        self.sampled = False
        if self.kept:
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
        return self.kept and self.scores.estimated

    def holes(self, measure: Measure) -> float | None:
        """The share of the top documents that is unjudged; None of scores of an earlier time."""
        if self.kept:
            return None
        cutoff = measure.cutoff or 100
        with unwarned():
            return 1.0 - float(self.pool.score(f"Judged@{cutoff}", missing="skip").means()[0, 0])

    def ends(self, measure: Measure) -> dict[str, tuple[float, float]]:
        """The lowest and highest score by topic that unjudged top documents allow; none if all of these are judged."""
        if not self.kept:
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
        columns = self._columns() if self.kept else {}
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


def gates_of_sample(
    baseline: GateSide, candidate: GateSide, measures: list[Measure], arguments: Namespace
) -> list[Gate]:
    """Gates from sampled labels: estimates of both runs from one pool, and what documents outside it leave open."""
    from poolwise.comparisons.non_inferiority import SampledLabels, gate

    for side in (baseline, candidate):
        if side.kept:
            raise ArgumentError(
                f"{side.path}: scores of an earlier time, but {arguments.qrels} is a sample; give both runs, as their "
                "difference is estimated from the labels that they share"
            )
    if arguments.keep:
        raise ArgumentError(f"--keep {arguments.keep}: estimates from a sample are not kept; keep the run itself")
    names, pool = _both(baseline, candidate, arguments)
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
            holes=tuple(found.outside[:, index].tolist()),
            sampled=SampledLabels(
                float(pairs.standard_error[index]),
                float(pairs.df[index]),
                float(pairs.plain_low[index] - pairs.low[index]),
                float(pairs.high[index] - pairs.plain_high[index]),
                found.settings.get("topics_drawn_of"),
            ),
            estimated=True,
        )
        for index, measure in enumerate(measures)
    ]


def lowest_differences(
    baseline: GateSide, candidate: GateSide, measure: Measure, arguments: Namespace
) -> dict[str, float] | None:
    """Candidate minus baseline by topic, the candidate's unjudged top documents at their worst, the baseline's best.

    A document that two runs retrieve has one label: the one that favours the baseline. Scores that were kept have no
    documents, and each side has ends of its own. None where all is judged.
    """
    from poolwise.scores.score_notes import can_move

    if not (baseline.kept or candidate.kept) and can_move(measure):
        if not (baseline.holes(measure) or candidate.holes(measure)):
            return None
        return _lowest_of_two(_both(baseline, candidate, arguments)[1], measure)
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


def _both(baseline: GateSide, candidate: GateSide, arguments: Namespace) -> tuple[tuple[str, str], Campaign]:
    """What both are called, and a pool of both."""
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
    judged = {topic: own for topic, own in labels.items() if own}
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


EXAMPLE = "poolwise gate last-scores.csv candidate.txt --qrels qrels.txt -m nDCG@10 --margin 0.01"
CODES = {"no worse": 0, "worse": 1, "cannot tell": 3}


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("baseline", metavar="BASELINE", help="the run to hold against, or scores kept by --keep")
    parser.add_argument("candidate", metavar="CANDIDATE", help="the run that must not be worse, or its scores")
    parser.add_argument(
        "--qrels", metavar="QRELS", help="judgments, or a plan with its labels; needed unless both are files of scores"
    )
    parser.add_argument(
        "--margin", type=float, default=0.01, metavar="M", help="how much worse is still good enough (default 0.01)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="A", help="error of each one-sided test, below 0.5 (default 0.05)"
    )
    parser.add_argument(
        "--keep",
        metavar="FILE",
        help="write the candidate's scores unless it is worse: a baseline for next time (.csv)",
    )
    parser.add_argument(
        "--unjudged", metavar="LABEL", default="-1", help="label that means pooled, not judged (-1), negative, or none"
    )
    add_predictions(parser, "with a plan: predicted labels,")
    add_columns(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: every core allowed)")
    add_measures(parser, "nDCG@10")
    add_output(parser, ShownGates, "table")


def run(arguments: Namespace) -> int:
    """Decide and print; the exit status is 0 for no worse, 1 for worse, 3 if the topics cannot tell."""
    try:
        return _decide(arguments)
    except InputError as error:  # whose usual status, 1, would say that the candidate is worse
        raise ArgumentError(str(error)) from error


def _decide(arguments: Namespace) -> int:
    from poolwise.comparisons.non_inferiority import one_sided_alpha

    form = chosen_format(arguments, ShownGates, "table")
    one_sided_alpha(arguments.alpha)
    if arguments.keep and not arguments.keep.lower().endswith(SCORES[0]):
        raise ArgumentError(f"--keep {arguments.keep}: scores are kept as .csv")
    if arguments.keep:
        from poolwise.basics.writing import check_place
        from poolwise.pool.label_files import OTHER_FILE, Held, LabelFile

        check_place(arguments.keep)
        LabelFile(arguments.keep, Held, way=OTHER_FILE).check()
    measures = [measure for _, measure in wanted_measures(arguments, ("nDCG@10",))]
    baseline, candidate = (GateSide(path, arguments) for path in (arguments.baseline, arguments.candidate))
    if baseline.sampled or candidate.sampled:
        gates = gates_of_sample(baseline, candidate, measures, arguments)
    else:
        _note_unjudged(baseline, candidate, arguments)
        gates = [_gate(baseline, candidate, measure, arguments) for measure in measures]
    show(ShownGates(gates), form, arguments.output)
    code = max((CODES[each.verdict] for each in gates), key=[0, 3, 1].index)
    if arguments.keep and code == CODES["worse"]:
        print(
            f"poolwise: note: {arguments.keep} not written, as a candidate that is worse is no baseline",
            file=sys.stderr,
        )
    elif arguments.keep:
        _keep(candidate, measures, arguments.keep)
    return code


def _note_unjudged(baseline: GateSide, candidate: GateSide, arguments: Namespace) -> None:
    """Say of judgments that are taken for complete what is not judged, and that nothing is estimated."""
    from poolwise.pool.coverage import nearly_all_words

    notes = [nearly_all_words(side.pool.judgments) for side in (baseline, candidate) if not side.kept]
    if arguments.predictions:
        notes.append("--predictions are not used: judgments are not a sample, and nothing is estimated")
    for note in dict.fromkeys(filter(None, notes)):
        print(f"poolwise: note: {note}", file=sys.stderr)


def _gate(baseline: GateSide, candidate: GateSide, measure: Measure, arguments: Namespace) -> Gate:
    from poolwise.comparisons.non_inferiority import gate

    first, second = baseline.of(measure), candidate.of(measure)
    topics = [topic for topic in first if topic in second]
    if len(topics) < max(len(first), len(second)):
        left = max(len(first), len(second)) - len(topics)
        print(
            f"poolwise: note: {counted(left, 'topic')} that only one side has {'is' if left == 1 else 'are'} left out",
            file=sys.stderr,
        )
    outside = _outside(baseline, candidate, measure)
    holes = outside[0] if outside else (baseline.holes(measure), candidate.holes(measure))
    best = candidate.of(measure, bounds=True) if not outside and holes[1] else None
    worst = None if outside else lowest_differences(baseline, candidate, measure, arguments)
    return gate(
        [first[topic] for topic in topics],
        [second[topic] for topic in topics],
        margin=arguments.margin,
        alpha=arguments.alpha,
        names=(baseline.name, candidate.name),
        measure=str(measure),
        holes=holes,
        best=None if best is None else [best[topic] for topic in topics],
        worst=None if worst is None else [worst.get(topic, second[topic] - first[topic]) for topic in topics],
        sampled=outside[1] if outside else None,
        estimated=baseline.estimated or candidate.estimated,
    )


def _outside(
    baseline: GateSide, candidate: GateSide, measure: Measure
) -> tuple[tuple[float, float], SampledLabels] | None:
    """Of estimates by topic that were kept: shares outside the pool, and how far these could move the difference."""
    from poolwise.comparisons.non_inferiority import SampledLabels

    (first, down, up), (second, fall, rise) = baseline.outside(measure), candidate.outside(measure)
    if not max(first, second) > 0:
        return None
    return (first, second), SampledLabels(fall=fall + up, rise=rise + down)


def _keep(candidate: GateSide, measures: Sequence[Measure], path: str) -> None:
    """Write the candidate's scores by topic, as `poolwise score -q` does."""
    from poolwise.basics.rows import csv_text
    from poolwise.pool.label_files import OTHER_FILE, Held, LabelFile

    ends = {measure: candidate.ends(measure) for measure in measures}  # so that the next verdict allows for these
    names = ("run", "measure", "topic", "value", *(("low", "high", "interval") if any(ends.values()) else ()))
    rows = [
        (candidate.name, str(measure), topic, value, *ends[measure].get(topic, (value, value)), BOUNDS)[: len(names)]
        for measure in measures
        for topic, value in candidate.of(measure).items()
    ]
    text = csv_text(names, rows)
    LabelFile(path, Held, way=OTHER_FILE).write([text.encode("utf-8", "surrogateescape")])


class ShownGates(Shown):
    """Verdicts by one or several measures."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self.gates = gates

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure."""
        from poolwise.basics.rows import rows_of

        return tuple(self.gates[0].columns()), [row for each in self.gates for row in rows_of(each.columns())]

    def tables(self) -> list[Table]:
        """One table with a row per measure."""
        from poolwise.show.parts import Table

        baseline, candidate = self.gates[0].baseline, self.gates[0].candidate
        if baseline == candidate:  # the same name at another time
            baseline, candidate = f"{baseline} before", f"{candidate} now"
        names = {
            "measure": "measure", "baseline_mean": baseline, "candidate_mean": candidate,
            "difference": "difference", "low": "from", "high": "to",
            **({} if self.gates[0].wins is None else {"wins": "wins", "losses": "losses", "ties": "ties"}),
            "verdict": "verdict",
        }  # fmt: skip
        return [Table("Gate", {words: [getattr(g, name) for g in self.gates] for name, words in names.items()})]

    def text(self) -> str:
        """The table and the verdict in words."""
        return super().text() + "\n" + "\n".join(self.sentences()) + "\n"

    def sentences(self) -> list[str]:
        """The verdict in words, and the share of documents that nobody judged."""
        headlines = [f"{each.headline()}." for each in self.gates]
        headlines += [_percent(each) for each in self.gates if any(each.holes or ())]
        return list(dict.fromkeys(headlines))


def _percent(gate: Gate) -> str:
    what = "outside the pool" if gate.sampled else "unjudged"
    shares = zip(gate.holes or (), (gate.baseline, gate.candidate), strict=False)
    shares_text = " and ".join(f"{100 * share:.1f} % ({name})" for share, name in shares if share is not None)
    return f"Of the top documents {shares_text} are {what}."
