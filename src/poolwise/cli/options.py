"""Options that several commands share, and what they mean."""

from __future__ import annotations

from poolwise.cli.arguments import unjudged_label
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.measures.measure import Measure
    from poolwise.scores.scores import Scores

COMMA = r',(?=(?:[^"]*"[^"]*")*[^"]*$)'  # one with an even number of quotes behind it stands in none


def add_columns(parser: Parser) -> None:
    """--columns."""
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,...",
        help="what columns of tables are called, as in topic=query,label=grade, in double quotes where a comma is part "
        "of the name; or their numbers, without a header",
    )  # fmt: skip


def columns_given(text: str | None) -> dict[str, str] | None:
    """Read `name=column,...`; predictions may have several columns of values, which keep their quotes.

    >>> columns_given("topic=query,label=grade"), columns_given("value=gpt,llama,topic=query")
    ({'topic': 'query', 'label': 'grade'}, {'value': 'gpt,llama', 'topic': 'query'})
    >>> columns_given('label="grade, mean",value="first, mean",gpt')
    {'label': 'grade, mean', 'value': '"first, mean",gpt'}
    """
    if not text:
        return None
    import re

    columns: dict[str, str] = {}
    last = ""
    for part in re.split(COMMA, text):
        name, mark, column = (word.strip() for word in part.partition("="))
        if last == "value" and name and (not mark or name.startswith('"')):
            columns[last] += f",{part.strip()}"
            continue
        if not (name and mark and column):
            raise ArgumentError(
                f"--columns {text!r}: give names and columns, as in topic=query,label=grade; a column with a comma in "
                "its name stands in double quotes"
            )
        columns[name], last = column if name == "value" else column.strip('"'), name
    return columns


def columns_of_runs(arguments: Namespace) -> dict[str, str] | None:
    """Names of the columns of judgments and runs: --columns without those that only predictions and costs have."""
    columns = columns_given(arguments.columns)
    if columns is None or not hasattr(arguments, "predictions"):
        return columns
    others = list(arguments.predictions or ())
    if "value" in columns and not others:
        raise ArgumentError("--columns value=... says what the value of --predictions is called; name these, too")
    if hasattr(arguments, "cost"):
        others += [arguments.cost] if arguments.cost else []
        if columns.pop("cost", None) and not arguments.cost:
            raise ArgumentError("--columns cost=... says what the column of --cost is called; name its file, too")
    from poolwise.reading.columns import of_runs

    of_both = of_runs(columns)
    if of_both is None or not others:
        return of_both
    from poolwise.reading.named_columns import without_others

    qrels = getattr(arguments, "qrels", None) or getattr(arguments, "pilot", None)
    runs = getattr(arguments, "runs", None) or [arguments.baseline, arguments.candidate]
    return without_others(of_both, qrels, runs, others) or None


def spelled_pairs(pairs_asked: list[list[str]] | None, runs: Sequence[str]) -> list[tuple[str, str]] | None:
    """Spell out `A all` and `all all`; a run against itself stays, to be refused where pairs are read."""
    if pairs_asked is None:
        return None
    pairs: list[tuple[str, str]] = []
    for a, b in pairs_asked:
        first = runs if a == "all" else [a]
        second = runs if b == "all" else [b]
        order = {run: number for number, run in enumerate(runs)}
        if "all" not in (a, b):
            pairs.append((a, b))
            continue
        pairs += [(x, y) for x in first for y in second if x != y and (a != b or order[x] < order[y])]
    return list(dict.fromkeys(pairs))


DEFAULT_MEASURES = ("AP", "nDCG", "nDCG@10", "bpref", "P@10", "Judged@10")
LEVEL = 0.95  # of intervals, unless --level is given


