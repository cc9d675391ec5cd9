"""Pages as text: escaping, one script, tables with their data."""

from __future__ import annotations

import json
import re

from poolwise.show.items import anchor
from poolwise.show.page import Figure, Page, Table

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


def test_table_download_and_anchor():
    assert TABLE.csv() == "run,AP\n<b>,0.123456\na,1.0\n"
    assert anchor("Scores & more") == "scores-more"
