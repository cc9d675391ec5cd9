"""Judgments and runs as other tools write them: the same pool as from TREC's lines, or an error that says where."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
from itertools import product
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import poolwise as pw
from poolwise.errors import InputError
from poolwise.reading.foreign_text import ForeignText
from poolwise.reading.forms import FORMS, TrecText, form_of

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

LABELS = {"7": {"d1": 1, "d2": 0, "ü": 3}, "10": {"d1": 2, "d9": -1}}
RUN = {"7": {"d2": 3.25, "d1": 3.0, "x": -1e-3}, "10": {"y": 9.0, "d1": 1.0}}
ROWS = [(topic, document, score) for topic, scores in RUN.items() for document, score in scores.items()]
JUDGED = [(topic, document, label) for topic, labels in LABELS.items() for document, label in labels.items()]


def lines(rows, form: str, header: str = "") -> bytes:
    return (header + "".join(form.format(*row) for row in rows)).encode()


def records(rows, *names: str) -> bytes:
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()


RANKED = [(topic, document, rank) for topic in RUN for rank, document in enumerate(RUN[topic], 1)]
RUN_TEXTS = {
    "run.trec": lines(ROWS, "{} Q0 {} 0 {!r} tag\n"),
    "ranx.json": json.dumps(RUN, indent=2, ensure_ascii=False).encode(),
    "beir.json": json.dumps(RUN).encode(),
    "mteb.json": json.dumps({"mteb_model_meta": {"name": {"a": 1}}, "default": {"test": RUN}}).encode(),
    "entries.json": json.dumps([dict(zip(("qid", "docid", "score"), row, strict=True)) for row in ROWS]).encode(),
    "run.jsonl": records(ROWS, "query_id", "doc_id", "score"),
    "ranks.jsonl": records(RANKED, "query_id", "doc_id", "rank"),
    "run.csv": lines(ROWS, '{},"{}",{!r}\n', "query,docid,score\n"),
    "semicolons.csv": lines([row[::-1] for row in ROWS], "{!r};{};{}\r\n", "Score;DocNo;Topic\r\n"),
    "ranks.csv": lines(RANKED, "{},{},{}\n", "qid,pid,rank\n"),
    "run.tsv": lines(ROWS, "{}\t{}\t{!r}\n", "query-id\tcorpus-id\tscore\n"),
    "header.txt": lines(ROWS, "{} Q0 {} 0 {!r} x\n", "topic Q0 document place score mark\n"),
    "msmarco.tsv": lines(RANKED, "{}\t{}\t{}\n"),
    "three.txt": lines(ROWS, "{} {} {!r}\n"),
    "marked.csv": b"\xef\xbb\xbf# of mine\n\n" + lines(ROWS, "{},{},{!r}\n", "topic,document,score\n"),
}  # fmt: skip
LABEL_TEXTS = {
    "qrels.trec": lines(JUDGED, "{} 0 {} {}\n"),
    "ranx.json": json.dumps(LABELS, indent=2).encode(),
    "beir.tsv": lines(JUDGED, "{}\t{}\t{}\n", "query-id\tcorpus-id\tscore\n"),
    "qrels.csv": lines(JUDGED, "{},{},{}.0\n", "qid,docno,label\n"),
    "qrels.jsonl": records(JUDGED, "query-id", "corpus-id", "score"),
    "three.txt": lines(JUDGED, "{} {} {}\n"),
    "msmarco.tsv": lines(JUDGED, "{}\t0\t{}\t{}\n"),
}


def pool_of(folder: Path, qrels: str = "qrels.trec", run: str = "run.trec", **options) -> pw.Campaign:
    return pw.read(folder / "labels" / qrels, folder / "runs" / run, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("forms")
    for name, texts in (("labels", LABEL_TEXTS), ("runs", RUN_TEXTS)):
        (path / name).mkdir()
        for file, text in texts.items():
            (path / name / file).write_bytes(text)
    return path


def rankings(pool: pw.Campaign) -> list[list[str]]:
    return [pool.ranking(pool.runs[0], topic) for topic in pool.topics]


@pytest.mark.parametrize("name", RUN_TEXTS)
def test_runs_of_every_form_are_the_run(folder: Path, name: str) -> None:
    pool = pool_of(folder, run=name)
    assert pool.runs == [name.rpartition(".")[0]]
    assert rankings(pool) == [["d2", "d1", "x"], ["y", "d1"]]


@pytest.mark.parametrize("name", LABEL_TEXTS)
def test_judgments_of_every_form_are_the_judgments(folder: Path, name: str) -> None:
    pool = pool_of(folder, name)
    assert pool.topics == ["7", "10"]
    assert {topic: pool.judgments.of(topic) for topic in pool.topics} == {"7": LABELS["7"], "10": {"d1": 2}}


@pytest.mark.parametrize(
    ("part", "press"), [*product(("labels", "runs"), (gzip.compress, bz2.compress, lzma.compress))]
)
def test_every_form_is_read_compressed(folder: Path, tmp_path: Path, part: str, press) -> None:
    texts = LABEL_TEXTS if part == "labels" else RUN_TEXTS
    expected = pool_of(folder).score("AP", "nDCG").means().tolist()
    for name, text in texts.items():
        path = tmp_path / f"{name}.gz"
        path.write_bytes(press(text))
        qrels, run = (path, folder / "runs" / "run.trec") if part == "labels" else (folder / "labels/qrels.trec", path)
        assert pw.read(qrels, run).score("AP", "nDCG").means().tolist() == expected


def test_lz4(folder: Path, tmp_path: Path) -> None:
    frame = pytest.importorskip("lz4.frame")
    cbor = pytest.importorskip("cbor2")
    expected = rankings(pool_of(folder))
    texts = {name: frame.compress(text) for name, text in RUN_TEXTS.items()}
    half = len(RUN_TEXTS["three.txt"]) // 2
    texts["two"] = frame.compress(RUN_TEXTS["three.txt"][:half]) + frame.compress(RUN_TEXTS["three.txt"][half:])
    texts["ranx"] = frame.compress(frame.compress(cbor.dumps(RUN)))  # ranx compresses twice
    for name, data in texts.items():
        (tmp_path / f"{name}.lz4").write_bytes(data)
        assert rankings(pw.read(folder / "labels/qrels.trec", tmp_path / f"{name}.lz4")) == expected
    (tmp_path / "cut.lz4").write_bytes(texts["beir.json"][:-9])
    with pytest.raises(pw.InputError, match=r"cut.lz4: the lz4 data cannot be read to the end .*fetch or compress"):
        pw.read(folder / "labels/qrels.trec", tmp_path / "cut.lz4")


def plain(written, kind: type):
    """Of the types that ranx hands its writers when numba compiles it; here (tests/conftest.py) they are numpy's."""
    return lambda: {str(topic): {str(each): kind(row[each]) for each in row} for topic, row in written().items()}


