"""Scores are the same to the last bit for any number of threads, order of the input, and kind of input."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.kit import zst

import poolwise as pw
from poolwise.pool.judgments import OUTSIDE, POOLED

MEASURES = (
    "AP", "AP'", "nDCG", "nDCG'@3", "nDCG(gain='exp', negative='minmax')", "Q", "ERR", "RBP", "RBPres", "P@2",
    "Judged@3", "bpref", "bpref_N", "rpref_N", "infAP", "RR", "NumRet", "NumRelRet",
)  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@dataclass(frozen=True)
class Data:
    """Rows of judgments (topic, document, label) and of each run (topic, document, score), in some order."""

    judgments: tuple[tuple[str, str, int], ...]
    runs: tuple[tuple[str, tuple[tuple[str, str, float], ...]], ...]


def bits(pool: pw.Campaign, threads: int = 1) -> dict[tuple[str, str, str], str]:
    """Every score, by run, measure and topic, with all its digits; and each mean, and each topic's documents."""
    scores = pool.score(*MEASURES, threads=threads)
    found = {(run, measure, topic): value.hex() for run, measure, topic, value in scores.rows()}
    found.update({("", "documents", topic): " ".join(pool.documents(topic)) for topic in pool.topics})
    found.update({(run, "ranking", t): " ".join(pool.ranking(run, t)) for run in pool.runs for t in pool.topics})
    return found


# ---- The same data as files, tables, in another order --------------------------------------------------------------


def label_lines(data: Data) -> bytes:
    return "".join(f"{topic} 0 {document} {label}\n" for topic, document, label in data.judgments).encode()


def run_lines(rows: tuple[tuple[str, str, float], ...]) -> bytes:
    return "".join(f"{topic} Q0 {document} 1 {score!r} x\n" for topic, document, score in rows).encode()


def from_files(data: Data, change: Callable[[bytes], bytes] = bytes, threads: int = 1, **options: Any) -> pw.Campaign:
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder, "qrels")
        qrels.write_bytes(change(label_lines(data)))
        paths = [Path(folder, f"{name}.txt") for name, _ in data.runs]
        for path, (_, rows) in zip(paths, data.runs, strict=True):
            path.write_bytes(change(run_lines(rows)))
        return to_the_end(pw.read(qrels, *paths, threads=threads, **options))


def to_the_end(pool: pw.Campaign) -> pw.Campaign:
    """The pool with all documents, so that the files may go; it scores as before."""
    listed_only = pool.score(*MEASURES).to_csv(per_topic=True)
    assert pool.whole.keeps_all
    assert pool.score(*MEASURES).to_csv(per_topic=True) == listed_only
    return pool


def from_pipes(data: Data) -> pw.Campaign:
    with tempfile.TemporaryDirectory() as folder:
        paths = {Path(folder, name): run_lines(rows) for name, rows in data.runs}
        for path in paths:
            os.mkfifo(path)
        writers = [threading.Thread(target=path.write_bytes, args=(text,)) for path, text in paths.items()]
        for writer in writers:
            writer.start()
        pool = pw.read(list(data.judgments), *paths, threads=1)
        for writer in writers:
            writer.join()
        return pool


def from_dicts(data: Data) -> pw.Campaign:
    def nested(rows: Any) -> dict[str, dict[str, Any]]:
        table: dict[str, dict[str, Any]] = {}
        for topic, document, value in rows:
            table.setdefault(topic, {})[document] = value
        return table

    return pw.read(nested(data.judgments), {name: nested(rows) for name, rows in data.runs})


def columns_of(rows: Any, value: str) -> dict[str, list[Any]]:
    topics, documents, values = zip(*rows, strict=True)
    return {"topic": list(topics), "document": list(documents), value: list(values)}


def from_frames(data: Data, make: Callable[[dict[str, list[Any]]], Any]) -> pw.Campaign:
    runs = {name: make(columns_of(rows, "score")) for name, rows in data.runs}
    return pw.read(make(columns_of(data.judgments, "label")), runs)


def from_one_frame(data: Data) -> pw.Campaign:
    rows = [(*row, name) for name, run in data.runs for row in run]
    frame = pandas.DataFrame(rows, columns=["topic", "document", "score", "run"])
    return pw.read(list(data.judgments), frame)


def from_parquet(data: Data) -> pw.Campaign:
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder, "qrels.parquet")
        pyarrow.parquet.write_table(pyarrow.table(columns_of(data.judgments, "label")), qrels)
        paths = {}
        for name, rows in data.runs:
            paths[name] = Path(folder, name)
            pyarrow.parquet.write_table(pyarrow.table(columns_of(rows, "score")), paths[name])
        return to_the_end(pw.read(qrels, paths))


def shuffled(data: Data, seed: int) -> Data:
    source = random.Random(seed)

    def mixed(rows: Any) -> Any:
        return tuple(source.sample(rows, len(rows)))

    return Data(mixed(data.judgments), tuple((name, mixed(rows)) for name, rows in mixed(data.runs)))


