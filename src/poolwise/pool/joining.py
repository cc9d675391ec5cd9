"""Joining judgments with runs: the one order in which a pool is made, wherever its parts come from."""

from __future__ import annotations

import os

from poolwise import _core
from poolwise.basics.settings import thread_count
from poolwise.errors import InputError, PoolwiseError
from poolwise.pool.joining_notes import faults_of_counts, passed_over
from poolwise.pool.options import ReadingOptions
from poolwise.reading.files import needed, problem, raise_if, read_labels, read_runs
from poolwise.reading.sources import Source, check_standard_input, is_stream, qrels_source, run_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from poolwise.pool.pool import Pool

    Joined = TypeVar("Joined", bound=Pool)
    Errors = dict[int, PoolwiseError]  # of bad runs, by their places
    FileState = tuple[int, int, int]
MOST, FEWEST_SCORES = 0.5, 10  # labels that differ from all others, and how many make a guess
NO_RUN_LEFT = "no run is left"
NEEDED_NOW = "documents that the judgments do not list are needed now"
LISTED = _core.RUN_COUNTS.index("listed")
NOT_JUDGED = -(2**31) + 2  # what plans and judgments in memory write for no label: the lowest that there is


class Joining:
    """A pool on its way: labels first, then runs, each in its place, then the end.

    `judgments` is a pool of labels to go on from, which stays as it is.
    """

    def __init__(self, options: ReadingOptions, keep_all: bool = False, judgments: _core.Pool | None = None) -> None:
        self.options = options
        self.builder = _core.Builder(keep_all=keep_all)
        if judgments is not None:
            self.builder.take_labels(judgments)
        options.tell(self.builder)

    def add_labels(self, add: Callable[[_core.Builder], None]) -> None:
        """Have the judgments added; runs come after."""
        add(self.builder)
        self.builder.finish_labels()

    def add_runs(self, count: int, add: Callable[[_core.Builder], Errors]) -> Errors:
        """Have so many runs added; returns the errors of those that could not be, if such are left out."""
        self.builder.expect_runs(count)
        return self.refuse(add(self.builder))

    def add_runs_of(self, pool: Pool, runs: Sequence[int]) -> None:
        """Have the rankings of another pool's runs added, by its numbers of these."""
        self.builder.expect_runs(len(runs))
        self.builder.take_runs(pool.whole, runs)

    def refuse(self, errors: Errors) -> Errors:
        """Raise the first of the errors, unless bad runs are left out."""
        if errors and not self.options.skips_bad_runs:
            raise errors[min(errors)]
        return errors

    def finish(self) -> _core.Pool:
        """The pool, after its last run."""
        self.builder.finish_runs()
        return self.builder.pool()


class RunFiles:
    """Files of runs as they were when their listed documents were read, to be read again with all documents."""

    def __init__(
        self, sources: list[Source], states: list[FileState], options: ReadingOptions, threads: int | None
    ) -> None:
        # Names are made absolute, as the working directory may be another by then.
        self._sources = [
            Source(source.name, os.path.abspath(source.path or ""), shown_name=source.where, columns=source.columns)
            for source in sources
        ]
        self._states, self._options, self._threads = states, options, threads

    def __call__(self, judgments: _core.Pool) -> _core.Pool:
        """The runs joined with the judgments of the first reading; refuses files that are not as they were."""
        self._check()
        joining = Joining(self._options, True, judgments)
        numbers = list(range(len(self._sources)))
        errors = joining.add_runs(
            len(numbers), lambda builder: read_runs(builder, self._sources, numbers, thread_count(self._threads))
        )
        self._check()  # one may have changed while it was read
        raise_if(errors[min(errors)] if errors else None)
        core = joining.finish()
        for number in judgments.changed_runs(core):
            raise self._changed(number)
        return core

    def _check(self) -> None:
        for number, (source, before) in enumerate(zip(self._sources, self._states, strict=True)):
            try:
                now = file_state(source.path or "")
            except OSError as error:
                raise InputError(
                    f"{source.where}: cannot be read again ({error.strerror}), and {NEEDED_NOW}; put the file back, or "
                    "read judgments and runs anew"
                ) from error
            if now != before:
                raise self._changed(number)

    def _changed(self, number: int) -> InputError:
        where = self._sources[number].where
        return InputError(f"{where}: has changed since it was read, and {NEEDED_NOW}; read judgments and runs anew")


