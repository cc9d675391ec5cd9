"""`Looks`: earlier interim looks at an estimate, for a sequential band that covers all of them.

docs/theory/looking.md.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from poolwise.basics import settings as checks
from poolwise.basics.writing import write_bytes
from poolwise.errors import ArgumentError, InputError
from poolwise.estimates.sequential_band import next_factor
from poolwise.reading.judging_file import combined, is_sqlite, opened
from poolwise.reading.opening import file_text
from poolwise.reading.records import label_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Counts = dict[tuple[str, int], int]  # documents of a topic and stratum

__all__ = ["Look", "Looks", "Seen", "planned_end"]


class Seen(NamedTuple):
    """One estimate at one look: its information fraction, standard error, and the factor of its band."""

    tau: float
    standard_error: float
    factor: float


@dataclass(frozen=True)
class Look:
    """One look: how many labels there were, how many were planned, and every estimate that was seen."""

    labels: int
    end: int
    rows: Mapping[str, Seen]

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a factor that is infinite is None."""
        rows = {key: [tau, error, _finite(factor)] for key, (tau, error, factor) in self.rows.items()}
        return {"labels": self.labels, "end": self.end, "rows": rows}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Look:
        """The reverse."""
        rows = {
            str(key): Seen(float(tau), float(error), math.inf if factor is None else float(factor))
            for key, (tau, error, factor) in saved["rows"].items()
        }
        return cls(int(saved["labels"]), int(saved["end"]), rows)


