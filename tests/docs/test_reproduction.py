"""The papers' experiments run from packed sets to the page; here on simulated campaigns, whose numbers mean nothing."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from benchmarks.reproduce.__main__ import main
from benchmarks.reproduce.items import ITEMS, NO_DATA, OTHERWISE, PRESENT
from benchmarks.reproduce.plan import PARTS, Part
from tests.kit.packed_sets import write_sets

from poolwise.cli.main import COMMANDS
from poolwise.study import STUDIES
from poolwise.study.shared.protocols import studies_as

pytestmark = pytest.mark.slow


def smaller(part: Part) -> Part:
    """The same study with less to do: a test of normality needs eight trials, all else two."""
    trials = None if part.trials is None else 8 if part.name in ("y08-intervals", "y08-dependent") else 2
    more = {"cutoffs": (10, 20, 100)} if part.study == "gain-discount" else {}
    more |= {"depths": (1, 5, 10)} if part.name == "y08-estimation" else {}
    return replace(part, trials=trials, more=part.more | more)


def test_simulated_campaigns_run_through_to_the_page(tmp_path):
    docs = tmp_path / "docs"
    (docs / "images").mkdir(parents=True)
    least = {"trials": 8, "splits": 1, "resamples": 40, "draws": 10}
    main(write_sets(tmp_path / "data"), tmp_path / "work", docs, least, [smaller(part) for part in PARTS])
    page = (docs / "papers.md").read_text("utf-8")
    assert page.count("\n## ") == 5
    rows = {line.split(" | ")[0].strip("| "): line for line in page.splitlines() if line.startswith("| ")}
    assert set(rows) >= {item.name for item in ITEMS}
    for item in ITEMS:
        assert f"| {item.status}" in rows[item.name]
    for image in (docs / "images").glob("*.svg"):
        assert f"images/{image.name}" in page


def test_items_are_all_there_once_and_none_differs_without_a_reason():
    names = [item.name for item in ITEMS]
    assert len(names) == len(set(names)) == 125
    for item in ITEMS:
        assert item.status in (PRESENT, NO_DATA, OTHERWISE)
        assert item.remark or item.status != OTHERWISE


def test_commands_of_items_are_commands():
    """What stands in the column `command` is parsed: the command, its study, and the paper it is done as."""
    for item in ITEMS:
        words = shlex.split(item.command)
        assert words[0] in COMMANDS
        if words[0] == "study":
            assert words[1] in STUDIES
            if "--as" in words:
                assert words[1] in studies_as(words[words.index("--as") + 1])
