"""Intervals from judgments, topics and both, each against its formula written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm, t
from tests.twins import Topic
from tests.twins.estimators import infAP, infAP_variance

import poolwise as pw
from poolwise.errors import ArgumentError, PoolwiseWarning
from poolwise.measures.registry import parse
from poolwise.pool.judgments import POOLED
from poolwise.scores.intervals import topics_interval

quiet = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
TOPICS = 12


def half_judged(seed=2, missing=True):
    """Two runs on topics of 30 pooled documents, about half of them judged; the second run lacks topics 3 and 7."""
    draw = np.random.default_rng(seed)
    qrels, runs = {}, {"one": {}, "two": {}}
    for number in range(1, TOPICS + 1):
        labels = draw.choice([-1, -1, 0, 1], size=30)
        qrels[str(number)] = {f"d{each:02d}": int(label) for each, label in enumerate(labels)}
        for name, run in runs.items():
            if not (missing and name == "two" and number in (3, 7)):
                run[str(number)] = {f"d{each:02d}": float(draw.normal()) for each in draw.permutation(40)[:25]}
    return pw.read(qrels, runs), qrels, runs


def twin_topics(qrels, run):
    for topic in sorted(qrels, key=int):
        if topic not in run:
            yield None
            continue
        ranking = sorted(run[topic], key=lambda document: -run[topic][document])
        judged = {document: label for document, label in qrels[topic].items() if label >= 0}
        yield Topic(ranking, judged, set(qrels[topic]) - set(judged))


@quiet
@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_judgments_is_the_paper_s_normal_interval(dependent, missing):
    pool, qrels, runs = half_judged()
    scores = pool.score("infAP", interval="judgments", level=0.9, dependent=dependent, missing=missing)
    z = norm.ppf(0.95)
    for number, run in enumerate(scores.runs):
        variances, values = [], []
        for place, topic in enumerate(twin_topics(qrels, runs[run])):
            if topic is None:
                assert scores.low("infAP")[number, place] == scores.high("infAP")[number, place] == 0
                if missing == "skip":
                    continue
            variances.append(infAP_variance(topic, dependent=dependent) if topic else 0.0)
            values.append(infAP(topic) if topic else 0.0)
            half = z * math.sqrt(variances[-1])
            assert scores.low("infAP")[number, place] == pytest.approx(values[-1] - half, abs=1e-12)
            assert scores.high("infAP")[number, place] == pytest.approx(values[-1] + half, abs=1e-12)
        half = z * math.sqrt(sum(variances)) / len(variances)
        mean = sum(values) / len(values)
        assert scores.mean_low()[number, 0] == pytest.approx(mean - half, abs=1e-12)
        assert scores.mean_high()[number, 0] == pytest.approx(mean + half, abs=1e-12)


def test_judgments_says_whose_it_is_and_that_it_does_not_cover():
    pool, *_ = half_judged()
    with pytest.warns(PoolwiseWarning, match=r"\[Y08\].*does not cover.*41, 58 and 65 %.*poolwise estimate"):
        scores = pool.score("infAP", interval="judgments")
    assert any("does not cover" in message for message in scores.warnings)
    assert scores.interval.kind == "judgments"
    assert scores.settings["interval"] == "judgments"
    assert scores.settings["level"] == scores.interval.level == 0.95


@quiet
@pytest.mark.parametrize("kind", ["judgments", "both"])
@pytest.mark.parametrize("measure", ["AP", "xinfAP", "infNDCG", "iP@5"])
def test_measures_without_such_an_interval_point_to_estimate(kind, measure):
    pool, *_ = half_judged()
    with pytest.raises(ArgumentError, match=r"not there for .*, only for infAP and statAP; `poolwise estimate`"):
        pool.score("infAP", measure, interval=kind)


def literal_bootstrap(scores, level, seed, resamples):
    """The studentised interval with every resample written out."""
    number = len(scores)
    mean, error = scores.mean(), scores.std(ddof=1) / math.sqrt(number)
    drawn = np.random.default_rng(seed).multinomial(number, [1 / number] * number, size=resamples)
    ratios = []
    for times in drawn:
        resample = np.repeat(scores, times)
        spread = resample.std(ddof=1) / math.sqrt(number)
        ratios.append((resample.mean() - mean) / spread)
    ratios.sort()
    first = round((resamples + 1) * (1 - level) / 2) - 1
    return max(0.0, mean - ratios[resamples - 1 - first] * error), min(1.0, mean - ratios[first] * error)


@quiet
def test_topics_is_the_studentised_bootstrap():
    pool, *_ = half_judged(missing=False)
    scores = pool.score("AP", "P@5", interval="topics", level=0.8, seed=7, resamples=999)
    for place, measure in enumerate(("AP", "P@5")):
        for run in range(2):
            expected = literal_bootstrap(scores.array(measure)[run], 0.8, 7, 999)
            found = scores.mean_low()[run, place], scores.mean_high()[run, place]
            assert found == pytest.approx(expected, abs=1e-12)
    assert np.isnan(scores.low("AP")).all()
    assert np.isnan(scores.high("AP")).all()
    assert scores.settings["seed"] == 7
    assert scores.settings["resamples"] == 999
    again = pool.score("AP", "P@5", interval="topics", level=0.8, seed=7, resamples=999)
    other = pool.score("AP", "P@5", interval="topics", level=0.8, seed=8, resamples=999)
    assert (again.mean_low() == scores.mean_low()).all()
    assert (other.mean_low() != scores.mean_low()).any()


@quiet
def test_topics_of_runs_that_lack_some():
    pool, *_ = half_judged()
    scores = pool.score("AP", interval="topics", missing="skip", resamples=500)
    kept = [place for place in range(TOPICS) if place not in (2, 6)]
    alone = pw.Scores.from_arrays(["two"], [str(place) for place in kept], {"AP": scores.array("AP")[1:, kept]})
    assert scores.means()[1, 0] == pytest.approx(alone.means()[0, 0])
    assert scores.mean_low()[1, 0] < scores.means()[1, 0] < scores.mean_high()[1, 0]
    drawn = np.random.default_rng(0)
    drawn.multinomial(TOPICS, [1 / TOPICS] * TOPICS, size=500)  # the other run's resamples come first
    expected = literal_bootstrap(alone.array("AP")[0], 0.95, drawn, 500)
    assert (scores.mean_low()[1, 0], scores.mean_high()[1, 0]) == pytest.approx(expected, abs=1e-12)


@quiet
def test_topics_of_counts_and_of_equal_scores():
    pool, *_ = half_judged(missing=False)
    scores = pool.score("NumRel", "NumRet", "NumQ", interval="topics", resamples=500)
    assert scores.mean_low()[0, 0] < scores.means()[0, 0] < scores.mean_high()[0, 0]
    assert scores.means()[0, 0] == scores.array("NumRel")[0].sum()
    for place in (1, 2):
        assert scores.mean_low()[0, place] == scores.means()[0, place] == scores.mean_high()[0, place]
    nearly = pw.read(
        {str(topic): {"a": 1, "b": 0} for topic in range(30)},
        {"x": {str(topic): {"b" if topic == 4 else "a": 1.0} for topic in range(30)}},
    )
    with pytest.warns(PoolwiseWarning, match="nearly all have the same score, for 1 of the intervals"):
        found = nearly.score("P@1", interval="topics", seed=1)
    assert 0.8 < found.mean_low()[0, 0] < 29 / 30
    assert found.mean_high()[0, 0] == 1


@quiet
@pytest.mark.parametrize("topics", [2, 3, 4])
def test_few_topics_hold_the_mean_of_others(topics):
    """Percentile intervals, which stood here for two and three topics, hold 50 and 75 %."""
    generator = np.random.default_rng(topics)
    values = generator.normal(0.5, 0.1, size=(1, 1, 400, topics))
    found, _ = topics_interval(values, np.ones((400, topics)), [parse("AP")], 0.95, 1, 500)
    held = (found.mean_low <= 0.5) & (found.mean_high >= 0.5)
    assert 0.92 < held.mean() < 0.98
    student = stats.t.interval(0.95, topics - 1, values.mean(axis=-1), stats.sem(values, axis=-1))
    if topics < 4:
        assert found.mean_low == pytest.approx(np.clip(student[0], 0, 1))
        assert found.mean_high == pytest.approx(np.clip(student[1], 0, 1))


@quiet
def test_equal_scores_do_not_make_the_mean_certain():
    """All ones on ten topics: Clopper and Pearson's interval; its width was 0."""
    values = np.ones((1, 1, 1, 10))
    found, said = topics_interval(values, np.ones((1, 10)), [parse("Success@5")], 0.95, 1, 500)
    expected = stats.binomtest(10, 10).proportion_ci(0.95, method="exact")
    assert (found.mean_low.item(), found.mean_high.item()) == pytest.approx((expected.low, expected.high))
    assert "all topics have the same score for 1 of the intervals" in said[0]
    generator = np.random.default_rng(2)
    scores = (generator.random((1, 1, 500, 10)) < 0.95).astype(float)
    found, _ = topics_interval(scores, np.ones((500, 10)), [parse("Success@5")], 0.95, 1, 500)
    assert ((found.mean_low <= 0.95) & (found.mean_high >= 0.95)).mean() > 0.93  # it was 0.4
    found, _ = topics_interval(values, np.ones((1, 10)), [parse("DCG@5")], 0.95, 1, 500)
    assert np.isnan(found.mean_low.item())  # how far others are off, nothing tells


