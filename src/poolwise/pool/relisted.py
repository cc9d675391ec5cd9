"""The runs of a pool joined anew, with judgments that list other documents or have other labels.

Judgments have labels for the documents they list, of the kinds that the pool was read with. Where others are to be
tried on its runs, these are given to the core again, in the order they have.
"""

from __future__ import annotations

from poolwise.pool.joining import NOT_JUDGED, Joining
from poolwise.pool.options import ReadingOptions
from poolwise.reading.files import raise_if
from poolwise.reading.problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise import _core
    from poolwise.pool.pool import Pool

__all__ = ["encoded", "relisted"]


def relisted(
    pool: Pool, runs: Sequence[int], lines: Iterable[bytes], names: list[list[bytes]] | None = None
) -> _core.Pool:
    """Join some runs of a pool with judgments, which are lines of a qrels file; NOT_JUDGED is no label.

    `names` of all documents, topic by topic, may be given, so that they are made once for many such pools.
    """
    names = names or [pool.document_names(topic) for topic in range(len(pool.topics))]
    joining = Joining(ReadingOptions(), keep_all=True)
    joining.add_labels(lambda builder: _add_labels(builder, lines))
    joining.add_runs(len(runs), lambda builder: _add_runs(builder, pool, names or [], runs))
    return joining.finish()


def encoded(name: str) -> bytes:
    """A name as the core has it."""
    return name.encode("utf-8", "surrogateescape")


def _add_labels(builder: _core.Builder, lines: Iterable[bytes]) -> None:
    builder.set_label_rules(True, NOT_JUDGED, False)
    raise_if(problem(builder.feed_labels(b"".join(lines), True), "the judgments", labels=True))


def _add_runs(builder: _core.Builder, pool: Pool, names: list[list[bytes]], runs: Sequence[int]) -> dict[int, Any]:
    """Give the core the rankings again; scores count down, so that the order stays."""
    import numpy as np

    for place, run in enumerate(runs):
        for topic, name in enumerate(pool.topics):
            ranking: NDArray[np.int64] = np.asarray(pool.all_documents(run, topic))
            if len(ranking):
                documents = b"\n".join(map(names[topic].__getitem__, ranking.tolist())) + b"\n"
                scores = np.arange(len(ranking), 0, -1, dtype=float)
                fault = problem(builder.add_list(place, encoded(name), documents, scores), pool.runs[run], labels=False)
                raise_if(fault)
    return {}
