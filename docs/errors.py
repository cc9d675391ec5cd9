"""Every error message: what provokes it, and what it means. Makes docs/errors.md; a test looks for messages without a case."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import poolwise as pw
from poolwise.cli.main import main
from poolwise.study.shared.protocols import studies_as

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"c": 1.0}, "2": {"a": 1.0}},
}
TABLE = np.random.default_rng(1).random((4, 12))


class Case(NamedTuple):
    """What provokes a message, and its cause and cure in words."""

    provoke: Callable[[], Any]
    words: str
    quotes: bool = False  # the message quotes a library, whose words are its own


# ---- What provokes ----------------------------------------------------------------------------------------------------


def pool(**options: Any) -> pw.Campaign:
    return pw.read(QRELS, RUNS, **options)


def scores(*measures: str) -> pw.Scores:
    return pool().score(*measures or ("AP",))


def shell(line: str) -> Callable[[], Any]:
    """A command that fails; its message comes on standard error."""
    return lambda: main(line.split())


def run_file(text: str | bytes, name: str = "run.txt") -> Callable[[], Any]:
    """Read a run of this text."""
    return lambda: (_write(name, text), pw.read("qrels.txt", name))


def qrels_file(text: str | bytes, name: str = "bad.txt") -> Callable[[], Any]:
    """Read judgments of this text."""
    return lambda: (_write(name, text), pw.read(name, "good.txt"))


def run_table(table: Any) -> Callable[[], Any]:
    return lambda: pw.read(QRELS, {"mine": table})


def measure(text: Any) -> Callable[[], Any]:
    return lambda: scores(text)


def sample(design: str, **settings: Any) -> Callable[[], Any]:
    return lambda: pool().judgments.sample(design, **settings)


def _swapped() -> Any:
    """Read a run as judgments, and judgments as a run."""
    run = ", ".join(f'"d{rank}": {9.5 - rank / 3:.3f}' for rank in range(12))
    labels = ", ".join(f'"d{rank}": {rank % 3}' for rank in range(12))
    _write("run.json", f'{{"1": {{{run}}}}}')
    _write("qrels.json", f'{{"1": {{{labels}}}}}')
    return pw.read("run.json", "qrels.json")


def prels_file(text: str) -> Callable[[], Any]:
    """Read judgments with probabilities."""
    return lambda: (_write("prels.txt", text), pw.read("prels.txt", "good.txt", prels=True))


def _with_prels() -> pw.Campaign:
    _write("prels.txt", "1 a 1 1 0.5\n1 b 0 1 1\n")
    return pw.read("prels.txt", "good.txt", prels=True)


def _drop_in() -> Any:
    from poolwise.compat import pytrec_eval

    return pytrec_eval


def _provider() -> Any:
    from poolwise.compat import ir_measures

    return ir_measures.provider


def _accuracy() -> Any:
    import ir_measures

    return ir_measures.Accuracy


def stream(*paths: Any, **options: Any) -> Callable[[], Any]:
    """Score files some topics at a time."""
    from poolwise.score.stream import score_stream

    return lambda: score_stream(*paths, **{"measures": ["AP"]} | options)


def log_file(qrels: str | None = None, **columns: Any) -> Callable[[], Any]:
    """Score a log of one row, with columns that are other than usual."""

    def provoke() -> None:
        from poolwise.score.partitioned import score_log

        table = {"topic": ["1"], "document": ["a"], "score": [1.0], "run": ["mine"], "label": [1]} | columns
        _write_parquet("log.parquet", {name: column for name, column in table.items() if column is not None})
        score_log("log.parquet", measures=["AP"], qrels=qrels)

    return provoke


def csv_file(text: str | bytes) -> Callable[[], Any]:
    return lambda: (_write("scores.csv", text), pw.Scores.from_csv("scores.csv"))


def own(function: Callable[..., Any], *wanted: str, **options: Any) -> Callable[[], Any]:
    """Score by a measure of one's own, which is forgotten afterwards."""

    def call() -> None:
        from poolwise.score.registry import REGISTRY

        try:
            declared = pw.measure("Mine", **options)(function)
            pool().score(declared, interval=wanted[0] if wanted else None)
        finally:
            REGISTRY.pop("Mine", None)

    return call


def _own_outside() -> None:
    """Estimate a measure of one's own where a run has documents outside the pool."""
    from poolwise.score.registry import REGISTRY

    try:
        pool().estimate(pw.measure("Mine")(lambda labels: 0.0))
    finally:
        REGISTRY.pop("Mine", None)


def plan_file(lines: str, labels: Any = (), **options: Any) -> Callable[[], Any]:
    """Merge labels (a file's text, or a table) with a plan of these lines."""

    def provoke() -> None:
        _write("plan.txt", lines)
        if isinstance(labels, str):
            _write("labels.txt", labels)
        pw.merge("plan.txt", "labels.txt" if isinstance(labels, str) else labels, **options)

    return provoke


def judged_plan(lines: str) -> Callable[[], Any]:
    """Estimate from judgments of these lines."""
    return lambda: (_write("judged.txt", lines), pw.read("judged.txt", RUNS).estimate("AP"))


PLAN_LINES = "1 1 a 1 -1\n1 0 b 1 -1\n2 1 d 1 -1\n2 0 a 1 -1\n"
HEADER = "".join(
    f"# poolwise plan {words}\n"
    for words in (
        "format 1", "number 8c1f", "round 1", "design uniform", "seed 0", "depth 3", "run one",
        "stratum 1 1 pooled 3 drawn 1", "stratum 2 1 pooled 2 drawn 1",
    )
)  # fmt: skip


def _write(name: str, text: str | bytes) -> None:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())


def _without_library() -> None:
    from poolwise.extras import load

    load("a_library_that_is_not_there", "frames")


def _threads_of_environment() -> None:
    os.environ["POOLWISE_THREADS"] = "many"
    try:
        scores()
    finally:
        del os.environ["POOLWISE_THREADS"]


def _damaged_text() -> dict[str, Any]:
    import pyarrow

    return {"topic": ["1"], "document": pyarrow.array([b"d\xff"]).view(pyarrow.string()), "score": [1.0]}


def _few_files() -> None:
    """Walk through files where a program may have ten open."""
    import resource
    from unittest.mock import patch

    with patch.object(resource, "getrlimit", return_value=(10, 10)):
        stream("qrels.txt", "good.txt")()


def _sampled_strata() -> pw.Judgments:
    table = {"topic": ["1"] * 4, "document": list("abcd"), "stratum": [1, 1, 2, 2], "label": [1, 0, 1, -1]}
    import pandas

    return pw.read(pandas.DataFrame(table), {"mine": {"1": {"a": 1.0}}}).judgments


def _frame(**columns: Any) -> Any:
    import pandas

    return pandas.DataFrame(columns)


def _dataset() -> Any:
    class Dataset:
        __module__ = "ir_datasets"

    return Dataset()


