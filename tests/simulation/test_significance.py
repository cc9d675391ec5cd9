"""Type I error, family-wise rate and coverage on simulated runs with known truth; seeds are fixed.

Bounds are four Monte Carlo standard errors of the simulated rate.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.pairs import Outcome, Problem, all_pairs, pairs_against
from poolwise.comparisons.significance_tests import TESTS, benjamini_hochberg, holm
from poolwise.comparisons.simple_tests import student
from poolwise.errors import PoolwiseWarning

pytestmark = pytest.mark.slow

TOPICS = 30
PAIRS = 6000
# Tests of one pair at a time. p of the sign test has few values, so it has a test of its own below.
FOR_ONE_PAIR = [
    name for name, test in TESTS.items() if not test.simultaneous and not test.of_estimates and name != "sign"
]


def null_runs(generator: np.random.Generator, runs: int, topics: int) -> np.ndarray:
    """Runs that are alike: skewed scores between 0 and 1 with topics of different difficulty."""
    difficulty = generator.uniform(0.5, 4.0, size=topics)
    return generator.beta(1.0, difficulty, size=(runs, topics))


def independent_pairs(test: str, seed: int = 1, shift: float = 0.0, alpha: float = 0.05) -> Outcome:
    """Pairs of alike runs that share no run, so that their tests are independent given the resamples."""
    values = null_runs(np.random.default_rng(seed), 2 * PAIRS, TOPICS)
    values[::2] += shift
    first, second = (np.arange(start, 2 * PAIRS, 2, dtype=np.int32) for start in (0, 1))
    return TESTS[test].run(Problem(values, first, second, alpha, resamples=1999, seed=seed))


def four_errors(rate: float, trials: int) -> float:
    return float(4 * np.sqrt(rate * (1 - rate) / trials))


@pytest.mark.parametrize("test", FOR_ONE_PAIR)
def test_type_one_error_is_alpha(test: str) -> None:
    p = independent_pairs(test).p
    for alpha in (0.01, 0.05, 0.1, 0.3):
        assert np.mean(p < alpha) == pytest.approx(alpha, abs=four_errors(alpha, PAIRS)), alpha


def test_type_one_error_of_the_sign_test_is_that_of_its_binomial() -> None:
    p = independent_pairs("sign").p
    for alpha in (0.01, 0.05, 0.1, 0.3):
        # The largest level at most alpha that thirty coins have.
        exact = max(level for level in 2 * stats.binom.cdf(np.arange(15), TOPICS, 0.5) if level < alpha)
        assert np.mean(p < alpha) == pytest.approx(exact, abs=four_errors(exact, PAIRS)), alpha


def smallest_of_tukey(generator: np.random.Generator, runs: int, topics: int, trials: int) -> np.ndarray:
    """The smallest p of all pairs, for many families of runs that do not differ."""
    first, second = all_pairs(runs)
    families = (Problem(null_runs(generator, runs, topics), first, second, 0.05, 199, generator) for _ in range(trials))
    return np.array([TESTS["tukey"].run(family).p.min() for family in families])


def test_type_one_error_of_tukey_for_two_runs_is_alpha() -> None:
    p = smallest_of_tukey(np.random.default_rng(2), 2, 12, 1500)
    for alpha in (0.05, 0.2):
        assert np.mean(p <= alpha) == pytest.approx(alpha, abs=four_errors(alpha, 1500))


def test_family_wise_rate_of_tukey_is_alpha() -> None:
    smallest = smallest_of_tukey(np.random.default_rng(3), 5, 15, 1500)
    for alpha in (0.05, 0.2):
        assert np.mean(smallest <= alpha) == pytest.approx(alpha, abs=four_errors(alpha, 1500))


def false_findings(test: str, deviations: list[float], shifts: list[float] | None = None, trials: int = 1000) -> float:
    """Share of families with a significant pair among those of equal mean: normal scores of unlike spread."""
    generator = np.random.default_rng(11)
    spread = np.array(deviations)[:, None]
    means = np.zeros(len(deviations)) if shifts is None else np.array(shifts)
    first, second = all_pairs(len(deviations))
    null = means[first] == means[second]
    found = 0
    for _ in range(trials):
        values = generator.normal(size=(len(deviations), TOPICS)) * spread + means[:, None]
        outcome = TESTS[test].run(Problem(values, first, second, 0.05, 199, generator))
        found += bool((outcome.p[null] <= 0.05).any())
    return found / trials


@pytest.mark.parametrize("deviations", [[1, 1, 1, 1, 1], [1, 1, 1, 4, 4], [1, 1, 1, 1, 1, 1, 1, 1, 6, 6]])
def test_family_wise_rate_of_max_t_is_alpha_whatever_the_spreads(deviations: list[float]) -> None:
    assert false_findings("max_t", deviations) == pytest.approx(0.05, abs=four_errors(0.05, 1000))


def test_max_t_holds_and_tells_apart_where_some_runs_differ() -> None:
    # Single-step max-T stays below alpha for the pairs that are alike; Tukey's yardstick is spoilt by the others.
    assert 0.015 < false_findings("max_t", [1] * 5, [0, 0, 0, 3, 3]) < 0.05 + four_errors(0.05, 1000)
    assert false_findings("tukey", [1] * 5, [0, 0, 0, 3, 3], 300) < 0.01


def test_family_wise_rate_of_tukey_is_not_alpha_where_runs_vary_unlike() -> None:
    # Documented in its words: renaming mixes the spreads.
    assert false_findings("tukey", [1, 1, 1, 4, 4], trials=600) > 0.06
    assert false_findings("tukey", [1] * 8 + [6, 6], trials=400) > 0.13


def test_max_t_intervals_cover_all_differences_together() -> None:
    generator = np.random.default_rng(12)
    first, second = all_pairs(4)
    truth = np.array([0.0, 0.1, 0.2, 0.3])
    trials, covered = 800, 0
    for _ in range(trials):
        values = generator.normal(size=(4, 20)) * np.array([[0.1], [0.1], [0.3], [0.6]]) + truth[:, None]
        outcome = TESTS["max_t"].run(Problem(values, first, second, 0.2, 199, generator))
        true = truth[first] - truth[second]
        covered += bool(np.all((outcome.low <= true) & (outcome.high >= true)))
    assert 0.8 - four_errors(0.8, trials) < covered / trials < 0.9


def test_family_wise_rate_of_holm_is_alpha_for_independent_pairs() -> None:
    values = null_runs(np.random.default_rng(4), 60_000, TOPICS)
    first, second = (np.arange(start, 60_000, 2, dtype=np.int32) for start in (0, 1))
    families = student(Problem(values, first, second)).p.reshape(3000, 10)
    rate = np.mean([holm(family).min() < 0.05 for family in families])
    exact = 1 - (1 - 0.05 / 10) ** 10
    assert rate == pytest.approx(exact, abs=four_errors(exact, 3000))
    assert np.mean([family.min() < 0.05 for family in families]) > 0.35  # without a correction


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_family_wise_rate_of_holm_stays_below_alpha_for_all_pairs(test: str) -> None:
    generator = np.random.default_rng(5)
    trials = 600
    found = [
        compare(null_runs(generator, 5, 20), test=test, resamples=1999, seed=generator).significant.any()
        for _ in range(trials)
    ]
    assert 0.01 < np.mean(found) < 0.05 + four_errors(0.05, trials)


def test_the_best_run_as_baseline_is_found_better_too_often_and_a_note_says_so() -> None:
    generator = np.random.default_rng(7)
    trials, runs = 1500, 10
    found = np.zeros((3, trials), dtype=bool)
    for trial in range(trials):
        values = generator.normal(size=(runs, 50))
        pairs = (pairs_against(runs, [int(values.mean(axis=1).argmax())]), pairs_against(runs, [0]), all_pairs(runs))
        found[:, trial] = [holm(student(Problem(values, *two)).p).min() < 0.05 for two in pairs]
    chosen, named, every = found.mean(axis=1)
    assert chosen > 0.05 + 2 * four_errors(0.05, trials)
    assert max(named, every) < 0.05 + four_errors(0.05, trials)
    values[0] += values.max() - values.min()  # the best, and by far
    with pytest.warns(PoolwiseWarning, match="1 is the best run here: if it was made the baseline for that reason"):
        compare(values, test="t", baseline="1")


def test_false_discovery_rate_of_benjamini_hochberg_is_its_share_of_true_nulls() -> None:
    null, real = independent_pairs("t").p[:3000], independent_pairs("t", seed=6, shift=0.2).p[:3000]
    families = np.hstack([null.reshape(600, 5), real.reshape(600, 5)])
    rejected = np.array([benjamini_hochberg(family) < 0.1 for family in families])
    shares = rejected[:, :5].sum(axis=1) / np.maximum(rejected.sum(axis=1), 1)
    assert np.mean(shares) == pytest.approx(0.05, abs=4 * np.std(shares) / np.sqrt(600))
    assert rejected[:, 5:].mean() > 0.5


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_intervals_cover_the_true_difference(test: str) -> None:
    outcome = independent_pairs(test, seed=7, shift=0.1, alpha=0.1)
    covered = np.mean((outcome.low <= 0.1) & (outcome.high >= 0.1))
    assert covered == pytest.approx(0.9, abs=four_errors(0.9, PAIRS))


def test_tukey_intervals_cover_all_differences_together() -> None:
    generator = np.random.default_rng(8)
    first, second = all_pairs(4)
    trials, covered = 800, 0
    for _ in range(trials):
        outcome = TESTS["tukey"].run(Problem(null_runs(generator, 4, 15), first, second, 0.2, 199, generator))
        covered += bool(np.all((outcome.low <= 0) & (outcome.high >= 0)))
    assert covered / trials == pytest.approx(0.8, abs=four_errors(0.8, trials))
