"""Measures, scores, and files too large for memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import poolwise as pw
from poolwise.cli.main import main
from provoked.small_campaign import QRELS, RUNS, Case, frame, pool, scores, shell, write


def measure(text: Any) -> Callable[[], Any]:
    return lambda: scores(text)


def stream(*paths: Any, **options: Any) -> Callable[[], Any]:
    """Score files some topics at a time."""
    from poolwise.scores.stream import score_stream

    return lambda: score_stream(*paths, **{"measures": ["AP"]} | options)


def log_file(qrels: str | None = None, **columns: Any) -> Callable[[], Any]:
    """Score a log of one row, with columns that are other than usual."""

    def provoke() -> None:
        from poolwise.scores.partitioned import score_log

        table = {"topic": ["1"], "document": ["a"], "score": [1.0], "run": ["mine"], "label": [1]} | columns
        _write_parquet("log.parquet", {name: column for name, column in table.items() if column is not None})
        score_log("log.parquet", measures=["AP"], qrels=qrels)

    return provoke


def csv_file(text: str | bytes) -> Callable[[], Any]:
    return lambda: (write("scores.csv", text), pw.Scores.from_csv("scores.csv"))


def own(function: Callable[..., Any], *wanted: str, **options: Any) -> Callable[[], Any]:
    """Score by a measure of one's own, which is forgotten afterwards."""

    def call() -> None:
        from poolwise.measures.registry import REGISTRY

        try:
            declared = pw.measure("Mine", **options)(function)
            pool().score(declared, interval=wanted[0] if wanted else None)
        finally:
            REGISTRY.pop("Mine", None)

    return call


def _damaged_text() -> dict[str, Any]:
    import pyarrow

    return {"topic": ["1"], "document": pyarrow.array([b"d\xff"]).view(pyarrow.string()), "score": [1.0]}


def _full_disk() -> None:
    """Score files some topics at a time where the temporary file finds no room."""
    import errno
    import os
    from unittest.mock import patch

    no_room = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with patch.object(os, "pwrite", side_effect=no_room), patch.dict(os.environ, TMPDIR="folder"):
        stream("qrels.txt", "good.txt")()


def _twice_registered() -> None:
    pw.measure("AP")(lambda labels: 0.0)


def _many_scores() -> pw.Scores:
    campaign = pool()
    return campaign.score("AP", judgments=[campaign.judgments] * 2)


def _of_samples() -> Any:
    ours = pool()
    return ours.score("AP", judgments=[ours.judgments, ours.judgments])


def _samples(executor: Any) -> Any:
    given = pool()
    return given.score("AP", judgments=[given.judgments] * 2, executor=executor)


def _log(*paths: str, **options: Any) -> Any:
    from poolwise.scores.partitioned import score_log

    return score_log(*paths, measures=["AP"], **options)


def _write_parquet(name: str, columns: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), name)


