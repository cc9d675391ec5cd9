"""Pages as text: escaping, one script, tables with their data."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from poolwise.show.items import anchor
from poolwise.show.page import Entry, Figure, Heading, Page, Table, plotly_script

TABLE = Table("Scores & more", {"run": ["<b>", "a"], "AP": [0.123456, 1.0]}, "A note.")
FIGURE = Figure("A curve", [{"x": [1, 2], "y": [0.5, 0.25], "name": "</script>"}], {"xaxis": {}})


def test_page_is_self_contained_and_escaped():
    html = Page("Title <1>", ["First."], [TABLE, FIGURE, FIGURE], ["How."], ["Careful."]).html()
    assert "<title>Title &lt;1&gt;</title>" in html
    assert '<td data-value="&lt;b&gt;">&lt;b&gt;</td>' in html
    assert '<td data-value="0.123456" class="number">0.1235</td>' in html
    assert "Careful." in html
    assert html.count("plotly.js v") == 1
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", html)
    stored = re.findall(r'class="figure-data">(.*?)</script>', html)
    assert json.loads(stored[0])["data"][0]["name"] == "</script>"


def test_page_without_figures_needs_no_plotly(tmp_path):
    page = Page("Small", ["Only words."], [TABLE])
    page.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 20_000
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_pages_of_a_folder_share_one_script(tmp_path):
    for place in ("index.html", "one/index.html", "one/two/index.html"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        Page("Small", ["Words."], [FIGURE]).write(tmp_path / place, tmp_path)
        text = (tmp_path / place).read_text()
        assert len(text) < 30_000
        (address,) = re.findall(r'<script src="([^"]+)">', text)
        assert (tmp_path / place).parent.joinpath(address).resolve() == tmp_path / "plotly.min.js"
    assert (tmp_path / "plotly.min.js").read_text() == plotly_script()
    stale = tmp_path / "plotly.min.js"
    stale.write_text("of an older release")
    Page("Small", ["Words."], [FIGURE]).write(tmp_path / "index.html", tmp_path)
    assert stale.read_text() == plotly_script()


def test_an_index_shows_the_first_figure_of_each_page():
    html = Page("All", [], [], entries={"one/index.html": Entry("One", ["It says."], FIGURE)}).html("plotly.min.js")
    assert '<h2><a href="one/index.html">One</a></h2>' in html
    assert html.count('class="figure picture"') == 1
    assert "<p>It says.</p>" in html


def test_long_pages_begin_with_their_contents():
    parts = [replace(TABLE, title=f"Table {number}") for number in range(5)]
    assert re.findall(r'<li><a href="#table-\d">(.*?)</a>', Page("Long", [], parts).html()) == [
        f"Table {number}" for number in range(5)
    ]
    assert "<nav" not in Page("Short", [], parts[:4]).html()
    chapters = [Heading("AP"), *parts, Heading("nDCG")]
    assert [part.title for part in Page("Chapters", [], chapters).contents()] == ["AP", "nDCG"]


def test_table_download_and_anchor():
    assert TABLE.csv() == "run,AP\n<b>,0.123456\na,1.0\n"
    assert anchor("Scores & more") == "scores-more"
