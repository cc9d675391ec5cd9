"""Looks at estimates: bands against a literal recursion, information of equal rates, ends in every shape, files."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas
import pytest
from scipy.stats import norm
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.estimates.combine import combine
from poolwise.estimates.estimator import prepare
from poolwise.estimates.interim_looks import Look, Looks
from poolwise.estimates.layout import Layout
from poolwise.estimates.sequential_band import factors, information, quantile_for
from poolwise.estimates.targets import target_of
from poolwise.estimates.unpooled import UnpooledDocuments
from poolwise.estimates.width_forecast import PlannedSteps
from poolwise.pool.judgments import POOLED

SEED = 8  # by which the model expects a larger variance at some look than the sample shows

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def campaign():
    labels, runs = campaign_tables(runs=12, topics=8, documents=150, depth=60, share=0.2, grades=1, skill=1.0, seed=5)
    return pw.read(labels, runs)


def pair_of(campaign) -> tuple[str, str]:
    return campaign.runs[0], campaign.runs[1]


def seen(found) -> list:
    (key,) = (key for key in found.looks.seen[-1].rows if " - " in key)
    return [look.rows[key] for look in found.looks.seen]


def looked(campaign, fractions, end=0.5, **settings):
    looks, results = Looks(end), []
    for fraction in fractions:
        sample = campaign.judgments.sample("uniform", fraction=fraction, seed=SEED)
        results.append(
            campaign.estimate(
                "P@20", judgments=sample, difference=pair_of(campaign), steadied=False, looks=looks, **settings
            )
        )
        looks = results[-1].looks
    return results


def test_information_of_equal_rates_is_the_ratio_of_w(campaign) -> None:
    """P@k is linear in labels, so the second order plays no part, and rates are alike up to rounding."""
    for fraction, found in zip((0.1, 0.2, 0.4), looked(campaign, (0.1, 0.2, 0.4)), strict=True):
        assert seen(found)[-1].tau == pytest.approx(information(fraction, 0.5), rel=0.04)


def expected_more(campaign, fraction: float) -> float:
    """By how much the model expects a larger variance of the pair's P@20 than squares of shares show."""
    sample = campaign.judgments.sample("uniform", fraction=fraction, seed=SEED)
    layout = Layout.of(campaign, sample)
    pair = [campaign.run_number(run) for run in pair_of(campaign)]
    target = target_of(pw.parse("P@20"), layout)
    outside = UnpooledDocuments(sample, pair, [(0, 1)], [target], "range")
    (one,) = combine(layout, prepare(campaign, sample), [target], pair, False, 1, outside)
    shares = one.shares[0] - one.shares[1]  # precision has no second order
    return max(0.0, float(one.between[0]) - float(sum(share * share for share in shares)))


def test_the_band_is_the_recursion_over_looks_so_far_with_quantiles_of_t(campaign) -> None:
    """From the second look on by the larger of two variances: as the sample shows it, and as the model expects it."""
    fractions = (0.1, 0.2, 0.4, 0.5)
    results = looked(campaign, fractions)
    more = [0.0, *(expected_more(campaign, fraction) for fraction in fractions[1:])]
    assert max(more) > 0.0
    taus = [step.tau for step in seen(results[-1])]
    for number, found in enumerate(results):
        pair, factor = found.differences, factors(taus[: number + 1])[-1]
        half = quantile_for(factor, float(pair.df[0])) * np.sqrt(pair.standard_error[0] ** 2 + more[number])
        low, high = pair.difference[0] - half, pair.difference[0] + half
        assert pair.band_low[0] == pytest.approx(np.clip(low, -1, 1))
        assert pair.band_high[0] == pytest.approx(np.clip(high, -1, 1))
        assert pair.band_low[0] <= pair.low[0] <= pair.high[0] <= pair.band_high[0]
    assert taus[-1] == pytest.approx(1.0)


def test_runs_have_bands_of_their_own(campaign) -> None:
    (found,) = looked(campaign, (0.5,))
    assert found.band_low.shape == (12, 1)
    assert found.band_low == pytest.approx(found.plain_low)  # one look at the end is the usual interval
    assert found.band_high == pytest.approx(found.plain_high)
    assert set(found.columns()) >= {"band_low", "band_high"}