@pytest.mark.slow
def test_what_ranx_writes(folder: Path, tmp_path: Path, monkeypatch) -> None:
    ranx = pytest.importorskip("ranx")
    run, qrels = ranx.Run(RUN, name="mine"), ranx.Qrels({"7": LABELS["7"], "10": {"d1": 2}})
    monkeypatch.setattr(run, "to_dict", plain(run.to_dict, float))
    monkeypatch.setattr(qrels, "to_dict", plain(qrels.to_dict, int))
    for ending in ("json", "lz4", "trec", "parq", "parquet"):
        run.save(str(tmp_path / f"r.{ending}"))
    for ending in ("json", "trec", "parq", "parquet"):
        qrels.save(str(tmp_path / f"q.{ending}"))
    expected = rankings(pool_of(folder))
    for ending in ("json", "lz4", "trec", "parq", "parquet"):
        found = pw.read(folder / "labels/qrels.trec", tmp_path / f"r.{ending}")
        assert (found.runs, rankings(found)) == (["r"], expected)
    for ending in ("json", "trec", "parq", "parquet"):
        assert pw.read(tmp_path / f"q.{ending}", folder / "runs/run.trec").judgments.of("7") == LABELS["7"]


@pytest.mark.parametrize(("part", "name"), [*product(["labels"], LABEL_TEXTS), *product(["runs"], RUN_TEXTS)])
def test_standard_input(folder: Path, monkeypatch, part: str, name: str) -> None:
    data = (folder / part / name).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    qrels, run = ("-", folder / "runs/run.trec") if part == "labels" else (folder / "labels/qrels.trec", "-")
    assert pw.read(qrels, run).score("AP").means().tolist() == pool_of(folder).score("AP").means().tolist()


