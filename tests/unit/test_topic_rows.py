"""What the core makes of rows that stand topic by topic, beside loops over the rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from poolwise import _core

BOUNDS = np.array([0, 6, 6, 11, 20])  # the second topic has no row
TOPIC_OF = [topic for topic, (begin, end) in enumerate(pairwise(BOUNDS.tolist())) for _ in range(begin, end)]

each_size = pytest.mark.parametrize("columns", [1, 3, 4, 7, 8, 9, 16, 23])
each_number = pytest.mark.parametrize("threads", [1, 3])


def rows(columns: int) -> tuple[Any, Any]:
    random = np.random.default_rng(columns)
    return random, random.normal(size=(20, columns))


@each_size
@each_number
def test_sums_are_over_the_rows_of_each_topic(columns: int, threads: int) -> None:
    random, matrix = rows(columns)
    weight = random.random(20)
    expected = np.zeros((4, columns))
    for i, topic in enumerate(TOPIC_OF):
        expected[topic] += weight[i] * matrix[i]
    np.testing.assert_allclose(_core.topic_sums(matrix, weight, BOUNDS, threads), expected, rtol=1e-13, atol=1e-14)


@each_size
@each_number
def test_products_are_with_the_effects_of_the_topic(columns: int, threads: int) -> None:
    random, matrix = rows(columns)
    effects = random.normal(size=(4, columns))
    expected = [float(np.dot(matrix[i], effects[topic])) for i, topic in enumerate(TOPIC_OF)]
    np.testing.assert_allclose(_core.topic_products(matrix, effects, BOUNDS, threads), expected, rtol=1e-12, atol=1e-14)


@each_size
@each_number
def test_lengths_are_of_rows_times_a_lower_triangle(columns: int, threads: int) -> None:
    random, matrix = rows(columns)
    triangles = np.tril(random.normal(size=(4, columns, columns)))
    expected = [float(((matrix[i] @ triangles[topic]) ** 2).sum()) for i, topic in enumerate(TOPIC_OF)]
    np.testing.assert_allclose(_core.topic_lengths(matrix, triangles, BOUNDS, threads), expected, rtol=1e-12)


@each_number
def test_places_share_their_mean_where_values_are_equal(threads: int) -> None:
    values = np.random.default_rng(2).integers(0, 4, 20).astype(float)
    expected = []
    for i, topic in enumerate(TOPIC_OF):
        own = values[BOUNDS[topic] : BOUNDS[topic + 1]]
        below, equal = int((own < values[i]).sum()), int((own == values[i]).sum())
        expected.append(below + (equal + 1) / 2)
    assert np.asarray(_core.topic_places(values, BOUNDS, threads)).tolist() == expected
    assert len(set(expected)) > 5


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.topic_sums(np.ones((20, 2)), np.ones(19), BOUNDS, 1),
        lambda: _core.topic_sums(np.ones((19, 2)), np.ones(19), BOUNDS, 1),
        lambda: _core.topic_products(np.ones((20, 2)), np.ones((4, 3)), BOUNDS, 1),
        lambda: _core.topic_lengths(np.ones((20, 2)), np.ones((4, 2)), BOUNDS, 1),
        lambda: _core.topic_places(np.ones((20, 2)), BOUNDS, 1),
        lambda: _core.topic_places(np.ones(20), np.array([0, 30, 20]), 1),
        lambda: _core.topic_places(np.ones(20), np.zeros(0, np.int64), 1),
        lambda: _core.topic_places(np.ones((5, 2, 2)), np.array([0, 5]), 1),
    ],
)
def test_the_core_refuses_what_does_not_fit(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"needed|bounds"):
        call()
