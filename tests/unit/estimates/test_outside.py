"""Documents outside the pool: ranges against all possible labels, notes, and what is refused."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.pool.coverage import NO_LIMIT, deepest_shared, open_shares, pool_depth
from poolwise.pool.judgments import OUTSIDE, Judgments, covered_ranks, open_counts

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]
MEASURES = ["AP", "AP@4", "AP(rel=2)", "P@5", "R@5", "nDCG", "nDCG@4", "nDCG(gain='exp')@5", "nDCG(discount='zipf')"]


def random_case(seed: int, open_documents: int = 4, grades: int = 2) -> tuple[Qrels, Runs]:
    """One topic, two runs of eight documents, of which some are judged; both retrieve some that are not."""
    random = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(12)]
    unknown = random.choice(documents, open_documents, replace=False).tolist()
    qrels = {"1": {d: int(random.integers(0, grades + 1)) for d in documents if d not in unknown}}
    qrels["1"]["top"] = grades  # the best label is known
    lists = {
        run: {"1": {d: 20.0 - rank for rank, d in enumerate(random.permutation(documents)[:8].tolist())}}
        for run in ("mine", "yours")
    }
    return qrels, lists


def all_values(qrels: Qrels, lists: Runs, measures: list[str]) -> Any:
    """Scores (assignments x runs x measures) under every possible labelling of what is retrieved and not judged."""
    unknown = sorted({d for run in lists.values() for d in run["1"]} - set(qrels["1"]))
    labels = range(max(qrels["1"].values()) + 1)
    found = []
    for given in product(labels, repeat=len(unknown)):
        judged = {"1": {**qrels["1"], **dict(zip(unknown, given, strict=True))}}
        found.append(read(judged, lists).score(*measures).means())
    return unknown, list(product(labels, repeat=len(unknown))), np.array(found)


@pytest.fixture
def own_documents_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that only other runs have, or that stand below the cut-off, are never relevant."""
    monkeypatch.setattr("poolwise.estimates.unpooled.CAUTION", 0.0)


@pytest.mark.slow
@pytest.mark.usefixtures("own_documents_alone")
@pytest.mark.parametrize("seed", range(12))
def test_ranges_are_the_extremes_over_all_labels(seed: int) -> None:
    qrels, both = random_case(seed)
    for run in both:
        lists = {run: both[run]}
        campaign = read(qrels, lists)
        with pytest.warns(PoolwiseWarning, match="outside the pool"):
            found = campaign.estimate(MEASURES)
        unknown, assignments, values = all_values(qrels, lists, MEASURES)
        for m, measure in enumerate(MEASURES):
            depth = campaign_depth(campaign, measure)
            reached = [n for n, d in enumerate(unknown) if ranks(lists[run])[d] <= depth]
            only = [
                n
                for n, given in enumerate(assignments)
                if all(label == 0 or place in reached for place, label in enumerate(given))
            ]
            assert found.mean_low()[0, m] == pytest.approx(values[only, 0, m].min(), abs=1e-12), measure
            assert found.mean_high()[0, m] == pytest.approx(values[only, 0, m].max(), abs=1e-12), measure
            assert found.means()[0, m] == pytest.approx(values[0, 0, m], abs=1e-12)


def ranks(run: dict[str, dict[str, float]]) -> dict[str, int]:
    return {d: n for n, d in enumerate(sorted(run["1"], key=lambda d: -run["1"][d]), 1)}


def campaign_depth(campaign: Campaign, measure: str) -> int:
    return int(measure.partition("@")[2] or pool_depth(campaign.judgments))


@pytest.mark.usefixtures("own_documents_alone")
@pytest.mark.parametrize("seed", range(6))
def test_ranges_of_differences_are_the_extremes_over_all_labels(seed: int) -> None:
    qrels, lists = random_case(seed, 5, grades=1 + seed % 2)
    campaign = read(qrels, lists)
    measures = [measure for measure in MEASURES if measure != "AP(rel=2)"]
    with pytest.warns(PoolwiseWarning, match="outside the pool"):
        found = campaign.estimate(measures, difference=("mine", "yours")).differences
    assert found is not None
    unknown, assignments, values = all_values(qrels, lists, measures)
    for m, measure in enumerate(measures):
        depth = campaign_depth(campaign, measure)
        reached = [
            n for n, d in enumerate(unknown) if any(ranks(run).get(d, NO_LIMIT) <= depth for run in lists.values())
        ]
        only = [
            n
            for n, given in enumerate(assignments)
            if all(label == 0 or place in reached for place, label in enumerate(given))
        ]
        differences = values[only, 0, m] - values[only, 1, m]
        assert found.low[m] == pytest.approx(differences.min(), abs=1e-12), measure
        assert found.high[m] == pytest.approx(differences.max(), abs=1e-12), measure
        assert found.plain_low[m] == pytest.approx(values[0, 0, m] - values[0, 1, m], abs=1e-12)


