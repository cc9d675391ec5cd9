"""Pictures of the judging page, from a simulated campaign whose truth plays the assessor.

    python -m docs.judge_images

Needs chromium, chromedriver, selenium and pillow. Writes docs/images/judge*.png.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
import urllib.request
from pathlib import Path

from tests.kit.browser import chromium, wait
from tests.kit.judging_page import begin

import poolwise as pw

IMAGES = Path(__file__).parent / "images"
GRADES = """
-2 = { name = "worthless", description = "Advertising, or no text to speak of." }
0 = { name = "not relevant", description = "Says nothing about what the topic asks." }
1 = { name = "partly relevant", description = "A sentence or two are about it." }
2 = { name = "relevant", description = "Most of it is about what the topic asks." }
"""
GUIDELINES = """# What counts

A document is relevant if it **answers the question of the topic**, in part or in full.

- Read the whole text before you decide; the first sentence may mislead.
- Judge each document by itself, as if you had seen no other.
- Advertising is worthless, even if it names the topic.

If you cannot tell, press `c` and go on.
"""


def ask(address: str, what: str, body: dict | None = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}{what}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def play(server: pw.JudgingServer, address: str, truth: dict[str, dict[str, int]], steps: list[int]) -> None:
    """Give labels as the truth has them, with pauses for a look at the estimates."""
    chance = random.Random(3)
    queue, done = ask(address, "start?name=ann")["queue"], 0
    for step in steps:
        for item, _ in queue[done:step]:
            known = server.room.judging.items[item]
            label = truth[known.topic].get(known.document, 0)
            event = {"id": f"label-{item:06}", "action": "label", "item": item, "label": label}
            ask(address, "events?name=ann", {"events": [{**event, "milliseconds": chance.randint(3000, 9000)}]})
        done = step
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = (ask(address, "numbers")["numbers"] or {}).get("found") or {}
            if found.get("labels") == step:
                break
            time.sleep(0.2)


def picture(browser, name: str, few_colours: bool = True) -> None:
    """Take a picture; in few colours it is smaller, but thin lines lose theirs."""
    from io import BytesIO

    from PIL import Image

    time.sleep(0.5)
    taken = Image.open(BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    if few_colours:
        taken = taken.quantize(96, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    taken.save(IMAGES / f"{name}.png", optimize=True)
    print(name, (IMAGES / f"{name}.png").stat().st_size, "bytes")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        campaign = pw.simulate(runs=12, topics=20, depth=200, pool_depth=50, seed=5)
        campaign.write(place, texts=True)
        names = ("man05a", "sim03a")
        runs = [str(place / "runs" / f"{name}.txt") for name in names]
        plan = pw.read(None, *runs).plan(budget=300, depth=20, measure="nDCG@10", difference=names, seed=1)
        plan.write(place / "round1.txt")
        (place / "grades.toml").write_text(GRADES)
        (place / "guidelines.md").write_text(GUIDELINES)
        with pw.judge(
            place / "round1.txt", documents=place / "documents.jsonl", topics=str(place / "topics.jsonl"),
            grades=str(place / "grades.toml"), guidelines=str(place / "guidelines.md"), runs=runs, measure="nDCG@10",
        ) as server:  # fmt: skip
            (address,) = server.addresses.values()
            play(server, address, campaign.truth(), [60, 90, 120, 150, 178, 203])
            take(address)
        settle(place, campaign.truth())


def settle(place: Path, truth: dict[str, dict[str, int]]) -> None:
    """Two assessors judge the same documents, one of them carelessly; a third settles what they disagree on."""
    texts = {
        "documents": place / "documents.jsonl", "topics": str(place / "topics.jsonl"),
        "grades": str(place / "grades.toml"), "store": str(place / "team.sqlite"),
    }  # fmt: skip
    chance = random.Random(4)
    with pw.judge(place / "round1.txt", **texts, assessors=("ann", "bob"), overlap=0.3, runs=()) as server:
        for name, address in server.addresses.items():
            for item, _ in ask(address, "start")["queue"][:80]:
                known = server.room.judging.items[item]
                label = truth[known.topic].get(known.document, 0)
                if name == "bob" and chance.random() < 0.3:
                    label = chance.choice([0, 1, 2])
                event = {"id": f"label-{name}-{item:06}", "action": "label", "item": item, "label": label}
                note = "The second half is about it." if name == "bob" else None
                ask(address, "events", {"events": [{**event, "note": note}]})
    with pw.judge(place / "round1.txt", **texts, adjudicate="own", hide_scores=True) as server:
        browser = chromium()
        try:
            browser.set_window_size(1200, 860)
            begin(browser, next(iter(server.addresses.values())), "cy")
            browser.execute_script("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'w', bubbles: true }))")
            picture(browser, "judge-settle")
        finally:
            browser.quit()


def take(address: str) -> None:
    browser = chromium()
    try:
        browser.set_window_size(1200, 860)
        browser.get(address)
        browser.execute_script("localStorage.setItem('poolwise.name', 'ann')")
        browser.get(address)
        wait(browser, "return document.body.dataset.shown && document.querySelector('#numbers .wide')")
        picture(browser, "judge")
        browser.execute_script("document.getElementById('guidelines').showModal()")
        picture(browser, "judge-guidelines")
        browser.execute_script("document.getElementById('guidelines').close()")
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        phone = {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        picture(browser, "judge-phone")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