def _torn() -> bytes:
    """A Parquet file that lacks its middle."""
    whole = scores().to_parquet()
    return whole[: len(whole) // 2] + whole[-8:]


def _twice_registered() -> None:
    pw.measure("AP")(lambda labels: 0.0)


def _lz4(data: bytes) -> bytes:
    """Data as an lz4 file."""
    import lz4.frame

    return lz4.frame.compress(data)


def _not_fetched() -> Iterator[Any]:
    """Judgments that cannot be had."""
    raise RuntimeError("all download sources failed")
    yield


# ---- All messages -----------------------------------------------------------------------------------------------------


def _documents(text: str, name: str = "d.jsonl") -> Callable[[], Any]:
    """Read documents of this text."""
    from poolwise.assess.document_store import open_documents

    return lambda: (_write(name, text), open_documents([name], None, {"a"}, "plan.txt"))


def _topics(text: str) -> Callable[[], Any]:
    from poolwise.assess.topic_texts import read_topics

    return lambda: (_write("topics.txt", text), read_topics("topics.txt"))


def _grades(text: str) -> Callable[[], Any]:
    from poolwise.assess.grade_scale import read_grades

    return lambda: (_write("grades.toml", text), read_grades("grades.toml"))


def _judge(options: str, plan: str = "1 1 a 1 -1\n1 1 b 1 -1\n1 0 c 1 -1\n") -> Callable[[], Any]:
    """Judge a small plan; whatever is wrong is found before anything is served."""
    return lambda: (_write("plan.txt", plan), main(["judge", "plan.txt", "--no-browser", *options.split()]))


def _disagreements(text: str) -> Callable[[], Any]:
    return lambda: (_write("list.csv", text), _judge("--adjudicate list.csv")())


SECTIONS: dict[str, list[Case]] = {
    "Files": [
        Case(lambda: pw.read("none.txt", "good.txt"), "The path is wrong, or relative to another folder."),
        Case(lambda: pw.read("folder", "good.txt"), "A folder stands where one file is expected; only runs may be folders."),
        Case(lambda: pw.read("qrels.txt", "empty"), "The folder of runs is empty, or holds hidden files only."),
        Case(lambda: pw.read("qrels.txt", "*.none"), "No file matches the pattern. Quote patterns in a shell."),
        Case(lambda: pw.read("qrels.txt", "good.txt", "folder/good.txt"), "Runs are called by their files, without endings. Rename one, or give a dict of names."),
        Case(run_file("1 Q0 a 1 3\n"), "A run has six columns. A tag may be missing."),
        Case(run_file("1 Q0 a 1 n/a x\n"), "The fifth column is the score. Columns may be in another order."),
        Case(run_file("1 Q0 a 1 nan x\n"), "NaN has no place in an order; inf has."),
        Case(run_file("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n"), "A document stands twice in a ranking. Remove one, or keep the first."),
        Case(run_file(""), "The file has no lines."),
        Case(run_file("9 Q0 a 1 2 x\n"), "Run and judgments have no topic in common: topics are written otherwise, or the campaigns differ."),
        Case(run_file("1 Q0 a 1 2 x\n".encode("utf-16")), "The file is binary, or text of two bytes a letter. Save it as UTF-8."),
        Case(run_file(b"x" * (1 << 20) + b"x"), "No line of a TREC file is that long; lines may end with carriage returns alone."),
        Case(qrels_file("1 0 a\n"), "Judgments have four columns, or five with strata."),
        Case(qrels_file("1 0 a 1\n1 0 b 2 1\n"), "The first line says whether there are strata; all others follow it."),
        Case(qrels_file("1 0 a high\n"), "Labels are numbers: grades, or values with a decimal point."),
        Case(qrels_file("1 0 a 3000000000\n"), "Labels must fit 32 bits; is this column the label? Columns may be in another order."),
        Case(qrels_file("1 0 a x 1\n"), "The fourth of five columns is the stratum, a number from 0 on."),
        Case(qrels_file("1 0 a 1\n1 0 a 0\n"), "Two labels for one document: decide, or keep the first."),
        Case(qrels_file("\n\n"), "The file has no judgments."),
        Case(run_file(gzip.compress(b"1 Q0 a 1 2 x\n" * 99)[:40], "cut.gz"), "The file is cut short or damaged.", quotes=True),
        Case(lambda: pw.read("qrels.txt", "broken"), "A link leads nowhere, or the file may not be read."),
        Case(lambda: run_file(_torn(), "run.parquet")(), "The file begins as Parquet but is none, or is damaged.", quotes=True),
        Case(lambda: pw.read("-", "-"), "Standard input is read once; name the other file."),
        Case(lambda: scores().to_csv("none/scores.csv"), "The folder is not there, or may not be written to."),
    ],
    "Files of other tools": [
        Case(run_file("7,a,1\n", "run.csv"), "A table needs a first line that names its columns; or give their numbers."),
        Case(run_file("topic,document,score\n1,a,3\n1,b\n"), "A row is cut short."),
        Case(run_file("topic,document,score\n,a,3\n"), "A cell is empty."),
        Case(run_file("topic,document,score\n1,a b,3\n"), "Ids hold no blanks."),
        Case(run_file("topic,document,score\n1,a,\n"), "Every row needs a score; in judgments a label."),
        Case(run_file("topic,document,rank\n1,a,first\n"), "Ranks are whole numbers."),
        Case(run_file('topic,document,score\n1,"a,3\n'), "A quote is not closed."),
        Case(run_file("1 a 1\n1 b\n"), "All lines have three columns, or none."),
        Case(run_file('{"1": {"a": 3,}}'), "The JSON is not whole; the place is where its reader stopped.", quotes=True),
        Case(run_file('{"1": {"a": 3, "a": 2}}'), "Readers of JSON would silently keep the last."),
        Case(run_file('{"1": {"a": "high"}}'), "Scores and labels are numbers, without quotes."),
        Case(run_file('{"1": {"a": 3}, "2": 5}'), "Topics hold documents, documents a number."),
        Case(run_file("[5]"), "A list holds an object per document."),
        Case(run_file('{"en": {"t": {"1": {"a": 3}}}, "de": {"t": {"1": {"a": 3}}}}'), "One file is one run."),
        Case(run_file("{}", "run.json"), "The file holds nothing, or no documents by topic."),
        Case(run_file('{"topic": "1", "document": "a", "score": 3}\n[1]\n'), "With an object per line, every line has one."),
        Case(run_file('{"topic": [1], "document": "a", "score": 3}\n'), "Ids are texts or whole numbers."),
        Case(run_file(_lz4(b"\xa1\x61"), "run.lz4"), "The file is damaged.", quotes=True),
        Case(lambda: pw.read({"1": {"a": 0.5}}, RUNS).judgments.labels, "Labels are scored by their values, but samples and models need classes."),
        Case(lambda: pw.read({"1": {"a": 0.5, "b": "1"}}, RUNS), "Labels are numbers, without quotes."),
        Case(run_file("system,topic,document,score\nx,1,a,2\ny,1,a,1\n,1,b,2\n", "all.csv"), "A column tells runs apart, so every row names its run."),
        Case(run_file("system,topic,document,score\nx,1,a,2\ny,1,a,high\n", "all.csv"), "Scores are numbers."),
        Case(run_file("system,topic,document,score\nx,1,a,2\ny,1,a,1\n", "all.txt"), "Documents of one run would be taken for the other's."),
        Case(run_file('[{"run": 1.5, "topic": "1", "document": "a", "score": 3}]', "all.json"), "Names of runs are texts or whole numbers."),
        Case(_swapped, "Labels may be called score, so that a run in their place is told by what it holds."),
        Case(prels_file("1 0 a 1\n"), "Judgments with probabilities have five columns."),
        Case(prels_file("1 a 1 1 0\n"), "A document that was judged had some probability to be."),
        Case(prels_file("1 a 1 1 0.5\n1 a 0 1 0.5\n"), "A document has one label; `duplicates=\"first\"` keeps the first."),
        Case(lambda: _with_prels().score("xinfAP"), "Which documents were not judged is part of this estimate."),
        Case(lambda: _with_prels().estimate("AP"), "Which documents were not judged is part of these."),
        Case(lambda: pw.read(QRELS, RUNS, subtopics=True), "Subtopics need a column of their own."),
        Case(lambda: pw.read([("1", "x y", "a", 1)], RUNS, subtopics=True), "Ids hold no blanks."),
        Case(lambda: pw.read("irds:nothing", "good.txt"), "No dataset is called so."),
        Case(lambda: _a_dataset("qrels"), "Some datasets have no judgments."),
        Case(lambda: pw.read(_not_fetched(), "good.txt"), "ir_datasets could not fetch the data."),
    ],
    "Judging": [
        Case(lambda: _another_plan(), "The plan has changed since its labels were begun. Judge the new one with a file of its own."),
        Case(_judge("--export", "1 1 a 1 0\n1 0 b 1 -1\n"), "Nothing is left to judge in this plan."),
        Case(lambda: _sqlite(), "Only the SQLite files of `poolwise judge` hold judgments."),
        Case(lambda: _sqlite(99), "The file is newer than this version of poolwise."),
        Case(qrels_file(b"SQLite format 3\0" + b"x" * 200, "torn.sqlite"), "The file is damaged, or in a folder where SQLite may not work.", quotes=True),
        Case(lambda: _full_disk(), "The disk is full or may not be written; the page keeps what it could not send.", quotes=True),
        Case(_judge("--store none/labels.sqlite"), "The folder is not there, or may not be written to.", quotes=True),
        Case(lambda: _remember_nowhere(), "The folder of the plan may not be written to."),
        Case(_documents('{"id": "a"}\nnope\n'), "Documents are JSON lines, a CSV or a Parquet file.", quotes=True),
        Case(_documents('["a"]\n'), "Each line is an object with an id and a text."),
        Case(_documents('{"text": "x"}\n'), "The id may be called id, docid, _id, doc_id, docno or document."),
        Case(_documents("one,two,three,four,five\n", "d.csv"), "Name the columns in the first line; without names there may be two to four."),
        Case(_documents("id,text\na," + "x" * (1 << 26) + "y\n", "d.csv"), "A quotation mark is not closed.", quotes=True),
        Case(lambda: _index_nowhere(), "The index lies beside the documents, or beside the plan; neither folder may be written to.", quotes=True),
        Case(lambda: _unreadable(), "The file may not be read."),
        Case(_judge("--documents none.jsonl"), "The path is wrong, or relative to another folder."),
        Case(_judge("--documents no/such/dataset"), "Give a file, a folder, or an id of ir_datasets."),
        Case(lambda: _a_dataset("docs"), "Some datasets have no texts."),
        Case(_judge("--documents-from 'cat"), "Quotes of the command are not closed."),
        Case(lambda: main(["judge", "plan.txt", "--no-browser", "--documents-from", ""]), "The command is run with the id of a document and prints its text."),
        Case(_topics(""), "The file has no topics."),
        Case(_topics('{"title": "x"}\n'), "Every topic needs the id by which runs and judgments call it."),
        Case(_topics("1\ta\n1\tb\n"), "A topic stands twice."),
        Case(_topics('{"id": 1}\nnope\n'), "A file that begins with an object has one in every line.", quotes=True),
        Case(_topics('{"id": 1}\n[]\n'), "Each line is an object with an id and a title."),
        Case(_topics("[1, 2\n"), "A file that begins with a bracket is one list of objects.", quotes=True),
        Case(_topics("word\n"), "Without tags or braces a file is read as TSV or CSV."),
        Case(_judge("--scale 3-0"), "Grades are a span of whole numbers, or several with commas."),
        Case(_judge("--scale 0-10"), "Keys 0 to 9 are the grades of these numbers; others are named in a file of grades."),
        Case(_judge("--scale 0-2 --grades grades.toml"), "Both say which grades there are."),
        Case(_judge("--scale -1-1"), "A file cannot write -1 both for a grade and for not judged."),
        Case(_judge("--grades none.toml"), "The path is wrong."),
        Case(_grades("0 = \n"), "The file of grades is TOML.", quotes=True),
        Case(_grades('no = "x"\n'), "Lines of the file are labels, whole numbers."),
        Case(_grades('0 = "no"\n'), "One grade is no choice."),
        Case(_grades('0 = "no"\n1 = { key = "u" }\n'), "The key is used for another grade or action."),
        Case(_judge("--guidelines none.md"), "The path is wrong."),
        Case(_judge("--assessors ann,ann"), "Labels are kept under these names."),
        Case(_judge(f"--assessors {'x' * 61}"), "A name is too long, empty, or holds signs that cannot be shown."),
        Case(_judge("--assessors ann --overlap 0.1"), "Nobody can overlap with themselves; --repeat shows documents again."),
        Case(_judge("--assessors ann,bob --terminal"), "At a terminal there is one pair of hands."),
        Case(_judge("--difference one two"), "Estimates while judging need the runs."),
        Case(_judge("--predictions labels.txt"), "Predictions are for estimates while judging, which need the runs."),
        Case(_judge("--unjudged none"), "Files need a number for documents that are not judged."),
        Case(_judge("--host 203.0.113.7"), "The address is not this machine's, or the port is taken.", quotes=True),
        Case(_judge("--adjudicate none.csv"), "The path is wrong."),
        Case(_disagreements("topic,label\n1,2\n"), "Say which documents of which topics are to be settled."),
        Case(_disagreements("\n"), "The list is empty."),
        Case(_judge("--adjudicate own"), "Assessors agree, or no document was judged by two."),
    ],
    "Tables in memory": [
        Case(run_table(5), "Give a path, a dict, rows, a data frame, or an object of a known library."),
        Case(lambda: pw.read(QRELS), "Name at least one run."),
        Case(run_table({"1": {"a": 1.0}, "2": 5}), "A run is a dict from topics to dicts from documents to scores."),
        Case(run_table({"1": {"a": 1.0}, 1: {"b": 1.0}}), "The ids '1' and 1 are the same topic."),
        Case(run_table([("1", "a")]), "Rows hold topic, document and score (or label)."),
        Case(run_table({"1": {"a": "high"}}), "Scores are numbers, not texts."),
        Case(run_table({"1": {"": 1.0}}), "The id of a document or topic is empty; in a frame, a cell is."),
        Case(run_table({"1": {1.5: 1.0}}), "Ids that went through floats are not ids any more: 301 became 301.0. Read them as text."),
        Case(run_table({"1": {"a\nb": 1.0}}), "Ids are words without line breaks."),
        Case(run_table({"1": {"\ud800": 1.0}}), "The id holds half of a character."),
        Case(lambda: pw.read({"1": {"a": "1"}}, RUNS), "Labels are numbers, without quotes."),
        Case(lambda: pw.read({"1": {"a": 2**40}}, RUNS), "Labels must fit 32 bits."),
        Case(lambda: pw.read({"1": {}}, RUNS), "A topic without judgments says nothing; leave it out."),
        Case(lambda: pw.read(_frame(topic=["1"], document=["a"]), RUNS), "The frame lacks a column, or calls it otherwise."),
        Case(lambda: pw.read(QRELS, _frame(run=["x", None], topic=["1", "1"], document=["a", "b"], score=[1.0, 2.0])), "A frame with a column of run names needs it in every row."),
        Case(lambda: pw.read(_dataset(), RUNS), "The dataset of ir_datasets has no judgments."),
        Case(lambda: pw.read([_Record("1", "a")], RUNS), "The named tuples lack a field, or call it otherwise."),
    ],
    "Reading options": [
        Case(lambda: pool(columns={"topic": "need"}), "A column that is named must be in one of the tables; look for a slip of the pen."),
        Case(lambda: pool(unjudged="none"), "In Python no reserved label is None; on the command line it is none."),
        Case(lambda: pool(nan="zero"), "A score that is NaN is refused, or ranked last."),
        Case(lambda: pool(bad_runs="fix"), "A run that cannot be read is refused, or left out."),
        Case(lambda: pw.read(QRELS, {"mine": [("1", "a", float("nan"))]}, bad_runs="skip"), "Every run was left out; mend at least one."),
        Case(lambda: pool(duplicates="last"), "Repeated documents are refused, or the first is kept."),
        Case(lambda: pool(depth=0), "Rankings are cut at 1 or deeper."),
        Case(lambda: pool(documents="judged").ranking("one", "1"), "The pool was read without the documents that nobody judged."),
        Case(lambda: pool().ranking("three", "1"), "The name of a run or topic is wrong."),
        Case(lambda: pool().score("AP", threads=0), "Threads are counted from 1."),
        Case(_threads_of_environment, "The variable in the environment is wrong."),
        Case(_without_library, "A library that only this needs is not installed."),
    ],
    "Measures": [
        Case(measure("nDGC@10"), "The name is wrong. `poolwise measures` lists all."),
        Case(measure("INST"), "Another tool has it; `docs/peers.md` lists what poolwise leaves to others."),
        Case(measure("ndcg@10-l2"), "ranx's way to write a relevance level has no meaning where labels are gains."),
        Case(measure(5), "A measure is a text or an object."),
        Case(lambda: pool().score(), "Say what to measure."),
        Case(measure("P"), "P, R and others need a cut-off."),
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
        Case(own(lambda labels: float("nan")), "The function returned NaN or no number; look at the run and topic named."),
        Case(own(lambda labels: 0.0, "bounds"), "Bounds of one's own measure must be declared."),
        Case(lambda: pw.measure("Mine", unjudged="ignored"), "Say in one of these words what unjudged documents do."),
        Case(lambda: pw.define("AP", "nDCG"), "The name is a measure's already, or no word."),
        Case(lambda: pw.load_measures("good.txt"), "The file is not JSON."),
        Case(lambda: (_write("list.json", "[1]"), pw.load_measures("list.json")), "The file is JSON, but not of names and measures."),
    ],
    "Scores": [
        Case(lambda: pool().score("AP", missing="drop"), "Topics that a run lacks count 0 or are left out."),
        Case(lambda: pool().score("AP", judgments=pw.read(QRELS, RUNS).judgments), "The judgments belong to another pool, even if an equal one."),
        Case(lambda: pool().score("AP", interval="wide"), "There are four kinds of intervals."),
        Case(lambda: pool().score("AP", interval="topics", level=95), "Levels are shares: 0.95."),
        Case(lambda: pool().score("AP", interval="topics", resamples=10), "Fewer resamples have no tails to speak of."),
        Case(lambda: pool().score("AP", interval="judgments"), "Only infAP has the paper's interval."),
        Case(lambda: scores().low("AP"), "Ask for an interval when scoring."),
        Case(lambda: scores().array("RR"), "Score by that measure first."),
        Case(lambda: _many_scores().to_csv(), "Rows are of one set of judgments."),
        Case(lambda: scores().to_frame("excel"), "Frames are made by one of these libraries."),
        Case(lambda: _of_samples().means_frame(), "One table holds the means of one set of judgments."),
        Case(lambda: pw.Scores.from_arrays(["a"], ["1", "2"], {"AP": [[1.0]]}), "The array has another shape."),
        Case(lambda: pw.Scores.from_frame(_frame(qid=["1", "1"], value=[1.0, 2.0])), "A long table has one row for run, topic and measure."),
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
    "Samples of judgments": [
        Case(sample("half"), "The design is called otherwise."),
        Case(sample("uniform"), "The design cannot do without this setting."),
        Case(sample("uniform", fraction=0.5, edges=[5]), "The setting belongs to another design."),
        Case(sample("uniform", fraction=50), "Fractions are shares."),
        Case(sample("uniform", fraction="half"), "Fractions are numbers."),
        Case(sample("uniform", fraction=0), "Nothing would be left."),
        Case(sample("depth", depth=0), "Depths and budgets count documents, from 1."),
        Case(sample("reduce", fraction=0.5, rel="yes"), "The lowest relevant label is a number."),
        Case(sample("reduce", fraction=0.5, rounding="near"), "Numbers of documents are rounded up or down."),
        Case(sample("stratified", edges=[5, 5]), "Each edge is the last rank of a stratum."),
        Case(sample("stratified", edges=5), "Several values are a list."),
        Case(sample("stratified", edges=[1], depth=2), "Strata are made by edges, or by depth and bands."),
        Case(sample("stratified", edges=[1], rates=[1.0, 0.5], budget=4), "How many to judge is said by rates, or by a budget."),
        Case(sample("stratified", edges=[1], rates=[1.0]), "One rate for each stratum: one more than edges."),
        Case(sample("stratified", edges=[1], budget=4, weights=[1, 1, 1]), "One weight for each stratum, the first may be left out."),
        Case(sample("stratified", edges=[1], budget=4, weights=[1, -1]), "Weights are above 0."),
        Case(sample("stratified", edges=[1], budget=1), "Every topic needs a judgment."),
        Case(lambda: _sampled_strata().sample("stratified", edges=[1], budget=2), "What was sampled in strata cannot be sampled in others."),
        Case(sample("stratified", edges=[1], budget=4, contributing=[]), "The list of contributing runs is empty."),
        Case(sample("pair", runs=["one"]), "A pair is two runs."),
        Case(sample("without", runs=["one"], groups=["a"]), "Groups say which runs belong together."),
        Case(sample("uniform", fraction=0.5, seed=-1), "Seeds are whole numbers from 0, or generators of numpy."),
        Case(lambda: pool().judgments.sample("uniform", fraction=0.5, trial=-1), "Trials are counted from 0."),
        Case(lambda: pool().judgments.samples("uniform", fraction=0.5, trials=0), "Draw at least one sample."),
        Case(lambda: pool().judgments.samples("uniform", fractions=[]), "The list is empty."),
        Case(lambda: pool().judgments.samples("uniform", fractions=[0.1], depths=[5]), "One setting varies at a time."),
        Case(lambda: pw.read(None, RUNS).judgments.sample("uniform", fraction=0.5), "Runs alone have no labels to draw from."),
        Case(lambda: pw.Judgments(pool(), np.zeros(2, dtype=np.int32)), "Labels are given for every listed document of the pool."),
        Case(lambda: pw.Judgments(pool(), np.full(5, 0.5)), "Labels are whole numbers."),
        Case(lambda: pool().judgments.write("out.txt", unjudged=1), "The file would not tell a label from 'not judged'."),
        Case(
            lambda: pw.read({"1": {"a b": 1}}, {"mine": {"1": {"a b": 1.0}}}).judgments.write("out.txt"),
            "Columns of qrels are told apart by blanks; ids of dicts and frames may have them.",
        ),
    ],
    "Plans and estimates": [
        Case(lambda: runs_only().plan(), "Say how many labels you can pay for, or how narrow the interval must be."),
        Case(lambda: runs_only().plan(budget=1), "Give every topic a judgment, or enough to draw two topics or more."),
        Case(lambda: twenty_topics().plan(budget=10, forecast=True), "How wide intervals become depends on how much topics differ, which no label has shown."),
        Case(lambda: _looks_at_some_topics(), "Bands for looks are for labels of the same topics at every look."),
        Case(lambda: runs_only().plan(budget=2, design="pair"), "Plans are made by one of these designs."),
        Case(lambda: runs_only().plan(budget=2, design="depth"), "Both runs' first documents alone are more than the budget."),
        Case(lambda: pool().plan(budget=2, design="depth"), "Some is judged already, and the design is for a first round."),
        Case(lambda: runs_only().plan(budget=2, measure="infAP"), "Plans are made for measures that can be estimated."),
        Case(lambda: runs_only().plan(budget=2, measure=["AP", "RR"], forecast=True), "Plan with one of the measures to learn how wide its intervals will be."),
        Case(lambda: runs_only().plan(budget=2, difference=["one", "one"]), "A difference is between two runs."),
        Case(lambda: runs_only().plan(target_width=0.05), "Without labels nobody knows how wide an interval will be."),
        Case(lambda: runs_only().plan(budget=2, target_width=0), "Widths are above 0."),
        Case(lambda: runs_only().plan(budget=2, design="uniform", costs={"1": {"a": 1}}), "Costs decide where labels go, which these designs fix."),
        Case(lambda: runs_only().plan(budget=9, costs={"9": {"a": 1}}), "Costs are of other topics or documents."),
        Case(lambda: runs_only().plan(budget=9, costs={"1": {"a": 0}}), "Nothing is judged for nothing."),
        Case(lambda: pool(documents="judged").plan(budget=2), "The pool was read without the documents that nobody judged."),
        Case(shell("estimate qrels.txt good.txt"), "Say what to estimate."),
        Case(lambda: pool().estimate(), "Say what to estimate."),
        Case(lambda: pw.Looks(1.5), "Judging ends at a number of labels, a share, or with a plan."),
        Case(lambda: pw.Looks.read("none.json"), "Looks are kept by `looks.write` or `poolwise estimate --looks`."),
        Case(lambda: (_write("other.json", "{}"), pw.Looks.read("other.json")), "The file holds something else."),
        Case(lambda: pool().estimate("AP", looks=pw.Looks({("9", 1): 4})), "The plan is of other topics, or has other strata."),
        Case(lambda: pool().estimate("AP", level=0.9, looks=pw.Looks(3, level=0.95)), "A band spends one error over all looks."),
        Case(shell("estimate qrels.txt good.txt -m AP --looks new.json"), "A band needs to know how much will be judged in all."),
        Case(shell("estimate qrels.txt good.txt -m AP --end 30"), "An end without looks has no effect."),
        Case(lambda: pool().estimate("GMAP"), "The measure has no estimate."),
        Case(_own_outside, "No one can tell what other labels would make of a function."),
        Case(lambda: pw.read({"1": {"a": -1}, "2": {"d": -1}}, RUNS).estimate("AP"), "A plan whose last column is not filled in yet."),
        Case(lambda: pool().estimate("P@3", outside="error"), "Documents that nobody pooled are in a run's top; without this option the interval is as wide as they make it."),
        Case(judged_plan(HEADER + "1 1 a 1 1\n2 1 d 1 0\n"), "The lines of documents that were not drawn are gone; without them it is not known which these are."),
        Case(judged_plan("1 1 a 1 1\n2 1 a 1 0\n"), "The same, and the plan's comments are gone, too. Such a file looks like complete judgments."),
        Case(judged_plan(HEADER + "1 1 a 1 1\n1 1 c 1 1\n2 1 d 1 0\n2 1 e 1 0\n2 1 f 1 0\n"), "Lines were added to a judged plan by hand."),
        Case(lambda: pw.read({"1": {"a": 1, "b": -2}, "2": {"d": 1}}, RUNS).estimate("nDCG(negative='keep')"), "Negative gains have no estimate."),
        Case(lambda: pool().estimate("AP", judgments=pw.read(QRELS, RUNS).judgments), "The judgments belong to another pool, even if an equal one."),
        Case(lambda: pool().estimate("AP", difference=["one", "two", "three"]), "A difference is a run, a pair, a list of pairs, or 'all'."),
        Case(lambda: pool().estimate("AP", difference=("one", "three")), "The run is called otherwise."),
        Case(lambda: pool().estimate("AP").array("RR"), "Estimate that measure first."),
        Case(lambda: pool().estimate("AP", predictions=[("9", "z", 1.0)]), "The predictions are about other documents."),
        Case(lambda: pool().estimate("AP", predictions="none.txt"), "The file of predictions is not there."),
        Case(lambda: pool().estimate("AP", predictions="good.txt"), "A line of predictions has three words."),
        Case(lambda: pool().estimate("AP", predictions=[("1", "a", "high")]), "A prediction is a number: a label, a probability, any score."),
    ],
    "Items with one number each": [
        Case(lambda: pw.estimate_items([]), "There is nothing in the table."),
        Case(lambda: pw.estimate_items({"item": [1, 2], "score": [1]}), "A column lacks cells."),
        Case(lambda: pw.estimate_items([("a", 1)]), "Rows without names do not say what is a score."),
        Case(lambda: (_write("items.json", "[{"), pw.estimate_items("items.json")), "The file breaks off, or is another.", quotes=True),
        Case(lambda: (_write("items.csv", "item,score\n1,1,0\n"), pw.estimate_items("items.csv")), "A comma too many; texts with commas stand in quotes."),
        Case(lambda: (_write("items.csv", "item,score\n" + "x" * 200_000 + ",1\n"), pw.estimate_items("items.csv")), "A cell is longer than CSV readers take, most often as a quote is not closed.", quotes=True),
        Case(lambda: pw.estimate_items([{"item": 1}]), "Nothing is labelled yet."),
        Case(lambda: pw.estimate_items([{"system": "a", "score": 1}]), "Systems are compared item by item."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": 1}, {"item": 1, "score": 0}]), "An item has one row, or one per system."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": "good"}]), "Scores and predictions are numbers."),
        Case(lambda: pw.estimate_items([{"item": None, "score": 1}]), "A cell of the column is empty."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": 1, "rate": 1.5}]), "Rates are probabilities."),
        Case(lambda: pw.estimate_items([{"score": 1, "prediction": None}]), "The column of predictions is empty."),
        Case(lambda: pw.estimate_items([{"score": 1}], predictions="gpt"), "No column has this name."),
        Case(lambda: pw.estimate_items([{"score": 1}, {"score": 0}], difference="all"), "The table does not name systems, or one only."),
        Case(lambda: pw.estimate_items([{"item": s, "system": s, "score": 1} for s in "ab"], difference="all"), "Items are called differently in the two systems."),
        Case(lambda: pw.plan_items([{"item": 1}]), "Say how many labels you can pay for, or how narrow the interval must be."),
        Case(lambda: pw.plan_items([{"item": 1}], width=0.1), "Without labels nobody knows how far scores spread."),
        Case(lambda: pw.plan_items([{"item": n, "score": n % 2 if n < 50 else None} for n in range(100)], width=0.9), "Nothing more is needed for this width."),
        Case(lambda: pw.plan_items([{"item": 1, "system": s} for s in "abc"], budget=2), "An item is labelled for all systems."),
        Case(shell("items plan qrels.txt --by x"), "The option is of the other verb."),
    ],
    "Labels merged with their plan": [
        Case(shell("merge plan.txt"), "Say where the labels are."),
        Case(shell("merge plan.txt labels.txt --unjudged none"), "A plan must be able to say that a document is not judged."),
        Case(shell("merge plan.txt labels.txt --columns label"), "Columns are given as pairs."),
        Case(plan_file("", []), "The plan is empty."),
        Case(plan_file(PLAN_LINES + "1 0 a 1 -1\n", []), "A line stands twice in the plan."),
        Case(plan_file(HEADER + PLAN_LINES, []), "The plan lost a line, perhaps in an editor."),
        Case(plan_file("# poolwise plan format 2\n" + PLAN_LINES, []), "The plan is newer than the program."),
        Case(plan_file(HEADER.replace("8c1f", "8c20") + HEADER + PLAN_LINES, []), "The file holds two plans."),
        Case(plan_file("# poolwise plan round one\n" + PLAN_LINES, []), "The comments that begin the plan were changed."),
        Case(plan_file(PLAN_LINES, [("1", "b", 1)]), "Somebody judged a document that was not drawn. It was picked by hand, so it cannot speak for others."),
        Case(plan_file(PLAN_LINES, [("1", "a", 1), ("1", "a", 0)]), "Two assessors disagree."),
        Case(plan_file(PLAN_LINES, [], conflicts="best"), "The choice is called otherwise."),
        Case(plan_file(PLAN_LINES, [], columns={"query": "q"}), "Our columns are called otherwise."),
        Case(plan_file(PLAN_LINES, "1 a\n"), "A line lacks its label."),
        Case(plan_file(PLAN_LINES, "topic,document,label\n1\n"), "A line of CSV is too short."),
        Case(plan_file(PLAN_LINES, "{\n"), "A line of JSON is cut."),
        Case(plan_file(PLAN_LINES, '{"topic": 1, "document": "a", "label": 1}\n7\n'), "A line of JSON holds something else."),
        Case(plan_file(PLAN_LINES, '{"query": 1, "product": "a", "label": 1}\n'), "The columns are called otherwise than usual."),
        Case(plan_file(PLAN_LINES, [("1", "a")]), "A row lacks its label."),
        Case(plan_file(PLAN_LINES, {"1": 1}), "The dict has no documents."),
        Case(plan_file(PLAN_LINES, [("1", None, 1)]), "A row has no document."),
        Case(plan_file(PLAN_LINES, [("1", "a b", 1)]), "The id cannot be written to a file of judgments."),
        Case(plan_file(PLAN_LINES, [("1", "a", "good")]), "Labels are numbers here: 0 for not relevant, 1 for relevant."),
    ],
    "Comparisons and reliability": [
        Case(lambda: pw.compare(scores(), "AP", test="judgments"), "This test is of estimates, not of scores."),
        Case(lambda: pw.compare(_three().estimate("AP", difference=("one", "two")), "AP", test="judgments"), "Only some differences were estimated."),
        Case(lambda: pool().compare("AP", predictions=[("1", "a", 1.0)]), "Predictions help to estimate; scores have no use for them."),
        Case(lambda: pw.compare(pool().score("GMAP"), "GMAP"), "Tests compare arithmetic means; this measure takes another."),
        Case(lambda: pw.compare(scores(), "AP", test="f"), "The test is called otherwise."),
        Case(lambda: pw.compare(scores(), "AP", alpha=5), "Levels are shares: 0.05."),
        Case(lambda: pw.compare(scores(), "AP", resamples=0), "Resamples are counted from 1."),
        Case(lambda: pw.compare(scores(), "AP", baseline="three"), "The baseline is not among the runs."),
        Case(lambda: pw.compare(scores(), "RR"), "Score by that measure first."),
        Case(lambda: pw.compare(scores("AP", "RR")), "Several measures were scored: say which to compare."),
        Case(lambda: pw.compare(pw.read(QRELS, {"one": RUNS["one"]}).score("AP"), "AP"), "One run, or one topic, cannot be compared."),
        Case(lambda: pw.compare([1.0, 2.0]), "An array of scores is runs x topics."),
        Case(lambda: pw.compare("scores.csv"), "Give scores, not a path."),
        Case(lambda: pw.compare([[1.0, float("nan")], [1.0, 2.0]]), "Paired tests need all scores."),
        Case(lambda: pw.reliability(TABLE[:1]), "One run, or one topic, has no variance."),
        Case(lambda: pw.reliability(TABLE, missing="skip"), "What is missing is an error, or leaves topics or runs out."),
        Case(lambda: pw.reliability(TABLE, resamples=0), "Resamples are counted from 1."),
        Case(lambda: pw.reliability(TABLE, top=1), "At least two systems, at most all."),
        Case(lambda: pw.reliability(np.where(TABLE[0, 0] == TABLE, np.inf, TABLE)), "A score is infinite."),
        Case(lambda: pw.reliability(np.where(TABLE[0, 0] == TABLE, np.nan, TABLE)), "A score is missing."),
        Case(lambda: pw.reliability([[0.1, np.nan, np.nan], [0.2, 0.3, 0.1]], missing="unbalanced"), "Too much is missing."),
        Case(lambda: pw.reliability(TABLE).topics_for(), "Say which coefficient, and how high."),
        Case(lambda: pw.reliability(TABLE).topics_for(phi=95), "Phi and E rho^2 lie between 0 and 1."),
        Case(lambda: pw.reliability(TABLE).phi(0), "A mean is over at least one topic."),
        Case(lambda: pw.topics_needed(TABLE, difference=0), "Without a difference there is nothing to find."),
        Case(lambda: pw.topics_needed(TABLE, difference=0.1, power=0.01), "The power is a share above alpha."),
        Case(lambda: pw.topics_needed(TABLE, difference=1e-9), "The difference is too small to be found."),
        Case(lambda: pw.topics_needed(TABLE[:1], difference=0.1), "Variance needs two runs and two topics."),
        Case(lambda: pw.topics_needed(np.ones((2, 3)), difference=0.1), "All differences are equal."),
        Case(lambda: pw.topics_needed(scores(), "AP", runs=["one", "three"], difference=0.1), "The run is called otherwise."),
        Case(lambda: _planning().topics_for_paired_t(0.1, 0.0), "A spread is above 0."),
        Case(lambda: _planning().topics_for_anova(0.1, 0.1, runs=1), "An analysis of variance needs two runs."),
    ],
    "Agreement, power, decisions, error rates": [
        Case(lambda: pw.agreement([0.1], [0.2]), "A ranking of one run is no ranking."),
        Case(lambda: pw.agreement([0.1, float("nan")], [0.1, 0.2]), "A mean is missing."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2, 0.3]), "The rankings have different runs."),
        Case(lambda: pw.agreement(scores(), pw.read(QRELS, {"one": RUNS["one"], "three": RUNS["two"]}).score("AP")), "A run is called otherwise in the second ranking."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], resamples=-1), "Resamples are counted from 0."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], resamples=10), "Intervals come from resampling topics, so scores per topic are needed."),
        Case(lambda: pw.agreement(TABLE, TABLE[:, :5], resamples=10), "The two sides have different topics."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], persistence=2), "The persistence of rank-biased overlap is a share."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], ties="c"), "Ties count in one of two ways."),
        Case(lambda: _overlap([0.1, float("nan")], [0.1, 0.2]), "One ranking leaves out more runs than the other."),
        Case(lambda: pw.knee([0.1, 0.2], [0.9]), "A curve has one value for each fraction."),
        Case(lambda: pw.discriminative_power(TABLE, top=9), "At least two runs, at most all."),
        Case(lambda: pw.discriminative_power(TABLE, alpha=0.001, resamples=100), "So few resamples cannot reach so small a level."),
        Case(lambda: pw.discriminative_power(TABLE[:1]), "Pairs need two runs, and topics."),
        Case(lambda: _labels(ann=[]), "Agreement is of several assessors."),
        Case(lambda: pw.label_agreement(["qrels.txt", "folder/../qrels.txt"]), "Assessors are called by their files."),
        Case(lambda: _labels(ann=[("1", "a", 1, 1), ("1", "a", 0, 1)], ben=[]), "An assessor says one thing of a document."),
        Case(lambda: _labels(ann=[("1", "a", 1, 1)], ben=[("1", "b", 1, 1)]), "There is nothing that both judged."),
        Case(lambda: pw.label_agreement({"ann": [("1", "a", "high")], "ben": [("1", "a", 1)]}), "Labels are numbers, with a decimal point or without."),
        Case(lambda: pw.agreement(QRELS, QRELS), "Labels are compared by label_agreement."),
        Case(lambda: _labels(ann=_two_labels(), ben=_two_labels()).of("tau"), "There is no such coefficient."),
        Case(shell("gate good.txt good.txt"), "Runs are scored by judgments."),
        Case(lambda: pw.topic_groups(scores(), {"9": "easy"}), "The groups are of other topics, or these are called otherwise."),
        Case(lambda: (_write("groups.txt", "1 easy\n2 hard\n"), main(["score", "qrels.txt", "folder/good.txt", "--stream", "--groups", "groups.txt"])), "Means that are streamed leave topics behind."),
        Case(lambda: main(["score", "qrels.txt", "good.txt", "nDCG@10"]), "Measures follow -m; other words are files."),
        Case(lambda: pool().holes("Judged@2"), "Unjudged documents are what this measure counts, or it leaves them out."),
        Case(lambda: pool(documents="judged").holes("P@2"), "Holes are not among the judged documents."),
        Case(lambda: pool().holes("P@2").settle("one", "one"), "A comparison takes two runs."),
        Case(shell("holes qrels.txt good.txt --plan plan.txt"), "A plan lists documents, and nothing says which."),
        Case(shell("holes qrels.txt good.txt --budget 10"), "What is drawn must be written somewhere."),
        Case(shell("gate folder/good.txt full/runs --qrels qrels.txt --keep last.txt"), "Scores are kept as a table."),
        Case(lambda: (_write("both.csv", "topic,a,b\n1,0.5,0.4\n2,0.5,0.4\n"), main(["gate", "both.csv", "both.csv"])), "Each side is one run."),
        Case(lambda: (_write("one.csv", "run,measure,topic,value\na,AP,1,0.5\na,AP,2,0.4\n"), main(["gate", "one.csv", "one.csv"])), "The scores that were kept are by another measure."),
        Case(shell("agreement"), "Say where the labels are."),
        Case(shell("agreement qrels.txt qrels.txt --rel high"), "Thresholds are labels, for all or for one assessor."),
        Case(shell("agreement qrels.txt qrels.txt --model qrels"), "Whether a model favours runs can be said of runs only."),
        Case(lambda: _effect(1.5), "Scores need whole labels; a decimal label is a prediction."),
        Case(lambda: _effect(None), "None of the documents that people judged has a label of the model."),
        Case(shell("agreement qrels.txt qrels.txt --unjudged negative"), "One label can mean that a document is not judged."),
        Case(lambda: _gate([0.1, 0.2], [0.1]), "The scores of a gate are paired by topic."),
        Case(lambda: _gate([0.1], [0.1]), "One topic says nothing of others."),
        Case(lambda: _gate([0.1, 0.2], [0.1, 0.2], margin=-1), "A margin is how much worse is still good enough."),
        Case(lambda: pw.decisions(TABLE, TABLE[:, :5]), "Complete and sampled scores are of the same runs and topics."),
        Case(lambda: pw.decisions(TABLE[:1], TABLE[:1]), "Decisions are about pairs of runs."),
        Case(lambda: pw.decisions(TABLE, TABLE, pairs=0), "Look at one pair at least."),
        Case(lambda: _decisions().confusion([0.1], [0.1, 0.2]), "The p values are of different pairs."),
        Case(lambda: pw.error_rates(TABLE, draws=0), "Draw at least once."),
        Case(lambda: pw.error_rates(TABLE, tolerance=2), "The tolerance is a share."),
        Case(lambda: pw.error_rates(TABLE[:1]), "Swaps need two runs."),
        Case(lambda: pw.error_rates(TABLE, sizes=[99]), "A set of topics cannot hold more than there are."),
    ],
    "Best gains and discounts": [
        Case(lambda: pw.optimal_discount(pool(), cutoff=0), "Cut-offs are counted from 1."),
        Case(lambda: pw.optimal_discount(pw.read(QRELS, {"one": RUNS["one"]}), cutoff=2), "One run has nothing to be told apart from."),
        Case(lambda: pw.optimal_discount(pool(), cutoff=2, gain="cubic"), "The gain is called otherwise."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, discount="cubic"), "The discount is called otherwise."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=3, discount=[1.0]), "A list of discounts has one number for each rank."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, discount=[0.0, 0.0]), "Discounts that are all 0 count nothing."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, negative="some"), "Negative gains count in one of these ways."),
        Case(lambda: pw.optimal_both([pool(), pool()], cutoff=[2, 2, 2]), "One cut-off for all pools, or one for each."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, splits=-1), "Splits are counted from 0."),
        Case(lambda: _optimal().to_frame(table="none"), "The result has other tables."),
        Case(lambda: _optimal().topics_for(phi=95), "Phi lies between 0 and 1."),
        Case(lambda: pw.optimal_discount(pw.read({"1": {"a": 0, "z": 1}, "2": {"a": 0, "z": 1}}, RUNS), cutoff=2), "Nothing relevant is retrieved: there is nothing to weigh."),
    ],
    "Studies": [
        Case(shell("study none qrels.txt good.txt -o out"), "The study is called otherwise."),
        Case(shell("study robustness qrels.txt -o out"), "A study needs runs; that of negative labels can do without."),
        Case(shell("study reliability qrels.txt good.txt -o out --as B07"), "The paper has no such study."),
        Case(lambda: pw.study.settings_as("B08", "robustness"), "Papers are called by their tags."),
        Case(lambda: studies_as("B08"), "Papers are called by their tags."),
        Case(shell("study negative qrels.txt good.txt -o out --trials 3"), "The option belongs to other studies."),
        Case(shell("study robustness qrels.txt good.txt -o out --trials few"), "The setting is a number."),
        Case(lambda: (_write("groups.txt", "good\n"), main(["study", "reusability", "qrels.txt", "good.txt", "-o", "out", "--groups", "groups.txt"])), "A name stands alone."),
        Case(lambda: (_write("groups.txt", "good team automatic\n"), main(["study", "reusability", "qrels.txt", "good.txt", "-o", "out", "--groups", "groups.txt"])), "Each line has two columns: the run, and its group or kind."),
        Case(lambda: (_study_in("here"), _study_in("here")), "A folder with finished work is not emptied unasked."),
        Case(lambda: (_study_in("there"), pw.study.reliability(pool(), measures=["AP"], folder="there")), "A folder holds one study."),
        Case(shell("study robustness qrels.txt good.txt -o out --fractions a,b"), "Fractions are numbers between commas."),
        Case(lambda: pw.study.robustness(pool(), measures=[]), "Name measures."),
        Case(lambda: pw.study.robustness(pool(), fractions=[2]), "Fractions are shares."),
        Case(lambda: pw.study.robustness(pool(), trials=0), "Draw at least once."),
        Case(lambda: pw.study.robustness(pool(), retrieved=2), "The share of documents is a share."),
        Case(lambda: pw.study.robustness(pw.read(QRELS, {"one": RUNS["one"]})), "A study of one run shows nothing."),
        Case(lambda: pw.study.negative(pw.read({"1": {"a": 1, "b": -2}, "2": {"d": 1}}, RUNS), cutoffs=[]), "Name cut-offs."),
        Case(lambda: pw.study.negative(pool()), "There is nothing below 0 to study."),
        Case(lambda: pw.study.decisions(pool(), judged="some"), "The pool is made in one of these ways."),
        Case(lambda: pw.study.estimation(pool(), fractions=[], depths=[]), "Name fractions or depths."),
        Case(lambda: pw.study.reusability(pool(), depth=1, groups=dict.fromkeys(RUNS, "one team")), "Leaving out everyone leaves nothing."),
        Case(lambda: pw.study.reusability(pool(), depth=1, groups={"other": "one team"}), "The groups are of other runs, or these are called otherwise."),
        Case(lambda: pw.study.assessors(pool()), "The study compares the judgments with other labels."),
        Case(lambda: pw.study.assessors(pool(), labels={"judgments": QRELS}), "The name is taken."),
        Case(lambda: pw.study.assessors(pool(), labels={"ann": {"nowhere": {"a": 1}}}), "Labels are of other topics."),
        Case(lambda: (os.makedirs("empty-labels", exist_ok=True), pw.study.assessors(pool(), labels=["empty-labels"])), "The folder of labels is empty."),
        Case(lambda: pw.study.reusability(pool(), depth=9), "Which runs made the pool could not be told from the labels."),
        Case(lambda: _study().to_frame("none"), "The study has other tables."),
        Case(lambda: _study().plot("none"), "The study has other figures."),
        Case(lambda: (_study(folder="kept"), _study(folder="kept", seed=2, resume=True)), "The folder holds a study that was asked for otherwise."),
        Case(lambda: (_study(folder="lost"), _break("lost/units/**/*.json"), _study(folder="lost", resume=True)), "The record of the study is damaged.", quotes=True),
        Case(lambda: (_study(folder="cut"), _break("cut/units/**/*.npz"), _study(folder="cut", resume=True)), "A finished part of the study is damaged.", quotes=True),
        Case(lambda: _images("gif"), "Figures are written in one of these formats."),
    ],
    "Simulated campaigns": [
        Case(lambda: pw.simulate(runs=0), "A number is out of range."),
        Case(lambda: pw.simulate(topics="many"), "Numbers are numbers."),
        Case(lambda: pw.simulate(negative=5), "Shares lie between 0 and 1."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10, contributing="sim01a"), "Contributing runs are a list, or how many."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10, contributing=["none"]), "There is no such run in this campaign."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).run("none"), "There is no such run in this campaign."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("good.txt"), "A file is in the way."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("full"), "Other runs lie where the new ones would."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("out", compression="zip"), "The compression is not known."),
    ],
    "Large files, logs and clusters": [
        Case(lambda: (_frame(topic=["1"], document=["a"], label=[1], stratum=[1]).to_parquet("strata.parquet"), shell("score strata.parquet good.txt --stream")()), "Strata need all judgments at once. Leave --stream out."),
        Case(lambda: (_write("mixed.txt", "2 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"), stream("qrels.txt", "mixed.txt")()), "Some topics at a time is possible only where topics ascend in all files."),
        Case(lambda: (_write("strata.txt", "1 0 a 1 1\n"), stream("strata.txt", "good.txt")()), "Judgments with strata are read at once."),
        Case(lambda: (_write_parquet("mr.parquet", {"topic": ["1", "2"], "document": ["a", "b"], "score": [1.0, 1.0], "run": ["r1", "r2"]}), pw.read("qrels.txt", {"mine": "mr.parquet"})), "A column of the file names several runs."),
        Case(lambda: (_write_parquet("low.parquet", {"topic": ["1"], "document": ["a"], "label": [-(2**31)]}), stream("low.parquet", "good.txt")()), "The two lowest numbers of 32 bits have a meaning of their own."),
        Case(lambda: (_write_parquet("bytes.parquet", _damaged_text()), pw.read("qrels.txt", "bytes.parquet")), "A column of text holds other bytes."),
        Case(_few_files, "All files are open at once; `ulimit -n` says how many may be."),
        Case(stream(QRELS, "good.txt"), "Tables are in memory already."),
        Case(stream("-", "good.txt", measures=["ERR"]), "The measure needs the highest label, for which judgments are read twice."),
        Case(lambda: next(stream("qrels.txt", "good.txt")().topic_rows(0, 0)), "Ask for topics when scoring."),
        Case(lambda: (_write("void.txt", ""), stream("void.txt", "good.txt")()), "The judgments are empty."),
        Case(stream("qrels.txt", "broken"), "The file cannot be opened."),
        Case(lambda: (_write("torn.parquet", b"PAR1\x15torn"), stream("qrels.txt", "torn.parquet")()), "The file was cut or is damaged.", quotes=True),
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
        Case(lambda: (_write("torn.parquet", b"PAR1\x15torn"), log_file("torn.parquet", label=None)()), "The judgments were cut or are damaged.", quotes=True),
        Case(lambda: (log_file()(), _write("torn.parquet", b"PAR1\x15torn"), _log("log.parquet", "torn.parquet")), "A partition was cut or is damaged.", quotes=True),
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
    "In place of other tools": [
        Case(lambda: _drop_in().parse_qrel(["1 0 a"]), "A line of judgments has four fields."),
        Case(lambda: _drop_in().parse_run(["1 Q0 a 1 2 x", "1 Q0 a 2 1 x"]), "A document stands twice in a ranking."),
        Case(lambda: _drop_in().parse_run(["1 Q0 a 1 high x"]), "Scores are numbers."),
        Case(lambda: _drop_in().RelevanceEvaluator(QRELS, {"mapp"}), "The measure is called otherwise."),
        Case(lambda: _provider().evaluator([_accuracy()], QRELS), "The measure is one of ir_measures that poolwise has not."),
    ],
    "On the command line": [
        Case(shell("scores qrels.txt good.txt"), "The command is called otherwise."),
        Case(shell("score"), "An argument is missing."),
        Case(shell("reliability"), "An argument is missing."),
        Case(shell("reliability a.csv b.csv"), "There is an argument too many."),
        Case(shell("trec_eval qrels.txt"), "trec_eval takes two files."),
        Case(shell("trec_eval -m ndgc qrels.txt good.txt"), "trec_eval has no such measure."),
        Case(shell("trec_eval -m P. qrels.txt good.txt"), "A point announces numbers."),
        Case(shell("trec_eval -m P.5,5 qrels.txt good.txt"), "A cut-off is given twice."),
        Case(shell("trec_eval -m P.0 qrels.txt good.txt"), "A cut-off is a whole number from 1."),
        Case(shell("trec_eval -m iprec_at_recall.a qrels.txt good.txt"), "A point of recall is a number."),
        Case(shell("trec_eval -m utility.1,2 qrels.txt good.txt"), "A number is missing."),
        Case(shell("trec_eval -R prefs qrels.txt good.txt"), "Preferences are not here."),
        Case(shell("trec_eval -D 1.none qrels.txt good.txt"), "The topic is in none of the files, or in one alone."),
        Case(lambda: (os.mkdir("two"), _write("two/a.txt", "1 Q0 a 1 1 x\n"), _write("two/b.txt", "1 Q0 a 1 1 x\n"), main(["trec_eval", "qrels.txt", "two"])), "The second file is one run, no folder."),
        Case(shell("trec_eval -Z none.txt qrels.txt good.txt"), "The file of means is not there."),
        Case(lambda: (_write("z.txt", "1 map 0.5\n"), main(["trec_eval", "-Z", "z.txt", "qrels.txt", "good.txt"])), "A number is missing in a line."),
        Case(shell("simulate --runs 3"), "An option that the command cannot do without is missing."),
        Case(shell("plan --budget 5 -o plan.txt"), "Arguments are missing: the runs."),
        Case(shell("score qrels.txt"), "No run is named."),
        Case(shell("score qrels.txt good.txt --metric AP"), "The option is called otherwise."),
        Case(shell("score qrels.txt good.txt -m"), "The option needs a value."),
        Case(shell("score qrels.txt good.txt --per-topic=yes"), "The option needs no value."),
        Case(shell("score qrels.txt good.txt --threads two"), "The value is of another kind."),
        Case(shell("score qrels.txt good.txt --format xml"), "The value is not among the choices."),
        Case(shell("score qrels.txt good.txt --format parquet"), "Parquet is not for terminals."),
        Case(shell("score qrels.txt good.txt -o scores.xlsx"), "The ending of a file says its format; `--format` says it whatever the ending."),
        Case(shell("score qrels.txt good.txt --unjudged some"), "The value is neither a label nor one of the two words."),
        Case(shell("score qrels.txt --runs-from none.txt"), "The list of runs is not there."),
        Case(shell("score qrels.txt good.txt --plugin mine"), "A measure is told by its module and its name."),
        Case(shell("score qrels.txt good.txt --plugin none:thing"), "The module of one's own measure is not found from here."),
        Case(shell("score qrels.txt good.txt --plugin poolwise:read"), "The name is there but is no measure."),
        Case(shell("sample qrels.txt good.txt --design stratified --edges a,b -o out.txt"), "Edges are numbers between commas."),
        Case(lambda: (_write("names.txt", "none\n"), shell("sample qrels.txt good.txt --design depth --depth 1 --contributing names.txt -o out.txt")()), "A line names no run."),
        Case(lambda: (_write("names.txt", "\n"), shell("sample qrels.txt good.txt --design depth --depth 1 --contributing names.txt -o out.txt")()), "The list of contributing runs is empty."),
        Case(shell("sample qrels.txt good.txt --design depth --depth 1 --contributing none.txt -o out.txt"), "The list is not there."),
        Case(lambda: (_write("groups.txt", "one\n"), shell("sample qrels.txt good.txt --design without --without good --groups groups.txt -o out.txt")()), "Every line names a run and its group."),
    ],
}  # fmt: skip


