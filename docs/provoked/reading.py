"""What files, tables and other tools' data can be wrong in."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import poolwise as pw
from poolwise.cli.main import main
from provoked.small_campaign import QRELS, RUNS, Case, a_dataset, frame, pool, qrels_file, scores, write


def run_file(text: str | bytes, name: str = "run.txt") -> Callable[[], Any]:
    """Read a run of this text."""
    return lambda: (write(name, text), pw.read("qrels.txt", name))


def run_table(table: Any) -> Callable[[], Any]:
    return lambda: pw.read(QRELS, {"mine": table})


def _swapped() -> Any:
    """Read a run as judgments, and judgments as a run."""
    run = ", ".join(f'"d{rank}": {9.5 - rank / 3:.3f}' for rank in range(12))
    labels = ", ".join(f'"d{rank}": {rank % 3}' for rank in range(12))
    write("run.json", f'{{"1": {{{run}}}}}')
    write("qrels.json", f'{{"1": {{{labels}}}}}')
    return pw.read("run.json", "qrels.json")


def prels_file(text: str) -> Callable[[], Any]:
    """Read judgments with probabilities."""
    return lambda: (write("prels.txt", text), pw.read("prels.txt", "good.txt", prels=True))


def _with_prels() -> pw.Campaign:
    write("prels.txt", "1 a 1 1 0.5\n1 b 0 1 1\n")
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


def _without_library() -> None:
    from poolwise.basics.extras import load

    load("a_library_that_is_not_there", "frames")


def _read_again(change: Callable[[Path], Any]) -> Callable[[], Any]:
    """Change a run's file between its two readings."""

    def provoke() -> None:
        write("later.txt", Path("good.txt").read_bytes())
        campaign = pw.read("qrels.txt", "later.txt")
        change(Path("later.txt"))
        campaign.documents(campaign.topics[0])

    return provoke


def _threads_of_environment() -> None:
    os.environ["POOLWISE_THREADS"] = "many"
    try:
        scores()
    finally:
        del os.environ["POOLWISE_THREADS"]


def _dataset() -> Any:
    class Dataset:
        __module__ = "ir_datasets"

    return Dataset()