@pytest.mark.parametrize("name", sorted({*RUN_TEXTS} - {"mteb.json"}))
def test_some_topics_at_a_time(folder: Path, name: str) -> None:
    streamed = pw.score_stream(folder / "labels/beir.tsv", folder / "runs" / name, measures=["AP", "nDCG"])
    assert [row[3] for row in streamed.rows(False)] == pool_of(folder).score("AP", "nDCG").means()[0].tolist()


def test_columns_by_name_and_by_number(tmp_path: Path, folder: Path) -> None:
    qrels = folder / "labels/qrels.trec"
    (tmp_path / "odd.csv").write_bytes(lines(ROWS, "{},{},{!r}\n", "Frage,Text,Wert\n"))
    (tmp_path / "bare.csv").write_bytes(lines([row[::-1] for row in ROWS], "{!r},{},{}\n"))
    named = pw.read(qrels, tmp_path / "odd.csv", columns={"topic": "Frage", "document": "text", "score": "Wert"})
    numbered = pw.read(qrels, tmp_path / "bare.csv", columns={"topic": "3", "document": "2", "score": "1"})
    assert rankings(named) == rankings(numbered) == rankings(pool_of(folder))
    both = pw.read(
        folder / "labels/beir.tsv", tmp_path / "bare.csv", columns={"topic": "3", "document": "2", "score": "1"}
    )
    assert rankings(both) == rankings(named)  # judgments that name their columns are read by these
    frame = pytest.importorskip("pandas").read_csv(tmp_path / "odd.csv")
    columns = {"topic": "Frage", "document": "Text", "score": "Wert"}
    assert rankings(pw.read(qrels, frame, columns=columns)) == rankings(named)
    with pytest.raises(pw.ArgumentError, match="no column is called 'query' here; name topic, document, score"):
        pw.read(qrels, tmp_path / "odd.csv", columns={"query": "Frage"})


def test_strata_of_tables(tmp_path: Path, folder: Path) -> None:
    header = "topic,document,label,stratum,round\n"
    (tmp_path / "q.csv").write_text(header + "7,d1,1,2,1\n7,d2,-1,2,0\n10,d1,0,1,1\n")
    judgments = pw.read(tmp_path / "q.csv", folder / "runs/run.trec").judgments
    assert judgments.strata.tolist() == [2, 2, 1]
    assert judgments.rounds.tolist() == [1, 0, 1]


def test_numbers_that_do_not_count_up_are_scores(tmp_path: Path, folder: Path) -> None:
    for values, first in (((1, 2), "a"), ((0, 1), "a"), ((2, 1), "a"), ((1, 1), "b"), ((2, 3), "b"), ((1.0, 2.0), "b")):
        (tmp_path / "r.txt").write_text(f"3 z 1\n7 a {values[0]}\n7 b {values[1]}\n")
        assert pw.read(folder / "labels/qrels.trec", tmp_path / "r.txt").ranking("r", "7")[0] == first