def test_information_never_falls() -> None:
    """Also where the forecast of the end's variance says that less is known than at the look before."""
    looks = Looks(100)
    for labels, tau in ((20, 0.3), (30, 0.1), (40, 0.35)):
        looks = looks.add(Look(labels, 100, {"AP a": looks.see("AP a", tau, 0.1, 100, 0.05)}), 0.95)
    assert [look.rows["AP a"].tau for look in looks.seen] == [0.3, 0.3, 0.35]


def test_fewer_labels_than_at_the_last_look_are_refused(campaign) -> None:
    few, many = (campaign.judgments.sample("uniform", fraction=fraction, seed=SEED) for fraction in (0.1, 0.3))
    looks = looked(campaign, (0.1, 0.3))[-1].looks
    with pytest.raises(pw.InputError, match=f"^{few.count()} labels, but there were {many.count()} at the last look"):
        campaign.estimate("P@20", judgments=few, looks=looks)


@pytest.mark.parametrize("fractions", [(0.2, 0.2), (0.1, 0.2, 0.2)])
def test_who_looks_again_at_the_same_labels_sees_the_same_band(campaign, fractions) -> None:
    """Also after the end was moved, and after another measure was looked at; nothing is recorded."""
    *_, first, again = looked(campaign, fractions)
    sample = campaign.judgments.sample("uniform", fraction=0.2, seed=SEED)
    other = campaign.estimate("AP", judgments=sample, looks=first.looks)
    late = campaign.estimate(
        "P@20", judgments=sample, difference=pair_of(campaign), steadied=False, looks=other.looks.until(0.8)
    )
    for found in (again, late):
        assert found.differences.band_low.tolist() == first.differences.band_low.tolist()
        assert found.band_high.tolist() == first.band_high.tolist()
    assert np.isfinite(first.differences.band_low).all()
    assert again.looks.seen == first.looks.seen
    assert late.looks.seen == other.looks.seen
    assert late.looks.end == 0.8


def test_all_is_spent_at_the_end_and_a_later_end_brings_no_band(campaign) -> None:
    """Neither on the way nor at the new end, and a note says so."""
    looks = looked(campaign, (0.1,), end=0.1)[-1].looks.until(0.4)
    for fraction in (0.2, 0.4):
        sample = campaign.judgments.sample("uniform", fraction=fraction, seed=SEED)
        labels = looks.seen[0].labels
        with pytest.warns(pw.PoolwiseWarning, match=f"no band any more .* spent at the look of {labels} labels"):
            found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), looks=looks)
        assert np.isnan(found.differences.band_low).all()
        assert np.isnan(found.band_low).all()
        looks = found.looks


def test_a_look_too_early_for_a_band_says_so_with_its_information(campaign) -> None:
    sample = campaign.judgments.sample("uniform", fraction=0.05, seed=SEED)
    with pytest.warns(pw.PoolwiseWarning, match="no band yet for P@20"):
        found = campaign.estimate(
            "P@20", judgments=sample, runs=pair_of(campaign), difference=pair_of(campaign), looks=Looks(0.9)
        )
    assert np.isnan(found.band_low).all()
    (words,) = (words for words in found.warnings if "no band" in words)
    shares = [100 * row.tau for row in found.looks.seen[0].rows.values()]
    assert f"has {min(shares):.2g} to {max(shares):.2g} % of the information" in words
    assert max(shares) == pytest.approx(100 * information(0.05, 0.9), rel=0.3)
    with pytest.warns(pw.PoolwiseWarning, match="looks end with the whole pool judged"):
        campaign.estimate("P@20", judgments=sample, looks=Looks(1.0))


def test_a_forecast_of_no_more_labels_is_the_width_and_widths_fall(campaign) -> None:
    (found,) = looked(campaign, (0.1,))
    ahead = found.forecast
    rows = [place for place, other in enumerate(ahead.run_b) if other]
    assert [ahead.labels[place] for place in rows[:4]] == [0, 50, 100, 200]
    assert ahead.end[rows[-1]]
    widths = ahead.width[rows]
    assert widths[0] == pytest.approx(found.differences.high[0] - found.differences.low[0])
    assert (np.diff(widths) < 0).all()


