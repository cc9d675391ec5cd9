"""How topics are put together, the same way in memory, in a stream, in partitions, with intervals and elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.measures.aggregate import GEOMETRIC_MEAN, MEAN, SUM, aggregated
from poolwise.scores.stream import score_stream

MEASURES = ("AP", "GMAP", "NumRelRet", "GMbpref", "GMAP'@20")


@pytest.fixture(scope="module")
def campaign():
    return simulate(runs=4, topics=12, depth=80, seed=3)


@pytest.fixture(scope="module")
def pool(campaign):
    return pw.read(campaign.qrels(), {name: campaign.run(name) for name in campaign.runs})


def geometric(values):
    return math.prod(max(value, 1e-5) for value in values) ** (1 / len(values))


def test_by_hand():
    values = [0.5, 0.25, 0.0]
    for aggregate, expected in ((MEAN, 0.25), (SUM, 0.75), (GEOMETRIC_MEAN, (0.5 * 0.25 * 1e-5) ** (1 / 3))):
        total = sum(map(aggregate.term, values))
        assert aggregate.finish(total, 3) == pytest.approx(expected, rel=1e-12)
        assert aggregate.of_mean(np.array([total / 3]), 3) == pytest.approx(expected, rel=1e-12)
        assert aggregate.finish(0.0, 0) == 0


def test_scores_are_those_of_the_kernel_and_means_geometric(pool):
    scores = pool.score(*MEASURES)
    assert (scores.array("GMAP") == scores.array("AP")).all()
    for number, name in enumerate(MEASURES):
        rows = scores.array(name)
        put = {"AP": np.mean, "NumRelRet": np.sum}.get(name, geometric)
        assert scores.means()[:, number] == pytest.approx([put(row) for row in rows], rel=1e-12)
    assert scores.to_dict()["sim01a"]["GMAP"] == scores.means()[scores.runs.index("sim01a"), 1]


def test_missing_topics_count_as_the_least_or_are_skipped():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"x": 2.0, "a": 1.0}}
    pool = pw.read(qrels, {"run": run})
    with pytest.warns(pw.PoolwiseWarning, match="lacks topics"):
        assert pool.score("GMAP").means().item() == pytest.approx(math.sqrt(0.5 * 1e-5))
    with pytest.warns(pw.PoolwiseWarning, match="lacks topics"):
        assert pool.score("GMAP", missing="skip").means().item() == pytest.approx(0.5)


def test_many_samples(pool):
    samples = [pool.judgments.sample("uniform", fraction=0.5, seed=1, trial=trial) for trial in range(3)]
    many = pool.score("AP", "GMAP", judgments=samples)
    expected = [[geometric(row) for row in sample] for sample in many.array("GMAP")]
    assert many.means()[..., 1] == pytest.approx(np.array(expected), rel=1e-12)


def test_a_stream_has_the_same_bits(campaign, pool, tmp_path):
    campaign.write(tmp_path)
    runs = sorted((tmp_path / "runs").iterdir())
    for per_topic in (False, True):
        streamed = score_stream(tmp_path / "qrels.txt", *runs, measures=MEASURES, per_topic=per_topic)
        assert streamed.to_dict() == pw.read(tmp_path / "qrels.txt", *runs).score(*MEASURES).to_dict()


def test_bounds_of_a_geometric_mean_are_geometric_means_of_bounds(pool):
    hidden = pool.judgments.sample("uniform", fraction=0.4, seed=2)
    scores = pool.score("AP", "GMAP", judgments=hidden, interval="bounds")
    for ends, means in ((scores.low, scores.mean_low), (scores.high, scores.mean_high)):
        assert (ends("GMAP") == ends("AP")).all()
        assert means()[:, 1] == pytest.approx([geometric(row) for row in ends("AP")], rel=1e-12)


def test_intervals_over_topics_are_those_of_logarithms(pool):
    scores = pool.score("GMAP", interval="topics", seed=4)
    logarithms = pw.Scores.from_arrays(pool.runs, pool.topics, {"log": np.log(scores.array("GMAP"))})
    low, high, mean = scores.mean_low()[:, 0], scores.mean_high()[:, 0], scores.means()[:, 0]
    assert (low < mean).all()
    assert (mean < high).all()
    assert (high <= 1).all()
    spread = logarithms.array("log").std(axis=1, ddof=1) / math.sqrt(len(pool.topics))
    half = (np.log(high) - np.log(low)) / 2
    assert half == pytest.approx(2.2 * spread, rel=0.5)  # about t with 11 degrees of freedom


def test_in_ir_measures(campaign, pool):
    import ir_measures

    name = pool.runs[0]
    ours = {measure: pw.as_ir_measure(measure) for measure in ("AP", "GMAP", "NumRelRet")}
    found = ir_measures.calc_aggregate(list(ours.values()), campaign.qrels(), campaign.run(name))
    means = pool.score(*ours).to_dict()[name]
    for measure, theirs in ours.items():
        assert found[theirs] == pytest.approx(means[measure], rel=1e-12)


def test_analyses_that_take_means_refuse_a_geometric_one(pool):
    scores = pool.score("AP", "GMAP")
    with pytest.raises(pw.ArgumentError, match="GMAP is a geometric mean over topics"):
        pw.compare(scores, "GMAP")
    with pytest.raises(pw.ArgumentError, match="GMAP is a geometric mean over topics"):
        pw.reliability(scores, "GMAP")


def test_arrays_of_many_measures():
    values = np.array([[[[1.0, 4.0, 2.0]], [[1.0, 4.0, 2.0]], [[1.0, 4.0, 2.0]]]])
    counted = np.array([[True, True, False]])
    assert aggregated([MEAN, SUM, GEOMETRIC_MEAN], values, counted)[0, :, 0].tolist() == pytest.approx([2.5, 5, 2])
