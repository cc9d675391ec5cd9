"""`poolwise trec_eval`: trec_eval's arguments, and what it prints, to the byte."""

from __future__ import annotations

import sys

from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

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
    from poolwise.cli.trec_printing import printed
    from poolwise.measures.trec_lines import lines_of
    from poolwise.reading.problems import KEEP_FIRST

    lines = lines_of(arguments.measures or ["official"], arguments.level, arguments.judged_only, arguments.collection)
    try:
        deliver(printed(arguments, lines), None)
    except InputError as error:  # what is advised there is an option of other commands
        raise InputError(str(error).replace(KEEP_FIRST, KEEP_FIRST_THERE)) from error
    return 0


def _check(arguments: Namespace) -> None:
    if arguments.results is None:
        raise ArgumentError("two files are needed: trec_eval [options] rel_info_file results_file")
    for given, known in ((arguments.qrels_format, "qrels"), (arguments.run_format, "trec_results")):
        if given != known:
            raise InputError(f"format {given!r} is not here; the one format is {known!r}")