@quiet
def test_topics_of_scores_below_zero():
    labels = {"a": -2, "b": 1, "c": 0}
    orders = ("abc", "acb", "bac", "cab", "cba")
    runs = {str(topic): {each: -float(place) for place, each in enumerate(orders[topic % 5])} for topic in range(15)}
    pool = pw.read(dict.fromkeys(runs, labels), {"x": runs})
    scores = pool.score("nDCG(negative='keep')", interval="topics")
    assert scores.means()[0, 0] < 0
    assert scores.mean_low()[0, 0] < scores.means()[0, 0] < scores.mean_high()[0, 0]


def test_few_topics_are_warned_of():
    pool = pw.read({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}})
    with pytest.warns(PoolwiseWarning, match="an interval over 2 topics is rough"):
        pool.score("AP", interval="topics")
    alone = pw.read({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}})
    with pytest.warns(PoolwiseWarning, match="over 1 topic is rough"):
        scores = alone.score("AP", interval="topics")
    assert np.isnan(scores.mean_low()).all()


@quiet
def test_both_is_the_spread_over_topics_but_no_less_than_the_judgments_make():
    pool, *_ = half_judged(missing=False)
    scores = pool.score("infAP", interval="both", level=0.9)
    judgments = pool.score("infAP", interval="judgments", level=0.9)
    for run in range(2):
        values = scores.array("infAP")[run]
        half = t.ppf(0.95, TOPICS - 1) * values.std(ddof=1) / math.sqrt(TOPICS)
        ends = max(0.0, values.mean() - half), min(1.0, values.mean() + half)
        assert (scores.mean_low()[run, 0], scores.mean_high()[run, 0]) == pytest.approx(ends, abs=1e-12)
    assert (scores.low("infAP") == judgments.low("infAP")).all()
    # Two topics with the same judgments and ranking agree, yet the judgments leave doubt.
    labels = {f"d{each:02d}": label for each, label in enumerate([0, 1, -1, -1, 0, -1, 1, -1, -1, 0, 1, -1])}
    ranking = {document: -float(place) for place, document in enumerate(labels)}
    same = pw.read({"1": labels, "2": labels}, {"x": {"1": ranking, "2": ranking}})
    found, alone = (same.score("infAP", interval=kind) for kind in ("both", "judgments"))
    half = (alone.mean_high()[0, 0] - alone.mean_low()[0, 0]) / 2 / norm.ppf(0.975)
    expected = found.means()[0, 0] - t.ppf(0.975, 1) * half
    assert found.mean_low()[0, 0] == pytest.approx(max(0.0, expected))


