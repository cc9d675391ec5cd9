"""`poolwise agreement`: files of every kind, what is written beside, pages."""

from __future__ import annotations

import json

import pytest

from poolwise.cli.agreement import RULES
from poolwise.cli.main import main
from poolwise.trust.label_sheet import COMBINED


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ann = {(str(topic), f"d{number}"): number % 3 for topic in (1, 2, 3) for number in range(12)}
    ben = {key: label if key[1] != "d4" else 2 for key, label in ann.items()}
    (tmp_path / "ann.txt").write_text("".join(f"{t} 0 {d} {label}\n" for (t, d), label in ann.items()))
    (tmp_path / "ben.csv").write_text(
        "query,doc,grade\n" + "".join(f"{t},{d},{label}\n" for (t, d), label in ben.items())
    )
    lines = [json.dumps({"topic": t, "document": d, "label": 0}) for t, d in ann]
    (tmp_path / "carl.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


COLUMNS = ["--columns", "topic=query,document=doc,label=grade"]


def test_table_and_json(labels, capsys):
    assert main(["agreement", "ann.txt", "carl.jsonl", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    share = next(row for row in rows if (row["coefficient"], row["scale"]) == ("agreement", "graded"))
    assert (share["first"], share["second"], share["documents"]) == ("ann", "carl", 36)
    assert share["value"] == pytest.approx(12 / 36)
    assert main(["agreement", "ann.txt", "carl.jsonl", "--format", "table"]) == 0
    assert "2 assessors, 36 documents in common: kappa 0.000" in capsys.readouterr().out


def test_disagreements_and_combined_labels(labels):
    (labels / "ben.txt").write_text((labels / "ann.txt").read_text().replace("d4 1\n", "d4 2\n"))
    files = ["ann.txt", "ben.txt", "carl.jsonl"]
    assert main(["agreement", *files, "--disagreements", "d.csv", "--combined", "c.txt", "-o", "page.html"]) == 0
    listed = (labels / "d.csv").read_text().splitlines()
    assert listed[0] == "topic,document,ann,ben,carl"
    assert "1,d4,1,2,0" in listed
    assert len(listed) == 1 + 24
    combined = dict.fromkeys(line for line in (labels / "c.txt").read_text().splitlines())
    assert "1 0 d4 0" in combined  # three labels, each once: the lowest
    assert "1 0 d5 2" in combined  # two of three
    page = (labels / "page.html").read_text()
    assert "Agreement of assessors" in page
    assert "ann and ben" in page


def test_combined_labels_of_a_sample_as_qrels_or_with_the_pool(labels, capsys):
    listed = (labels / "ann.txt").read_text().replace("d4 1\n", "d4 -1\n").replace("d5 2\n", "d5 -1\n")
    (labels / "ann.txt").write_text(listed)
    (labels / "ben.txt").write_text(listed)
    assert main(["agreement", "ann.txt", "ben.txt", "--combined", "c.txt"]) == 0
    assert "all 36 documents of the pool" in capsys.readouterr().err
    assert "1 0 d4 1 -1" in (labels / "c.txt").read_text().splitlines()
    assert main(["agreement", "ann.txt", "ben.txt", "--combined", "c.qrels"]) == 0
    assert "c.qrels" not in capsys.readouterr().err
    judged = [line for line in listed.splitlines() if not line.endswith("-1")]
    assert sorted((labels / "c.qrels").read_text().splitlines()) == sorted(judged)


def test_the_mean_is_rounded_where_labels_are_whole_and_help_says_so(labels, capsys):
    (labels / "one.csv").write_text("topic,document,label\n1,a,1\n1,b,0\n1,c,0.5\n")
    (labels / "two.csv").write_text("topic,document,label\n1,a,2\n1,b,2\n1,c,1\n")
    assert main(["agreement", "one.csv", "two.csv", "--combined", "c.qrels", "--by", "mean"]) == 0
    assert sorted((labels / "c.qrels").read_text().splitlines()) == ["1 0 a 1", "1 0 b 1", "1 0 c 0.75"]
    capsys.readouterr()
    assert main(["agreement", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "the mean (rounded where a document's labels are all whole)" in told
    assert tuple(COMBINED) == RULES


def test_files_of_one_name_in_two_folders(labels, capsys):
    for folder in ("first", "second"):
        (labels / folder).mkdir()
        (labels / folder / "labels.csv").write_text((labels / "ben.csv").read_text())
    assert main(["agreement", "first/labels.csv", "second/labels.csv", *COLUMNS, "--format", "json"]) == 0
    pairs = {(row["first"], row["second"]) for row in json.loads(capsys.readouterr().out)} - {("all", "all")}
    assert pairs == {("first/labels", "second/labels")}


def test_columns_by_name(labels, capsys):
    assert main(["agreement", "ben.csv", "ben.csv", *COLUMNS]) == 1
    assert "two files are called" in capsys.readouterr().err
    (labels / "other.csv").write_text((labels / "ben.csv").read_text())
    assert main(["agreement", "ben.csv", "other.csv", *COLUMNS]) == 0
    assert "kappa 1.000" in capsys.readouterr().out


def test_faults(labels, capsys):
    assert main(["agreement"]) == 2
    assert "no labels were given" in capsys.readouterr().err
    assert main(["agreement", "ann.txt", "--unjudged", "negative"]) == 2
    assert main(["agreement", "ann.txt"]) == 1
    assert "two assessors or more" in capsys.readouterr().err


@pytest.fixture
def runs(labels):
    (labels / "runs").mkdir()
    for number in range(4):
        lines = [
            f"{topic} Q0 d{place} 0 {(place * (number + 3)) % 13} r{number}\n"
            for topic in (1, 2, 3)
            for place in range(12)
        ]
        (labels / "runs" / f"r{number}.txt").write_text("".join(lines))
    (labels / "ben.txt").write_text((labels / "ann.txt").read_text().replace("d4 1\n", "d4 2\n"))
    return labels


def test_what_it_does_to_runs(runs, capsys):
    ask = ["agreement", "ann.txt", "ben.txt", "--runs", "runs", "-m", "nDCG@10"]
    assert main([*ask, "--format", "table"]) == 0
    said = capsys.readouterr().out
    assert "With other assessors' labels the ranking by nDCG@10 has tau" in said
    assert main([*ask, "--format", "json"]) == 0
    assert [row["run"] for row in json.loads(capsys.readouterr().out)] == ["r0", "r1", "r2", "r3"]
    assert main([*ask, "-o", "page.html"]) == 0
    assert "Pairs that are swapped" in (runs / "page.html").read_text() or "tau 1.000" in said
    assert main([*ask, "--model", "ben", "--format", "table"]) == 0
    said = capsys.readouterr().out
    assert "By labels of ben runs score" in said
    assert "labels saved" in said
    assert main([*ask, "--model", "ben", "-o", "page.html"]) == 0
    assert "What ben saves" in (runs / "page.html").read_text()


@pytest.mark.parametrize("idle", [["-m", "nDCG@10"], ["--resamples", "9"], ["--by", "mean"]])
def test_options_that_would_do_nothing_are_refused(labels, capsys, idle):
    (labels / "ben.txt").write_text((labels / "ann.txt").read_text())
    assert main(["agreement", "ann.txt", "ben.txt", *idle]) == 2
    assert f"poolwise: {idle[0]} " in (said := capsys.readouterr().err)
    assert "name runs with --runs" in said


def test_faults_of_runs_and_thresholds(runs, capsys):
    assert main(["agreement", "ann.txt", "ben.txt", "--model", "ben"]) == 2
    assert "name runs with --runs" in capsys.readouterr().err
    assert main(["agreement", "ann.txt", "ben.txt", "--rel", "x"]) == 2
    assert "--rel 'x'" in capsys.readouterr().err
    assert main(["agreement", "ann.txt", "ben.txt", "--rel", "2", "--rel", "ben=1"]) == 0
