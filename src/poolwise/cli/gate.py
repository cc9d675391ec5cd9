"""`poolwise gate`."""

from __future__ import annotations

import sys

from poolwise.cli.options import add_columns, add_measures, columns_given, unjudged_label, wanted_measures
from poolwise.cli.output import add_output, chosen_format, show
from poolwise.errors import ArgumentError, InputError
from poolwise.results import unwarned
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.compare.no_worse import Gate
    from poolwise.score.measure import Measure
    from poolwise.score.scores import Scores
    from poolwise.show.items import Table

EXAMPLE = "poolwise gate last-scores.csv candidate.txt --qrels qrels.txt -m nDCG@10 --margin 0.01"
CODES = {"no worse": 0, "worse": 1, "cannot tell": 3}
SCORES = (".csv", ".tsv")  # endings of a file of scores that was kept


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("baseline", metavar="BASELINE", help="the run to hold against, or scores kept by --keep")
    parser.add_argument("candidate", metavar="CANDIDATE", help="the run that must not be worse, or its scores")
    parser.add_argument("--qrels", metavar="QRELS", help="judgments; needed unless both are files of scores")
    parser.add_argument(
        "--margin", type=float, default=0.01, metavar="M", help="how much worse is still good enough (default 0.01)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="A", help="error of each one-sided test (default 0.05)"
    )
    parser.add_argument(
        "--keep",
        metavar="FILE",
        help="write the candidate's scores unless it is worse: a baseline for next time (.csv)",
    )
    parser.add_argument(
        "--unjudged", metavar="LABEL", default="-1", help="label that means pooled, not judged (-1), negative, or none"
    )
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
    form = chosen_format(arguments, ShownGates, "table")
    if arguments.keep and not arguments.keep.lower().endswith(SCORES[0]):
        raise ArgumentError(f"--keep {arguments.keep}: scores are kept as .csv")
    measures = [measure for _, measure in wanted_measures(arguments, ("nDCG@10",))]
    baseline, candidate = (_Side(path, arguments) for path in (arguments.baseline, arguments.candidate))
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


def _holds_scores(path: str, columns: Mapping[str, str]) -> bool:
    """Whether a table is of scores by topic; one of runs has a column of documents."""
    from poolwise.read.column_names import DOCUMENT
    from poolwise.read.text_files import numbered_lines

    first = next((line for _, line in numbered_lines(path)), "")
    mark = next((mark for mark in ("\t", ";") if mark in first), ",")
    documents = {*DOCUMENT, columns.get("document", DOCUMENT[0]).lower()}
    return not any(cell.strip(' "').lower() in documents for cell in first.split(mark))


class _Side:
    """One of the two: a run with judgments, or scores of an earlier time."""

    def __init__(self, path: str, arguments: Namespace) -> None:
        self.path, columns = path, columns_given(arguments.columns)
        self.kept = path.lower().endswith(SCORES) and _holds_scores(path, columns or {})
        if self.kept:
            from poolwise.score.scores import Scores

            self.scores = Scores.from_csv(path)
            self.name = self._only_run(self.scores)
            return
        if not arguments.qrels:
            raise ArgumentError(f"{path}: a run needs judgments; give --qrels QRELS")
        from poolwise.campaign import read
        from poolwise.judge.judgments import POOLED

        unjudged = unjudged_label(arguments.unjudged)
        options = {"depth": arguments.depth, "threads": arguments.threads, "columns": columns}
        self.pool = read(arguments.qrels, path, unjudged=unjudged, **options)
        if (self.pool.judgments.classes == POOLED).any():
            raise InputError(
                f"{arguments.qrels}: a sample, as some pooled documents have no label; a gate compares plain scores, "
                "which count these as non-relevant. Write estimates by topic (estimate QRELS RUN -q -o FILE.csv), "
                "one file per side, and give these; or say --unjudged none if -1 is a label like others"
            )
        self.name = self._only_run(self.pool)

    def _only_run(self, holder: Any) -> str:
        if len(holder.runs) != 1:
            raise InputError(f"{self.path}: {len(holder.runs)} runs found; a gate takes one on each side")
        return str(holder.runs[0])

    def of(self, measure: Measure, bounds: bool = False) -> dict[str, float]:
        """Score by topic; with `bounds` the highest that unjudged documents allow."""
        from poolwise.score.matrix import measure_of

        scores = self.scores if self.kept else self._scored(measure, bounds)
        try:
            name = measure_of(scores, measure)
        except ArgumentError:
            raise InputError(f"{self.path}: no scores by {measure}; it has {', '.join(scores.measures)}") from None
        values = (scores.high(name) if bounds else scores.array(name))[0]
        return dict(zip(scores.topics, values.tolist(), strict=True))

    def _scored(self, measure: Measure, bounds: bool) -> Scores:
        return self.pool.score(measure, interval="bounds" if bounds else None)

    def holes(self, measure: Measure) -> float:
        """The share of the top documents that is unjudged."""
        cutoff = measure.cutoff or 100
        with unwarned():
            return 1.0 - float(self.pool.score(f"Judged@{cutoff}", missing="skip").means()[0, 0])


