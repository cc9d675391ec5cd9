"""The compiled loops over pairs of runs, against whole-array numpy."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.comparisons.pairs import all_pairs, bootstrap_pairs, count_flips


def numpy_flips(values, signs, first, second, thresholds):
    sums = values @ signs.T.astype(float)
    return np.count_nonzero(np.abs(sums[first] - sums[second]) >= thresholds[:, None], axis=1)


def numpy_bootstrap(centred, taken, first, second, wanted, place, noise):
    w = centred[first] - centred[second]
    squares = np.where(np.abs(w) <= noise, 0.0, w * w) @ taken.T.astype(float)
    sums = np.abs(w @ taken.T.astype(float))
    ratios = np.divide(sums * sums, squares, out=np.zeros_like(sums), where=squares > 0)
    chosen = np.sort(ratios, axis=1)[:, taken.shape[0] - place]
    return np.count_nonzero(ratios >= wanted[:, None], axis=1), chosen


@pytest.mark.parametrize(("runs", "topics", "resamples"), [(2, 3, 5), (7, 50, 64), (13, 17, 1000)])
def test_loops_equal_numpy_for_any_number_of_threads(runs, topics, resamples):
    generator = np.random.default_rng(runs)
    values = np.round(generator.random((runs, topics)), 1)
    values[1] = values[0]  # every resample of this pair is nothing but zeros
    centred = values - values.mean(axis=1, keepdims=True)
    first, second = all_pairs(runs)
    signs = generator.choice(np.array([-1, 1], dtype=np.int8), (resamples, topics))
    thresholds = np.linspace(0.063, 3.063, first.size)  # between the sums, which are tenths
    taken = generator.multinomial(topics, np.full(topics, 1 / topics), resamples).astype(np.uint16)
    wanted = np.linspace(0.01, 8.0, first.size)
    expected = numpy_bootstrap(centred, taken, first, second, wanted, 2, 1e-12)
    for threads in (1, 2, 3):
        flips = count_flips(values, signs, first, second, thresholds, threads)
        assert (flips == numpy_flips(values, signs, first, second, thresholds)).all()
        found = bootstrap_pairs(centred, taken, first, second, wanted, 2, 1e-12, threads)
        assert (found.counts == expected[0]).all()
        assert found.counts[0] == 0
        assert found.sums[0] == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(found.ratios, expected[1], rtol=1e-10, atol=1e-15)
