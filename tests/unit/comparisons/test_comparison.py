"""`compare`: sources, pairs and baselines, corrections, warnings, words and views."""

from __future__ import annotations

import json

import numpy as np
import pytest

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.significance_tests import TESTS, benjamini_hochberg, holm
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.scores.scores import Scores

OVER_TOPICS = [name for name, test in TESTS.items() if not test.of_estimates]
RUNS = ["alpha", "beta", "gamma", "delta"]
TOPICS = [str(number) for number in range(401, 441)]


@pytest.fixture
def scores() -> Scores:
    values = np.random.default_rng(3).random((4, 40)) * 0.3 + np.array([[0.1], [0.3], [0.12], [0.32]])
    return Scores.from_arrays(RUNS, TOPICS, {"AP": values, "P@10": np.round(values, 1)})


@pytest.mark.parametrize("test", OVER_TOPICS)
def test_every_test_gives_one_row_a_pair(scores: Scores, test: str) -> None:
    found = compare(scores, "AP", test=test, resamples=2000)
    table = found.to_frame()
    assert list(table.columns[:5]) == ["run_a", "run_b", "difference", "p", "p_corrected"]
    assert list(zip(table["run_a"], table["run_b"], strict=True)) == [
        (RUNS[i], RUNS[j]) for i in range(4) for j in range(i + 1, 4)
    ]
    means = dict(zip(RUNS, scores.array("AP").mean(axis=1), strict=True))
    expected = [means[a] - means[b] for a, b in zip(table["run_a"], table["run_b"], strict=True)]
    assert table["difference"].tolist() == pytest.approx(expected)
    assert np.all((found.low <= found.difference) & (found.difference <= found.high))
    assert np.all((found.p > 0) & (found.p <= found.p_corrected + 1e-15) & (found.p_corrected <= 1))
    # beta and delta lead, each pair of neighbours is hard to tell apart
    assert found.significant.tolist() == [True, False, True, True, False, True]
    assert found.groups == {"delta": "a", "beta": "a", "gamma": "b", "alpha": "b"}


def test_corrections_are_applied_except_to_tukey(scores: Scores) -> None:
    for correction, function in (("holm", holm), ("bh", benjamini_hochberg)):
        found = compare(scores, "AP", test="t", correction=correction)
        assert found.p_corrected.tolist() == function(found.p).tolist()
    plain = compare(scores, "AP", test="t", correction="none")
    assert plain.p_corrected.tolist() == plain.p.tolist()
    tukey = compare(scores, "AP", test="tukey", resamples=500)
    assert tukey.correction == "tukey"
    assert tukey.p_corrected.tolist() == tukey.p.tolist()


def test_one_baseline_is_compared_with_every_other_run(scores: Scores) -> None:
    found = compare(scores, "AP", test="t", baseline="alpha")
    assert found.run_a == ["beta", "gamma", "delta"]
    assert found.run_b == ["alpha"] * 3
    assert np.all(found.difference[[0, 2]] > 0.1)
    assert found.groups == {}
    everything = compare(scores, "AP", test="t", correction="none")
    assert found.p.tolist() == pytest.approx(everything.p[[0, 1, 2]].tolist())
    assert found.p_corrected.tolist() == holm(found.p).tolist()
    assert found.conclusion == (
        "Of 3 comparisons with alpha in AP on 40 topics (t test, Holm correction, alpha 0.05), "
        "2 found the run better and 0 worse than the baseline; 1 cannot tell."
    )


