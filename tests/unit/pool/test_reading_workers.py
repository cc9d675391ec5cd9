"""Run files read by the workers of an executor: the same pool."""

from __future__ import annotations

import gzip
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import poolwise as pw
from poolwise.errors import InputError
from poolwise.lab.simulate.drawing import simulate

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning", "ignore:.*fork:DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("campaign")
    simulate(runs=9, topics=6, depth=40, seed=4).write(path)
    first = next((path / "runs").iterdir())
    lines = first.read_text().splitlines(True)
    (path / "runs" / "scattered.txt.gz").write_bytes(gzip.compress("".join(lines[1::2] + lines[::2]).encode()))
    return path


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("documents", ["all", "judged"])
@pytest.mark.parametrize("depth", [None, 10])
def test_same_pool(folder, kind, documents, depth):
    options = {"documents": documents, "depth": depth}
    topic = (folder / "qrels.txt").read_text().split()[0]
    table = {"table": {topic: {"a": 1.0, "b": 0.5}}}
    paths = [folder / "qrels.txt", folder / "runs", *([table] if documents == "all" else [])]
    here = pw.read(*paths, **options)
    make = ThreadPoolExecutor(2) if kind == "threads" else ProcessPoolExecutor(2, mp_context=get_context("fork"))
    with make as executor:
        there = pw.read(*paths, executor=executor, **options)
    assert (there.runs, there.topics, there.warnings) == (here.runs, here.topics, here.warnings)
    assert there.core.run_counts() == here.core.run_counts()
    for topic in here.topics:
        assert there.documents(topic) == here.documents(topic)
        for run in here.runs:
            assert there.ranking(run, topic) == here.ranking(run, topic)
    measures = ("AP", "nDCG@10", "bpref", "NumRet")
    assert list(there.score(*measures).rows()) == list(here.score(*measures).rows())


def test_faults_name_the_file_as_given(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.txt").write_text("1 Q0 a 1 x y\n")
    with ThreadPoolExecutor(2) as executor, pytest.raises(InputError, match=r"^bad\.txt:1: score 'x' is not a number"):
        pw.read(folder / "qrels.txt", "bad.txt", folder / "runs", executor=executor)


def test_runs_without_judgments_are_read_here(folder):
    with ThreadPoolExecutor(2) as executor:
        pool = pw.read(None, folder / "runs", executor=executor)
    assert pool.topics == pw.read(None, folder / "runs").topics
