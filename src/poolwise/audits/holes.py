"""`holes`: scores of new runs on old judgments, and their uncertainty by unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.audits.hole_model import learned_offset, model_ends
from poolwise.audits.hole_scores import HoleDraws, list_holes
from poolwise.basics import settings as checks
from poolwise.basics.numbers import best_first
from poolwise.basics.results import Result, warn_of
from poolwise.basics.settings import thread_count
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import parse
from poolwise.pool.coverage import NO_LIMIT, open_shares, pool_depth
from poolwise.pool.judgments import POOLED, open_totals
from poolwise.scores.score_notes import (
    ALONE,
    Unjudged,
    can_move,
    lacking_notes,
    length_notes,
    median_lengths,
    percent,
    top_words,
)
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits.hole_model import Offset
    from poolwise.audits.settling import Settling
    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments

__all__ = ["Holes", "hole_depth", "holes"]

DEPTHS = (5, 10, 20, 100)  # ranks down to which the judged share is reported
USUAL_DEPTH = 100  # ranks, as TREC's pools: for a measure without a cut-off, on judgments whose pool has no known depth
A_FEW = 0.01  # share of listed documents that may lack a label; with more the judgments are a sample
SHARE_OF_DRAWS = 0.95  # share of draws with one sign from which the model is sure of a difference


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Result):
    """Runs whose top documents are not all judged: how much is not, and what scores that leaves possible.

    All arrays have one entry per run. `judged` has the share of the top 5, 10, 20 and 100 documents that is judged.
    `worthless` scores unjudged documents as non-relevant, `condensed` leaves them out of the ranking; `model` is what
    the model expects once the run's own holes are judged, and `model_low` to `model_high` its interval, which rests on
    other collections or on the campaign's own runs and is guaranteed by no draw; `lowest` and `highest` bound the score
    whatever labels its holes down to `depth` have. `offset` says by how much the model takes holes for worse. The
    model's numbers are NaN where it has nothing to go by, as in a sample of a pool.
    """

    measure: str
    depth: int
    runs: list[str]
    topics: int
    judged: dict[int, list[float]]
    holes: list[int]
    worthless: Floats
    condensed: Floats
    model: Floats
    model_low: Floats
    model_high: Floats
    lowest: Floats
    highest: Floats
    offset: Offset
    level: float
    pairs: HolePairs
    seed: int
    _judgments: Judgments
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """One row per run."""
        numbers = ("worthless", "condensed", "model", "model_low", "model_high", "lowest", "highest")
        return {
            "run": self.runs,
            "measure": [self.measure] * len(self.runs),
            **{f"judged@{depth}": shares for depth, shares in self.judged.items()},
            "holes": self.holes,
            **{name: getattr(self, name).tolist() for name in numbers},
        }

    def details(self) -> dict[str, Any]:
        """Runs, pairs, settings, warnings."""
        return {
            "measure": self.measure,
            "depth": self.depth,
            "topics": self.topics,
            "level": self.level,
            "seed": self.seed,
            "offset": vars(self.offset),
            "runs": self.columns(),
            "pairs": self.pairs.columns(),
            "warnings": self.warnings,
        }

    def headline(self) -> str:
        """The largest unjudged share, and the number of comparisons that it leaves open."""
        total = sum(self.holes)
        if not total:
            runs = "the run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
            return f"no holes: all of the top {self.depth} documents of {runs} are judged"
        shares = open_shares(self._judgments, self.depth, unjudged=True)
        most = max(range(len(self.runs)), key=shares.__getitem__)
        known = f"up to {percent(shares[most])} of {self._top} is not judged ({self.runs[most]})"
        return known if len(self.runs) == 1 else f"{known}; {self.pairs.headline()}"

    @property
    def has_more_below(self) -> bool:
        """Whether there are unjudged documents below the depth."""
        return sum(count for count, _ in open_totals(self._judgments, NO_LIMIT, unjudged=True)) > sum(self.holes)

    @property
    def _top(self) -> str:
        """The ranks with holes in words. Without a cut-off they end where labels end."""
        found = parse(self.measure).cutoff is None and self._judgments.plan is None
        return top_words(self.depth, found and pool_depth(self._judgments) != NO_LIMIT)

    def settle(self, run_a: str, run_b: str) -> Settling:
        """Find the shortest list of documents whose labels settle which of two runs scores higher.

        Parameters
        ----------
        run_a, run_b : str
            The runs.

        Returns
        -------
        Settling
            The documents, how sure they are to settle it, and a plan to judge them by.
        """
        from poolwise.audits.settling import settle

        return settle(self._judgments, parse(self.measure), self.depth, (run_a, run_b), self.offset, self.seed)


@dataclass(frozen=True, eq=False, repr=False)
class HolePairs(Result):
    """Pairs of runs: `difference` with holes worthless, `model` what the model expects with `low` and `high`.

    `ahead` is the share of the model's draws in which the first run scores higher; `lowest` and `highest` bound the
    difference whatever the labels are, and `could_turn` says that they allow either sign.
    """

    run_a: list[str]
    run_b: list[str]
    difference: Floats
    model: Floats
    low: Floats
    high: Floats
    ahead: Floats
    lowest: Floats
    highest: Floats

    @cached_property
    def could_turn(self) -> NDArray[np.bool_]:
        """Whether labels of holes could turn the difference around, or make it 0."""
        return np.asarray((self.lowest <= 0) & (self.highest >= 0) & (self.lowest < self.highest))

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """Which pairs could turn and have an uncertain sign by the model, too."""
        sure = np.maximum(self.ahead, 1.0 - self.ahead) >= SHARE_OF_DRAWS
        return self.could_turn & ~sure

    def columns(self) -> dict[str, Any]:
        """One row per pair."""
        numbers = ("difference", "model", "low", "high", "ahead", "lowest", "highest", "could_turn")
        return {"run_a": self.run_a, "run_b": self.run_b, **{name: getattr(self, name).tolist() for name in numbers}}

    def headline(self) -> str:
        """How many pairs holes could turn."""
        could, number = int(self.could_turn.sum()), len(self.run_a)
        some = f"holes could turn {could} of {number} comparison{'s' * (number != 1)}"
        says = bool(could) and not np.isnan(self.ahead).all()
        return f"{some}; the model is unsure of {int(self.doubtful.sum())} of these" if says else some


def holes(
    campaign: Campaign,
    measure: str | Measure = "nDCG@10",
    *,
    groups: Mapping[str, str] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int | Generator = 0,
    threads: int | None = None,
) -> Holes:
    """Say what unjudged documents leave open in the scores of runs, as when old judgments meet new runs.

    A model of holes draws labels for them: a hole's chance to be relevant lies below the run's own precision, by
    an offset that is learned from runs of the pool that are judged in full, each left out in turn, or else taken
    from four other collections. What it says is a model's word; a few labels drawn from the holes (`plan`) give
    an interval that the draw guarantees (`estimate`).

    Parameters
    ----------
    measure : str or Measure
        What to score by; its cut-off is the depth to which unjudged documents are looked for (without one the
        pool's depth, or 100).
    groups : mapping, optional
        The group (team) of each run, for learning: runs of a group are left out together.
    level : float
        Of the model's intervals.
    draws : int
        Labels drawn from the model, so many times.
    seed : int or Generator
        Of the draws.
    threads : int, optional
        How many to use; every core allowed unless given.

    Returns
    -------
    Holes
        One row per run; `pairs` says which comparisons could turn, `settle` what to judge to settle one.

    References
    ----------
    docs/findings/holes.md.

    Examples
    --------
    >>> from poolwise import read
    >>> runs = {"new": {"1": {"x": 2.0, "a": 1.0}}, "old": {"1": {"b": 2.0, "a": 1.0}}}
    >>> missing = read({"1": {"a": 1, "b": 0}}, runs).holes("P@2")
    >>> missing.holes, missing.lowest.tolist(), missing.highest.tolist()
    ([1, 0], [0.5, 0.5], [1.0, 0.5])
    """
    judgments = campaign.judgments
    asked = parse(measure).require()
    if not can_move(asked) or asked.is_condensed:
        raise ArgumentError(
            f"holes say nothing of {asked}; use a measure that counts them, such as nDCG@10, AP or P@10"
        )
    checks.level(level)
    checks.whole("draws", draws, 20)
    if groups is not None and not hasattr(groups, "items"):
        raise ArgumentError(f"groups={groups!r} must be a dict from run to group")
    if groups and not set(groups) & set(judgments.pool.runs):
        raise InputError(f"no run has a group; runs are called {judgments.pool.runs[0]!r} and the like")
    return _HoleSearch(
        judgments, asked, dict(groups or {}), level, draws, checks.seed_number(seed), thread_count(threads)
    ).found()


def hole_depth(judgments: Judgments, measure: Measure) -> int:
    """Last rank at which unjudged documents are holes: the measure's cut-off, the pool's depth, or 100."""
    depth = Unjudged(judgments).depth(measure)
    return USUAL_DEPTH if depth == NO_LIMIT else depth


@dataclass(frozen=True)
class _HoleSearch:
    judgments: Judgments
    measure: Measure
    groups: dict[str, str]
    level: float
    draws: int
    seed: int
    threads: int

    def found(self) -> Holes:
        """Count, score, bound and draw."""
        pool, depth = self.judgments.pool, hole_depth(self.judgments, self.measure)
        offset = learned_offset(self.judgments, depth, self.groups)
        drawn = HoleDraws(list_holes(self.judgments, depth), offset, self.draws, self.seed)
        worthless, condensed, lowest, highest = self._scored()
        possible = drawn.is_possible and not self.is_sampled
        sample = drawn.scores(self.measure, self.threads) if possible else np.full((1, len(pool.runs)), np.nan)
        holes = drawn.listed.is_hole.sum(axis=(1, 2))
        # Without holes the score is certain, also where the model has no data.
        if not possible and not holes.any():
            sample = worthless[None]
        model, low, high = model_ends(sample, self.level, offset.stretch, lowest, highest)
        return Holes(
            str(self.measure),
            depth,
            list(pool.runs),
            len(pool.topics),
            {rank: [1.0 - share for share in open_shares(self.judgments, rank, unjudged=True)] for rank in DEPTHS},
            holes.tolist(),
            worthless,
            condensed,
            model,
            low,
            high,
            lowest,
            highest,
            offset,
            self.level,
            self._pairs(worthless, sample, lowest, highest, offset.stretch),
            self.seed,
            self.judgments,
            warn_of([*self._lists(), *self._doubts(possible, bool(holes.any()))]),
        )

    def _scored(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Means with holes worthless, condensed, and the bounds."""
        pool = self.judgments.pool
        forms = [self.measure, *([self.measure.on_judged_only()] if self.measure.declaration.judged_only else [])]
        means = np.asarray(score_values(pool, forms, [self.judgments], self.threads))[0].mean(axis=-1)
        condensed = means[1] if len(means) > 1 else np.full(len(pool.runs), np.nan)
        numbers = list(range(len(pool.runs)))
        ends = Unjudged(self.judgments).reach(self.measure, numbers, [ALONE] * len(numbers), self.threads)
        lowest, highest = np.array(ends).T
        return means[0], condensed, lowest, highest

    def _pairs(self, worthless: Floats, sample: Floats, lowest: Floats, highest: Floats, stretch: float) -> HolePairs:
        """All pairs, the better run first. Bounds of a difference are computed where those of the runs overlap."""
        runs = self.judgments.pool.runs
        order = best_first(worthless)
        first, second = ([], []) if len(runs) < 2 else map(list, zip(*_pairs_of(order), strict=True))
        low, high = lowest[first] - highest[second], highest[first] - lowest[second]
        doubtful = np.flatnonzero((low <= 0) & (high >= 0) & (low < high))
        ends = Unjudged(self.judgments).reach(
            self.measure, [first[pair] for pair in doubtful], [second[pair] for pair in doubtful], self.threads
        )
        if ends:
            low[doubtful], high[doubtful] = np.array(ends).T
        between = sample[:, first] - sample[:, second]
        model, model_low, model_high = model_ends(between, self.level, stretch, low, high)
        # Ties count half for each run.
        ahead = (between > 0).mean(axis=0) + 0.5 * (between == 0).mean(axis=0) + 0.0 * model  # NaN without a model
        names_a, names_b = ([runs[run] for run in side] for side in (first, second))
        return HolePairs(
            names_a,
            names_b,
            worthless[first] - worthless[second],
            model,
            model_low,
            model_high,
            ahead,
            low,
            high,
        )

    @cached_property
    def is_sampled(self) -> bool:
        """Whether too many listed documents have no label, as in a sample of a pool."""
        labels = self.judgments.labels
        return self.judgments.plan is not None or bool((labels == POOLED).sum() > A_FEW * len(labels))

    def _lists(self) -> list[str]:
        """Notes on runs that lack topics, and on runs with much shorter lists than others."""
        pool = self.judgments.pool
        retrieved = pool.retrieved().tolist()
        lengths = median_lengths(retrieved)
        return [*lacking_notes(pool, retrieved), *length_notes(pool.runs, lengths, [self.measure])]

    def _doubts(self, possible: bool, has_holes: bool) -> list[str]:
        if self.is_sampled and has_holes:
            return [
                "these judgments are a sample of a pool: documents that were not drawn are no worse than those that "
                "were, and the model of holes, which takes them for worse, says nothing; use estimate"
            ]
        notes = []
        if has_holes and not possible:
            notes.append(
                "no model of the holes: judged documents are all relevant or none of them is, which says nothing of "
                "documents that nobody judged"
            )
        return notes


def _pairs_of(order: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b) for index, a in enumerate(order) for b in order[index + 1 :]]
