"""Standard errors of sums over documents: of a sample drawn by topic and stratum, or of complete labels over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.agree.label_sheet import LabelSheet
    from poolwise.arrays import Floats


__all__ = ["Drawn", "drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Some documents of a sheet as a sample of it.

    `chosen` are the documents, `weights` how many of the pool each speaks for. If they are all there are, there is no
    error of sampling, and what is left is the choice of topics.
    """

    chosen: NDArray[np.int64]
    weights: Floats
    cell: NDArray[np.int64]
    pooled: Floats
    judged: Floats
    topic: NDArray[np.int64]

    @property
    def complete(self) -> bool:
        """Whether every document of the pool is among them."""
        return bool((self.pooled == self.judged).all())

    def error(self, slopes: Floats) -> tuple[float, float]:
        """Standard error of the weighted sum of slopes, and its degrees of freedom."""
        return self._over_topics(slopes) if self.complete else self._over_draws(slopes)

    def _over_draws(self, slopes: Floats) -> tuple[float, float]:
        """Simple random samples within cells: sum of N^2 (1 - n / N) s^2 / n.

        A cell with one document has no s^2 of its own and takes the mean of the others.
        """
        sums = np.bincount(self.cell, slopes, len(self.pooled))
        squares = np.bincount(self.cell, slopes**2, len(self.pooled))
        n = np.maximum(self.judged, 1)
        within = np.maximum(squares - sums**2 / n, 0.0)
        freedom = np.maximum(self.judged - 1, 0)
        common = within.sum() / freedom.sum() if freedom.sum() else float(np.var(slopes))
        of_slopes = np.where(freedom > 0, within / np.maximum(freedom, 1), common)
        open_share = 1 - self.judged / np.maximum(self.pooled, 1)
        variance = np.where(self.judged > 0, self.pooled**2 * open_share * of_slopes / n, 0.0).sum()
        return float(np.sqrt(variance)), float(max(freedom.sum(), 1))

    def _over_topics(self, slopes: Floats) -> tuple[float, float]:
        """Topics as independent draws; with one topic, its documents."""
        group = self.topic if self.topic.max(initial=0) > 0 else np.arange(len(slopes))
        sums = np.bincount(group, slopes * self.weights)
        count = len(sums)
        if count < 2:
            return np.nan, 1.0
        return float(np.sqrt(count / (count - 1) * ((sums - sums.mean()) ** 2).sum())), float(count - 1)


def drawn(sheet: LabelSheet, chosen: NDArray[np.bool_]) -> Drawn:
    """The chosen documents as a sample of the sheet.

    Cells without any chosen document are spoken for by the others of the same stratum.
    """
    places = np.flatnonzero(chosen)
    cell = sheet.cell[places]
    judged = np.bincount(cell, minlength=len(sheet.pooled)).astype(float)
    pooled = sheet.pooled * _raised(sheet, judged) if sheet.sampled else judged
    used, cell = np.unique(cell, return_inverse=True)
    topics = np.asarray([sheet.topics[place] for place in places.tolist()])
    return Drawn(
        places,
        (pooled[used] / judged[used])[cell],
        cell,
        pooled[used],
        judged[used],
        np.unique(topics, return_inverse=True)[1] if len(topics) else np.zeros(0, dtype=np.int64),
    )


def _raised(sheet: LabelSheet, judged: Floats) -> Floats:
    """By how much the cells of a stratum are raised so that its cells without a label are spoken for, too."""
    _, stratum = np.unique([number for _, number in sheet.cells], return_inverse=True)
    every = np.bincount(stratum, sheet.pooled)
    reached = np.bincount(stratum, np.where(judged > 0, sheet.pooled, 0))
    return np.divide(every, reached, out=np.ones(len(every)), where=reached > 0)[stratum]
