"""Logs in partitions: the scores of topics are those in memory, means are exact, nothing counts twice."""

from __future__ import annotations

import random
import re
from concurrent.futures import ProcessPoolExecutor
from math import fsum
from multiprocessing import get_context

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import poolwise as pw
from poolwise.errors import InputError
from poolwise.lab.simulate.drawing import simulate
from poolwise.reading import log_partitions as partitions
from poolwise.scores.partitioned import exact_sum, score_log

MEASURES = ("AP", "nDCG@10", "ERR@20", "NumRel", "P@5", "bpref", "GMAP")
PARTS = 4

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning", "ignore:.*fork:DeprecationWarning")


@pytest.fixture(scope="module")
def rows():
    """Rows of topic, document, score, run, label of three runs; the third lacks some topics."""
    made = simulate(runs=3, topics=40, depth=30, seed=8)
    qrels = made.qrels()
    return [
        {
            "topic": topic, "document": document, "score": score, "run": f"run {n}",
            "label": qrels[topic].get(document),
        }
        for topic in made.topics
        for n, name in enumerate(made.runs)
        for document, score in made.run(name).get(topic, {}).items()
        if not (n == 2 and (int(topic) % 3 == 0 or int(topic) % PARTS == 1))
    ]  # fmt: skip


@pytest.fixture(scope="module")
def expected(rows):
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        if row["label"] is not None:
            qrels.setdefault(row["topic"], {})[row["document"]] = row["label"]
        runs.setdefault(row["run"], {}).setdefault(row["topic"], {})[row["document"]] = row["score"]
    return pw.read(qrels, runs)


def part_of(row):
    return int(row["topic"]) % PARTS


def write(folder, rows, by=part_of, drop=(), **columns):
    folder.mkdir(exist_ok=True)
    for part in range(PARTS):
        some = [row for row in rows if by(row) == part]
        names = [name for name in rows[0] if name not in drop]
        table = {name: [row[name] for row in some] for name in names}
        table |= {name: [make(row) for row in some] for name, make in columns.items()}
        pyarrow.parquet.write_table(pyarrow.table(table), folder / f"{part}.parquet", row_group_size=300)
    return folder


def exact_means(scores):
    table = {}
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            values = scores.array(measure)[r].tolist()
            aggregate = scores.aggregates[m]
            table[run, measure] = aggregate.finish(fsum(map(aggregate.term, values)), len(values))
    return table


def means(found):
    return {(run, measure): value for run, measure, _, value in found.rows()}


@pytest.mark.parametrize("size", [200, 1 << 18])
def test_means_are_exact_and_topics_as_in_memory(rows, expected, tmp_path, monkeypatch, size):
    monkeypatch.setattr(partitions, "ROWS", size)
    found = score_log(write(tmp_path / "log", rows), measures=MEASURES, per_topic=tmp_path / "out")
    scores = expected.score(*MEASURES)
    assert means(found) == exact_means(scores)
    table = pyarrow.dataset.dataset(tmp_path / "out").to_table().to_pylist()
    got = {(row["run"], row["measure"], row["topic"]): row["value"] for row in table}
    lists = {(row["run"], row["topic"]) for row in rows}
    assert got == {row[:3]: row[3] for row in scores.rows() if (row[0], row[2]) in lists}
    assert len(table) == len(got)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"part-0000{n}.parquet" for n in range(PARTS)]
    assert any("; run 2 lacks 101, 102, 105, ...)" in note for note in scores.warnings)  # a log counts these only
    assert sorted(found.warnings) == sorted(re.sub("; run 2 lacks [^)]*", "", note) for note in scores.warnings)


def test_samples_and_unequal_lists_are_noted_as_in_memory(rows, tmp_path):
    """One run lists a third of the others; every second label is taken away."""
    best = {}
    for row in rows:
        best.setdefault((row["run"], row["topic"]), []).append(-row["score"])
    known = {(row["topic"], row["document"]) for row in rows if row["label"] is not None}
    open_ones = set(sorted(known)[::2])
    cut = [
        {**row, "label": -1 if (row["topic"], row["document"]) in open_ones else row["label"]}
        for row in rows
        if row["run"] != "run 1" or -row["score"] in sorted(best[row["run"], row["topic"]])[:12]
    ]
    qrels, runs = {}, {}
    for row in cut:
        if row["label"] is not None:
            qrels.setdefault(row["topic"], {})[row["document"]] = row["label"]
        runs.setdefault(row["run"], {}).setdefault(row["topic"], {})[row["document"]] = row["score"]
    at_once = pw.read(qrels, runs).score("AP", "P@5")
    log = score_log(write(tmp_path / "log", cut), measures=("AP", "P@5"))
    for words in ("this is a sample", "run 1 lists 12 documents per topic, others up to 30"):
        (said,) = (note for note in log.warnings if words in note)
        assert said in at_once.warnings


