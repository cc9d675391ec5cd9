"""Pictures of the judging page in all its states, as assessors see them: wide, on a phone, dark, on paper.

    PYTHONPATH=. python -m benchmarks.judging_pictures OUT [--ways wide,phone,dark,phone-dark,paper]

One assessor judges a simulated campaign from the first name to the end; two others judge the same documents, and a
third settles what they disagree on. OUT/pictures gets a picture per state and way, and OUT/wrong.txt what axe-core and
the console complain of and which states are wider than their window. Needs what `benchmarks.page_pictures` needs.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.page_pictures import WIDER, dressed, printed
from docs.judge_images import GRADES, GUIDELINES, ask
from selenium.webdriver.common.keys import Keys
from tests.kit.browser import axe, chromium, complaints, press, wait
from tests.kit.judging_page import begin, connect, fresh, say, shown

import poolwise as pw

PAIR = ("man05a", "sim03a")
LABELS = 60  # of the plan
UNHEARD = ("refused", "offline")  # browsers complain of servers that refuse or do not answer, as they should
Saw = Callable[[str], None]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("--ways", default="wide,phone,dark,phone-dark,paper")
    arguments = parser.parse_args()
    pictures, place = arguments.output / "pictures", arguments.output / "campaign"
    pictures.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    truth, browser = prepare(place), chromium()
    try:
        for way in arguments.ways.split(","):
            wrong += _walk(fresh(browser), place, truth, pictures, way)
    finally:
        browser.quit()
    (arguments.output / "wrong.txt").write_text("".join(f"{line}\n" for line in wrong))
    print(f"{len(wrong)} complaints in {arguments.output / 'wrong.txt'}")


def prepare(place: Path) -> dict[str, dict[str, int]]:
    """Write a campaign with texts, all but one, and a plan; the true labels."""
    campaign = pw.simulate(runs=12, topics=5, depth=100, pool_depth=30, seed=5)
    campaign.write(place, texts=True)
    runs = [place / "runs" / f"{name}.txt" for name in PAIR]
    pw.read(None, *runs).plan(budget=LABELS, depth=20, measure="nDCG@10", difference=PAIR, seed=1).write(
        place / "plan.txt"
    )
    (place / "grades.toml").write_text(GRADES)
    (place / "guidelines.md").write_text(GUIDELINES)
    return campaign.truth()


def _walk(browser: Any, place: Path, truth: Any, pictures: Path, way: str) -> Iterator[str]:
    """Go through all states in one way; what is wrong with them."""
    wrong: list[str] = []
    dressed(browser, "wide" if way == "paper" else way)

    def saw(state: str) -> None:
        time.sleep(0.5)
        name = f"{state}-{way}"
        if way == "paper":
            printed(browser, pictures, name)
            return
        if (wider := browser.execute_script(WIDER)) > 0:
            wrong.append(f"{name}: {wider} pixels wider than the window")
        heard = complaints(browser)
        wrong.extend(f"{name}: {fault}" for fault in [*([] if state in UNHEARD else heard), *axe(browser)])
        browser.get_screenshot_as_file(str(pictures / f"{name}-0.png"))

    folder = place.parent / f"stores-{way}"
    folder.mkdir(exist_ok=True)
    _alone(browser, place, folder, saw)
    _settling(browser, place, folder, truth, saw)
    return iter(wrong)


def _files(place: Path, store: Path) -> dict[str, Any]:
    names = {"topics": "topics.jsonl", "grades": "grades.toml", "guidelines": "guidelines.md"}
    texts = {what: str(place / name) for what, name in names.items()}
    return {**texts, "documents": place / "documents.jsonl", "store": str(store)}


def _alone(browser: Any, place: Path, folder: Path, saw: Saw) -> None:
    """One assessor, from the name to the end."""
    runs = [str(place / "runs" / f"{name}.txt") for name in PAIR]
    with pw.judge(place / "plan.txt", **_files(place, folder / "one.sqlite"), runs=runs, measure="nDCG@10") as server:
        (address,) = server.addresses.values()
        browser.get(address.rsplit("/", 2)[0] + "/no-token/")
        saw("refused")
        browser.get(address)
        browser.execute_script("localStorage.clear()")
        browser.get(address)
        wait(browser, "return document.getElementById('begin').open")
        saw("name")
        begin(browser, address)
        saw("guidelines")
        press(browser, Keys.ESCAPE)
        saw("first")
        for number in range(24):
            say(browser, "012"[number % 3])
        wait(browser, "return document.getElementById('numbers').textContent.includes('from 24 labels')", 60)
        saw("numbers")
        press(browser, "h", "/", "the")
        saw("find")
        press(browser, Keys.ESCAPE, "?")
        saw("keys")
        press(browser, Keys.ESCAPE, "r")
        saw("reading")
        press(browser, "what it costs", Keys.ENTER, "n")
        saw("note")
        press(browser, "odd", Keys.ENTER)
        wait(browser, "return !document.getElementById('own-note').hidden")  # keys wait until the note is safe
        press(browser, Keys.ARROW_LEFT)
        saw("before")
        connect(browser, False)
        press(browser, "0")
        wait(browser, "return document.body.dataset.connected === 'no'")
        saw("offline")
        connect(browser)
        wait(browser, "return document.body.dataset.unsent === '0'", 60)
        complaints(browser)
        while shown(browser) != "end":
            press(browser, "1")
        wait(browser, "return document.getElementById('numbers').textContent.includes('from 60 labels')", 60)
        saw("end")
        browser.get("about:blank")


def _settling(browser: Any, place: Path, folder: Path, truth: Any, saw: Saw) -> None:
    """Two assessors judge the same documents, one of them carelessly; a third settles what they disagree on."""
    files, chance = _files(place, folder / "team.sqlite"), random.Random(4)
    with pw.judge(place / "plan.txt", **files, assessors=("ann", "bob"), overlap=0.5, runs=()) as server:
        for name, address in server.addresses.items():
            for item, _ in ask(address, "start")["queue"]:
                known = server.room.judging.items[item]
                careless = name == "bob" and chance.random() < 0.4
                label = chance.choice([0, 1, 2]) if careless else truth[known.topic].get(known.document, 0)
                note = "The second half is about it." if name == "bob" else None
                event = {"id": f"label-{name}-{item:06}", "action": "label", "item": item, "label": label}
                ask(address, "events", {"events": [{**event, "note": note}]})
        browser.get(server.addresses["ann"])
        wait(browser, "return document.body.dataset.shown")
        saw("team-end")
        browser.get("about:blank")
    with pw.judge(place / "plan.txt", **files, adjudicate="own", hide_scores=True) as server:
        browser.get(next(iter(server.addresses.values())))
        wait(browser, "return document.body.dataset.shown || document.getElementById('begin').open")
        if browser.execute_script("return document.getElementById('begin').open"):
            saw("settle-name")
            press(browser, "cy", Keys.ENTER)
            wait(browser, "return document.body.dataset.shown")
        press(browser, Keys.ESCAPE)
        saw("settle")
        press(browser, "w")
        saw("settle-said")
        press(browser, "?")
        saw("settle-keys")
        press(browser, Keys.ESCAPE)
        say(browser, "1")
        press(browser, Keys.ARROW_LEFT, "w")
        saw("settle-before")
        while shown(browser) != "end":
            press(browser, "1")
        wait(browser, "return document.body.dataset.unsent === '0'", 60)
        saw("settle-end")
        browser.get("about:blank")
    with pw.judge(place / "plan.txt", **files, adjudicate="own", hide_scores=True) as server:
        browser.get(next(iter(server.addresses.values())))
        wait(browser, "return document.body.dataset.shown")
        press(browser, Keys.ESCAPE)
        saw("settle-again")


if __name__ == "__main__":
    main()
