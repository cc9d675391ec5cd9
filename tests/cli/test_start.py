"""Every command from a start of Python: what other tests have imported before, a user has not."""

from __future__ import annotations

import subprocess
import sys
from shutil import copytree

import pytest
from tests.kit.command import here, in_own_process

import poolwise as pw
from poolwise.cli.main import COMMANDS
from poolwise.lab.simulate.drawing import simulate

TABLE = "topic,a,b,c\n" + "".join(f"{topic},0.{topic % 7}1,0.{topic % 5}2,0.{topic % 3}3\n" for topic in range(1, 13))
ITEMS = "item,score,prediction\n" + "".join(f"{n},{n % 3 if n % 4 else ''},{n % 5}\n" for n in range(60))
WORDS = {
    "score": ["qrels.txt", "runs", "-m", "AP", "-m", "nDCG@10"],
    "trec_eval": ["qrels.txt", "runs/sim01a.txt"],
    "sample": ["qrels.txt", "runs", "--design", "uniform", "--fraction", "0.5"],
    "plan": ["runs", "--budget", "30", "--depth", "20"],
    "merge": ["plan.txt", "labels.txt", "-o", "merged.txt"],
    "estimate": ["sampled.txt", "runs", "-m", "AP"],
    "check": ["qrels.txt", "runs"],
    "holes": ["qrels.txt", "runs", "-m", "nDCG@10"],
    "compare": ["qrels.txt", "runs", "-m", "AP", "--test", "t"],
    "gate": ["runs/sim01a.txt", "runs/sim01b.txt", "--qrels", "qrels.txt", "--margin", "1"],
    "agreement": ["qrels.txt", "other.txt"],
    "reliability": ["table.csv"],
    "report": ["qrels.txt", "runs", "-o", "pages"],
    "study": ["discrimination", "qrels.txt", "runs", "-o", "study", "--trials", "2"],
    "items": ["estimate", "items.csv"],
    "measures": ["nDCG"],
    "simulate": ["-o", "campaign", "--runs", "2", "--topics", "2", "--depth", "20"],
    "completion": ["bash"],
}
ELSEWHERE = {"judge", "demo"}  # a server, which test_judge.py starts; and the longest of all, which runs them all


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that the commands are run on."""
    path = tmp_path_factory.mktemp("start")
    simulate(runs=4, topics=12, depth=60, pool_depth=20, seed=4).write(path)
    (path / "other.txt").write_bytes((path / "qrels.txt").read_bytes())
    (path / "table.csv").write_text(TABLE)
    (path / "items.csv").write_text(ITEMS)
    made = {"sample": "sampled.txt", "plan": "plan.txt"}
    for command, name in made.items():
        assert here([command, *WORDS[command], "-o", name], path).code == 0
    drawn = pw.read(None, path / "runs").plan(budget=30, depth=20).to_judge()
    (path / "labels.txt").write_text("".join(f"{topic} 0 {document} 1\n" for topic, document in drawn))
    return path


def test_no_command_is_forgotten():
    assert set(WORDS) | ELSEWHERE == set(COMMANDS)


@pytest.mark.parametrize("command", WORDS)
def test_a_command_says_the_same_from_its_start(folder, command, tmp_path):
    words = [command, *WORDS[command]]
    copytree(folder, tmp_path / "copy")
    started, called = in_own_process(words, folder), here(words, tmp_path / "copy")
    assert started == called
    assert started.code == 0
    assert started.out


def test_a_command_looks_for_unused_rings_rarely_and_a_caller_keeps_its_own_way():
    """Collecting took a tenth of `poolwise score`; what calls `main` with words of its own is left alone."""
    code = (
        "import gc, sys; from poolwise.cli.main import main; before = gc.get_threshold(); "
        "main(['--version']); same = gc.get_threshold() == before; "
        "sys.argv = ['poolwise', '--version']; main(); print(same, gc.get_threshold()[0] > 10 * before[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True True"
