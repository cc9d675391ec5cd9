"""Judging in a real browser by keys alone, and by buttons that do the same."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytest.importorskip("uvicorn", reason="the server runs on uvicorn")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.kit.browser import MARKS, complaints, press, wait
from tests.kit.judging import write_documents, write_plan, write_topics
from tests.kit.judging_page import (
    address,
    begin,
    events,
    say,
    shown,
    text,
)

from poolwise.judging.server import judge
from poolwise.reading.judging_file import combined, in_force, standings

pytestmark = MARKS

# The document in view when it is no longer the one before, its topic and its title, asked for at once.
NEXT = """
const [before, done] = arguments;
const shown = () => document.body.dataset.shown;
const words = () => ["topic-title", "title"].map((id) => document.getElementById(id).innerText);
const look = () => (shown() === before ? setTimeout(look, 1) : done([shown(), ...words()]));
look();
"""


def test_three_hundred_documents_by_keys_alone(browser, tmp_path: Path) -> None:
    write_plan(tmp_path / "plan.txt", topics=10, drawn=(20, 10), pooled=30)
    write_documents(tmp_path / "documents.jsonl", topics=10, pooled=30)
    write_topics(tmp_path / "topics.tsv", topics=10)
    files = {"documents": tmp_path / "documents.jsonl", "topics": str(tmp_path / "topics.tsv")}
    with judge(tmp_path / "plan.txt", **files, scale="0-3") as server:
        begin(browser, address(server))
        given, (document, topic, title) = {}, browser.execute_async_script(NEXT, None)
        for _ in range(300):
            given[document] = (int(title.split()[-1]) + int(topic.split()[-1])) % 4
            press(browser, str(given[document]))
            document, topic, title = browser.execute_async_script(NEXT, document)
        assert document == "end"
        assert text(browser, "topic-title") == "All done. Thank you."
        items = server.room.judging.items
        expected = {(items[int(n)].topic, items[int(n)].document): label for n, label in given.items()}
        found = events(server)
        assert combined(found) == expected
        assert Counter(event.action for event in found) == {"share": 2, "label": 300}
    lines = [line.split() for line in (tmp_path / "plan.judged.txt").read_text().splitlines()]
    assert {(topic, document): int(label) for topic, _, document, _, label in lines if label != "-1"} == expected
    assert complaints(browser) == []


def test_undo_goes_back_without_limit(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    first = shown(browser)
    seen = [first]
    for key in "0123012301":
        say(browser, key)
        seen.append(shown(browser))
    for expected in seen[-2::-1]:
        press(browser, "u" if len(expected) % 2 else Keys.BACKSPACE)
        wait(browser, f"return document.body.dataset.shown === '{expected}'")
    press(browser, "u")
    assert shown(browser) == first
    assert combined(events(server)) == {}
    say(browser, "3")
    assert list(combined(events(server)).values()) == [3]


def test_later_cannot_note_unsure_and_reading(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    put_off = shown(browser)
    say(browser, "l")
    say(browser, "c")
    press(browser, "n")
    wait(browser, "return document.getElementById('writing').open")
    press(browser, "torn page", Keys.ENTER)
    wait(browser, "return !document.getElementById('own-note').hidden")
    assert text(browser, "own-note") == "Note: torn page"
    noted = shown(browser)
    before = shown(browser)
    ActionChains(browser).key_down(Keys.SHIFT).send_keys("2").key_up(Keys.SHIFT).perform()
    wait(browser, f"return document.body.dataset.shown !== '{before}'")
    press(browser, "s")
    say(browser, "1")
    press(browser, "r")
    wait(browser, "return document.getElementById('writing').open")
    press(browser, "only bees", Keys.ENTER)
    wait(browser, "return !document.getElementById('read-as').hidden")
    assert text(browser, "read-as") == "I read it as: only bees"
    while shown(browser) != put_off:
        say(browser, "0")
    say(browser, "3")
    assert shown(browser) == "end"
    found = events(server)
    own = standings(found)["ann"]
    items = server.room.judging.items

    def standing(key: str):
        item = items[int(key)]
        return own[item.topic, item.document]

    assert standing(put_off).label == 3
    assert standing(noted).notes == ["torn page"]
    assert (standing(noted).label, standing(noted).answer.unsure) == (2, True)
    assert Counter(event.action for event in in_force(found)) == {
        "share": 2, "later": 1, "cannot": 1, "note": 1, "reading": 1, "label": 39,
    }  # fmt: skip
    assert sum(event.unsure for event in found) == 2


def test_arrows_look_back_and_a_new_label_replaces_the_old(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    first = shown(browser)
    say(browser, "1")
    say(browser, "1")
    front = shown(browser)
    press(browser, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    wait(browser, f"return document.body.dataset.shown === '{first}'")
    assert text(browser, "standing") == "You labelled this document 1."
    pressed = browser.find_element("css selector", "#grades [aria-pressed='true']")
    assert pressed.get_attribute("data-label") == "1"
    press(browser, "3")
    wait(browser, f"return document.body.dataset.shown === '{front}'")
    labels = [event for event in events(server) if event.action == "label"]
    assert labels[-1].replaces == labels[0].id
    assert sorted(combined(events(server)).values()) == [1, 3]
    assert text(browser, "counts").startswith("2 of 40")


def test_a_key_that_is_held_down_labels_one_document(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    for repeat in (False, True, True, True):
        browser.execute_cdp_cmd(
            "Input.dispatchKeyEvent",
            {"type": "keyDown", "key": "1", "code": "Digit1", "text": "1", "autoRepeat": repeat},
        )
    browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", "key": "1", "code": "Digit1"})
    wait(browser, "return document.getElementById('counts').textContent.startsWith('1 of')")
    say(browser, "2")
    assert sorted(combined(events(server)).values()) == [1, 2]


def test_digits_of_other_keyboards_and_of_the_number_pad(browser, serve) -> None:
    """In France digits need Shift, and the keys without it give other signs."""
    server = serve()
    begin(browser, address(server))
    presses = (
        {"key": "2", "code": "Digit2", "modifiers": 8},  # Shift, where it gives the digit: sure
        {"key": "é", "code": "Digit2"},
        {"key": "3", "code": "Numpad3"},
        {"key": "@", "code": "Digit2", "modifiers": 8},  # Shift elsewhere: not sure
    )
    for place, given in enumerate(presses, 1):
        browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "text": given["key"], **given})
        browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **given})
        wait(browser, f"return document.getElementById('counts').textContent.startsWith('{place} of')")
    labels = [(event.label, event.unsure) for event in events(server) if event.action == "label"]
    assert labels == [(2, False), (2, False), (3, False), (2, True)]


def test_finding_and_marking_words(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    assert browser.find_elements("css selector", "mark") == []  # only when asked for
    press(browser, "/")
    wait(browser, "return document.activeElement.id === 'find-text'")
    press(browser, "t")
    count = int(re.fullmatch(r"1 of (\d+)", text(browser, "found"))[1])
    assert len(browser.find_elements("css selector", "mark.found")) == count > 2
    press(browser, Keys.ENTER)
    assert text(browser, "found") == f"2 of {count}"
    assert events(server)[-1].action == "share"  # letters typed there are no keys
    press(browser, Keys.ESCAPE)
    assert browser.find_elements("css selector", "mark") == []
    before = text(browser, "text")
    press(browser, "h")
    number = text(browser, "topic-title").split()[-1]
    assert {mark.text for mark in browser.find_elements("css selector", "mark.word")} == {number}
    assert text(browser, "text") == before


def test_keys_can_be_changed_and_are_remembered(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    press(browser, "?")
    wait(browser, "return document.getElementById('help').open")
    later = browser.find_element("xpath", "//th[contains(., 'Later')]/../td/button")
    later.click()
    press(browser, "c")
    assert browser.find_element("xpath", "//th[contains(., 'Later')]/../td/button").text == "c is taken"
    press(browser, "p")
    assert browser.find_element("xpath", "//th[contains(., 'Later')]/../td/button").text == "p"
    press(browser, Keys.ESCAPE)
    browser.refresh()
    shown(browser)
    assert browser.find_element("css selector", "[data-do='later'] kbd").text == "p"
    press(browser, "l")
    say(browser, "p")
    assert [event.action for event in events(server)][2:] == ["later"]
    press(browser, "?")
    browser.find_element("id", "usual-keys").click()
    assert browser.find_element("css selector", "[data-do='later'] kbd").get_attribute("textContent") == "l"


def test_buttons_do_what_keys_do(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    for selector in ("#grades [data-label='2']", "[data-do='later']", "[data-do='cannot']"):
        before = shown(browser)
        browser.find_element("css selector", selector).click()
        wait(browser, f"return document.body.dataset.shown !== '{before}'")
    browser.find_element("css selector", "[data-do='unsure']").click()
    before = shown(browser)
    browser.find_element("css selector", "#grades [data-label='0']").click()
    wait(browser, f"return document.body.dataset.shown !== '{before}'")
    browser.find_element("css selector", "[data-do='undo']").click()
    wait(browser, f"return document.body.dataset.shown === '{before}'")
    found = [(event.action, event.label, event.unsure) for event in events(server) if event.assessor]
    assert found == [
        ("label", 2, False), ("later", None, False), ("cannot", None, False), ("label", 0, True), ("undo", None, False),
    ]  # fmt: skip


KEYS = "return [...document.querySelectorAll('#key-list th')].map((row) => row.textContent)"


def test_the_list_of_keys_has_those_of_the_work_at_hand(browser, serve) -> None:
    """Before a name is given buttons show no empty key; settling has a key of its own, and lacks two others."""
    server = serve(assessors=("ann", "bob"), overlap=1.0)
    for name in ("ann", "bob"):
        queue = server.room.judging.queue(name)
        label = {"action": "label", "item": queue[0][0], "label": 0 if name == "ann" else 2}
        for item, _ in queue:
            server.room.judging.record(name, [{**label, "id": f"{name}-{item:06}", "item": item}])
    begin(browser, address(server, "ann"))
    assert "Show what was said before" not in browser.execute_script(KEYS)
    assert "Cannot judge" in browser.execute_script(KEYS)
    server.stop()
    settling = serve(adjudicate="own")
    browser.get(address(settling))
    wait(browser, "return document.getElementById('begin').open")
    empty = "return [...document.querySelectorAll('kbd')].filter((key) => !key.textContent && key.offsetWidth).length"
    assert browser.execute_script(empty) == 0
    begin(browser, address(settling), "chair")
    listed = browser.execute_script(KEYS)
    assert "Show what was said before" in listed
    assert not {"Cannot judge", "Later: it comes back at the end"} & set(listed)


def test_what_scrolls_in_a_dialog_leaves_its_corners_round(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    low = {"width": 1000, "height": 420, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", low)
    press(browser, "?")
    wait(browser, "return document.getElementById('help').open")
    bars = "const [d] = arguments; return [d.scrollHeight > d.clientHeight, getComputedStyle(d).overflow]"
    dialog = browser.find_element("id", "help")
    assert browser.execute_script(bars, dialog) == [False, "hidden"]
    assert browser.execute_script(bars, dialog.find_element("css selector", ".sheet"))[0]
