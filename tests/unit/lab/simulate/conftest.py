"""Campaigns that tests of the simulator share."""

from __future__ import annotations

import pytest

from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.simulate.simulated import Simulated


@pytest.fixture(scope="module")
def small() -> Simulated:
    """A small campaign; runs of a few documents less than asked are among them."""
    return simulate(runs=12, topics=6, depth=60, pool_depth=15, seed=3)


@pytest.fixture(scope="module")
def middle() -> Simulated:
    """Large enough for statistics, small enough for a test."""
    return simulate(runs=60, topics=40, depth=200, pool_depth=50, seed=11)
