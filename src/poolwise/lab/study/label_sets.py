"""Label sets of several assessors: each replaces the judgments where it has labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from poolwise.basics.numbers import TIE
from poolwise.campaign.assessor_effect import deal
from poolwise.campaign.model_effect import PlacedLabels, pool_again
from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.significance_tests import CORRECTIONS
from poolwise.comparisons.simple_tests import student
from poolwise.errors import InputError
from poolwise.trust.label_agreement import agreement_of, thresholds_of
from poolwise.trust.label_sheet import sheet_of
from poolwise.trust.rank_correlation import kendall_tau, rank_biased_overlap, swapped_pairs, tau_ap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.assessors_study import AssessorsStudy
    from poolwise.trust.label_agreement import LabelAgreement
    from poolwise.trust.label_sheet import LabelSheet

if TYPE_CHECKING:
    Signs = NDArray[np.int8]
PERSISTENCE = 0.9  # of rank-biased overlap: Webber, Moffat and Zobel 2010; the top ten have 86 % of the weight


@dataclass(frozen=True)
class Decided:
    """Decisions on all pairs of runs by two label sets: 1 or -1 for a significant difference, else 0."""

    first: Signs
    second: Signs
    gap: Floats  # differences of means, by the second set

    @property
    def kept(self) -> int:
        """Differences that both find, in the same direction."""
        return int(((self.first != 0) & (self.first == self.second)).sum())

    @property
    def lost(self) -> int:
        """Differences that only the first finds."""
        return int(((self.first != 0) & (self.second == 0)).sum())

    @property
    def turned(self) -> int:
        """Differences that both find, in opposite directions."""
        return int((self.first * self.second < 0).sum())

    @property
    def new(self) -> int:
        """Differences that only the second finds."""
        return int(((self.first == 0) & (self.second != 0)).sum())

    @property
    def swapped(self) -> int:
        """Differences of the first set whose means the second orders in the opposite direction."""
        return int((self.first * self.gap < 0).sum())

    @property
    def share(self) -> float:
        """Share of the first set's differences that the second confirms. NaN without differences."""
        decided = int((self.first != 0).sum())
        return self.kept / decided if decided else float("nan")


@dataclass(frozen=True)
class AssessorScores:
    """Scores by every set (sets x measures x runs x topics), with decisions and mixtures."""

    asked: AssessorsStudy
    runs: list[str]
    scores: Floats

    @cached_property
    def means(self) -> Floats:
        """Sets x measures x runs."""
        return np.asarray(self.scores.mean(axis=-1))

    @cached_property
    def single(self) -> int:
        """Number of sets of single assessors, the judgments included. Combinations follow them."""
        return len(self.asked.labels.assessors)

    @cached_property
    def names(self) -> list[str]:
        """Names of the measures."""
        return [str(measure) for measure in self.asked.measures]

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """All pairs of runs."""
        return all_pairs(len(self.runs))

    def decisions(self, values: Floats) -> Signs:
        """Which pairs differ significantly by scores (runs x topics), and in which direction."""
        problem = Problem(values, *self.pairs)
        # TIE: p values equal to alpha up to rounding do not count as below it.
        p = CORRECTIONS[self.asked.correction].run(student(problem).p)
        return np.where(p < self.asked.alpha - TIE, np.sign(problem.differences), 0).astype(np.int8)

    @cached_property
    def decided(self) -> NDArray[np.int8]:
        """Decisions by every set: sets x measures x pairs."""
        return np.array([[self.decisions(values) for values in by_measure] for by_measure in self.scores])

    def gap(self, means: Floats) -> Floats:
        """Differences of all pairs."""
        return means[..., self.pairs[0]] - means[..., self.pairs[1]]

    # Mixed sets: a topic's score depends on that topic's labels alone, so scores are dealt out, not computed again.

    @cached_property
    def dealt(self) -> NDArray[np.int64]:
        """Assessor of each topic (mixtures x topics)."""
        return deal(self.asked.labels.able, self.asked.mixtures, np.random.default_rng(self.asked.seed))

    def mixed_scores(self, measure: int) -> Iterator[Floats]:
        """Scores of every mixture (runs x topics)."""
        topics = np.arange(self.scores.shape[-1])
        by_topic = np.moveaxis(self.scores[:, measure], 1, 2)  # sets x topics x runs
        for chosen in self.dealt:
            yield by_topic[chosen, topics].T

    @cached_property
    def mixed(self) -> list[dict[str, Floats]]:
        """Results of mixtures by measure: means (mixtures x runs) and agreement with the judgments."""
        return [self._mixed(measure) for measure in range(len(self.names))]

    def _mixed(self, measure: int) -> dict[str, Floats]:
        means, decided = [], []
        for values in self.mixed_scores(measure):
            means.append(values.mean(axis=1))
            decided.append(Decided(self.decided[0, measure], self.decisions(values), self.gap(means[-1])))
        base, mixed = self.means[0, measure], np.array(means)
        return {
            "means": mixed,
            "tau": kendall_tau(base, mixed),
            "tau_ap": tau_ap(base, mixed),
            "rbo": rank_biased_overlap(base, mixed, PERSISTENCE, "a").extrapolated,
            "swapped_pairs": swapped_pairs(base, mixed).astype(float),
            "decisions_kept": np.array([each.share for each in decided]),
            "differences_turned": np.array([float(each.turned) for each in decided]),
            "differences_swapped": np.array([float(each.swapped) for each in decided]),
            "same_winner": (mixed.argmax(axis=1) == base.argmax()).astype(float),
        }


