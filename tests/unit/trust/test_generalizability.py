"""Variance components and what `reliability` makes of them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import f as f_distribution
from tests.twins import reliability as twin

from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.scores.scores import Scores
from poolwise.trust.components import _resampled_mean_squares, components, mean_squares, unbalanced_components
from poolwise.trust.generalizability import reliability
from poolwise.trust.reliability import Reliability


def some_scores(seed: int = 1, runs: int = 12, topics: int = 30) -> np.ndarray:
    generator = np.random.default_rng(seed)
    effects = 0.1 * generator.normal(size=(runs, 1)) + 0.2 * generator.normal(size=topics)
    return 0.4 + effects + 0.15 * generator.normal(size=(runs, topics))


def quiet(*arguments: object, **settings: object) -> Reliability:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoolwiseWarning)
        return reliability(*arguments, **settings)  # type: ignore[arg-type]


tables = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7), elements=st.floats(0, 1, width=32)
)


@given(tables)
@settings(max_examples=60, deadline=None)
def test_components_are_those_of_the_twin(scores: np.ndarray) -> None:
    assert components(scores) == pytest.approx(twin.components(scores.tolist()), abs=1e-12)


@given(tables, st.floats(-3, 3), st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_components_ignore_shifts_and_follow_scale(scores: np.ndarray, shift: float, scale: float) -> None:
    moved = components(scale * scores[::-1] + shift)
    assert moved == pytest.approx([scale**2 * part for part in components(scores)], abs=1e-10)


@pytest.mark.parametrize("topics", [1, 7.5, 50, 1000])
def test_phi_and_rho2_are_those_of_the_twin(topics: float) -> None:
    scores = some_scores()
    result = reliability(scores)
    assert result.phi(topics) == pytest.approx(twin.phi(scores.tolist(), topics), rel=1e-12)
    assert result.rho2(topics) == pytest.approx(twin.rho2(scores.tolist(), topics), rel=1e-12)
    assert result.phi() == result.phi(30)


def test_published_components_give_the_published_coefficients() -> None:
    """gt4ireval's example, TREC-3 ad hoc: the printed components lead to the printed coefficients.

    The table itself is not ours to keep; scores are built that have these components exactly.
    """
    wanted = np.array([0.0028117, 0.028093, 0.010152])
    scores = exact_scores(wanted, 30, 50)
    result = reliability(scores)
    assert result.components == pytest.approx(wanted, rel=1e-10)
    assert result.rho2() == pytest.approx(0.93265, abs=1e-5)
    assert result.phi() == pytest.approx(0.78613, abs=1e-5)


def exact_scores(wanted: np.ndarray, runs: int, topics: int) -> np.ndarray:
    """Random effects, scaled so that the mean squares are those expected of the wanted components."""
    generator = np.random.default_rng(5)
    rows, columns = generator.normal(size=runs), generator.normal(size=topics)
    rest = generator.normal(size=(runs, topics))
    rest -= rest.mean(axis=1, keepdims=True)
    rest -= rest.mean(axis=0)
    system, topic, interaction = wanted
    rows *= math.sqrt(system + interaction / topics) / rows.std(ddof=1)
    columns *= math.sqrt(topic + interaction / runs) / columns.std(ddof=1)
    rest *= math.sqrt(interaction * (runs - 1) * (topics - 1) / np.sum(rest**2))
    return rows[:, None] + columns + rest


def test_topics_for_is_the_inverse_of_the_coefficients() -> None:
    result = reliability(some_scores())
    assert result.phi(result.topics_for(phi=0.9)) == pytest.approx(0.9)
    assert result.rho2(result.topics_for(rho2=0.99)) == pytest.approx(0.99)
    low, high = result.topics_for_interval(phi=0.9)
    assert low < result.topics_for(phi=0.9) < high
    assert result.phi_interval(low).high == pytest.approx(0.9)


def test_the_f_interval_is_that_of_the_mean_squares() -> None:
    scores = some_scores()
    result = reliability(scores, level=0.9)
    squares = mean_squares(scores)
    for end, tail in zip(result.signal_relative, (0.95, 0.05), strict=True):
        observed = squares.system / squares.interaction / (1 + 30 * end)
        assert f_distribution.cdf(observed, 11, 11 * 29) == pytest.approx(tail)
    low, high = result.rho2_interval()
    assert low < result.rho2() < high


def test_resampled_mean_squares_are_those_of_the_repeated_columns() -> None:
    scores = some_scores(2, 5, 8)
    taken = np.array([0, 0, 3, 5, 5, 5, 7, 1])
    counts = np.bincount(taken, minlength=8).astype(float)[None]
    found = [float(part[0]) for part in _resampled_mean_squares(scores, counts)]
    assert found == pytest.approx(mean_squares(scores[:, taken]), rel=1e-10)


def test_intervals_follow_level_seed_and_resamples() -> None:
    scores = some_scores()
    wide, narrow = (reliability(scores, level=level).phi_interval() for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert reliability(scores, seed=3) == reliability(scores, seed=3)
    assert reliability(scores, seed=3).phi_interval() != reliability(scores, seed=4).phi_interval()


def test_scores_arrays_and_measures_are_accepted() -> None:
    array = some_scores()
    names = [f"run{i}" for i in range(12)], [str(i) for i in range(30)]
    scores = Scores.from_arrays(*names, {"AP": array, "nDCG": array**2})
    assert reliability(scores, "AP").components == reliability(array).components
    assert reliability(scores, "nDCG").measure == "nDCG"
    with pytest.raises(ArgumentError, match=r"hold 2 measures \(AP, nDCG\); name one"):
        reliability(scores)
    one = Scores.from_arrays(*names, {"AP": array})
    assert reliability(one).measure == "AP"


def test_top_keeps_the_best_runs() -> None:
    array = some_scores()
    best = np.argsort(-array.mean(axis=1))[:10]
    assert reliability(array, top=10).components == pytest.approx(components(array[best]))
    with pytest.raises(ArgumentError, match="top=13 must be a whole number from 2 to 12"):
        reliability(array, top=13)


def test_missing_scores_are_refused_or_left_out() -> None:
    array = some_scores()
    array[3, 4] = array[3, 9] = np.nan
    with pytest.raises(InputError, match=r"2 of 360 scores are missing, the first is run 4 on topic 5"):
        reliability(array)
    with pytest.warns(PoolwiseWarning, match="2 topics with missing scores left out: 5, 10"):
        result = reliability(array, missing="drop-topics")
    assert (result.runs, result.topics, result.dropped) == (12, 28, ("5", "10"))
    assert result.components == pytest.approx(components(np.delete(array, [4, 9], axis=1)))
    with pytest.warns(PoolwiseWarning, match="1 run with missing scores left out"):
        result = reliability(array, missing="drop-runs")
    assert result.components == pytest.approx(components(np.delete(array, 3, axis=0)))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((1, 5)), "at least two runs, found 1"),
        (np.ones((5, 1)), "at least two topics, found 1"),
        (np.array([[1.0, np.inf], [1.0, 2.0]]), "run 1 on topic 2 is infinite"),
    ],
)
def test_tables_without_components_are_errors(array: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reliability(array)


def test_equal_scores_and_equal_runs_are_warned_of() -> None:
    with pytest.warns(PoolwiseWarning, match="all scores are equal"):
        result = reliability(np.full((20, 20), 0.3))
    assert math.isnan(result.phi())
    assert math.isnan(result.rho2())
    assert all(math.isnan(end) for end in (*result.signal_absolute, *result.signal_relative))
    equal = np.tile(np.random.default_rng(1).random(20), (20, 1))
    with pytest.warns(PoolwiseWarning, match="do not tell the runs apart"):
        result = reliability(equal)
    assert result.phi() == 0.0
    assert result.topics_for(phi=0.95) == math.inf
    with pytest.warns(PoolwiseWarning, match="interaction variance is 0"):
        result = reliability(np.add.outer(np.arange(20.0), np.zeros(20)))
    assert (result.phi(), result.rho2(), result.topics_for(phi=0.95)) == (1.0, 1.0, 0.0)


def test_few_runs_or_topics_are_warned_of() -> None:
    with pytest.warns(PoolwiseWarning, match="only 4 runs"):
        result = reliability(some_scores(1, 4, 30))
    assert result.warnings == ("only 4 runs: variance components are uncertain below 10",)


def test_wrong_arguments_say_what_is_allowed() -> None:
    array = some_scores()
    for settings_, message in (
        ({"missing": "zero"}, "drop-topics"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"resamples": 0}, "at least 1"),
    ):
        with pytest.raises(ArgumentError, match=message):
            reliability(array, **settings_)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="found an array of 3 dimensions"):
        reliability(np.ones((2, 3, 4)))
    result = reliability(array)
    with pytest.raises(ArgumentError, match="above 0"):
        result.phi(0)
    with pytest.raises(ArgumentError, match="one of phi and rho2"):
        result.topics_for(phi=0.9, rho2=0.9)
    with pytest.raises(ArgumentError, match=r"phi=1\.0 must lie between 0 and 1"):
        result.topics_for(phi=1.0)


def test_the_curve_marks_today_and_grows() -> None:
    curve = reliability(some_scores()).curve()
    assert [n for n, today in zip(curve.topics, curve.today, strict=True) if today] == [30]
    assert list(curve.phi) == sorted(curve.phi)
    for low, middle, high in zip(curve.phi_low, curve.phi, curve.phi_high, strict=True):
        assert low < middle < high
    frame = curve.to_frame("polars")
    assert frame.columns[:3] == ["topics", "today", "phi"]
    assert curve._repr_html_().count("<tr>") == len(curve.topics) + 1


def test_views_hold_the_pinned_columns() -> None:
    result = reliability(some_scores(), "AP")
    pinned = ["measure", "system", "topic", "interaction", "topics", "phi", "rho2", "topics_for_phi95"]
    frame = result.to_frame()
    assert list(frame.columns[:8]) == pinned
    assert frame.loc[0, "topics_for_phi95"] == pytest.approx(result.topics_for(phi=0.95))
    assert result.to_dict()["seed"] == 0
    assert "<p>AP, 12 runs, 30 topics: Phi 0.700, E rho^2 0.891</p><table>" in result._repr_html_()


def test_words_have_a_sentence_for_the_ranking_and_one_for_the_scores() -> None:
    """Where topics differ much and systems are alike on each, few topics rank them and many are needed for Phi."""
    topics = np.linspace(0, 0.6, 40)
    noise = np.random.default_rng(1).normal(0, 0.02, (10, 40))
    result = quiet(0.03 * np.arange(10)[:, None] + topics + noise)
    rank, level = result.in_words().split(" To know how high each scores, ")
    assert result.rho2() > 0.95 > result.phi()
    assert rank.startswith(
        f"To rank the systems, 40 topics are enough: E rho^2 is {result.rho2():.3f}, and 0.95 takes about"
    )
    assert result.topics_for(rho2=0.95) < 1
    assert "takes about 1 topic (" in rank
    assert level.startswith(f"40 topics are not enough: Phi is {result.phi():.3f}, and 0.95 takes about")
    assert f"takes about {math.ceil(result.topics_for(phi=0.95))} topics" in level


def test_topics_only_seem_enough_where_the_interval_reaches_beyond_them() -> None:
    generator = np.random.default_rng(7)
    seen = set()
    for spread in (0.02, 0.05, 0.1, 0.2, 0.4):
        scores = spread * generator.normal(size=(4, 1)) + 0.1 * generator.normal(size=(4, 30))
        result = quiet(scores)
        needed, interval = result.topics_for(rho2=0.95), result.topics_for_interval(rho2=0.95)
        if not math.isfinite(needed):
            continue
        surely = interval.high <= 30 if needed <= 30 else interval.low > 30
        words = f"30 topics {'are' if surely else 'seem'} {'enough' if needed <= 30 else 'not enough'}: E rho^2"
        assert words in result.in_words()
        seen.add(words)
    assert len(seen) >= 2


def test_the_input_is_left_alone() -> None:
    array = some_scores()
    before = array.copy()
    quiet(array)
    assert np.array_equal(array, before)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (12, 30)])
def test_equal_scores_in_words(shape):
    """Nothing can be told apart, which is no error."""
    said = reliability(np.ones(shape)).in_words()
    assert said == f"All scores of {shape[1]} topics are equal: this measure tells no systems apart."


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("copies", [2, 3, 7])
def test_copies_of_a_run_differ_by_nothing(copies: int) -> None:
    """Rounding is no variance, by either method; a real difference, however small, is one."""
    for seed in range(20):
        scores = np.repeat(some_scores(seed, 1, 43), copies, axis=0)
        found = reliability(scores)
        assert (found.components.system, found.components.interaction) == (0.0, 0.0)
        assert found.in_words().endswith("no number of topics tells these systems apart.")
        assert found.topics_for_interval(phi=0.95) == (math.inf, math.inf)
        assert unbalanced_components(scores)[::2] == (0.0, 0.0)
        shifted = some_scores(seed, 1, 43) + np.array([[0.0], [1e-6]])
        assert reliability(shifted).components.system == pytest.approx(5e-13, rel=1e-6)