def test_a_baseline_that_is_the_best_of_many_runs_is_noted() -> None:
    values = np.random.default_rng(3).random((6, 40)) * 0.3 + np.array([[0.1], [0.3], [0.12], [0.12], [0.5], [0.2]])

    def noted(runs: int, baseline: str | list[str], test: str = "t", correction: str = "holm") -> bool:
        found = compare(values[-runs:], test=test, correction=correction, baseline=baseline, resamples=500)
        return any("is the best run here" in note for note in found.warnings)

    with pytest.warns(PoolwiseWarning, match="5 is the best run here.*without a baseline all pairs are"):
        assert noted(6, "5")
    with pytest.warns(PoolwiseWarning, match="is the best run here"):
        assert all((noted(6, ["1", "5"]), noted(5, "4", test="max_t"), noted(6, "5", correction="none")))
    assert not noted(6, "1")  # another one
    assert not noted(4, "3")  # of few
    assert not noted(6, "5", test="tukey")  # accounts for all pairs
    assert not any("best run here" in note for note in compare(values, test="t").warnings)
    level = values - values.mean(axis=1, keepdims=True) + np.linspace(0, 1e-3, 6)[:, None]
    assert not any("best run here" in note for note in compare(level, test="t", baseline="6").warnings)  # nothing found


def test_several_baselines_meet_once(scores: Scores) -> None:
    found = compare(scores, "AP", test="t", baseline=["alpha", "delta", "alpha"])
    assert list(zip(found.run_a, found.run_b, strict=True)) == [
        ("beta", "alpha"),
        ("gamma", "alpha"),
        ("delta", "alpha"),
        ("beta", "delta"),
        ("gamma", "delta"),
    ]
    assert found.baselines == ("alpha", "delta")
    assert np.isnan(found.matrix()[1, 2])
    assert found.matrix()[0, 3] == found.matrix()[3, 0] == found.p_corrected[2]


@pytest.mark.parametrize("test", OVER_TOPICS)
def test_baselines_see_the_p_of_all_pairs(scores: Scores, test: str) -> None:
    everything = compare(scores, "AP", test=test, correction="none", resamples=1000)
    found = compare(scores, "AP", test=test, correction="none", resamples=1000, baseline=["beta", "gamma"])
    table = {frozenset(pair): p for *pair, p in zip(everything.run_a, everything.run_b, everything.p, strict=True)}
    for a, b, p in zip(found.run_a, found.run_b, found.p, strict=True):
        # The fewer pairs are tested together, the smaller the largest of them by chance.
        assert p == pytest.approx(table[frozenset((a, b))]) or (test == "max_t" and p < table[frozenset((a, b))])


def test_arrays_serve_as_scores(scores: Scores) -> None:
    found = compare(scores.array("AP"), test="t")
    assert found.runs == ("1", "2", "3", "4")
    assert found.measure == "score"
    assert found.p.tolist() == compare(scores, "map", test="t").p.tolist()


def test_effect_is_the_mean_in_standard_deviations_of_the_differences(scores: Scores) -> None:
    found = compare(scores, "AP", test="t")
    z = scores.array("AP")[1] - scores.array("AP")[2]
    assert found.effect[3] == pytest.approx(z.mean() / z.std(ddof=1))
    assert np.isnan(found.asl).all()
    assert not found.p_error.any()


def test_default_resamples_suffice_for_holm() -> None:
    values = np.random.default_rng(1).random((30, 50)) + np.linspace(0, 2, 30)[:, None]
    found = compare(values)
    assert found.resamples == 2 * 435 / 0.05
    assert found.p_corrected.min() < 0.05
    assert compare(values, correction="bh").resamples == 10_000
    with pytest.warns(PoolwiseWarning, match="no pair can be significant: .* is 0.87; it takes more resamples"):
        few = compare(values, resamples=499)
    assert not few.significant.any()
    assert len(few.warnings) == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("test", ["bootstrap", "tukey"])
def test_the_smallest_p_of_two_topics_is_what_the_note_says(test: str, seed: int) -> None:
    """With two topics and two runs half of all draws are as extreme as can be, and how many were drawn is chance."""
    with pytest.warns(PoolwiseWarning):
        found = compare(np.array([[0.3, 0.9], [0.1, 0.4]]), test=test, seed=seed)
    note = next(note for note in found.warnings if "the smallest p that 1 pair can have here is about" in note)
    said = float(note.partition("is about ")[2].partition(";")[0])
    assert said == pytest.approx(found.p[0], abs=0.02)
    assert test == "tukey" or said <= found.p[0] + 0.005  # but for its rounding


