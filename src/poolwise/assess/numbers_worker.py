"""A process of its own that estimates scores from the labels so far: `python -m poolwise.assess.numbers_worker`.

It reads requests from standard input, one JSON object a line, and answers in the same way. When whoever started it is
gone, its input ends, and so does it.

**What is still to come.** All cells are judged at about the same share q of what the plan draws from them
(`judging_order`), so the variance is A / q - B, A = sum of N^2 S^2 / m, B = sum of N S^2 over cells of N documents of
which the plan draws m. Where m is proportional to N S, which is how plans share out labels, B / A is the mean of m / N
weighted by m, here called F. So the variance at the plan's end is (1 - F) / (1 / q - F) times that of now; for equal
rates this is the rule of `estimate.looks.information`.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import numpy

from poolwise.campaign import read
from poolwise.errors import PoolwiseError, PoolwiseWarning
from poolwise.estimate.looks import Looks, information, quantile_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from poolwise.campaign import Campaign

MORE = (50, 100, 200)  # labels for which a width is forecast
MOST_ROWS = 12


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Estimates from the labels in a file, with the width to expect."""
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            campaign = read(request["store"], *request["runs"], unjudged=int(request["unjudged"]))
            found = _numbers(campaign, request)
    except PoolwiseError as error:
        return {"error": str(error)}
    except Exception as error:  # whatever it is, judging goes on
        return {"error": f"{type(error).__name__}: {error}"}
    notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, PoolwiseWarning))
    return {**found, "notes": list(notes), "seconds": time.perf_counter() - begin}


def _numbers(campaign: Campaign, request: Mapping[str, Any]) -> dict[str, Any]:
    if campaign.judgments.count() == 0:
        return {"rows": [], "labels": 0}
    pair = request.get("difference")
    scores = campaign.estimate(
        request["measure"], difference=None if pair is None else tuple(pair), level=request["level"], pooled=False
    )
    # What cannot be judged will not be: the plan ends without it.
    done, missing = campaign.judgments.count(), int(campaign.judgments.nonresponse().sum())
    planned, mean_rate = max(done, int(request["planned"]) - missing), float(request["rate"])
    tau = information(mean_rate * done / planned, mean_rate) if done < planned else 1.0
    looks = Looks(tuple(request["looks"]), 1 - request["level"]).see(tau)
    rows = _difference(scores, looks.factor) if pair else _runs(scores, looks.factor)
    widths = [row["high"] - row["low"] for row in rows if row["low"] is not None]
    width = float(numpy.median(widths)) if widths else None
    return {
        "rows": rows[:MOST_ROWS],
        "left_out": max(0, len(rows) - MOST_ROWS),
        "measure": str(request["measure"]),
        "level": request["level"],
        "labels": done,
        "tau": tau,
        "width": width,
        "forecast": [] if width is None else forecast(width, done, planned, mean_rate),
    }


def forecast(width: float, done: int, planned: int, rate: float) -> list[dict[str, Any]]:
    """The width to expect after some more labels, and at the plan's end.

    >>> [(step["labels"], round(step["width"], 3)) for step in forecast(0.2, 100, 300, 0.1)]
    [(50, 0.162), (100, 0.139), (200, 0.111)]
    """
    steps = [(more, more == planned - done) for more in sorted({*MORE, planned - done}) if 0 < more <= planned - done]

    def relative(count: int) -> float:
        return max(planned / count - rate, 0.0)

    return [
        {"labels": more, "end": end, "width": width * (relative(done + more) / relative(done)) ** 0.5}
        for more, end in steps
    ]


def _difference(scores: Any, factor: float) -> list[dict[str, Any]]:
    found = scores.differences
    return [
        _row(
            f"{found.run_a[k]} - {found.run_b[k]}", found.difference[k], found.low[k], found.high[k],
            found.standard_error[k], found.df[k], factor,
        )
        for k in range(len(found.run_a))
    ]  # fmt: skip


def _runs(scores: Any, factor: float) -> list[dict[str, Any]]:
    """Runs from best to worst."""
    values, low, high = scores.means()[:, 0], scores.mean_low()[:, 0], scores.mean_high()[:, 0]
    rows = [
        _row(run, values[r], low[r], high[r], scores.standard_error[r, 0], scores.df[r, 0], factor)
        for r, run in enumerate(scores.runs)
    ]
    return sorted(rows, key=lambda row: -row["value"])


def _row(name: str, value: float, low: float, high: float, error: float, df: float, factor: float) -> dict[str, Any]:
    reach = quantile_for(factor, float(df)) * float(error)
    known = bool(numpy.isfinite(low) and numpy.isfinite(high))
    band = known and bool(numpy.isfinite(reach)) and reach < 1.0  # a wider one says nothing
    return {
        "name": name,
        "value": float(value),
        "low": float(low) if known else None,
        "high": float(high) if known else None,
        "band_low": float(min(low, value - reach)) if band else None,
        "band_high": float(max(high, value + reach)) if band else None,
    }


def main() -> int:
    """Answer until the input ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
