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
from poolwise.lab.simulate.drawing import simulate

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


def test_topics_are_chosen_by_ranges_and_names(campaign, tmp_path, capsys):
    assert study(campaign, "robustness", tmp_path / "some", *FEW, "--topics-in", "102-104,107") == 0
    (tmp_path / "runs").mkdir()
    for path in [campaign / "qrels.txt", *(campaign / "runs").iterdir()]:
        kept = [
            line
            for line in path.read_text().splitlines(keepends=True)
            if line.split()[0] in ("102", "103", "104", "107")
        ]
        (tmp_path / ("qrels.txt" if path.name == "qrels.txt" else f"runs/{path.name}")).write_text("".join(kept))
    assert study(tmp_path, "robustness", tmp_path / "cut", *FEW) == 0
    assert table(tmp_path / "some") == table(tmp_path / "cut")
    assert study(campaign, "robustness", tmp_path / "none", *FEW, "--topics-in", "70-80") == 2
    assert "none of the 8 topics (101 to 108) is meant" in capsys.readouterr().err


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


def test_options_that_none_of_several_studies_uses_are_refused(campaign, tmp_path, capsys):
    assert study(campaign, "robustness,reliability", tmp_path, "--pairs", "9") == 2
    assert "--pairs: none of robustness, reliability uses it" in capsys.readouterr().err
    assert study(campaign, "robustness, reliability,robustness", tmp_path, *FEW, "--draws", "5") == 0
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"robustness", "reliability"}


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
    shown = re.search(r"Command: (.*?)</p>", Path("first/index.html").read_text("utf-8"), re.DOTALL)
    assert shown is not None
    typed = shlex.split(unescape(re.sub("<[^>]+>", "", shown.group(1))))  # as it is seen, and copied
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


def test_a_paper_is_one_command_and_given_options_come_first(campaign, tmp_path):
    assert study(campaign, "robustness", tmp_path / "b07", "--as", "B07", "--trials", "2", "--fractions", "10%,1") == 0
    rows = table(tmp_path / "b07").decode().splitlines()
    binary = "nDCG(gain='binary')"
    assert [row.split(",")[:2] for row in rows[1:3]] == [[binary, "0.1"], [binary, "1.0"]]
    assert {row.split(",")[0] for row in rows[1:]} == {binary, "nDCG'(gain='binary')", "infAP", "bpref"}


def test_all_studies_of_a_paper(campaign, tmp_path):
    assert study(campaign, "all", tmp_path, "--as", "S07", "--trials", "1", "--resamples", "50") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "discrimination", "index.html", "plotly.min.js", "robustness",
    ]  # fmt: skip
    measures = {row.split(",")[0] for row in table(tmp_path / "robustness").decode().splitlines()[1:]}
    assert "nDCG'(discount='jk')@1000" in measures


def test_a_paper_without_the_study_is_refused(campaign, tmp_path, capsys):
    assert study(campaign, "reliability", tmp_path, "--as", "B07") == 2
    assert "[B07] has no reliability study; what it has: robustness, decisions" in capsys.readouterr().err


def test_negative_labels_need_no_runs_and_other_studies_do(tmp_path, capsys):
    simulate(runs=4, topics=5, depth=30, pool_depth=20, negative=0.3, seed=3).write(tmp_path / "campaign")
    qrels = str(tmp_path / "campaign" / "qrels.txt")
    assert main(["study", "negative", qrels, "-o", str(tmp_path / "alone"), "--cutoffs", "5,10"]) == 0
    assert b"at_most_minus_1_twice" in table(tmp_path / "alone", "bounds")
    assert not (tmp_path / "alone" / "tables" / "phi.csv").exists()
    assert main(["study", "robustness", qrels, "-o", str(tmp_path / "none")]) == 2
    assert "give runs after the judgments" in capsys.readouterr().err


def test_condensed_lists_are_used_or_refused(tmp_path, capsys):
    simulate(runs=4, topics=12, depth=30, pool_depth=20, negative=0.3, seed=3).write(tmp_path / "campaign")
    folder = tmp_path / "campaign"
    few = ["--cutoffs", "5", "--draws", "5", "--resamples", "30"]
    assert study(folder, "negative", tmp_path / "out", "-J", *few) == 0
    assert b"nDCG'(negative='keep')@5" in table(tmp_path / "out", "spearman")
    assert study(folder, "negative", tmp_path / "rel", "-l", "2", *few) == 2
    assert "-l: negative does not use it" in capsys.readouterr().err
    assert study(folder, "gain-discount", tmp_path / "gains", "-J") == 2
    assert "-J: gain-discount does not use it" in capsys.readouterr().err


def test_assessors_from_files_and_folders(campaign, tmp_path, capsys):
    lines = (campaign / "qrels.txt").read_text().splitlines()
    (tmp_path / "labels").mkdir()
    for place, name in enumerate(("ann.txt", "bob.txt")):
        kept = [line for number, line in enumerate(lines) if number % 3 != place]
        (tmp_path / "labels" / name).write_text("\n".join(line.rsplit(" ", 1)[0] + " 1" for line in kept[::2]) + "\n")
    (tmp_path / "model.txt").write_text("\n".join(lines) + "\n")
    given = f"{tmp_path / 'labels'},{tmp_path / 'model.txt'}"
    words = ["--labels", given, "-m", "AP", "--mixtures", "20", "--resamples", "20", "--thresholds", "1,model=1"]
    assert study(campaign, "assessors", tmp_path / "out", *words) == 0
    assert "AP: the judgments and 3 other label sets rank runs" in capsys.readouterr().out
    sets = table(tmp_path / "out", "sets").decode().splitlines()
    assert [line.split(",")[0] for line in sets] == ["set", "judgments", "ann", "bob", "model", "union", "intersection"]
    assert sets[4].split(",")[3] == "1.0"  # kappa with the judgments, of which it is a copy


def test_assessors_need_labels(campaign, tmp_path, capsys):
    assert study(campaign, "assessors", tmp_path) == 1
    assert "give those of other assessors or models (--labels, labels=)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("studies", "name"), [("robustness", "index.html"), ("robustness,decisions", "decisions/index.html")]
)
def test_pages_of_others_are_not_replaced(poolwise, campaign, tmp_path, studies, name):
    theirs = tmp_path / "out" / name
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>mine</p>")
    result = poolwise(
        "study", studies, campaign / "qrels.txt", campaign / "runs", "-o", "out", "-m", "AP", "--trials", "1"
    )
    assert (result.code, "was not written by poolwise" in result.err) == (1, True), result.err
    assert theirs.read_text() == "<p>mine</p>"
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [theirs]
