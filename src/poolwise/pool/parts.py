"""Some topics of a campaign, joined as a whole one is."""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import InputError
from poolwise.pool.pool import set_options
from poolwise.read.problems import problem
from poolwise.read.topic_order import NotGrouped
from poolwise.read.topics import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.read.parquet_feed import Rows

    Part = Text | Rows | None  # nothing: the file has none of these topics


def join_part(labels: Part, runs: Sequence[Part], where: Sequence[str], options: tuple[Any, ...]) -> _core.Pool:
    """Join judgments and runs of some topics; `where` names their files, `options` are those of `set_options`."""
    builder = _core.Builder(keep_all=False)
    set_options(builder, *options)
    if labels is not None:
        add_labels(builder, labels, where[0])
    builder.finish_labels()
    builder.expect_runs(len(runs))
    for number, part in enumerate(runs):
        if part is not None:
            add_run(builder, number, part, where[1 + number])
    builder.finish_runs()
    return builder.pool()


def add_labels(builder: _core.Builder, part: Text | Rows, where: str, repeated: bool = False) -> None:
    """Add judgments; `repeated` labels of a document may be equal."""
    if isinstance(part, Text):
        report = builder.feed_labels(part.text, True)
    else:
        report = builder.add_label_rows(part.topics, part.begins, part.offsets, part.documents, part.values, repeated)
    _raise(report, part, where, labels=True)
    if builder.pool().has_strata:
        raise NotGrouped(f"{where}: judgments with strata cannot be scored some topics at a time")


def add_run(builder: _core.Builder, number: int, part: Text | Rows, where: str) -> None:
    """Add a run's rankings."""
    if isinstance(part, Text):
        builder.start_run(number, False)
        report = builder.feed_run(number, part.text, True)
    else:
        report = builder.add_lists(number, part.topics, part.begins, part.offsets, part.documents, part.values)
    _raise(report, part, where, labels=False)


def _raise(report: tuple[int, int, bytes], part: Text | Rows, where: str, labels: bool) -> None:
    code, line, found = report
    if not code:
        return
    if isinstance(part, Text):
        error = problem((code, part.before + line, found), where, labels=labels)
    else:
        error = problem((code, 0, found), f"{where}: row {part.before + line}", labels=labels)
    raise error or InputError(where)