@quiet
def test_many_samples():
    pool, *_ = half_judged()
    hidden = np.where(np.arange(len(pool.judgments.labels)) % 3 == 0, POOLED, pool.judgments.labels)
    sets = [pool.judgments, pw.Judgments(pool, hidden.astype(np.int32))]
    for kind in ("judgments", "topics", "both"):
        many = pool.score("infAP", judgments=sets, interval=kind, resamples=200)
        assert many.low("infAP").shape == (2, 2, TOPICS)
        for number, each in enumerate(sets):
            alone = pool.score("infAP", judgments=each, interval=kind, resamples=200)
            assert many.mean_low()[number] == pytest.approx(alone.mean_low(), abs=1e-14)
            assert many.high("infAP")[number] == pytest.approx(alone.high("infAP"), abs=1e-14, nan_ok=True)


@quiet
def test_frames_rows_and_html_show_the_ends():
    pool, *_ = half_judged()
    scores = pool.score("infAP", interval="judgments", missing="skip")
    frame = scores.to_frame()
    assert list(frame.columns) == ["run", "measure", "topic", "value", "low", "high"]
    assert len(frame) == 2 * TOPICS - 2
    assert frame["low"].to_numpy()[:TOPICS] == pytest.approx(scores.low("infAP")[0])
    rows = list(scores.interval_rows(per_topic=False))
    assert rows[1] == ("two", "infAP", "all", scores.means()[1, 0], scores.mean_low()[1, 0], scores.mean_high()[1, 0])
    assert f"[{scores.mean_low()[0, 0]:.4f}, {scores.mean_high()[0, 0]:.4f}]" in scores._repr_html_()
    topics = pool.score("infAP", interval="topics", resamples=200)
    first, *_, last = topics.to_csv(per_topic=True).splitlines()[1:]
    assert first.endswith(",,")
    assert last.split(",")[:3] == ["two", "infAP", "all"]
    assert float(last.split(",")[4]) == topics.mean_low()[1, 0]


