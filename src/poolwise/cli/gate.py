"""`poolwise gate`."""

from __future__ import annotations

import sys

from poolwise.basics.words import counted
from poolwise.cli.gate_sides import BOUNDS, SCORES, GateSide, lowest_differences, read_both
from poolwise.cli.options import (
    add_columns,
    add_measures,
    add_predictions,
    predictions_given,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, show
from poolwise.errors import ArgumentError, InputError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.comparisons.non_inferiority import Gate, SampledLabels
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Table


def gates_of_sample(
    baseline: GateSide, candidate: GateSide, measures: list[Measure], arguments: Namespace
) -> list[Gate]:
    """Gates from sampled labels: estimates of both runs from one pool, and what documents outside it leave open."""
    from poolwise.comparisons.non_inferiority import SampledLabels, gate

    for side in (baseline, candidate):
        if side.is_table:
            raise ArgumentError(
                f"{side.path}: scores of an earlier time, but {arguments.qrels} is a sample; give both runs, as their "
                "difference is estimated from the labels that they share"
            )
    if arguments.keep:
        raise ArgumentError(f"--keep {arguments.keep}: estimates from a sample are not kept; keep the run itself")
    names, pool = read_both(baseline, candidate, arguments)
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


EXAMPLE = "poolwise gate last-scores.csv candidate.txt --qrels qrels.txt -m nDCG@10 --margin 0.01"
CODES = {"no worse": 0, "worse": 1, "cannot tell": 3}  # exit statuses; 2 is that of a wrong command line


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

    notes = [nearly_all_words(side.pool.judgments) for side in (baseline, candidate) if not side.is_table]
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
    """Shares outside the pool in saved estimates, and their possible effect on the difference."""
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
    fault = "outside the pool" if gate.sampled else "unjudged"
    shares = zip(gate.holes or (), (gate.baseline, gate.candidate), strict=False)
    shares_text = " and ".join(f"{100 * share:.1f} % ({name})" for share, name in shares if share is not None)
    return f"Of the top documents {shares_text} are {fault}."