def add_input(parser: Parser, scores: bool = False, alone: bool = False, lenient: bool = False) -> None:
    """QRELS, RUN... and how they are read; or with `scores` a file of scores alone; `alone` lets QRELS stand alone.

    `lenient`: what is wrong with runs does not end the command unless that is asked for.
    """
    instead = "; or, without RUN, a file of scores: run,measure,topic,value, or topics x runs" if scores else ""
    parser.add_argument(
        "qrels", metavar="QRELS",
        help="judgments: a TREC file, three columns, CSV, TSV, JSON, JSON lines, Parquet, compressed or not, an id of "
        f"ir_datasets, or -{instead}",
    )  # fmt: skip
    add_runs(parser, needed=not (scores or alone), lenient=lenient)
    parser.add_argument(
        "--unjudged", metavar="LABEL", default="-1", help="label that means pooled, not judged (-1), negative, or none"
    )
    parser.add_argument(
        "--subtopics", action="store_true",
        help="the second column of QRELS names subtopics; measures of diversity, as alpha_nDCG@10, ask for it",
    )  # fmt: skip
    parser.add_argument(
        "--prels", action="store_true",
        help="QRELS has lines of topic, document, label, method, probability to be judged; for statAP",
    )  # fmt: skip


def add_runs(parser: Parser, needed: bool = True, lenient: bool = False) -> None:
    """RUN... and how they are read."""
    words = "runs: TREC files, three columns, CSV, TSV, JSON, JSON lines, Parquet, directories, quoted globs"
    if needed:
        parser.add_argument("runs", metavar="RUN", nargs="+", unless="--runs-from", help=words)
    else:
        parser.add_argument("runs", metavar="RUN", nargs="*", help=words)
    parser.add_argument("--runs-from", metavar="FILE", help="a file that names runs, one path a line")
    add_columns(parser)
    parser.add_argument(
        "--duplicates",
        choices=("error", "first"),
        default="first" if lenient else "error",
        help="repeated documents: refuse, or keep the first" + (" (the default here)" if lenient else ""),
    )
    parser.add_argument(
        "--nan", choices=("error", "last"), default="error", help="scores that are NaN: refuse, or rank them last"
    )
    parser.add_argument(
        "--bad-runs", choices=("error", "skip"), default="skip" if lenient else "error",
        help="runs that cannot be read: refuse, or leave them out, say which and why, and exit with status 3"
        + (" (the default here)" if lenient else ""),
    )  # fmt: skip
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: every core allowed)")


def predictions_given(arguments: Namespace) -> Any:
    """Files of --predictions, with what their columns are called; None without any."""
    if not arguments.predictions:
        return None
    from poolwise.reading.predictions import renamed

    faults = (getattr(arguments, name, "error") for name in ("duplicates", "nan"))
    return renamed(arguments.predictions, columns_given(arguments.columns), *faults)


def costs_given(arguments: Namespace) -> Any:
    """The file of --cost, with what its columns are called; None without any."""
    if arguments.cost is None:
        return None
    from poolwise.reading.predictions import renamed_costs

    return renamed_costs(arguments.cost, columns_given(arguments.columns))


def add_predictions(parser: Parser, words: str = "predicted labels:", default: list[str] | None = None) -> None:
    """--predictions, with what they are for."""
    parser.add_argument(
        "--predictions", action="append", metavar="FILE", default=default,
        help=f"{words} lines of topic document value, qrels, a run, CSV, JSON lines or Parquet (of a table "
        "`--columns value=A,B` names the columns with values); may be repeated",
    )  # fmt: skip


def add_level(parser: Parser, of: str = "the intervals") -> None:
    """--level."""
    parser.add_argument("--level", type=float, default=LEVEL, metavar="L", help=f"level of {of} ({LEVEL})")


def add_topic_groups(parser: Parser) -> None:
    """--groups, of topics."""
    parser.add_argument(
        "--groups", metavar="FILE",
        help="lines of topic and group: show runs per group of topics, with simultaneous intervals, and whether runs "
        "and groups interact",
    )  # fmt: skip