BASE = "judgments"
# Labels of all sets together: a document has the highest label that anyone gave it, or the lowest.
COMBINATIONS = {"union": np.nanmax, "intersection": np.nanmin}


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The judgments, and the sets that replace them. `labels` is documents x sets, with NaN for no label.

    A document without a label in a set keeps the label of the judgments. Combinations follow the sets of single
    assessors. `able` marks the topics with labels of each assessor (topics of the pool x assessors).
    """

    pool: Campaign
    placed: PlacedLabels
    agreement: LabelAgreement
    names: tuple[str, ...]
    labels: Floats
    able: NDArray[np.bool_]
    label_numbers: tuple[int, ...]  # of each assessor

    @property
    def assessors(self) -> tuple[str, ...]:
        """The judgments and the single assessors, without combinations."""
        return self.names[: self.able.shape[1]]


def label_sets(
    pool: Campaign, labels: Mapping[str, Any] | Sequence[Any], thresholds: float | Mapping[str, float] | None
) -> LabelSets:
    """Read labels, bring them to one scale if there are thresholds, and replace the judgments."""
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
    """Labels for the topics of the pool, the judgments first, without unlabelled documents."""
    sheet = sheet_of({BASE: {topic: pool.judgments.of(topic) for topic in pool.topics}, **_sources(labels)})
    topics = set(pool.topics)
    chosen = np.array([topic in topics for topic in sheet.topics]) & ~np.isnan(sheet.labels).all(axis=1)
    columns = zip(sheet.assessors, sheet.labels.T, strict=True)
    strange = [name for name, column in columns if np.isnan(column[chosen]).all()]
    if strange:
        raise InputError(f"{strange[0]}: no label is of a topic of the judgments; labels of the same topics are needed")
    return replace(sheet.where(chosen), sampled=False)  # gaps of a set are filled from the judgments


def _sources(labels: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Label sets by name. A folder is one set per file."""
    if isinstance(labels, Mapping):
        sources = dict(labels)
    else:
        from poolwise.trust.label_sheet import named_files

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
    """Assessors with labels for each topic. The judgments always count, so that no topic is without one."""
    number = {topic: index for index, topic in enumerate(topics)}
    able = np.zeros((len(topics), len(sheet.assessors)), dtype=bool)
    rows = np.array([number[topic] for topic in sheet.topics])
    for column, labels in enumerate(sheet.labels.T):
        able[rows[~np.isnan(labels)], column] = True
    able[:, 0] = True
    return able
