"""`check`, `measures`, `simulate`."""

from __future__ import annotations

import csv
import io
import json

import poolwise as pw


def test_check_reports_what_may_mislead(poolwise, small):
    (small / "runs" / "three.txt").write_text("1 Q0 a 1 1 z\n1 Q0 a 2 1 z\n9 Q0 a 1 1 z\n\n")
    result = poolwise("check", "qrels.txt", "runs")
    assert result.code == 0
    assert "judged documents:                   5 (2 per topic)" in result.out
    assert "1 of 3 runs lacks topics" in result.out
    assert "1 of 3 runs list documents twice" in result.out
    assert "1 of 3 runs has topics that the judgments lack" in result.out
    assert "1 blank line skipped, in 1 of 3 runs" in result.err
    rows = list(csv.DictReader(io.StringIO(poolwise("check", "qrels.txt", "runs", "--format", "csv").out)))
    assert [row["run"] for row in rows] == ["one", "three", "two"]
    assert rows[1]["duplicates"] == "1"
    assert rows[0]["judged@10"] == repr((2 / 3 + 1) / 2)
    assert json.loads(poolwise("check", "qrels.txt", "runs", "--format", "json").out)["labels"] == {
        "0": 2,
        "1": 2,
        "2": 1,
    }


def test_measures_are_grouped_and_shown_in_full(poolwise):
    overview = poolwise("measures").out
    assert overview.index("Unjudged documents count as non-relevant:") < overview.index("bpref ")
    assert "nDCG['][@k]" in overview
    full = poolwise("measures", "ndcg_cut_10").out
    assert "negative : one of 'zero', 'keep', 'minmax', default 'zero'\n    how negative gains count\n" in full
    assert "Also called: ndcg, ndcg_cut_k" in full
    rbp = " ".join(poolwise("measures", "RBP").out.split())
    assert f"Also called: rbp (which is {pw.parse('rbp')})" in rbp
    assert pw.parse("rbp") != pw.parse("RBP")
    assert poolwise("measures", "nothing").code == 2


def test_simulate_writes_a_campaign_that_scores(poolwise, tmp_path):
    made = poolwise("simulate", "-o", "c", "--runs", "3", "--topics", "4", "--depth", "50", "--seed", "2")
    assert made.code == 0
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["qrels.txt", "runs", "truth.txt"]
    again = poolwise("simulate", "-o", "d", "--runs", "3", "--topics", "4", "--depth", "50", "--seed", "2")
    assert again.code == 0
    assert (tmp_path / "c" / "qrels.txt").read_bytes() == (tmp_path / "d" / "qrels.txt").read_bytes()
    scored = poolwise("score", "c/qrels.txt", "c/runs", "-m", "AP", "-m", "Judged@10", "--format", "csv")
    assert scored.code == 0
    values = [float(line.rsplit(",", 1)[1]) for line in scored.out.splitlines()[1:]]
    assert len(values) == 6
    assert all(0 <= value <= 1 for value in values)
    assert poolwise("simulate", "-o", "e", "--runs", "0").code == 2