def add_dask(parser: Parser) -> None:
    """--dask."""
    parser.add_argument(
        "--dask", metavar="ADDRESS", help="work on the Dask cluster of this scheduler, or local: one on this machine"
    )


def add_measures(parser: Parser, default: str = " ".join(DEFAULT_MEASURES), *, any_measure: bool = True) -> None:
    """-m, --plugin and trec_eval's habits; without `any_measure` only what holds for measures that can be estimated."""
    parser.add_argument(
        "-m", "--measure", action="append", metavar="MEASURE", dest="measures",
        help=f"a measure, as in nDCG@10, AP(rel=2) or map; may be repeated (default: {default})",
    )  # fmt: skip
    if any_measure:
        parser.add_argument(
            "--plugin", action="append", metavar="MODULE:NAME", default=[], help="a measure of your own"
        )
    parser.add_argument(
        "--define", action="append", metavar="FILE", default=[], help="measures with names of their own"
    )
    parser.add_argument("-l", "--rel", type=float, metavar="LABEL", help="lowest relevant label (trec_eval -l)")
    parser.add_argument("-M", "--depth", type=int, metavar="K", help="cut every ranking at K documents (trec_eval -M)")
    if any_measure:
        parser.add_argument("-J", "--judged-only", action="store_true", help="condense every list (trec_eval -J)")


def read_input(
    arguments: Namespace,
    documents: Literal["all", "judged"] = "judged",
    duplicates: Literal["error", "first"] | None = None,
    dask: str | None = None,
) -> Campaign:
    """Read what QRELS and RUN name; with the address of a Dask cluster its workers read the runs."""
    more = {"documents": documents, **({"duplicates": duplicates} if duplicates else {})}
    if dask is None:
        return read_runs_with(arguments, arguments.qrels, **more)
    from poolwise.basics.dask_workers import connect

    with connect(dask, arguments.threads) as executor:
        return read_runs_with(arguments, arguments.qrels, executor=executor, **more)


def read_runs_with(arguments: Namespace, qrels: Any, **more: Any) -> Campaign:
    """Read judgments and what RUN names, and note whether runs were left out."""
    import sys

    from poolwise.campaign.campaign import read

    paths = run_paths(arguments)
    options = {**reading_options(arguments), "threads": arguments.threads, **more}
    if sys.stderr.isatty():
        from poolwise.cli.output import progress

        with progress("reading runs") as advance:
            pool = read(qrels, *paths, progress=advance, **options)
    else:
        pool = read(qrels, *paths, **options)
    arguments.left_out = pool.left_out
    return pool


def reading_options(arguments: Namespace) -> dict[str, Any]:
    """How judgments and runs are read, as `read` and `score_stream` take it."""
    return {
        "unjudged": unjudged_label(arguments.unjudged),
        "duplicates": arguments.duplicates,
        "depth": getattr(arguments, "depth", None),
        "nan": arguments.nan,
        "bad_runs": arguments.bad_runs,
        "columns": columns_of_runs(arguments),
        "subtopics": getattr(arguments, "subtopics", False),
        "prels": getattr(arguments, "prels", False),
    }


def given_scores(arguments: Namespace) -> tuple[Scores, dict[str, str]] | None:
    """The scores of a file that stands alone, where runs are not named, and the measures asked for (all) by name."""
    if arguments.runs or arguments.runs_from:
        return None
    from poolwise.scores.scores import Scores

    scores = Scores.from_csv(arguments.qrels)
    wanted: dict[str, str] = {}
    for text in arguments.measures or scores.measures:
        found = {text: text} if text in scores.measures else asked_names(_expanded([text], arguments))
        wanted |= {measure: name for measure, name in found.items() if measure not in wanted}
    return scores, wanted