class _Record(tuple):
    """A named tuple that lacks a field."""

    _fields = ("query_id", "doc_id")

    def __new__(cls, *values: str) -> _Record:
        return super().__new__(cls, values)


def _many_scores() -> pw.Scores:
    campaign = pool()
    return campaign.score("AP", judgments=[campaign.judgments] * 2)


def _three() -> pw.Campaign:
    return pw.read(QRELS, RUNS | {"three": RUNS["two"]})


def _of_samples() -> Any:
    ours = pool()
    return ours.score("AP", judgments=[ours.judgments, ours.judgments])


def _study(**options: Any) -> Any:
    return pw.study.robustness(pool(), **{"measures": ["AP"], "fractions": [0.5], "trials": 1, "seed": 1, **options})


def _break(pattern: str) -> None:
    for path in Path().glob(pattern):
        path.write_bytes(b"broken")


def _images(form: str) -> None:
    from poolwise.show.images import write_images

    write_images([], "figures", [form])


def runs_only() -> pw.Campaign:
    return pw.read(None, RUNS)


def twenty_topics() -> pw.Campaign:
    return pw.read(None, {run: {str(topic): {"a": 2.0, "b": 1.0} for topic in range(20)} for run in ("one", "two")})


def _looks_at_some_topics() -> None:
    plan = twenty_topics().plan(budget=10)
    judged = plan.merge([(topic, document, 1) for topic, document in plan.to_judge()])
    pw.read(judged, {"one": {str(topic): {"a": 2.0, "b": 1.0} for topic in range(20)}}).estimate(
        "AP", looks=pw.Looks(20)
    )


