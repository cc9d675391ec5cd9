"""The figures of a comparison."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.comparison_shown import baseline_figure


def test_differences_from_a_baseline_have_its_sign_and_interval():
    scores = np.random.default_rng(2).random((4, 30)) + np.array([[0.0], [0.3], [0.1], [0.2]])
    found = compare(scores, test="t", baseline=None)
    base = found.runs[2]
    figure = baseline_figure(found, base)
    (trace,) = figure.data
    means = dict(zip(found.runs, scores.mean(axis=1).tolist(), strict=True))
    assert trace["x"] == sorted((run for run in found.runs if run != base), key=lambda run: -means[run])
    assert trace["y"] == pytest.approx([means[run] - means[base] for run in trace["x"]])
    for run, value, up, down in zip(
        trace["x"], trace["y"], trace["error_y"]["array"], trace["error_y"]["arrayminus"], strict=True
    ):
        (row,) = [n for n, pair in enumerate(zip(found.run_a, found.run_b, strict=True)) if set(pair) == {run, base}]
        ends = sorted(abs(end) for end in (found.low[row], found.high[row]))
        assert sorted(abs(end) for end in (value + up, value - down)) == pytest.approx(ends)
        assert value - down < value < value + up
