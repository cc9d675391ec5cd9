"""By how much a hole's chance lies below the run's precision: the default, or what the campaign's own runs show.

A run that made the pool is left out with the documents that only it (or its group) brought; these are holes whose
labels are known, and so is their offset. Offsets of several runs have a mean and a spread. The default is the mean
over four collections at which this was done, its uncertainty the spread between them (docs/findings/holes.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.audits.hole_chances import observed_offset
from poolwise.basics.results import Result
from poolwise.pool.coverage import NO_LIMIT, pool_depth
from poolwise.pool.judgments import is_judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator

    from poolwise.basics.arrays import Floats
    from poolwise.pool.judgments import Judgments

__all__ = ["DEFAULT", "STRETCH", "Offset", "learned_offset", "left_out_offsets", "model_ends"]

MOSTLY = 0.98  # of a run's top documents are judged, so it may have made the pool
STRETCH = 1.7  # of learned intervals: so far from their mean runs of four collections lie (docs/findings/holes.md)
FEWEST_HOLES = 20  # that a left-out run must have to say something
FEWEST_GROUPS = 4  # that must be left out before their spread is trusted


@dataclass(frozen=True, repr=False)
class Offset(Result):
    """An offset: its mean, how uncertain that mean is (Student's t), how far runs spread around it, its source."""

    mean: float
    error: float
    df: float
    spread: float
    source: str
    groups: int = 0
    stretch: float = 1.0  # of intervals, for what the model leaves out

    def columns(self) -> dict[str, list[float | str]]:
        """One row."""
        return {name: [getattr(self, name)] for name in ("mean", "error", "df", "spread", "source")}

    def draws(self, number: int, runs: int, random: Generator) -> Floats:
        """Offsets that runs may have, number x runs: one mean for all runs of a draw, and a part of each run's own.

        The means are spread evenly over their distribution, and so is each run's part over its own among neighbouring
        means, so that few draws show the ends of both.
        """
        from scipy.special import ndtri, stdtrit

        means = self.mean + self.error * stdtrit(self.df, (np.arange(number) + 0.5) / number)
        size = math.isqrt(number - 1) + 1  # of a block of neighbours; so many blocks or one fewer
        blocks = -(-number // size)
        within = random.random((blocks, size, runs)).argsort(axis=1)  # each run's parts of a block in random order
        aside = random.random((blocks, 1, runs)).argsort(axis=0)  # blocks do not have the same parts
        parts = (within + (aside + 0.5) / blocks) / size
        result: Floats = means[:, None] + self.spread * ndtri(parts.reshape(-1, runs)[:number])
        return result


def model_ends(
    sample: Floats, level: float, stretch: float, lowest: Floats, highest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Mean over draws and the ends of its interval, stretched about the mean, within what labels allow."""
    middle = sample.mean(axis=0)
    ends = np.quantile(sample, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    low, high = np.clip(middle + stretch * (ends - middle), np.minimum(lowest, middle), np.maximum(highest, middle))
    return middle, low, high


DEFAULT = Offset(1.57, 0.61, 3.0, 0.53, "four collections")


@dataclass(frozen=True)
class LeftOut:
    """Runs left out: the group of each, how many holes it had, and the offset these showed."""

    groups: list[str]
    runs: list[str]
    holes: Floats
    offset: Floats


def left_out_offsets(judgments: Judgments, depth: int, groups: Mapping[str, str], pooled: int) -> LeftOut:
    """Leave out each group of runs that are judged down to the depth; `pooled` is how deep runs were pooled."""
    pool = judgments.pool
    labels = np.asarray(pool.core.label_matrix(judgments.buffer, depth))
    inside = np.minimum(np.asarray(pool.retrieved()), depth).reshape(len(pool.runs), -1).sum(axis=1)
    shares = is_judged(labels).sum(axis=(1, 2)) / np.maximum(inside, 1)
    made = [run for run, share in zip(pool.runs, shares, strict=True) if share >= MOSTLY]
    group_of = {run: groups.get(run, run) for run in made}
    rows = []
    for group in dict.fromkeys(group_of.values()):
        members = [run for run in made if group_of[run] == group]
        if len(members) == len(made):
            continue
        left = judgments.sample("without", runs=members, depth=pooled, contributing=made)
        now = np.asarray(pool.core.label_matrix(left.buffer, depth))
        for run in members:
            number = pool.run_number(run)
            rows.append((group, run, *_counted(labels[number], now[number])))
    kept = [row for row in rows if row[4] >= FEWEST_HOLES]
    relevant, judged, holes, good = (np.array([float(row[place]) for row in kept]) for place in (2, 3, 4, 5))
    offsets = observed_offset(relevant, judged, good, holes)
    return LeftOut([row[0] for row in kept], [row[1] for row in kept], holes, offsets)


def _counted(before: Floats, after: Floats) -> tuple[int, int, int, int]:
    """Relevant and judged documents after leaving out, holes, and relevant ones among these."""
    judged = is_judged(after)
    hole = is_judged(before) & ~judged
    return int((after[judged] > 0).sum()), int(judged.sum()), int(hole.sum()), int((before[hole] > 0).sum())


def learned_offset(judgments: Judgments, depth: int, groups: Mapping[str, str]) -> Offset:
    """The default, or what left-out runs of the campaign show, leaning towards the default the fewer they are."""
    pooled = pool_depth(judgments)
    offsets = left_out_offsets(judgments, depth, groups, depth if pooled == NO_LIMIT else max(pooled, depth))
    number = len(set(offsets.groups))
    if number < FEWEST_GROUPS:
        return DEFAULT
    mean, error, spread = combined(offsets)
    weights = np.array([1.0 / DEFAULT.error**2, 1.0 / error**2])
    middle = float((weights * [DEFAULT.mean, mean]).sum() / weights.sum())
    return Offset(middle, 1.0 / math.sqrt(float(weights.sum())), number - 1.0, spread, "runs left out", number, STRETCH)


def combined(left_out: LeftOut) -> tuple[float, float, float]:
    """Mean over groups, its standard error, and the spread of runs.

    The spread holds what few holes add by chance. Taking that off, as for independent labels, gave intervals that held
    too rarely: labels of holes go together within topics.
    """
    by_group: dict[str, list[float]] = {}
    for group, offset in zip(left_out.groups, left_out.offset.tolist(), strict=True):
        by_group.setdefault(group, []).append(offset)
    means = np.array([float(np.mean(offsets)) for offsets in by_group.values()])
    mean = float(means.mean())
    error = float(means.std(ddof=1)) / math.sqrt(len(means))
    return mean, max(error, 1e-3), float(np.sqrt(((left_out.offset - mean) ** 2).mean()))
