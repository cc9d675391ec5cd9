"""Labels along rankings, gains and discounts by name."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.pools import UNJUDGED, random_pool

from poolwise.errors import ArgumentError
from poolwise.lab.weights.labels import RankedLabels, discounts_of, gains_of, grade_shares, sorted_gains


def test_every_judged_document_with_a_label_is_kept_in_its_place() -> None:
    pool = random_pool(1, labels=(-1, 0, 2))
    kept = RankedLabels.from_pool(pool, 7)
    again = np.zeros((10, 12, 7), dtype=int)
    again.reshape(-1)[kept.cells * 7 + kept.ranks] = kept.labels[kept.grades]
    expected = pool.at_rank[:, :, :7]
    assert np.array_equal(again, np.where(expected == UNJUDGED, 0, expected))
    assert np.all(np.diff(kept.cells) >= 0)


def test_more_labels_change_nothing_else() -> None:
    pool = random_pool(1)
    kept = RankedLabels.from_pool(pool, 7)
    more = kept.with_labels(np.array([-3, 0, 1, 2, 5]))
    assert np.array_equal(more.labels[more.grades], kept.labels[kept.grades])
    assert np.array_equal(more.counts[:, [1, 2, 3]], kept.counts)
    assert not more.counts[:, [0, 4]].any()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("log2", [1.0, 0.6309297535714575, 0.5]),
        ("zipf", [1.0, 0.5, 1 / 3]),
        ("linear", [1.0, 2 / 3, 1 / 3]),
        ("uniform", [1.0, 1.0, 1.0]),
        ("jk", [1.0, 1.0, 0.6309297535714575]),
    ],
)
def test_discounts_by_name(name: str, values: list[float]) -> None:
    assert discounts_of(name, 3) == pytest.approx(values)


def test_gains_by_name_and_mapping() -> None:
    labels = np.array([-2, 0, 1, 3])
    assert gains_of(labels, "linear", "keep").tolist() == [-2, 0, 1, 3]
    assert gains_of(labels, "linear", "zero").tolist() == [0, 0, 1, 3]
    assert gains_of(labels, "binary", "minmax").tolist() == [0, 0, 1, 1]
    assert gains_of(labels, {3: 10, -2: -1}, "keep").tolist() == [-1, 0, 0, 10]
    with pytest.raises(ArgumentError, match="gain=3 is not allowed"):
        gains_of(labels, 3, "keep")  # type: ignore[arg-type]


def test_ideal_lists_are_cut_and_hold_positive_gains_only() -> None:
    counts = np.array([[3, 1, 2], [0, 0, 9]])
    assert sorted_gains(counts, np.array([-1.0, 5.0, 2.0]), 4).tolist() == [[5, 2, 2, 0], [2, 2, 2, 2]]


def test_grade_shares_are_counted() -> None:
    pool = random_pool(2)
    found = grade_shares(pool, 5)
    assert list(found.shares) == [0, 1, 2]
    for label, row in found.shares.items():
        for rank in range(5):
            expected = sum(int(run[topic][rank] == label) for run in pool.at_rank for topic in range(12)) / 120
            assert row[rank] == pytest.approx(expected)
    assert found.to_frame("polars").shape == (15, 3)
    assert found._repr_html_().count("<tr>") == 16
