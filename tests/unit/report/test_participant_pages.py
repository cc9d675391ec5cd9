"""Pages for participants: every run and topic has one, links lead somewhere, one script serves all."""

from __future__ import annotations

import re

import pytest
from tests.kit.small_campaigns import campaign_tables, small_campaign

import poolwise as pw


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    pool = small_campaign(runs=5, topics=6)
    assert pw.report(pool, folder, measures=["AP", "nDCG@10"], command="poolwise report") == str(folder / "index.html")
    return folder, pool


def test_every_run_and_topic_has_a_page_that_links_lead_to(site):
    folder, pool = site
    index = (folder / "index.html").read_text()
    links = re.findall(r'<td><a href="([^"]+)">([^<]+)</a></td>', index)
    assert {text for _, text in links} == {*pool.runs, *pool.topics}
    for page in folder.rglob("*.html"):
        for target in re.findall(r'<a href="([^"#:]+)"', page.read_text()):
            assert (page.parent / target).resolve().is_file(), (page, target)
    assert len(list(folder.glob("runs/*.html"))) == 5
    assert len(list(folder.glob("topics/*.html"))) == 6


def test_one_script_serves_all_pages(site):
    folder, _ = site
    assert [path.name for path in folder.rglob("*.js")] == ["plotly.min.js"]
    for page in folder.rglob("*.html"):
        text = page.read_text()
        assert len(text) < 200_000
        assert re.search(r'<script src="(\.\./)?plotly\.min\.js">', text)


def test_a_page_says_where_the_run_stands(site):
    folder, pool = site
    page = next(folder.glob("runs/1-*.html")).read_text()
    means = pool.score("AP").means()[:, 0]
    assert f"Rank {1 + int((means > means[0]).sum())} of 5 by AP ({means[0]:.4f})" in page


def test_odd_names_have_pages_of_their_own(tmp_path):
    qrels, runs = campaign_tables(2, 3, 40, 10, 0.3, 1, 1.0, 0)
    odd = {"a/b": runs["run0"], "A b": runs["run1"], "1": runs["run0"], "<i>": runs["run1"]}
    pw.report(pw.read(qrels, odd), tmp_path, measures=["P@5"])
    assert len(list((tmp_path / "runs").glob("*.html"))) == 4
    text = (tmp_path / "index.html").read_text()
    assert "&lt;i&gt;" in text
    assert 'class="number"><a' not in text  # a run called 1 is no reason to link a rank
