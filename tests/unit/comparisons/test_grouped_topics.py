"""Scores of groups of topics."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.comparisons.topic_groups import split_topics

SCORES = pw.read(
    {str(t): {"a": 1, "b": t % 2} for t in range(1, 6)}, {"mine": {str(t): {"b": 2.0, "a": 1.0} for t in range(1, 6)}}
).score("AP", "P@1")


def test_parts_hold_the_scores_of_their_topics():
    parts = split_topics(SCORES, {"1": "x", "2": "y", "3": "x", "4": "y", "5": "x"})
    assert list(parts) == ["x", "y"]
    assert parts["x"].topics == ["1", "3", "5"]
    assert np.array_equal(parts["y"].array("P@1"), SCORES.array("P@1")[:, [1, 3]])


def test_topics_without_a_group_are_counted():
    with pytest.warns(pw.PoolwiseWarning, match="3 of 5 topics have no group"):
        parts = split_topics(SCORES, {"1": "x", "2": "y"})
    assert [part.topics for part in parts.values()] == [["1"], ["2"]]


def test_groups_of_other_topics_are_refused():
    with pytest.raises(pw.InputError, match="no topic of the scores has a group"):
        split_topics(SCORES, {"301": "x"})