HEADER = b"topic,document,score\n"
BAD_RUNS = {
    HEADER + b"7,a,1\n7,b\n": ":3: 2 columns found; the first line has more of them",
    HEADER + b"7,a,1\n,b,2\n": ":3: there is no topic; every row needs topic and document",
    HEADER + b"7,a,1\n7,b c,2\n": ":3: document 'b c' holds blanks; ids are single words",
    HEADER + b"7,a,1\n7,b,\n": ":3: score '' found; every row needs one number",
    HEADER + b"7,a,1\n7,b,high\n": ":3: score 'high' is not a number; every row needs topic, document and score",
    HEADER + b'7,"a\n\n",1\n7,b,x\n': ":5: score 'x' is not a number;",
    HEADER + b"7,a,1\n7,a,2\n": ":3: document 'a' of topic '7' is listed twice;",
    HEADER + b'7,"a,1\n7,b,2\n': ":3: the table cannot be read (unexpected end of data); mend the line",
    b"topic,document,rank\n7,a,first\n": ":2: rank 'first' is not a whole number; every row needs one, or a score",
    b"7 a 1\n7 b\n": ":2: 2 columns found where the first line has 3; every line needs topic document score",
    b"7 a 1\n\n7 b x\n": ":3: score 'x' is not a number;",
    b'{"7": {"a": 1,}}\n': ":1: this is no JSON (",
    b'{"7": {"a": 1}\n': ":2: this is no JSON (",
    b'{"7": {"a": 1, "a": 2}}': ": 'a' stands twice in one object; remove one of the two",
    b'{"7": {"a": "high"}}': ": topic '7': document 'a': score 'high' is not a number; every document needs one",
    b'{"7": {"a": "1.5"}}': ": topic '7': document 'a': score '1.5' is a text; write numbers without quotes",
    b'{"7": {"a": NaN}}': ": topic '7': document 'a': score 'nan' cannot be ranked; scores may be any number or",
    b'{"7": {"a": true}}': ": topic '7': document 'a': score True is not a number;",
    b'{"7": {"a b": 1}}': ": topic '7': document 'a b': document 'a b' holds blanks; ids are single words",
    b'{"7": {"a": 1}, "8": 3}': ": topic '8' holds 3; expected scores by document",
    b'{"en": {"test": {"7": {"a": 1}}}, "de": {"test": {"7": {"a": 2}}}}': ": 2 rankings found, under 'en', 'de';",
    b'[{"topic": "7", "document": "a", "score": 1}, 5]': ": entry 2 is 5; expected an object",
    b'{"topic": "7", "document": "a", "score": 1}\n[1]\n': ":2: this is no JSON object; every line needs topic,",
    b'{"topic": "7", "document": "a", "score": 1}\n{"topic": "7", "document": "b"}\n': ":2: no column called 'score'",
    b'{"topic": [7], "document": "a", "score": 1}\n': ":1: topic [7] is no id; ids are texts or whole numbers",
}


@pytest.mark.parametrize("text", BAD_RUNS)
@pytest.mark.parametrize("press", [bytes, gzip.compress])
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, folder: Path, text: bytes, press) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(press(text))
    with pytest.raises(pw.InputError) as caught:
        pw.read(folder / "labels/qrels.trec", path)
    assert str(caught.value).startswith(f"{path}{BAD_RUNS[text]}")


