"""Strata of which nothing is judged: what they add is a guess, and nothing that rests on it is certain."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.errors import InputError
from poolwise.estimates.layout import Layout
from poolwise.estimates.notes import ranks_seen
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse

LABELS, RUNS = campaign_tables(runs=4, topics=8, documents=60, depth=20, share=0.3, grades=2, skill=1.0, seed=6)
RUNS["copy"] = RUNS["run0"]
MEASURES = ("AP", "nDCG@5", "P@5", "RR", "Success@5")


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def half_judged():
    """The first half of the topics judged in full, the others pooled alone."""
    judged = list(LABELS)[: len(LABELS) // 2]
    return {topic: {d: y if topic in judged else -1 for d, y in own.items()} for topic, own in LABELS.items()}


def top_judged(path, depth):
    """The first ranks judged in full, nothing below; lines of a plan with two strata."""
    lines = []
    for topic, own in LABELS.items():
        lists = [sorted(run[topic], key=run[topic].get, reverse=True)[:depth] for run in RUNS.values()]
        top = {document for each in lists for document in each}
        lines += [
            f"{topic} 1 {document} 1 {label}" if document in top else f"{topic} 0 {document} 2 -1"
            for document, label in own.items()
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_half_of_the_topics_judged_in_full_determine_no_difference() -> None:
    pool = quietly(pw.read, half_judged(), RUNS)
    found = quietly(pool.estimate, *MEASURES, difference="all")
    assert np.isnan(found.mean_low()).all()
    for a, b, low, error, note in zip(
        (pairs := found.differences).run_a, pairs.run_b, pairs.low, pairs.standard_error, pairs.note, strict=True
    ):
        copies = {a, b} == {"run0", "copy"}
        assert (note == "determined by complete judgments") == copies
        assert np.isnan([low, error]).any() != copies
    for ends in (pairs.high, pairs.plain_low, pairs.plain_high):
        assert np.isnan(ends).tolist() == np.isnan(pairs.low).tolist()


def test_nothing_is_significant_of_topics_that_nobody_judged() -> None:
    runs = {name: RUNS[name] for name in ("run0", "run1", "run2")}
    pool = quietly(pw.read, half_judged(), runs)
    with pytest.raises(InputError, match="topics or strata have no label"):
        quietly(pool.compare, "AP", test="judgments")
    with_copy = quietly(quietly(pw.read, half_judged(), RUNS).compare, "AP", test="judgments", baseline="run0")
    assert (with_copy.p == 1.0).all()


def test_judged_first_ranks_determine_measures_of_these_alone(tmp_path) -> None:
    pool = quietly(pw.read, top_judged(tmp_path / "top.txt", 5), RUNS)
    found = quietly(pool.estimate, *MEASURES, difference=("run0", "run1"))
    truth = quietly(pw.read(LABELS, RUNS).score, *MEASURES).means()
    of = dict(zip(found.differences.measure, found.differences.note, strict=True))
    for place, measure in enumerate(MEASURES):
        known = measure in ("P@5", "Success@5")
        assert (of[measure] == "determined by complete judgments") == known
        assert np.isnan(found.differences.low[place]) != known
        if known:
            run0, run1 = (truth[found.runs.index(run), place] for run in ("run0", "run1"))
            assert found.differences.low[place] == pytest.approx(run0 - run1)


def test_what_is_judged_is_looked_up_no_deeper_than_lists_can_go() -> None:
    """A table over all ranks that a measure without a cut-off could look at took 16 GB."""
    layout = Layout.of(pool := quietly(pw.read, half_judged(), RUNS), pool.judgments)
    every, some = (ranks_seen(target_of(parse(name), layout)) for name in ("DCG", "DCG@5"))
    assert 20 <= every < 100
    assert some == 5
