"""A process of its own that estimates scores from the labels so far: `python -m poolwise.judging.numbers_worker`.

It reads requests from standard input, one JSON object per line, and answers in the same way. When whoever started it is
gone, its input ends, and so does it.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from itertools import pairwise

import numpy as np

from poolwise.campaign.campaign import read
from poolwise.errors import PoolwiseError
from poolwise.estimates.interim_looks import Look, Looks
from poolwise.judging.work import still_to_come
from poolwise.pool.joining import file_states, join_labels
from poolwise.pool.judgments import Judgments, is_judged
from poolwise.pool.options import ReadingOptions
from poolwise.reading.columns import of_runs
from poolwise.reading.sources import paths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.estimates.interim_looks import Seen
    from poolwise.estimates.width_forecast import WidthForecast

MOST_ROWS = 12  # runs or pairs that fit a corner of the page; the number of the others is shown below them
WIDEST = 1.0  # a band that is wider says nothing
LABELS_PER_TOPIC = 1.5  # from so many on, intervals hold (docs/findings/stopping.md)


class JoinedRuns:
    """Runs joined with the labels so far: their files are read again only when they change, labels every time."""

    def __init__(self) -> None:
        self._read_as: tuple[Any, ...] = ()
        self._campaign: Campaign | None = None

    def with_labels(self, request: Mapping[str, Any]) -> Campaign:
        """The campaign of a request."""
        columns, unjudged = of_runs(request.get("columns")), int(request["unjudged"])
        states = file_states([path for text in request["runs"] for path in paths_of(text)])
        read_as = (request["runs"], columns, unjudged, states)
        campaign = None
        if self._campaign is not None and states is not None and read_as == self._read_as:
            campaign = join_labels(self._campaign, request["store"], ReadingOptions(unjudged, columns=columns))
        if campaign is None:
            campaign = read(request["store"], *request["runs"], unjudged=unjudged, columns=columns, documents="all")
        else:
            campaign.judgments = Judgments(campaign)
        self._read_as, self._campaign = read_as, campaign
        return campaign


def answer(request: Mapping[str, Any], runs: JoinedRuns) -> dict[str, Any]:
    """Estimates from the labels in a file, with the width to expect."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notes name runs, and `poolwise estimate` has them
            numbers = _numbers(runs.with_labels(request), request)
    except PoolwiseError as error:
        return {"error": str(error)}
    except Exception as error:  # whatever it is, judging goes on
        return {"error": f"{type(error).__name__}: {error}"}
    return numbers


def _numbers(campaign: Campaign, request: Mapping[str, Any]) -> dict[str, Any]:
    to_come = still_to_come(request["store"])
    if missing := _missing(campaign, to_come):
        return {"rows": [], "labels": campaign.judgments.count(), "missing": missing}
    pair = request.get("difference")
    looks = Looks(request["store"], _looks_before(request["looks"], campaign), request["level"], to_come)
    estimate = campaign.estimate(
        request["measure"],
        difference=None if pair is None else tuple(pair),
        level=request["level"],
        steadied=False,
        predictions=request.get("predictions") or None,
        columns=request.get("columns"),
        looks=looks,
    )
    if estimate.forecast is None or estimate.looks is None or not estimate.forecast.labels:
        return {"rows": [], "labels": campaign.judgments.count()}
    rows = _difference(estimate.differences) if pair else _runs(estimate)
    shown = {row["name"] for row in rows[:MOST_ROWS]}
    steps = _forecast(estimate.forecast, bool(pair))
    (last,) = estimate.looks.seen[-1:]
    return {
        "rows": rows[:MOST_ROWS],
        "names": list(campaign.runs),
        "pair": pair is not None,
        "enough": not to_come or any(row["band_low"] is not None and _leaves_out_0(row) for row in rows if pair),
        "left_out": max(0, len(rows) - MOST_ROWS),
        "measure": str(request["measure"]),
        "level": request["level"],
        "labels": last.labels,
        "width": steps[0]["width"] if steps else None,
        "forecast": steps[1:],
        "look": Look(last.labels, last.end, _seen(last, shown, pair is not None)).to_dict(),
    }


def _looks_before(earlier: Sequence[Mapping[str, Any]], campaign: Campaign) -> tuple[Look, ...]:
    """The looks so far; who takes labels back, to mend them, goes on with fewer than there were at the last one."""
    labels = campaign.judgments.count()
    return tuple(Look.from_dict({**look, "labels": min(look["labels"], labels)}) for look in earlier)


def _missing(campaign: Campaign, to_come: Sequence[tuple[str, int]]) -> int:
    """How many labels more it takes until every topic has one, in the order of judging, and there are enough."""
    labelled, bounds = is_judged(campaign.judgments.classes), pairwise(campaign.judgments.offsets.tolist())
    judged = {topic for topic, (begin, end) in zip(campaign.topics, bounds, strict=True) if labelled[begin:end].any()}
    first: dict[str, int] = {}
    for index, (topic, _) in enumerate(to_come, 1):
        if topic not in judged:
            first.setdefault(topic, index)
    enough = math.ceil(LABELS_PER_TOPIC * len({*judged, *first})) - int(labelled.sum())
    return max(0, min(enough, len(to_come)), *first.values())


def _seen(look: Look, shown: Collection[str], pairs: bool) -> dict[str, Seen]:
    """The rows of a look that are in view."""
    return {key: seen for key, seen in look.rows.items() if _name(key) in shown and (" - " in key) == pairs}


def _name(key: str) -> str:
    return key.partition(" ")[2]


def _forecast(ahead: WidthForecast, pairs: bool) -> list[dict[str, Any]]:
    """The width now, after some more labels and at the plan's end: of the difference, or the median of runs."""
    widths: dict[tuple[int, bool], list[float]] = {}
    for other, labels, end, width in zip(ahead.run_b, ahead.labels, ahead.end, ahead.width.tolist(), strict=True):
        if bool(other) == pairs and width == width:
            widths.setdefault((labels, end), []).append(width)
    return [
        {"labels": labels, "end": end, "width": float(np.median(each))}
        for (labels, end), each in sorted(widths.items())
        if labels or not end
    ]


def _leaves_out_0(row: Mapping[str, Any]) -> bool:
    """Whether a difference is one at every look."""
    return bool(row["band_low"] > 0 or row["band_high"] < 0)


def _difference(estimate: Any) -> list[dict[str, Any]]:
    ends = (estimate.difference, estimate.low, estimate.high, estimate.band_low, estimate.band_high)
    return [
        _row(f"{a} - {b}", *numbers)
        for a, b, *numbers in zip(estimate.run_a, estimate.run_b, *(end.tolist() for end in ends), strict=True)
    ]


def _runs(estimate: Any) -> list[dict[str, Any]]:
    """Runs from best to worst."""
    ends = (estimate.means(), estimate.mean_low(), estimate.mean_high(), estimate.band_low, estimate.band_high)
    rows = [
        _row(run, *numbers) for run, *numbers in zip(estimate.runs, *(end[:, 0].tolist() for end in ends), strict=True)
    ]
    return sorted(rows, key=lambda row: -row["value"])


def _row(name: str, value: float, low: float, high: float, band_low: float, band_high: float) -> dict[str, Any]:
    known = math.isfinite(low) and math.isfinite(high)
    band = known and math.isfinite(band_low) and band_high - band_low < WIDEST
    return {
        "name": name,
        "value": value,
        "low": low if known else None,
        "high": high if known else None,
        "band_low": band_low if band else None,
        "band_high": band_high if band else None,
    }


def main() -> int:
    """Answer until the input ends."""
    runs = JoinedRuns()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line), runs)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
