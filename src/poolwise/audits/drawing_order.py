"""The order in which random numbers go to runs and holes: by what rankings show, not by names or the order of files."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.audits.listed_holes import Listed

    Whole = NDArray[np.int64]

__all__ = ["hole_order", "run_order"]

NOTHING = np.iinfo(np.int32).min  # stands where a ranking has ended


def run_order(listed: Listed) -> Whole:
    """Numbers of the runs, ordered by the labels along their rankings; those alike in all of these by name."""
    shown, topics = _shown(listed), _topic_order(listed)
    names = listed.pool.runs
    keys = [(_digest([shown[run, topics]]), names[run]) for run in range(len(names))]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def hole_order(listed: Listed) -> Whole:
    """Places among `listed.holes`, ordered by topic, and there by the first run that has the hole and its rank."""
    runs, topics, depth = listed.is_hole.shape
    run_place, topic_place = np.empty(runs, dtype=np.int64), np.empty(topics, dtype=np.int64)
    run_place[run_order(listed)], topic_place[_topic_order(listed)] = np.arange(runs), np.arange(topics)
    run, topic, rank = np.nonzero(listed.is_hole)
    hole = np.searchsorted(listed.holes, listed.places[run, topic, rank])
    first = np.full(len(listed.holes), np.iinfo(np.int64).max)
    np.minimum.at(first, hole, (topic_place[topic] * runs + run_place[run]) * depth + rank)
    return np.argsort(first)


def _topic_order(listed: Listed) -> Whole:
    """Numbers of the topics, ordered by the labels along all rankings, whichever run is which; alike ones as listed."""
    shown = _shown(listed)
    keys = [_digest(sorted(shown[:, topic], key=bytes)) for topic in range(shown.shape[1])]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _shown(listed: Listed) -> NDArray[np.int32]:
    return np.where(listed.is_hole | listed.is_judged, listed.labels, NOTHING).astype("<i4")


def _digest(rows: list[NDArray[np.int32]]) -> bytes:
    found = blake2b(digest_size=16)
    for row in rows:
        found.update(np.ascontiguousarray(row).tobytes())
    return found.digest()