KINDS: dict[str, Callable[[Data], pw.Campaign]] = {
    "two threads": lambda data: from_files(data, threads=2),
    "gz": lambda data: from_files(data, gzip.compress),
    "xz": lambda data: from_files(data, lambda text: lzma.compress(text, preset=0), threads=2),
    "bz2": lambda data: from_files(data, bz2.compress),
    "zst": lambda data: from_files(data, zst.compress, threads=2),
    "CRLF and tabs": lambda data: from_files(data, lambda text: text.replace(b"\n", b"\r\n").replace(b" ", b"\t")),
    "byte order mark, no last newline": lambda data: from_files(data, lambda text: b"\xef\xbb\xbf" + text.rstrip()),
    "pipes": from_pipes,
    "dicts": from_dicts,
    "rows": lambda data: pw.read(list(data.judgments), {name: list(rows) for name, rows in data.runs}),
    "pandas": lambda data: from_frames(data, pandas.DataFrame),
    "polars": lambda data: from_frames(data, polars.DataFrame),
    "pyarrow": lambda data: from_frames(data, pyarrow.table),
    "one frame": from_one_frame,
    "Parquet": from_parquet,
}


# ---- Data --------------------------------------------------------------------------------------------------------

names = st.sampled_from(["a", "b", "B", "d1", "d2", "d10", "é", "FT911-3", "x" * 40, "0", "00"])
topics = st.sampled_from(["1", "2", "10", "01", "q"])
scores = st.one_of(st.integers(-2, 2).map(float), st.floats(allow_nan=False), st.sampled_from([0.1, 0.1 + 1e-17, -0.0]))


@st.composite
def campaigns(draw: st.DrawFn) -> Data:
    keys = st.lists(st.tuples(topics, names), min_size=1, max_size=20, unique=True)
    judgments = tuple((topic, document, draw(st.integers(-2, 3))) for topic, document in draw(keys))
    runs = []
    for name in draw(st.lists(st.sampled_from("pqr"), min_size=1, max_size=3, unique=True)):
        # At least one topic is in common.
        first = (judgments[0][0], draw(names), draw(scores))
        rows = [(topic, document, draw(scores)) for topic, document in draw(keys) if (topic, document) != first[:2]]
        runs.append((name, (first, *rows)))
    return Data(judgments, tuple(runs))


# ---- Laws --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(campaigns(), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_kind_of_input_and_order_gives_the_same_bits(data: Data, seed: int) -> None:
    expected = bits(from_files(data))
    for number, (kind, read) in enumerate(KINDS.items()):
        for order in (data, shuffled(data, seed + number)):
            assert bits(read(order), threads=1 + number % 2) == expected, kind


@given(campaigns(), st.integers(1, 3), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_cut_does_not_depend_on_the_order_of_lines(data: Data, depth: int, seed: int) -> None:
    expected = bits(from_files(data, depth=depth))
    assert bits(from_files(shuffled(data, seed), depth=depth, threads=2)) == expected
    assert bits(from_dicts(data)) == bits(from_files(data))
    assert bits(from_files(data, depth=depth, documents="all")) == expected


@pytest.fixture(scope="module")
def large() -> Data:
    """Enough for threads to meet: 12 runs, 30 topics, 150 documents each of a shared 400, many ties."""
    source = random.Random(7)
    judgments = [(str(t), f"d{d}", source.choice((-2, -1, 0, 0, 1, 2))) for t in range(30) for d in range(0, 400, 5)]
    runs = []
    for r in range(12):
        rows = [
            (str(t), f"d{d}", float(source.randrange(40))) for t in range(30) for d in source.sample(range(400), 150)
        ]
        runs.append((f"run{r}", tuple(rows)))
    return Data(tuple(judgments), tuple(runs))


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("documents", ["all", "judged"])
def test_threads_do_not_matter(large: Data, threads: int, documents: str) -> None:
    one = bits(from_files(large, documents=documents))
    for order in (large, shuffled(large, threads), replace(large, runs=large.runs[::-1])):
        assert bits(from_files(order, threads=threads, documents=documents), threads=threads) == one


def test_threads_do_not_matter_to_samples(large: Data) -> None:
    pool = from_files(large, threads=2)
    source = random.Random(3)
    labels = [pool.judgments.labels.copy() for _ in range(5)]
    for sample in labels:
        for at in source.sample(range(len(sample)), len(sample) // 2):
            sample[at] = source.choice((POOLED, OUTSIDE))
    sets = [pw.Judgments(pool, sample) for sample in labels]
    one, two = (pool.score(*MEASURES, judgments=sets, threads=threads) for threads in (1, 2))
    for measure in one.measures:
        assert one.array(measure).tobytes() == two.array(measure).tobytes()
    alone = pool.score(*MEASURES, judgments=sets[3], threads=2)
    assert all(alone.array(m).tobytes() == one.array(m)[3].tobytes() for m in one.measures)