def _optimal() -> Any:
    return pw.optimal_discount(pool(), cutoff=2)


def _samples(executor: Any) -> Any:
    given = pool()
    return given.score("AP", judgments=[given.judgments] * 2, executor=executor)


def _log(*paths: str, **options: Any) -> Any:
    from poolwise.score.partitioned import score_log

    return score_log(*paths, measures=["AP"], **options)


def _write_parquet(name: str, columns: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), name)


def _planning() -> Any:
    from poolwise.reliability import topics_needed as planning

    return planning


def _decisions() -> Any:
    from importlib import import_module

    return import_module("poolwise.compare.decisions")


def _labels(**given: Any) -> Any:
    from poolwise.agree.assessors import agreement_of
    from poolwise.agree.label_sheet import label_sheet

    return agreement_of(label_sheet(given))


def _effect(label: float | None) -> Any:
    """A model that labels a document so, or nothing at all."""
    from poolwise.effects.model_effect import effect_of_model

    found = _labels(ann=_two_labels(), bob=_two_labels(), model=[("1", "a", label, 1)])
    settings = {"measure": "AP", "by": "first", "level": 0.95, "seed": 0}
    return effect_of_model(found, [RUNS], model="model", **settings)


def _two_labels() -> list[Any]:
    return [("1", "a", 1.0, 1), ("1", "b", 0.0, 1)]


