"""Draws and estimates are what they were; `python tests/golden/sampling.py --write` keeps a change on purpose."""

from __future__ import annotations

import pytest
from tests.golden import sampling


def test_answers_are_what_they_were():
    assert sampling.differences(sampling.kept(), sampling.as_written(sampling.answers())) == []


@pytest.mark.parametrize(
    ("before", "now", "number"),
    [
        ({"a": [0.5, 1.0]}, {"a": [0.5 + 1e-16, 1.0]}, 0),
        ({"a": [0.5, 1.0]}, {"a": [0.5 + 1e-9, 1.0]}, 1),
        ({"a": [0.5]}, {"a": [0.5, 1.0]}, 1),
        ({"a": "x"}, {"b": "x"}, 1),
        ([float("nan"), "x"], [float("nan"), "y"], 1),
    ],
)
def test_differences_are_seen(before, now, number):
    assert len(sampling.differences(before, now)) == number
