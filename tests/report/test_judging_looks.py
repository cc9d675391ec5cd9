"""How things look on the judging page: long names stay in their place, and texts as their authors laid them out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytest.importorskip("uvicorn", reason="the server runs on uvicorn")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.kit.browser import MARKS, axe, press, wait
from tests.kit.judging_page import address, begin, runs_of, say, shown, write_texts

pytestmark = MARKS
LONG = "a-sparse-cross-encoder-of-our-own_reranked-once-more-full"
OUTSIDE = """
const panel = document.getElementById("numbers").getBoundingClientRect();
return [...document.querySelectorAll("#numbers *, #numbers-line")]
  .filter((each) => each.getClientRects().length)
  .filter((each) => {
    const box = each.getBoundingClientRect();
    const inside = each.id === "numbers-line" || (box.left >= panel.left - 0.5 && box.right <= panel.right + 0.5);
    const cut = !(each instanceof SVGElement) && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1;
    return !inside || cut;
  })
  .map((each) => `${each.tagName} ${each.textContent}`);
"""
CODE = "def first(words):\n    if words:\n        return words[0]\n\n    return None"
TABLE = "year  bees  wasps\n1901    12      3\n1902     7     15"
PROSE = "A first sentence.  And a second one\nthat goes on in the next line."
RIGHT = "\u05d6\u05d4 \u05de\u05e9\u05e4\u05d8."  # in Hebrew


@pytest.mark.parametrize("runs", [2, 6])
def test_no_value_leaves_the_panel(browser, serve, folder: Path, runs: int) -> None:
    good, bad = runs_of(folder)
    paths = []
    for number in range(runs):
        paths.append(folder / f"{number}-{LONG}-{number}.txt")
        paths[-1].write_text(Path((good, bad)[number % 2]).read_text())
    server = serve(runs=list(map(str, paths)), measure="P@10")
    begin(browser, address(server))
    for number in range(8):
        say(browser, str(number % 2))
    wait(browser, "return document.querySelector('#numbers .wide')", 60)
    press(browser, "e")
    wait(browser, "return document.querySelector('#numbers strong')", 60)
    for width, height in ((1400, 900), (390, 844)):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wait(browser, f"return innerWidth === {width}")
        assert browser.execute_script(OUTSIDE) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert len(browser.find_elements("css selector", "#numbers strong")) == (1 if runs == 2 else runs)


def paragraphs(browser) -> list[str]:
    return browser.execute_script("return [...document.querySelectorAll('#text p')].map((each) => each.innerText)")


def test_lines_keep_their_indentation_and_columns_their_places(browser, serve, folder: Path) -> None:
    begin(browser, address(serve(documents=write_texts(folder, text=f"{CODE}\n\n\n{TABLE}\r\n\r\n{PROSE}\n"))))
    assert paragraphs(browser) == [*CODE.split("\n\n"), TABLE, PROSE]
    laid_out = "return [...document.querySelectorAll('#text p')].map((each) => each.className)"
    assert browser.execute_script(laid_out) == ["aligned", "aligned", "aligned", ""]
    ends = """
    const node = document.querySelectorAll("#text p")[2].firstChild;
    return [...node.data.matchAll(/\\S+/g)].map((word) => {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      return Math.round(range.getBoundingClientRect().right);
    });
    """
    right = browser.execute_script(ends)
    assert right[1::3] == [right[1]] * 3  # bees, 12, 7
    assert right[2::3] == [right[2]] * 3


def test_long_lines_of_a_table_are_moved_by_keys(browser, serve, folder: Path) -> None:
    wide = "\n".join(f"{line}  {'many words ' * 20}" for line in TABLE.splitlines())
    begin(browser, address(serve(documents=write_texts(folder, text=wide))))
    before = shown(browser)
    assert axe(browser, "scrollable-region-focusable") == []
    browser.execute_script("document.querySelector('#text .aligned').focus()")
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT * 3).perform()
    wait(browser, "return document.querySelector('#text .aligned').scrollLeft > 0")
    assert shown(browser) == before


def test_text_from_right_to_left_is_set_so(browser, serve, folder: Path) -> None:
    asked = {"title": RIGHT, "description": f"{RIGHT} {RIGHT}", "narrative": f"{RIGHT}\n\nIn English."}
    lines = [json.dumps({"id": topic, **asked}) + "\n" for topic in range(1, 5)]
    (folder / "topics.jsonl").write_text("".join(lines))
    texts = write_texts(folder, text=f"{RIGHT}\n\nIn English.", title=RIGHT, other=RIGHT)
    begin(browser, address(serve(documents=texts, topics=str(folder / "topics.jsonl"))))
    directions = """
    const parts = ["#topic-title", "#description", "#narrative p", "#title", "#text p", "#more dd"];
    return parts.map((part) => [...document.querySelectorAll(part)].map((each) => getComputedStyle(each).direction));
    """
    right, both = ["rtl"], ["rtl", "ltr"]
    assert browser.execute_script(directions) == [right, right, both, right, both, right]


def test_a_topic_is_shown_as_it_was_asked(browser, serve, folder: Path) -> None:
    (folder / "topics.tsv").write_text("".join(f"{topic}\tiPhone maps\n" for topic in range(1, 5)))
    begin(browser, address(serve()))
    shown(browser)
    assert browser.find_element("id", "topic-title").text == "iPhone maps"
    style = "return getComputedStyle(document.getElementById('topic-title'), '::first-letter').textTransform"
    assert browser.execute_script(style) == "none"