def _study_in(folder: str) -> Any:
    return pw.study.robustness(pool(), measures=["AP"], fractions=[0.5], trials=1, folder=folder)


def _gate(baseline: Any, candidate: Any, margin: float = 0.1) -> Any:
    from poolwise.compare.no_worse import gate

    return gate(baseline, candidate, margin=margin)


def _overlap(a: Any, b: Any) -> Any:
    from poolwise.agree.overlap import rank_biased_overlap

    return rank_biased_overlap(a, b)


def _another_plan() -> None:
    from poolwise.assess.work import open_work

    _write("plan.txt", "1 1 a 1 -1\n")
    open_work("plan.txt", "labels.sqlite")[1].close()
    _write("plan.txt", "1 1 b 1 -1\n")
    open_work("plan.txt", "labels.sqlite")


def _sqlite(version: int | None = None) -> None:
    """Read an SQLite file that is not ours, or of a later version."""
    import sqlite3

    from poolwise.read.judging_file import APPLICATION

    connection = sqlite3.connect("other.sqlite")
    connection.execute(f"PRAGMA application_id = {0 if version is None else APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version or 0}")
    connection.commit()
    connection.close()
    pw.read("other.sqlite", "good.txt")


def _full_disk() -> None:
    from poolwise.assess.event_store import EventStore, create
    from poolwise.read.judging_events import Event

    create("full.sqlite", {"plan": "p", "columns": "4", "unjudged": "-1"}, [])
    store = EventStore("full.sqlite")
    store.connection.execute("PRAGMA query_only = ON")
    store.add([Event("an-event", 0, "ann", "1", "a", "later")])


