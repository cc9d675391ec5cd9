"""Strata with one label, or none: their items keep their weight, and the variance is that of collapsed strata."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.single_labels import TABLE, draws, least

import poolwise as pw
from poolwise.basics.numbers import student_quantile
from poolwise.rated_items.sampled_mean import SampledItems, sampled_mean


@pytest.mark.parametrize(("sizes", "labels", "means", "share"), TABLE)
def test_a_stratum_with_one_label_keeps_its_weight(sizes, labels, means, share):
    stratum, value, chosen = draws(sizes, labels, means)
    nothing, none = np.full(len(value), np.nan), np.zeros((len(value), 0))
    found = [sampled_mean(SampledItems(np.where(row, value, np.nan), stratum, nothing, none)) for row in chosen]
    errors = np.array([one.value for one in found]) - value.mean()
    assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(len(errors))
    held = [
        abs(error) <= float(student_quantile(one.freedom, 0.975)) * np.sqrt(one.variance)
        for error, one in zip(errors, found, strict=True)
    ]
    assert np.mean(held) >= least(share)


def asked(stratum, value, chosen, **more):
    rows = [
        {"item": n, "stratum": str(s), "score": float(v) if c else None}
        for n, (s, v, c) in enumerate(zip(stratum, value, chosen, strict=True))
    ]
    return pw.estimate_items(rows, **more)


def test_incomplete_labels_are_unbiased_and_said_to_be_rough():
    """Strata of 300, 60 and 20 items with 1, 6 and 12 labels."""
    stratum, value, chosen = draws(*TABLE[1][:3], number=150)
    with pytest.warns(pw.PoolwiseWarning, match="the table: 79 % of the items are in strata with one label each"):
        rows = [asked(stratum, value, row).rows[0] for row in chosen]
    errors = np.array([row.value for row in rows]) - value.mean()
    assert abs(errors.mean()) < 4 * errors.std() / np.sqrt(len(errors))
    assert np.mean([row.low <= value.mean() <= row.high for row in rows]) >= least(0.95, 150)


def test_differences_are_unbiased_too():
    """The first system as above; the second scores 0 in all items that either has labels of."""
    stratum, value, chosen = draws(*TABLE[1][:3], number=100)
    errors = []
    for row in chosen:
        rows = [
            {"item": n, "system": system, "stratum": str(stratum[n]), "score": each if row[n] else None}
            for n in range(len(value))
            for system, each in (("a", float(value[n])), ("b", 0.0))
        ]
        with pytest.warns(pw.PoolwiseWarning):
            ((_, _, found),) = pw.estimate_items(rows, difference=("a", "b")).differences.rows
        errors.append(found.value - value.mean())
        assert found.low < found.value < found.high
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))


def test_few_items_with_one_label_are_not_spoken_of(recwarn):
    stratum, value, chosen = draws((100, 10), (20, 1), (0, 0), number=1)
    asked(stratum, value, chosen[0])
    assert not recwarn


def test_a_stratum_without_a_label_takes_the_labels_before_it():
    """Strata are in the order of their numbers: 10 comes after 9. What nobody looked at has no rule without a bias."""
    rows = [{"stratum": stratum, "score": score} for stratum, score in (("1", 0), ("1", 2), ("9", 4), ("9", 8))]
    rows += [{"stratum": stratum, "score": None} for stratum in ("1", "9", "10", "10")]
    with pytest.warns(pw.PoolwiseWarning, match="1 stratum without a label: labels of the neighbouring stratum stand"):
        found = pw.estimate_items(rows)
    assert found.rows[0].value == pytest.approx((3 * 1 + 5 * 6) / 8)


def test_labels_of_all_of_a_stratum_are_sure_however_few():
    """A stratum of one item, which is labelled: it adds nothing to the variance, nor does it make others wider."""
    value, cell = np.array([1.0, 2.0, 4.0, np.nan, np.nan, 90.0]), np.array([0, 0, 0, 0, 0, 1])
    nothing = np.full(6, np.nan)
    with_it = sampled_mean(SampledItems(value, cell, nothing, np.zeros((6, 0))))
    without = sampled_mean(SampledItems(value[:5], cell[:5], nothing[:5], np.zeros((5, 0))))
    assert with_it.value == pytest.approx((without.value * 5 + 90) / 6)
    assert with_it.variance == pytest.approx(without.variance * (5 / 6) ** 2)
