"""A number that stands on several pages is the same on all of them: that of the kept summary of the papers' runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.reproduce.page import MARK, read_summary

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for page in (ROOT / "docs" / "findings").glob("*.md") if MARK in page.read_text("utf-8"))
# Numbers of pages with tables of the summary that another benchmark gives, which the page names.
OTHERS = {
    "gain-discount": ("benchmarks/optimal.py", {".2445", ".3517", ".3257"}),
    "sampled-judgments": ("benchmarks/sampled_coverage.py", {".846", ".841", ".891", ".904"}),
}
# What a page repeats: where, as which groups of a pattern there, and from which item of which set, by which pattern.
REPEATED = [
    ("findings/sampled-judgments.md", r"infAP errs less: RMS (\.\d+) at depth 5", "Y24", r"infAP (0\.\d+)"),
    ("findings/sampled-judgments.md", r"pools of the (\d+) contributing runs", "Y14", r"(\d+) of 129 runs"),
    *(
        ("findings/sampled-judgments.md", rf"\| {k} \| ([\d.]+) % \|", "Y13", rf"depth {k} ([\d.]+) %")
        for k in (1, 5, 10)
    ),
    ("howto/intervals.md", r"mean infAP (\d+) % larger at 10 %", "Y27", r"(\d+) % \([\d to]+\) at 10 %"),
    ("howto/intervals.md", r"and (\d+) % larger at 30 %", "Y27", r"(\d+) % \([\d to]+\) at 30 %"),
    ("findings/reliability.md", r"web2011_ndcg20 .*? \| (0\.\d+) \(", "G18", r"(0\.\d+)"),
]  # fmt: skip


def plain(number: str) -> str:
    """A number without the 0 before its point."""
    return re.sub(r"^0(?=\.)", "", number)


def prose(text: str) -> str:
    """What was written by hand: no filled parts, tables, or code."""
    text = re.sub(r"<!-- found: .*?<!-- end -->", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_decimals_in_prose_are_those_of_the_tables_beside_it(page):
    text = page.read_text("utf-8")
    tables = read_summary().tables
    shown = {
        plain(number)
        for name in re.findall(MARK + "(.+?) -->", text)
        for number in re.findall(r"0?\.\d{3,4}\b", tables[name])
    }
    source, others = OTHERS.get(page.stem, ("", set()))
    assert source in text
    repeated = {plain(number) for where, pattern, *_ in REPEATED if where.endswith(page.name)
                for number in re.findall(pattern, text)}  # fmt: skip
    written = {plain(number) for number in re.findall(r"(?<![\d.])0?\.\d{3,4}\b", prose(text))}
    assert written - others - repeated <= shown
    assert others <= written


@pytest.mark.parametrize(("page", "here", "item", "there"), REPEATED, ids=lambda value: str(value)[:24])
def test_numbers_repeated_from_items_are_theirs(page, here, item, there):
    text = " ".join((ROOT / "docs" / page).read_text("utf-8").split())
    found = [each.text for each in read_summary().findings if each.item == item]
    numbers = {plain(number) for each in found for number in re.findall(there, each)}
    (written,) = re.findall(here, text)
    assert plain(written) in numbers
