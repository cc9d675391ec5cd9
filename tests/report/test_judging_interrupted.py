"""Judging in a real browser by several people and in several tabs, interrupted in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytest.importorskip("uvicorn", reason="the server runs on uvicorn")

from tests.kit.browser import MARKS, complaints, press, wait
from tests.kit.judging_page import address, begin, connect, events, say, shown, text

from poolwise.reading.judging_file import combined, opened, standings

pytestmark = MARKS


def test_two_assessors_share_the_work_at_once(browser, serve) -> None:
    """By turns, each in a tab of their own; a quarter of the documents comes to both."""
    server = serve(assessors=("ann", "bob"), overlap=0.25)
    labels, tabs = {"ann": "1", "bob": "2"}, {}
    seen: dict[str, set[str]] = {name: set() for name in labels}
    for name in labels:
        browser.switch_to.new_window("tab")
        tabs[name] = browser.current_window_handle
        begin(browser, address(server, name))
    left = set(labels)
    while left:
        for name in sorted(left):
            browser.switch_to.window(tabs[name])
            if shown(browser) == "end":
                left.discard(name)
                continue
            seen[name].add(shown(browser))
            say(browser, labels[name])
    assert len(seen["ann"] | seen["bob"]) == 40
    assert len(seen["ann"] & seen["bob"]) == 10
    own = standings(events(server))
    assert {s.label for s in own["ann"].values()} == {1}
    assert {s.label for s in own["bob"].values()} == {2}
    assert len(combined(events(server))) == 40


def test_a_disagreement_is_settled_by_keys(browser, serve) -> None:
    server = serve(assessors=("ann", "bob"), overlap=0.25)
    for name, label in (("ann", 1), ("bob", 2)):
        for number, (item, again) in enumerate(server.room.judging.queue(name)):
            event = {"id": f"event-{name}-{number:04}", "action": "label", "item": item, "label": label}
            server.room.judging.record(name, [{**event, "again": again}])
    server.stop()
    third = serve(assessors=("cy",), adjudicate="own")
    begin(browser, address(third, "cy"))
    assert "0 of 10" in text(browser, "counts")
    press(browser, "w")
    said = browser.find_element("id", "said-before")
    assert said.is_displayed()
    assert [words[0] for words in said.text.splitlines()[1:]] == ["1", "2"]
    assert browser.execute_script(
        "const said = document.getElementById('said-before').getBoundingClientRect();"
        "return said.bottom <= document.getElementById('bottom').getBoundingClientRect().top"
    )
    for _ in range(10):
        say(browser, "3")
    assert shown(browser) == "end"
    assert sorted(combined(events(third)).values()).count(3) == 10
    assert complaints(browser) == []


def test_two_tabs_of_one_assessor_count_nothing_twice(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    one = browser.current_window_handle
    browser.switch_to.new_window("tab")
    begin(browser, address(server))
    two = browser.current_window_handle
    assert shown(browser) == browser.execute_script("return document.body.dataset.shown")
    for number in range(20):
        browser.switch_to.window((one, two)[number % 2])
        wait(browser, f"return document.getElementById('counts').textContent.startsWith('{number} of')")
        say(browser, str(number % 4))
    labels = [event for event in events(server) if event.action == "label"]
    assert len(labels) == len({(event.topic, event.document) for event in labels}) == 20
    browser.switch_to.window(one)
    press(browser, "u")  # takes back what the other tab did last
    wait(browser, "return document.getElementById('counts').textContent.startsWith('19 of')")
    assert len(combined(events(server))) == 19


def test_a_page_that_is_loaded_again_goes_on(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    for key in "0123":
        say(browser, key)
    here = shown(browser)
    browser.refresh()
    assert shown(browser) == here
    assert text(browser, "counts").startswith("4 of 40")
    press(browser, "u")
    wait(browser, "return document.getElementById('counts').textContent.startsWith('3 of')")
    assert text(browser, "standing") == ""


def test_without_a_connection_work_goes_on_and_is_sent_later_in_order_and_once(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    say(browser, "0")
    connect(browser, False)
    for key in "1230":
        say(browser, key)
    assert "4 answers are kept in this browser" in text(browser, "unsent")
    assert len(combined(events(server))) == 1
    press(browser, "u")
    say(browser, "2")
    connect(browser, True)
    wait(browser, "return document.body.dataset.unsent === '0'")
    assert text(browser, "unsent") == ""
    found = [event for event in events(server) if event.assessor]
    assert [event.label for event in found] == [0, 1, 2, 3, 0, None, 2]
    assert [event.action for event in found][5] == "undo"
    assert sorted(combined(found).values()) == [0, 1, 2, 2, 3]
    assert all(a.time <= b.time + 100 for a, b in pairwise(found))
    say(browser, "1")
    assert len({event.id for event in events(server)}) == len(events(server)) == len(found) + 3


def test_what_could_not_be_sent_survives_a_closed_tab(browser, serve) -> None:
    server = serve()
    begin(browser, address(server))
    connect(browser, False)
    for key in "123":
        say(browser, key)
    browser.switch_to.new_window("tab")
    browser.switch_to.window(browser.window_handles[0])
    browser.close()
    browser.switch_to.window(browser.window_handles[0])
    begin(browser, address(server))
    wait(browser, "return document.getElementById('counts').textContent.startsWith('3 of')")
    assert [event.label for event in events(server) if event.action == "label"] == [1, 2, 3]
    say(browser, "0")
    assert sorted(combined(events(server)).values()) == [0, 1, 2, 3]


def test_a_server_that_is_killed_and_comes_back_gets_the_rest(browser, folder: Path) -> None:
    words = [sys.executable, "-m", "poolwise", "judge", "plan.txt", "--documents", "documents.jsonl", "--no-browser"]

    def started() -> tuple[subprocess.Popen, str]:
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return process, process.stdout.readline().split()[0]

    process, where = started()
    try:
        begin(browser, where)
        for key in "101":
            say(browser, key)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        for key in "001":
            say(browser, key)
        wait(browser, "return document.body.dataset.unsent === '3'")
        process, again = started()
        assert again == where
        wait(browser, "return document.body.dataset.unsent === '0'")
        say(browser, "1")
        found = opened(str(folder / "plan.sqlite")).events()
        assert [event.label for event in found if event.action == "label"] == [1, 0, 1, 0, 0, 1, 1]
    finally:
        process.kill()
        process.communicate()
