"""The package works without `judging` and `lab`: only `cli` and the public names of both import them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import poolwise

PROGRAM = """
import importlib, os, pkgutil, sys, warnings
import poolwise as pw
assert pw.__file__.startswith(os.getcwd()), pw.__file__
left_out = ("poolwise.cli", "poolwise.__main__", "poolwise.compat", "poolwise.basics.dask_workers")
imported = [each.name for each in pkgutil.walk_packages(pw.__path__, "poolwise.") if not each.name.startswith(left_out)]
for name in imported:
    importlib.import_module(name)
warnings.simplefilter("ignore")
qrels = {str(t): {f"d{d}": (d * t) % 3 for d in range(12)} for t in range(1, 7)}
runs = {f"r{r}": {t: {f"d{(d * (r + 1)) % 12}": 12.0 - d for d in range(10)} for t in qrels} for r in range(3)}
plan = pw.read(None, runs).plan(budget=30, measure="nDCG@5", seed=1)
rows = [(t, d, qrels[t][d]) for t, d, drawn in zip(plan.topic, plan.document, plan.round) if drawn]
plan.write("plan.txt")
judged = pw.merge("plan.txt", rows)
judged.write("judged.txt")
campaign = pw.read("judged.txt", runs)
found = campaign.estimate("nDCG@5", "AP")
whole = pw.read(qrels, runs)
scores = whole.score("AP", "nDCG@5")
numbers = [len(imported), len(found.runs), len(scores.runs)]
pw.compare(scores, "AP", test="t")
pw.reliability(scores, "AP").phi(10)
pw.label_agreement({"a": qrels, "b": qrels})
pw.estimate_items([{"item": i, "score": i % 4} for i in range(20)])
print(*numbers, "poolwise.cli.main" in sys.modules)
"""


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """Run Python on a copy of the package that has neither."""
    folder = tmp_path_factory.mktemp("without")
    copy = folder / "poolwise"
    shutil.copytree(Path(poolwise.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for house in ("judging", "lab"):
        shutil.rmtree(copy / house)
    (copy / "study.py").unlink()
    environment = os.environ | {"PYTHONPATH": str(folder)}

    def run(*words):
        return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)

    return run


@pytest.mark.slow
def test_judging_and_lab_can_be_deleted(without):
    finished = without("-c", PROGRAM)
    assert finished.returncode == 0, finished.stderr
    imported, *numbers, command_line = finished.stdout.split()
    assert int(imported) > 150
    assert (numbers, command_line) == (["3", "3"], "False")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "house"), [("judge plan.txt", "judging"), ("study robustness", "lab"), ("simulate -o c", "lab")]
)
def test_commands_of_what_is_deleted_say_what_is_lacking(without, command, house):
    finished = without("-m", "poolwise", *command.split())
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"poolwise: {command.split()[0]} needs poolwise.{house}, which this installation")
    assert "Traceback" not in finished.stderr
