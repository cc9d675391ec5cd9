"""Each test against scipy, full enumeration or a literal twin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.twins import comparisons as twins

from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.resampling_tests import bootstrap, draw_topics, max_t, randomisation, resample, tukey
from poolwise.comparisons.simple_tests import sign, signed_rank, signed_rank_p, student


def scores_of(kind: str, runs: int, topics: int, seed: int = 0) -> np.ndarray:
    """Continuous scores, or tenths with many ties and zero differences."""
    values = np.random.default_rng(seed).beta(1, 2, size=(runs, topics)) + 0.02 * np.arange(runs)[:, None]
    return np.round(values, 1) if kind == "tenths" else values


def pairs_of(values: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(values[i], values[j]) for i, j in zip(*all_pairs(len(values)), strict=True)]


@pytest.mark.parametrize("kind", ["continuous", "tenths"])
@pytest.mark.parametrize("topics", [2, 5, 50, 120])
def test_t_equals_scipy(kind: str, topics: int) -> None:
    values = scores_of(kind, 6, topics, seed=topics)
    outcome = student(Problem(values, *all_pairs(6), alpha=0.1))
    for index, (a, b) in enumerate(pairs_of(values)):
        if np.ptp(a - b) < 1e-12:
            continue
        expected = stats.ttest_rel(a, b)
        interval = expected.confidence_interval(0.9)
        assert outcome.p[index] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (outcome.low[index], outcome.high[index]) == pytest.approx((interval.low, interval.high), rel=1e-9)


def test_distributions_are_those_of_scipy_stats() -> None:
    # scipy.stats takes longer to import than everything else, so that only scipy.special is used.
    for topics in (2, 3, 10, 50, 1000):
        problem = Problem(scores_of("continuous", 5, topics, seed=topics), *all_pairs(5), alpha=0.03)
        size = np.abs(problem.differences) / problem.deviations * np.sqrt(topics)
        assert student(problem).p == pytest.approx(2 * stats.t.sf(size, topics - 1), rel=1e-12)
        # What lies beyond the end: SciPy 1.14 has `stats.t.isf` with one degree of freedom to eleven digits only.
        half = (problem.student_interval()[1] - problem.differences) / problem.deviations * np.sqrt(topics)
        assert stats.t.sf(half, topics - 1) == pytest.approx(np.full(len(half), 0.015), rel=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize(
    ("kind", "topics"),
    [(kind, topics) for kind in ("continuous", "tenths", "halves") for topics in (3, 7, 14, 25, 50, 51, 90)]
    + [("continuous", 13), ("tenths", 13)],
)
def test_wilcoxon_equals_scipy(kind: str, topics: int) -> None:
    runs = 2 if topics == 13 else 6  # scipy takes seconds where it enumerates
    values = scores_of(kind, runs, topics, seed=topics)
    if kind == "halves":
        values = np.round(values * 2) / 2
    p = signed_rank(Problem(values, *all_pairs(runs))).p
    for index, (a, b) in enumerate(pairs_of(values)):
        # scipy leaves it to us to make ties of what rounding tells apart, and counts its 13 topics with the zeros.
        z = np.round(a - b, 10)
        enumerated = topics > 13 and np.count_nonzero(z) <= 13
        expected = twins.signed_rank_test(z) if enumerated or not z.any() else stats.wilcoxon(z).pvalue
        assert p[index] == pytest.approx(expected, rel=1e-12), (index, topics)


def test_wilcoxon_of_few_differences_among_many_topics_is_exact() -> None:
    z = np.zeros((2, 100))
    z[:, :5] = [[1, 2, 3, 4, 5], [1, 1, 1, 1, 2]]
    assert signed_rank_p(z).tolist() == [2 / 2**5, 2 / 2**5]  # the normal distribution has 0.043 and 0.038
    outcome = signed_rank(Problem(np.vstack([z[0], np.zeros(100)]), *all_pairs(2)))
    assert outcome.smallest == outcome.p[0] == 2 / 2**5


def test_ties_are_ties_whatever_rounding_says() -> None:
    tenths = np.random.default_rng(5).integers(0, 11, size=(2, 40))
    exact = signed_rank_p((tenths[0] - tenths[1])[None, :].astype(float))[0]
    problem = Problem(tenths / 10, *all_pairs(2))
    assert np.unique(np.abs(tenths[0] / 10 - tenths[1] / 10)).size > np.unique(np.abs(tenths[0] - tenths[1])).size
    assert signed_rank(problem).p[0] == exact
    assert sign(problem).p[0] == sign(Problem(tenths.astype(float), *all_pairs(2))).p[0]


@pytest.mark.parametrize("kind", ["continuous", "tenths"])
@pytest.mark.parametrize("topics", [2, 3, 14, 60, 1500])
def test_sign_equals_the_binomial_test(kind: str, topics: int) -> None:
    values = scores_of(kind, 7, topics, seed=topics)
    outcome = sign(Problem(values, *all_pairs(7)))
    most = 0
    for index, (a, b) in enumerate(pairs_of(values)):
        won, lost = int(np.sum(a > b + 1e-9)), int(np.sum(b > a + 1e-9))
        most = max(most, won + lost)
        expected = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
        assert outcome.p[index] == pytest.approx(expected, rel=1e-12)
        assert outcome.favours is not None
        assert np.sign(outcome.favours[index]) == np.sign(won - lost)
    assert outcome.smallest == pytest.approx(min(1.0, 2 * 0.5**most))


def test_wilcoxon_drops_zero_differences_and_gives_1_for_nothing_left() -> None:
    zeros = np.zeros(20)
    assert signed_rank_p(np.array([zeros])).tolist() == [1.0]
    some = np.concatenate([np.arange(1, 21) * (-1) ** np.arange(20), zeros])
    positive, n = sum(range(1, 21, 2)), 20  # ranks 1, 3, ... are those of positive differences
    z = (positive - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    assert signed_rank_p(np.array([some]))[0] == pytest.approx(2 * stats.norm.sf(abs(z)))


@pytest.mark.parametrize("kind", ["continuous", "tenths"])
@pytest.mark.parametrize("topics", [2, 3, 8, 10])
def test_randomisation_equals_full_enumeration(kind: str, topics: int) -> None:
    values = scores_of(kind, 5, topics, seed=topics)
    outcome = randomisation(Problem(values, *all_pairs(5), resamples=2**topics))
    assert outcome.exact
    assert outcome.resamples == 2**topics
    assert not np.any(outcome.error)
    expected = [twins.flip_test(a, b) for a, b in pairs_of(values)]
    assert outcome.p.tolist() == pytest.approx(expected, abs=1e-12)


def test_sampled_flips_agree_with_the_enumeration_of_twelve_topics() -> None:
    values = scores_of("continuous", 4, 12, seed=3)
    exact = randomisation(Problem(values, *all_pairs(4), resamples=5000))
    assert exact.exact
    assert exact.p[0] == pytest.approx(twins.flip_test(values[0], values[1]))
    sampled = randomisation(Problem(values, *all_pairs(4), resamples=4095, seed=1))
    assert not sampled.exact
    assert sampled.error is not None
    assert np.all(np.abs(sampled.p - exact.p) < 4 * sampled.error)


def test_randomisation_counts_ties_that_rounding_breaks() -> None:
    # 0.1 + 0.2 is not 0.3 in floating point: the flip of the third topic ties with the data.
    values = np.array([[0.1, 0.2, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])
    p = randomisation(Problem(values, *all_pairs(2), resamples=16)).p[0]
    assert p == twins.flip_test(*values) == 4 / 16


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "tenths"])
@pytest.mark.parametrize("topics", [6, 30])
def test_bootstrap_equals_the_literal_twin_on_the_same_resamples(kind: str, topics: int) -> None:
    values = scores_of(kind, 4, topics, seed=topics)
    problem = Problem(values, *all_pairs(4), resamples=200, seed=5)
    outcome, found = bootstrap(problem), resample(problem, 10)
    drawn = draw_topics(np.random.default_rng(5), topics, 200)
    resamples = [np.repeat(np.arange(topics), row).tolist() for row in drawn]
    for index, (a, b) in enumerate(pairs_of(values)):
        level, required = twins.bootstrap_test(a, b, resamples, 0.05)
        assert outcome.share is not None
        assert outcome.share[index] == pytest.approx(level)
        assert outcome.p[index] == pytest.approx((level * 200 + 1) / 201)
        assert found.sums[index] / topics == pytest.approx(required)
        # alpha (B + 1) = 10.05: the interval reaches to the tenth largest |t(w*)|.
        interval = twins.bootstrap_interval(a, b, resamples, 10)
        assert (outcome.low[index], outcome.high[index]) == pytest.approx(interval)


def test_bootstrap_interval_leaves_out_zero_exactly_if_p_is_at_most_alpha() -> None:
    values = scores_of("continuous", 12, 40, seed=2)
    outcome = bootstrap(Problem(values, *all_pairs(12), alpha=0.1, resamples=999))
    outside = (outcome.low > 0) | (outcome.high < 0)
    assert 0 < outside.sum() < outside.size
    assert np.array_equal(outside, outcome.p <= 0.1)


@pytest.mark.parametrize("test", [student, signed_rank, sign, randomisation, bootstrap])
def test_equal_and_constantly_shifted_runs(test: object) -> None:
    base = scores_of("continuous", 1, 30)[0]
    values = np.array([base, base, base + 0.1])
    outcome = test(Problem(values, *all_pairs(3), resamples=2000))  # type: ignore[operator]
    assert outcome.p[0] == 1.0
    # Without spread all that speaks for a difference is that every topic goes one way.
    if test is signed_rank:
        assert 2**-29 < outcome.p[1] < 1e-7  # many ties, so that p is that of the normal distribution
    else:
        assert outcome.p[1] == pytest.approx(2**-29 if outcome.share is None else 1 / 2001)
    assert outcome.p[1] == outcome.p[2]
    if outcome.share is not None:
        assert outcome.share[0] == 1.0
        assert outcome.share[1] == 0.0


def test_tukey_approaches_the_enumeration_of_all_renamings() -> None:
    values = scores_of("continuous", 3, 4, seed=1)
    exact = twins.tukey_enumerated(values.tolist())
    outcome = tukey(Problem(values, *all_pairs(3), resamples=5000))
    assert outcome.error is not None
    for index, pair in enumerate(zip(*all_pairs(3), strict=True)):
        assert abs(outcome.p[index] - exact[int(pair[0]), int(pair[1])]) < 4 * outcome.error[index] + 1 / 5000


def test_tukey_of_two_runs_is_the_randomisation_test() -> None:
    values = scores_of("continuous", 2, 25, seed=4)
    first = tukey(Problem(values, *all_pairs(2), resamples=20_000))
    second = randomisation(Problem(values, *all_pairs(2), resamples=20_000))
    assert first.error is not None
    assert abs(first.p[0] - second.p[0]) < 5 * first.error[0]


def test_tukey_interval_leaves_out_zero_exactly_if_p_is_at_most_alpha() -> None:
    values = scores_of("continuous", 8, 60, seed=6) + 0.02 * np.arange(8)[:, None]
    outcome = tukey(Problem(values, *all_pairs(8), resamples=999))
    outside = (outcome.low > 0) | (outcome.high < 0)
    assert 0 < outside.sum() < outside.size
    assert np.array_equal(outside, outcome.p <= 0.05)


@pytest.mark.parametrize("kind", ["continuous", "tenths", "flat"])
@pytest.mark.parametrize("topics", [3, 7])
def test_max_t_equals_the_enumeration_of_all_flips(kind: str, topics: int) -> None:
    values = np.round(scores_of(kind, 4, topics, seed=topics), 3)
    if kind == "flat":
        values[3] = values[0] + 0.125  # the same difference on every topic
    outcome = max_t(Problem(values, *all_pairs(4), resamples=2**topics, threads=2))
    assert outcome.exact
    assert outcome.p.tolist() == pytest.approx(list(twins.max_t_enumerated(values.tolist()).values()))


def test_max_t_of_two_runs_is_the_randomisation_test() -> None:
    for topics in (9, 25):
        problem = Problem(scores_of("continuous", 2, topics, seed=4), *all_pairs(2), resamples=5000)
        assert max_t(problem).p.tolist() == randomisation(problem).p.tolist()


@pytest.mark.parametrize(("topics", "resamples"), [(60, 999), (9, 512)])
def test_max_t_interval_leaves_out_zero_exactly_if_p_is_at_most_alpha(topics: int, resamples: int) -> None:
    values = scores_of("continuous", 8, topics, seed=6) * np.linspace(0.2, 1, 8)[:, None] + 0.1 * np.arange(8)[:, None]
    outcome = max_t(Problem(values, *all_pairs(8), resamples=resamples))
    outside = (outcome.low > 0) | (outcome.high < 0)
    assert 0 < outside.sum() < outside.size
    assert np.array_equal(outside, outcome.p <= 0.05)


def test_max_t_has_no_finite_interval_where_nothing_can_be_found() -> None:
    outcome = max_t(Problem(scores_of("continuous", 3, 4), *all_pairs(3)))
    assert outcome.exact
    assert outcome.smallest == 0.125
    assert np.isinf(outcome.high - outcome.low).all()


def test_tukey_has_no_finite_interval_where_nothing_can_be_found() -> None:
    """Nor has a finite one been found too soon: on so many topics that p can be small, it is finite."""
    for runs, topics, resamples in ((2, 2, 9999), (2, 5, 9999), (3, 2, 9999), (2, 30, 18)):
        outcome = tukey(Problem(scores_of("continuous", runs, topics), *all_pairs(runs), resamples=resamples))
        assert outcome.smallest > 0.05
        assert np.isinf(outcome.high - outcome.low).all()
    for runs, topics, resamples in ((2, 6, 9999), (3, 3, 9999), (2, 30, 19)):
        outcome = tukey(Problem(scores_of("continuous", runs, topics), *all_pairs(runs), resamples=resamples))
        assert outcome.smallest <= 0.05
        assert np.isfinite(outcome.high - outcome.low).all()
    equal = tukey(Problem(np.full((2, 2), 0.4), *all_pairs(2)))
    assert (equal.low.tolist(), equal.high.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize("topics", [2, 3, 4])
def test_no_bootstrap_p_is_below_the_smallest(topics: int) -> None:
    """Whatever the scores; and some pair comes to it."""
    least = []
    for seed in range(5):
        values = np.random.default_rng(seed).integers(0, 4, (40, topics)) / 8.0
        problem = Problem(values, *all_pairs(40), resamples=500, seed=seed)
        outcome = bootstrap(problem)
        assert outcome.p.min() >= outcome.smallest
        least.append(outcome.p.min() == outcome.smallest)
    assert any(least)


@pytest.mark.parametrize("test", [randomisation, bootstrap, tukey, max_t])
def test_threads_and_repetition_do_not_change_the_result(test: object) -> None:
    values = scores_of("continuous", 9, 40)
    outcomes = [
        test(Problem(values, *all_pairs(9), resamples=1500, seed=seed, threads=threads))  # type: ignore[operator]
        for seed, threads in ((7, 1), (7, 3), (8, 1))
    ]
    assert outcomes[0].p.tolist() == outcomes[1].p.tolist()
    assert outcomes[0].p.tolist() != outcomes[2].p.tolist()


@pytest.mark.parametrize("test", [randomisation, bootstrap, tukey, max_t])
def test_p_is_never_zero_and_its_error_is_stated(test: object) -> None:
    values = scores_of("continuous", 2, 40) + np.array([[5.0], [0.0]])
    outcome = test(Problem(values, *all_pairs(2), resamples=500))  # type: ignore[operator]
    assert outcome.p[0] == 1 / 501
    assert outcome.share[0] == 0.0
    assert outcome.error[0] == pytest.approx(np.sqrt(outcome.p[0] * (1 - outcome.p[0]) / 500))
