"""The papers' experiments run from packed sets to the pages, here on simulated campaigns of no other meaning."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.reproduce.__main__ import main
from benchmarks.reproduce.data import EXPECTED, DataError, check, qrels_of, runs_of
from benchmarks.reproduce.findings import SHOWN, VERDICTS
from benchmarks.reproduce.items import ITEMS, NO_DATA, OTHERWISE, PRESENT
from benchmarks.reproduce.page import MARK, Summary, filled, read_summary
from benchmarks.reproduce.plan import COVID, NORMALITY_TRIALS, PARTS, Part
from tests.kit.packed_sets import write_sets

from poolwise.cli.main import COMMANDS
from poolwise.lab.study import STUDIES
from poolwise.lab.study.protocols import studies_as

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
LEAST_TRIALS = 30


@pytest.fixture(scope="module")
def packed(tmp_path_factory) -> Path:
    """The sets, packed once; who changes them takes a copy."""
    return write_sets(tmp_path_factory.mktemp("packed") / "data")


def smaller(part: Part) -> Part:
    """The same study with less to do: a test of normality needs eight trials, all else two."""
    tested = part.name in ("y08-intervals", "y08-dependent")
    trials = None if part.trials is None else NORMALITY_TRIALS if tested else 2
    more = {"cutoffs": (10, 20, 100)} if part.study == "gain-discount" else {}
    more |= {"depths": (1, 5, 10)} if part.name == "y08-estimation" else {}
    return replace(part, trials=trials, more=part.more | more)


def test_simulated_campaigns_run_through_to_the_pages(packed, tmp_path):
    docs, found = tmp_path / "docs", tmp_path / "found.json"
    (docs / "images").mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "findings", docs / "findings")
    least = {"trials": 8, "splits": 1, "resamples": 40, "draws": 10, "seeds": 2}
    dear = {("k09-gain-discount", COVID)}  # of its three sets a graded and a binary one will do, as will two seeds
    kept = [part for part in PARTS if not re.search(r"g20-.*-[2-9]$", part.name) and (part.name, part.data) not in dear]
    parts = [smaller(part) for part in kept]
    main(packed, tmp_path / "work", docs, found, least, parts)
    items, numbers = ((docs / name).read_text("utf-8") for name in ("papers.md", "reproduction.md"))
    rows = {line.split(" | ")[0].strip("| "): line for line in items.splitlines() if line.startswith("| ")}
    assert set(rows) >= {item.name for item in ITEMS}
    for item in ITEMS:
        assert f"| {item.status}" in rows[item.name]
    for anchor in re.findall(r"reproduction\.md#(\w+)", items):
        assert f'<span id="{anchor}">' in numbers
    for image in (docs / "images").glob("*.svg"):
        assert f"images/{image.name}" in numbers
    assert items.count("\n## ") == numbers.count("\n## ") == 5
    assert "cut short" not in numbers
    before = read_summary(found)
    main(packed, tmp_path / "work", docs, found, least, parts)  # goes on from what is kept, and finds the same
    assert read_summary(found).findings == before.findings


def test_items_are_all_there_once_and_none_differs_without_a_reason():
    names = [item.name for item in ITEMS]
    assert len(names) == len(set(names)) == 142
    for item in ITEMS:
        assert item.status in (PRESENT, NO_DATA, OTHERWISE)
        assert item.remark or item.status == PRESENT, f"{item.name} is {item.status!r} without a reason"


def test_commands_of_items_are_commands():
    """What stands in the column `command` is parsed: the command, its study, and the paper it is done as."""
    for item in ITEMS:
        words = shlex.split(item.command)
        assert words[0] in COMMANDS
        if words[0] == "study":
            assert words[1] in STUDIES
            if "--as" in words:
                assert words[1] in studies_as(words[words.index("--as") + 1])


def test_the_kept_summary_is_of_a_whole_run_with_enough_trials():
    summary = read_summary()
    assert not summary.missing
    assert summary.processor_seconds < 30 * 60 * 2
    names = {item.name for item in ITEMS}
    for each in summary.findings:
        assert each.item in names
        assert each.data
        assert each.verdict in (*VERDICTS, SHOWN)
        assert "nan" not in each.text
        if each.trials is not None:
            seeds = each.item in (
                "S20",
                "S21",
                "S27",
                "K19",
                "S25",
                "G19",
                "G13",
                "G14",
                "G15",
            )  # of a bootstrap, not trials
            assert each.trials >= (10 if seeds else LEAST_TRIALS), each
    told = {each.item for each in summary.findings}
    claims = {item.name for item in ITEMS if item.status == PRESENT and re.search(r"figure|table", item.what)}
    elsewhere = {"B21", "G11", "S26"}  # a definition, a figure on the study's own page, a slip
    assert claims - elsewhere <= told


def test_pages_that_repeat_numbers_take_them_from_the_summary():
    tables = read_summary().tables
    asked = {
        name
        for page in (ROOT / "docs" / "findings").glob("*.md")
        for name in re.findall(MARK + "(.+?) -->", page.read_text("utf-8"))
    }
    assert asked == set(tables)
    page = "a\n<!-- found: x -->\nold\n<!-- end -->\nb\n"
    assert filled(page, Summary([], {}, {"x": "| new |"})) == "a\n<!-- found: x -->\n\n| new |\n\n<!-- end -->\nb\n"
    assert filled(page, Summary([], {})) == page


def test_a_wrong_folder_is_refused_with_what_is_expected(packed, tmp_path):
    with pytest.raises(DataError, match="is no folder; give a folder with these files"):
        check(tmp_path / "nowhere")
    data = shutil.copytree(packed, tmp_path / "data")
    check(data)
    (data / "robust03" / "qrels.txt").unlink()
    with pytest.raises(DataError, match=f"lacks 1 of {len(EXPECTED)} files \\(robust03/qrels.txt\\)"):
        check(data)
    called = [sys.executable, "-m", "benchmarks.reproduce", str(tmp_path)]
    found = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr.startswith(f"error: {tmp_path} lacks {len(EXPECTED)} of {len(EXPECTED)} files")
    assert "trec8/qrels.txt: lines of topic, 0, document, label" in found.stderr
    assert "Traceback" not in found.stderr
    few = [*called, str(tmp_path / "work"), "7"]
    found = subprocess.run(few, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (1, "error: 7 trials; a test of normality needs 8\n")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_says_what_it_needs_before_it_builds_anything():
    found = subprocess.run(["make", "reproduce"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "make reproduce DATA=folder: '' is no folder" in found.stdout


def test_malformed_files_are_named_with_their_line(packed, tmp_path):
    data = shutil.copytree(packed, tmp_path / "data")
    qrels = data / "trec8" / "qrels.txt"
    qrels.write_text("401 0 d1 1\n401 0 d2\n")
    with pytest.raises(DataError, match=re.escape(f"{qrels}:2: '401 0 d2' is no judgment")):
        qrels_of(qrels)
    import lzma

    packed = data / "trec8" / "runs.tsv.xz"
    packed.write_bytes(lzma.compress(b"run 401 d1\n"))
    with pytest.raises(DataError, match=re.escape(f"{packed}:1: 1 columns")):
        runs_of(data / "trec8")


def test_levels_are_drawn_from_side_to_side():
    from benchmarks.reproduce.drawing import LEFT, RIGHT, WIDTH, svg

    from poolwise.show.figures import curves, log_percent

    drawn = svg(curves("t", {"a": ([1, 10, 100], [0.5, 0.8, 1.0])}, "x", "y", level=0.9, xaxis=log_percent()))
    (ends,) = re.findall(r'<path d="M([\d. ]+)L([\d. ]+)" stroke="#888"', drawn)
    (left, y), (right, same) = (map(float, end.split()) for end in ends)
    assert (left, right) == (LEFT, WIDTH - RIGHT)
    assert y == same