def _gate(baseline: _Side, candidate: _Side, measure: Measure, arguments: Namespace) -> Gate:
    from poolwise.compare.no_worse import gate

    first, second = baseline.of(measure), candidate.of(measure)
    topics = [topic for topic in first if topic in second]
    if len(topics) < max(len(first), len(second)):
        left = max(len(first), len(second)) - len(topics)
        print(f"poolwise: note: {left} topics that only one side has are left out", file=sys.stderr)
    holes = None if baseline.kept or candidate.kept else (baseline.holes(measure), candidate.holes(measure))
    best = candidate.of(measure, bounds=True) if holes and holes[1] > 0 else None
    return gate(
        [first[topic] for topic in topics],
        [second[topic] for topic in topics],
        margin=arguments.margin,
        alpha=arguments.alpha,
        names=(baseline.name, candidate.name),
        measure=str(measure),
        holes=holes,
        best=None if best is None else [best[topic] for topic in topics],
    )


def _keep(candidate: _Side, measures: Sequence[Measure], path: str) -> None:
    """Write the candidate's scores by topic, as `poolwise score -q` does."""
    from poolwise.read.whole_files import write_text
    from poolwise.rows import csv_text

    rows = [
        (candidate.name, str(measure), topic, value)
        for measure in measures
        for topic, value in candidate.of(measure).items()
    ]
    write_text(path, csv_text(("run", "measure", "topic", "value"), rows))


class ShownGates(Shown):
    """Verdicts by one or several measures."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self.gates = gates

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure."""
        from poolwise.rows import rows_of

        return tuple(self.gates[0].columns()), [row for each in self.gates for row in rows_of(each.columns())]

    def tables(self) -> list[Table]:
        """One table with a row per measure."""
        from poolwise.show.items import Table

        baseline, candidate = self.gates[0].baseline, self.gates[0].candidate
        if baseline == candidate:  # the same name at another time
            baseline, candidate = f"{baseline} before", f"{candidate} now"
        names = {
            "measure": "measure", "baseline_mean": baseline, "candidate_mean": candidate,
            "difference": "difference", "low": "from", "high": "to", "wins": "wins", "losses": "losses", "ties": "ties",
            "verdict": "verdict",
        }  # fmt: skip
        return [Table("Gate", {words: [getattr(g, name) for g in self.gates] for name, words in names.items()})]

    def text(self) -> str:
        """The table and the verdict in words."""
        said = [f"{each.headline()}." for each in self.gates]
        unjudged = [f"{_percent(each)} unjudged." for each in self.gates if each.holes and max(each.holes) > 0]
        return super().text() + "\n" + "\n".join([*said, *dict.fromkeys(unjudged)]) + "\n"


def _percent(gate: Gate) -> str:
    first, second = gate.holes or (0.0, 0.0)
    return f"Of the top documents {100 * first:.1f} % ({gate.baseline}) and {100 * second:.1f} % ({gate.candidate}) are"
