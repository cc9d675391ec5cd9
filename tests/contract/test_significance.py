"""Laws that hold for every significance test and correction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.kit.small_campaigns import small_campaign, uniform_sample

import poolwise as pw
from poolwise.basics.results import unwarned
from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.significance_tests import CORRECTIONS, TESTS

OVER_TOPICS = [name for name, test in TESTS.items() if not test.of_estimates]
# Tests whose row names no interval have that of the t test; each other one inverts its own p values
STUDENTS = [name for name, test in TESTS.items() if test.interval == "Student's"]
INVERTED = [name for name in TESTS if name == "t" or name not in STUDENTS]
LEVELS = (0.0103, 0.0503, 0.2003, 0.5003)  # no p that is a share of 2,000 resamples is one of these


@pytest.fixture(scope="module")
def values():
    draw = np.random.default_rng(8)
    return draw.random((5, 20)) + draw.random(20) + np.array([[0.0], [0.0], [0.1], [0.3], [0.6]])


def compared(values, test, **options):
    runs = [f"run{number}" for number in range(len(values))]
    topics = [str(number) for number in range(values.shape[1])]
    scores = pw.Scores.from_arrays(runs, topics, {"AP": values})
    options = {"correction": "none", "resamples": 2000, "seed": 3, **options}
    return pw.compare(scores, "AP", test=test, **options)


@pytest.mark.parametrize("test", OVER_TOPICS)
class TestLaws:
    """Of p values of all pairs."""

    def test_p_lies_above_0_and_at_most_at_1(self, values, test):
        p = compared(values, test).p
        assert (p > 0).all()
        assert (p <= 1).all()

    def test_a_unit_of_scores_and_the_difficulty_of_topics_do_not_matter(self, values, test):
        p = compared(values, test).p
        for unit in (4.0, 2.0**-40, 2.0**40):
            assert compared(unit * values, test).p == pytest.approx(p)
        assert compared(values + np.arange(20) / 8, test).p == pytest.approx(p, abs=2e-3)

    def test_runs_change_places(self, values, test):
        here, there = compared(values[:2], test), compared(values[1::-1], test)
        assert there.difference == pytest.approx(-here.difference)
        assert there.p == pytest.approx(here.p, abs=0.05)  # another draw of the same resamples at most

    def test_equal_runs_do_not_differ(self, values, test):
        found = compared(np.stack([values[0], values[0], values[4]]), test)
        assert found.difference[0] == 0.0
        assert found.p[0] == 1.0

    def test_larger_differences_have_smaller_p(self, values, test):
        p = [
            compared(np.stack([values[0], values[0] + shift + 0.1 * values[1]]), test).p[0] for shift in (0.0, 0.2, 1.0)
        ]
        assert p[0] >= p[1] >= p[2]
        assert p[2] < 0.01

    @pytest.mark.parametrize("topics", [2, 4, 6, 20])
    def test_the_smallest_p_is_what_the_clearest_scores_reach(self, test, topics):
        draw = np.random.default_rng(topics)
        values = np.stack([draw.random(topics), 100 + draw.random(topics)])
        outcome = TESTS[test].run(Problem(values, *all_pairs(2), resamples=3000))
        assert outcome.p[0] >= outcome.smallest * 0.8  # where it is an expected share of random resamples
        assert outcome.p[0] <= max(outcome.smallest * 1.2, 0.01)
        noise = TESTS[test].run(Problem(draw.random((12, topics)), *all_pairs(12), resamples=3000))
        assert (noise.p >= noise.smallest * 0.8).all()

    def test_the_declaration_says_what_happens(self, values, test):
        found = compared(values, test)
        declared = TESTS[test]
        assert declared.name == test
        assert declared.words in found.conclusion
        assert declared.summary in found.method
        assert declared.resamples == bool(found.resamples) == np.isfinite(found.asl).all()
        assert (found.correction == test) == declared.simultaneous

    def test_threads_do_not_matter(self, values, test):
        one, three = (compared(values, test, threads=number).p for number in (1, 3))
        assert (one == three).all()

    @pytest.mark.parametrize("correction", CORRECTIONS)
    def test_corrections_keep_the_order_and_only_raise(self, values, test, correction):
        found = compared(values, test, correction=correction)
        assert (found.p_corrected >= found.p - 1e-15).all()
        order = np.argsort(found.p, kind="stable")
        assert (np.diff(found.p_corrected[order]) >= -1e-15).all()


@pytest.fixture(scope="module")
def at_levels():
    """Scores of runs, some close and some apart, and a function that compares them at every level of alpha."""
    pool = small_campaign(runs=8, seed=30)
    sample = uniform_sample(pool, 0.4, 2)
    with unwarned():  # of so few runs
        found = pool.estimate("AP", judgments=sample, difference="all")
    draw = np.random.default_rng(5)
    close = draw.random((8, 20)) * np.linspace(0.3, 1, 8)[:, None] + np.linspace(0, 0.35, 8)[:, None]

    def compare(test):
        if TESTS[test].of_estimates:
            return [pw.compare(found, "AP", test=test, correction="none", alpha=alpha) for alpha in LEVELS]
        return [compared(close, test, alpha=alpha) for alpha in LEVELS]

    return close, compare


class TestIntervals:
    """What bounds the difference speaks of the same alpha as p does."""

    @pytest.mark.parametrize("test", INVERTED)
    def test_0_is_left_out_exactly_where_p_is_below_alpha(self, at_levels, test):
        seen = set()
        for found in at_levels[1](test):
            without_0 = (found.low > 0) | (found.high < 0)
            assert without_0.tolist() == (found.p < found.alpha).tolist()
            seen |= set(without_0.tolist())
        assert seen == {False, True}

    @pytest.mark.parametrize("test", STUDENTS)
    def test_a_row_that_names_no_interval_has_students(self, at_levels, test):
        close, compare = at_levels
        for found in compare(test):
            for first, second, low, high in zip(*all_pairs(8), found.low, found.high, strict=True):
                twin = stats.ttest_rel(close[first], close[second]).confidence_interval(1 - found.alpha)
                assert (low, high) == pytest.approx((twin.low, twin.high))

    @pytest.mark.parametrize("test", TESTS)
    def test_intervals_narrow_as_alpha_grows(self, at_levels, test):
        widths = np.array([found.high - found.low for found in at_levels[1](test)])
        assert (np.diff(widths, axis=0) < 0).all()