def _unreadable() -> None:
    from poolwise.assess.document_files import kind_of

    kind_of("folder")


def _index_nowhere() -> None:
    from poolwise.assess import document_index

    _write("d.jsonl", '{"id": "a", "text": "b"}\n')
    document_index._make("none/d.index", ["d.jsonl"], None, None)


def _remember_nowhere() -> None:
    from poolwise.assess.last_time import keep
    from poolwise.assess.opening_room import Wishes

    keep(Wishes("none/plan.txt"), 0, {})


def _a_dataset(part: str) -> None:
    """Ask a dataset of ir_datasets for what it has not."""
    from unittest.mock import patch

    import ir_datasets

    class Empty:
        def has_docs(self) -> bool:
            return False

        has_qrels = has_docs

    from poolwise.read.dataset_ids import dataset_of

    with patch.object(ir_datasets, "load", return_value=Empty()):
        dataset_of("mine", part)


# ---- The page ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_campaign() -> Iterator[None]:
    """A folder with a small campaign, to be wrong in."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        for name in ("folder", "empty", "full/runs"):
            Path(name).mkdir(parents=True)
        _write("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 d 1\n")
        Path("broken").mkdir()
        Path("broken/lost.txt").symlink_to("nowhere.txt")
        for name in ("good.txt", "folder/good.txt", "full/runs/old.txt"):
            _write(name, "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 d 1 1 x\n")
        try:
            yield
        finally:
            os.chdir(before)


def message(case: Case) -> str:
    """What a case makes poolwise say."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            case.provoke()
    except pw.PoolwiseError as error:
        return str(error)
    lines = [line for line in said.getvalue().splitlines() if not line.startswith("poolwise: note: ")]
    if len(lines) != 1 or not lines[0].startswith("poolwise: "):
        raise AssertionError(f"not one message of: {case.words} {lines}")
    return lines[0].removeprefix("poolwise: ").replace(f"{os.getcwd()}{os.sep}", "")