def run_paths(arguments: Namespace) -> list[str]:
    """Paths of runs from the command line and from --runs-from, which is read once: it may be a pipe."""
    if arguments.runs_from:
        from poolwise.reading.opening import numbered_lines

        arguments.runs = [*arguments.runs, *(line for _, line in numbered_lines(arguments.runs_from))]
        arguments.runs_from = None
    if not arguments.runs:
        raise ArgumentError("no run was given; name run files, a directory, or --runs-from FILE")
    for word in arguments.runs:
        if isinstance(word, str):  # else runs by name, when some were left out
            _refuse_measure(word)
    return list(arguments.runs)


def _refuse_measure(word: str) -> None:
    """ir-measures takes measures after the runs; here they would be taken for files."""
    if "." in word or "/" in word or word == "-":
        return
    from os.path import exists

    from poolwise.measures.registry import parse

    if exists(word):
        return
    try:
        parse(word)
    except ArgumentError:
        return
    raise ArgumentError(f"{word}: no such file, but a measure; measures are given by -m: -m {word}")


def wanted_measures(arguments: Namespace, default: Sequence[str] = DEFAULT_MEASURES) -> list[tuple[str, Measure]]:
    """The measures asked for, each with the name it was asked by."""
    return _expanded(arguments.measures or default, arguments)


def asked_names(wanted: Sequence[tuple[str, Measure]], as_is: bool = False) -> dict[str, str]:
    """The name by which each measure was requested, for output, by its canonical name, for files.

    What -l or -J made another measure of has our own name, which says so: AP(rel=2) and not AP; unless `as_is`, for
    lines as trec_eval prints them.
    """
    names: dict[str, str] = {}
    for name, measure in wanted:
        names.setdefault(str(measure), name if as_is or _stands_for(name, measure) else str(measure))
    return names


def _stands_for(name: str, measure: Measure) -> bool:
    """Whether a name denotes exactly this measure."""
    from poolwise.measures.registry import expand

    return any(each == measure for _, each in expand(name))


def _expanded(texts: Sequence[str], arguments: Namespace) -> list[tuple[str, Measure]]:
    for plugin in getattr(arguments, "plugin", ()):
        from poolwise.cli.measures import load_plugin

        load_plugin(plugin)
    for path in arguments.define:
        from poolwise.measures.own_measures import load_measures

        load_measures(path)
    pairs = [pair for text in texts for pair in measures_of(text)]
    if any(measure.declaration.subtopics for _, measure in pairs):
        arguments.subtopics = True
    if getattr(arguments, "judged_only", False):
        _warn_of_full_lists([measure for _, measure in pairs])
    return [(name, _adapted(measure, arguments)) for name, measure in pairs]


def measures_of(text: str) -> list[tuple[str, Measure]]:
    """The measures of one -m; several between blanks or commas are known where the whole is no measure."""
    from poolwise.measures.registry import expand

    try:
        return expand(text)
    except ArgumentError:
        parts = text.replace(",", " ").split()
        if len(parts) < 2 or "(" in text or "." in text:
            raise
        return [pair for part in parts for pair in expand(part)]


def _warn_of_full_lists(measures: list[Measure]) -> None:
    """Say which measures -J does not reach, of those that look at unjudged documents."""
    from poolwise.basics.results import warn_of
    from poolwise.measures.measure import ESTIMATED, REPORTED

    full = [
        str(measure)
        for measure in measures
        if measure.declaration.unjudged in (ESTIMATED, REPORTED) and not measure.declaration.judged_only
    ]
    if full:
        warn_of([f"-J leaves {', '.join(full)} on full lists: unjudged documents are what they look at"])


def _adapted(measure: Measure, arguments: Namespace) -> Measure:
    """Apply -l and -J, unless the measure says otherwise itself."""
    if arguments.rel is not None and measure.parameters.get("rel") == 1:
        measure = measure(rel=arguments.rel)
    if getattr(arguments, "judged_only", False) and measure.declaration.judged_only:
        measure = measure.on_judged_only()
    return measure.require()