def test_order_of_rows_and_partitions_does_not_matter(rows, tmp_path):
    one = score_log(write(tmp_path / "one", rows), measures=MEASURES)
    mixed = random.Random(1).sample(rows, len(rows))
    two = score_log(
        *sorted(write(tmp_path / "two", mixed, by=lambda row: int(row["topic"]) // 2 % PARTS).iterdir(), reverse=True),
        measures=MEASURES,
    )
    assert means(one) == means(two)


@pytest.mark.slow
def test_ranks_instead_of_scores_and_labels_of_their_own(rows, expected, tmp_path):
    ranks = {}
    for row in rows:
        key = row["run"], row["topic"]
        ordered = sorted((r for r in rows if (r["run"], r["topic"]) == key), key=lambda r: (r["score"], r["document"]))
        ranks |= {(*key, r["document"]): n for n, r in enumerate(reversed(ordered), 1)} if key not in ranks else {}
        ranks[key] = 0
    log = write(
        tmp_path / "log", rows, drop=("score", "label"),
        rank=lambda row: ranks[row["run"], row["topic"], row["document"]],
    )  # fmt: skip
    judged = list({(r["topic"], r["document"]): r for r in rows if r["label"] is not None}.values())
    judged.append({"topic": "999", "document": "d", "label": 1})
    table = pyarrow.table(
        {
            "query_id": [int(row["topic"]) for row in judged],
            "doc_id": [row["document"] for row in judged],
            "relevance": [row["label"] for row in judged],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "qrels.parquet")
    found = score_log(log, measures=MEASURES, qrels=tmp_path / "qrels.parquet")
    scores = expected.score(*MEASURES)
    topics = len(scores.topics)
    known, got = exact_means(scores), means(found)
    for r, run in enumerate(scores.runs):
        assert got[run, "NumRel"] == known[run, "NumRel"] + 1  # of the judged topic that no run has
        assert got[run, "AP"] == fsum(scores.array("AP")[r].tolist()) / (topics + 1)
        assert got[run, "ERR@20"] == fsum(scores.array("ERR@20")[r].tolist()) / (topics + 1)


def test_missing_topics_can_be_skipped(rows, expected, tmp_path):
    found = means(score_log(write(tmp_path / "log", rows), measures=["AP", "nDCG@10"], missing="skip"))
    scores = expected.score("AP", "nDCG@10", missing="skip")
    table = {row[:2]: row[3] for row in scores.rows(False)}
    assert found == pytest.approx(table, rel=1e-14)
    assert found != means(score_log(tmp_path / "log", measures=["AP", "nDCG@10"]))


def test_processes_write_the_same_bytes(rows, tmp_path):
    log = write(tmp_path / "log", rows)
    here = score_log(log, measures=MEASURES, per_topic=tmp_path / "here", threads=1)
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as executor:
        there = score_log(log, measures=MEASURES, per_topic=tmp_path / "there", executor=executor)
    assert list(here.rows()) == list(there.rows())
    for path in sorted((tmp_path / "here").iterdir()):
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes()


def test_a_topic_in_two_partitions_names_both(rows, tmp_path):
    strayed = rows[0]["topic"], "run 1"
    log = write(tmp_path / "log", rows, by=lambda row: (part_of(row) + ((row["topic"], row["run"]) == strayed)) % PARTS)
    with pytest.raises(InputError) as caught:
        score_log(log, measures=["AP"], per_topic=tmp_path / "out")
    part = part_of(rows[0])
    first, second = sorted([part, (part + 1) % PARTS])
    assert str(caught.value) == (
        f"topic {rows[0]['topic']!r} is in two partitions, {log}/{first}.parquet and {log}/{second}.parquet; "
        "every topic must be whole in one of them"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_lost_or_broken_partition_is_named(rows, tmp_path):
    log = write(tmp_path / "log", rows)
    data = (log / "2.parquet").read_bytes()
    (log / "2.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"2\.parquet: the Parquet file cannot be read"):
        score_log(log, measures=["AP"])
    (log / "2.parquet").unlink()
    with pytest.raises(InputError, match=r"2\.parquet: no such file"):
        score_log(*[log / f"{n}.parquet" for n in range(PARTS)], measures=["AP"])


def test_two_labels_for_a_document_are_an_error(tmp_path):
    table = {"topic": ["1", "1"], "document": ["a", "a"], "score": [1.0, 1.0], "run": ["x", "y"], "label": [0, 1]}
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "log.parquet")
    with pytest.raises(InputError, match=r"log\.parquet: row 2: document 'a' of topic '1' is judged twice"):
        score_log(tmp_path / "log.parquet", measures=["AP"])


def test_columns_that_lack_or_are_wrong(tmp_path):
    def wrong(**columns):
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "log.parquet")
        with pytest.raises(InputError) as caught:
            score_log(tmp_path / "log.parquet", measures=["AP"])
        return str(caught.value).replace(str(tmp_path), "")

    assert "no column called 'label'" in wrong(topic=["1"], document=["a"], score=[1.0])
    assert "no label found in 1 partition;" in wrong(
        topic=["1"], document=["a"], score=[1.0], label=pyarrow.array([None], pyarrow.int32())
    )
    assert "must hold whole numbers" in wrong(topic=["1"], document=["a"], score=[1.0], label=[0.5])
    assert "row 2 has no document" in wrong(topic=["1", "1"], document=["a", None], score=[2.0, 1.0], label=[1, 0])
    assert "numbers with a point" in wrong(topic=[1.5], document=["a"], score=[2.0], label=[1])
    assert "line break" in wrong(topic=["1"], document=["a\nb"], score=[2.0], label=[1])


def test_exact_sums_add_up_in_any_order():
    generator = random.Random(3)
    values = [generator.random() * 10 ** generator.randint(-12, 12) for _ in range(1000)]
    pieces = [piece for part in range(7) for piece in exact_sum(values[part::7])]
    assert fsum(pieces) == fsum(values) == fsum(exact_sum(pieces))
    assert exact_sum([]) == exact_sum([0.0, 1.0, -1.0]) == []