def test_too_few_topics_for_any_finding_warn() -> None:
    values = np.random.default_rng(1).random((3, 4)) + np.arange(3)[:, None]
    for test in ("randomisation", "wilcoxon"):
        with pytest.warns(PoolwiseWarning) as caught:
            found = compare(values, test=test)
        messages = [str(warning.message) for warning in caught]
        assert messages == list(found.warnings)
        assert "only 4 topics" in messages[0]
        assert "it takes more topics" in messages[1]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("test", OVER_TOPICS)
@pytest.mark.parametrize("topics", [2, 5, 6, 12])
def test_intervals_of_pairs_without_spread_agree_with_p(test: str, topics: int) -> None:
    """A handful of topics that all differ by as much had p = 0.5 and an interval of width 0."""
    base = np.random.default_rng(1).random(topics)
    found = compare([base, base + 0.5], test=test, correction="none")
    assert (found.p[0] < 0.05) == bool(found.low[0] > 0 or found.high[0] < 0)
    if topics < 6:
        assert (found.low[0], found.high[0]) == (-np.inf, np.inf)


def test_equal_runs_warn() -> None:
    base = np.random.default_rng(1).random(20)
    with pytest.warns(PoolwiseWarning, match="same score on every topic|same amount on every topic"):
        found = compare([base, base, base + 0.5], test="t")
    assert found.warnings == (
        "1 of 3 pairs has the same score on every topic",
        "2 of 3 pairs differ by the same amount on every topic: without spread their intervals have no width and say "
        "nothing of other topics",
    )
    assert found.p[0] == 1.0
    assert found.p[1] == 2**-19  # no spread: all that is known is that twenty topics go one way
    assert found.effect.tolist() == [0.0, -np.inf, -np.inf]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("test", OVER_TOPICS)
@pytest.mark.parametrize("topics", [2, 3])
def test_two_or_three_topics_find_nothing_and_say_why(test: str, topics: int) -> None:
    steady = [np.linspace(0.1, 0.3, topics), np.linspace(0.6, 0.8, topics)]
    for values in (steady, [steady[0], steady[1] ** 2], np.zeros((2, topics)), np.full((4, topics), 0.7)):
        found = compare(values, test=test)
        assert not found.significant.any() or test == "t"  # which takes two normal differences at their word
        assert np.all((found.p > 0) & (found.p <= 1))
        assert not np.isnan([found.low, found.high, found.effect]).any()
        assert "nan" not in found.conclusion
        assert f"only {topics} topics" in found.warnings[0]
        if test != "t" and len(values) == 2:
            assert any("no pair can be significant" in note and "more topics" in note for note in found.warnings)


@pytest.mark.parametrize("test", OVER_TOPICS)
def test_tied_runs_do_not_differ(test: str) -> None:
    with pytest.warns(PoolwiseWarning, match="1 of 1 pair has the same score on every topic"):
        found = compare(np.full((2, 30), 0.25), test=test, resamples=500)
    assert found.p.tolist() == [1.0]
    assert (found.low.tolist(), found.high.tolist(), found.effect.tolist()) == ([0.0], [0.0], [0.0])
    assert "the difference is 0.0000 (0.0000 to 0.0000); that does not show that they" in found.conclusion


def test_tukey_warns_where_runs_vary_unlike() -> None:
    noise = np.random.default_rng(2).normal(size=(8, 40))
    assert compare(noise, test="tukey", resamples=300).warnings == ()
    noise[5] *= 5
    with pytest.warns(PoolwiseWarning, match=r"runs vary unlike, one has \d.\d times the usual spread: Tukey's test"):
        found = compare(noise, test="tukey", resamples=300)
    assert found.warnings[0].endswith("the test max_t does not")
    assert compare(noise, test="max_t", resamples=300).warnings == ()


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_finding_against_the_means_is_pointed_out(test: str) -> None:
    z = np.concatenate([np.full(28, 0.01) + np.arange(28) / 1e4, [-1.0, -1.0]])
    with pytest.warns(PoolwiseWarning, match="1 of 1 pair differs significantly in favour of the run with the lower"):
        found = compare([z + 0.5, np.full(30, 0.5)], test=test)
    assert found.significant[0]
    assert found.difference[0] < 0


