"""`agreement` and `knee`: sources, matching of runs, intervals, warnings, views."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.scores.scores import Scores
from poolwise.trust.rank_correlation import kendall_tau
from poolwise.trust.ranking_agreement import Agreement, agreement, knee

RUNS = ["a", "b", "c", "d", "e", "f"]
TOPICS = [str(number) for number in range(30)]


def some_scores(seed: int, runs: list[str] = RUNS) -> Scores:
    generator = np.random.default_rng(seed)
    level = {run: 0.1 * index for index, run in enumerate(RUNS)}
    means = np.array([level[run] for run in runs])[:, None]
    arrays = {name: means + 0.3 * generator.random((len(runs), len(TOPICS))) for name in ("AP", "nDCG")}
    return Scores.from_arrays(runs, TOPICS, arrays)


def test_vectors_arrays_and_scores_give_the_same() -> None:
    scores = some_scores(1)
    first, second = scores.array("AP"), scores.array("nDCG")
    from_scores = agreement(scores, scores, measure=("AP", "nDCG"))
    from_arrays = agreement(first, second)
    from_means = agreement(first.mean(axis=1), second.mean(axis=1))
    for name in ("tau", "tau_b", "tau_ap", "tau_ap_b", "rho", "r", "rmse", "rbo", "swapped"):
        assert getattr(from_scores, name) == pytest.approx(getattr(from_arrays, name))
        assert getattr(from_scores, name) == pytest.approx(getattr(from_means, name))
    assert (from_scores.first, from_scores.second, from_scores.runs, from_scores.pairs) == ("AP", "nDCG", 6, 15)


def test_runs_are_matched_by_name() -> None:
    scores = some_scores(1)
    order = [5, 2, 0, 1, 4, 3]
    shuffled = Scores.from_arrays([RUNS[i] for i in order], TOPICS, {"AP": scores.array("AP")[order]})
    found = agreement(scores, shuffled, measure="AP", resamples=20)
    assert found.tau == 1.0
    assert found.rmse == 0.0
    assert found.intervals["rmse"] == (0.0, 0.0)
    other = Scores.from_arrays([*RUNS[:5], "z"], TOPICS, {"AP": scores.array("AP")})
    with pytest.raises(InputError, match="must hold the same runs; only the first has f"):
        agreement(scores, other, measure="AP")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_rows_of_pandas_are_matched_by_name() -> None:
    means = {"a": 0.1, "b": 0.2, "c": 0.4, "d": 0.3}
    first, second = pandas.Series(means), pandas.Series({run: 2 * means[run] for run in "dbca"})
    table = pandas.DataFrame({"1": means, "2": means}).loc[list("cabd")]
    numbered = pandas.Series([0.4, 0.3, 0.2, 0.1], index=[2, 3, 1, 0])
    scores = Scores.from_arrays(list("abcd"), ["1"], {"AP": [[means[run]] for run in "abcd"]})
    for one, other in ((first, second), (second, first), (first, table), (first, scores), (scores, second)):
        assert agreement(one, other).tau == 1
    assert agreement(pandas.Series(list(means.values())), numbered).tau == 1
    assert agreement(scores, pandas.Series([0.1, 0.2, 0.4, 0.3])).tau == 1  # numbers of rows are no names
    with pytest.raises(InputError, match="only the first has a"):
        agreement(first, second.rename({"a": "z"}))


def test_a_measure_must_be_named_when_there_are_several() -> None:
    scores = some_scores(1)
    with pytest.raises(ArgumentError, match=r"hold 2 measures \(AP, nDCG\); name one"):
        agreement(scores, scores)
    with pytest.raises(ArgumentError, match="bpref was not scored; the measures are AP, nDCG"):
        agreement(scores, scores, measure="bpref")
    assert agreement(scores, scores, measure="map").first == "AP"


def test_intervals_hold_the_estimate_and_repeat_with_the_seed() -> None:
    scores = some_scores(3)
    found = agreement(scores, scores, measure=("AP", "nDCG"), resamples=200, seed=4)
    for name, (low, high) in found.intervals.items():
        assert low <= getattr(found, name) <= high
    again = agreement(scores, scores, measure=("AP", "nDCG"), resamples=200, seed=4)
    assert found.intervals == again.intervals
    assert found.intervals != agreement(scores, scores, measure=("AP", "nDCG"), resamples=200, seed=5).intervals


def test_an_interval_is_the_hull_of_percentiles_and_their_mirror_image() -> None:
    a, b = np.random.default_rng(6).random((2, 8, 12)) + 0.1 * np.arange(8)[:, None]
    found = agreement(a, b, resamples=150, level=0.9, seed=7)
    times = np.random.default_rng(7).multinomial(12, np.full(12, 1 / 12), size=150)
    drawn = [float(kendall_tau(a @ row, b @ row)) for row in times]
    low, high = np.quantile(drawn, [0.05, 0.95])
    expected = (min(low, 2 * found.tau - high), min(1.0, max(high, 2 * found.tau - low)))
    assert found.intervals["tau"] == pytest.approx(expected)


def test_intervals_need_scores_on_the_same_topics() -> None:
    with pytest.raises(ArgumentError, match="intervals need scores per topic"):
        agreement([0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5], resamples=10)
    scores = some_scores(1)
    renamed = Scores.from_arrays(RUNS, [*TOPICS[1:], "x"], {"AP": scores.array("AP")})
    with pytest.raises(InputError, match="same topics in the same order"):
        agreement(scores, renamed, measure="AP", resamples=10)


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        ([0.1, 0.2], [0.1, 0.2, 0.3], InputError, "same runs, found 2 and 3"),
        ([0.1], [0.1], ArgumentError, "at least two runs"),
        ([0.1, np.nan], [0.1, 0.2], InputError, "missing or infinite"),
    ],
)
def test_wrong_input_is_named(a: list[float], b: list[float], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        agreement(a, b)


def test_doubtful_input_warns_and_is_remembered() -> None:
    with pytest.warns(PoolwiseWarning, match="all means of b are tied"):
        found = agreement([0.5, 0.4, 0.3, 0.2, 0.1], [0.5] * 5)
    assert np.isnan(found.rho)
    assert found.tau == 0.0
    assert found.warnings == ("all means of b are tied: its correlations are undefined",)
    with pytest.warns(PoolwiseWarning, match="only 2 runs"):
        agreement([0.1, 0.2], [0.1, 0.2])


def test_views() -> None:
    found = agreement(some_scores(1), some_scores(2), measure="AP", resamples=10)
    table = found.to_frame()
    assert list(table.columns) == ["coefficient", "value", "low", "high"]
    assert table.set_index("coefficient").loc["tau", "value"] == found.tau
    assert isinstance(found, Agreement)
    assert found.to_dict()["intervals"]["tau"] == list(found.intervals["tau"])
    assert found._repr_html_().count("<tr>") == 12
    assert found.to_frame("polars").shape == table.shape


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.95, 0.96, 0.97, 1.0], 0.1),
        ([0.95, 0.89, 0.97, 1.0], 0.5),
        ([0.5, 0.9, 0.91, 1.0], 0.5),  # 0.9 itself is not above 0.9
        ([0.95, 0.95, 0.95, 0.8], np.nan),
        ([0.95, np.nan, 0.95, 1.0], 0.5),
    ],
)
def test_knee(values: list[float], expected: float) -> None:
    fractions = [0.1, 0.2, 0.5, 1.0]
    assert knee(fractions, values) == pytest.approx(expected, nan_ok=True)
    assert knee(fractions[::-1], values[::-1]) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.95, 0.89, 0.97, 1.0], 0.1), ([0.5, 0.9, 0.91, 0.8], 0.5), ([0.1, 0.2, 0.3, 0.9], np.nan)],
)
def test_knee_as_the_paper_words_it_is_where_the_curve_first_exceeds(values: list[float], expected: float) -> None:
    fractions = [0.1, 0.2, 0.5, 1.0]
    assert knee(fractions, values, stays=False) == pytest.approx(expected, nan_ok=True)


def test_knee_needs_a_curve() -> None:
    with pytest.raises(ArgumentError, match="one value per fraction"):
        knee([0.1, 0.2], [0.5])


@pytest.mark.parametrize("form", ["frame", "dict", "path"])
def test_labels_of_documents_are_no_ranking(form: str) -> None:
    frame = pandas.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [1, 0]})
    given = {"frame": frame, "dict": {"1": {"a": 1, "b": 0}}, "path": "qrels.txt"}[form]
    with pytest.raises(ArgumentError, match="label_agreement compares labels of documents"):
        agreement(given, given)


@pytest.mark.parametrize("given", [["a", "b"], [[0.1, 0.2], [0.3]], [None, {}]])
def test_what_is_not_all_numbers_is_refused(given):
    with pytest.raises(ArgumentError, match="which is not all numbers; give the mean of each run, or scores"):
        agreement([0.1, 0.2], given)
