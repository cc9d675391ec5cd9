"""`Pool`: topics, their documents, and where each run ranks them."""

from __future__ import annotations

from poolwise import _core
from poolwise.checks import choice, known_name, whole
from poolwise.errors import ArgumentError, InputError
from poolwise.read.files import raise_if, read_labels, read_runs
from poolwise.read.problems import LABEL_LINE, RUN_LINE, counted, problem
from poolwise.read.sources import check_standard_input, qrels_source, run_sources
from poolwise.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.read.sources import Source

NOT_JUDGED = -(2**31) + 2  # what plans and judgments in memory write for no label: the lowest that there is
DUPLICATES = ("error", "first")


class Pool:
    """Runs joined with the documents of the judgments and, unless told otherwise, all others they retrieved.

    `runs` and `topics` are names; runs stand in the order given, topics in numeric, then alphabetic order.
    A topic's documents are numbered: those that the judgments list first, in byte-wise order of their ids.
    """

    def __init__(self, core: _core.Pool, runs: list[str], warnings: tuple[str, ...] = ()) -> None:
        self.core = core
        self.runs = runs
        self.topics = [_decode(name) for name in core.topic_names()]
        self.warnings = warnings

    def documents(self, topic: str) -> list[str]:
        """Ids of the documents of a topic: listed in the judgments first, then retrieved only."""
        return [_decode(name) for name in self.core.document_names(self.topic_number(topic))]

    def ranking(self, run: str, topic: str) -> list[str]:
        """Ids of the documents that a run retrieved for a topic, best first."""
        if not self.core.keeps_all:
            raise ArgumentError("this pool keeps judged documents only; read it with documents='all'")
        numbers = self.core.all_documents(self.run_number(run), self.topic_number(topic))
        names = self.documents(topic)
        return [names[number] for number in numbers]

    def run_number(self, run: str) -> int:
        """Position of a run by its name."""
        return known_name("run", run, self.runs)

    def topic_number(self, topic: str) -> int:
        """Position of a topic by its name."""
        return known_name("topic", topic, self.topics)

    def best_ranks(self, runs: Sequence[str] | None = None) -> NDArray[Any]:
        """The best rank that any of the runs (all by default) gives each listed document; NO_RANK if none does."""
        import numpy

        return numpy.asarray(self.core.best_ranks(self.run_numbers(runs)))

    def run_numbers(self, runs: Sequence[str] | None = None) -> list[int]:
        """Positions of runs by their names, of all runs by default."""
        return list(range(len(self.runs))) if runs is None else [self.run_number(run) for run in runs]

    def __repr__(self) -> str:
        return f"<Pool: {len(self.runs)} runs, {len(self.topics)} topics>"


def join(
    qrels: Any,
    runs: tuple[Any, ...],
    *,
    unjudged: int | str | None = -1,
    duplicates: str = "error",
    depth: int | None = None,
    documents: str = "all",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: Any = None,
) -> tuple[_core.Pool, list[str], tuple[str, ...]]:
    """Read judgments (or None) and runs, and join them; returns the joined data, run names and warnings."""
    builder = _core.Builder(keep_all=choice("documents", documents, ("all", "judged")) == "all")
    set_options(builder, unjudged, duplicates, depth)
    labels = None if qrels is None else qrels_source(qrels)
    sources = run_sources(runs)
    check_standard_input([*sources, labels] if labels else sources)
    where = labels.where if labels else "the runs"
    if labels:
        _add_labels(builder, labels)
    if executor is not None and labels and not any(source.path == "-" for source in sources):
        from poolwise.pool.reading_workers import add_runs_spread

        add_runs_spread(builder, sources, (unjudged, duplicates, depth), executor, progress)
    else:
        _add_runs(builder, sources, thread_count(threads), progress)
    core = builder.pool()
    check_runs(core, sources, where)
    return core, [source.name for source in sources], tuple(left_out(core, sources, where))


