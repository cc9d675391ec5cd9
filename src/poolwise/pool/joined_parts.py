"""The runs of a pool joined anew, with judgments that list other documents or have other labels.

Judgments have labels for the documents they list, of the kinds that the pool was read with. Where others are to be
tried on its runs, the core gives these the numbers that documents have then.
"""

from __future__ import annotations

from poolwise.errors import PoolwiseError
from poolwise.pool.joining import NOT_JUDGED, Joining
from poolwise.pool.options import ReadingOptions
from poolwise.reading.files import SCATTERED, NotGrouped, problem, raise_if
from poolwise.reading.topic_ranges import TopicLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolwise import _core
    from poolwise.pool.pool import Pool
    from poolwise.reading.topic_ranges import Part
    from poolwise.reading.topic_rows import TopicRows


def relisted(pool: Pool, runs: Sequence[int], lines: Iterable[bytes]) -> _core.Pool:
    """Join some runs of a pool with judgments, which are lines of a qrels file; NOT_JUDGED is no label."""
    joining = Joining(ReadingOptions(), keep_all=True)
    joining.add_labels(lambda builder: _add_labels_again(builder, lines))
    joining.add_runs_of(pool, runs)
    return joining.finish()


def encoded(name: str) -> bytes:
    """A name as the core has it."""
    return name.encode("utf-8", "surrogateescape")


def _add_labels_again(builder: _core.Builder, lines: Iterable[bytes]) -> None:
    builder.set_label_rules(True, NOT_JUDGED, False)
    raise_if(problem(builder.feed_labels(b"".join(lines), True), "the judgments", labels=True))


def join_part(
    labels: Part, runs: Sequence[Part], where: Sequence[str], options: ReadingOptions, repeated: bool = False
) -> tuple[_core.Pool, dict[int, PoolwiseError]]:
    """Join judgments and runs of some topics; `where` names their files, `repeated` labels of a document may be equal.

    Also gives the errors of bad runs, if such are left out; what the pool says of them does not count.
    """
    joining = Joining(options)
    joining.add_labels(lambda builder: _add_labels(builder, labels, where[0], repeated))
    gather = options.depth is not None  # topics are whole, so that what lies below the cut is known at once
    errors = joining.add_runs(len(runs), lambda builder: _add_runs(builder, runs, where[1:], gather))
    return joining.finish(), errors


def _add_labels(builder: _core.Builder, part: Part, where: str, repeated: bool) -> None:
    if part is None:
        return
    if isinstance(part, TopicLines):
        report = builder.feed_labels(part.text, True)
    else:
        report = builder.add_label_rows(part.topics, part.begins, part.offsets, part.documents, part.values, repeated)
    raise_if(_error(report, part, where, labels=True))
    if builder.pool().has_strata:
        raise NotGrouped(f"{where}: judgments with strata cannot be scored some topics at a time")


def _add_runs(
    builder: _core.Builder, parts: Sequence[Part], where: Sequence[str], gather: bool
) -> dict[int, PoolwiseError]:
    errors = {}
    for number, part in enumerate(parts):
        error = None if part is None else _add_run(builder, number, part, where[number], gather)
        if error:
            errors[number] = error
    return errors


def _add_run(
    builder: _core.Builder, number: int, part: TopicLines | TopicRows, where: str, gather: bool
) -> PoolwiseError | None:
    if isinstance(part, TopicLines):
        report = builder.add_text(number, part.text, gather)
        if report[0] == SCATTERED:
            report = builder.add_text(number, part.text, True)
    else:
        report = builder.add_lists(number, part.topics, part.begins, part.offsets, part.documents, part.values)
    return _error(report, part, where, labels=False)


def _error(
    report: tuple[int, int, bytes], part: TopicLines | TopicRows, where: str, labels: bool
) -> PoolwiseError | None:
    code, line, found = report
    if not code:
        return None
    if isinstance(part, TopicLines):
        return problem((code, part.line(line), found), where, labels=labels)
    return problem((code, 0, found), f"{where}: row {part.line(line)}", labels=labels)
