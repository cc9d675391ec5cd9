"""The compiled loops and their numpy form give the same counts."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise import _core
from poolwise.analyse.significance import kernel
from poolwise.analyse.significance.bootstrap import draw_topics
from poolwise.analyse.significance.problem import all_pairs


class Nothing:
    """A core without the loops."""


@pytest.fixture
def data() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)
    values = np.round(generator.random((9, 21)), 1)
    values[1] = values[0]
    return {
        "values": values,
        "centred": values - values.mean(axis=1, keepdims=True),
        "signs": (1 - 2 * generator.integers(0, 2, size=(333, 21))).astype(np.int8),
        "taken": draw_topics(generator, 21, 333),
    }


def test_flips_are_counted_alike(data: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = all_pairs(9)
    thresholds = np.linspace(0.05, 3.05, first.size)
    found = [kernel.count_flips(data["values"], data["signs"], first, second, thresholds, n) for n in (1, 2, 5)]
    monkeypatch.setattr(kernel, "_core", Nothing)
    plain = kernel.count_flips(data["values"], data["signs"], first, second, thresholds, 1)
    sums = data["values"] @ data["signs"].T
    literal = [int(np.sum(np.abs(sums[i] - sums[j]) >= t)) for i, j, t in zip(first, second, thresholds, strict=True)]
    assert plain.tolist() == literal
    assert all(counts.tolist() == literal for counts in found)


@pytest.mark.parametrize("place", [1, 17, 333])
def test_resamples_are_reduced_alike(data: dict[str, np.ndarray], place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = all_pairs(9)
    wanted = np.linspace(0.01, 8.0, first.size)
    arguments = (data["centred"], data["taken"], first, second, wanted, place, 1e-12)
    found = [kernel.bootstrap_pairs(*arguments, threads) for threads in (1, 2, 5)]
    monkeypatch.setattr(kernel, "_core", Nothing)
    plain = kernel.bootstrap_pairs(*arguments, 1)
    for result in found:
        assert result.counts.tolist() == plain.counts.tolist()
        np.testing.assert_allclose(result.ratios, plain.ratios, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(result.sums, plain.sums, rtol=1e-12, atol=1e-15)
    assert plain.counts[0] == 0  # equal runs: every resample is nothing but zeros
    assert plain.sums[0] == pytest.approx(0.0, abs=1e-12)


def test_the_core_is_there() -> None:
    assert _core.__name__.endswith("_core")
