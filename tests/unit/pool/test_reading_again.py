"""Runs are read for the documents that judgments list, and again when all others are needed: nothing else differs."""

from __future__ import annotations

import gzip
import os
import pickle
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.pool import joining

NEVER_NEEDED = (
    lambda pool: pool.score("AP", "nDCG@10", "bpref", "infAP", "Judged@10").to_dict(),
    lambda pool: pool.score("AP", "nDCG@10", interval="bounds").to_dict(),
    lambda pool: pool.score("AP", interval="topics", seed=1).to_dict(),
    lambda pool: pool.score("nDCG@10", ties="range").to_dict(),
    lambda pool: pool.score("AP", "P@5", ties="expected").to_dict(),
    lambda pool: pool.judgments.sample("stratified", fraction=0.3, seed=2).to_text(),
    lambda pool: pool.judgments.to_text(),
    lambda pool: [pool.judgments.of(topic) for topic in pool.topics],
    lambda pool: pool.label_matrix(12).tolist(),
    lambda pool: pool.best_ranks().tolist(),
    lambda pool: [part.tolist() for part in pool.label_counts()],
    lambda pool: (pool.runs, pool.topics, pool.left_out, pool.warnings, pool.run_counts(), repr(pool)),
)
NEEDED = (
    lambda pool: {topic: pool.documents(topic) for topic in pool.topics},
    lambda pool: [pool.ranking(run, topic) for run in pool.runs for topic in pool.topics],
    lambda pool: pool.plan(budget=40, depth=20, seed=3).to_text(),
    lambda pool: pool.plan(target_width=0.3, measure="AP", seed=3).to_text(),
    lambda pool: rows(pool.holes("P@10", draws=40, seed=1)),
    lambda pool: rows(pool.estimate("AP", "nDCG@10", difference="all", judgments=sampled(pool), seed=1)),
    lambda pool: rows(pool.estimate("RR", judgments=sampled(pool), seed=1)),
    lambda pool: rows(pool.compare("P@10")),
    lambda pool: rows(pool.compare("AP", test="judgments", judgments=sampled(pool), seed=1)),
    lambda pool: rows(pw.audit(pool)),
    lambda pool: pickle.dumps(pool.whole),
)


def sampled(pool: pw.Campaign) -> pw.Judgments:
    return pool.judgments.sample("uniform", fraction=0.4, seed=5)


def rows(result: Any) -> list[Any]:
    """Every number and word of a result."""
    return [str(result), result.to_csv() if hasattr(result, "to_csv") else vars(result)]