def test_ends_in_every_shape_are_the_same_end(campaign, tmp_path) -> None:
    sample = campaign.judgments.sample("uniform", fraction=0.25, seed=SEED)
    end = campaign.judgments.sample("uniform", fraction=0.5, seed=SEED)
    end.write(tmp_path / "end.txt")
    counts = {
        (topic, 1): int((end.labels[a:b] >= 0).sum())
        for topic, a, b in zip(campaign.topics, end.offsets[:-1], end.offsets[1:], strict=True)
    }

    def tau(given):
        found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), looks=Looks(given))
        return seen(found)[-1].tau

    expected = tau(counts)
    assert tau(tmp_path / "end.txt") == pytest.approx(expected)
    assert tau(0.5) == pytest.approx(expected, rel=0.04)
    assert tau(sum(counts.values())) == pytest.approx(expected, rel=0.04)


def test_looks_are_written_and_read_back(campaign, tmp_path) -> None:
    first, second = looked(campaign, (0.1, 0.3))
    first.looks.write(tmp_path / "looks.json")
    again = Looks.read(tmp_path / "looks.json")
    assert again == first.looks
    sample = campaign.judgments.sample("uniform", fraction=0.3, seed=SEED)
    found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), steadied=False, looks=again)
    assert found.differences.band_low[0] == second.differences.band_low[0]
    assert repr(found.looks) == "<Looks: 2 so far, judging ends at 0.5 of the pool>"


def test_a_new_end_spends_what_is_left(campaign) -> None:
    """Looks up to half of a first plan; the second plan's looks leave the band as often as alpha allows in total."""
    first = looked(campaign, (0.1, 0.2), end=0.3)[-1]
    looks = first.looks.until(0.6)
    for fraction in (0.4, 0.6):
        sample = campaign.judgments.sample("uniform", fraction=fraction, seed=SEED)
        found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), steadied=False, looks=looks)
        looks = found.looks
    steps = seen(found)
    scale = information(0.2, 0.6) / information(0.2, 0.3)
    taus = np.array([steps[0].tau * scale, steps[1].tau * scale, steps[2].tau, steps[3].tau])
    bands = np.array([step.factor for step in steps]) * np.sqrt(taus)
    paths = np.cumsum(np.random.default_rng(1).standard_normal((200_000, 4)) * np.sqrt(np.diff([0, *taus])), axis=1)
    assert (np.abs(paths) > bands).any(axis=1).mean() == pytest.approx(0.05, abs=0.003)


def test_after_all_is_spent_a_new_end_has_nothing_left(campaign) -> None:
    done = looked(campaign, (0.3,), end=0.3)[-1]
    sample = campaign.judgments.sample("uniform", fraction=0.4, seed=SEED)
    with pytest.raises(pw.InputError, match=r"labels, more than the .* at which looks end"):
        campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), looks=done.looks)
    found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), looks=done.looks.until(0.6))
    assert np.isnan(found.differences.band_low).all()
    assert done.differences.band_high[0] - done.differences.difference[0] == pytest.approx(
        quantile_for(norm.ppf(0.975), float(done.differences.df[0])) * done.differences.standard_error[0]
    )


@pytest.mark.parametrize("end", [0, -3, 1.5, 0.0, True])
def test_ends_that_make_no_sense(end) -> None:
    with pytest.raises(pw.PoolwiseError):
        Looks(end)


def test_a_plan_of_other_topics_and_another_level_are_refused(campaign) -> None:
    sample = campaign.judgments.sample("uniform", fraction=0.4, seed=SEED)
    with pytest.raises(pw.InputError, match="none of these topics"):
        campaign.estimate("P@20", judgments=sample, looks=Looks({("other", 1): 5}))
    looks = campaign.estimate("P@20", judgments=sample, looks=Looks(0.5)).looks
    with pytest.raises(pw.ArgumentError, match="not that of the looks before"):
        campaign.estimate("P@20", judgments=sample, looks=looks, level=0.9)


def test_other_files_are_no_looks(tmp_path) -> None:
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(pw.InputError, match="not looks"):
        Looks.read(tmp_path / "other.json")
    with pytest.raises(pw.InputError, match="no such file"):
        Looks.read(tmp_path / "none.json")


