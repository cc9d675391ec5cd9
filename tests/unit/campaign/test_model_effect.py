"""Whom a model favours: planted favours are found, none where there is none; intervals of samples hold the whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.campaign.model_effect import _drawn

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def tables():
    return campaign_tables(runs=8, topics=20, documents=80, depth=40, share=0.25, grades=1, skill=1.0, seed=4)


def lenient(labels, share: float = 0.1, seed: int = 1):
    chance = np.random.default_rng(seed)
    return {
        topic: {d: max(label, int(chance.random() < share)) for d, label in own.items()}
        for topic, own in labels.items()
    }


def friend(labels, runs, name: str):
    """A model that likes whatever stands in one run's top five."""
    model = {topic: dict(own) for topic, own in labels.items()}
    for topic, own in model.items():
        for document in sorted(runs[name][topic], key=lambda d: -runs[name][topic][d])[:5]:
            if document in own:
                own[document] = 1
    return model


def test_complete_labels_by_hand(tables) -> None:
    labels, runs = tables
    model = lenient(labels)
    found = pw.model_effect({"people": labels, "model": model}, runs, model="model", measure="P@10")
    people, by_model = (pw.read(each, runs).score("P@10").array("P@10") for each in (labels, model))
    gap = by_model - people
    favour = gap - gap.mean(axis=0)
    assert found.people == pytest.approx(people.mean(axis=1))
    assert found.difference == pytest.approx(gap.mean(axis=1))
    assert found.favour == pytest.approx(favour.mean(axis=1))
    half = t.ppf(1 - 0.025 / 8, 19) * favour.std(axis=1, ddof=1) / np.sqrt(20)
    assert found.high - found.favour == pytest.approx(half)
    assert not found.sampled


def test_a_planted_favour_is_found_and_a_lenient_model_has_none(tables) -> None:
    labels, runs = tables
    name = "run5"
    found = pw.model_effect(
        {"people": labels, "model": friend(labels, runs, name)}, runs, model="model", measure="P@10"
    )
    assert found.favoured == (name,)
    assert found.p[list(found.runs).index(name)] < 0.001
    assert name in found.headline()
    fair = pw.model_effect({"people": labels, "model": lenient(labels)}, runs, model="model", measure="P@10")
    assert fair.favoured == fair.disfavoured == ()
    assert "no run" in fair.headline()


def sampled(labels, share: float, seed: int):
    chance = np.random.default_rng(seed)
    found = {}
    for topic, own in labels.items():
        kept = set(chance.permutation(len(own))[: round(share * len(own))].tolist())
        found[topic] = {d: label if n in kept else -1 for n, (d, label) in enumerate(own.items())}
    return found


@pytest.mark.slow
def test_intervals_of_samples_hold_for_all_runs_together(tables) -> None:
    labels, runs = tables
    model = friend(labels, runs, "run5")
    whole = pw.model_effect({"people": labels, "model": model}, runs, model="model", measure="AP")
    errors = []
    for seed in range(9):
        found = pw.model_effect(
            {"people": sampled(labels, 0.25, seed), "model": model}, runs, model="model", measure="AP"
        )
        assert found.sampled
        errors.append((found.favour - whole.favour) / (found.high - found.favour))
    assert (np.abs(errors).max(axis=1) <= 1).mean() >= 0.8  # 95 % of 9 trials, less two standard errors
    # Sharper than coverage: an interval for eight runs together is 3 standard errors wide to each side.
    assert 0.25 < np.sqrt(np.mean(np.square(errors))) < 0.42


@pytest.mark.slow
def test_a_good_model_narrows_intervals_and_a_useless_one_hardly(tables) -> None:
    labels, runs = tables
    people = sampled(labels, 0.25, 3)
    chance = np.random.default_rng(5)
    useless = {topic: {d: int(chance.integers(0, 2)) for d in own} for topic, own in labels.items()}
    good, bad = (
        pw.model_effect({"people": people, "model": model}, runs, model="model", measure="AP")
        for model in (lenient(labels, 0.02), useless)
    )
    assert good.width_without == pytest.approx(bad.width_without)
    assert good.saved > 0.3
    assert bad.ratio > 0.9
    assert good.labels == sum(label >= 0 for own in people.values() for label in own.values())


def test_the_variance_of_a_favour_follows_from_those_of_pairs(tables, monkeypatch) -> None:
    """Against the shares that documents have in the error of each run, with no pair tempered by itself."""
    from poolwise.estimates import standard_errors

    monkeypatch.setattr(standard_errors, "PRIOR_DF", 0.0)
    labels, runs = tables
    pool = pw.read(sampled(labels, 0.3, 1), runs)
    _, errors, _ = _drawn(pool, pool.judgments, pool.judgments, "P@10")
    from poolwise.estimates.combine import combine
    from poolwise.estimates.estimator import prepare
    from poolwise.estimates.layout import Layout
    from poolwise.estimates.targets import target_of
    from poolwise.measures.registry import parse

    layout = Layout.of(pool, pool.judgments)
    (one,) = combine(
        layout, prepare(pool, pool.judgments), [target_of(parse("P@10"), layout)], list(range(8)), False, 1
    )
    shares, common = (part - part.mean(axis=0) for part in (one.shares, one.common))
    assert errors == pytest.approx(np.sqrt((shares**2).sum(axis=1) - (common**2).sum(axis=1)), rel=1e-6)


def test_faults(tables) -> None:
    labels, runs = tables
    with pytest.raises(pw.ArgumentError, match="assessor"):
        pw.model_effect({"people": labels, "model": labels}, runs, model="nobody")


def more_than(labels, extra: int, seed: int = 3):
    """A model's labels of other documents too, most of which it calls relevant."""
    chance = np.random.default_rng(seed)
    return {
        topic: {**own, **{f"other{topic}-{n}": int(chance.random() < 0.7) for n in range(extra)}}
        for topic, own in labels.items()
    }


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_labels_of_documents_that_the_plan_does_not_list_change_nothing(tables, share) -> None:
    labels, runs = tables
    people, model = sampled(labels, share, seed=5), friend(labels, runs, "run5")
    one, two = (
        pw.model_effect({"people": people, "model": each}, runs, model="model", measure="nDCG@10")
        for each in (model, more_than(model, extra=50))
    )
    assert two.people.tolist() == one.people.tolist()
    assert two.by_model.tolist() == one.by_model.tolist()
    assert two.low.tolist() == one.low.tolist()
    assert two.width_with == one.width_with
    assert two.sampled == one.sampled == (share < 1)
