"""`poolwise score --interval`: columns, formats, messages and exit codes."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def sampled(tmp_path):
    """Two topics of which some documents are pooled, not judged; z is outside the pool."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c -1\n2 0 a -1\n2 0 d 1\n2 0 e 0\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one.txt").write_text("1 Q0 a 1 3 x\n1 Q0 c 2 2 x\n2 Q0 z 1 2 x\n2 Q0 d 2 1 x\n")
    (tmp_path / "runs" / "two.txt").write_text("1 Q0 b 1 2 y\n1 Q0 a 2 1 y\n2 Q0 d 1 1 y\n")
    return tmp_path


def test_bounds_in_every_format(poolwise, sampled):
    ask = ("score", "qrels.txt", "runs", "-m", "P@2", "--interval", "bounds")
    csv = poolwise(*ask, "--format", "csv", "-q")
    assert csv.code == 0
    assert csv.out.splitlines() == [
        "run,measure,topic,value,low,high",
        "one,P@2,1,0.5,0.5,1.0",
        "one,P@2,2,0.5,0.5,1.0",
        "one,P@2,all,0.5,0.5,1.0",
        "two,P@2,1,0.5,0.5,0.5",
        "two,P@2,2,0.5,0.5,0.5",
        "two,P@2,all,0.5,0.5,0.5",
    ]
    assert csv.err == ""
    assert poolwise(*ask, "--format", "csv").out.splitlines()[1:] == [
        "one,P@2,all,0.5,0.5,1.0",
        "two,P@2,all,0.5,0.5,0.5",
    ]
    rows = json.loads(poolwise(*ask, "--format", "json").out)
    assert rows[0] == {"run": "one", "measure": "P@2", "topic": "all", "value": 0.5, "low": 0.5, "high": 1.0}
    assert poolwise(*ask).out.splitlines()[0] == "one\tP@2                   \tall\t0.5000\t0.5000\t1.0000"
    table = poolwise(*ask, "--format", "table").out.splitlines()
    assert table[3] == "one  0.5000 [0.5000, 1.0000]"
    assert poolwise(*ask, "-o", "bounds.parquet").code == 0
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(sampled / "bounds.parquet").to_pylist() == rows


def test_the_best_value_is_bold_beside_its_interval(poolwise, sampled):
    ask = ("score", "qrels.txt", "runs", "-m", "RR", "-m", "num_ret", "--interval", "bounds")
    assert [line for line in poolwise(*ask, "--format", "latex").out.splitlines() if "[" in line] == [
        r"one & \textbf{0.7500} [0.7500, 1.0000] & \textbf{4} [4, 4] \\",
        r"two & \textbf{0.7500} [0.7500, 0.7500] & 3 [3, 3] \\",
    ]
    assert "textbf" not in poolwise(*ask, "-q", "--format", "latex").out  # rows of topics are not compared


def test_outer_bounds_are_called_so(poolwise, sampled):
    (sampled / "graded.txt").write_text("1 0 a 2\n1 0 b 1\n2 0 d 1\n2 0 e 0\n")
    result = poolwise("score", "graded.txt", "runs", "-m", "Q", "-m", "AP", "--interval", "bounds")
    assert result.code == 0
    assert "outer bound: the bounds of Q hold every possible score" in result.err
    assert "AP" not in result.err


def test_judgments_is_labelled_and_warned_of(poolwise, sampled):
    result = poolwise("score", "qrels.txt", "runs", "-m", "infAP", "--interval", "judgments", "--format", "csv")
    assert result.code == 0
    assert result.out.splitlines()[0] == "run,measure,topic,value,low,high"
    assert "[Y08]" in result.err
    assert "does not cover" in result.err
    assert "poolwise estimate" in result.err


def test_a_measure_without_it_points_to_estimate(poolwise, sampled):
    for kind in ("judgments", "both"):
        result = poolwise("score", "qrels.txt", "runs", "-m", "AP", "--interval", kind)
        assert (result.code, result.out) == (2, "")
        assert f"interval '{kind}' is not there for AP, only for infAP and statAP; `poolwise estimate`" in result.err
        assert "Traceback" not in result.err


def test_topics_has_ends_for_means_only_and_follows_the_seed(poolwise, small):
    ask = ("score", "qrels.txt", "runs", "-m", "AP", "--interval", "topics", "--format", "csv", "-q")
    rows = [line.split(",") for line in poolwise(*ask).out.splitlines()]
    assert rows[1] == ["one", "AP", "1", "0.5", "", ""]
    assert rows[3][:4] == ["one", "AP", "all", "0.75"]
    assert float(rows[3][4]) <= 0.75 <= float(rows[3][5])
    assert poolwise(*ask).out == poolwise(*ask, "--seed", "0").out
    trec = poolwise(*ask[:-3], "-q").out.splitlines()
    assert trec[0] == "one\tAP                    \t1\t0.5000\t-\t-"


def test_level(poolwise, tmp_path):
    labels = {"a": 1, "b": 1, "c": 0, "d": 0, "e": -1, "f": -1, "g": -1}
    (tmp_path / "qrels.txt").write_text("".join(f"1 0 {each} {label}\n" for each, label in labels.items()))
    (tmp_path / "run.txt").write_text("".join(f"1 Q0 {each} 1 {-rank} x\n" for rank, each in enumerate("cefdagb")))

    def width(level):
        ask = (
            "score",
            "qrels.txt",
            "run.txt",
            "-m",
            "infAP",
            "--interval",
            "judgments",
            "--format",
            "csv",
            "--level",
            level,
        )
        low, high = (float(cell) for cell in poolwise(*ask).out.splitlines()[1].split(",")[4:])
        return high - low

    assert width("0.99") / width("0.9") == pytest.approx(2.5758293 / 1.6448536)
    refused = poolwise("score", "qrels.txt", "run.txt", "--interval", "topics", "--level", "95")
    assert refused.code == 2
    assert "level=95.0 must lie between 0 and 1, such as 0.95" in refused.err
    idle = poolwise("score", "qrels.txt", "run.txt", "--level", "0.9")
    assert (idle.code, "--level 0.9 is of intervals; say of which with --interval" in idle.err) == (2, True)
