"""Verdicts on the papers: the rules behind them, the table that counts them, and rows that must say what they found."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from benchmarks.reproduce.findings import (
    FAILS,
    HOLDS,
    PARTLY,
    SHOWN,
    UNDECIDED,
    VERDICTS,
    Ahead,
    apart,
    as_good,
    clear,
    decided,
    every,
    verdict,
    within,
)
from benchmarks.reproduce.items import ITEMS
from benchmarks.reproduce.over_topics import phis, rhos
from benchmarks.reproduce.page import read_summary

import poolwise as pw

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ((True, True), HOLDS),
        ((False, False), FAILS),
        ((False, None), FAILS),
        ((True, False), PARTLY),
        ((True, False, None), PARTLY),
        ((True, None), UNDECIDED),
        ((None,), UNDECIDED),
        ((np.bool_(True), np.bool_(False)), PARTLY),
    ],
)
def test_what_checks_say_together(checks, said):
    assert verdict(*checks) == said


def test_figures_within_their_errors_are_not_told_apart():
    """The rule is two standard errors, of the difference or of both sides together, whatever the size of figures."""
    generator = np.random.default_rng(3)
    a = generator.normal(0.228, 0.045, 30)
    b = a + generator.normal(0, 0.02, 30)
    for scale in (1.0, 1e-6, 1e6):
        errors = [np.std(x, ddof=1) / 30**0.5 for x in (a, b, a - b)]
        shift = (a - b).mean()
        near, far = (b + shift + times * errors[2] for times in (1.9, 2.1))
        assert (clear(scale * (a - near)), clear(scale * (a - far))) == (None, False)
        both = np.hypot(errors[0], errors[1])
        near, far = (b + shift - times * both for times in (1.9, 2.1))
        assert (apart(scale * a, scale * near), apart(scale * a, scale * far)) == (None, True)
    assert decided(0.0, 0.0) is None
    assert (as_good(a - a), as_good(a - a - 1), as_good(a - b - 0.001)) == (True, False, True)
    assert (within(a - 0.228, 0.1), within(a, 0.1), every(True, None), every(None, False)) == (True, False, None, False)


def test_most_fractions_count_if_they_are_clear():
    assert Ahead(above=10, clearly=9, below=0, most=16).mostly() is True
    assert Ahead(above=10, clearly=2, below=0, most=16).mostly() is None
    assert Ahead(above=0, clearly=0, below=15, most=16).mostly() is False


def test_resampled_phi_and_rho_are_those_of_the_resampled_scores():
    pool = pw.simulate(runs=6, topics=9, depth=40, seed=2).pool()
    tables = [pool.score(measure).array(measure) for measure in ("AP", "nDCG@10")]
    places = np.random.default_rng(0).integers(0, 9, (1000, 9))[17]
    for table, phi in zip(tables, phis(tables)[17], strict=True):
        components = pw.reliability(table[:, places]).components
        assert phi == pytest.approx(components.system / sum(components), abs=1e-12)
    means = [table[:, places].mean(axis=1) for table in tables]
    ranks = [np.argsort(np.argsort(mean)) for mean in means]
    assert rhos(tables, [(0, 1)])[17, 0] == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)


@pytest.mark.parametrize("page", ["papers.md", "reproduction.md"])
def test_the_table_at_the_top_counts_the_rows(page):
    """Counted again from the rows as they stand on the page of numbers."""
    rows: Counter[tuple[str, str]] = Counter()
    item = ""
    for line in (DOCS / "reproduction.md").read_text("utf-8").splitlines():
        if found := re.match(r'<span id="\w+"></span>\*\*(\w+)\.\*\*', line):
            item = found[1]
        elif line.startswith("- *") and (said := re.findall(r"\*\*(\w+)\*\*", line)):
            rows[item[0], said[-1]] += 1
    text = (DOCS / page).read_text("utf-8")
    head = next(line for line in text.splitlines() if line.startswith("| paper |"))
    names = [cell.strip() for cell in head.strip("|").split("|")]
    assert names[-4:] == list(VERDICTS)
    for paper in ("B07", "Y08", "S07", "K09", "G20", "all"):
        shown = next(line for line in text.splitlines() if line.startswith((f"| [{paper}]", f"| {paper} |")))
        cells = dict(zip(names, (cell.strip() for cell in shown.strip("|").split("|")), strict=True))
        for said in VERDICTS:
            counted = sum(
                n for (letter, each), n in rows.items() if each == said and paper in ("all", f"{letter}{paper[1:]}")
            )
            assert int(cells[said]) == counted, (paper, said)
        listed = [each for each in ITEMS if paper in ("all", each.paper)]
        assert int(cells["items"]) == len(listed)


# What the rows say where earlier ones said something that the paper does not claim, or hid that figures are alike.
SAID = {
    ("K14", "robust03, 601-650"): HOLDS,
    ("B29", "TREC-8"): FAILS,
    ("B36", "robust03"): HOLDS,
    ("S13", "TREC-8"): FAILS,
    ("S13", "robust03, 601-650"): FAILS,
    ("K7", "robust03, 601-650"): PARTLY,
    ("Y22", "TREC-8"): SHOWN,
    ("B30", "TREC-8"): UNDECIDED,
    ("Y15", "TREC-8"): UNDECIDED,
    ("G10", "Web 2012"): UNDECIDED,
}


@pytest.mark.parametrize(("item", "data"), SAID)
def test_rows_say_what_the_paper_claims_of_such_data(item, data):
    said = [each.verdict for each in read_summary().findings if (each.item, each.data) == (item, data)]
    assert said == [SAID[item, data]]


def test_claims_are_judged_on_the_collections_that_they_are_made_of():
    found = read_summary().findings
    assert {each.data for each in found if each.item == "B29"} == {"TREC-8"}
    (compared,) = [each for each in found if each.item == "Y18" and each.verdict]
    assert compared.verdict == HOLDS
    assert any("bpref_R" in each.text for each in found if each.item == "S13")
    assert ["uniform" in each.text for each in found if each.item == "K7"].count(True) == 1
    assert {each.rule for each in found if each.item == "S24"} == {"above 0 by weight 2, as in the paper"}


def test_claims_that_were_missing_have_rows():
    names = ["B35", "B36", "B37", "B38", *(f"S{n}" for n in range(27, 33)), "K22", "K23", "K24", "K25"]
    names += ["Y27", "Y28", "G19"]
    found = Counter(each.item for each in read_summary().findings)
    assert not [name for name in names if not found[name]]
    assert len([each for each in read_summary().findings if each.item == "G12"]) == 4  # at every k
    claims = {name for name in names if name not in ("B37", "S32", "K25")}  # protocols, and a slip
    judged = {each.item for each in read_summary().findings if each.verdict}
    assert claims <= judged
