"""`poolwise trec_eval`: trec_eval's arguments, and what it prints, to the byte."""

from __future__ import annotations

import sys

from poolwise.basics.settings import thread_count
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.joining import join
from poolwise.pool.judgments import POOLED, Judgments
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.reading.run_text import kept_on_disk, run_tag
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.measures.other_names import TrecEvalLine

MISSING = -1000000.0  # the z score of what has none
WIDTH = 22  # letters of the column of measures, as trec_eval prints it


def printed(arguments: Namespace, lines: list[TrecEvalLine]) -> Iterator[str]:
    """Read the files, and give what trec_eval prints, line by line."""
    with kept_on_disk(arguments.results) as results:
        yield from _Evaluation(arguments, lines, results).text()


class _Evaluation:
    """One run on the topics that count, in trec_eval's order."""

    def __init__(self, arguments: Namespace, lines: list[TrecEvalLine], results: str) -> None:
        options = ReadingOptions("negative", depth=arguments.depth)
        self.pool = join(Pool, arguments.qrels, (results,), options, whole=False)
        if len(self.pool.runs) > 1:
            raise InputError(f"{arguments.results}: holds {len(self.pool.runs)} runs; trec_eval takes one")
        self.arguments, self.lines, self.results = arguments, lines, results
        self.judgments = Judgments(self.pool)
        self.z_scores = _z_scores(arguments.zscores)
        measures = [line.measure for line in lines if line.measure is not None]
        scored = score_values(self.pool, measures, [self.judgments], thread_count(None)).tolist() if measures else [[]]
        self.scores: list[list[float]] = [of_the_run for (of_the_run,) in scored[0]]  # measures x topics

    def text(self) -> Iterator[str]:
        """Rows of topics, then those of all."""
        totals = [0.0] * len(self.scores)
        topics = self._topics()
        if not topics:
            raise InputError("no queries with both results and relevance info; check that both files belong together")
        for topic in topics:
            values = self._values(topic)
            totals = [total + value for total, value in zip(totals, values, strict=True)]
            if self.arguments.per_topic:
                yield from self._rows(self.pool.topics[topic], iter(values), topic)
        if not self.arguments.no_summary:
            yield from self._rows("all", iter(self._summary(totals, len(topics))), None)

    def _topics(self) -> list[int]:
        """Topics that count, in byte-wise order of their names."""
        retrieved = self.pool.retrieved().tolist()[0]
        only = (self.arguments.debug or "").partition(".")[2]
        topics = [topic for topic in range(len(self.pool.topics)) if retrieved[topic] or self.arguments.complete]
        if only:
            topics = [topic for topic in topics if self.pool.topics[topic] == only]
        return sorted(topics, key=lambda topic: self.pool.topics[topic].encode("utf-8", "surrogateescape"))

    def _values(self, topic: int) -> list[float]:
        """The terms that a topic adds to each measure, as z scores if these are asked for."""
        values = []
        lines = [line for line in self.lines if line.measure is not None]
        for line, scores in zip(lines, self.scores, strict=True):
            value = line.measure.declaration.aggregate.term(scores[topic])  # type: ignore[union-attr]
            values.append(self._z_score(self.pool.topics[topic], line.name, value))
        return values

    def _z_score(self, topic: str, name: str, value: float) -> float:
        if self.z_scores is None or name == "num_q":
            return value
        mean, deviation = self.z_scores.get((topic, name), (0.0, 0.0))
        if (topic, name) not in self.z_scores:
            return MISSING
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else MISSING

    def _summary(self, totals: list[float], topics: int) -> list[float]:
        measures = [line.measure for line in self.lines if line.measure is not None]
        return [
            measure.declaration.aggregate.finish(total, topics) for measure, total in zip(measures, totals, strict=True)
        ]

    def _rows(self, name: str, values: Iterator[float], topic: int | None) -> Iterator[str]:
        for line in self.lines:
            value = next(values) if line.measure is not None else None
            if line.summary_only and topic is not None:
                continue
            if value is not None:
                yield self._row(line, name, value)
            elif line.name == "runid":
                yield _shown("", line.name, name, run_tag(self.results))
            elif topic is not None:
                yield _shown("", line.name, name, f"'{self._label_string(topic, line.length)}'")

    def _row(self, line: TrecEvalLine, topic: str, value: float) -> str:
        if self.z_scores is not None:
            return _shown("Z", line.name, topic, f"{value:6.4f}")
        return _shown("", line.name, topic, str(int(value)) if line.is_count else f"{value:6.4f}")

    def _label_string(self, topic: int, length: int) -> str:
        """The labels of the first documents, one character each."""
        begin, retrieved = self.pool.offsets()[topic], self.pool.retrieved()[0, topic]
        ranked = zip(*self.pool.known(0, topic), strict=True)
        known = {rank: self.judgments.buffer[begin + document] for rank, document in ranked}
        if self.arguments.judged_only:
            return "".join(_character(known[rank]) for rank in sorted(known) if known[rank] != POOLED)[:length]
        return "".join(_character(known.get(rank)) for rank in range(1, min(length, retrieved) + 1))


