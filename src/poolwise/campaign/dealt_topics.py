"""Topics dealt to assessors: every topic is judged by one of them, drawn at random, as in Voorhees' experiment.

Voorhees, Information Processing and Management 36(5), 2000.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.trust.label_sheet import LabelSheet

    Whole = NDArray[np.int64]

__all__ = ["deal", "topics_judged"]


def topics_judged(sheet: LabelSheet) -> tuple[Whole, NDArray[np.bool_]]:
    """The topic of each document as a number, and who judged some of each topic (topics x assessors)."""
    _, topic = np.unique(np.asarray(sheet.topics), return_inverse=True)
    known = ~np.isnan(sheet.labels)
    counts = np.stack([np.bincount(topic, column) for column in known.T.astype(float)], axis=1)
    return topic, counts > 0


def deal(able: NDArray[np.bool_], number: int, random: np.random.Generator) -> Whole:
    """So many times an assessor for every topic (number x topics), each of those able with the same chance.

    >>> able = np.array([[True, False], [True, True]])
    >>> dealt = deal(able, 1000, np.random.default_rng(1))
    >>> int(dealt[:, 0].sum()), bool(450 < dealt[:, 1].sum() < 550)
    (0, True)
    """
    chance = able / np.maximum(able.sum(axis=1, keepdims=True), 1)
    ends = np.cumsum(chance, axis=1)
    # The last end may be 1 but for rounding; nobody stands beyond the last one who is able.
    last = able.shape[1] - 1 - np.argmax(able[:, ::-1], axis=1)
    drawn = (random.random((number, len(able), 1)) > ends).sum(axis=2)
    result: Whole = np.minimum(drawn, last)
    return result
