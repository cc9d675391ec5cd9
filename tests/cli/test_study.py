"""`poolwise study`: settings on the command line, folders that hold work, commands on pages."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path

import pytest

from poolwise.cli.main import main
from poolwise.simulate import simulate

FEW = ["-m", "AP", "-m", "nDCG'", "--fractions", "10%,0.5", "--trials", "2"]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    simulate(runs=6, topics=8, depth=50, pool_depth=20, seed=3).write(folder)
    return folder


def study(campaign, name, output, *words):
    return main(["study", name, str(campaign / "qrels.txt"), str(campaign / "runs"), "-o", str(output), *words])


def table(folder, name="curve"):
    return (Path(folder) / "tables" / f"{name}.csv").read_bytes()


def test_finished_work_is_not_thrown_away(campaign, tmp_path, capsys):
    assert study(campaign, "robustness", tmp_path, *FEW) == 0
    before = table(tmp_path)
    assert study(campaign, "robustness", tmp_path, *FEW, "--seed", "5") == 1
    assert "holds 2 finished parts of this study; go on with --resume" in capsys.readouterr().err
    assert table(tmp_path) == before
    assert study(campaign, "robustness", tmp_path, *FEW, "--resume") == 0
    assert table(tmp_path) == before
    assert study(campaign, "robustness", tmp_path, *FEW, "--seed", "5", "--overwrite") == 0
    assert table(tmp_path) != before


def test_two_studies_do_not_mix_in_one_folder(campaign, tmp_path, capsys):
    assert study(campaign, "robustness", tmp_path, *FEW) == 0
    kept = sorted(path.name for path in (tmp_path / "tables").iterdir())
    for words in ([], ["--resume"]):
        assert study(campaign, "decisions", tmp_path, *FEW, *words) == 1
        assert "holds the study robustness" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == kept
    assert study(campaign, "decisions", tmp_path, *FEW, "--overwrite") == 0
    names = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert "decisions" in names
    assert "curve" not in names


def test_a_file_in_place_of_the_folder_is_named(campaign, tmp_path, capsys):
    place = tmp_path / "file"
    place.write_text("not a folder")
    assert study(campaign, "robustness", place, *FEW) == 1
    said = capsys.readouterr().err
    assert f"poolwise: {place}" in said
    assert "(Not a directory); name another folder" in said


def test_the_command_on_a_page_makes_the_same_page(campaign, tmp_path, monkeypatch):
    words = ["study", "robustness", str(campaign / "qrels.txt"), str(campaign / "runs"), "-o", "first", *FEW]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["poolwise", *words])
    assert main() == 0
    shown = re.search(r"Command: (.*?)</", Path("first/index.html").read_text("utf-8"), re.DOTALL)
    assert shown is not None
    typed = shlex.split(unescape(shown.group(1)))
    assert typed == ["poolwise", *words]
    again = ["second" if word == "first" else word for word in typed[1:]]
    assert main(again) == 0
    assert table("second") == table("first")


def test_settings_reach_the_study(campaign, tmp_path, capsys):
    words = ["--pairs", "4", "--judged", "all", "--alpha", "0.1", "--rounding", "down"]
    assert study(campaign, "decisions", tmp_path, *FEW, *words) == 0
    held = json.loads((tmp_path / "units" / "decisions" / "study.json").read_text())
    assert (held["most_pairs"], held["judged"], held["alpha"], held["rounding"]) == (4, "all", 0.1, "down")
    assert held["fractions"] == [0.1, 0.5]
    assert study(campaign, "robustness", tmp_path / "other", "--pairs", "4") == 2
    assert "--pairs: robustness does not use it" in capsys.readouterr().err
    assert study(campaign, "robustness", tmp_path / "other", "--trials", "few") == 2
    assert "--trials 'few': expected a whole number" in capsys.readouterr().err


def test_stopping_says_how_to_go_on(campaign, tmp_path):
    words = [
        sys.executable,
        "-m",
        "poolwise",
        "study",
        "robustness",
        str(campaign / "qrels.txt"),
        str(campaign / "runs"),
    ]
    words += ["-o", str(tmp_path), "--trials", "4000", "-m", "AP"]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("units/robustness/*.npz")) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130
    assert f"finished work is kept in {tmp_path}; the same command with --resume goes on" in said