def file_state(path: str) -> FileState:
    """Size, time of the last change and number of a file: one that has the same is taken for the same."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino


def file_states(paths: Sequence[str | None]) -> list[FileState] | None:
    """The states of files that can be read twice; None where one is none: a table, a pipe, a device."""
    if any(path is None or is_stream(path) or path.startswith(("/dev/", "/proc/")) for path in paths):
        return None
    try:
        return [file_state(path or "") for path in paths]
    except OSError:  # it is not there; reading says so
        return None


def join_labels(pool: Joined, qrels: Any, options: ReadingOptions) -> Joined | None:
    """Join the runs of a pool with judgments that are read anew; None where these have other topics than the pool."""
    joining, labels = Joining(options, keep_all=True), qrels_source(qrels, options.columns)
    joining.add_labels(lambda builder: _add_labels(builder, labels))
    if joining.builder.pool().topic_names() != pool.core.topic_names():
        return None
    joining.add_runs_of(pool, range(len(pool.runs)))
    return type(pool)(joining.finish(), list(pool.runs))


def join(
    kind: type[Joined],
    qrels: Any,
    runs: tuple[Any, ...],
    options: ReadingOptions,
    *,
    whole: bool | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: Any = None,
) -> Joined:
    """Read judgments (or None) and runs, and join them to a pool of a kind.

    All documents are kept if `whole`, those of the judgments alone if it is False. If it is None, the latter are kept
    where the others can be read later.
    """
    labels = None if qrels is None else qrels_source(qrels, options.columns)
    sources = run_sources(runs, columns=options.columns, judgments=labels)
    check_standard_input([*sources, labels] if labels else sources)
    if options.columns:
        from poolwise.reading.named_columns import check_given

        check_given(options.columns, qrels, runs)
    where = labels.where if labels else "the runs"
    states = file_states([source.path for source in sources]) if whole is None and labels else None
    joining = Joining(options, keep_all=states is None if whole is None else whole)
    rates: list[float] = []
    if labels and options.prels:
        joining.add_labels(lambda builder: rates.extend(_add_prels(builder, qrels, labels.where, options)))
    elif labels:
        joining.add_labels(lambda builder: _add_labels(builder, labels))
    if labels:
        _check_labels(joining.builder, labels)
    if executor is not None and labels and not any(source.path == "-" for source in sources):
        errors = joining.add_runs(
            len(sources), lambda builder: add_runs_spread(builder, sources, options, executor, progress)
        )
    else:
        errors = joining.add_runs(len(sources), lambda builder: _add_runs(joining, sources, threads, progress))
    counts = joining.builder.pool().run_counts()
    topics = joining.builder.pool().topic_names()
    errors |= joining.refuse(faults_of_counts(counts, sources, where, but=errors, topics=topics))
    kept = [number for number in range(len(sources)) if number not in errors]
    if errors:
        check_some_left(kept, errors)
        joining.builder.keep_runs(kept)
    core = joining.finish()
    left_out = {sources[number].name: str(errors[number]) for number in sorted(errors)}
    notes = [
        *(labels.notes if labels else ()),
        *left_out_words(left_out),
        *passed_over(core, len(kept), where),
        *_score_words(core, where),
    ]
    if labels and not all(counts[number][LISTED] for number in kept):
        from poolwise.pool.joining_notes import unmatched_words

        notes = [*unmatched_words(core, [sources[number] for number in kept], where), *notes]
    notes += [words for number in kept for words in sources[number].notes]
    read_again = None
    if states is not None:
        read_again = RunFiles([sources[n] for n in kept], [states[n] for n in kept], options, threads)
    return kind(core, [sources[number].name for number in kept], notes, left_out, tuple(rates), read_again)


def _score_words(core: _core.Pool, where: str) -> list[str]:
    """Refuse judgments that are a run while the runs are judgments; say it where labels look like scores of a run.

    Where a column of labels may be called score, or has no name, a file does not tell: labels with decimals that are
    mostly different are what a run has, and runs in which most documents are tied are what labels look like.
    """
    if len(core.label_values) <= MOST * max(core.label_lines, FEWEST_SCORES):
        return []
    looks = (
        f"{where}: {len(core.label_values)} of {core.label_lines} labels differ from all others, as scores of a run do"
    )
    counts = [dict(zip(_core.RUN_COUNTS, count, strict=True)) for count in core.run_counts()]
    if counts and 2 * sum(count["ties"] for count in counts) > sum(count["lines"] for count in counts):
        raise InputError(
            f"{looks}, and most documents of the runs are tied; judgments come first: are the two swapped?"
        )
    return [f"{looks}; judgments come first, then runs"]


def left_out_words(left_out: dict[str, str]) -> list[str]:
    """Say of each bad run that it was left out, and why."""
    return [f"run {name!r} is left out: {why}" for name, why in left_out.items()]


def check_some_left(kept: list[int], errors: Errors) -> None:
    """Refuse to go on when no run is left."""
    if not kept:
        raise InputError(f"{NO_RUN_LEFT}: " + "\n".join(str(errors[number]) for number in sorted(errors)))


def _add_labels(builder: _core.Builder, source: Source) -> None:
    if source.path is not None:
        read_labels(builder, source)
    elif hasattr(source.table, "to_text"):  # a plan, or judgments of another pool
        builder.set_label_rules(True, NOT_JUDGED, False)
        raise_if(problem(builder.feed_labels(source.table.to_text(NOT_JUDGED), True), source.where, labels=True))
    else:
        from poolwise.reading.tables import add_labels, add_subtopic_labels

        add = add_subtopic_labels if builder.pool().has_subtopics else add_labels
        add(builder, source.table, source.where, source.columns)


def _add_prels(builder: _core.Builder, qrels: Any, where: str, options: ReadingOptions) -> list[float]:
    """Add judgments with probabilities; returns the rates of their strata."""
    from poolwise.pool.prels import prels_lines

    text, rates = prels_lines(qrels, columns=options.columns, keep_first=options.duplicates == "first")
    raise_if(problem(builder.feed_labels(text, True), where, labels=True))
    return rates


def _check_labels(builder: _core.Builder, source: Source) -> None:
    if not builder.pool().topic_names():
        raise InputError(f"{source.where}: no judgments found; {needed(source.where, True)}")


def _add_runs(
    joining: Joining, sources: list[Source], threads: int | None, progress: Callable[[int, int], None] | None
) -> Errors:
    """Read run files, some at a time where progress is shown, then the runs that are tables."""
    files = [number for number, source in enumerate(sources) if source.path is not None]
    count = thread_count(threads)
    batch = 4 * count if progress else max(len(files), 1)
    errors: Errors = {}
    for begin in range(0, len(files), batch):
        some = files[begin : begin + batch]
        errors |= joining.refuse(read_runs(joining.builder, [sources[number] for number in some], some, count))
        if progress:
            progress(begin + len(some), len(files))
    return errors | add_tables(joining.builder, sources)


def add_tables(builder: _core.Builder, sources: list[Source]) -> Errors:
    """Add the runs that are tables in memory."""
    errors: Errors = {}
    for number, source in enumerate(sources):
        if source.path is None:
            from poolwise.reading.tables import add_run

            try:
                source.notes += add_run(builder, number, source.table, source.where, source.columns)
            except InputError as error:
                errors[number] = error
    return errors


FILES = 4  # run files of one unit of work


def add_runs_spread(
    builder: _core.Builder,
    sources: list[Source],
    options: ReadingOptions,
    executor: Any,
    progress: Callable[[int, int], None] | None,
) -> dict[int, PoolwiseError]:
    """Add runs to a pool that has judgments; returns the errors of faulty files, by their places."""
    from poolwise.basics.workers import run_units

    files = [number for number, source in enumerate(sources) if source.path is not None]
    parts = [files[begin : begin + FILES] for begin in range(0, len(files), FILES)]
    units = [
        [(sources[number].where, os.path.abspath(sources[number].path or "")) for number in part] for part in parts
    ]
    # As bytes, because reading changes a pool and threads of a worker share what they were sent.
    import pickle

    shared = (pickle.dumps(builder.pool()), options)
    errors = {}
    for index, packed in run_units(_read, shared, units, executor=executor, progress=progress, name=lambda _: ""):
        for number, data in zip(parts[index], packed, strict=True):
            if isinstance(data, PoolwiseError):
                errors[number] = data
            else:
                builder.unpack_run(number, data)
        if errors and not options.skips_bad_runs:
            return errors
    return errors | add_tables(builder, sources)


def _read(shared: tuple[bytes, ReadingOptions], files: list[tuple[str, str]]) -> list[bytes | PoolwiseError]:
    import pickle

    core: _core.Pool = pickle.loads(shared[0])
    joining = Joining(shared[1], core.keeps_all, core)
    joining.builder.expect_runs(len(files))
    # Workers know files by their full paths; the user gave others.
    sources = [Source(where, path, shown_name=where, columns=shared[1].columns) for where, path in files]
    errors = read_runs(joining.builder, sources, list(range(len(files))), 1)
    return [errors.get(number) or joining.builder.pack_run(number) for number in range(len(files))]
