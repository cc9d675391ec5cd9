"""Reusability: losses against a literal twin that pools anew without a group, the correction, what is inferred."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.simulate.drawing import simulate

DEPTH = 15


@pytest.fixture(scope="module")
def simulated():
    return simulate(runs=8, topics=12, depth=60, pool_depth=DEPTH, seed=5)


@pytest.fixture(scope="module")
def tables(simulated):
    return simulated.qrels(), {run: simulated.run(run) for run in simulated.runs}


def groups_of(runs):
    return {run: f"team{place // 3}" for place, run in enumerate(runs)}


def without(qrels, runs, group_of, group):
    """Labels of the pool of all other runs, made anew from the lists."""
    kept = {topic: {} for topic in qrels}
    for run, topics in runs.items():
        if group_of[run] == group:
            continue
        for topic, scored in topics.items():
            best = sorted(scored, key=lambda document: (scored[document], document), reverse=True)[:DEPTH]
            for document in best:
                if document in qrels.get(topic, {}):
                    kept[topic][document] = qrels[topic][document]
    return kept


def test_losses_are_those_of_a_pool_made_anew(tables):
    qrels, runs = tables
    group_of = groups_of(runs)
    study = pw.study.reusability(pw.read(qrels, runs), measures=["AP"], groups=group_of, depth=DEPTH)
    losses = {row[1]: row for row in zip(*study.tables["losses"].columns.values(), strict=True)}
    heads = list(study.tables["losses"].columns)
    full = dict(zip(runs, pw.read(qrels, runs).score("AP").means()[:, 0].tolist(), strict=True))
    for group in set(group_of.values()):
        smaller = without(qrels, runs, group_of, group)
        means = pw.read(smaller, runs).score("AP").means()[:, 0].tolist()
        for run, mean in zip(runs, means, strict=True):
            if group_of[run] == group:
                row = dict(zip(heads, losses[run], strict=True))
                assert row["left_out"] == pytest.approx(mean, abs=1e-12), run
                assert row["loss"] == pytest.approx(full[run] - mean, abs=1e-12)
                assert row["group"] == group
                unique = sum(label >= 1 for topic in qrels for label in _only(qrels[topic], smaller[topic]))
                assert row["unique_relevant"] == unique


def _only(whole, part):
    return [label for document, label in whole.items() if document not in part]


def test_contributing_runs_are_those_judged_in_full(tables):
    qrels, runs = tables
    newcomer = {topic: {f"new{place}": 10.0 - place for place in range(10)} for topic in qrels}
    study = pw.study.reusability(pw.read(qrels, {**runs, "newcomer": newcomer}), measures=["AP"])
    assert study.settings["depth"] == 10
    assert "newcomer" not in study.tables["losses"].columns["run"]
    assert set(study.tables["losses"].columns["run"]) == set(runs)


def test_correction_removes_the_mean_loss(tables):
    qrels, runs = tables
    study = pw.study.reusability(pw.read(qrels, runs), measures=["AP", "nDCG@10"], depth=DEPTH)
    rows = study.tables["correction"].columns
    bias = dict(zip(zip(rows["measure"], rows["form"], strict=True), rows["bias"], strict=True))
    for measure in ("AP", "nDCG@10"):
        assert bias[measure, "as it is"] < 0
        for form in ("mean loss", "by holes"):
            assert abs(bias[measure, form]) < abs(bias[measure, "as it is"]) / 2


def test_kinds_are_summed_up_apart(tables):
    qrels, runs = tables
    kinds = {run: "manual" if place % 2 else "automatic" for place, run in enumerate(runs)}
    study = pw.study.reusability(pw.read(qrels, runs), measures=["P@10"], kinds=kinds, depth=DEPTH)
    summary, losses = study.tables["summary"].columns, study.tables["losses"].columns
    assert summary["kind"] == ["all", "automatic", "manual"]
    percents = np.array(losses["loss_percent"])
    manual = np.array(losses["kind"]) == "manual"
    assert summary["mean_percent"][2] == pytest.approx(percents[manual].mean())
    assert summary["most_percent"][0] == pytest.approx(percents.max())


def test_the_depth_is_read_off_the_runs_that_are_named(tables):
    qrels, runs = tables
    first = next(iter(runs))
    lost = next(iter(qrels))
    fewer = {topic: dict(list(own.items())[1:]) if topic == lost else own for topic, own in qrels.items()}
    named = [run for run in runs if run != first]
    study = pw.study.reusability(pw.read(fewer, runs), measures=["AP"], contributing=named)
    assert study.settings["depth"] == 10  # pooled to 15, of which 10 is a usual depth; one document got lost


def test_faults(tables):
    qrels, runs = tables
    with pytest.raises(InputError, match="two groups"):
        pw.study.reusability(pw.read(qrels, runs), groups=dict.fromkeys(runs, "one"), depth=DEPTH)
    with pytest.raises(InputError, match="top 60 documents judged"):
        pw.study.reusability(pw.read(qrels, runs), depth=60)


def test_expected_losses_against_a_literal_twin(tables):
    qrels, runs = tables
    group_of = groups_of(runs)
    kinds = {run: "manual" if place < 2 else "automatic" for place, run in enumerate(runs)}
    study = pw.study.reusability(pw.read(qrels, runs), measures=["nDCG@10"], groups=group_of, kinds=kinds, depth=DEPTH)
    product, loss = {}, {}
    for group in set(group_of.values()):
        smaller = without(qrels, runs, group_of, group)
        for run in (run for run in runs if group_of[run] == group):
            tops = {t: sorted(own, key=lambda d: (own[d], d), reverse=True)[:10] for t, own in runs[run].items()}
            unjudged = sum(d not in smaller.get(t, {}) for t, top in tops.items() for d in top)
            score = pw.read(smaller, {run: runs[run]}).score("nDCG@10").means()[0, 0]
            product[run] = unjudged / sum(map(len, tops.values())) * score
            loss[run] = pw.read(qrels, {run: runs[run]}).score("nDCG@10").means()[0, 0] - score
    losses = study.tables["losses"].columns
    for run, expected in zip(losses["run"], losses["expected_loss"], strict=True):
        others = [other for other in runs if group_of[other] != group_of[run]]  # fewer than three groups of any kind
        factor = sum(loss[other] for other in others) / sum(product[other] for other in others)
        assert expected == pytest.approx(factor * product[run], abs=1e-12), run


@pytest.mark.slow
def test_correction_by_holes_helps_and_its_interval_holds():
    squares, held, runs = {"as it is": 0.0, "mean loss": 0.0, "by holes": 0.0}, 0.0, 0
    for seed in range(8):
        pool = simulate(runs=16, topics=25, depth=60, pool_depth=10, seed=seed).pool()
        groups = {run: f"team{place // 2}" for place, run in enumerate(pool.runs)}
        study = pw.study.reusability(pool, measures=["nDCG@10"], groups=groups, depth=10)
        rows = study.tables["correction"].columns
        for form, number, rmse in zip(rows["form"], rows["runs"], rows["rmse"], strict=True):
            squares[form] += number * rmse**2
        held += rows["runs"][-1] * rows["coverage"][-1]
        runs += rows["runs"][-1]
    assert squares["by holes"] < squares["mean loss"] < squares["as it is"]
    assert 0.88 <= held / runs <= 1.0


def test_runs_that_did_not_contribute_are_corrected(tables):
    qrels, runs = tables
    last = list(runs)[-1]
    others = {run: own for run, own in runs.items() if run != last}
    smaller = without(qrels, runs, {run: run for run in runs}, last)
    study = pw.study.reusability(
        pw.read(smaller, runs), measures=["P@10"], contributing=list(others), depth=DEPTH, kinds={last: "manual"}
    )
    found = {name: column[0] for name, column in study.tables["newcomers"].columns.items()}
    assert (found["run"], found["kind"]) == (last, "manual")
    assert found["score"] == pytest.approx(pw.read(smaller, {last: runs[last]}).score("P@10").means()[0, 0])
    assert found["unjudged"] > 0
    assert found["corrected"] == pytest.approx(found["score"] + found["expected_loss"])
    assert found["low"] < found["score"] < found["high"]
    assert found["expected_loss"] > 0


def test_groups_of_other_runs_are_refused_and_runs_without_one_are_counted(simulated):
    pool = simulated.pool()
    with pytest.raises(ArgumentError, match="kinds: none of the 1 names is a run's; the first is 'other'"):
        pw.study.reusability(pool, depth=DEPTH, kinds={"other": "manual"})
    some = dict(list(groups_of(pool.runs).items())[:-2])
    with pytest.warns(pw.PoolwiseWarning, match=f"2 runs without an entry in groups, such as {pool.runs[-2]}"):
        pw.study.reusability(pool, depth=DEPTH, groups=some)


def test_the_verdict_says_what_it_rests_on_and_is_withheld_for_few(tables):
    qrels, runs = tables
    few = pw.study.reusability(pw.read(qrels, runs), measures=["AP"], depth=DEPTH)
    assert few.summary[0].startswith("No verdict: 8 runs made the pool")
    grouped = pw.study.reusability(pw.read(qrels, runs), measures=["AP"], depth=DEPTH, groups=groups_of(runs))
    assert grouped.summary[0].startswith("No verdict: 8 runs of 3 groups made the pool")
    many = simulate(runs=12, topics=12, depth=60, pool_depth=DEPTH, seed=5).pool()
    found = pw.study.reusability(many, measures=["AP"], depth=DEPTH)
    assert "going by 12 runs left out one by one" in found.summary[0]
    assert "No verdict" not in found.summary[0]


def test_it_is_said_that_groups_and_kinds_were_not_given(tables):
    pool = pw.read(*tables)
    said = {
        (grouped, told): " ".join(
            pw.study.reusability(
                pool,
                measures=["AP"],
                depth=DEPTH,
                groups=groups_of(pool.runs) if grouped else None,
                kinds=dict.fromkeys(pool.runs, "automatic") if told else None,
            ).summary
        )
        for grouped in (False, True)
        for told in (False, True)
    }
    for (grouped, told), words in said.items():
        assert ("runs of one group share documents" in words and "(--groups)" in words) != grouped
        assert ("(--kinds)" in words) != told


def _top(scored):
    return sorted(scored, key=lambda document: (scored[document], document))[-DEPTH:]


def test_part_of_a_campaign_is_told_by_documents_that_no_run_brought(tables):
    qrels, runs = tables
    whole = pw.study.reusability(pw.read(qrels, runs), measures=["AP"], depth=DEPTH)
    assert not any("judged documents" in said for said in whole.warnings)
    part = dict(list(runs.items())[:4])
    tops = {topic: {d for own in part.values() for d in _top(own.get(topic, {}))} for topic in qrels}
    judged = [(topic, document) for topic, own in qrels.items() for document in own]
    share = sum(document not in tops[topic] for topic, document in judged) / len(judged)
    found = pw.study.reusability(pw.read(qrels, part), measures=["AP"], depth=DEPTH)
    assert any(said.startswith(f"{100 * share:.0f} % of the judged documents") for said in found.warnings)
