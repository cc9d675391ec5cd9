"""What is wrong before judging starts, and in what was judged."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import poolwise as pw
from poolwise.cli.main import main
from provoked.small_campaign import Case, a_dataset, qrels_file, write


def _documents(text: str, name: str = "d.jsonl") -> Callable[[], Any]:
    """Read documents of this text."""
    from poolwise.judging.documents import open_documents

    return lambda: (write(name, text), open_documents([name], None, {"a"}, "plan.txt"))


def _topics(text: str) -> Callable[[], Any]:
    from poolwise.judging.topic_texts import read_topics

    return lambda: (write("topics.txt", text), read_topics("topics.txt"))


def _grades(text: str) -> Callable[[], Any]:
    from poolwise.judging.work import read_grades

    return lambda: (write("grades.toml", text), read_grades("grades.toml"))


def _judge(options: str, plan: str = "1 1 a 1 -1\n1 1 b 1 -1\n1 0 c 1 -1\n") -> Callable[[], Any]:
    """Judge a small plan; whatever is wrong is found before anything is served."""
    return lambda: (write("plan.txt", plan), main(["judge", "plan.txt", "--no-browser", *options.split()]))


def _swapped() -> Callable[[], Any]:
    return lambda: (
        write("topics.jsonl", '{"id": "1", "title": "t"}\n'),
        write("texts.jsonl", '{"id": "a", "title": "t", "text": "words"}\n'),
        _judge("--documents topics.jsonl --topics texts.jsonl")(),
    )


def _disagreements(text: str) -> Callable[[], Any]:
    return lambda: (write("list.csv", text), _judge("--adjudicate list.csv")())


def _another_plan() -> None:
    from poolwise.judging.work import open_work

    write("plan.txt", "1 1 a 1 -1\n")
    open_work("plan.txt", "labels.sqlite")[1].close()
    write("plan.txt", "1 1 b 1 -1\n")
    open_work("plan.txt", "labels.sqlite")


def _sqlite(version: int | None = None) -> None:
    """Read an SQLite file that is not ours, or of a later version."""
    import sqlite3

    from poolwise.reading.judging_file import APPLICATION

    connection = sqlite3.connect("other.sqlite")
    connection.execute(f"PRAGMA application_id = {0 if version is None else APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version or 0}")
    connection.commit()
    connection.close()
    pw.read("other.sqlite", "good.txt")


def _full_disk() -> None:
    from poolwise.judging.events import EventStore, create
    from poolwise.reading.judging_file import Event

    create("full.sqlite", {"plan": "p", "columns": "4", "unjudged": "-1"}, [])
    store = EventStore("full.sqlite")
    store.connection.execute("PRAGMA query_only = ON")
    store.add([Event("an-event", 0, "ann", "1", "a", "later")])


def _written_elsewhere() -> None:
    import sqlite3

    from poolwise.judging.events import EventStore, create
    from poolwise.reading.judging_file import Event

    create("busy.sqlite", {"plan": "p", "columns": "4", "unjudged": "-1"}, [])
    store, other = EventStore("busy.sqlite"), sqlite3.connect("busy.sqlite", isolation_level=None)
    store.connection.execute("PRAGMA busy_timeout = 1")
    other.execute("BEGIN IMMEDIATE")
    try:
        store.add([Event("an-event", 0, "ann", "1", "a", "later")])
    finally:
        other.close()


def _deleted() -> None:
    """Go on judging with a file that is gone."""
    import os

    from poolwise.judging.events import EventStore, create

    create("gone.sqlite", {"plan": "p", "columns": "4", "unjudged": "-1"}, [])
    store = EventStore("gone.sqlite")
    os.remove("gone.sqlite")
    store.check_there()


def _not_there() -> None:
    from poolwise.reading.judging_file import opened

    opened("none.sqlite")


def _recovered(plan: str, target: str = "saved.sqlite") -> Callable[[], Any]:
    """Save what is in a file in which nothing was judged."""

    def run() -> None:
        from poolwise.judging.recovering import recover
        from poolwise.judging.work import open_work

        write("begun.txt", "1 1 a 1 -1\n")
        write("other.txt", "1 1 b 1 -1\n")
        write("here.sqlite", "")
        open_work("begun.txt")[1].close()
        recover(plan, "here.sqlite" if plan == "here.sqlite" else "begun.sqlite", target)

    return run


def _last_write_fails() -> None:
    """End a judging whose output has nowhere to go."""
    import os
    import shutil
    from time import sleep

    write("full.txt", "1 1 a 1 -1\n")
    os.mkdir("out")
    server = pw.judge("full.txt", outputs=["out/judged.txt"])
    while not os.path.exists("out/judged.txt"):
        sleep(0.01)
    shutil.rmtree("out")
    server.stop()


def _unreadable() -> None:
    from poolwise.judging.document_text import kind_of

    kind_of("folder")


def _index_nowhere() -> None:
    from poolwise.judging import documents as document_index

    write("d.jsonl", '{"id": "a", "text": "b"}\n')
    document_index._make("none/d.index", ["d.jsonl"], None, None)


def _remember_nowhere() -> None:
    from poolwise.judging.session import JudgeOptions, keep

    write("state", "")
    with patch.dict(os.environ, XDG_STATE_HOME="state"):
        keep(JudgeOptions("plan.txt"), 0, {})


SECTIONS: dict[str, list[Case]] = {
    "Judging": [
        Case(lambda: _another_plan(), "The plan has changed since its labels were begun. Judge the new one with a file of its own."),
        Case(_judge("--export", "1 1 a 1 0\n1 0 b 1 -1\n"), "Nothing is left to judge in this plan."),
        Case(lambda: _sqlite(), "Only the SQLite files of `poolwise judge` hold judgments."),
        Case(lambda: _sqlite(99), "The file is newer than this version of poolwise."),
        Case(qrels_file(b"SQLite format 3\0" + b"x" * 200, "torn.sqlite"), "The file is damaged. Keep it: most of its labels can be read all the same.", quotes=True),
        Case(_judge("--store none.sqlite --recover saved.sqlite"), "Name the plan beside which the damaged file lies, or the file itself."),
        Case(_recovered("begun.txt", "here.sqlite"), "What is saved is written to a new file."),
        Case(_recovered("other.txt"), "The plan has changed since its labels were begun, or it is another one."),
        Case(_recovered("begun.txt"), "Nothing can be saved of the file. What stands in the judged file beside the plan is taken from there."),
        Case(_recovered("here.sqlite"), "The plan says what was to be judged where the damaged file does not."),
        Case(lambda: _not_there(), "The file is not there, or in a folder where SQLite may not work.", quotes=True),
        Case(lambda: _deleted(), "Labels that come now would be lost; pages keep them until the server is there again."),
        Case(lambda: _last_write_fails(), "The disk is full or the folder is gone. Labels are safe; the files are to be written again."),
        Case(_judge("--export -o plan.txt"), "What is judged stands beside its plan."),
        Case(lambda: _full_disk(), "The disk is full or may not be written; the page keeps what it could not send.", quotes=True),
        Case(_written_elsewhere, "Only one program at a time can write to the file; the page keeps what it could not send."),
        Case(_judge("--store none/labels.sqlite"), "The folder is not there, or may not be written to.", quotes=True),
        Case(lambda: _remember_nowhere(), "What a judging began with is kept in the folder for the state of programs, which may not be written to."),
        Case(_documents('{"id": "a"}\nnope\n'), "Documents are JSON lines, a CSV or a Parquet file.", quotes=True),
        Case(_documents('["a"]\n'), "Each line is an object with an id and a text."),
        Case(_documents('{"text": "x"}\n'), "The id may be called id, docid, _id, doc_id, docno or document."),
        Case(_documents("one,two,three,four,five\n", "d.csv"), "Name the columns in the first line; without names there may be two to four."),
        Case(_documents("id,text\na," + "x" * (1 << 26) + "y\n", "d.csv"), "A quotation mark is not closed.", quotes=True),
        Case(lambda: _index_nowhere(), "The index lies beside the documents, or beside the plan; neither folder may be written to.", quotes=True),
        Case(lambda: _unreadable(), "The file may not be read."),
        Case(_judge("--documents none.jsonl"), "The path is wrong, or relative to another folder."),
        Case(_judge("--documents no/such/dataset"), "Give a file, a folder, or an id of ir_datasets."),
        Case(lambda: a_dataset("docs"), "Some datasets have no texts."),
        Case(_judge("--documents-from 'cat"), "Quotes of the command are not closed."),
        Case(lambda: main(["judge", "plan.txt", "--no-browser", "--documents-from", ""]), "The command is run with the id of a document and prints its text."),
        Case(_topics(""), "The file has no topics."),
        Case(_topics('{"title": "x"}\n'), "Every topic needs the id by which runs and judgments call it."),
        Case(_topics("1\ta\n1\tb\n"), "A topic stands twice."),
        Case(_topics('{"id": 1}\nnope\n'), "A file that begins with an object has one in every line.", quotes=True),
        Case(_topics('{"id": 1}\n[]\n'), "Each line is an object with an id and a title."),
        Case(_topics("[1, 2\n"), "A file that begins with a bracket is one list of objects.", quotes=True),
        Case(_topics("word\n"), "Without tags or braces a file is read as TSV or CSV."),
        Case(_judge("--export -o y.foo"), "The ending of a judged file says what it holds."),
        Case(_judge("--scale 3-0"), "Grades are a span of whole numbers, or several with commas."),
        Case(_judge("--scale 0-10"), "Keys 0 to 9 are the grades of these numbers; others are named in a file of grades."),
        Case(_grades("# " + "x" * (1 << 20)), "A few lines name grades; another file was named."),
        Case(_swapped(), "Texts were given for topics, and topics for texts."),
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
        Case(_judge("--difference one two"), "Estimates while judging need the runs."),
        Case(_judge("--predictions labels.txt"), "Predictions are for estimates while judging, which need the runs."),
        Case(_judge("--unjudged none"), "Files need a number for documents that are not judged."),
        Case(_judge("--host 203.0.113.7"), "The address is not this machine's, or the port is taken.", quotes=True),
        Case(_judge("--adjudicate none.csv"), "The path is wrong."),
        Case(_disagreements("topic,label\n1,2\n"), "Say which documents of which topics are to be settled."),
        Case(_disagreements("\n"), "The list is empty."),
        Case(_judge("--adjudicate own"), "Assessors agree, or no document was judged by two."),
    ],
}  # fmt: skip
