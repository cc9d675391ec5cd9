"""Every command in every format it has, read back by what such files are for."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil

import pytest

from poolwise.cli import check, compare, estimate, holes, plan, reliability, sample, score
from poolwise.cli.main import main
from poolwise.lab.simulate.drawing import simulate
from poolwise.show.formats import FORMATS, formats_of

SHOWN = {
    "score": score.ShownScores,
    "estimate": estimate.ShownEstimate,
    "check": check.ShownAudit,
    "holes": holes.ShownHoles,
    "compare": compare.ShownComparisons,
    "reliability": reliability.ShownReliability,
    "plan": plan.ShownPlan,
    "sample": sample.ShownSample,
}
MEASURES = ["-m", "AP", "-m", "nDCG@10"]
WORDS = {
    "score": ["c/qrels.txt", "c/runs", *MEASURES],
    "estimate": ["sampled.txt", "c/runs", *MEASURES],
    "check": ["c/qrels.txt", "c/runs"],
    "holes": ["c/qrels.txt", "c/runs", "-m", "nDCG@10"],
    "compare": ["c/qrels.txt", "c/runs", *MEASURES, "--test", "t", "--correction", "none", "--alpha", "0.5"],
    "reliability": ["c/qrels.txt", "c/runs", *MEASURES],
    "plan": ["c/runs", "--budget", "30", "--depth", "20"],
    "sample": ["c/qrels.txt", "c/runs", "--design", "uniform", "--fraction", "0.5"],
}
READ_BY_A_LIBRARY = ("json", "jsonl", "parquet")
ROWS = [name for name, each in FORMATS.items() if each.holds == "rows"]
SEPARATED = [name for name in ROWS if name not in READ_BY_A_LIBRARY]  # cells with a mark between them
RECORDS = [("check", "json"), ("holes", "json")]  # whose JSON holds more than the rows
ALSO = {"check": ["judged@10"], "holes": ["judged@10"]}  # what their pages and tables name
CASES = [
    (command, name) for command, shown in SHOWN.items() for name in formats_of(shown) if FORMATS[name].endings
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("formats")
    campaign = simulate(runs=6, topics=12, depth=60, pool_depth=20, seed=4)
    campaign.write(path / "c")
    campaign.pool().judgments.sample("uniform", fraction=0.5, seed=1).write(path / "sampled.txt")
    return path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def strict(text):
    """JSON as the standard has it: no NaN, no Infinity."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def cells(path, name):
    """Rows of a file by column, as its readers see them."""
    if name == "parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist()
    if name == "json":
        return strict(path.read_text())
    if name == "jsonl":
        return [strict(line) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        mark = re.match(r"\w+(\W)", file.readline())[1]  # behind the first column's name
        file.seek(0)
        return list(csv.DictReader(file, delimiter=mark, strict=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("command", "name"), CASES)
def test_every_format_of_every_command(here, command, name):
    path = here / f"{command}{FORMATS[name].endings[0]}"
    assert main([command, *WORDS[command], "-o", path.name]) == 0
    if name in ROWS and (command, name) not in RECORDS:
        reference = here / f"{command}-reference.csv"
        assert main([command, *WORDS[command], "--format", "csv", "-o", reference.name]) == 0
        rows, expected = cells(path, name), cells(reference, "csv")
        assert [list(row) for row in rows] == [list(row) for row in expected]
        assert not any(list(row) == list(row.values()) for row in rows)  # one header
        for row, other in zip(rows, expected, strict=True):
            for value, text in zip(row.values(), other.values(), strict=True):
                null = "inf" if text == "inf" and name in ("json", "jsonl") else ""  # JSON knows no infinity
                assert (null if value is None else str(value)) == text
                assert text != "None"
        if command in ("score", "estimate", "compare", "reliability"):
            assert {row["measure"] for row in rows} == {"AP", "nDCG@10"}
        return
    text = path.read_text()
    if name == "html":
        assert text.count("<!doctype html>") == text.count("</html>") == 1
        stored = re.findall(r'class="figure-data">(.*?)</script>', text, re.DOTALL)
        assert stored
        assert all(strict(figure)["data"] for figure in stored)
        words = [each.replace("judged@", "judged, top ") for each in ALSO.get(command, ["AP", "nDCG@10"])]
        assert all(each in text for each in words)
    elif name == "latex":
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 1
        assert all(each in text for each in ALSO.get(command, ["AP", "nDCG@10"]))
        for table in re.findall(r"\\begin{tabular}{([lr]+)}(.*?)\\end{tabular}", text, re.DOTALL):
            rows = [line for line in table[1].splitlines() if line.endswith(r"\\")]
            assert rows
            assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(table[0]) - 1}
    elif name == "markdown":
        lines = text.splitlines()
        assert all(each in text for each in ALSO.get(command, ["AP", "nDCG@10"]))
        if command == "score":
            assert "Unjudged documents count as non-relevant in AP, nDCG@10." in lines.pop()
        assert all(line.startswith(("|", "###")) or not line for line in lines)
    elif name == "json":
        assert {"runs", {"check": "findings", "holes": "pairs"}[command]} <= set(strict(text))
    else:
        assert text.splitlines()[0].split()


@pytest.mark.parametrize("command", SHOWN)
@pytest.mark.parametrize("ending", ["xlsx", "csv.gz", "xyz"])
def test_endings_without_a_format_are_refused_before_the_work(here, capsys, command, ending):
    assert main([command, *WORDS[command], "-o", f"out.{ending}"]) == 2
    said = capsys.readouterr().err
    assert f"no format ends in .{ending.rpartition('.')[2]}; use ." in said
    assert not (here / f"out.{ending}").exists()


def test_endings_of_formats_that_a_command_lacks_are_refused(here, capsys):
    assert main(["sample", *WORDS["sample"], "-o", "out.html"]) == 2
    assert "out.html: html is not made here; use .trec, or .txt or no ending" in capsys.readouterr().err
    assert main(["plan", *WORDS["plan"], "-o", "plan.tex"]) == 2


@pytest.mark.filterwarnings("ignore")
def test_plain_text_stays_plain_and_a_format_asked_for_wins(here, capsys):
    assert main(["score", *WORDS["score"], "-o", "plain.txt"]) == 0
    assert main(["score", *WORDS["score"], "-o", "plain"]) == 0
    assert (here / "plain").read_text() == (here / "plain.txt").read_text()
    assert (here / "plain").read_text().split("\t")[1:3] == [f"{'AP':<22}", "all"]
    assert main(["score", *WORDS["score"], "--format", "json", "-o", "odd.xyz"]) == 0
    assert len(strict((here / "odd.xyz").read_text())) == 12


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_told_apart_is_null_in_json(here, capsys):
    (here / "equal.csv").write_text("a,b,c\n" + "0.5,0.5,0.5\n0.3,0.3,0.3\n")
    assert main(["reliability", "equal.csv", "--format", "json"]) == 0
    (row,) = strict(capsys.readouterr().out)
    assert row["topics_for_phi95"] is None
    assert main(["reliability", "equal.csv", "--format", "csv"]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert row["topics_for_phi95"] == "inf"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet", "csv.gz"])
def test_scores_files_are_read_again(here, capsys, ending):
    written = ending.removesuffix(".gz")
    assert main(["score", *WORDS["score"], "-q", "-o", f"scores.{written}"]) == 0
    if ending == "csv.gz":
        import gzip

        (here / "scores.csv.gz").write_bytes(gzip.compress((here / "scores.csv").read_bytes()))
    for command in ("compare", "reliability"):
        options = ["--test", "t"] if command == "compare" else []
        assert main([command, f"scores.{ending}", *options, "--format", "csv"]) == 0
        again = capsys.readouterr().out
        assert main([command, "c/qrels.txt", "c/runs", *MEASURES, *options, "--format", "csv"]) == 0
        first, second = (list(csv.DictReader(text.splitlines())) for text in (again, capsys.readouterr().out))
        assert len(first) == len(second)
        for row, other in zip(first, second, strict=True):
            assert row.keys() == other.keys()
            for name, cell in row.items():
                assert cell == other[name] or math.isclose(float(cell), float(other[name]), rel_tol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_measures_of_a_scores_file_can_be_chosen(here, capsys):
    assert main(["score", *WORDS["score"], "-q", "-o", "scores.csv"]) == 0
    assert main(["reliability", "scores.csv", "-m", "map", "--format", "csv"]) == 0
    assert [row["measure"] for row in csv.DictReader(capsys.readouterr().out.splitlines())] == ["AP"]
    assert main(["compare", "scores.csv", "-m", "RR", "--test", "t"]) == 2
    assert "RR was not scored; the measures are AP, nDCG@10" in capsys.readouterr().err


def test_means_alone_are_not_enough(here, capsys):
    assert main(["score", *WORDS["score"], "-o", "means.csv"]) == 0
    assert main(["reliability", "means.csv"]) == 1
    assert "means.csv: only means were found (topic all); write single topics too" in capsys.readouterr().err


def test_judgments_alone_are_no_scores(here, capsys):
    assert main(["compare", "c/qrels.txt"]) == 1
    assert "c/qrels.txt: no table of scores" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_a_table_against_a_baseline_says_by_how_much(here, capsys):
    scores = main(["score", "c/qrels.txt", "c/runs", "-m", "AP", "--format", "csv"])
    assert scores == 0
    mean = {row["run"]: float(row["value"]) for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    baseline = min(mean)
    assert main(["compare", "c/qrels.txt", "c/runs", "-m", "AP", "--test", "t", "--baseline", baseline]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "run"
    assert "95 % interval" in lines[0]
    rows = {line.split()[0]: line.split() for line in lines[2 : 2 + len(mean)]}
    assert rows.keys() == mean.keys()
    for run, row in rows.items():
        if run != baseline:
            assert float(row[1]) == pytest.approx(mean[run], abs=1e-4)
            assert row[2] == baseline
            assert float(row[3]) == pytest.approx(mean[run] - mean[baseline], abs=1e-4)
            assert float(row[4]) <= float(row[3]) <= float(row[6])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ["html", "md", "tsv", "parquet"])
def test_streamed_scores_have_the_same_formats(here, ending):
    words = ["score", "c/qrels.txt", "c/runs", "-m", "AP", "-o"]
    assert main([*words, f"whole.{ending}"]) == main([*words, f"streamed.{ending}", "--stream"]) == 0
    whole, streamed = ((here / f"{name}.{ending}").read_bytes() for name in ("whole", "streamed"))
    if ending == "html":  # without an audit, as the runs are not in memory
        scores = [re.findall(rb">(0\.\d{4})</td>", page) for page in (streamed, whole)]
        assert scores[0] == scores[1][:6]
        assert len(scores[0]) == 6
    else:
        assert streamed == whole


@pytest.mark.filterwarnings("ignore")
def test_a_page_without_differences_has_no_empty_figure(here):
    assert (
        main(["compare", "c/qrels.txt", "c/runs", "-m", "AP", "--test", "t", "--alpha", "1e-9", "-o", "same.html"]) == 0
    )
    text = (here / "same.html").read_text()
    assert "figure-data" not in text.partition("<script>")[0]
    assert 'id="plotly"' not in text


def test_a_plan_as_csv_holds_what_its_text_holds(here):
    assert main(["plan", *WORDS["plan"], "--seed", "3", "-o", "p.csv"]) == 0
    assert main(["plan", *WORDS["plan"], "--seed", "3", "-o", "p.txt"]) == 0
    text = [line.split() for line in (here / "p.txt").read_text().splitlines() if not line.startswith("#")]
    with (here / "p.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:6] == ["topic", "round", "document", "stratum", "label", "plan"]
    assert [row[:5] for row in rows] == text


def test_libraries_of_a_format_are_looked_for_before_the_work(here, capsys, monkeypatch):
    from poolwise.basics import extras
    from poolwise.errors import MissingDependency

    def missing(module, extra):
        raise MissingDependency(f"{module} is not installed; install it with: pip install 'poolwise[{extra}]'")

    monkeypatch.setattr(extras, "load", missing)
    for words in (
        ["score", "nothing.txt", "nowhere", "-o", "page.html"],
        ["study", "all", "no", "none", "-o", "pages"],
    ):
        assert main(words) == 1
        assert "jinja2 is not installed" in capsys.readouterr().err


def test_figures_that_cannot_be_drawn_are_refused_before_the_work(here, capsys):
    assert main(["study", "robustness", "nothing.txt", "nowhere", "-o", "pages", "--figures", "svg,gif"]) == 2
    assert "figures cannot be written as 'gif'; choose among svg, png, pdf" in capsys.readouterr().err


ODD = [b"\xff", b"<!--<script>", b"two\nlines \x1b[31m", b"p|q&r", b"=1+1"]
NAMED = [case for case in CASES if case[0] in ("score", "estimate", "check", "compare")]


@pytest.fixture(scope="module")
def oddly_named(folder):
    """The runs under names that no format likes."""
    os.mkdir(folder / "odd")
    for run, name in zip(sorted((folder / "c/runs").iterdir()), ODD, strict=False):
        shutil.copy(run, os.path.join(os.fsencode(folder / "odd"), name + b".txt"))
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("command", "name"), NAMED)
def test_runs_may_have_any_name(oddly_named, monkeypatch, command, name):
    monkeypatch.chdir(oddly_named)
    path = oddly_named / f"odd-{command}{FORMATS[name].endings[0]}"
    words = [word.replace("c/runs", "odd") for word in WORDS[command]]
    assert main([command, *words, "-o", path.name]) == 0
    if name == "parquet":
        names = {row.get(column) for row in cells(path, name) for column in ("run", "run_a", "run_b")}
        assert "\\xff" in names
        assert "<!--<script>" in names
        return
    data = path.read_bytes()
    if name in (*SEPARATED, "trec"):  # every byte is kept
        assert b"\xff" in data
    else:
        text = data.decode("utf-8")
        assert "\\xff" in text or "\\udcff" in text or r"\textbackslash{}xff" in text
        assert "\x1b" not in text or name == "html"  # where it means nothing
    if name == "trec":
        assert b"\x1b" not in data
        assert all(line.count(b"\t") >= 3 for line in data.splitlines())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_study_of_runs_with_any_name(oddly_named, monkeypatch):
    monkeypatch.chdir(oddly_named)
    assert main(["study", "robustness", "c/qrels.txt", "odd", "-o", "odd-study", "--trials", "2", "-m", "AP"]) == 0
    (oddly_named / "odd-study/index.html").read_text("utf-8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["trec", "table", "markdown", "latex"])
def test_text_calls_measures_as_they_were_asked_for(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    words = ["score", "c/qrels.txt", "c/runs", "-m", "map", "-m", "P_10", "-m", "bpref", "-q"]
    assert main([*words, "--format", name, "-o", "asked"]) == 0
    text = (folder / "asked").read_text().replace("\\_", "_")
    assert "map" in text
    assert "P_10" in text
    assert "P@10" not in text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in ROWS if name != "parquet"])
def test_data_call_measures_by_one_name_however_they_were_asked_for(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    words = ["score", "c/qrels.txt", "c/runs", "-q", "--format", name]
    assert main([*words, "-m", "map", "-m", "P_10", "-o", "asked"]) == 0
    assert main([*words, "-m", "AP", "-m", "P@10", "-o", "own"]) == 0
    assert (folder / "asked").read_text() == (folder / "own").read_text()


@pytest.mark.filterwarnings("ignore")
def test_files_that_name_measures_otherwise_are_read(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["score", "c/qrels.txt", "c/runs", "-m", "AP", "-m", "P@10", "-q", "-o", "own.csv"]) == 0
    (folder / "named.csv").write_text((folder / "own.csv").read_text().replace("AP", "map").replace("P@10", "P_10"))
    assert main(["compare", "own.csv", "-m", "AP", "-m", "P@10", "-o", "by-own.csv"]) == 0
    assert main(["compare", "named.csv", "-m", "AP", "-m", "P@10", "-o", "by-name.csv"]) == 0
    found, own = ((folder / each).read_text() for each in ("by-name.csv", "by-own.csv"))
    assert found.replace("map", "AP").replace("P_10", "P@10") == own
