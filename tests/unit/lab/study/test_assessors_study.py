"""Assessors: scores, decisions and mixtures against a literal twin that reads every label set anew."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_rel
from tests.kit.small_campaigns import campaign_tables, noisy_labels

import poolwise as pw
from poolwise.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
FEW = {"mixtures": 50, "resamples": 20}


@pytest.fixture(scope="module")
def tables():
    return campaign_tables(runs=6, topics=8, documents=60, depth=30, share=0.3, grades=2, skill=1.5, seed=4)


noisy = partial(noisy_labels, values=4)


def part_of(labels, seed: int):
    """Half of the documents of half of the topics."""
    chance = np.random.default_rng(seed)
    topics = list(labels)[::2]
    return {topic: {d: label for d, label in labels[topic].items() if chance.random() < 0.5} for topic in topics}


def replaced(labels, others):
    return {topic: {**own, **others.get(topic, {})} for topic, own in labels.items()}


def rows(study, table):
    columns = study.tables[table].columns
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def holm(p):
    """Step by step, as Holm wrote it."""
    found, most = [0.0] * len(p), 0.0
    for place, number in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        most = max(most, min(1.0, (len(p) - place) * p[number]))
        found[number] = most
    return found


def decisions(values, alpha=0.05):
    pairs = list(combinations(range(len(values)), 2))
    p = holm([ttest_rel(values[a], values[b]).pvalue for a, b in pairs])
    return [np.sign(values[a].mean() - values[b].mean()) * (p[n] < alpha) for n, (a, b) in enumerate(pairs)]


@pytest.fixture(scope="module")
def sets(tables):
    labels, _ = tables
    return {"ann": noisy(labels, 1), "bob": part_of(noisy(labels, 2), 3)}


@pytest.fixture(scope="module")
def study(tables, sets):
    labels, runs = tables
    return pw.study.assessors(pw.read(labels, runs), labels=sets, measures=["nDCG@10", "AP"], **FEW)


def values_of(labels, runs, measure):
    return pw.read(labels, runs).score(measure).array(measure)


def test_scores_are_those_of_labels_put_in_the_judgments_place(tables, sets, study) -> None:
    labels, runs = tables
    highest, lowest = ({t: dict(own) for t, own in labels.items()} for _ in range(2))
    for other in sets.values():
        for topic, own in other.items():
            for document, label in own.items():
                highest[topic][document] = max(highest[topic][document], label)
                lowest[topic][document] = min(lowest[topic][document], label)
    expected = {"judgments": labels, "union": highest, "intersection": lowest}
    expected |= {name: replaced(labels, other) for name, other in sets.items()}
    found = {(row["measure"], row["run"], row["set"]): row["score"] for row in rows(study, "by_set")}
    for name, own in expected.items():
        for measure in ("nDCG@10", "AP"):
            for run, values in zip(runs, values_of(own, runs, measure), strict=True):
                assert found[measure, run, name] == pytest.approx(values.mean(), abs=1e-12), (measure, run, name)


def test_rankings_and_decisions(tables, sets, study) -> None:
    labels, runs = tables
    by_set = {"judgments": labels, **{name: replaced(labels, other) for name, other in sets.items()}}
    rankings, decided = rows(study, "rankings"), rows(study, "decisions")
    for measure in ("nDCG@10", "AP"):
        values = {name: values_of(own, runs, measure) for name, own in by_set.items()}
        for first, second in combinations(by_set, 2):
            a, b = values[first], values[second]
            row = next(r for r in rankings if (r["measure"], r["first"], r["second"]) == (measure, first, second))
            assert row["tau"] == pytest.approx(kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic)
            assert row["shift"] == pytest.approx((b - a).mean())
            assert row["tau_low"] <= row["tau"] <= row["tau_high"]
            row = next(r for r in decided if (r["measure"], r["first"], r["second"]) == (measure, first, second))
            one, two = decisions(a), decisions(b)
            pairs = list(zip(one, two, strict=True))
            assert row["told_apart"] == sum(x != 0 for x in one)
            assert row["kept"] == sum(x != 0 and x == y for x, y in pairs)
            assert row["lost"] == sum(x != 0 and y == 0 for x, y in pairs)
            assert row["turned"] == sum(x * y < 0 for x, y in pairs)
            assert row["new"] == sum(x == 0 and y != 0 for x, y in pairs)
            assert row["kept"] + row["lost"] + row["turned"] == row["told_apart"]
    assert any(row["told_apart"] for row in decided)


def test_agreement_on_labels_stands_beside(tables, sets, study) -> None:
    labels, _ = tables
    found = pw.label_agreement({"judgments": labels, **sets})
    for row in rows(study, "rankings"):
        if {row["first"], row["second"]} <= {"judgments", "ann", "bob"}:
            assert row["kappa"] == pytest.approx(found.of("kappa", row["first"], row["second"]).value)
            assert row["overlap"] == pytest.approx(found.of("overlap", row["first"], row["second"], "binary").value)


@pytest.mark.slow
def test_mixtures_are_all_ways_to_deal_topics(tables) -> None:
    labels, runs = tables
    labels = dict(list(labels.items())[:3])
    said = {"judgments": labels, "ann": noisy(labels, 1), "bob": {t: noisy(labels, 2)[t] for t in list(labels)[:1]}}
    others = {name: own for name, own in said.items() if name != "judgments"}
    study = pw.study.assessors(
        pw.read(labels, runs), labels=others, measures=["nDCG@10"], mixtures=3000, resamples=20, correction="none"
    )
    base = values_of(labels, runs, "nDCG@10")
    told = _uncorrected(base)
    able = [[name for name, own in said.items() if topic in own] for topic in labels]
    assert sorted(map(len, able)) == [2, 2, 3]
    taus, kept, means = [], [], []
    for names in product(*able):
        dealt = {topic: said[name][topic] for name, topic in zip(names, labels, strict=True)}
        values = values_of(dealt, runs, "nDCG@10")
        means.append(values.mean(axis=1))
        taus.append(kendalltau(base.mean(axis=1), means[-1]).statistic)
        both = list(zip(told, _uncorrected(values), strict=True))
        kept.append(sum(x != 0 and x == y for x, y in both) / sum(x != 0 for x in told))
    found = {row["what"]: row for row in rows(study, "mixed")}
    close = 5 / np.sqrt(3000)
    assert found["tau"]["mean"] == pytest.approx(np.mean(taus), abs=close * np.std(taus) + 1e-12)
    assert (found["tau"]["lowest"], found["tau"]["highest"]) == pytest.approx((min(taus), max(taus)))
    assert found["decisions_kept"]["mean"] == pytest.approx(np.mean(kept), abs=close * np.std(kept) + 1e-12)
    best = np.mean([m.argmax() == base.mean(axis=1).argmax() for m in means])
    assert found["same_winner"]["mean"] == pytest.approx(best, abs=close)
    scores = {row["run"]: row for row in rows(study, "scores")}
    for place, run in enumerate(runs):
        column = [m[place] for m in means]
        assert min(column) - 1e-12 <= scores[run]["mixed_low"] <= scores[run]["mixed_high"] <= max(column) + 1e-12


def _uncorrected(values):
    pairs = list(combinations(range(len(values)), 2))
    return [
        np.sign(values[a].mean() - values[b].mean()) * (ttest_rel(values[a], values[b]).pvalue < 0.05) for a, b in pairs
    ]


def test_sets_of_one_mind_change_nothing(tables) -> None:
    labels, runs = tables
    study = pw.study.assessors(pw.read(labels, runs), labels={"twin": labels}, measures=["AP"], **FEW)
    assert all(row["tau"] == 1.0 and row["swaps"] == 0 for row in rows(study, "rankings"))
    assert all(row["lost"] == row["turned"] == row["new"] == 0 for row in rows(study, "decisions"))
    assert study.tables["pairs"].length == 0
    assert {row["kappa"] for row in rows(study, "sets") if row["set"] == "twin"} == {1.0}
    assert "winner is the same in 100 %" in " ".join(study.summary)


def test_thresholds_bring_sets_to_one_scale(tables) -> None:
    labels, runs = tables
    tenths = {t: {d: 10 * label + 1 for d, label in own.items()} for t, own in labels.items()}
    study = pw.study.assessors(
        pw.read(labels, runs), labels={"tenths": tenths}, thresholds={"": 2, "tenths": 21}, measures=["AP"], **FEW
    )
    assert all(row["tau"] == 1.0 for row in rows(study, "rankings"))
    binary = {t: {d: int(label >= 2) for d, label in own.items()} for t, own in labels.items()}
    expected = values_of(binary, runs, "AP").mean(axis=1)
    found = [row["score"] for row in rows(study, "by_set") if row["set"] == "tenths"]
    assert found == pytest.approx(expected.tolist())


def test_documents_and_topics_that_the_judgments_lack(tables) -> None:
    labels, runs = tables
    first = next(iter(labels))
    retrieved = next(iter(runs.values()))[first]
    new = next(document for document in retrieved if document not in labels[first])
    others = {first: {**labels[first], new: 3}, "nowhere": {"a": 1}}
    study = pw.study.assessors(pw.read(labels, runs), labels={"more": others}, measures=["AP"], **FEW)
    expected = values_of({**labels, first: others[first]}, runs, "AP").mean(axis=1)
    found = [row["score"] for row in rows(study, "by_set") if row["set"] == "more"]
    assert found == pytest.approx(expected.tolist())


def test_faults(tables, tmp_path) -> None:
    labels, runs = tables
    pool = pw.read(labels, runs)
    with pytest.raises(InputError, match="label sets"):
        pw.study.assessors(pool)
    with pytest.raises(InputError, match="another name"):
        pw.study.assessors(pool, labels={"judgments": labels})
    with pytest.raises(InputError, match="topic of the judgments"):
        pw.study.assessors(pool, labels={"strange": {"x": {"a": 1}}})
    with pytest.raises(InputError, match="no files"):
        pw.study.assessors(pool, labels=[tmp_path])
