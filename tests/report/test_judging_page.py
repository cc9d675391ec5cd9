"""Judging in a real browser: by keys alone, with every way in which work is interrupted, for everybody."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
pytest.importorskip("uvicorn", reason="the server runs on uvicorn")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.kit.browser import MARKS, axe, chromium, complaints, press, wait
from tests.kit.judging import write_documents, write_plan, write_topics

from poolwise.assess.server import JudgingServer, judge
from poolwise.read.judging_events import combined, in_force, standings
from poolwise.read.judging_file import opened

pytestmark = MARKS

GUIDELINES = """# What counts

Read **all** of it, *then* decide; see [the site](https://example.org/x).

- one
- two `code`

1. first

> a quotation

<script>window.broken = 1</script>
"""


@pytest.fixture(scope="module")
def shared():
    driver = chromium()
    yield driver
    driver.quit()


@pytest.fixture
def browser(shared):
    """One window, nothing remembered, nothing emulated, no other tabs."""
    first, *others = shared.window_handles
    for handle in others:
        shared.switch_to.window(handle)
        shared.close()
    shared.switch_to.window(first)
    shared.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    shared.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    connect(shared)
    shared.get("about:blank")
    complaints(shared)
    return shared


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_plan(tmp_path / "plan.txt")
    write_documents(tmp_path / "documents.jsonl")
    write_topics(tmp_path / "topics.tsv")
    return tmp_path


@pytest.fixture
def serve(folder: Path):
    """Servers of this process, which end with the test."""
    running: list[JudgingServer] = []

    def begin(**wishes) -> JudgingServer:
        wishes = {
            "documents": folder / "documents.jsonl",
            "topics": str(folder / "topics.tsv"),
            "scale": "0-3",
            **wishes,
        }
        running.append(judge(folder / "plan.txt", **wishes))
        return running[-1]

    yield begin
    for server in running:
        server.stop()


def address(server: JudgingServer, name: str = "") -> str:
    return server.addresses[name]


def connect(browser, on: bool = True) -> None:
    browser.execute_cdp_cmd("Network.enable", {})
    speed = -1 if on else 0
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": not on, "latency": 0, "downloadThroughput": speed, "uploadThroughput": speed},
    )


def begin(browser, where: str, name: str = "ann") -> None:
    """Open the page; who is not known yet gives a name."""
    browser.get(where)
    wait(browser, "return document.body.dataset.shown || document.getElementById('begin').open")
    if browser.execute_script("return document.getElementById('begin').open"):
        press(browser, name, Keys.ENTER)
    wait(browser, "return document.body.dataset.shown")


def shown(browser) -> str:
    """The document in view, as the page calls it."""
    return wait(browser, "return document.body.dataset.shown")


def text(browser, id: str) -> str:
    return browser.find_element("id", id).text


def in_view(browser) -> list[str]:
    """The document in view, its topic and its title, asked for at once: three hundred times it adds up."""
    words = "['topic-title', 'title'].map((id) => document.getElementById(id).innerText)"
    return browser.execute_script(f"return [document.body.dataset.shown, ...{words}]")


def say(browser, key: str) -> None:
    """Answer, and wait for the next document."""
    before = shown(browser)
    press(browser, key)
    wait(browser, f"return document.body.dataset.shown !== '{before}'")


def events(server: JudgingServer):
    return opened(server.room.judging.store.path).events()


def test_three_hundred_documents_by_keys_alone(browser, tmp_path: Path) -> None:
    write_plan(tmp_path / "plan.txt", topics=10, drawn=(20, 10), pooled=30)
    write_documents(tmp_path / "documents.jsonl", topics=10, pooled=30)
    write_topics(tmp_path / "topics.tsv", topics=10)
    files = {"documents": tmp_path / "documents.jsonl", "topics": str(tmp_path / "topics.tsv")}
    with judge(tmp_path / "plan.txt", **files, scale="0-3") as server:
        begin(browser, address(server))
        given = {}
        for _ in range(300):
            document, topic, title = in_view(browser)
            given[document] = (int(title.split()[-1]) + int(topic.split()[-1])) % 4
            press(browser, str(given[document]))
            wait(browser, f"return document.body.dataset.shown !== '{document}'")
        assert shown(browser) == "end"
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


def test_text_is_shown_as_it_is_and_never_run(browser, serve, folder: Path) -> None:
    hostile = "</article><script>window.broken = 1</script><img src=x onerror='window.broken = 1'> & <b>bold</b>"
    plan = [line.split() for line in (folder / "plan.txt").read_text().splitlines()]
    records = [
        {
            "id": row[2],
            "title": hostile,
            "text": f"{hostile}\n\nSecond.",
            "url": "javascript:window.broken=1",
            "x<y": hostile,
        }
        for row in plan
    ]
    (folder / "hostile.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "topics.tsv").write_text("".join(f"{topic}\t{hostile}\n" for topic in range(1, 5)))
    (folder / "guide.md").write_text(GUIDELINES + hostile)
    server = serve(documents=folder / "hostile.jsonl", guidelines=str(folder / "guide.md"))
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
    plan = [line.split() for line in (folder / "plan.txt").read_text().splitlines()]
    long = "\n\n".join(f"Paragraph {number}, of some length, to be read." for number in range(80))
    (folder / "long.jsonl").write_text("".join(json.dumps({"id": row[2], "text": long}) + "\n" for row in plan))
    server = serve(documents=folder / "long.jsonl")
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


def runs_of(folder: Path) -> list[str]:
    paths = []
    for name, turn in (("good", 1), ("bad", -1)):
        lines = [
            f"{topic} Q0 d{topic}-{stratum}-{place:02} 1 {turn * place + stratum} {name}\n"
            for topic in range(1, 5) for stratum in (1, 2) for place in range(20)
        ]  # fmt: skip
        (folder / f"{name}.txt").write_text("".join(lines))
        paths.append(str(folder / f"{name}.txt"))
    return paths


def test_estimates_are_in_view_and_can_be_hidden(browser, serve, folder: Path) -> None:
    server = serve(runs=runs_of(folder), measure="P@10")
    begin(browser, address(server))
    for number in range(24):
        say(browser, str(number % 2))
    wait(browser, "return document.querySelector('#numbers .row strong')", 60)
    wait(browser, "return document.getElementById('numbers').textContent.includes('from 24 labels')", 60)
    panel = text(browser, "numbers")
    assert "good - bad" in panel
    assert re.search(r"at the end\s+\d\.\d+", panel)
    assert "holds at every look" in panel
    assert "for stopping at the planned end" in panel
    assert browser.find_elements("css selector", "#numbers svg .held")
    press(browser, "v")
    assert not browser.find_element("id", "numbers").is_displayed()
    browser.refresh()
    shown(browser)
    assert not browser.find_element("id", "numbers").is_displayed()
    looks = [json.loads(event.note) for event in events(server) if event.action == "look"]
    taus = [look["rows"]["P@10 good - bad"][0] for look in looks]
    assert taus == sorted(taus)
    assert {look["end"] for look in looks} == {40}
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


# ---- For everybody -------------------------------------------------------------------------------------------------


def phone(browser) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 375, "height": 700, "deviceScaleFactor": 2, "mobile": True}
    )


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
    before = shown(browser)
    browser.find_element("css selector", "#grades [data-label='1']").click()
    wait(browser, f"return document.body.dataset.shown !== '{before}'")


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_axe_finds_nothing(browser, serve, folder: Path, width: str, scheme: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    if width == "phone":
        phone(browser)
    (folder / "guide.md").write_text(GUIDELINES)
    (folder / "topics.jsonl").write_text(
        "".join(
            json.dumps({"id": topic, "title": f"what is {topic}", "description": "What?", "narrative": "At length."})
            + "\n"
            for topic in range(1, 5)
        )
    )
    server = serve(
        runs=runs_of(folder), measure="P@10", guidelines=str(folder / "guide.md"), topics=str(folder / "topics.jsonl")
    )
    browser.get(address(server))
    wait(browser, "return document.getElementById('begin').open")
    assert axe(browser) == []
    begin(browser, address(server))
    assert wait(browser, "return document.getElementById('guidelines').open")
    assert axe(browser) == []
    press(browser, Keys.ESCAPE)
    for number in range(12):
        say(browser, str(number % 2))
    wait(browser, "return document.querySelector('#numbers .row strong')", 60)
    assert axe(browser) == []
    press(browser, Keys.ARROW_LEFT, "h", "s")
    press(browser, "/", "e")
    assert axe(browser) == []
    press(browser, Keys.ESCAPE, "?")
    assert axe(browser) == []
    press(browser, Keys.ESCAPE, "n")
    assert axe(browser) == []
    press(browser, "odd", Keys.ENTER)
    while shown(browser) != "end":
        press(browser, "1")
    assert axe(browser) == []
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", background)[:3]))
    assert (brightness > 600) == (scheme == "light")


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
