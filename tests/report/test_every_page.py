"""A page of every kind in a real browser: axe-core and the console find nothing, and phones need not move sideways."""

from __future__ import annotations

import re

import pytest
from tests.kit.browser import MARKS, axe, chromium, complaints, wait
from tests.kit.every_page import commands, prepare, study_commands, write_pages

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytestmark = MARKS

ONE_STUDY = "study-reusability/index.html"  # pages of studies are made alike; this one is made soonest
PAGES = [*commands(), ONE_STUDY, "report/runs", "report/topics"]
PHONE = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pages")
    prepare(place)
    write_pages(place, {**commands(), ONE_STUDY: study_commands()[ONE_STUDY]})
    return place


@pytest.fixture(scope="module")
def browser():
    driver = chromium()
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


@pytest.mark.parametrize("page", [*commands(), ONE_STUDY])
def test_a_page_names_its_input_with_digests(folder, page):
    text = (folder / page).read_text()
    assert "Command: poolwise " in text
    assert re.search(r"Input: [^<]*\(([0-9]+ files, )?sha256 [0-9a-f]{12}\)", text)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wrong_with_a_page(browser, folder, page):
    path = folder / page if page.endswith(".html") else min((folder / page).iterdir())
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    browser.get(path.as_uri())
    wait(browser, "return [...document.querySelectorAll('.figure')].every(box => box.querySelector('.main-svg'))")
    assert browser.execute_script(WIDER) == 0
    assert axe(browser) == []
    assert complaints(browser) == []
