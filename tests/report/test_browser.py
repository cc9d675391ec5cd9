"""Pages in a real browser: figures are drawn, runs are found, tables sort and download, dark mode, paper, phones."""

from __future__ import annotations

import base64
import csv
import io
import time
from pathlib import Path

import pytest
from tests.kit.browser import MARKS, chromium, complaints, wait

from poolwise.errors import ArgumentError
from poolwise.lab.simulate.drawing import simulate
from poolwise.show.page import write_images
from poolwise.study import robustness

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytestmark = MARKS

PAPER = "rgb(255, 255, 255)"


@pytest.fixture(scope="module")
def study():
    pool = simulate(runs=12, topics=10, depth=60, pool_depth=20, grades=3, seed=2).pool()
    return robustness(pool, fractions=[0.05, 0.1, 0.2, 0.5, 1.0], trials=3)


@pytest.fixture(scope="module")
def page(study, tmp_path_factory):
    return Path(study.report(tmp_path_factory.mktemp("page"), command="poolwise study robustness")).as_uri()


@pytest.fixture(scope="module")
def browser():
    driver = chromium()
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, page):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(page)
    wait(browser, "return document.querySelectorAll('.figure .main-svg').length > 0")
    return browser


def test_every_figure_is_drawn_without_a_complaint(opened, study):
    drawn = opened.execute_script(
        "return [...document.querySelectorAll('.figure')].map(b => b.querySelectorAll('.main-svg').length)"
    )
    assert len(drawn) == len(study.figures)
    assert min(drawn) > 0
    assert complaints(opened) == []


def test_nothing_is_fetched_from_the_network(opened):
    fetched = opened.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in fetched if not name.startswith(("data:", "blob:", "file:"))] == []


def test_hovering_names_the_run(opened, study):
    from selenium.webdriver import ActionChains

    figure = next(f for f in study.figures.values() if f.names_runs)
    box = opened.find_element("css selector", f"[data-name='{figure.name}']")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    point = box.find_elements("css selector", ".points path")[0]
    ActionChains(opened).move_to_element(point).perform()
    wait(opened, f"return document.querySelectorAll(\"[data-name='{figure.name}'] .hovertext\").length > 0")
    text = box.find_element("css selector", ".hovertext").text
    assert any(run in text for run in figure.data[0]["text"])


def test_a_searched_run_is_marked_in_tables_and_figures(opened, study):
    run = study.tables["runs"].columns["run"][3]
    search = opened.find_element("id", "find-run")
    search.send_keys(run.upper())
    wait(opened, "return document.querySelectorAll('tr.found').length > 0")
    rows = opened.find_elements("css selector", "tr.found")
    assert [row.find_element("css selector", "td").text for row in rows] == [run]
    marked = opened.execute_script(
        "return [...document.querySelectorAll('.figure')].flatMap(b => b.data).filter(t => t.meta === 'runs')"
        ".map(t => t.selectedpoints.map(i => t.text[i]))"
    )
    assert marked
    assert all(names == [run] for names in marked)
    assert opened.find_element("id", "found-runs").text == "1 found"
    search.clear()
    search.send_keys(" ")
    wait(opened, "return document.querySelectorAll('tr.found').length === 0")
    free = opened.execute_script(
        "return [...document.querySelectorAll('.figure')].flatMap(b => b.data).filter(t => t.meta === 'runs')"
        ".every(t => t.selectedpoints == null)"
    )
    assert free


def test_lines_can_be_switched_off(opened):
    from selenium.webdriver import ActionChains

    toggle = opened.find_element("css selector", ".figure .legendtoggle")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", toggle)
    ActionChains(opened).move_to_element(toggle).click().perform()
    assert wait(opened, "return document.querySelector('.figure').data.some(t => t.visible === 'legendonly')")


def column(browser, table, place):
    return browser.execute_script(
        f"return [...document.querySelectorAll('#{table} tbody tr')]"
        f".map(r => r.children[{place}].dataset.value ?? r.children[{place}].textContent)"
    )


def test_tables_sort_by_number_both_ways(opened, study):
    heading = opened.find_elements("css selector", "#curve th button")[2]
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", heading)
    curve = study.tables["curve"].columns
    expected = sorted(tau for fraction, tau in zip(curve["fraction"], curve["tau"], strict=True) if fraction == 0.1)
    heading.click()
    assert [float(value) for value in column(opened, "curve", 2)] == pytest.approx(expected[::-1], rel=0.001)
    heading.click()
    assert [float(value) for value in column(opened, "curve", 2)] == pytest.approx(expected, rel=0.001)


def downloaded(browser, folder, button, name):
    """The rows of a table that is saved by its button."""
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", button)
    end = time.monotonic() + 30
    while not (folder / name).exists():
        assert time.monotonic() < end, f"{name} does not come"
        time.sleep(0.02)
    return list(csv.DictReader(io.StringIO((folder / name).read_text("utf-8"))))


def test_tables_download_as_the_page_has_them(opened, study, tmp_path):
    table = study.tables["runs"]
    rows = downloaded(opened, tmp_path, opened.find_element("css selector", "#runs [data-csv]"), "runs.csv")
    assert list(rows[0]) == list(table.columns)
    for name, column in table.columns.items():
        there = [row[name] for row in rows]
        if isinstance(column[0], str):
            assert there == list(column)
        else:
            assert [float(text) for text in there] == pytest.approx(list(column), rel=0.001)