def asked(pool: pw.Campaign, question: Callable[[pw.Campaign], Any]) -> tuple[Any, list[str]]:
    """An answer, and what was warned of meanwhile."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = question(pool)
        except pw.PoolwiseError as error:
            answer = repr(error)
    return answer, [str(each.message) for each in caught]


def written(folder: Path, seed: int) -> Path:
    """A campaign whose runs retrieve many documents that nobody judged, one of them compressed, one out of order."""
    simulate(runs=5, topics=6, depth=40, pool_depth=8, seed=seed).write(folder)
    first, second, *_ = sorted((folder / "runs").iterdir())
    lines = first.read_text().splitlines(True)
    first.write_text("".join(lines[1::2] + lines[::2]))
    (folder / "runs" / f"{second.name}.gz").write_bytes(gzip.compress(second.read_bytes()))
    second.unlink()
    return folder


def read(folder: Path, **options: Any) -> pw.Campaign:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pw.read(folder / "qrels.txt", folder / "runs", **options)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("depth", [None, 15])
def test_every_verb_gives_the_same_however_runs_were_read(tmp_path, seed, depth):
    folder = written(tmp_path, seed)
    for question in (*NEVER_NEEDED, *NEEDED):
        expected = asked(read(folder, documents="all", depth=depth), question)
        for options in ({}, {"documents": "judged"}, {"threads": 2}):
            assert asked(read(folder, depth=depth, **options), question) == expected


def test_what_needs_no_other_documents_reads_once(tmp_path):
    pool = read(written(tmp_path, 1))
    for question in NEVER_NEEDED:
        asked(pool, question)
        assert not pool.keeps_all
    for question in NEEDED[:2]:
        fresh = read(tmp_path)
        asked(fresh, question)
        assert fresh.keeps_all


def test_samples_and_scores_from_before_go_on_after(tmp_path):
    pool = read(written(tmp_path, 2))
    sample, before = sampled(pool), pool.score("AP", "nDCG@10").to_dict()
    listed = [pool.judgments.of(topic) for topic in pool.topics]
    pool.documents(pool.topics[0])
    assert pool.keeps_all
    assert pool.score("AP", "nDCG@10").to_dict() == before
    assert [pool.judgments.of(topic) for topic in pool.topics] == listed
    np.testing.assert_array_equal(sample.labels, sampled(read(tmp_path, documents="all")).labels)
    with pytest.raises(pw.ArgumentError, match="judgments of this pool are needed"):
        pool.score("AP", judgments=sampled(read(tmp_path)))


# ---- What changes between two readings -----------------------------------------------------------------------------


def replaced(path: Path) -> None:
    """Another document where the judgments list one, with the size and the time of before."""
    state = path.stat()
    lines = path.read_text().splitlines(True)
    words = lines[0].split(" ")
    lines[0] = " ".join([*words[:2], words[2][::-1], *words[3:]])
    path.write_text("".join(lines))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


CHANGES = {
    "longer": lambda path: path.write_text(path.read_text() + "1 Q0 new 99 0.001 x\n"),
    "touched": lambda path: os.utime(path, ns=(1, 1)),
    "another file": lambda path: (path.with_suffix(".new").write_bytes(path.read_bytes()), move(path)),
    "same size and time": replaced,
}


def move(path: Path) -> None:
    state = path.stat()
    os.utime(path.with_suffix(".new"), ns=(state.st_atime_ns, state.st_mtime_ns))
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_is_named(tmp_path, change):
    pool = read(written(tmp_path, 3))
    path = sorted((tmp_path / "runs").glob("*.txt"))[-1]
    scores = pool.score("AP").to_dict()
    CHANGES[change](path)
    message = f"^{path}: has changed since it was read, and documents .* are needed now; read judgments and runs anew$"
    for question in (lambda: pool.documents(pool.topics[0]), lambda: pool.plan(budget=20), lambda: pool.whole):
        with pytest.raises(pw.InputError, match=message):
            question()
    assert pool.score("AP").to_dict() == scores  # what was read is there still


def test_a_file_that_is_gone_may_come_back(tmp_path, monkeypatch):
    monkeypatch.chdir(written(tmp_path, 4))
    pool = pw.read("qrels.txt", "runs")
    expected = pw.read("qrels.txt", "runs", documents="all").documents(pool.topics[0])
    path = sorted(Path("runs").glob("*.txt"))[0]
    path.rename("elsewhere.txt")
    with pytest.raises(pw.InputError, match=f"^{path}: cannot be read again .*; put the file back, or read judgments"):
        pool.documents(pool.topics[0])
    Path("elsewhere.txt").rename(path)
    monkeypatch.chdir("/")  # names are those of the first reading
    assert pool.documents(pool.topics[0]) == expected


def test_judgments_may_change_as_they_are_read_once(tmp_path):
    pool = read(written(tmp_path, 4))
    expected = read(tmp_path, documents="all")
    (tmp_path / "qrels.txt").unlink()
    assert pool.plan(budget=30, seed=1).to_text() == expected.plan(budget=30, seed=1).to_text()


# ---- What cannot be read twice -------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX's")
def test_a_pipe_is_kept_whole(tmp_path):
    folder = written(tmp_path, 5)
    expected = read(folder, documents="all")
    path = sorted((folder / "runs").glob("*.txt"))[-1]
    text = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(text,))
    writer.start()
    pool = pw.read(folder / "qrels.txt", *sorted((folder / "runs").iterdir()))
    writer.join()
    assert pool.keeps_all
    for topic in pool.topics:
        assert pool.documents(topic) == expected.documents(topic)
        assert pool.ranking(path.stem, topic) == expected.ranking(path.stem, topic)


def test_tables_are_kept_whole(tmp_path):
    labels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "x": 1.0}}
    lines = (row for row in [("1", "a", 2.0), ("1", "x", 1.0)])
    for given in (run, {"mine": run}, [("1", "a", 2.0), ("1", "x", 1.0)], list(lines)):
        assert pw.read(labels, given, documents="judged").documents("1") == ["a", "b", "x"]
    (tmp_path / "run.txt").write_text("1 Q0 y 1 2.0 r\n1 Q0 a 2 1.0 r\n")
    pool = pw.read(labels, {"file": tmp_path / "run.txt", "mine": run})
    (tmp_path / "run.txt").unlink()
    run["1"]["z"] = 0.5
    assert pool.documents("1") == ["a", "b", "x", "y"]


def test_runs_without_judgments_are_kept_whole(tmp_path):
    folder = written(tmp_path, 6)
    pool = pw.read(None, folder / "runs", documents="judged")
    assert pool.keeps_all
    assert pool.documents(pool.topics[0]) == pw.read(None, folder / "runs").documents(pool.topics[0])


# ---- Together --------------------------------------------------------------------------------------------------------


def test_threads_at_once_read_once_more(tmp_path, monkeypatch):
    pool = read(written(tmp_path, 7))
    readings = []
    monkeypatch.setattr(joining, "read_runs", lambda *given, read=joining.read_runs: readings.append(1) or read(*given))
    together = threading.Barrier(8)

    def ask(number: int) -> tuple[list[str], dict[str, Any]]:
        together.wait()
        topic = pool.topics[number % len(pool.topics)]
        return pool.documents(topic), pool.score("AP", threads=1).to_dict()

    with ThreadPoolExecutor(8) as executor:
        answers = list(executor.map(ask, range(8)))
    whole = read(tmp_path, documents="all")
    assert len(readings) == 2  # this pool's and the last line's
    for number, (documents, scores) in enumerate(answers):
        assert documents == whole.documents(whole.topics[number % len(whole.topics)])
        assert scores == whole.score("AP").to_dict()


def test_bad_runs_stay_left_out(tmp_path):
    folder = written(tmp_path, 8)
    (folder / "runs" / "bad.txt").write_text("1 Q0 a 1 x y\n")
    first, all_of_them = (read(folder, bad_runs="skip", documents=documents) for documents in ("judged", "all"))
    (folder / "runs" / "bad.txt").unlink()
    assert first.documents(first.topics[1]) == all_of_them.documents(all_of_them.topics[1])
    assert (first.runs, first.left_out) == (all_of_them.runs, all_of_them.left_out)
    assert list(first.left_out) == ["bad"]


def test_a_pool_that_goes_elsewhere_takes_everything_along(tmp_path):
    pool = read(written(tmp_path, 9))
    packed = pickle.dumps(pool)
    expected = [pool.documents(topic) for topic in pool.topics]
    for path in (tmp_path / "runs").iterdir():
        path.unlink()
    copy = pickle.loads(packed)
    assert [copy.documents(topic) for topic in copy.topics] == expected


def test_a_pool_whose_files_are_gone_takes_along_what_it_has(tmp_path):
    pool = read(written(tmp_path, 9))
    scores = pool.score("AP").to_dict()
    path = sorted((tmp_path / "runs").iterdir())[0]
    path.unlink()
    copy = pickle.loads(pickle.dumps(pool))
    assert copy.score("AP").to_dict() == scores
    with pytest.raises(pw.InputError, match=f"^{path}: cannot be read again"):
        copy.documents(copy.topics[0])


def test_the_core_refuses_to_look_at_documents_that_it_lacks(tmp_path):
    core = read(written(tmp_path, 9)).core
    calls: tuple[Callable[[], Any], ...] = (
        lambda: core.document_names(0),
        lambda: core.all_documents(0, 0),
        core.document_offsets,
        lambda: core.best_ranks_of_all([0]),
        lambda: core.random_numbers(1, 0),
        lambda: core.retrieving_runs(0, 5),
    )
    for call in calls:
        with pytest.raises(RuntimeError, match="documents that it does not keep"):
            call()
