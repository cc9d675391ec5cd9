"""Robustness, decisions, discrimination and estimation against other tools and literal loops."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, wilcoxon
from tests.kit.study_tables import rows

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate

pytestmark = pytest.mark.slow

pytrec_eval = pytest.importorskip("pytrec_eval")  # the quick tests do without other tools

FRACTIONS = [0.05, 0.3, 1.0]


@cache
def simulated():
    return simulate(runs=7, topics=15, depth=80, pool_depth=30, grades=3, negative=0.0, seed=5)


@cache
def list_of(run):
    return simulated().run(run)


@pytest.fixture(scope="module")
def campaign():
    return simulated()


def other_tool(campaign, judgments, name="map"):
    """Runs x topics by pytrec_eval."""
    judged = {topic: judgments.of(topic) for topic in campaign.topics}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {name})
    found = [evaluator.evaluate(list_of(run)) for run in campaign.runs]
    return np.array([[each.get(topic, {name: 0.0})[name] for topic in campaign.topics] for each in found])


def scored(campaign, trials):
    return [[other_tool(campaign, each) for each in trial] for trial in trials]


def samples(pool, design, trials, **settings):
    return [
        [pool.judgments.sample(design, fraction=f, seed=3, trial=t, **settings) for f in FRACTIONS]
        for t in range(trials)
    ]


def test_robustness_is_tau_between_rankings_of_another_tool(campaign, pool):
    study = pw.study.robustness(pool, measures=["AP", "nDCG"], fractions=FRACTIONS, trials=3, seed=3)
    drawn = samples(pool, "reduce", 3)
    for measure, name in (("AP", "map"), ("nDCG", "ndcg")):
        complete = other_tool(campaign, pool.judgments, name).mean(axis=1)
        for place, fraction in enumerate(FRACTIONS):
            means = [other_tool(campaign, trial[place], name).mean(axis=1) for trial in drawn]
            taus = [kendalltau(complete, each).statistic for each in means]
            row = next(r for r in rows(study, "curve") if (r["measure"], r["fraction"]) == (measure, fraction))
            assert row["tau"] == pytest.approx(np.mean(taus), abs=1e-12)
            assert row["tau_sd"] == pytest.approx(np.std(taus, ddof=1), abs=1e-12)
            assert row["value"] == pytest.approx(np.mean(means), abs=1e-12)
    agreement = rows(study, "agreement")[0]
    pair = [other_tool(campaign, pool.judgments, name).mean(axis=1) for name in ("map", "ndcg")]
    assert agreement["tau"] == pytest.approx(kendalltau(*pair).statistic, abs=1e-12)


def test_robustness_with_graded_gains_weighs_the_highest_label(pool):
    study = pw.study.robustness(pool, measures=["AP"], fractions=[0.2, 1.0], trials=2, seed=3)
    names = list(dict.fromkeys(study.tables["gains"].columns["measure"]))
    assert len(names) == 12
    assert all(row["tau"] > 0.9 for row in rows(study, "gains") if row["fraction"] == 1.0)
    sample = [pool.judgments.sample("reduce", fraction=0.2, seed=3, trial=t) for t in range(2)]
    measure = pw.nDCG(gain={1: 1, 2: 100})
    complete = pool.score(measure).means()[:, 0]
    taus = [kendalltau(complete, pool.score(measure, judgments=each).means()[:, 0]).statistic for each in sample]
    row = next(r for r in rows(study, "gains") if r["measure"] == str(measure) and r["fraction"] == 0.2)
    assert row["tau"] == pytest.approx(np.mean(taus), abs=1e-12)


def p_value(a, b):
    difference = np.asarray(a) - np.asarray(b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 1.0 if not difference.any() else wilcoxon(difference).pvalue


@pytest.mark.parametrize("judged", ["pair", "all"])
def test_decisions_are_those_of_scipy_on_scores_of_another_tool(campaign, pool, judged):
    study = pw.study.decisions(pool, measures=["AP"], fractions=FRACTIONS, trials=2, seed=3, judged=judged)
    pairs = list(combinations(range(len(campaign.runs)), 2))
    counts = np.zeros((len(FRACTIONS), 2, 2), dtype=int)
    for_all = scored(campaign, samples(pool, "reduce", 2))
    for a, b in pairs:
        names = [campaign.runs[a], campaign.runs[b]]
        for trial in scored(campaign, samples(pool, "pair", 2, runs=names)) if judged == "pair" else for_all:
            decisions = [p_value(scores[a], scores[b]) < 0.05 for scores in trial]
            for place, rejected in enumerate(decisions):
                counts[place, int(decisions[-1]), int(rejected)] += 1
    for row, fraction, ((kept_kept, kept_rejected), (rejected_kept, rejected_rejected)) in zip(
        rows(study, "decisions"), FRACTIONS, counts.tolist(), strict=True
    ):
        assert row["fraction"] == fraction
        assert row["accuracy"] == pytest.approx((kept_kept + rejected_rejected) / (2 * len(pairs)))
        assert row["false_positive"] == pytest.approx(rejected_kept / max(1, rejected_kept + rejected_rejected))
        assert row["false_negative"] == pytest.approx(kept_rejected / max(1, kept_kept + kept_rejected))
    assert 0 < rows(study, "decisions")[0]["accuracy"] < 1


def test_discrimination_counts_pairs_that_a_bootstrap_tells_apart(campaign, pool):
    study = pw.study.discrimination(pool, measures=["AP"], fractions=FRACTIONS, trials=2, seed=3, resamples=400)
    levels = study.tables["asl"].columns["asl"]
    assert len(levels) == 21
    assert levels == sorted(levels, reverse=True)
    complete = rows(study, "complete")[0]
    assert complete["power"] == pytest.approx(np.mean(np.array(levels) < 0.05))
    # A t test is what the bootstrap approximates.
    scores = other_tool(campaign, pool.judgments)
    from scipy.stats import ttest_rel

    tests = [ttest_rel(scores[a], scores[b]).pvalue for a, b in combinations(range(7), 2)]
    assert complete["power"] == pytest.approx(np.mean(np.array(tests) < 0.05), abs=0.15)
    assert rows(study, "discrimination")[-1]["power"] == complete["power"]
    drawn = samples(pool, "reduce", 2)
    for place, row in enumerate(rows(study, "discrimination")):
        found = [pw.discriminative_power(other_tool(campaign, trial[place]), resamples=400, seed=3) for trial in drawn]
        assert row["power"] == pytest.approx(np.mean([each.power for each in found]))
        assert row["difference_required"] == pytest.approx(np.mean([each.difference_required for each in found]))


def test_estimation_compares_estimates_with_all_labels(campaign, pool):
    contributing = campaign.runs[:4]
    study = pw.study.estimation(
        pool, measures=["infAP", "xinfAP"], fractions=[0.3], depths=[3], trials=3, assisted=2, seed=3,
        contributing=contributing,
    )  # fmt: skip
    truth = other_tool(campaign, pool.judgments).mean(axis=1)
    by_design = {(row["measure"], row["design"]): row for row in rows(study, "estimation")}
    drawn = [
        pool.judgments.sample("depth_plus_random", depth=3, contributing=contributing, seed=3, trial=t)
        for t in range(3)
    ]
    estimates = np.array([pool.score("xinfAP", judgments=each).means()[:, 0] for each in drawn])
    row = by_design["xinfAP", "depth 3, two strata"]
    assert row["bias"] == pytest.approx(np.mean(estimates - truth), abs=1e-12)
    assert row["rmse"] == pytest.approx(
        np.mean([np.sqrt(np.mean((each - truth) ** 2)) for each in estimates]), abs=1e-12
    )
    assert row["r"] == pytest.approx(np.mean([np.corrcoef(each, truth)[0, 1] for each in estimates]), abs=1e-12)
    assert row["share_judged"] == pytest.approx(np.mean([each.count() for each in drawn]) / pool.judgments.count())
    covered, widths = [], []
    for trial in range(2):
        sample = pool.judgments.sample("uniform", fraction=0.3, seed=3, trial=trial)
        found = pool.estimate("AP", judgments=sample)
        low, high = found.mean_low()[:, 0], found.mean_high()[:, 0]
        covered.append((low <= truth + 1e-12) & (truth - 1e-12 <= high))
        widths.append(high - low)
    row = by_design["AP (assisted)", "uniform 30 %"]
    assert row["coverage"] == pytest.approx(np.mean(covered))
    assert row["width"] == pytest.approx(np.mean(widths), rel=1e-6)
    groups = rows(study, "seen")
    assert {row["runs"] for row in groups} == {"seen", "unseen"}
    unseen = next(
        r for r in groups if (r["runs"], r["measure"], r["design"]) == ("unseen", "xinfAP", "depth 3, two strata")
    )
    assert unseen["bias"] == pytest.approx(np.mean((estimates - truth)[:, 4:]), abs=1e-12)


def test_runs_are_chosen_by_what_they_retrieved_and_by_rank(campaign, pool):
    study = pw.study.robustness(pool, measures=["AP"], fractions=[0.5], trials=1, top=3)
    means = dict(zip(campaign.runs, other_tool(campaign, pool.judgments).mean(axis=1), strict=True))
    assert sorted(study.tables["runs"].columns["run"]) == sorted(sorted(means, key=means.get, reverse=True)[:3])
    lists = {"full": "abcd", "also": "bcda", "short": "ab"}
    runs = {name: {"1": {document: -float(i) for i, document in enumerate(lists[name])}} for name in lists}
    short = pw.read({"1": {"a": 1, "b": 0}}, runs)
    study = pw.study.robustness(short, measures=["AP"], fractions=[1.0], trials=1, retrieved=0.95)
    assert study.tables["runs"].columns["run"] == ["full", "also"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"fractions": [0.0]}, "shares above 0"),
        ({"fractions": []}, "shares above 0"),
        ({"trials": 0}, "trials=0"),
        ({"top": 1}, "top=1"),
        ({"retrieved": 2.0}, "from 0 to 1"),
        ({"measures": []}, "no measure"),
        ({"rounding": "sideways"}, "rounding"),
    ],
)
def test_wrong_settings_are_refused(pool, settings, words):
    with pytest.raises(pw.ArgumentError, match=words):
        pw.study.robustness(pool, **settings)


def test_every_trial_of_decisions_has_pairs_of_its_own(pool):
    from poolwise.lab.study.decisions_study import DecisionsStudy

    found = DecisionsStudy(
        measures=(), fractions=(1.0,), trials=2, seed=1, rounding="up", run_indices=tuple(range(8)), most_pairs=10,
        judged="pair", alpha=0.05,
    )  # fmt: skip
    first, second = found.pairs("00000"), found.pairs("00001")
    assert len(first) == len(second) == found.number_of_pairs == 10
    assert first == found.pairs("00000") != second
    assert len(set(first)) == 10


def test_knees_of_both_kinds_and_both_thresholds(pool):
    study = pw.study.robustness(pool, measures=["AP"], fractions=[0.1, 0.3, 0.6, 1.0], trials=2)
    (row,) = rows(study, "knees")
    taus = {r["fraction"]: r["tau"] for r in rows(study, "curve")}
    for ending, level in (("", 0.9), ("_80", 0.8)):
        good = [f for f, tau in taus.items() if tau > level]
        assert row[f"exceeds{ending}"] == min(good)
        assert row[f"knee{ending}"] == min(f for f in good if all(taus[g] > level for g in taus if g >= f))
    assert all(0 <= r["p"] <= 1 for r in rows(study, "agreement"))


def test_equal_effort_adds_a_uniform_sample_of_the_size_of_each_depth(pool):
    study = pw.study.estimation(pool, measures=["infAP", "xinfAP"], fractions=[0.2], depths=[2, 4], effort="equal",
                                precisions="dependent", trials=2, assisted=0)  # fmt: skip
    shares = {row["design"]: row["share_judged"] for row in rows(study, "estimation")}
    for depth in (2, 4):
        assert shares[f"uniform, as many as depth {depth}"] == pytest.approx(
            shares[f"depth {depth}, two strata"], abs=0.02
        )
    titles = [figure.title for figure in study.figures.values()]
    assert "Estimate and truth, uniform 20 %" in titles
    assert "Estimate and truth, depth 4, two strata" in titles
    plain = pw.study.estimation(pool, measures=["infAP"], fractions=[0.2], depths=[], trials=2, assisted=0)
    wide = [r["width"] for r in rows(study, "estimation") if (r["measure"], r["design"]) == ("infAP", "uniform 20 %")]
    narrow = [r["width"] for r in rows(plain, "estimation")]
    assert wide > narrow  # covariances of precisions are added


def test_seen_and_unseen_runs_are_told_apart_only_where_there_are_both(pool):
    settings = {"measures": ["xinfAP"], "fractions": [], "depths": [4], "trials": 1, "assisted": 0}
    title = "{}, depth 4, two strata"
    for makers, seen in ((pool.runs, "Estimate and truth"), (pool.runs[:4], "Seen and unseen runs")):
        study = pw.study.estimation(pool, contributing=makers, **settings)
        assert title.format(seen) in [figure.title for figure in study.figures.values()]
        apart = seen == "Seen and unseen runs"
        assert ("seen" in study.tables) == ("seen" in study.tables["runs"].columns) == apart


def test_bootstrap_and_swap_method_stand_side_by_side(pool):
    study = pw.study.discrimination(pool, measures=["AP", "P@10"], fractions=[1.0], trials=1, resamples=200)
    for row in rows(study, "swap"):
        assert 0 <= row["sensitivity"] <= 1
        assert {"power", "swap_difference", "difference_required"} < set(row)


def test_intervals_of_infAP_and_statAP_are_tried_on_uniform_samples(pool):
    study = pw.study.estimation(
        pool, measures=["infAP", "statAP", "AP"], fractions=[0.4], depths=[2], trials=2, assisted=0
    )
    widths = {(r["measure"], r["design"]): r["width"] for r in rows(study, "estimation")}
    assert widths["infAP", "uniform 40 %"] > 0
    assert widths["statAP", "uniform 40 %"] > 0
    assert np.isnan(widths["AP", "uniform 40 %"])
    assert np.isnan(widths["statAP", "depth 2, two strata"])