def errors_page() -> str:
    """All messages with their causes and cures."""
    parts = [INTRODUCTION]
    with small_campaign():
        for title, cases in SECTIONS.items():
            rows = "".join(f"| {_cell(_shown(case))} | {case.words} |\n" for case in cases)
            parts.append(f"## {title}\n\n| message | cause and cure |\n|---|---|\n{rows}")
    return "\n".join(parts)


def _shown(case: Case) -> str:
    return re.sub(r"\(.*\)", "(...)", message(case)) if case.quotes else message(case)


def _cell(text: str) -> str:
    escaped = text.replace("|", "\\|")
    return f"`` {escaped} ``" if "`" in text else f"`{escaped}`"


INTRODUCTION = """# Error messages

An error says where, what was found, and what to do. On the command line it follows `poolwise: ` on standard error, and
the exit code says whose fault it is: 1 the input is wrong, 2 wrong usage, 130 stopped with Ctrl-C.

In Python all are subclasses of `poolwise.PoolwiseError`: `InputError` (data), `ArgumentError` (arguments; also a
`ValueError`) and `MissingDependency` (also an `ImportError`). Doubtful results warn with `PoolwiseWarning`, which is also
stored on the result's `warnings`.

Generated by provoking each (`docs/errors.py`); the tests do it again and compare.
"""