def _character(label: int | None) -> str:
    if label is None:
        return "-"
    if label == POOLED:
        return "."
    return str(label) if label <= 9 else ">"


def _shown(mark: str, name: str, topic: str, value: str) -> str:
    return f"{mark}{name:<{WIDTH}}\t{topic}\t{value}\n"


def _z_scores(path: str | None) -> dict[tuple[str, str], tuple[float, float]] | None:
    if path is None:
        return None
    from poolwise.reading.run_text import read_z_scores

    return read_z_scores(path)


EXAMPLE = "poolwise trec_eval -q -m map -m ndcg_cut.10,20 qrels.txt run.txt"
USAGE_CODE, INPUT_CODE = 1, 2  # trec_eval's exit codes
VERSION = "10.0"
KEEP_FIRST_THERE = "keep the first with `poolwise score --duplicates first`, which trec_eval cannot"


def add_arguments(parser: Parser) -> None:
    """Declare the options, which are trec_eval's."""
    parser.when_too_many = "as trec_eval, this takes one run; for several: poolwise score"
    add = parser.add_argument
    add("qrels", metavar="rel_info_file", nargs="?", help="judgments, compressed or not")
    add("results", metavar="results_file", nargs="?", help="one run, compressed or not; - for standard input")
    add("-q", "--query_eval_wanted", dest="per_topic", action="store_true", help="also print every topic")
    add(
        "-m", "--measure", action="append", metavar="MEASURE", dest="measures",
        help="a measure or nickname (official, the default, set, all_trec), with parameters: P.5,10 ndcg.1=3,2=9",
    )  # fmt: skip
    add(
        "-c", "--complete_rel_info_wanted", dest="complete", action="store_true",
        help="average over all topics of the judgments; those that the run lacks count 0",
    )  # fmt: skip
    add("-l", "--level_for_rel", dest="level", type=int, default=1, metavar="NUM", help="lowest relevant label (1)")
    add("-n", "--nosummary", dest="no_summary", action="store_true", help="do not print the rows of all topics")
    add("-J", "--Judged_docs_only", dest="judged_only", action="store_true", help="leave unjudged documents out")
    add("-M", "--Max_retrieved_per_topic", dest="depth", type=int, metavar="NUM", help="cut rankings at NUM documents")
    add(
        "-N", "--Number_docs_in_coll", dest="collection", type=int, metavar="NUM",
        help="documents in the collection, which utility may ask for",
    )  # fmt: skip
    add(
        "-Z",
        "--Zscore",
        dest="zscores",
        metavar="FILE",
        help="print z scores, from lines of topic measure mean deviation",
    )
    add("-D", "--Debug_level", dest="debug", metavar="NUM[.TOPIC]", help="evaluate TOPIC alone; NUM is read over")
    add("-R", "--Rel_info_format", dest="qrels_format", default="qrels", metavar="FORMAT", help="qrels alone")
    add(
        "-T",
        "--Results_format",
        dest="run_format",
        default="trec_results",
        metavar="FORMAT",
        help="trec_results, no other",
    )
    add("-o", "--Output_old_results_format", dest="old", action="store_true", help="read over, as in trec_eval")
    add("-v", "--version", dest="version", action="store_true", help="print the version and exit")


def run(arguments: Namespace) -> int:
    """Evaluate and print."""
    if arguments.version:
        from poolwise import __version__

        print(f"trec_eval version {VERSION} (poolwise {__version__})", file=sys.stderr)
        return 0
    _check(arguments)
    from poolwise.cli.output import deliver
    from poolwise.measures.other_names import lines_of
    from poolwise.reading.files import KEEP_FIRST

    lines = lines_of(arguments.measures or ["official"], arguments.level, arguments.judged_only, arguments.collection)
    try:
        deliver(printed(arguments, lines), None)
    except InputError as error:  # what is advised there is an option of other commands
        raise InputError(str(error).replace(KEEP_FIRST, KEEP_FIRST_THERE)) from error
    return 0


def _check(arguments: Namespace) -> None:
    if arguments.results is None:
        raise ArgumentError("two files are needed: trec_eval [options] rel_info_file results_file")
    for form, known in ((arguments.qrels_format, "qrels"), (arguments.run_format, "trec_results")):
        if form != known:
            raise InputError(f"format {form!r} is not here; the one format is {known!r}")