SECTIONS: dict[str, list[Case]] = {
    "Measures": [
        Case(measure("nDGC@10"), "The name is wrong. `poolwise measures` lists all."),
        Case(measure("AP,nDCG@10"), "Python takes each measure by itself: `pool.score('AP', 'nDCG@10')`."),
        Case(measure("INST"), "Another tool has it; `docs/peers.md` lists what poolwise leaves to others."),
        Case(measure("ndcg@10-l2"), "ranx's way to write a relevance level has no meaning where labels are gains."),
        Case(measure(5), "A measure is a text or an object."),
        Case(lambda: pool().score(), "Say what to measure."),
        Case(measure("P"), "P, R and others need a cut-off."),
        Case(shell("score qrels.txt good.txt --level 0.9"), "There is no interval whose level it could be."),
        Case(measure("nDCG@"), "The cut-off was lost, as where a variable of the shell is empty."),
        Case(measure("bpref@10"), "This measure looks at the whole ranking."),
        Case(lambda: pw.nDCG @ 0, "Cut-offs count documents, from 1."),
        Case(measure("nDCG@ten"), "What follows @ is a number."),
        Case(measure("bpref'"), "The prime leaves out unjudged documents, which this measure treats in a way of its own."),
        Case(measure("bpref(judged_only=True)"), "This measure looks at judged documents anyway, or at unjudged ones."),
        Case(measure("IPrec"), "Interpolated precision is precision at some recall; say which."),
        Case(measure("AP(rel=1"), "Brackets come in pairs."),
        Case(measure("AP rel=1)"), "Brackets come in pairs."),
        Case(measure("AP(2)"), "Parameters have names: AP(rel=2)."),
        Case(measure("AP(level=2)"), "The measure has other parameters."),
        Case(measure("nDCG(gain='cubic')"), "The value of a parameter is out of range."),
        Case(measure("nDCG(discount='linear')"), "The linear discount falls to 0 at the cut-off, so there must be one."),
        Case(measure("nDCG(discount=[1, 0.5])@3"), "A list of discounts covers its own length."),
        Case(shell("score qrels.txt good.txt -m P.five"), "trec_eval's way to write cut-offs is P.5,10."),
        Case(shell("score qrels.txt good.txt -m dcg.1=-1"), "poolwise and trec_eval would not agree."),
        Case(measure("ERR(top=1)"), "The highest label of the judgments is above `top`."),
        Case(lambda: pw.read({"1": {"a": 2000}}, RUNS).score("nDCG(gain='exp')"), "2^2000 is no number to compute with."),
        Case(measure("rpref_N(gain={1: 1})"), "rpref_N compares with the gain of the highest label."),
        Case(measure("rpref_N(gain={1: 5, 2: 1})"), "rpref_N needs gains that grow with the label."),
        Case(_twice_registered, "A measure of one's own needs a name of its own."),
        Case(own(lambda labels, weights=(): 0.0), "Parameters of one's own measures are numbers or texts."),
        Case(own(lambda labels, weights: 0.0), "The function is called with labels, and with `judged` if it has such an argument."),
        Case(lambda: pw.measure("Mine")(5), "What is declared is a function."),
        Case(lambda: pw.measure("my own")(lambda labels: 0.0), "Measures are asked for by name, which is one word."),
        Case(lambda: pw.measure("Mine", bounds=(1, 0)), "The lowest score comes first."),
        Case(own(lambda labels: float("nan")), "The function returned NaN or no number; look at the run and topic named."),
        Case(own(lambda labels: 0.0, "bounds"), "Bounds of one's own measure must be declared."),
        Case(lambda: pw.measure("Mine", unjudged="ignored"), "Say in one of these words what unjudged documents do."),
        Case(lambda: pw.define("AP", "nDCG"), "The name is a measure's already, or no word."),
        Case(lambda: pw.load_measures("good.txt"), "The file is not JSON."),
        Case(lambda: (write("list.json", "[1]"), pw.load_measures("list.json")), "The file is JSON, but not of names and measures."),
    ],
    "Scores": [
        Case(shell("score qrels.txt good.txt -c --missing skip"), "The two options contradict each other."),
        Case(lambda: (write("twice.txt", "1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n"), main(["trec_eval", "qrels.txt", "twice.txt"])), "trec_eval takes no document twice."),
        Case(lambda: pool().score("AP", missing="drop"), "Topics that a run lacks count 0 or are left out."),
        Case(lambda: pool().score("AP", judgments=pw.read(QRELS, RUNS).judgments), "The judgments belong to another pool, even if an equal one."),
        Case(lambda: pool().score("AP", interval="wide"), "There are four kinds of intervals."),
        Case(lambda: pool().score("AP", interval="topics", level=95), "Levels are shares: 0.95."),
        Case(lambda: pool().score("AP", interval="topics", resamples=10), "Fewer resamples have no tails to speak of."),
        Case(lambda: pool().score("AP", interval="judgments"), "infAP has the interval of its paper, statAP that of its variance; other measures have neither."),
        Case(lambda: scores().low("AP"), "Ask for an interval when scoring."),
        Case(lambda: scores().array("RR"), "Score by that measure first."),
        Case(lambda: _many_scores().to_csv(), "Rows are of one set of judgments."),
        Case(lambda: scores().to_frame("excel"), "Frames are made by one of these libraries."),
        Case(lambda: _of_samples().means_frame(), "One table holds the means of one set of judgments."),
        Case(lambda: pw.Scores.from_arrays(["a"], ["1", "2"], {"AP": [[1.0]]}), "The array has another shape."),
        Case(lambda: pw.Scores.from_frame("scores.csv"), "A data frame is one of pandas, polars or pyarrow."),
        Case(lambda: pw.Scores.from_arrays(["a"], ["1"], {}), "Arrays are named by their measures."),
        Case(lambda: pw.Scores.from_arrays(["a", "a"], ["1"], {"AP": [[1.0], [0.0]]}), "Runs and topics are told apart by name."),
        Case(lambda: scores().to_csv(5), "What is no name of a file was given for one."),
        Case(lambda: pw.Scores.from_frame(frame(qid=["1", "1"], value=[1.0, 2.0])), "A long table has one row for run, topic and measure."),
        Case(csv_file("topic\n0.5\n"), "A table of topics has a column for each run."),
        Case(csv_file(b"\xff\xfe"), "The file is no text."),
        Case(csv_file("a,b\n"), "The table has no scores."),
        Case(csv_file("a,b\n1\n"), "A line has more or fewer cells than the header."),
        Case(csv_file("a,a\n1,2\n"), "Names of runs, and of topics, occur once."),
        Case(csv_file("topic,a\n1,high\n"), "Cells are numbers, or empty where a score is missing."),
        Case(csv_file("a,b\n1," + "1" * 140_000), "A quotation mark is not closed, or this is another kind of file."),
        Case(csv_file("1 0 a 1\n1 0 b 0\n"), "The file is of judgments or of a run; name judgments and runs together, or a table of scores."),
        Case(csv_file('[{"run": "a"}, 5]'), "JSON files of scores are what `poolwise score -q -o scores.json` writes."),
        Case(csv_file("run,measure,topic,value\na,AP,all,0.5\n"), "What follows from scores needs those of single topics."),
        Case(csv_file("run,measure,topic,value\na,AP,1,0.5\na,AP,1,0.6\n"), "The file holds two results; write them apart, or rename a run."),
    ],
    "Large files, logs and clusters": [
        Case(lambda: (frame(topic=["1"], document=["a"], label=[1], stratum=[1]).to_parquet("strata.parquet"), shell("score strata.parquet good.txt --stream")()), "Strata need all judgments at once. Leave --stream out."),
        Case(lambda: (write("strata.txt", "1 0 a 1 1\n"), stream("strata.txt", "good.txt")()), "Judgments with strata are read at once."),
        Case(lambda: (_write_parquet("mr.parquet", {"topic": ["1", "2"], "document": ["a", "b"], "score": [1.0, 1.0], "run": ["r1", "r2"]}), pw.read("qrels.txt", {"mine": "mr.parquet"})), "A column of the file names several runs."),
        Case(lambda: (_write_parquet("low.parquet", {"topic": ["1"], "document": ["a"], "label": [-(2**31)]}), stream("low.parquet", "good.txt")()), "The two lowest numbers of 32 bits have a meaning of their own."),
        Case(lambda: (_write_parquet("bytes.parquet", _damaged_text()), pw.read("qrels.txt", "bytes.parquet")), "A column of text holds other bytes."),
        Case(_full_disk, "The temporary file of topics has no room. Its folder is /var/tmp, or what TMPDIR names."),
        Case(stream(QRELS, "good.txt"), "Tables are in memory already."),
        Case(lambda: next(stream("qrels.txt", "good.txt")().topic_rows(0, 0)), "Ask for topics when scoring."),
        Case(lambda: (write("void.txt", ""), stream("void.txt", "good.txt")()), "The judgments are empty."),
        Case(stream("qrels.txt", "broken"), "The file cannot be opened."),
        Case(lambda: (write("torn.parquet", b"PAR1\x15torn"), stream("qrels.txt", "torn.parquet")()), "The file was cut or is damaged.", quotes=True),
        Case(log_file(label=None), "A log needs labels, or judgments of their own."),
        Case(log_file(label=[None]), "No row has a label."),
        Case(log_file(label=[0.5]), "Labels are whole numbers.", quotes=True),
        Case(log_file(run=[None]), "A row does not say whose it is."),
        Case(log_file(document=[None]), "A cell is empty."),
        Case(log_file(document=[""]), "An id is an empty text."),
        Case(log_file(topic=[""]), "An id is an empty text."),
        Case(log_file(topic=[1.5]), "Ids are no numbers with a point."),
        Case(log_file(document=[["a"]]), "Ids are texts or whole numbers.", quotes=True),
        Case(lambda: (_write_parquet("few.parquet", {"topic": ["1"]}), log_file("few.parquet", label=None)()), "The judgments lack a column."),
        Case(lambda: (write("torn.parquet", b"PAR1\x15torn"), log_file("torn.parquet", label=None)()), "The judgments were cut or are damaged.", quotes=True),
        Case(lambda: (log_file()(), write("torn.parquet", b"PAR1\x15torn"), _log("log.parquet", "torn.parquet")), "A partition was cut or is damaged.", quotes=True),
        Case(lambda: (log_file()(), _log("log.parquet", "log.parquet")), "A topic would count twice; every topic stands in one file."),
        Case(lambda: (log_file()(), _log("log.parquet", per_topic="full")), "Old files might be taken for new ones."),
        Case(lambda: (log_file()(), _log("log.parquet", per_topic="qrels.txt/scores")), "The folder cannot be made.", quotes=True),
        Case(shell("score qrels.txt good.txt --stream --interval topics"), "Intervals need all topics at once."),
        Case(lambda: (log_file()(), main(["score", "log.parquet", "--interval", "topics"])), "Logs have means only, and no files of runs."),
        Case(lambda: (log_file()(), main(["score", "log.parquet", "-q"])), "Topics of a log may be many; they go to a folder."),
        Case(shell("score qrels.txt good.txt --dask nonsense://x"), "The address is wrong, or no scheduler runs there.", quotes=True),
        Case(lambda: pool().score("AP", ties="some"), "Ties are ordered in one of three ways."),
        Case(lambda: pool().score("AP", ties="range", interval="bounds"), "An interval has one meaning."),
        Case(lambda: _samples("local"), "An executor has a method `submit`."),
    ],
}  # fmt: skip
