"""Pages as text: escaping, one script, tables with their data."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace

from poolwise.show.page import Entry, Page, plotly_script
from poolwise.show.parts import Figure, Heading, Table, anchor

TABLE = Table("Scores & more", {"run": ["<b>", "a"], "AP": [0.123456, 1.0]}, "A note.")
FIGURE = Figure("A curve", [{"x": [1, 2], "y": [0.5, 0.25], "name": "</script>"}], {"xaxis": {}})


def test_page_is_self_contained_and_escaped():
    html = Page("Title <1>", ["First."], [TABLE, FIGURE, FIGURE], ["How."], ["Careful."]).html()
    assert "<title>Title &lt;1&gt;</title>" in html
    assert '<td class="words">&lt;b&gt;</td>' in html
    assert "<td>0.1235</td>" in html
    assert "Careful." in html
    assert html.count("plotly.js v") == 1
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", html)
    assert "Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline' 'self' file:;" in html
    stored = re.findall(r'class="figure-data">(.*?)</script>', html)
    assert json.loads(stored[0])["data"][0]["name"] == "&lt;/script>"  # as plotly shows it, letter by letter
    assert "<" not in stored[0]


def test_the_script_inside_a_page_is_plotlys_packed():
    html = Page("Title", ["First."], [FIGURE]).html()
    (packed,) = re.findall(r'<script type="text/plain" id="plotly" data-about="plotly.js v[^"]*MIT[^"]*">(.*?)<', html)
    assert zlib.decompress(b64decode(packed)).decode() == plotly_script()
    assert len(html) < 0.5 * len(plotly_script())


def test_notes_and_names_of_numbers_are_in_the_words_of_headings():
    table = Table(
        "Mixed", {"what": ["decisions_kept", "tau_ap"], "told_apart_second": [1, 2]}, "told_apart_second: all."
    )
    html = Page("Words", [], [table]).html()
    assert '<p class="note">by the second: all.</p>' in html
    assert '<td class="words">decisions kept</td>' in html
    assert '<td class="words">tau AP</td>' in html
    assert "decisions_kept" in table.csv()
    wide = Table(
        "Wide", {"measure": ["AP"], "fraction": [0.1], "accuracy": [1.0]}, wide=("measure", "fraction", "accuracy")
    )
    assert '<p class="note">Same decisions by measure and labels.</p>' in Page("Wide", [], [wide]).html()


def test_names_of_any_bytes_and_signs_are_shown():
    latin = b"caf\xe9 <!--<script>".decode("utf-8", "surrogateescape")
    figure = Figure("Runs", [{"x": [latin], "text": [latin], "y": [1.0], "hovertemplate": "%{x}<br>"}], {})
    html = Page("Names", [latin], [Table("Runs", {"run": [latin]}), figure]).html()
    html.encode("utf-8")
    stored = re.findall(r'class="figure-data">(.*?)</script>', html)
    shown = json.loads(stored[0])["data"][0]
    assert shown["x"] == shown["text"] == ["caf\\xe9 &lt;!--&lt;script>"]
    assert shown["hovertemplate"] == "%{x}<br>"
    assert "<!--<script" not in html.partition("<script>")[0]


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


def test_columns_are_headed_in_words_with_digits_that_fit():
    columns = {"measure": ["AP"], "fraction": [0.005], "rank": [4.0], "topics_for_phi95": [81.0], "tau": [1.0]}
    html = Page("Words", [], [Table("A table", columns)]).html()
    headings = re.findall(r"<button type=\"button\"[^>]*>(.*?)</button></th>", html)
    assert headings == ["measure", "labels", "rank", "topics for Phi .95", "tau"]
    assert re.findall(r"<td( data-value=.*?)?>(.*?)</td>", html) == [
        (' data-value="0.005"', "0.5 %"),
        ("", "4"),
        ("", "81"),
        ("", "1.0000"),
    ]
    assert re.findall(r'<th scope="col"(?: class="number(?: lengthy)?")?( data-value=".*?")?>', html) == [
        "",
        ' data-value="fraction"',
        "",
        ' data-value="topics_for_phi95"',
        "",
    ]
    assert 'title="Share of the labels that was kept"' in html


def test_long_tables_are_shown_wide_and_kept_long():
    columns = {"measure": ["AP", "AP", "P"], "fraction": [0.1, 1.0, 1.0], "tau": [0.5, 1.0, 0.75]}
    table = Table("Agreement", columns, "Means.", wide=("measure", "fraction", "tau"))
    shown = table.for_page()
    assert shown.columns == {"measure": ["AP", "P"], "10 %": [0.5, None], "100 %": [1.0, 0.75]}
    assert shown.note == "Means. Tau by measure and labels."
    assert table.csv().splitlines()[1:] == ["AP,0.1,0.5", "AP,1.0,1.0", "P,1.0,0.75"]


def test_of_a_long_table_the_first_rows_are_shown_and_counted():
    html = Page("Long", [], [Table("Numbers", {"n": list(range(1234))})]).html()
    assert html.count("<tr><td>") == 1000
    assert "<td>999</td>" in html
    assert "The first 1000 of 1234 rows." in html
    assert '<p class="on-paper">On paper the first 100 of 1234 rows.</p>' in html
    assert "On paper" not in Page("Short", [], [TABLE]).html()


def test_headings_are_drawn_on_every_sheet_of_paper():
    """Chromium draws a repeated heading's words, but no button."""
    paper = Page("Small", [], [TABLE]).html().partition("@media print")[2].partition("</style>")[0]
    assert "thead { display: table-header-group; break-inside: avoid; }" in paper
    assert "th button { display: contents; }" in paper
