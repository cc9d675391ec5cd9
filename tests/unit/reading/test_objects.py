"""Objects of ranx, ir_datasets, ir_measures and PyTerrier, and scores as frames: in, out, and nothing imported."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import namedtuple

import pandas
import polars
import pytest

import poolwise as pw
from poolwise.measures.registry import parse

ir_measures = pytest.importorskip("ir_measures")

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUN = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "2": {"d": 1.0, "a": 0.5}}
MEASURES = ("AP", "nDCG@2", "bpref")

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def expected():
    return pw.read(QRELS, {"mine": RUN}).score(*MEASURES).means().tolist()


def scored(qrels, *runs):
    return pw.read(qrels, *runs).score(*MEASURES).means().tolist()


def records(kind, table, *fields):
    record = namedtuple(kind, ["query_id", "doc_id", *fields])
    return [record(topic, d, value, *fields[1:]) for topic, of in table.items() for d, value in of.items()]


# ---- ranx ---------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")  # of numba, when it compiles for the first time
@pytest.mark.slow  # the first call compiles
class TestRanx:
    ranx = property(lambda self: pytest.importorskip("ranx"))

    def test_runs_bring_their_names(self):
        qrels, run = self.ranx.Qrels(QRELS), self.ranx.Run(RUN, name="mine")
        assert scored(qrels, run) == expected()
        assert pw.read(qrels, run, self.ranx.Run(RUN)).runs == ["mine", "run"]
        assert pw.read(qrels, [run, self.ranx.Run(RUN, name="yours")]).runs == ["mine", "yours"]
        assert pw.read(qrels, {"other": run}).runs == ["other"]

    def test_our_scores_are_theirs(self):
        theirs = self.ranx.evaluate(self.ranx.Qrels(QRELS), self.ranx.Run(RUN), ["map", "bpref"])
        ours = pw.read(self.ranx.Qrels(QRELS), self.ranx.Run(RUN)).score("AP", "bpref").means()[0].tolist()
        assert ours == pytest.approx([theirs["map"], theirs["bpref"]], abs=1e-12)

    def test_two_unnamed_runs_are_an_error(self):
        with pytest.raises(pw.InputError, match="two runs are called 'run'"):
            pw.read(self.ranx.Qrels(QRELS), [self.ranx.Run(RUN), self.ranx.Run(RUN)])


# ---- ir_datasets ----------------------------------------------------------------------------------------------------


class TestDatasets:
    ir_datasets = property(lambda self: pytest.importorskip("ir_datasets"))

    @pytest.fixture
    def dataset(self):
        formats, base = self.ir_datasets.formats, self.ir_datasets.datasets.base

        class Judged(formats.BaseQrels):
            def qrels_iter(self):
                return (formats.TrecQrel(*row, "0") for row in pw_rows(QRELS))

            def qrels_defs(self):
                return {}

        class Retrieved(formats.BaseScoredDocs):
            def scoreddocs_iter(self):
                return (formats.GenericScoredDoc(*row) for row in pw_rows(RUN))

            def scoreddocs_cls(self):
                return formats.GenericScoredDoc

        return base.Dataset(Judged(), Retrieved())

    def test_a_dataset_or_its_parts(self, dataset):
        assert scored(dataset, dataset) == expected()
        assert scored(dataset.qrels, dataset.scoreddocs) == expected()
        assert scored(dataset.qrels_iter(), {"mine": dataset.scoreddocs_iter()}) == expected()
        assert scored(dataset.qrels_handler(), {"mine": RUN}) == expected()

    def test_a_dataset_without_judgments(self):
        with pytest.raises(pw.InputError, match=r"^qrels: this dataset has no qrels; choose one that has$"):
            pw.read(self.ir_datasets.datasets.base.Dataset(), {"mine": RUN})


def pw_rows(table):
    return [(topic, document, value) for topic, of in table.items() for document, value in of.items()]


# ---- ir_measures ----------------------------------------------------------------------------------------------------


def test_named_tuples_are_read_by_their_fields():
    judged = [ir_measures.Qrel(*row) for row in pw_rows(QRELS)]
    retrieved = [ir_measures.ScoredDoc(*row) for row in pw_rows(RUN)]
    assert scored(judged, {"mine": retrieved}) == expected()
    assert scored(iter(judged), iter(retrieved)) == expected()
    turned = namedtuple("Turned", "relevance doc_id query_id")
    assert scored([turned(*reversed(row)) for row in pw_rows(QRELS)], {"mine": RUN}) == expected()
    with pytest.raises(pw.InputError, match=r"no field called 'label' or .*; found 'query_id', 'doc_id', 'score'"):
        pw.read(retrieved, {"mine": RUN})


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (ir_measures.nDCG @ 10, "nDCG@10"),
        (ir_measures.nDCG(dcg="exp-log2") @ 5, "nDCG(gain='exp')@5"),
        (ir_measures.nDCG(gains={0: 0, 1: 1, 2: 5}), "nDCG(gain={0: 0, 1: 1, 2: 5, 'other': 'linear'})"),
        (ir_measures.AP(rel=2, judged_only=True), "AP'(rel=2)"),
        (ir_measures.Bpref, "bpref"),
        (ir_measures.RBP(p=0.5, rel=1), "RBP(p=0.5)"),
    ],
)
def test_their_measures_are_known(theirs, ours):
    assert str(parse(theirs)) == str(parse(ours))
    pool = pw.read(QRELS, {"mine": RUN})
    assert pool.score(theirs).means() == pool.score(ours).means()


@pytest.mark.parametrize("name", ["AP", "nDCG@2", "bpref", "RR", "P@2", "NumRelRet"])
def test_our_measures_serve_there(name):
    ours, theirs = pw.as_ir_measure(name), ir_measures.parse_measure(name.replace("bpref", "Bpref"))
    found = ir_measures.calc_aggregate([ours, theirs], QRELS, RUN)
    assert found[ours] == pytest.approx(found[theirs], abs=1e-6)
    assert str(ours) == name
    assert ir_measures.calc_aggregate([ours], QRELS, {})[ours] == 0


# ---- PyTerrier ------------------------------------------------------------------------------------------------------


def terrier_frames():
    qrels = pandas.DataFrame(pw_rows(QRELS), columns=["qid", "docno", "label"]).assign(iteration="0")
    results = pandas.DataFrame(pw_rows(RUN), columns=["qid", "docno", "score"]).assign(rank=0, query="words of a topic")
    return qrels, results


def test_frames_of_pyterrier_are_read():
    qrels, results = terrier_frames()
    assert scored(qrels, {"mine": results}) == expected()
    both = pandas.concat([results.assign(name="one"), results.assign(name="two")])
    assert pw.read(qrels, both).runs == ["one", "two"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_experiment():
    pyterrier = pytest.importorskip("pyterrier")
    qrels, results = terrier_frames()
    topics = pandas.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    measures = [pw.as_ir_measure("AP'"), pw.as_ir_measure("bpref_N"), ir_measures.AP]
    found = pyterrier.Experiment([results], topics, qrels, measures, names=["mine"], perquery=True)
    ours = pw.read(qrels, {"mine": results}).score("AP'", "bpref_N", "AP")
    for name in ours.measures:
        assert pw.Scores.from_frame(found).array(name) == pytest.approx(ours.array(name), abs=1e-6)


# ---- Scores as frames and files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_scores_out_and_in_again(backend):
    scores = pw.read(QRELS, {"mine": RUN, "yours": {"1": RUN["1"]}}).score(*MEASURES, missing="skip")
    again = pw.Scores.from_frame(scores.to_frame(backend))
    assert (again.runs, again.topics, again.measures) == (scores.runs, scores.topics, scores.measures)
    expected = scores.array("AP").copy()
    expected[1, 1] = float("nan")  # the run lacks the topic, so the frame has no row
    assert again.array("AP") == pytest.approx(expected, nan_ok=True)


def test_long_frames_of_scores():
    table = polars.DataFrame({"query_id": [1, 2, "all"], "value": [0.5, 0.25, 0.375]}, strict=False)
    scores = pw.Scores.from_frame(table)
    assert (scores.runs, scores.topics, scores.measures) == (["run"], ["1", "2"], ["score"])
    with pytest.raises(pw.InputError, match="two scores on one topic"):
        pw.Scores.from_frame(pandas.DataFrame({"qid": ["1", "1"], "value": [1.0, 2.0]}))
    with pytest.raises(pw.InputError, match=r"^scores: no column called 'score' or .*; found 'qid'"):
        pw.Scores.from_frame(pandas.DataFrame({"qid": ["1"]}))


@pytest.mark.parametrize("interval", [None, "bounds"])
@pytest.mark.parametrize("per_topic", [False, True])
def test_scores_as_json_and_parquet(tmp_path, interval, per_topic):
    scores = pw.read(QRELS, {"mine": RUN}).score(*MEASURES, interval=interval)
    rows = [dict(zip(scores.column_names, row, strict=True)) for row in scores.all_rows(per_topic)]
    text, data = tmp_path / "scores.json", tmp_path / "scores.parquet"
    assert json.loads(scores.to_json(text, per_topic=per_topic)) == json.loads(text.read_text()) == rows
    assert scores.to_parquet(data, per_topic=per_topic) == data.read_bytes()
    assert pandas.read_parquet(data).to_dict("records") == rows


def test_nothing_is_imported_unless_called():
    ours = "poolwise.compat.ir_measures_name, poolwise.reading.tables, poolwise.scores.read_scores"
    code = f"import sys, {ours}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    libraries = {"ranx", "ir_datasets", "ir_measures", "pyterrier", "pandas", "polars", "pyarrow", "narwhals", "numpy"}
    assert libraries.isdisjoint(loaded)
