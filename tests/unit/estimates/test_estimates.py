"""What `estimate` gives back, refuses, and warns of."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

from poolwise.campaign.campaign import read
from poolwise.comparisons.compare_runs import compare
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.estimates.differences import wanted_pairs
from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Layout
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments
from poolwise.scores.scores import Scores

CAMPAIGN = small_campaign(seed=30)
SAMPLE = uniform_sample(CAMPAIGN, 0.4, 2)


def test_rows_and_frames() -> None:
    found = CAMPAIGN.estimate("map", "nDCG@10", judgments=SAMPLE)
    table = found.to_frame()
    assert list(table.columns) == [
        *("run", "measure", "topic", "value", "low", "high"),
        *("steadied", "steadied_low", "steadied_high", "plain_low", "plain_high", "outside"),
    ]
    assert table["measure"].tolist()[:2] == ["AP", "nDCG@10"]
    assert len(table) == 24
    assert (table["low"] <= table["value"]).all()
    assert (table["value"] <= table["high"]).all()
    assert len(found.to_frame(per_topic=True, backend="polars")) == 24 * 9
    assert list(found.to_frame(steadied=False).columns[4:]) == ["low", "high", "plain_low", "plain_high", "outside"]
    assert found.settings["judged"] == SAMPLE.count()
    assert "<table>" in found._repr_html_()
    assert isinstance(found, Scores)
    assert table["value"].tolist() == found.means().ravel().tolist()
    assert table["low"].tolist() == found.mean_low().ravel().tolist()
    assert found.array("AP").mean(axis=1) == pytest.approx(found.means()[:, 0])
    assert np.isnan(found.low("AP")).all()
    header, first = found.to_csv().splitlines()[:2]
    assert header == "run,measure,topic,value,low,high"
    assert [float(cell) for cell in first.split(",")[3:]] == table.iloc[0, 3:6].tolist()
    whole = found.to_frame(per_topic=True)
    assert whole[whole["topic"] == "all"]["steadied"].tolist() == table["steadied"].tolist()
    assert whole[whole["topic"] != "all"][["low", "steadied"]].isna().all(axis=None)
    assert found.steadied is not None
    assert found.order("AP")[0] == found.runs[int(found.steadied[:, 0].argmax())]


def test_steadied_values_have_one_name() -> None:
    found = CAMPAIGN.estimate("AP", judgments=SAMPLE, difference="all", steadied=True)
    for result in (found, found.differences):
        assert [hasattr(result, name) for name in ("steadied", "pooled", "pooled_low")] == [True, False, False]
    assert CAMPAIGN.estimate("AP", judgments=SAMPLE, steadied=False).steadied is None
    with pytest.raises(TypeError, match="pooled"):
        CAMPAIGN.estimate("AP", judgments=SAMPLE, pooled=False)


def test_wider_at_a_higher_level() -> None:
    narrow, wide = (CAMPAIGN.estimate("AP", judgments=SAMPLE, level=level) for level in (0.8, 0.99))
    assert (narrow.means() == wide.means()).all()
    assert (wide.mean_high() - wide.mean_low() > narrow.mean_high() - narrow.mean_low()).all()


def test_features_made_once_give_the_same() -> None:
    plain = CAMPAIGN.estimate("AP", judgments=SAMPLE)
    again = CAMPAIGN.estimate("AP", judgments=SAMPLE, predictions=prepare(CAMPAIGN, SAMPLE))
    assert (plain.means() == again.means()).all()


def test_inclusion_is_the_judged_share_of_topic_and_stratum() -> None:
    strata = np.arange(len(CAMPAIGN.judgments.labels)) % 2
    sample = uniform_sample(CAMPAIGN, 0.2, 3, strata)
    labels, offsets = sample.labels.copy(), sample.offsets
    labels[offsets[1]] = OUTSIDE
    sample = Judgments(CAMPAIGN, labels, strata=sample.strata)
    shares = sample.inclusion()
    for topic in range(len(CAMPAIGN.topics)):
        part = slice(offsets[topic], offsets[topic + 1])
        for stratum in (0, 1):
            here = (strata[part] == stratum) & (labels[part] != OUTSIDE)
            expected = (labels[part][here] != POOLED).mean()
            assert shares[part][here] == pytest.approx(np.full(here.sum(), expected))
    assert len(Layout.of(CAMPAIGN, sample).labels) == len(labels) - 1


def test_differences() -> None:
    found = CAMPAIGN.estimate("AP", "P@10", judgments=SAMPLE, difference="all")
    pairs = found.differences
    assert pairs is not None
    assert len(pairs.run_a) == 2 * 66
    first = found.runs.index(pairs.run_a[5]), found.runs.index(pairs.run_b[5])
    assert pairs.difference[5] == pytest.approx(found.means()[first[0], 0] - found.means()[first[1], 0])
    assert (pairs.low <= pairs.difference).all()
    turned = CAMPAIGN.estimate("AP", judgments=SAMPLE, difference=(pairs.run_b[5], pairs.run_a[5])).differences
    assert turned is not None
    assert turned.low[0] == pytest.approx(-pairs.high[5])
    # What two runs have in common cancels: on the whole the paired form is narrower than the sum of variances.
    apart = np.hypot(
        *(found.standard_error[[found.runs.index(r) for r in side[:66]], 0] for side in (pairs.run_a, pairs.run_b))
    )
    assert pairs.standard_error[:66].mean() < apart.mean()
    assert list(pairs.to_frame().columns)[:6] == ["run_a", "run_b", "measure", "difference", "low", "high"]


def test_copies_of_a_run_do_not_differ() -> None:
    qrels, lists = campaign_tables(6, 5, 80, 30, 0.2, 1, 1.0, 31)
    campaign = read(qrels, {**lists, "copy": lists["run2"]})
    with pytest.warns(PoolwiseWarning, match="only 7 runs"):
        found = campaign.estimate(
            "AP", judgments=uniform_sample(campaign, 0.3, 1), difference=("run2", "copy")
        ).differences
    assert found is not None
    assert (found.difference[0], found.low[0], found.high[0]) == (0, 0, 0)
    assert found.note == ("determined by complete judgments",)


def test_pairs_asked_for() -> None:
    runs = ["a", "b", "c"]
    assert wanted_pairs(None, runs) == []
    assert wanted_pairs("all", runs) == [(0, 1), (0, 2), (1, 2)]
    assert wanted_pairs(("c", "a"), runs) == [(2, 0)]
    assert wanted_pairs([("c", "a"), ("a", "b")], runs) == [(2, 0), (0, 1)]
    for wrong in ("d", ("a", "d"), [("a", "b", "c")]):
        with pytest.raises(ArgumentError):
            wanted_pairs(wrong, runs)
    for own in (("a", "a"), [("a", "b"), ["a", "a"]]):
        with pytest.raises(ArgumentError, match=r"difference=\['a', 'a'\] must be two different runs"):
            wanted_pairs(own, runs)


@pytest.mark.parametrize("measure", ["infAP", "GMAP", "Judged@10", "alpha_nDCG@10"])
def test_other_measures_are_refused(measure: str) -> None:
    with pytest.raises(ArgumentError, match="cannot be estimated"):
        CAMPAIGN.estimate(measure, judgments=SAMPLE)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="level"):
        CAMPAIGN.estimate("AP", judgments=SAMPLE, level=95)
    with pytest.raises(ArgumentError, match="no measure"):
        CAMPAIGN.estimate(judgments=SAMPLE)
    with pytest.raises(ArgumentError, match="of this pool"):
        CAMPAIGN.estimate("AP", judgments=small_campaign(seed=1).judgments)
    with pytest.raises(InputError, match="pooled document"):
        CAMPAIGN.estimate("AP", judgments=SAMPLE, predictions={"t0": {"nobody": 1.0}})


def test_nothing_relevant_drawn_gives_no_interval_of_false_certainty() -> None:
    labels = np.where(CAMPAIGN.judgments.labels > 0, POOLED, CAMPAIGN.judgments.labels)
    with pytest.warns(PoolwiseWarning, match="nothing that is judged is relevant, so its error cannot be told"):
        found = CAMPAIGN.estimate("AP", "P@10", judgments=Judgments(CAMPAIGN, labels), difference="all")
    assert np.isfinite(found.means()).all()
    assert (found.means() < 0.1).all()
    assert np.isnan(found.mean_low()).all()
    assert np.isnan(found.differences.low).all()
    assert set(found.differences.note) == {""}
    assert not any("held" in note for note in found.warnings)  # how often intervals did, of which there are none
    with pytest.raises(InputError, match="or nothing judged is relevant"):
        compare(found, "AP", test="judgments")


def test_nothing_but_relevant_documents_drawn_gives_no_interval_of_false_certainty() -> None:
    """With 95 % of documents relevant, intervals of AP from such samples were .002 wide and held in 8 %."""
    labels = np.where(CAMPAIGN.judgments.labels == 0, POOLED, np.minimum(CAMPAIGN.judgments.labels, 1))
    with pytest.warns(PoolwiseWarning, match="all that is judged is relevant alike, so its error cannot be told"):
        found = CAMPAIGN.estimate("AP", "P@10", judgments=Judgments(CAMPAIGN, labels), difference="all")
    assert np.isfinite(found.means()).all()
    assert np.isnan(found.mean_low()).all()
    assert np.isnan(found.differences.low).all()
    with pytest.raises(InputError, match="or all of it alike"):
        compare(found, "AP", test="judgments")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_difference_is_said_to_be_none_of_the_values_only_where_these_are_cut() -> None:
    found = CAMPAIGN.estimate("RR", "Success@5", "nDCG@10", judgments=few_labels(), difference="all")
    shown = {(run, m): value for run, m, _, value, *_ in found.table_rows(steadied=False)}
    pairs = found.differences
    apart = {
        m
        for a, b, m, own in zip(pairs.run_a, pairs.run_b, pairs.measure, pairs.difference, strict=True)
        if abs(round(shown[a, m], 4) - round(shown[b, m], 4) - own) > 2e-4
    }
    assert apart
    assert "nDCG@10" not in apart
    assert set(found.apart_from_values().partition(":")[0].split(", ")) == apart
    assert CAMPAIGN.estimate("nDCG@10", judgments=few_labels(), difference="all").apart_from_values() == ""
    assert CAMPAIGN.estimate("RR", judgments=few_labels()).apart_from_values() == ""


def few_labels() -> Judgments:
    return CAMPAIGN.judgments.sample("uniform", fraction=0.2, seed=3)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_scores_are_called_relative_where_what_is_relevant_divides_them() -> None:
    measures = ["RR", "AP", "Success@5", "ERR", "P@5", "nDCG@10", "Rprec", "bpref", "RBP"]
    said = CAMPAIGN.estimate(measures, judgments=SAMPLE).relative_to()
    assert said.startswith("AP, nDCG@10, Rprec, bpref are relative to what is relevant")
    assert CAMPAIGN.estimate("RR", "Success@5", "ERR", judgments=SAMPLE).relative_to() == ""


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_label_or_two_per_topic_are_told_to_be_few_for_measures_with_a_divisor() -> None:
    few = CAMPAIGN.judgments.sample("uniform", fraction=20 / CAMPAIGN.judgments.count(), seed=1)
    told = [
        line for line in CAMPAIGN.estimate("AP", "nDCG@10", "P@10", "RR", judgments=few).warnings if "off by" in line
    ]
    assert [line.partition(":")[0] for line in told] == ["AP", "nDCG@10"]
    assert all(f"{few.count() / 8:.1f} labels per topic" in line for line in told)
    enough = CAMPAIGN.judgments.sample("uniform", fraction=40 / CAMPAIGN.judgments.count(), seed=1)
    told = CAMPAIGN.estimate("AP", judgments=enough).warnings
    assert not any("labels per topic" in line for line in told)
    assert any(line.startswith(f"{enough.count()} labels in all; from fewer than 60") for line in told)
    many = CAMPAIGN.judgments.sample("uniform", fraction=64 / CAMPAIGN.judgments.count(), seed=1)
    assert many.count() >= 60
    assert not any("labels in all" in line for line in CAMPAIGN.estimate("AP", judgments=many).warnings)


def test_a_stratum_of_which_nothing_is_judged_is_named() -> None:
    strata = np.arange(len(CAMPAIGN.judgments.labels)) % 2
    labels = np.where(strata == 1, POOLED, CAMPAIGN.judgments.labels)
    with pytest.warns(PoolwiseWarning, match="strata of which nothing is judged"):
        CAMPAIGN.estimate("AP", judgments=Judgments(CAMPAIGN, labels, strata=strata))


def test_a_cut_off_judged_in_full_is_said_to_be_determined() -> None:
    offsets, labels = CAMPAIGN.judgments.offsets, CAMPAIGN.judgments.labels.copy()
    strata = np.ones(len(labels), dtype=int)
    for topic in range(len(CAMPAIGN.topics)):
        best = np.asarray(CAMPAIGN.core.rank_summary(topic))[:, 3]
        strata[offsets[topic] : offsets[topic + 1]][(best > 0) & (best <= 5)] = 0
    hide = np.flatnonzero(strata == 1)[::2]
    labels[hide] = POOLED
    with pytest.warns(PoolwiseWarning, match="determined by complete judgments of all top 5"):
        found = CAMPAIGN.estimate("P@5", judgments=Judgments(CAMPAIGN, labels, strata=strata))
    assert np.abs(found.means() - CAMPAIGN.score("P@5").means()).max() < 1e-12


def test_a_score_that_no_missing_label_can_move_has_an_interval_of_width_0() -> None:
    """All within the cut-off is judged and the ideal list is full of documents known to be relevant."""
    topics = [str(number) for number in range(6)]
    names = [f"d{place:02d}" for place in range(40)]
    labels = {d: int(place < 12) if place < 20 or place % 2 else -1 for place, d in enumerate(names)}
    runs = {
        f"run{run}": {topic: {d: -float((place + run) % 20 + 100 * (place >= 20)) for place, d in enumerate(names)}
                      for topic in topics}
        for run in range(4)
    }  # fmt: skip
    strata = np.tile(np.arange(40) >= 20, 6).astype(int)
    campaign = read(dict.fromkeys(topics, labels), runs)
    sample = Judgments(campaign, campaign.judgments.labels, strata=strata)
    with pytest.warns(PoolwiseWarning):
        found = campaign.estimate("nDCG@10", "AP", judgments=sample)
    assert found.means()[:, 0] == pytest.approx(campaign.score("nDCG@10").means()[:, 0])
    assert (found.mean_low()[:, 0] == found.means()[:, 0]).all()
    assert (found.mean_high()[:, 0] == found.means()[:, 0]).all()
    assert (found.mean_high()[:, 1] > found.mean_low()[:, 1]).all()  # AP rests on what is not judged too
