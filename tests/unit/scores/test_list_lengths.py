"""Lists of unequal length: which measures they favour, and who is told."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.audits.audit import audit
from poolwise.errors import PoolwiseWarning
from poolwise.measures import registry
from poolwise.scores.score_notes import favours_long_lists, length_notes, median_lengths

TOPICS = range(8)


def lists(length: int) -> dict[str, dict[str, float]]:
    return {str(topic): {f"d{rank:04d}": -float(rank) for rank in range(length)} for topic in TOPICS}


@pytest.fixture(scope="module")
def pool():
    """Two runs of which one is the first tenth of the other; every third document is relevant."""
    qrels = {str(topic): {f"d{rank:04d}": int(rank % 3 == 1) for rank in range(400)} for topic in TOPICS}
    return pw.read(qrels, {"short": lists(40), "long": lists(400)}, documents="all")


def every_measure():
    registry.declare_all()
    for name in registry.REGISTRY:
        try:
            yield registry.parse(name).require()
        except pw.ArgumentError:
            yield registry.parse(name + "(recall=0.5)" if name == "IPrec" else name + "@400")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_what_is_said_to_favour_long_lists_does(pool):
    """A law over all measures: the same ranking, ten times as long, scores higher by those that the note names."""
    noted = [measure for measure in every_measure() if favours_long_lists(measure, 40)]
    assert {"AP", "nDCG", "Q", "bpref", "R@400"} <= {str(measure) for measure in noted}
    means = pool.score(*noted).means()
    assert [str(measure) for measure, short, long in zip(noted, *means, strict=True) if not long > short] == []


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_what_looks_at_the_top_alone_is_not_named(pool):
    quiet = [pw.RR, pw.ERR, pw.RBP, pw.AP @ 40, pw.nDCG @ 10]
    assert not any(favours_long_lists(measure, 40) for measure in quiet)
    short, long = pool.score(*quiet).means()
    assert long == pytest.approx(short, abs=0.001)


def test_one_note_wherever_lists_matter(pool):
    said = (
        "short lists 40 documents per topic, others up to 400: AP favours longer lists; -M 40 (depth=40) cuts all alike"
    )
    with pytest.warns(PoolwiseWarning, match="short lists 40"):
        scores = pool.score("AP", "nDCG@10")
    assert scores.warnings.count(said) == 1
    assert pw.compare(scores, "AP", test="t").warnings.count(said) == 1
    with pytest.warns(PoolwiseWarning, match="short lists 40"):
        assert said in pool.holes("AP").warnings
    assert said in audit(pool).findings
    assert not any("lists 40" in note for note in pool.score("nDCG@10").warnings)


def test_cut_alike_there_is_no_note(pool):
    qrels = {str(topic): {"d0001": 1, "d0002": 0} for topic in TOPICS}
    cut = pw.read(qrels, {"short": lists(40), "long": lists(400)}, depth=40)
    assert not any("documents per topic" in finding for finding in audit(cut).findings)


def test_lengths_are_medians_over_the_topics_that_a_run_has():
    assert median_lengths([[0, 10, 1000, 1000], [0, 5, 0, 0], [0, 0, 0, 0]]) == [1000, 5, 0]


def test_several_short_runs_and_measures_are_named_shortly():
    runs = ["a", "b", "c", "d", "e", "long"]
    (note,) = length_notes(runs, [50, 40, 60, 70, 80, 1000], [pw.AP, pw.nDCG, pw.Q, pw.bpref])
    assert note.startswith("b, a, c and 2 more list 40 to 80 documents per topic, others up to 1000: ")
    assert "AP, nDCG, Q and 1 more favour longer lists; -M 40" in note
    assert length_notes(["a", "b", "none"], [60, 100, 0], [pw.AP]) == []
    assert length_notes(["a", "b"], [1, 3], [pw.AP]) == []
