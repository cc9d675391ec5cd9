"""Label sets of several assessors over one set of runs: each in place of the judgments, as far as it goes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poolwise.campaign.placed_labels import PlacedLabels, pool_again
from poolwise.errors import InputError
from poolwise.trust.label_agreement import agreement_of, thresholds_of
from poolwise.trust.sheet_sources import sheet_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.trust.label_agreement import LabelAgreement
    from poolwise.trust.label_sheet import LabelSheet

__all__ = ["BASE", "COMBINATIONS", "LabelSets", "label_sets"]

BASE = "judgments"
# Labels of all sets together: a document has the highest label that anyone gave it, or the lowest.
COMBINATIONS = {"union": np.nanmax, "intersection": np.nanmin}


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The judgments and each assessor's labels put in their place; `labels` is documents x sets, NaN for no label.

    A document that a set does not label keeps the label of the judgments. After those of single assessors come the
    combinations. `able` says of which topics each assessor labelled something (topics of the pool x assessors).
    """

    pool: Campaign
    placed: PlacedLabels
    agreement: LabelAgreement
    names: tuple[str, ...]
    labels: Floats
    able: NDArray[np.bool_]
    given: tuple[int, ...]  # documents that each assessor labelled

    @property
    def assessors(self) -> tuple[str, ...]:
        """The judgments and the single assessors, without combinations."""
        return self.names[: self.able.shape[1]]


def label_sets(
    pool: Campaign, labels: Mapping[str, Any] | Sequence[Any], thresholds: float | Mapping[str, float] | None
) -> LabelSets:
    """Read labels, bring them to one scale if thresholds are given, and put them in the judgments' place."""
    sheet = _sheet(pool, labels)
    if thresholds is not None:
        rel = np.array(thresholds_of(sheet.assessors, thresholds))
        sheet = replace(sheet, labels=np.where(np.isnan(sheet.labels), np.nan, sheet.labels >= rel))
    agreement = agreement_of(sheet)
    base = sheet.labels[:, :1]
    filled = np.where(np.isnan(sheet.labels), base, sheet.labels)
    all_sets = np.column_stack([filled, *(combine(sheet.labels, axis=1) for combine in COMBINATIONS.values())])
    made = pool_again(sheet, pool)
    placed = PlacedLabels(sheet, made)
    made.judgments = placed.judgments(base[:, 0])
    return LabelSets(
        made,
        placed,
        agreement,
        (*sheet.assessors, *COMBINATIONS),
        all_sets,
        _able(sheet, made.topics),
        tuple((~np.isnan(sheet.labels)).sum(axis=0).tolist()),
    )


def _sheet(pool: Campaign, labels: Mapping[str, Any] | Sequence[Any]) -> LabelSheet:
    """Labels of the pool's topics, those of the judgments first; documents that nobody labelled are left out."""
    own = sheet_of({BASE: {topic: pool.judgments.of(topic) for topic in pool.topics}, **_sources(labels)})
    topics = set(pool.topics)
    kept = np.array([topic in topics for topic in own.topics]) & ~np.isnan(own.labels).all(axis=1)
    strange = [name for name, column in zip(own.assessors, own.labels.T, strict=True) if np.isnan(column[kept]).all()]
    if strange:
        raise InputError(f"{strange[0]}: no label is of a topic of the judgments; labels of the same topics are needed")
    return replace(own.where(kept), sampled=False)  # what a set lacks is filled from the judgments


def _sources(labels: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Label sets by name; of a folder every file."""
    if isinstance(labels, Mapping):
        sources = dict(labels)
    else:
        from poolwise.trust.sheet_sources import named_files

        sources = named_files([path for source in labels for path in _files(source)])
    if BASE in sources:
        raise InputError(f"a label set is called {BASE!r}, as the judgments are here; give it another name")
    return sources


def _files(source: Any) -> list[Any]:
    if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):
        return [source]
    entries = Path(source).iterdir()
    files = sorted(str(entry) for entry in entries if entry.is_file() and not entry.name.startswith("."))
    if not files:
        raise InputError(f"{os.fspath(source)}: the folder holds no files; put one file of labels per assessor there")
    return files


def _able(sheet: LabelSheet, topics: Sequence[str]) -> NDArray[np.bool_]:
    """Who labelled something of each topic; the judgments always count, so that every topic has someone."""
    number = {topic: place for place, topic in enumerate(topics)}
    able = np.zeros((len(topics), len(sheet.assessors)), dtype=bool)
    place = np.array([number[topic] for topic in sheet.topics])
    for column, labels in enumerate(sheet.labels.T):
        able[place[~np.isnan(labels)], column] = True
    able[:, 0] = True
    return able
