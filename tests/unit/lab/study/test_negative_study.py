"""The study of negative labels against literal computations on simulated campaigns."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.kit.study_tables import rows

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.study.negative_results import worst_scores
from poolwise.lab.study.negative_study import variant
from poolwise.study import negative

NAMES = ("NDCG_org", "NDCG_0", "NDCG_min")


@pytest.fixture(scope="module")
def campaign():
    return simulate(runs=8, topics=15, depth=60, pool_depth=30, grades=3, negative=0.3, seed=2)


@pytest.fixture(scope="module")
def study(pool):
    return negative(pool, cutoffs=[5, 10], draws=40, resamples=100)


def dcg(gains, cutoff, jk=False):
    def weight(rank):
        return (1.0 if rank <= 2 else 1 / math.log2(rank)) if jk else 1 / math.log2(rank + 1)

    return sum(gain * weight(rank) for rank, gain in enumerate(gains[:cutoff], 1))


def bounds(labels, cutoff, jk=False):
    """Worst and best DCG of a topic."""
    worst = dcg(sorted(label for label in labels if label < 0), cutoff, jk)
    return worst, dcg(sorted((label for label in labels if label > 0), reverse=True), cutoff, jk)


def literal_scores(campaign, name, cutoff):
    judged, table = campaign.qrels(), []
    for run_name in campaign.runs:
        run, row = campaign.run(run_name), []
        for topic in campaign.topics:
            if topic not in run:
                row.append(0.0)
                continue
            order = sorted(run[topic].items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
            gains = [judged[topic].get(document, 0) for document, _ in order]
            worst, best = bounds(judged[topic].values(), cutoff)
            if name == "NDCG_0":
                row.append(dcg([max(gain, 0) for gain in gains], cutoff) / best)
            elif name == "NDCG_org":
                row.append(dcg(gains, cutoff) / best)
            else:
                row.append((dcg(gains, cutoff) - worst) / (best - worst))
        table.append(row)
    return np.array(table)


def test_label_ratios_are_averaged_over_topics_that_have_the_label(campaign, study):
    judged = campaign.qrels()
    for row in rows(study, "labels"):
        ratios = [list(labels.values()).count(row["label"]) / len(labels) for labels in judged.values()]
        having = [ratio for ratio in ratios if ratio > 0]
        assert row["mean_ratio"] == pytest.approx(sum(having) / len(having))
        assert row["mean_ratio_all_topics"] == pytest.approx(sum(ratios) / len(ratios))
        assert row["topics"] == len(having)


def test_bounds_in_both_readings(campaign, study):
    judged = campaign.qrels()
    for row in rows(study, "bounds"):
        for jk, ending in ((False, ""), (True, "_jk")):
            found = [bounds(labels.values(), row["cutoff"], jk) for labels in judged.values()]
            scores = [worst / best for worst, best in found]
            assert row[f"below_0{ending}"] == pytest.approx(sum(score < 0 for score in scores) / len(scores))
            assert row[f"at_most_minus_1{ending}"] == pytest.approx(sum(score <= -1 for score in scores) / len(scores))
            assert row[f"dcg_at_most_minus_1{ending}"] == pytest.approx(
                sum(worst <= -1 for worst, _ in found) / len(scores)
            )
        assert 0 < row["at_most_minus_1"] < row["below_0"]
        scores = literal_scores(campaign, "NDCG_org", row["cutoff"])
        assert row["lowest_score"] == pytest.approx(scores.min())
        assert row["scores_below_0"] == pytest.approx(np.mean(scores < 0))


def test_spearman_and_ranks(campaign, study):
    found = {(row["cutoff"], row["measure_a"], row["measure_b"]): row["rho"] for row in rows(study, "spearman")}
    assert len(found) == 6
    for cutoff in (5, 10):
        means = {name: literal_scores(campaign, name, cutoff).mean(axis=1) for name in NAMES}
        for a, b in itertools.combinations(NAMES, 2):
            assert found[cutoff, a, b] == pytest.approx(spearmanr(means[a], means[b]).statistic)
        for row, value in zip(rows(study, "runs"), means["NDCG_min"], strict=True):
            assert row[f"NDCG_min@{cutoff}"] == pytest.approx(value)
            better = sum(other > value + 1e-12 for other in means["NDCG_min"])
            assert row[f"rank by NDCG_min@{cutoff}"] == better + 1


def test_reliability_errors_and_power_are_those_of_the_analyses(campaign, study):
    table = literal_scores(campaign, "NDCG_min", 10)
    key = (10, "NDCG_min")
    row = next(row for row in rows(study, "phi") if (row["cutoff"], row["measure"]) == key)
    with pytest.warns(pw.PoolwiseWarning, match="only 8 runs"):
        found = pw.reliability(table, resamples=100, seed=0)
    assert row["phi"] == pytest.approx(found.phi())
    assert row["phi_low"] == pytest.approx(found.phi_interval().low)
    rates = pw.error_rates(table, draws=40, seed=0)
    shown = [row for row in rows(study, "error_rate") if (row["cutoff"], row["measure"]) == key]
    assert [row["error_rate"] for row in shown] == pytest.approx(list(rates.rates))
    assert [row["error_rate_at_0"] for row in shown] == pytest.approx(list(rates.exact_rates))
    power = next(row for row in rows(study, "power") if (row["cutoff"], row["measure"]) == key)
    assert power["power"] == pytest.approx(pw.discriminative_power(table, resamples=100, seed=0).power)


def test_pinned_columns(study):
    pinned = {
        "labels": ["label", "mean_ratio"],
        "bounds": ["cutoff", "below_0", "at_most_minus_1"],
        "spearman": ["cutoff", "measure_a", "measure_b", "rho"],
    }
    for name, wanted in pinned.items():
        assert list(study.tables[name].columns)[: len(wanted)] == wanted


def test_the_summary_is_made_from_the_numbers(study):
    row = rows(study, "bounds")[-1]
    assert f"below 0 on {100 * row['below_0']:.0f} % of the topics" in study.summary[0]
    rho = {(r["measure_a"], r["measure_b"]): r["rho"] for r in rows(study, "spearman") if r["cutoff"] == 10}
    assert f"with a Spearman's rho of {rho['NDCG_org', 'NDCG_0']:.2f}" in study.summary[1]


def test_a_collection_without_negative_labels_is_refused():
    with pytest.raises(pw.InputError, match=r"no negative label \(found 0, 1, 2\)"):
        negative(simulate(runs=4, topics=5, depth=20, negative=0, seed=1).pool())


def test_a_topic_without_relevant_documents_has_no_bound():
    worst, score = worst_scores(np.array([-2, 0, 1]), np.array([[1, 3, 0], [0, 2, 1]]), 5, "log2")
    assert worst.tolist() == [-2.0, 0.0]
    assert score.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("discount", ["log2", "jk"])
@pytest.mark.parametrize("cutoff", [1, 2, 3, 5])
def test_no_ranking_is_worse_than_the_worst(discount, cutoff):
    """Against all rankings, short ones too, of topics with two negative labels, the lowest of which must come first."""
    labels, counts = np.array([-3, -1, 0, 2]), np.array([[1, 2, 1, 2], [2, 1, 2, 1], [0, 2, 1, 1]])
    worst, score = worst_scores(labels, counts, cutoff, discount)
    for topic, row in enumerate(counts):
        judged = np.repeat(labels, row)
        rankings = (each for length in range(len(judged) + 1) for each in itertools.permutations(judged, length))
        every = [dcg(gains, cutoff, discount == "jk") for gains in rankings]
        assert worst[topic] == pytest.approx(min(every))
        assert score[topic] == pytest.approx(min(every) / max(every))


def test_the_worst_list_is_the_one_the_core_scales_by():
    """A run of the worst ranking has NDCG_min 0, and NDCG_org as low as it can be."""
    judged = {"t": {"a": -1, "b": -3, "c": -1, "d": 0, "e": 2, "f": 1}}
    pool = pw.read(judged, {"worst": {"t": {"b": 4.0, "a": 3.0, "c": 2.0}}}, unjudged=None)
    minmax, keep = (pool.score(f"nDCG(negative='{how}')@3").means()[0, 0] for how in ("minmax", "keep"))
    assert minmax == pytest.approx(0.0, abs=1e-12)
    assert worst_scores(*pool.judgments.label_counts(), 3, "log2")[1] == pytest.approx([keep])


def test_judgments_alone_give_what_needs_no_runs(campaign, study, tmp_path):
    path = tmp_path / "qrels.txt"
    lines = [f"{t} 0 {d} {label}\n" for t, row in campaign.qrels().items() for d, label in row.items()]
    path.write_text("".join(lines))
    for given in (campaign.qrels(), str(path)):
        alone = negative(given, cutoffs=[5, 10])
        assert alone.tables["labels"].columns == study.tables["labels"].columns
        for name, column in alone.tables["bounds"].columns.items():
            assert study.tables["bounds"].columns[name] == column
    with pytest.raises(pw.InputError, match="no negative label"):
        negative({"1": {"a": 1, "b": 0}})


def test_release_discounts_rank_two_above_rank_one(campaign, pool):
    """Release 1.0.0 weighs ranks by 1, 1 / ln 2, 1 / ln 3: scored here by hand on the condensed list."""
    measure = variant("NDCG_org", 3, "ln", judged_only=True)
    found = pool.score(measure).array(str(measure))
    weights = [1.0, 1 / math.log(2), 1 / math.log(3)]
    run, topic = campaign.runs[0], campaign.topics[0]
    judged = campaign.qrels()[topic]
    listed = sorted(campaign.run(run)[topic].items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
    gains = [judged[document] for document, _ in listed if document in judged][:3]
    best = sorted((label for label in judged.values() if label > 0), reverse=True)[:3]
    by_hand = sum(g * w for g, w in zip(gains, weights, strict=False))
    assert found[0, 0] == pytest.approx(by_hand / sum(g * w for g, w in zip(best, weights, strict=False)))


def test_readings_of_the_paper_and_of_its_code_are_apart(pool):
    paper = negative(pool, cutoffs=[5], draws=20, resamples=100)
    code = negative(pool, cutoffs=[5], draws=20, resamples=100, discount="jk", judged_only=True, counted="topics")
    assert rows(code, "spearman")[0]["canonical_a"] == "nDCG'(discount='jk', negative='keep')@5"
    assert paper.tables["bounds"].columns["below_0"] == code.tables["bounds"].columns["below_0"]
    topics = [row["error_rate_at_0"] for row in rows(code, "error_rate") if row["measure"] == "NDCG_org"]
    means = [row["error_rate_at_0"] for row in rows(paper, "error_rate") if row["measure"] == "NDCG_org"]
    assert topics[0] == 0 < topics[-1]  # one topic has one winner; all of them seldom agree
    assert means[-1] == 0 < means[0]


def test_every_document_twice_is_a_reading_of_the_second_column(campaign, study):
    for row in rows(study, "bounds"):
        doubled = [[*labels.values(), *labels.values()] for labels in campaign.qrels().values()]
        found = [bounds(labels, row["cutoff"]) for labels in doubled]
        assert row["at_most_minus_1_twice"] == pytest.approx(np.mean([w / b <= -1 for w, b in found]))


def test_rho_over_rows_is_that_of_all_scores(campaign, study):
    for row in rows(study, "spearman"):
        a, b = (literal_scores(campaign, row[f"measure_{side}"], row["cutoff"]).ravel() for side in "ab")
        assert row["rho_rows"] == pytest.approx(spearmanr(a.round(12), b.round(12)).statistic)