@dataclass(frozen=True)
class Looks:
    """Looks at estimates while judging goes on towards a planned end.

    `estimate(..., looks=looks)` makes a band that holds at every look, and its result has `looks` with that look added:
    hand these to the next estimate, or `write` them and `read` them back. Estimates are told apart by measure and runs,
    and each has looks of its own. Who goes on beyond the end gives a new one (`looks.until(end)`): its looks spend what
    is left of the error.

    Parameters
    ----------
    end : int, float, Plan, path or mapping
        Where judging ends: at a number of labels, a share of the pool, or when the documents of a plan are judged (its
        file, also that of `poolwise judge`; or how many documents by topic and stratum).
    seen : sequence of Look
        Looks before.
    level : float, optional
        Of the intervals at these looks.
    to_come : sequence of pairs, optional
        Topic and stratum of the documents still to be judged, in order, where that is known; else all strata are taken
        to go on to the end at the same pace. Widths to expect on the way follow from it.

    Examples
    --------
    >>> looks = Looks(end=300)
    >>> looks
    <Looks: 0 so far, judging ends at 300 labels>
    """

    end: Any
    seen: tuple[Look, ...] = field(default=())
    level: float | None = None
    to_come: Sequence[tuple[str, int]] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", planned_end(self.end))

    def until(self, end: Any) -> Looks:
        """Go on to another end.

        Parameters
        ----------
        end : int, float, Plan, path or mapping
            The new end.

        Returns
        -------
        Looks
            The same looks.
        """
        return replace(self, end=end)

    def at(self, level: float) -> float:
        """Tell the error to spend, which must be the same at all looks.

        Parameters
        ----------
        level : float
            Of the intervals.

        Returns
        -------
        float
            One minus the level.
        """
        if self.level is not None and abs(self.level - level) > 1e-12:
            raise ArgumentError(f"level={level} is not that of the looks before, {self.level}; keep to one")
        return 1.0 - level

    def see(self, key: str, tau: float, error: float, end: int, alpha: float) -> Seen:
        """Give the band of an estimate at one look more; information never falls.

        Parameters
        ----------
        key : str
            Which estimate: its measure and runs.
        tau : float
            The information it has, as a share of that at the end.
        error : float
            Its standard error.
        end : int
            How many labels there are at the end.
        alpha : float
            The error to spend over all looks.

        Returns
        -------
        Seen
            What was seen, with the factor of its band.
        """
        before = [(look.end, look.rows[key]) for look in self.seen if key in look.rows]
        before = [
            (own_end, seen) for own_end, seen in before if seen.standard_error > 0
        ]  # what is exact spends nothing
        path = tuple((seen.tau, seen.factor) for seen in _rescaled(before, tau * error**2, end))
        now = min(1.0, max([tau, *(known for known, _ in path)]))
        return Seen(now, error, next_factor(path, now, alpha))

    def recall(self, key: str, labels: int, error: float) -> int | None:
        """Find the look that saw the same estimate from the same labels: its band holds, and is no other one.

        Parameters
        ----------
        key : str
            Which estimate: its measure and runs.
        labels : int
            How many labels there are.
        error : float
            Its standard error.

        Returns
        -------
        int or None
            The position of that look, the first if there are several; None if there is none, or it had no band.
        """
        for index, look in enumerate(self.seen):
            known = look.rows.get(key)
            if known and look.labels == labels and math.isclose(known.standard_error, error, rel_tol=1e-9):
                return index if math.isfinite(known.factor) else None
        return None

    def spent(self, key: str) -> int | None:
        """Tell how many labels there were when all of an estimate's error was spent, at the end that was planned.

        Parameters
        ----------
        key : str
            Which estimate: its measure and runs.

        Returns
        -------
        int or None
            The number of labels; None if something is left.
        """
        found = (look for look in self.seen if key in look.rows and look.rows[key].standard_error > 0)
        return next((look.labels for look in found if look.rows[key].tau >= 1.0), None)

    def add(self, look: Look, level: float) -> Looks:
        """Add one look, unless it is an earlier one over again.

        Parameters
        ----------
        look : Look
            What was seen.
        level : float
            Of the intervals.

        Returns
        -------
        Looks
            These looks and that one.
        """
        known = (self.recall(key, look.labels, row.standard_error) is not None for key, row in look.rows.items())
        again = look in self.seen[-1:] or (bool(look.rows) and all(known))
        seen = self.seen if again else (*self.seen, look)
        return replace(self, seen=seen, level=level, to_come=())  # what comes next is another matter then

    def write(self, path: Any) -> None:
        """Keep looks in a file of JSON.

        Parameters
        ----------
        path : path
            The file; it is whole or not there at all.
        """
        write_bytes(path, (json.dumps(self.to_dict(), indent=1) + "\n").encode())

    @classmethod
    def read(cls, path: Any) -> Looks:
        """Read what `write` wrote.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Looks
            The looks.
        """
        path = checks.path(path)
        try:
            saved = json.loads(file_text(path))
            end = saved["end"]
            known = {(str(topic), int(stratum)): int(count) for topic, stratum, count in end} if _is_list(end) else end
            return cls(known, tuple(map(Look.from_dict, saved["looks"])), saved["level"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path}: these are not looks of `poolwise estimate`; name another file") from error

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        counts = [[*key, count] for key, count in self.end.items()] if isinstance(self.end, dict) else self.end
        return {"end": counts, "level": self.level, "looks": [look.to_dict() for look in self.seen]}

    def __repr__(self) -> str:
        end = f"{self.end:g} of the pool" if isinstance(self.end, float) else f"{_total(self.end)} labels"
        return f"<Looks: {len(self.seen)} so far, judging ends at {end}>"


def planned_end(end: Any) -> int | float | Counts:
    """A number of labels, a share, or the documents that a plan wants judged, by topic and stratum."""
    if end is None or isinstance(end, (int, float)) or hasattr(end, "__index__"):
        end = end.__index__() if hasattr(end, "__index__") and not isinstance(end, bool) else end  # of numpy too
        if end is not None and not isinstance(end, bool) and end > 0 and (isinstance(end, int) or end <= 1):
            return end
        raise ArgumentError(f"end={end}: give a number of labels, a share of the pool up to 1, or a plan")
    if isinstance(end, dict) and all(isinstance(key, tuple) for key in end):
        return end
    if isinstance(end, (str, os.PathLike)) and os.path.isfile(end) and is_sqlite(os.fspath(end)):
        return _end_of_judging(os.fspath(end))
    rows = end if hasattr(end, "to_judge") else label_rows(end)  # a Plan has the same columns
    return _counted(
        (topic, max(stratum, 1))
        for topic, stratum, drawn, label in zip(rows.topic, rows.stratum, rows.round, rows.label, strict=True)
        if drawn > 0 or label is not None
    )


def _end_of_judging(path: str) -> Counts:
    """Planned number of judgments of a file of `poolwise judge`, without documents that cannot be judged."""
    file = opened(path)
    try:
        pooled, labels = file.pooled(), combined(file.events())
    finally:
        file.connection.close()
    rounds = any(row[3] for row in pooled)
    return _counted(
        (topic, max(stratum, 1))
        for topic, document, stratum, drawn, label in pooled
        if label is not None or ((drawn > 0 or not rounds) and labels.get((topic, document), 0) is not None)
    )


def _counted(keys: Any) -> Counts:
    from collections import Counter

    return dict(Counter(keys))


def _rescaled(before: list[tuple[int, Seen]], variance_at_end: float, end: int) -> list[Seen]:
    """Earlier looks with information fractions rescaled to the present end."""
    found: list[Seen] = []
    for index, (own_end, seen) in enumerate(before):
        following = before[index + 1][0] if index + 1 < len(before) else end
        found.append(seen)
        if following > own_end and seen.tau * seen.standard_error > 0:
            after = before[index + 1][1] if index + 1 < len(before) else None
            target = variance_at_end if after is None else after.tau * after.standard_error**2
            scale = min(1.0, target / (seen.tau * seen.standard_error**2))
            found = [each._replace(tau=each.tau * scale) for each in found]
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _total(end: Any) -> int:
    return sum(end.values()) if isinstance(end, dict) else int(end)