def _torn() -> bytes:
    """A Parquet file that lacks its middle."""
    whole = scores().to_parquet()
    return whole[: len(whole) // 2] + whole[-8:]


def _lz4(data: bytes) -> bytes:
    """Data as an lz4 file."""
    import lz4.frame

    return lz4.frame.compress(data)


def _not_fetched() -> Iterator[Any]:
    """Judgments that cannot be had."""
    raise RuntimeError("all download sources failed")
    yield


class _Record(tuple):
    """A named tuple that lacks a field."""

    _fields = ("query_id", "doc_id")

    def __new__(cls, *values: str) -> _Record:
        return super().__new__(cls, values)


SECTIONS: dict[str, list[Case]] = {
    "Files": [
        Case(lambda: pw.read("none.txt", "good.txt"), "The path is wrong, or relative to another folder."),
        Case(lambda: pw.read("folder", "good.txt"), "A folder stands where one file is expected; only runs may be folders."),
        Case(lambda: pw.merge("folder", "qrels.txt"), "The same, of any other file."),
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
        Case(qrels_file("# poolwise plan format 1\n1 0 a 1\n1 0 b 2 1\n"), "A label of a plan was blanked: write -1 where there is none yet."),
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
        Case(lambda: main(["score", "qrels.txt", "good.txt", "-o", "none/scores.csv"]), "Commands look for the folder of `-o` before they begin."),
    ],
    "Files of other tools": [
        Case(run_file('topic,document,score\r7,"a",1\r', "mac.csv"), "Nothing writes such ends of lines any more; an editor changes them."),
        Case(run_file('topic,document,score\n7,"a' + "b" * (1 << 21), "long.csv"), "A quote that is not closed, or no table at all."),
        Case(lambda: pw.read("qrels.txt", "x" * 5000), "No path is that long; a list was given that holds other text."),
        Case(qrels_file("7 A a 1 1\n"), "Five columns are those of judgments with strata."),
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
        Case(lambda: a_dataset("qrels"), "Some datasets have no judgments."),
        Case(lambda: pw.read(_not_fetched(), "good.txt"), "ir_datasets could not fetch the data."),
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
        Case(lambda: pw.read(frame(topic=["1"], document=["a"]), RUNS), "The frame lacks a column, or calls it otherwise."),
        Case(lambda: pw.read(QRELS, frame(run=["x", None], topic=["1", "1"], document=["a", "b"], score=[1.0, 2.0])), "A frame with a column of run names needs it in every row."),
        Case(lambda: pw.read(_dataset(), RUNS), "The dataset of ir_datasets has no judgments."),
        Case(lambda: pw.read([_Record("1", "a")], RUNS), "The named tuples lack a field, or call it otherwise."),
    ],
    "Reading options": [
        Case(lambda: pw.read(QRELS, RUNS, columns=["topic"]), "What columns are called is said by ours."),
        Case(lambda: pw.read(QRELS, RUNS, columns={"topic": None}), "A column is told by its name, or by its number where there is no header."),
        Case(lambda: pw.merge(pw.read(None, RUNS).plan(budget=2), frame(topic=["1"], document=["a"], grade=[1]), columns={"label": "mark"}), "The same for labels that are merged with a plan."),
        Case(lambda: pw.model_effect({"people": QRELS, "model": QRELS}, RUNS, model="model", columns={"score": "nearness"}), "The same where labels and runs are read together."),
        Case(run_file('{"1": {"a": "0.5"}}\n', "run.json"), "Numbers of JSON stand without quotes."),
        Case(run_file('{"1": {"\\ud83d": 0.5}}\n', "run.json"), "JSON can write half of a sign, which no id can hold."),
        Case(lambda: pool(columns={"topic": "need"}), "A column that is named must be in one of the tables; look for a slip of the pen."),
        Case(lambda: pool(unjudged="none"), "In Python no reserved label is None; on the command line it is none."),
        Case(lambda: pool(nan="zero"), "A score that is NaN is refused, or ranked last."),
        Case(lambda: pool(bad_runs="fix"), "A run that cannot be read is refused, or left out."),
        Case(lambda: pw.read(QRELS, {"mine": [("1", "a", float("nan"))]}, bad_runs="skip"), "Every run was left out; mend at least one."),
        Case(lambda: pool(duplicates="last"), "Repeated documents are refused, or the first is kept."),
        Case(lambda: pool(depth=0), "Rankings are cut at 1 or deeper."),
        Case(_read_again(lambda path: path.write_text("1 Q0 a 1 2.0 other\n")), "Runs are read again when documents that nobody judged are needed. `documents=\"all\"` keeps these from the beginning."),
        Case(_read_again(lambda path: path.unlink()), "The same where the file is gone."),
        Case(lambda: pool().ranking("three", "1"), "The name of a run or topic is wrong."),
        Case(lambda: pool().score("AP", threads=0), "Threads are counted from 1."),
        Case(_threads_of_environment, "The variable in the environment is wrong."),
        Case(_without_library, "A library that only this needs is not installed."),
    ],
    "In place of other tools": [
        Case(lambda: _drop_in().parse_qrel(["1 0 a"]), "A line of judgments has four fields."),
        Case(lambda: _drop_in().parse_run(["1 Q0 a 1 2 x", "1 Q0 a 2 1 x"]), "A document stands twice in a ranking."),
        Case(lambda: _drop_in().parse_run(["1 Q0 a 1 high x"]), "Scores are numbers."),
        Case(lambda: _drop_in().RelevanceEvaluator(QRELS, {"mapp"}), "The measure is called otherwise."),
        Case(lambda: _provider().evaluator([_accuracy()], QRELS), "The measure is one of ir_measures that poolwise has not."),
    ],
}  # fmt: skip
