"""`poolwise report`."""

from __future__ import annotations

import re

import pytest

from poolwise.lab.simulate.drawing import simulate


@pytest.mark.slow
def test_pages_are_written_and_said(poolwise, tmp_path):
    simulate(runs=4, topics=5, depth=40, pool_depth=10, seed=2).write(tmp_path / "c")
    result = poolwise("report", "c/qrels.txt", "c/runs", "-m", "nDCG@10", "-o", "pages")
    assert result.code == 0, result.err
    assert result.out == "pages/index.html: 4 runs, 5 topics\n"
    assert len(list((tmp_path / "pages/runs").iterdir())) == 4
    index = (tmp_path / "pages/index.html").read_text()
    assert "Command: poolwise report c/qrels.txt c/runs -m nDCG@10 -o pages" in re.sub("</?span[^>]*>", "", index)


def test_a_folder_is_needed(poolwise, tmp_path):
    simulate(runs=2, topics=2, depth=20, pool_depth=5, seed=2).write(tmp_path / "c")
    result = poolwise("report", "c/qrels.txt", "c/runs")
    assert (result.code, "is needed" in result.err) == (2, True)


def test_pages_of_an_earlier_report_go_and_other_files_stay(poolwise, tmp_path):
    poolwise("simulate", "-o", tmp_path / "c", "--runs", "3", "--topics", "3", "--depth", "30", "--seed", "1")
    runs = sorted((tmp_path / "c/runs").iterdir())
    poolwise("report", tmp_path / "c/qrels.txt", tmp_path / "c/runs", "-o", tmp_path / "pages")
    before = sorted(path.name for path in (tmp_path / "pages/runs").iterdir())
    (tmp_path / "pages/runs/mine.html").write_text("mine")
    said = poolwise("report", tmp_path / "c/qrels.txt", runs[2], "-o", tmp_path / "pages").out
    assert "1 run, 3 topics" in said
    after = sorted(path.name for path in (tmp_path / "pages/runs").iterdir())
    assert len(before) == 3
    assert after == [f"1-{runs[2].stem}.html", "mine.html"]


@pytest.mark.parametrize("name", ["index.html", "runs/1-one.html"])
def test_files_of_others_are_not_replaced(poolwise, tmp_path, name):
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "one.txt").write_text("1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n")
    theirs = tmp_path / "pages" / name
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>mine</p>")
    result = poolwise("report", "q.txt", "one.txt", "-m", "AP", "-o", "pages")
    said = f"pages/{name}: is there already and was not written by poolwise; move it, or name another folder"
    assert (result.code, said in result.err) == (1, True), result.err
    assert theirs.read_text() == "<p>mine</p>"
    assert not (tmp_path / "pages/plotly.min.js").exists()
