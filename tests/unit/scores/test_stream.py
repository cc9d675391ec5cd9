"""Scoring some topics at a time: the same bits as in memory, whatever the pieces, kinds of files and orders."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from contextlib import contextmanager
from random import Random
from threading import Thread

import pyarrow
import pyarrow.parquet
import pytest

import poolwise as pw
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.simulate.drawing import simulate
from poolwise.reading import topic_ranges as topics
from poolwise.reading.files import NotGrouped
from poolwise.scores.stream import score_stream

MEASURES = ("AP", "nDCG@10", "ERR@20", "bpref", "NumRel", "NumRet", "nDCG'", "P@5", "Judged@10", "infAP", "GMbpref")

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign of four runs whose topics ascend as numbers; one run lacks topics, one has a strange one."""
    made = simulate(runs=4, topics=30, depth=40, seed=5)
    path = tmp_path_factory.mktemp("stream")
    number = {topic: 8 + n for n, topic in enumerate(made.topics)}  # 8, 9, 10, ...: not in order byte by byte
    rows = [(number[t], d, label) for t, documents in made.qrels().items() for d, label in documents.items()]
    (path / "qrels.txt").write_text("".join(f"{t} 0 {d} {label}\n" for t, d, label in sorted(rows)))
    for n, name in enumerate(made.runs):
        run = [
            (number[topic], document, score)
            for topic, documents in made.run(name).items()
            for document, score in documents.items()
            if not (n == 1 and number[topic] % 5 == 0)
        ]
        run += [(1000, "d", 1.5)] * (n == 2)
        (path / f"{n}.txt").write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, d, s in sorted(run)))
    return path


def write_parquet(text, path, columns, kinds):
    cells = zip(*(line.split() for line in text.splitlines()), strict=True)
    chosen = dict(zip(("topic", "second", "document", *columns), cells, strict=False))
    table = {name: [kinds.get(name, str)(cell) for cell in chosen[name]] for name in kinds}
    pyarrow.parquet.write_table(pyarrow.table(table), path, row_group_size=500)


def as_kind(folder, target, kind):
    """The same files, compressed or as Parquet."""
    for path in sorted(folder.iterdir()):
        text = path.read_text()
        if kind == "gz":
            (target / f"{path.name}.gz").write_bytes(gzip.compress(text.encode()))
        elif kind == "parquet":
            runs = {"topic": str, "document": str, "score": float}
            kinds = {"topic": int, "document": str, "label": int} if path.stem == "qrels" else runs
            columns = ("label",) if path.stem == "qrels" else ("rank", "score")
            write_parquet(text, target / path.stem, columns, kinds)
        else:
            (target / path.name).write_text(text)
    paths = sorted(target.iterdir())
    return next(p for p in paths if p.name.startswith("qrels")), [p for p in paths if not p.name.startswith("qrels")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "gz", "parquet"])
