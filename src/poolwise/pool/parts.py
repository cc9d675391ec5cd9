"""Some topics of a campaign, joined as a whole one is."""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError
from poolwise.pool.joining import Joining
from poolwise.reading.problems import problem
from poolwise.reading.topic_order import NotGrouped
from poolwise.reading.topic_walk import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from poolwise.pool.options import ReadingOptions
    from poolwise.reading.parquet_feed import Rows

    Part: TypeAlias = Text | Rows | None  # nothing: the file has none of these topics


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
    if isinstance(part, Text):
        report = builder.feed_labels(part.text[part.begin : part.end], True)
    else:
        report = builder.add_label_rows(part.topics, part.begins, part.offsets, part.documents, part.values, repeated)
    error = _error(report, part, where, labels=True)
    if error:
        raise error
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


def _add_run(builder: _core.Builder, number: int, part: Text | Rows, where: str, gather: bool) -> PoolwiseError | None:
    if isinstance(part, Text):
        report = builder.add_text(number, part.text, part.begin, part.end, gather)
    else:
        report = builder.add_lists(number, part.topics, part.begins, part.offsets, part.documents, part.values)
    return _error(report, part, where, labels=False)


def _error(report: tuple[int, int, bytes], part: Text | Rows, where: str, labels: bool) -> PoolwiseError | None:
    code, line, found = report
    if not code:
        return None
    if isinstance(part, Text):
        return problem((code, part.before + line, found), where, labels=labels) or InputError(where)
    return problem((code, 0, found), f"{where}: row {part.before + line}", labels=labels) or InputError(where)