def test_a_topic_without_a_label_allows_no_look(campaign) -> None:
    """Nothing is judged of one topic yet, of which the plan will judge some."""
    sample = campaign.judgments.sample("uniform", fraction=0.3, seed=SEED)
    labels = sample.labels.copy()
    labels[: sample.offsets[1]] = np.where(labels[: sample.offsets[1]] >= 0, POOLED, labels[: sample.offsets[1]])
    early = pw.Judgments(campaign, labels)
    with pytest.warns(pw.PoolwiseWarning, match="1 topic still without first labels"):
        found = campaign.estimate("P@20", judgments=early, difference=pair_of(campaign), looks=Looks(0.5))
    assert found.looks.seen == ()
    assert np.isnan(found.band_low).all()
    assert np.isnan(found.differences.band_high).all()
    assert found.forecast.columns()["width"] == []
    never = {(topic, 1): 60 for topic in campaign.topics[1:]}
    assert len(campaign.estimate("P@20", judgments=early, looks=Looks(never)).looks.seen) == 1


def test_strata_that_wait_for_a_label_are_taken_together(campaign) -> None:
    """One drawn document of each topic is judged, of two strata: a look is possible, by the plan's rates."""
    plan = campaign.judgments.sample("uniform", fraction=0.4, seed=SEED)
    strata = np.concatenate([np.arange(n) % 2 + 1 for n in np.diff(plan.offsets)]).astype(np.int32)
    drawn = np.flatnonzero(plan.labels >= 0)
    firsts = [next(d for d in drawn if begin <= d) for begin in plan.offsets[:-1]]
    labels = np.where(np.isin(np.arange(len(plan.labels)), firsts) | (plan.labels < POOLED), plan.labels, POOLED)
    rounds = (plan.labels >= 0).astype(np.int32)
    early = pw.Judgments(campaign, labels.astype(np.int32), strata=strata, rounds=rounds)
    end = {}
    for topic, a, b in zip(campaign.topics, plan.offsets[:-1], plan.offsets[1:], strict=True):
        for stratum in (1, 2):
            end[topic, stratum] = int((rounds[a:b] * (strata[a:b] == stratum)).sum())
    found = campaign.estimate("P@20", judgments=early, difference=pair_of(campaign), looks=Looks(end))
    assert len(found.looks.seen) == 1
    ahead = found.forecast
    assert ahead.width[ahead.end.index(True)] < ahead.width[0] / 2


@pytest.mark.parametrize("end", [1.0, 51, {("t", 1): 1, ("t", 2): 50}])
def test_strata_that_wait_for_a_label_can_be_judged_to_their_last_document(end) -> None:
    """Fifty documents of which one is drawn and none judged, beside a stratum of one that is judged."""
    documents = [("a", 1, 1, 1), ("b0", -1, 2, 1), *((f"b{number}", -1, 2, 0) for number in range(1, 50))]
    columns = ["topic", "document", "label", "stratum", "round"]
    pool = pw.read(
        pandas.DataFrame([("t", *each) for each in documents], columns=columns), {"t": {"a": 2.0, "b0": 1.0}}
    )
    steps = PlannedSteps.of(Layout.of(pool, pool.judgments), pool.judgments, end)
    assert (steps.judged, steps.planned, steps.whole) == (1, 51, True)


def test_widths_on_the_way_follow_a_known_order(campaign) -> None:
    """Fifty labels that all fall on the first two topics: as if judging ended there."""
    sample = campaign.judgments.sample("uniform", fraction=0.1, seed=SEED)
    first, second, *_ = campaign.topics
    judged = {
        (topic, 1): int((sample.labels[a:b] >= 0).sum())
        for topic, a, b in zip(campaign.topics, sample.offsets[:-1], sample.offsets[1:], strict=True)
    }
    to_come = [(first, 1), (second, 1)] * 25 + [(topic, 1) for topic in campaign.topics for _ in range(20)]
    end = {key: count + to_come.count(key) for key, count in judged.items()}
    soon = {key: count + to_come[:50].count(key) for key, count in judged.items()}

    def width(looks, labels):
        found = campaign.estimate("P@20", judgments=sample, difference=pair_of(campaign), steadied=False, looks=looks)
        ahead = found.forecast
        return next(
            w for b, n, w in zip(ahead.run_b, ahead.labels, ahead.width.tolist(), strict=True) if b and n == labels
        )

    ordered = width(Looks(end, to_come=to_come), 50)
    assert ordered == pytest.approx(width(Looks(soon), 50))
    assert ordered > 1.1 * width(Looks(end), 50)  # all topics alike would bring more