def test_a_wide_table_downloads_wide_and_cells_with_commas_in_quotes(browser, tmp_path):
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

    columns = {"measure": ["AP", 'a, "b"', "AP"], "fraction": [0.1, 0.1, 1.0], "tau": [0.5, None, 0.00123456]}
    Page("Wide", [], [Table("Taus", columns, wide=("measure", "fraction", "tau"))]).write(tmp_path / "page.html")
    browser.get((tmp_path / "page.html").as_uri())
    rows = downloaded(browser, tmp_path, browser.find_element("css selector", "[data-csv]"), "taus.csv")
    assert rows == [
        {"measure": "AP", "10 %": "0.5000", "100 %": "0.0012346"},
        {"measure": 'a, "b"', "10 %": "", "100 %": ""},
    ]
    assert complaints(browser) == []


def test_gaps_sort_below_every_number_and_infinite_ones_above(browser, tmp_path):
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

    Page("Gaps", [], [Table("Gaps", {"AP": [0.5, None, float("inf"), -1.0]})]).write(tmp_path / "page.html")
    browser.get((tmp_path / "page.html").as_uri())
    browser.find_element("css selector", "th button").click()
    assert column(browser, "gaps", 0) == ["inf", "0.5000", "-1.0000", ""]


def test_every_panel_has_all_lines_behind_its_own(browser, tmp_path):
    from poolwise.show.figures import curves
    from poolwise.show.page import Page

    lines = {f"line {number}": ([1, 2], [number / 10, 0.5]) for number in range(9)}
    figure = curves("Lines", lines, "x", "y")
    Page("Panels", [], [figure]).write(tmp_path / "page.html", tmp_path)
    browser.get((tmp_path / "page.html").as_uri())
    wait(browser, "return document.querySelectorAll('.figure .main-svg').length > 0")
    drawn = browser.execute_script("return document.querySelector('.figure').data.map(t => [t.x, t.y])")
    assert drawn == [[trace["x"], trace["y"]] for trace in figure.data]
    assert len(drawn) == 18


def test_figures_are_saved_as_they_are_drawn(opened):
    found = opened.execute_async_script(
        "const done = arguments[0]; Plotly.toImage(document.querySelector('.figure'), {format: 'svg', width: 900,"
        " height: 550}).then(done)"
    )
    assert found.startswith("data:image/svg+xml")
    assert opened.find_elements("css selector", "button[data-format='png']")


def background(browser):
    return browser.execute_script("return getComputedStyle(document.body).backgroundColor")


def test_dark_mode_reaches_text_and_figures(opened):
    assert background(opened) == PAPER
    opened.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    wait(opened, f"return getComputedStyle(document.body).backgroundColor !== '{PAPER}'")
    dark = background(opened)
    wait(opened, "return document.querySelector('.figure').layout.paper_bgcolor !== '#ffffff'")
    assert sum(map(int, dark.removeprefix("rgb(").removesuffix(")").split(","))) < 150


def test_paper_is_white_and_shows_whole_tables(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert background(opened) == PAPER
    heights = opened.execute_script(
        "return [...document.querySelectorAll('.scroll')].map(b => b.scrollHeight - b.clientHeight)"
    )
    assert max(heights) <= 1
    printed = base64.b64decode(opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") + printed.count(b"/Type/Page") >= 2


def test_a_phone_does_not_scroll_sideways(opened, page):
    opened.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    )
    opened.get(page)
    wait(opened, "return document.querySelectorAll('.figure .main-svg').length > 0")
    assert opened.execute_script("return document.documentElement.scrollWidth") <= 390


def test_the_script_that_draws_lies_beside_the_page(page):
    path = Path(page.removeprefix("file://"))
    assert "plotly.js v" in (path.parent / "plotly.min.js").read_text()[:200]
    assert path.stat().st_size < 300_000


def test_figures_are_written_as_files(study, tmp_path):
    pytest.importorskip("kaleido")
    figure = next(iter(study.figures.values()))
    write_images([figure], tmp_path, ("svg", "pdf", "png"))
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for form, start in starts.items():
        assert (tmp_path / f"{figure.name}.{form}").read_bytes().startswith(start)
    with pytest.raises(ArgumentError, match="svg, png, pdf"):
        write_images([figure], tmp_path, ("gif",))


def test_names_of_runs_are_shown_letter_by_letter(browser, tmp_path):
    from poolwise.show.figures import run_intervals
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

    names = ["<!--<script>", '<a href="https://elsewhere.example">click</a>', "<b>bold & <br>"]
    figure = run_intervals("Runs", names, ([0.1, 0.2, 0.3], [0.0, 0.1, 0.2], [0.2, 0.3, 0.4]), "AP")
    Page("Names", ["Three runs."], [figure, Table("Runs", {"run": names}), figure], ["How."]).write(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    wait(browser, "return document.querySelectorAll('.figure .main-svg').length > 1")
    ticks = browser.execute_script("return [...document.querySelectorAll('.xtick text')].map(t => t.textContent)")
    assert set(ticks) == set(names)
    assert browser.execute_script("return document.querySelectorAll('.figure a[href*=elsewhere]').length") == 0
    assert browser.execute_script("return document.querySelectorAll('table').length") == 1
    assert complaints(browser) == []
