"""Labels of a sheet as judgments of a pool, one set after the other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from poolwise.campaign.campaign import Campaign
from poolwise.campaign.read_campaign import read
from poolwise.errors import InputError
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments
from poolwise.pool.relisted import encoded, relisted
from poolwise.reading.given_columns import shared_out
from poolwise.trust.combined_labels import combined_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.trust.label_sheet import LabelSheet

__all__ = ["PlacedLabels", "columns_of_both", "pool_again", "pool_of", "scored"]


def columns_of_both(
    columns: Mapping[str, str] | None, labels: Mapping[str, Any], runs: Sequence[Any]
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """What columns of labels, and of runs, are called."""
    return shared_out(columns, list(labels.values()), runs) if columns else (None, None)


def pool_of(sheet: LabelSheet, runs: Sequence[Any], columns: Mapping[str, str] | None = None) -> Campaign:
    """A pool of a sheet's documents and the runs, as `read` takes them; nothing is judged yet."""
    _check(sheet)
    listed: dict[str, dict[str, int]] = {}
    for topic, document in zip(sheet.topics, sheet.documents, strict=True):
        listed.setdefault(topic, {})[document] = 0
    # The pool must know every label that any assessor gave; these documents are outside the pool in what follows.
    first = next(iter(listed.values()))
    first |= {f"(label {int(value)})": int(value) for value in sheet.values()}
    return read(listed, *runs, unjudged=None, columns=columns)


def pool_again(sheet: LabelSheet, pool: Campaign) -> Campaign:
    """The same from runs that are read already; topics of the sheet must be topics of theirs."""
    _check(sheet)
    lines = [
        b"%b 0 %b 0\n" % (encoded(topic), encoded(document))
        for topic, document in zip(sheet.topics, sheet.documents, strict=True)
    ]
    lines += [b"%b 0 (label-%d) %d\n" % (encoded(sheet.topics[0]), value, value) for value in sheet.values().tolist()]
    made = Campaign(relisted(pool, range(len(pool.runs)), lines), list(pool.runs))
    made.judgments = Judgments(made)
    return made


def _check(sheet: LabelSheet) -> None:
    values = sheet.values()
    if (values != np.floor(values)).any():
        raise InputError("labels with a point cannot be scored as they are; round the labels to whole ones first")


class PlacedLabels:
    """Where each document of a sheet stands in a pool that lists them all."""

    def __init__(self, sheet: LabelSheet, pool: Campaign) -> None:
        self.sheet, self.pool = sheet, pool
        offsets = self.pool.judgments.offsets.tolist()
        place = {
            (topic, document): begin + number
            for topic, (begin, end) in zip(self.pool.topics, pairwise(offsets), strict=True)
            for number, document in enumerate(self.pool.documents(topic)[: end - begin])
        }
        pairs = zip(sheet.topics, sheet.documents, strict=True)
        self.at = np.array([place[pair] for pair in pairs], dtype=np.int64)
        self._size = offsets[-1]
        self._strata = np.ones(self._size, dtype=np.int32)
        self._strata[self.at] = [sheet.cells[cell][1] for cell in sheet.cell.tolist()]

    def judgments(self, labels: Floats) -> Judgments:
        """Labels of the sheet's documents, NaN for none, as judgments of the pool."""
        placed = np.full(self._size, OUTSIDE, dtype=np.int32)
        placed[self.at] = np.where(np.isnan(labels), POOLED, np.nan_to_num(labels)).astype(np.int32)
        return Judgments(self.pool, placed, strata=self._strata)

    def combined(self, sheet: LabelSheet, by: str) -> Floats:
        """One label per document, NaN for none."""
        labels = [label for _, _, label, _ in combined_labels(sheet, by)]
        return np.array([np.nan if label is None else float(label) for label in labels])


def scored(pool: Campaign, sets: list[Judgments], measure: str | Measure) -> Floats:
    """Means of all runs (sets x runs)."""
    return np.asarray(pool.score(measure, judgments=sets).means()[:, :, 0])