@pytest.mark.filterwarnings("error::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("end", [97, 131, 200, 333])
def test_an_end_in_labels_is_that_many_labels(campaign, end) -> None:
    """Strata are rounded so that they add up; judging to exactly the end is not beyond it."""
    looks = Looks(end)
    for budget in (end // 2, end):
        sample = campaign.judgments.sample("stratified", budget=budget, depth=30, bands=3, seed=2)
        assert sample.count() == budget
        looks = campaign.estimate("P@20", judgments=sample, outside="nonrelevant", looks=looks).looks
    assert [look.end for look in looks.seen] == [end, end]


def test_more_labels_than_the_end_are_refused_until_it_is_moved(campaign) -> None:
    looks = Looks(100)
    samples = [
        campaign.judgments.sample("stratified", budget=budget, depth=30, bands=3, seed=2) for budget in (60, 101)
    ]
    for behind in (Looks(59), Looks(0.01)):
        with pytest.raises(pw.InputError, match="60 labels, more than the"):
            campaign.estimate("P@20", judgments=samples[0], outside="nonrelevant", looks=behind)
    looks = campaign.estimate("P@20", judgments=samples[0], outside="nonrelevant", looks=looks).looks
    with pytest.raises(pw.InputError, match="101 labels, more than the 100 at which looks end"):
        campaign.estimate("P@20", judgments=samples[1], outside="nonrelevant", looks=looks)
    moved = campaign.estimate("P@20", judgments=samples[1], outside="nonrelevant", looks=looks.until(140))
    assert len(moved.looks.seen) == 2


def partly_judged(campaign, *, reached: bool):
    """Two strata in turn, a label in the second only in every other topic; whether something was drawn there too."""
    plan = campaign.judgments.sample("uniform", fraction=0.3, seed=SEED)
    strata = np.concatenate([np.arange(n) % 2 + 1 for n in np.diff(plan.offsets)]).astype(np.int32)
    topic = np.repeat(np.arange(len(campaign.topics)), np.diff(plan.offsets))
    hidden = (strata == 2) & (topic % 2 == 0) & (plan.labels >= 0)
    rounds = ((plan.labels >= 0) & (reached | ~hidden)).astype(np.int32)
    labels = np.where(hidden, POOLED, plan.labels).astype(np.int32)
    return pw.Judgments(campaign, labels, strata=strata, rounds=rounds)


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
def test_a_share_and_the_same_number_of_labels_are_the_same_end(campaign, share) -> None:
    """Also where strata wait for their first label, which the end has labels of."""
    early = partly_judged(campaign, reached=True)
    documents = int((early.labels >= POOLED).sum())
    ends = [
        campaign.estimate("P@20", judgments=early, looks=Looks(end)).looks.seen[0]
        for end in (share, round(share * documents))
    ]
    assert ends[0] == ends[1]
    assert ends[0].end == round(share * documents)


def test_an_end_that_cannot_be_reached_is_told_of_with_the_one_that_can(campaign) -> None:
    early = partly_judged(campaign, reached=False)
    documents = int((early.labels >= POOLED).sum())
    inside = early.labels >= POOLED
    topic = np.repeat(np.arange(len(campaign.topics)), np.diff(early.offsets))
    never = int((inside & (early.strata == 2) & (topic % 2 == 0)).sum())
    for end in (documents, 1.0, 10 * documents):
        asked = documents if end == 1.0 else end
        words = f"judging ends at {documents - never} labels, not at {asked}: nothing was drawn from the strata"
        with pytest.warns(pw.PoolwiseWarning, match=words):
            found = campaign.estimate("P@20", judgments=early, looks=Looks(end))
        assert found.looks.seen[0].end == documents - never
    sample = campaign.judgments.sample("uniform", fraction=0.3, seed=SEED)
    with pytest.warns(pw.PoolwiseWarning, match=f"not at {documents + 1}: the pool has no more"):
        campaign.estimate("P@20", judgments=sample, looks=Looks(documents + 1))


def test_a_plan_is_an_end_as_the_counts_of_its_strata_are() -> None:
    _, runs = campaign_tables(runs=2, topics=3, documents=60, depth=30, share=0.2, grades=1, skill=1.0, seed=1)
    plan = pw.read(None, runs).plan(budget=12)
    drawn = zip(plan.topic, plan.stratum, plan.round, strict=True)
    assert Looks(plan).end == dict(Counter((topic, stratum) for topic, stratum, number in drawn if number > 0))
