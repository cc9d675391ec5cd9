"""Widths that a plan of two runs forecasts before any label, against those that come of it."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise
from poolwise import simulate
from poolwise.plans import planned_widths

CAMPAIGN = simulate(runs=16, topics=30, depth=60, pool_depth=60, seed=1)
TRUTH = CAMPAIGN.truth()
LABELS = 300
PAIRS = 4


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_widths_of_two_runs_forecast_before_any_label_come_true(monkeypatch):
    """Two runs tell less of what is relevant than many do; supposing otherwise made widths two thirds of what came."""
    monkeypatch.setattr(planned_widths, "SHARES", (1.0,))  # other budgets take time
    ratios = []
    for seed in range(PAIRS):
        names = [CAMPAIGN.runs[place] for place in np.random.default_rng(seed).choice(16, 2, replace=False)]
        runs = {name: CAMPAIGN.run(name) for name in names}
        plan = poolwise.read(None, runs).plan(
            budget=LABELS, measure="nDCG@10", depth=30, difference=names, forecast=True, seed=seed
        )
        judged = plan.merge([(t, d, max(TRUTH[t].get(d, 0), 0)) for t, d in plan.to_judge()])
        found = poolwise.read(judged, runs).estimate("nDCG@10", difference=names).differences
        ratios.append(float(found.high[0] - found.low[0]) / plan.forecast.mean(difference=True))
    assert 0.8 < np.mean(ratios) < 1.25
