"""A real Dask cluster on loopback: the same bytes as without it, also when one of its two workers is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from poolwise.basics.dask_workers import UNWATCHED

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed", reason="not installed; it comes with the extra 'cluster'")

PARTS = 40
# Nobody sees the dashboard here either.
QUIET = {f"DASK_{name.upper().replace('.', '__').replace('-', '_')}": str(value) for name, value in UNWATCHED.items()}


class Cluster:
    """Processes of a scheduler and its workers."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes = [self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
        self.workers = [self.add_worker() for _ in range(2)]

    def wait(self):
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)

    def start(self, what, *options):
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *options]
        with open(self.folder / "cluster.log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=os.environ | QUIET)

    def add_worker(self):
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.processes.append(self.start("worker", *options))
        return self.processes[-1]

    @property
    def address(self):
        end = time.monotonic() + 120
        while not (self.file.exists() and self.file.read_text().endswith("}")) and time.monotonic() < end:
            time.sleep(0.05)  # it is there before it is written
        return json.loads(self.file.read_text())["address"]

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        found.wait()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A campaign as text, and the same as a log in partitions."""
    import pyarrow
    import pyarrow.parquet

    from poolwise.lab.simulate.drawing import simulate

    folder = tmp_path_factory.mktemp("campaign")
    made = simulate(runs=6, topics=2 * PARTS, depth=100, seed=6)
    made.write(folder)
    (folder / "log").mkdir()
    qrels, runs = made.qrels(), {name: made.run(name) for name in made.runs}
    for part in range(PARTS):
        rows = [
            (topic, document, score, name, qrels[topic].get(document))
            for topic in made.topics[part::PARTS]
            for name, run in runs.items()
            for document, score in run.get(topic, {}).items()
        ]
        columns = zip(("topic", "document", "score", "run", "label"), zip(*rows, strict=True), strict=True)
        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), folder / "log" / f"{part:02d}.parquet")
    return folder


def test_score_and_compare_give_the_same_bytes(cluster, campaign, poolwise):
    for command in (["score", "-q", "--format", "csv"], ["compare", "-m", "AP", "--format", "csv"]):
        words = [command[0], campaign / "qrels.txt", campaign / "runs", *command[1:]]
        here, there = poolwise(*words), poolwise(*words, "--dask", cluster.address)
        assert (there.code, there.out) == (0, here.out), there.err
        assert here.out
        assert there.err == here.err


def test_errors_name_the_file(cluster, campaign, poolwise, tmp_path):
    (tmp_path / "bad.txt").write_text("1 Q0 a 1 x y\n")
    result = poolwise("score", campaign / "qrels.txt", "bad.txt", "--dask", cluster.address)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("poolwise: bad.txt:1: score 'x' is not a number")
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "0.parquet").write_bytes((campaign / "log" / "00.parquet").read_bytes())
    (tmp_path / "log" / "1.parquet").write_bytes(b"PAR1 no more")
    result = poolwise("score", tmp_path / "log", "--dask", cluster.address)
    assert result.code == 1
    assert f"{tmp_path}/log/1.parquet: the Parquet file cannot be read" in result.err


def test_no_scheduler_at_the_address(poolwise, small):
    result = poolwise("score", "qrels.txt", "runs", "--dask", "nonsense://x")
    assert result.code == 2
    assert "no Dask scheduler answers at 'nonsense://x'" in result.err


def test_local_cluster(poolwise, process, small):
    here = poolwise("score", "qrels.txt", "runs")
    there = process("score", "qrels.txt", "runs", "--dask", "local", "--threads", "1")
    assert (there.code, there.out, there.err) == (0, here.out, here.err)


SAMPLES = """
import sys
import warnings
import numpy
import poolwise as pw
from distributed import Client

warnings.simplefilter("ignore")
if __name__ == "__main__":
    pool = pw.read(sys.argv[2] + "/qrels.txt", sys.argv[2] + "/runs")
    samples = pool.judgments.samples("uniform", fractions=[0.1, 0.5], trials=100, seed=1)
    here = pool.score("AP", "infAP", judgments=samples)
    with Client(sys.argv[1]) as client:
        there = pool.score("AP", "infAP", judgments=samples, executor=client.get_executor())
        assert pool.score("AP", judgments=samples, executor=client).means().tobytes() == (
            here.means()[:, :, :1].copy().tobytes()
        )
    assert here.means().tobytes() == there.means().tobytes()
    assert all(numpy.array_equal(here.array(name), there.array(name)) for name in ("AP", "infAP"))
    print("same", there.means().shape)
"""


def test_many_samples(cluster, campaign, tmp_path):
    (tmp_path / "samples.py").write_text(SAMPLES)
    command = [sys.executable, str(tmp_path / "samples.py"), cluster.address, str(campaign)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "same (200, 6, 2)\n", done.stderr


def killed_half_way(cluster, command, folder, done, most):
    """Start a command, kill a worker of the cluster when a few parts of the work are done, add another; wait."""
    with subprocess.Popen(
        [sys.executable, "-m", "poolwise", *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True,
    ) as process:  # fmt: skip
        reached = 0
        while process.poll() is None and reached < 3:
            reached = done()
            time.sleep(0.002)
        cluster.workers.pop(0).kill()
        assert 3 <= reached < most, "the worker was not killed half-way"
        out, err = process.communicate(timeout=300)
    cluster.workers.append(cluster.add_worker())
    return process.returncode, out, err


def test_a_study_goes_on_when_a_worker_is_killed(cluster, campaign, poolwise, tmp_path):
    words = ["study", "robustness", campaign / "qrels.txt", campaign / "runs", "-m", "AP", "-m", "Q'", "--trials", "60"]
    here = poolwise(*words, "-o", "here")
    assert here.code == 0
    command = [*words, "-o", "there", "--dask", cluster.address]
    units = tmp_path / "there" / "units" / "robustness"
    code, _, err = killed_half_way(cluster, command, tmp_path, lambda: len(list(units.glob("*.npz"))), 60)
    assert code == 0, err
    for path in sorted((tmp_path / "here" / "tables").iterdir()):
        assert (tmp_path / "there" / "tables" / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_worker_killed_half_way_changes_nothing(cluster, campaign, poolwise, tmp_path):
    measures = ("-m", "AP", "-m", "nDCG@10", "-m", "ERR", "--format", "csv", "-q")
    here = poolwise("score", campaign / "log", *measures, "-o", "here")
    command = ["score", campaign / "log", *measures, "-o", "there", "--dask", cluster.address]
    code, out, err = killed_half_way(
        cluster, command, tmp_path, lambda: sum(len(os.listdir(path)) for path in tmp_path.glob(".there.*.part")), PARTS
    )
    assert (code, out) == (0, here.out), err
    files = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert len(files) == PARTS
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == files
    for name in files:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
