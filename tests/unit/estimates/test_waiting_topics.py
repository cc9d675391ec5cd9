"""Topics of a plan that nobody has begun: no interval, and what to do; the plan's own order reaches them first."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.errors import InputError, PoolwiseWarning

LABELS, RUNS = campaign_tables(runs=3, topics=10, documents=60, depth=40, share=0.3, grades=2, skill=1.0, seed=3)
POOL = pw.read(None, RUNS)


def merged(plan, pairs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plan.merge([(topic, document, LABELS[topic].get(document, 0)) for topic, document in pairs])


def estimated(plan, pairs, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pw.read(merged(plan, pairs), RUNS).estimate("nDCG@10", "AP", difference="all", **options)


@pytest.fixture(scope="module")
def plan():
    return POOL.plan(budget=100, measure="nDCG@10", seed=1)


def topic_by_topic(plan):
    return sorted(plan.to_judge(), key=lambda pair: int(pair[0]) if pair[0].isdecimal() else pair[0])


def test_half_of_the_topics_give_no_interval(plan) -> None:
    found = estimated(plan, topic_by_topic(plan)[:50])
    for ends in (found.mean_low(), found.mean_high(), found.standard_error):
        assert np.isnan(ends).all()
    assert np.isfinite(found.means()).all()
    pairs = found.differences
    for ends in (pairs.low, pairs.high, pairs.plain_low, pairs.plain_high, pairs.standard_error):
        assert np.isnan(ends).all()
    assert any("5 of 10 topics that the plan drew from have no label yet" in note for note in found.warnings)
    assert not any("intervals then held" in note or "no judged document moves" in note for note in found.warnings)


def test_values_pooled_over_runs_have_none_either() -> None:
    labels, runs = campaign_tables(runs=11, topics=6, documents=50, depth=30, share=0.3, grades=1, skill=1.0, seed=4)
    plan = pw.read(None, runs).plan(budget=60, seed=1)
    known = [(topic, document, labels[topic].get(document, 0)) for topic, document in topic_by_topic(plan)[:30]]
    with pytest.warns(PoolwiseWarning, match="topics that the plan drew from have no label yet"):
        found = pw.read(plan.merge(known), runs).estimate("AP")
    assert np.isfinite(found.steadied).all()
    assert np.isnan(found.steadied_low).all()
    assert np.isnan(found.steadied_high).all()


def test_half_of_the_plan_in_its_own_order_has_intervals(plan) -> None:
    found = estimated(plan, plan.to_judge()[:50])
    assert np.isfinite(found.mean_low()).all()
    assert np.isfinite(found.differences.low).all()
    assert not any("no label yet" in note for note in found.warnings)


def test_one_label_of_each_topic_is_enough(plan) -> None:
    pairs = plan.to_judge()[:10]
    assert len({topic for topic, _ in pairs}) == 10
    assert np.isfinite(estimated(plan, pairs).mean_low()).all()


def test_such_estimates_are_not_compared(plan) -> None:
    found = estimated(plan, topic_by_topic(plan)[:50])
    with pytest.raises(InputError, match="have no intervals, as topics or strata have no label"):
        pw.compare(found, "AP", test="judgments")


def test_a_topic_without_draws_is_not_waited_for() -> None:
    """Judgments that say nothing of draws: a topic of which nothing is judged is the model's, as before."""
    pool = pw.read(LABELS, RUNS)
    labels = {topic: {d: -1 if topic == "1" else label for d, label in own.items()} for topic, own in LABELS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pw.read(labels, RUNS).estimate("AP")
    assert np.isfinite(found.mean_low()).all() or found.means().tolist() == pool.score("AP").means().tolist()


@pytest.mark.slow
def test_half_of_a_plan_counts_relevant_documents_without_bias() -> None:
    """Labels over their rates, against how many there are: first halves of 60 plans."""
    truth = None
    totals = []
    for seed in range(60):
        plan = POOL.plan(budget=80, measure="AP", seed=seed)
        if truth is None:
            pooled = zip(plan.topic, plan.document, strict=True)
            truth = sum(LABELS[topic].get(document, 0) > 0 for topic, document in pooled)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judgments = pw.read(merged(plan, plan.to_judge()[:40]), RUNS).judgments
        rates = judgments.inclusion()
        totals.append(float((1.0 / rates[judgments.labels > 0]).sum()))
    assert abs(np.mean(totals) - truth) < 4 * np.std(totals) / np.sqrt(len(totals))


# ---- Topics that are listed and nothing else ---------------------------------------------------------------------


def some_topics(share=0.5, without=("8", "9", "10")):
    """A share of every topic's labels by chance, none of a few topics, as lines of qrels without rounds."""
    random = np.random.default_rng(5)
    return {
        topic: {d: label if topic not in without and random.random() < share else -1 for d, label in own.items()}
        for topic, own in LABELS.items()
    }


def predicted(topics):
    return [
        (topic, d, 0.3 * label + 0.01 * (len(d) + n % 5))
        for topic in topics
        for n, (d, label) in enumerate(LABELS[topic].items())
    ]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_topics_with_nothing_but_unjudged_lines_give_no_interval() -> None:
    names = list(LABELS)
    without = tuple(names[-3:])
    found = pw.read(some_topics(without=without), RUNS).estimate("nDCG@10", "AP", "RR", difference="all")
    for ends in (found.mean_low(), found.mean_high(), found.standard_error):
        assert np.isnan(ends).all()
    for ends in (found.differences.low, found.differences.high, found.differences.standard_error):
        assert np.isnan(ends).all()
    assert np.isfinite(found.means()).all()
    (note,) = [note for note in found.warnings if "the judgments list documents and no label" in note]
    assert note.startswith(f"of 3 of 10 topics the judgments list documents and no label ({', '.join(without)})")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_predictions_and_designs_speak_for_topics_and_others_are_none_of_ours() -> None:
    names = list(LABELS)
    without = tuple(names[-3:])
    judged = some_topics(without=without)
    pool = pw.read(judged, RUNS)
    assert np.isfinite(pool.estimate("AP", predictions=predicted(names)).mean_low()).all()
    only_some = pool.estimate("AP", predictions=predicted(names[:-1]))  # not of the last topic
    assert np.isnan(only_some.mean_low()).all()
    assert any("of 1 of 10 topics the judgments list" in note for note in only_some.warnings)
    left_out = {topic: own for topic, own in judged.items() if topic not in without}
    runs = {run: {topic: own for topic, own in lists.items() if topic in left_out} for run, lists in RUNS.items()}
    for given in (RUNS, runs):  # topics that the judgments do not name are other topics
        assert np.isfinite(pw.read(left_out, given).estimate("AP").mean_low()).all()
    drawn = POOL.plan(budget=8, seed=2)  # a plan that drew some of the topics
    assert np.isfinite(pw.read(merged(drawn, drawn.to_judge()), RUNS).estimate("AP").mean_low()).all()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_plan_that_lost_its_comments_gives_no_interval_where_it_drew_topics(tmp_path) -> None:
    drawn = POOL.plan(budget=8, seed=2)
    text = merged(drawn, drawn.to_judge()).to_text().decode()
    (tmp_path / "bare.txt").write_text("".join(line for line in text.splitlines(True) if not line.startswith("#")))
    found = pw.read(tmp_path / "bare.txt", RUNS).estimate("AP", difference="all")
    assert np.isnan(found.mean_low()).all()
    assert np.isnan(found.differences.low).all()
    with pytest.raises(InputError, match="topics or strata have no label"):
        pw.read(tmp_path / "bare.txt", RUNS).compare("AP", test="judgments")