def test_sentences(scores: Scores) -> None:
    assert compare(scores, "AP", test="t").conclusion == (
        "4 of 6 pairs of runs differ in AP on 40 topics (t test, Holm correction, alpha 0.05); the best run, delta, "
        "is better than 2 of the 3 others and cannot be told apart from beta."
    )
    alike = np.random.default_rng(5).random((3, 30))
    assert compare(alike, test="t").conclusion == (
        "No two of the 3 runs can be told apart in score on 30 topics (t test, Holm correction, alpha 0.05); "
        "that does not show that they are equal."
    )
    two = compare(scores.array("AP")[:2], test="t")
    size = f"{abs(two.difference[0]):.4f} ({-two.high[0]:.4f} to {-two.low[0]:.4f})"
    assert two.conclusion == (
        f"2 is better than 1 in score by {size} on 40 topics (t test, Holm correction, alpha 0.05, p below 0.0001)."
    )
    assert two.p[0] < 0.0001
    open_ = compare(scores.array("AP")[[0, 2]], test="t")
    assert "cannot be told apart" in open_.conclusion
    assert f"alpha 0.05, p {open_.p[0]:.4f})" in open_.conclusion


def test_settings_and_views(scores: Scores) -> None:
    found = compare(scores, "AP", test="bootstrap", resamples=900, seed=9, alpha=0.01)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["seed"] == 9
    assert plain["resamples"] == 900
    assert plain["pairs"]["run_b"][0] == "beta"
    assert plain["pairs"]["p"] == found.p.tolist()
    ranking = found.ranking()
    assert ranking["run"].tolist() == ["delta", "beta", "gamma", "alpha"]
    assert ranking["better_than"].tolist() == [2, 2, 0, 0]
    assert ranking["worse_than"].tolist() == [0, 0, 2, 2]
    assert found._repr_html_().count("<tr>") == 5
    assert found.to_frame("polars").shape[0] == 6
    generator = np.random.default_rng(9)
    assert compare(scores, "AP", test="bootstrap", resamples=900, seed=generator).p.tolist() == found.p.tolist()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"test": "z"}, ArgumentError, "test='z' is unknown; choose one of randomisation, bootstrap, t"),
        ({"correction": "x"}, ArgumentError, "correction='x' is unknown; choose one of holm, bh, none"),
        ({"alpha": 1.0}, ArgumentError, "alpha=1.0 must lie between 0 and 1, such as 0.05"),
        ({"resamples": 0}, ArgumentError, "resamples=0 must be a whole number of at least 1"),
        ({"baseline": "omega"}, ArgumentError, "baseline 'omega' is not among the runs: alpha, beta"),
        ({"measure": "bpref"}, ArgumentError, "bpref was not scored; the measures are AP, P@10"),
        ({"measure": None}, ArgumentError, "name one of them"),
    ],
)
def test_wrong_arguments_are_named(
    scores: Scores, arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    measure = arguments.pop("measure", "AP")
    with pytest.raises(error, match=message):
        compare(scores, measure, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([[0.1, 0.2, 0.3]], InputError, "at least two runs, found 1"),
        ([[0.1], [0.2]], InputError, "at least two topics, found 1"),
        (
            [[0.1, np.nan], [0.2, 0.3]],
            InputError,
            "1 of 4 scores is missing or infinite, the first is run 1 on topic 2",
        ),
        ([0.1, 0.2], ArgumentError, "runs x topics, found an array of 1 dimensions"),
        ([["x"]], ArgumentError, "scores must be numbers"),
    ],
)
def test_wrong_scores_are_named(values: list[object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compare(values)  # type: ignore[arg-type]
