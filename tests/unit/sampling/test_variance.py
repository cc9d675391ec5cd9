"""The variance of stratified draws: against textbook formulas, Welch's test, and draws with a known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.kit.single_labels import TABLE, draws, least

from poolwise.basics.numbers import student_quantile
from poolwise.sampling.variance import (
    COMMON_SPREAD,
    Sample,
    Variance,
    added,
    by_cells,
    by_cluster,
    from_mean,
    two_stages,
)

SIZES, LABELS = (40, 25, 60), (5, 2, 9)


def drawn(seed=0, sizes=SIZES, labels=LABELS):
    """Cells and values of all units, and which are labelled."""
    stratum, value, chosen = draws(sizes, labels, tuple(range(len(sizes))), number=seed + 1)
    return stratum, value, chosen[seed]


def variance_of_mean(sample, values, total, common=0.0):
    return sample.variance(sample.shares(sample.errors(values)) / total, common)


def test_the_variance_is_cochrans():
    cell, value, labelled = drawn()
    sample = Sample.of_cells(cell, labelled)
    wanted = sum(
        size**2 * (1 - n / size) * value[labelled & (cell == number)].var(ddof=1) / n
        for number, (size, n) in enumerate(zip(SIZES, LABELS, strict=True))
    )
    found = variance_of_mean(sample, value[labelled], sum(SIZES))
    assert found.value == pytest.approx(wanted / sum(SIZES) ** 2)
    assert sample.weight @ value[labelled] == pytest.approx(
        sum(size * value[labelled & (cell == number)].mean() for number, size in enumerate(SIZES))
    )


def test_degrees_of_freedom_are_welchs():
    """Two cells so large that nothing of them is known, and of one size: the sum of means as a difference of means."""
    generator = np.random.default_rng(2)
    samples = generator.normal(size=4), 5 * generator.normal(size=9)
    values, group = np.concatenate(samples), np.repeat([0, 1], [4, 9])
    sample = Sample(np.repeat([1 / 4, 1 / 9], [4, 9]), np.ones(13), group)
    found = sample.variance(sample.shares(sample.errors(values)))
    welch = stats.ttest_ind(*samples, equal_var=False)
    assert float(found.df) == pytest.approx(welch.df)
    assert float(found.standard_error) == pytest.approx(abs((samples[0].mean() - samples[1].mean()) / welch.statistic))


def test_a_spread_common_to_all_cells_leads_to_the_sum_of_n_less_one():
    """With cells of one weight and much trust that they vary alike; in between the more the more trust."""
    cell, value, labelled = drawn(sizes=(40,) * 6, labels=(3,) * 6)
    sample = Sample.of_cells(cell, labelled)
    found = [float(variance_of_mean(sample, value[labelled], 240, common).df) for common in (0.0, 1.0, 2.0, 8.0, 1e9)]
    assert (np.diff(found) > 0).all()
    assert found[-1] == pytest.approx(6 * 2)


@pytest.mark.parametrize(("cells", "labels"), [(3, 2), (10, 2), (20, 2), (10, 3)])
def test_intervals_of_cells_of_few_labels_cover_and_are_no_wider_than_they_should_be(cells, labels):
    stratum, value, chosen = draws((40,) * cells, (labels,) * cells, tuple(range(cells)), number=600)
    held, df = [], []
    for labelled in chosen:
        found = variance_of_mean(Sample.of_cells(stratum, labelled), value[labelled], len(value), COMMON_SPREAD)
        error = value[labelled].mean() - value.mean()
        held.append(abs(error) <= float(found.half_width(0.95)))
        df.append(float(found.df))
    assert least(0.95, 600) <= np.mean(held) <= 0.95 + 4 * np.sqrt(0.95 * 0.05 / 600)
    assert np.median(df) > 0.6 * cells * (labels - 1)


def test_one_cell_that_varies_much_more_counts_by_its_own_labels():
    generator, held = np.random.default_rng(5), []
    cell = np.repeat([0, 1], [100, 400])
    value = generator.normal(size=500) * np.where(cell == 0, 20, 1)
    for _ in range(600):
        labelled = np.zeros(500, dtype=bool)
        labelled[generator.permutation(100)[:3]] = labelled[100 + generator.permutation(400)[:40]] = True
        sample = Sample.of_cells(cell, labelled)
        found = variance_of_mean(sample, value[labelled], 500, COMMON_SPREAD)
        error = sample.weight @ value[labelled] / 500 - value.mean()
        held.append(abs(error) <= float(found.half_width(0.95)))
    assert np.mean(held) >= least(0.94, 600)


@pytest.mark.parametrize("common", [0.0, COMMON_SPREAD])
@pytest.mark.parametrize(("sizes", "labels", "means", "share"), TABLE)
def test_cells_with_one_label_keep_their_weight(sizes, labels, means, share, common):
    stratum, value, chosen = draws(sizes, labels, means)
    errors, held = [], []
    for labelled in chosen:
        sample = Sample.of_cells(stratum, labelled)
        errors.append(sample.weight @ value[labelled] / len(value) - value.mean())
        found = variance_of_mean(sample, value[labelled], len(value), common)
        held.append(abs(errors[-1]) <= float(student_quantile(found.df, 0.975) * found.standard_error))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(held) >= least(min(share, 0.97))


def test_rates_of_units_give_weights_that_stand_for_their_cell():
    cell, labelled = np.repeat([0, 1], [10, 20]), np.arange(30) % 5 == 0
    rate = np.where(np.arange(30) < 15, 0.5, 0.1)
    sample = Sample.of_cells(cell, labelled, rate)
    assert np.bincount(cell[labelled], sample.weight) == pytest.approx([10, 20])
    assert sample.open == pytest.approx(1 - rate[labelled])
    assert sample.weight[cell[labelled] == 1] == pytest.approx(20 * np.array([2, 10, 10, 10]) / 32)


def test_independent_parts_add_up():
    one, other = (
        Variance(np.array([1.0, 0.0]), np.array([4.0, np.inf])),
        Variance(np.array([3.0, 0.0]), np.array([9.0, 5.0])),
    )
    found = added(one, other)
    assert found.value.tolist() == [4.0, 0.0]
    assert found.df.tolist() == [pytest.approx(16 / (1 / 4 + 9 / 9)), np.inf]
    staged = two_stages(one, other, 0.5)
    assert staged.value.tolist() == [2.5, 0.0]


def test_clusters_are_units():
    shares, cluster = np.array([1.0, -3.0, 2.0, 4.0, -4.0]), np.array([0, 0, 1, 2, 2])
    found = by_cluster(shares, cluster)
    sums = np.array([-2.0, 2.0, 0.0])
    assert (float(found.value), float(found.df)) == (pytest.approx(3 * sums.var(ddof=1)), 2)
    assert np.isnan(by_cluster(shares, np.zeros(5, dtype=np.int64)).value)


def test_equal_values_have_no_spread_at_all():
    """0.1 of three thirds is not 0.1 to the last digit; a spread of that would be taken for one."""
    assert from_mean(np.full(3, 0.1), np.full(3, 1 / 3)).tolist() == [0.0, 0.0, 0.0]
    assert by_cells(np.zeros(4), np.array([0, 0, 1, 1])).df == np.inf


def test_units_that_weigh_more_than_others():
    sample = Sample(np.array([1.0, 1 + 1e-12, 2.0]), np.ones(3), np.zeros(3, dtype=np.int64))
    assert sample.heavier(np.array([True, False, False])).tolist() == [False, False, True]
    assert sample.heavier(np.zeros(3, dtype=bool)).all()