def test_what_two_runs_share_moves_both() -> None:
    qrels, lists = random_case(3)
    runs = {**lists, "copy": lists["mine"]}
    with pytest.warns(PoolwiseWarning, match="outside the pool"):
        found = read(qrels, runs).estimate("AP", difference=[("mine", "copy"), ("mine", "yours")]).differences
    assert (found.low[0], found.high[0]) == (0.0, 0.0)
    assert found.note[0] == ""  # nothing is determined by judgments of documents that nobody judged
    assert found.low[1] < found.high[1]


def new_run(lists: Runs) -> dict[str, dict[str, float]]:
    """A run of which no document is pooled."""
    return {
        topic: {f"new-{document}": score for document, score in part.items()} for topic, part in lists["run0"].items()
    }


def test_a_run_of_which_nothing_is_pooled_may_score_anything() -> None:
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 5)
    campaign = read(qrels, {**lists, "new": new_run(lists)})
    for judgments in (campaign.judgments, uniform_sample(campaign, 0.3, 1)):
        with pytest.warns(PoolwiseWarning, match="nDCG@10: part of the top 10 is outside .*: 100 % for new;") as caught:
            found = campaign.estimate("nDCG@10", "P@10", "AP", judgments=judgments, difference=("run1", "new"))
        assert not any("determined" in str(warning.message) and "new" in str(warning.message) for warning in caught)
        assert found.mean_low()[-1].tolist() == [0.0, 0.0, 0.0]
        assert found.mean_high()[-1][:2] == pytest.approx([1.0, 1.0])
        assert found.mean_high()[-1][2] > 0.4
        assert found.outside[-1].tolist() == [1.0, 1.0, 1.0]
        assert (found.plain_low[-1] == found.plain_high[-1]).all()
        pairs = found.differences
        assert (pairs.low < 0).all()
        assert (pairs.high > 0).all()
        assert pairs.note == ("", "", "")


def test_the_note_names_runs_that_widen_the_intervals_of_others() -> None:
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 5)
    more = {"new": new_run(lists), "newer": new_run(lists)}
    words = r"2 runs with documents outside the pool widen .* too: new, newer; judge these documents, or read"
    beside, alone = read(qrels, {**lists, **more}), read(qrels, lists)
    with pytest.warns(PoolwiseWarning, match=words):
        wide = beside.estimate("AP", judgments=uniform_sample(beside, 0.3, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error", PoolwiseWarning)
        narrow = alone.estimate("AP", judgments=uniform_sample(alone, 0.3, 1))
    assert (narrow.mean_high() - narrow.mean_low()).mean() < (wide.mean_high() - wide.mean_low())[:12].mean()
    # Nobody is better off where precision alone is asked for, all runs are outside, or nothing reaches anywhere.
    others = read(qrels, more)
    for pool, measure, mode in ((beside, "P@10", "range"), (others, "AP", "range"), (beside, "AP", "nonrelevant")):
        with pytest.warns(PoolwiseWarning) as caught:
            pool.estimate(measure, outside=mode)
        assert not [1 for warning in caught if "leave them out" in str(warning.message)]


def test_runs_of_the_pool_move_only_as_much_as_there_may_be_relevant_documents() -> None:
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 5)
    alone, beside = read(qrels, lists), read(qrels, {**lists, "new": new_run(lists)})
    assert pool_depth(alone.judgments) == pool_depth(beside.judgments) == 20
    with pytest.warns(PoolwiseWarning, match="100 % for new"):
        found = beside.estimate("AP", "nDCG@20", "P@10")
    value = alone.score("AP", "nDCG@20", "P@10").means()
    for same in (found.means(), found.plain_low, found.plain_high, found.mean_high()):
        assert same[:12] == pytest.approx(value)
    assert found.mean_low()[:12, 2] == pytest.approx(value[:, 2])
    assert (found.mean_low()[:12, :2] < value[:, :2]).all()
    assert (found.mean_low()[:12, :2] > 0.5 * value[:, :2]).all()


def test_what_becomes_of_them_is_a_choice() -> None:
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 5)
    campaign = read(qrels, {**lists, "new": new_run(lists)})
    sample = uniform_sample(campaign, 0.3, 1)
    with pytest.warns(PoolwiseWarning, match="count as non-relevant"):
        found = campaign.estimate("AP", judgments=sample, outside="nonrelevant", steadied=False)
    assert (found.mean_low() == found.plain_low).all()
    assert (found.mean_high() == found.plain_high).all()
    assert found.settings["outside"] == "nonrelevant"
    with pytest.raises(InputError, match="AP: 100 % of the top 20 of new is outside the pool"):
        campaign.estimate("AP", judgments=sample, outside="error")
    with pytest.raises(ArgumentError, match="choose one of range, nonrelevant, error"):
        campaign.estimate("AP", judgments=sample, outside="ignore")
    assert (
        campaign.estimate("AP", judgments=sample, outside="error", runs=["run0", "run1"]).outside.tolist()
        == [[0.0]] * 2
    )


