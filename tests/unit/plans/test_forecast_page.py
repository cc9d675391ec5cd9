"""The page of a forecast: the difference that was asked for first, runs by name where they are few."""

from __future__ import annotations

import numpy as np

from poolwise.plans.planned_widths import PlannedWidths
from poolwise.plans.widths_shown import forecast_page


def page(names):
    widths = np.array([[0.2 + 0.01 * place, 0.1 + 0.01 * place] for place in range(len(names))])
    return forecast_page(PlannedWidths("nDCG@10", 0.95, 250, tuple(names), (125, 250), widths))


def test_two_runs_and_their_difference() -> None:
    said = page(["old", "new", "old - new"]).summary[1]
    assert said.endswith("about so wide: 0.120 for old - new, 0.100 for old, 0.110 for new.")
    figure = page(["old", "new", "old - new"]).parts[0]
    text = str(vars(figure))
    assert "widest run" not in text
    assert "old - new" in text


def test_many_runs_are_summed_up() -> None:
    names = [f"run{number}" for number in range(6)]
    said = page([*names, "run0 - run1"]).summary[1]
    assert said.endswith("about so wide: 0.160 for run0 - run1, 0.125 for a run on average.")
    assert "widest run" in str(vars(page(names).parts[0]))