def set_options(builder: _core.Builder, unjudged: int | str | None, duplicates: str, depth: int | None) -> None:
    """Tell the core how labels, repeated documents and depth are meant."""
    if unjudged == "negative":
        builder.set_label_rules(False, 0, True)
    elif unjudged is None:
        builder.set_label_rules(False, 0, False)
    elif isinstance(unjudged, int) and not isinstance(unjudged, bool) and -(2**31) < unjudged < 2**31:
        builder.set_label_rules(True, unjudged, False)
    else:
        raise ArgumentError(f"unjudged={unjudged!r} is not allowed; use a label, 'negative' or None")
    if choice("duplicates", duplicates, DUPLICATES) == "first":
        builder.keep_first_duplicates()
    if depth is not None:
        builder.set_depth(min(whole("depth", depth, 1), 2**31 - 1))


def _add_labels(builder: _core.Builder, source: Source) -> None:
    if source.path is not None:
        read_labels(builder, source)
    else:
        from poolwise.read.tables import add_labels

        if hasattr(source.table, "to_text"):  # a plan, or judgments of another pool
            builder.set_label_rules(True, NOT_JUDGED, False)
            raise_if(problem(builder.feed_labels(source.table.to_text(NOT_JUDGED), True), source.where, labels=True))
        else:
            add_labels(builder, source.table, source.where)
    builder.finish_labels()
    if not builder.pool().topic_names():
        raise InputError(f"{source.where}: no judgments found; {LABEL_LINE}")


def _add_runs(
    builder: _core.Builder, sources: list[Source], threads: int, progress: Callable[[int, int], None] | None
) -> None:
    builder.expect_runs(len(sources))
    files = [number for number, source in enumerate(sources) if source.path is not None]
    batch = 4 * threads if progress else max(len(files), 1)
    for begin in range(0, len(files), batch):
        some = files[begin : begin + batch]
        read_runs(builder, [sources[number] for number in some], some, threads)
        if progress:
            progress(begin + len(some), len(files))
    add_tables(builder, sources)
    builder.finish_runs()


def add_tables(builder: _core.Builder, sources: list[Source]) -> None:
    """Add the runs that are tables in memory."""
    for number, source in enumerate(sources):
        if source.path is None:
            from poolwise.read.tables import add_run

            add_run(builder, number, source.table, source.where)


def check_runs(core: Any, sources: list[Source], qrels: str) -> None:
    """Refuse runs that are empty or have no topic of the judgments."""
    for source, counts in zip(sources, core.run_counts(), strict=True):
        lines, ignored_lines = counts[0], counts[3]
        if lines == 0:
            raise InputError(f"{source.where}: the run is empty; {RUN_LINE}")
        if ignored_lines == lines:
            raise InputError(
                f"{source.where}: no topic in common with {qrels}; check that both belong to the same campaign"
            )


def left_out(core: Any, sources: list[Source], qrels: str) -> list[str]:
    """What reading passed over, in words."""
    said = []
    if core.label_blank:
        said.append(f"{qrels}: {counted(core.label_blank, 'blank line')} skipped")
    if core.label_duplicates:
        said.append(f"{qrels}: {counted(core.label_duplicates, 'repeated judgment')} ignored, the first of each kept")
    totals = [sum(counts) for counts in zip(*core.run_counts(), strict=True)]
    runs_with = [sum(map(bool, counts)) for counts in zip(*core.run_counts(), strict=True)]
    _, blank, _, lines, _, duplicates = totals
    if lines:
        topics = _some_topics([counts[4] for counts in core.run_counts() if counts[4]])
        said.append(
            f"{counted(lines, 'line')} of {topics} that {qrels} lacks ignored, in {_some_runs(runs_with[3], sources)}"
        )
    if duplicates:
        said.append(
            f"{counted(duplicates, 'repeated document')} ignored, the first of each kept, in "
            f"{_some_runs(runs_with[5], sources)}"
        )
    if blank:
        said.append(f"{counted(blank, 'blank line')} skipped, in {_some_runs(runs_with[1], sources)}")
    return said


def _some_topics(counts: list[int]) -> str:
    """How many topics; of several runs how many each has, as these may be the same."""
    if len(counts) == 1:
        return counted(counts[0], "topic")
    return f"{'up to ' if min(counts) < max(counts) else ''}{counted(max(counts), 'topic')} per run"


def _some_runs(count: int, sources: list[Source]) -> str:
    return f"{count} of {counted(len(sources), 'run')}"


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