def test_pooled_intervals_reach_as_far() -> None:
    campaign = small_campaign(seed=8)
    labels = campaign.judgments.labels.copy()
    labels[::7] = OUTSIDE
    sample = Judgments(campaign, uniform(labels))
    with pytest.warns(PoolwiseWarning, match="outside the pool"):
        found = campaign.estimate("nDCG", judgments=sample)
    with pytest.warns(PoolwiseWarning, match="count as non-relevant"):
        plain = campaign.estimate("nDCG", judgments=sample, outside="nonrelevant")
    assert found.steadied is not None
    inside = (found.mean_low() > 0) & (found.mean_high() < 1) & (found.steadied_low > 0) & (found.steadied_high < 1)
    assert inside.sum() > 5
    rise = (found.mean_high() - plain.mean_high())[inside]
    assert rise.min() > 0.0
    assert (found.steadied_high - plain.steadied_high)[inside] == pytest.approx(rise)


def uniform(labels: Any) -> Any:
    """Half of the labels hidden."""
    from poolwise.pool.judgments import POOLED

    hidden = np.random.default_rng(1).random(len(labels)) < 0.5
    return np.where(hidden & (labels != OUTSIDE), POOLED, labels)


def test_identities_do_not_matter_where_one_run_is_outside() -> None:
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 5)
    runs = {**lists, "new": new_run(lists)}
    with pytest.warns(PoolwiseWarning):
        found = [read(qrels, runs, documents=kept).estimate("AP", "nDCG@20") for kept in ("all", "judged")]
    assert (found[0].mean_high() == found[1].mean_high()).all()
    assert found[0].mean_low() == pytest.approx(found[1].mean_low(), abs=1e-12)


def test_nothing_judged_is_an_error() -> None:
    campaign = read({"1": {"a": -1, "b": -1}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}})
    with pytest.raises(InputError, match="nothing is judged"):
        campaign.estimate("AP")


def test_the_depth_of_the_pool() -> None:
    campaign = small_campaign()
    assert pool_depth(campaign.judgments) == 20
    assert pool_depth(campaign.judgments.sample("uniform", fraction=0.2)) == 20
    assert pool_depth(campaign.judgments.sample("depth", depth=7)) == 7
    assert pool_depth(campaign.judgments.sample("depth", depth=3)) == NO_LIMIT
    assert deepest_shared([0, 0, 2**32 - 1], 50) == NO_LIMIT
    assert deepest_shared([100] * 71 + [173] + [4] * 6 + [0] * 12, 50) == 100
    assert deepest_shared([100, 104, 100, 112, 101], 5) == 100
    assert deepest_shared([6] * 20 + [30], 50) == 30
    assert deepest_shared([4, 3], 50) == deepest_shared([8, 9], 2) == NO_LIMIT


def test_single_gaps_do_not_hide_the_depth_of_the_pool() -> None:
    topics, gaps = ("1", "2", "3", "4", "5"), {("1", 7), ("1", 23), ("3", 41)}
    qrels = {t: {f"d{rank:03d}": 0 for rank in range(1, 61) if (t, rank) not in gaps} for t in topics}
    run = {f"d{rank:03d}": -float(rank) for rank in range(1, 201)}
    campaign = read(qrels, {"mine": dict.fromkeys(topics, run)})
    assert covered_ranks(campaign.judgments) == [6]
    assert 58 <= pool_depth(campaign.judgments) <= 62
    whole = read(qrels, {"mine": {t: {d: s for d, s in run.items() if s >= -50} for t in topics}})
    assert pool_depth(whole.judgments) >= 48  # all that is retrieved, but for the gaps


def test_counts_and_shares() -> None:
    qrels = {"1": {"a": 1, "b": -1}, "2": {"x": 0}}
    runs = {"mine": {"1": {"c": 4.0, "a": 3.0, "b": 2.0, "d": 1.0}, "2": {"x": 1.0}}, "yours": {"1": {"a": 1.0}}}
    judgments = read(qrels, runs).judgments
    assert open_counts(judgments, 3).tolist() == [[1, 0], [0, 0]]
    assert open_counts(judgments, 3, unjudged=True).tolist() == [[2, 0], [0, 0]]
    assert open_shares(judgments, 4) == [2 / 5, 0.0]
    assert open_shares(judgments, 4, unjudged=True) == [3 / 5, 0.0]
