"""What the judging page shows, on a wide screen and on a phone, and to those who do not see it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytest.importorskip("uvicorn", reason="the server runs on uvicorn")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.kit.browser import MARKS, axe, complaints, press, wait
from tests.kit.judging_page import (
    GUIDELINES,
    address,
    begin,
    events,
    phone,
    runs_of,
    say,
    shown,
    text,
    write_texts,
)

from poolwise.reading.judging_file import combined

pytestmark = MARKS


def test_text_is_shown_as_it_is_and_never_run(browser, serve, folder: Path) -> None:
    hostile = "</article><script>window.broken = 1</script><img src=x onerror='window.broken = 1'> & <b>bold</b>"
    words = {"title": hostile, "text": f"{hostile}\n\nSecond.", "url": "javascript:window.broken=1", "x<y": hostile}
    (folder / "topics.tsv").write_text("".join(f"{topic}\t{hostile}\n" for topic in range(1, 5)))
    (folder / "guide.md").write_text(GUIDELINES + hostile)
    server = serve(documents=write_texts(folder, **words), guidelines=str(folder / "guide.md"))
    begin(browser, address(server), "<script>window.broken = 1</script>")
    assert wait(browser, "return document.getElementById('guidelines').open")
    assert "<script>" in text(browser, "guidelines-text")
    assert browser.find_elements("css selector", "#guidelines-text strong")[0].text == "all"
    assert len(browser.find_elements("css selector", "#guidelines-text li")) == 3
    press(browser, Keys.ESCAPE)
    assert text(browser, "text") == f"{hostile}\nSecond."
    assert text(browser, "title") == hostile
    assert hostile in text(browser, "more")
    assert text(browser, "url") == ""
    assert browser.find_elements("css selector", "main script, main img, main b") == []
    assert browser.execute_script("return window.broken") is None
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(address(server)) for name in fetched)


def test_missing_text_does_not_stop_the_work(browser, serve, folder: Path) -> None:
    (folder / "few.jsonl").write_text('{"id": "d1-1-00", "text": "here"}\n')
    server = serve(documents=folder / "few.jsonl")
    begin(browser, address(server))
    for _ in range(5):
        say(browser, "1")
    assert len(combined(events(server))) == 5
    browser.find_element("css selector", "#document.missing")


def test_long_texts_scroll_by_space_with_the_topic_in_view(browser, serve, folder: Path) -> None:
    long = "\n\n".join(f"Paragraph {number}, of some length, to be read." for number in range(80))
    server = serve(documents=write_texts(folder, text=long))
    begin(browser, address(server))
    press(browser, " ", " ")
    assert browser.execute_script("return window.scrollY") > 700
    top, bottom = browser.execute_script(
        "const b = document.getElementById('topic-title').getBoundingClientRect(); return [b.top, b.bottom]"
    )
    assert 0 <= top < bottom <= 300
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(" ").key_up(Keys.SHIFT).perform()
    assert 200 < browser.execute_script("return window.scrollY") < 700
    say(browser, "1")
    assert browser.execute_script("return window.scrollY") == 0


def test_precision_is_in_view_and_values_when_asked_for(browser, serve, folder: Path) -> None:
    server = serve(runs=runs_of(folder), measure="P@10")
    begin(browser, address(server))
    for number in range(12):
        say(browser, str(number % 2))
    wait(browser, "return document.querySelector('#numbers .wide')", 60)
    panel = text(browser, "numbers")
    assert re.search(
        r"P@10: width of the interval\n\d\.\d+ wide\nNot yet enough\n\d+ labels left\n95 % interval from \d+ labels",
        panel,
    )
    assert re.search(r"at the end\s+\d\.\d+", panel)
    assert not browser.find_elements("css selector", "#numbers strong, #numbers .interval")
    assert not browser.find_element("id", "numbers-line").is_displayed()  # the panel says it all
    press(browser, "e")
    wait(browser, "return document.querySelector('#numbers strong')", 60)
    panel = text(browser, "numbers")
    assert "X \N{MINUS SIGN} Y" in panel
    assert not re.search("good|bad", browser.execute_script("return document.body.textContent"))
    assert "holds at every look" in panel
    assert browser.find_elements("css selector", "#numbers svg .held")
    press(browser, "v")
    assert not browser.find_element("id", "numbers").is_displayed()
    wait(browser, "return document.body.dataset.unsent === '0'")
    browser.refresh()
    shown(browser)
    assert not browser.find_element("id", "numbers").is_displayed()
    press(browser, "v")
    wait(browser, "return document.querySelector('#numbers .wide')", 60)
    assert not browser.find_elements("css selector", "#numbers strong")  # who hid the panel hid values with it
    assert [event.note for event in events(server) if event.action == "view"] == ["values", None]
    looks = [json.loads(event.note) for event in events(server) if event.action == "look"]
    assert [look["end"] for look in looks] == [40]
    assert list(looks[0]["rows"]) == ["P@10 good - bad"]
    assert complaints(browser) == []


def test_hidden_scores_reach_no_page(browser, serve, folder: Path) -> None:
    server = serve(runs=runs_of(folder), measure="P@10", hide_scores=True)
    begin(browser, address(server))
    for _ in range(10):
        say(browser, "1")
    assert not browser.find_element("css selector", "[data-do='numbers']").is_displayed()
    answer = browser.execute_async_script(
        "const done = arguments[0]; fetch('numbers?name=ann').then(r => r.json()).then(done)"
    )
    assert answer == {"numbers": None}


def test_a_phone_shows_all_of_it(browser, serve, folder: Path) -> None:
    phone(browser)
    server = serve(runs=runs_of(folder), measure="P@10")
    begin(browser, address(server))
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 375
    for button in browser.find_elements("css selector", "#grades button"):
        assert button.is_displayed()
        assert button.rect["height"] >= 44  # a finger's width
        assert button.rect["x"] + button.rect["width"] <= 375
    text_box = browser.execute_script(
        "const b = document.getElementById('text').getBoundingClientRect(); return [b.top]"
    )
    bottom = browser.execute_script("return document.getElementById('bottom').getBoundingClientRect().top")
    assert text_box[0] < bottom - 100
    line = browser.find_element("id", "numbers-line")
    assert line.is_displayed()  # the panel is far below
    wait(browser, "return document.getElementById('numbers-line').textContent.includes('first comes in 6 labels')", 60)
    before = shown(browser)
    browser.find_element("css selector", "#grades [data-label='1']").click()
    wait(browser, f"return document.body.dataset.shown !== '{before}'")


# Rules of axe-core that depend on how wide a page is and in which colours; all others look at its parts alone.
OF_LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable")


def complaints_of_axe(browser) -> list[str]:
    """On a wide light page, and what looks decide on a dark phone."""
    found = axe(browser)
    in_colours(browser, "dark")
    phone(browser)
    found += axe(browser, *OF_LOOKS)
    in_colours(browser, "light")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found


def in_colours(browser, scheme: str) -> None:
    wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) > 600) == (scheme == "light")


def test_axe_finds_nothing(browser, serve, folder: Path) -> None:
    """Before the first name, over guidelines, with estimates, marks, help, a note, and at the end."""
    (folder / "guide.md").write_text(GUIDELINES)
    topics = [
        {"id": topic, "title": f"what is {topic}", "description": "What?", "narrative": "At length."}
        for topic in range(1, 5)
    ]
    (folder / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics))
    server = serve(
        runs=runs_of(folder), measure="P@10", guidelines=str(folder / "guide.md"), topics=str(folder / "topics.jsonl")
    )
    browser.get(address(server))
    wait(browser, "return document.getElementById('begin').open")
    in_colours(browser, "light")
    assert complaints_of_axe(browser) == []
    begin(browser, address(server))
    assert wait(browser, "return document.getElementById('guidelines').open")
    assert complaints_of_axe(browser) == []
    press(browser, Keys.ESCAPE)
    for number in range(12):
        say(browser, str(number % 2))
    wait(browser, "return document.querySelector('#numbers .wide')", 60)
    press(browser, "e")
    wait(browser, "return document.querySelector('#numbers strong')", 60)
    press(browser, Keys.ARROW_LEFT, "h", "s")
    press(browser, "/", "Text")
    assert complaints_of_axe(browser) == []
    press(browser, Keys.ESCAPE, "?")
    assert complaints_of_axe(browser) == []
    press(browser, Keys.ESCAPE, "n")
    assert complaints_of_axe(browser) == []
    press(browser, "odd", Keys.ENTER)
    while shown(browser) != "end":
        press(browser, "1")
    assert complaints_of_axe(browser) == []


def test_every_control_can_be_reached_and_has_a_name(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    names = browser.execute_script(
        "return [...document.querySelectorAll('button, input, textarea')].filter(b => b.offsetParent)"
        ".map(b => b.getAttribute('aria-label') || b.innerText || b.labels[0]?.innerText)"
    )
    assert len(names) > 10
    assert all(names)
    reached = set()
    for _ in range(40):
        press(browser, Keys.TAB)
        reached.add(
            browser.execute_script("return document.activeElement.dataset?.do ?? document.activeElement.dataset?.label")
        )
    assert {"0", "1", "2", "3", "undo", "later", "cannot", "note", "help"} <= reached


def test_axe_finds_nothing_while_disagreements_are_settled(browser, serve) -> None:
    """With what was said hidden and shown, over the keys, at the end, before a label given; and at a wrong address."""
    pair = serve(assessors=("ann", "bob"), overlap=1.0)
    judging = pair.room.judging
    (item,) = {number for number, _ in judging.queue("ann")[:1]}
    for name, label in (("ann", 1), ("bob", 2)):
        judging.record(name, [{"id": f"event-{name}", "action": "label", "item": item, "label": label}])
    pair.stop()
    server = serve(assessors=("cy",), adjudicate="own")
    begin(browser, address(server, "cy"))
    in_colours(browser, "light")
    assert text(browser, "counts") == "0 of 1 settled"
    assert complaints_of_axe(browser) == []
    press(browser, "w")
    wait(browser, "return document.getElementById('said-before').open")
    assert complaints_of_axe(browser) == []
    press(browser, "?")
    assert "estimates" not in text(browser, "help")  # there are none to show or hide
    assert complaints_of_axe(browser) == []
    press(browser, Keys.ESCAPE)
    say(browser, "1")
    assert shown(browser) == "end"
    assert complaints_of_axe(browser) == []
    press(browser, Keys.ARROW_LEFT, "/", "Text")
    in_colours(browser, "dark")
    assert axe(browser, *OF_LOOKS) == []  # also of the place that is found
    assert complaints(browser) == []
    browser.get(f"{address(server, 'cy').rsplit('/', 2)[0]}/no-token/")
    assert "needs its token" in browser.find_element("tag name", "main").text
    assert axe(browser) == []