@quiet
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interval": "labels"}, "choose one of judgments, topics, both, bounds"),
        ({"interval": "topics", "level": 95}, "level=95 must lie between 0 and 1, such as 0.95"),
        ({"interval": "topics", "level": "wide"}, "level='wide' must lie between 0 and 1"),
        ({"interval": "topics", "resamples": 10}, "resamples=10 must be a whole number of at least 100"),
    ],
)
def test_wrong_arguments(settings, message):
    pool, *_ = half_judged()
    with pytest.raises(ArgumentError, match=message):
        pool.score("AP", **settings)


@quiet
def test_scores_without_an_interval_say_so():
    pool, *_ = half_judged()
    for ask in (lambda scores: scores.low("AP"), lambda scores: scores.mean_high()):
        with pytest.raises(ArgumentError, match="these scores have no interval"):
            ask(pool.score("AP"))


def test_the_coverage_that_warnings_quote_is_that_of_the_reproduction():
    """One place for a number: what `make reproduce` found on TREC-8 in 300 trials."""
    import json
    import re
    from pathlib import Path

    from poolwise.scores.intervals import COVERAGE

    found = json.loads((Path(__file__).parents[3] / "benchmarks" / "reproduce" / "found.json").read_text("utf-8"))
    head, _, *rows = found["tables"]["coverage of infAP"].splitlines()
    assert [name.split(" (")[0] for name in head.strip("| ").split(" | ")] == [
        "judged", "infAP", "infAP, dependent", "statAP",
    ]  # fmt: skip
    for place, measure in ((0, "infAP"), (2, "statAP")):
        values = [float(re.findall(r"([\d.]+) ±", row)[place]) for row in rows]
        assert COVERAGE[measure] == "{:.0f}, {:.0f} and {:.0f} %".format(*values)