@pytest.mark.parametrize(
    "text",
    [
        '{"7": {"d1": 1, "d2": NaN}}',
        '[{"topic": "7", "document": "d2", "score": NaN}, {"topic": "7", "document": "d1", "score": 1}]',
        '{"topic": "7", "document": "d2", "score": NaN}\n{"topic": "7", "document": "d1", "score": 1}\n',
    ],
)
def test_nan_in_json_is_ranked_last_where_asked(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    pool = pw.read({"7": {"d1": 0, "d2": 1}}, tmp_path / "run.json", nan="last")
    assert pool.score("RR").means().item() == 0.5
    assert pool.warnings[0] == "1 score that is NaN ranked last, in 1 of 1 run"


def test_a_table_without_names_of_columns(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "r.csv").write_text("7,a,1\n")
    expected = r"r.csv:1: no column called 'topic' or .*; found 7, a, 1; say which it is with --columns topic=... \(in"
    with pytest.raises(pw.InputError, match=expected):
        pw.read(folder / "labels/qrels.trec", tmp_path / "r.csv")


def test_lines_that_no_form_knows_are_told_by_trec(tmp_path: Path, folder: Path) -> None:
    for text in ("7 Q0 a\n", "7\n", "7 Q0 a 1 x y\n", "7 a b c\n"):
        (tmp_path / "r.txt").write_text(text)
        with pytest.raises(pw.InputError, match="every line needs topic Q0 document rank score tag"):
            pw.read(folder / "labels/qrels.trec", tmp_path / "r.txt")


def test_bad_runs_of_other_forms_are_left_out(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.json").write_text("{1}")
    (tmp_path / "b.txt").write_bytes(RUN_TEXTS["three.txt"])
    pool = pw.read(folder / "labels/qrels.trec", tmp_path, bad_runs="skip")
    assert (pool.runs, [*pool.left_out]) == (["b"], ["a"])


def test_every_form_is_known_by_its_beginning() -> None:
    found = {form_of(ForeignText("x", "x", False, None, text)) for text in RUN_TEXTS.values()}
    cbor = form_of(ForeignText("x", "x.lz4", False, None, b"\xa1\x61"))
    assert {form.name for form in found - {None}} | {cbor.name} == {form.name for form in FORMS}


@given(st.lists(st.binary(max_size=9)), st.lists(st.integers(1, 12), min_size=1))
def test_lines_as_a_file_lose_nothing(parts, sizes) -> None:
    file, got = TrecText(iter(parts), None), []
    for size in sizes * 40:
        got.append(file.read(size))
        assert len(got[-1]) <= size
    read = b"".join(got)
    assert read == b"".join(parts)[: len(read)]
    assert len(read) == min(sum(sizes) * 40, sum(map(len, parts)))


@pytest.mark.parametrize("name", ["gone/*.txt", "gone.qrels", "/gone", "gon?", "[gone]"])
def test_what_no_dataset_is_called_does_not_load_ir_datasets(folder: Path, monkeypatch, name: str) -> None:
    """It takes longer to load than most commands take."""
    library = pytest.importorskip("ir_datasets")
    asked = []
    monkeypatch.setattr(library, "load", asked.append)
    with pytest.raises(pw.InputError, match="no such file"):
        pw.read(name, folder / "runs/run.trec")
    assert asked == []


@pytest.mark.parametrize("part", ["qrels", "scoreddocs"])
def test_ids_of_ir_datasets(folder: Path, monkeypatch, part: str) -> None:
    library = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import GenericScoredDoc, TrecQrel

    class Dataset:
        def __getattr__(self, name: str):
            if name == f"has_{part}":
                return lambda: True
            if name.startswith("has_"):
                return lambda: False
            raise AttributeError(name)

        def _of(self):
            if part == "qrels":
                return (TrecQrel(topic, document, label, "0") for topic, document, label in JUDGED)
            return (GenericScoredDoc(*row) for row in ROWS)

    setattr(Dataset, f"{part}_iter", Dataset._of)
    known = {"mine/test": Dataset()}
    monkeypatch.setattr(library, "load", lambda name: known[name])
    for name in ("mine/test", "irds:mine/test"):
        if part == "qrels":
            assert pw.read(name, folder / "runs/run.trec").judgments.of("7") == LABELS["7"]
        else:
            pool = pw.read(folder / "labels/qrels.trec", name)
            assert (pool.runs, rankings(pool)) == (["mine/test"], rankings(pool_of(folder)))
    with pytest.raises(pw.InputError, match="irds:gone: neither a file nor a dataset of ir_datasets; check the name"):
        pw.read("irds:gone", folder / "runs/run.trec")
    with pytest.raises(pw.InputError, match="gone: no such file; check the path"):
        pw.read("gone", folder / "runs/run.trec")
    other = ("mine/test", folder / "runs/run.trec") if part != "qrels" else (folder / "labels/qrels.trec", "mine/test")
    with pytest.raises(pw.InputError, match=r"mine/test: this dataset has no (qrels|scoreddocs); choose one that has"):
        pw.read(*other)


RUN_JSON = {"1": {f"d{rank}": 9.5 - rank / 3 for rank in range(12)}}
LABELS_JSON = {"1": {f"d{rank}": rank % 3 for rank in range(12)}}


@pytest.mark.parametrize("form", ["json", "csv", "jsonl"])
def test_judgments_and_runs_that_are_swapped_are_refused(form, tmp_path):
    """Where labels may be called score, what files hold tells them apart."""
    for name, table in (("run", RUN_JSON), ("qrels", LABELS_JSON)):
        rows = [{"topic": "1", "document": document, "score": value} for document, value in table["1"].items()]
        if form == "json":
            text = json.dumps(table)
        elif form == "csv":
            text = "topic,document,score\n" + "".join(f"1,{row['document']},{row['score']}\n" for row in rows)
        else:
            text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.{form}").write_text(text)
    right = pw.read(tmp_path / f"qrels.{form}", tmp_path / f"run.{form}")
    assert not any("swapped" in said for said in right.warnings)
    with pytest.raises(InputError, match=r"run.*: 12 of 12 labels differ .* are the two swapped"):
        pw.read(tmp_path / f"run.{form}", tmp_path / f"qrels.{form}")


def test_labels_that_look_like_scores_are_named():
    with pytest.warns(pw.PoolwiseWarning, match="12 of 12 labels differ from all others, as scores of a run do"):
        pw.read(RUN_JSON, RUN_JSON)


@pytest.mark.parametrize(("different", "named"), [(70, True), (30, False)])
def test_scores_of_which_some_are_equal_look_like_scores_too(different, named):
    """Rounded scores of a run repeat now and then; means of several assessors' labels mostly do."""
    labels = {f"d{number}": 0.25 + (number % different) / 512 for number in range(100)}
    said = pw.read({"1": labels}, {"1": {f"d{number}": -float(number) for number in range(100)}}).warnings
    assert any("as scores of a run do" in words for words in said) == named


@pytest.mark.parametrize("form", ["csv", "jsonl", "frame", "parquet"])
def test_a_column_that_is_said_to_hold_ranks_does(tmp_path, form):
    frame = pandas.DataFrame({"topic": ["1"] * 4, "document": list("abcd"), "score": [1, 2, 3, 4]})
    path = tmp_path / f"mine.{form}"
    write = {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path)}
    write.get(form, lambda: frame.to_json(path, orient="records", lines=True))()
    table = frame if form == "frame" else path
    with pytest.warns(pw.PoolwiseWarning, match="scores count up from 0 or 1 within topics"):
        assert [*pw.read({"1": {"a": 1}}, table).score("RR").to_dict().values()] == [{"RR": 0.25}]
    assert [*pw.read({"1": {"a": 1}}, table, columns={"rank": "score"}).score("RR").to_dict().values()] == [{"RR": 1.0}]


def test_lines_of_json_without_known_names_say_which_there_are(tmp_path):
    rows = [{"query_id": "1", "product_id": document, "score": 1.0} for document in "ab"]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(InputError, match=r"run.jsonl:1: no column called .*found query_id, product_id, score"):
        pw.read({"1": {"a": 1}}, path)
    assert pw.read({"1": {"a": 1}}, path, columns={"document": "product_id"}).score("R@2").means()[0, 0] == 1.0