@pytest.mark.parametrize("piece", [400, 5000, 1 << 22])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_same_bits_as_in_memory(folder, tmp_path, monkeypatch, kind, piece, missing):
    piece = max(piece, 3000) if kind == "parquet" else piece  # a row counts as 64 bytes
    monkeypatch.setattr(topics, "RANGE", piece)
    monkeypatch.setattr(topics, "ORDERED", piece)
    monkeypatch.setattr(topics, "SMALLEST", piece // 5)
    qrels, runs = as_kind(folder, tmp_path, kind)
    whole = pw.read(qrels, *runs)
    expected = whole.score(*MEASURES, missing=missing)
    got = score_stream(qrels, *runs, measures=MEASURES, missing=missing, per_topic=True, threads=2)
    assert list(got.rows(True)) == list(expected.rows())
    assert list(got.rows()) == list(expected.rows(False))
    assert got.warnings == (*whole.warnings, *expected.warnings)
    assert score_stream(qrels, *runs, measures=["AP"], missing=missing).to_dict() == {
        run: {"AP": means["AP"]} for run, means in expected.to_dict().items()
    }


def test_one_piece_ends_within_each_line(folder, monkeypatch):
    monkeypatch.setattr(topics, "RANGE", 7)
    monkeypatch.setattr(topics, "ORDERED", 7)
    monkeypatch.setattr(topics, "SMALLEST", 7)
    expected = pw.read(folder / "qrels.txt", folder / "0.txt").score("AP")
    got = score_stream(folder / "qrels.txt", folder / "0.txt", measures=["AP"])
    assert list(got.rows()) == list(expected.rows(False))


@pytest.mark.parametrize("kind", ["text", "gz", "parquet"])
def test_topics_may_stand_in_any_order(folder, tmp_path, monkeypatch, kind):
    """Rows of all topics in a random order; a comment and a blank line among them."""
    monkeypatch.setattr(topics, "RANGE", 20_000)
    monkeypatch.setattr(topics, "ORDERED", 10_000)
    monkeypatch.setattr(topics, "SMALLEST", 1000)
    (tmp_path / "mixed").mkdir()
    (tmp_path / "files").mkdir()
    for path in sorted(folder.iterdir()):
        lines = path.read_text().splitlines(True)
        Random(path.name).shuffle(lines)
        (tmp_path / "mixed" / path.name).write_text("".join(lines))
    qrels, runs = as_kind(tmp_path / "mixed", tmp_path / "files", kind)
    expected = pw.read(folder / "qrels.txt", *(folder / f"{n}.txt" for n in range(4))).score(*MEASURES)
    got = score_stream(qrels, *runs, measures=MEASURES, per_topic=True)
    assert list(got.rows(True)) == list(expected.rows())


def test_judgments_with_strata_are_refused(folder, tmp_path):
    (tmp_path / "strata.txt").write_text("8 0 a 1 1\n9 0 a 1 1\n")
    with pytest.raises(NotGrouped, match="strata"):
        score_stream(tmp_path / "strata.txt", folder / "0.txt", measures=["AP"])


def test_faults_name_file_and_line(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(topics, "RANGE", 100)
    monkeypatch.setattr(topics, "ORDERED", 100)
    monkeypatch.setattr(topics, "SMALLEST", 100)
    lines = (folder / "0.txt").read_text().splitlines(True)
    lines[700] = lines[700].replace(lines[700].split()[4], "n/a")
    (tmp_path / "bad.txt").write_text("".join(lines))
    with pytest.raises(InputError, match=r"bad\.txt:701: score 'n/a' is not a number"):
        score_stream(folder / "qrels.txt", tmp_path / "bad.txt", measures=["AP"])
    with pytest.raises(InputError, match=r"bad\.txt:701: score 'n/a' is not a number"):
        pw.read(folder / "qrels.txt", tmp_path / "bad.txt")
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(InputError, match=r"empty\.txt: the run is empty"):
        score_stream(folder / "qrels.txt", tmp_path / "empty.txt", measures=["AP"])
    with pytest.raises(InputError, match=r"empty\.txt: no judgments found"):
        score_stream(tmp_path / "empty.txt", folder / "0.txt", measures=["AP"])
    with pytest.raises(ArgumentError, match="only files"):
        score_stream({"1": {"a": 1}}, folder / "0.txt", measures=["AP"])


def test_faults_of_tables_name_the_row(folder, tmp_path):
    table = pyarrow.table({"topic": [8, 8, 9], "document": ["a", "b", "a"], "score": [2.0, 1.0, None]})
    pyarrow.parquet.write_table(table, tmp_path / "run.parquet")
    with pytest.raises(InputError, match="row 3 has no score"):
        score_stream(folder / "qrels.txt", tmp_path / "run.parquet", measures=["AP"])
    table = pyarrow.table({"topic": [8, 8], "document": ["a", "a"], "score": [2.0, 1.0]})
    pyarrow.parquet.write_table(table, tmp_path / "run.parquet")
    with pytest.raises(InputError, match=r"run\.parquet: row 2: document 'a' of topic '8' is listed twice"):
        score_stream(folder / "qrels.txt", tmp_path / "run.parquet", measures=["AP"])


@contextmanager
def pipe_of(data, path):
    """A named pipe into which the bytes are written, once."""
    os.mkfifo(path)
    writer = Thread(target=lambda: path.write_bytes(data), daemon=True)
    writer.start()
    yield path
    writer.join(10)


@pytest.mark.parametrize("kind", ["text", "gz", "parquet"])
def test_pipes_lose_nothing(folder, tmp_path, kind):
    """Every file is opened once: what was read to know its kind would be gone from a pipe."""
    (tmp_path / "files").mkdir()
    qrels, (run, *_) = as_kind(folder, tmp_path / "files", kind)
    expected = score_stream(qrels, run, measures=["AP", "NumRet"], per_topic=True)
    assert expected.mean_rows()[1] == len((folder / "0.txt").read_text().splitlines())
    with pipe_of(qrels.read_bytes(), tmp_path / "q") as labels, pipe_of(run.read_bytes(), tmp_path / run.stem) as lists:
        got = score_stream(labels, {run.name: lists}, measures=["AP", "NumRet"], per_topic=True)
    assert [row[1:] for row in got.rows(True)] == [row[1:] for row in expected.rows(True)]


def test_the_highest_label_of_a_pipe(folder, tmp_path):
    expected = score_stream(folder / "qrels.txt", folder / "0.txt", measures=["ERR@20"])
    with pipe_of((folder / "qrels.txt").read_bytes(), tmp_path / "q") as labels:
        got = score_stream(labels, folder / "0.txt", measures=["ERR@20"])
    assert got.to_dict() == expected.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("labels", [False, True])
def test_a_line_without_end_is_refused_before_it_fills_memory(folder, tmp_path, labels):
    """A megabyte of gzip may hold a gigabyte without a line break; reading stops as it does in memory."""
    good = (folder / ("qrels.txt" if labels else "0.txt")).read_bytes()
    with gzip.open(tmp_path / "long.gz", "wb", compresslevel=1) as file:
        file.write(good)
        for _ in range(400):
            file.write(b"a" * (1 << 20))
    paths = (tmp_path / "long.gz", folder / "0.txt") if labels else (folder / "qrels.txt", tmp_path / "long.gz")
    place = rf"long\.gz:{good.count(10) + 1}: line longer than 1 MB found"
    tracemalloc.start()
    with pytest.raises(InputError, match=place):
        score_stream(*paths, measures=["AP"], threads=1)
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()
    with pytest.raises(InputError, match=place):
        pw.read(*paths)


def test_ties_in_any_order(folder, tmp_path):
    """Means over orders are those in memory, drawn ones too; ranges are refused."""
    for path in folder.iterdir():
        lines = [line.split() for line in path.read_text().splitlines()]
        if path.name != "qrels.txt":
            for line in lines:
                line[4] = str(round(float(line[4])))
        (tmp_path / path.name).write_text("".join(" ".join(line) + "\n" for line in lines))
    wanted = ("AP", "P@5", "RR", "Q")
    files = (tmp_path / "qrels.txt", *(tmp_path / f"{number}.txt" for number in range(4)))
    streamed = score_stream(*files, measures=wanted, ties="expected")
    whole = pw.read(*files).score(*wanted, ties="expected")
    assert streamed.to_dict() == whole.to_dict()
    assert streamed.to_dict() != score_stream(*files, measures=wanted).to_dict()
    with pytest.raises(ArgumentError, match="ties='range' is unknown; choose one of id, expected"):
        score_stream(*files, measures=wanted, ties="range")
