"""Pages for participants: every run and topic has one, links lead somewhere, one script serves all."""

from __future__ import annotations

import re

import numpy as np
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
    links = re.findall(r'<td class="words"><a href="([^"]+)">([^<]+)</a></td>', index)
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


@pytest.mark.parametrize("part", ["runs", "topics"])
def test_pages_are_not_put_among_other_files(tmp_path, part):
    """`score qrels.txt runs` would read them as runs."""
    (tmp_path / part).mkdir()
    (tmp_path / part / "mine.txt").write_text("1 Q0 a 1 2.0 mine\n")
    with pytest.raises(pw.InputError, match=rf"{part}: holds files that are no pages, such as mine\.txt"):
        pw.report(small_campaign(runs=2, topics=2), tmp_path)
    assert [path.name for path in tmp_path.rglob("*.*")] == ["mine.txt"]


def test_odd_names_have_pages_of_their_own(tmp_path):
    qrels, runs = campaign_tables(2, 3, 40, 10, 0.3, 1, 1.0, 0)
    odd = {"a/b": runs["run0"], "A b": runs["run1"], "1": runs["run0"], "<i>": runs["run1"]}
    pw.report(pw.read(qrels, odd), tmp_path, measures=["P@5"])
    assert len(list((tmp_path / "runs").glob("*.html"))) == 4
    text = (tmp_path / "index.html").read_text()
    assert "&lt;i&gt;" in text
    assert "<td><a" not in text  # a run called 1 is no reason to link a rank


def test_every_measure_stands_on_pages_of_runs_and_topics(site):
    folder, pool = site
    scores = pool.score("nDCG@10")
    values = np.asarray(scores.array("nDCG@10"))
    run_page = next(folder.glob("runs/1-*.html")).read_text()
    means = scores.means()[:, 0]
    assert f"By nDCG@10 its rank is {1 + int((means > means[0]).sum())} ({means[0]:.4f})." in run_page
    topic_page = next(folder.glob("topics/1-*.html")).read_text()
    for page, shown in ((run_page, values[0]), (topic_page, values[:, 0])):
        head = re.findall(r"<th [^>]*><button[^>]*>([^<]*)</button>", page)
        assert "nDCG@10" in head
        for value in shown.tolist():
            assert re.search(rf"<td( data-value=[^>]+)?>{value:.4f}</td>", page)


def test_pages_warn_of_unjudged_documents(tmp_path):
    qrels, runs = campaign_tables(2, 4, 40, 10, 0.3, 1, 1.0, 0)
    strange = {topic: {f"new-{place}": 10.0 - place for place in range(10)} for topic in qrels}
    pool = pw.read(qrels, {**runs, "stranger": strange})
    pw.report(pool, tmp_path, measures=["P@5", "RR"])
    warning = "Before you trust these numbers"
    page = next((tmp_path / "runs").glob("*stranger.html")).read_text()
    assert warning in page
    assert "100\xa0% for stranger (their labels could make P@5 0.0000 to 1.0000" in page
    assert "run0" not in page.partition(warning)[2].partition("</section>")[0]
    topic = next((tmp_path / "topics").glob("1-*.html")).read_text()
    assert "not judged down to rank 5, stranger the most (5); they count as non-relevant" in topic
    whole = tmp_path / "whole"
    judged = {topic: {d: qrels[topic].get(d, 0) for own in runs.values() for d in own[topic]} for topic in qrels}
    pw.report(pw.read(judged, runs), whole, measures=["P@5"])
    assert not any(warning in page.read_text() for page in whole.glob("*/*.html"))
