"""A real collection judged through the real page: its labels play the assessor, by keys alone.

    python -m benchmarks.judge_play QRELS RUN_A RUN_B DOCUMENTS TOPICS [--labels 300] [-m nDCG@10] [--scale 0-3]

Plans, serves, opens the page in chromium, and for every document shown presses the key of the label that QRELS has (0
if it has none). Then checks that the judged file holds just these labels, and prints how long a label took, the looks
there were at the estimates, and the estimate beside the difference by all labels. Needs chromium, chromedriver and
selenium.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import warnings
from pathlib import Path

from tests.kit.browser import chromium, complaints, wait

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.reading.judging_file import opened


def press(browser, key: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(key).perform()


def play(browser, server: pw.JudgingServer, truth: dict[str, dict[str, int]]) -> tuple[dict, list[float]]:
    """Answer until all is done; labels by document, and seconds from a key to the next document."""
    (address,) = server.addresses.values()
    browser.get(address)
    wait(browser, "return document.getElementById('begin').open")
    press(browser, "nist")
    press(browser, "\ue007")
    given, times = {}, []
    while (shown := wait(browser, "return document.body.dataset.shown")) != "end":
        item = server.room.judging.items[int(shown)]
        label = truth[item.topic].get(item.document, 0)
        given[item.topic, item.document] = label
        begin = time.perf_counter()
        press(browser, str(label))
        wait(browser, f"return document.body.dataset.shown !== '{shown}'")
        times.append(time.perf_counter() - begin)
    return given, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("qrels", "run_a", "run_b", "documents", "topics"):
        parser.add_argument(name)
    parser.add_argument("--labels", type=int, default=300)
    parser.add_argument("-m", "--measure", default="nDCG@10")
    parser.add_argument("--scale", default="0-3")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    runs = [arguments.run_a, arguments.run_b]
    whole = pw.read(arguments.qrels, *runs)
    truth = {topic: whole.judgments.of(topic) for topic in whole.topics}
    listed = pw.read(None, *runs)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        names = tuple(listed.runs)
        plan = listed.plan(budget=arguments.labels, depth=10, measure=arguments.measure, difference=names, seed=1)
        known: dict[str, dict[str, int]] = {topic: {} for topic in truth}
        for topic, document in zip(plan.topic, plan.document, strict=True):
            if topic in truth:
                known[topic][document] = truth[topic].get(document, 0)
        plan.write(place / "plan.txt")
        browser = chromium()
        try:
            with pw.judge(
                place / "plan.txt", documents=arguments.documents, topics=arguments.topics, scale=arguments.scale,
                runs=runs, measure=arguments.measure,
            ) as server:  # fmt: skip
                given, times = play(browser, server, truth)
                store = server.room.judging.store.path
                time.sleep(6)  # for the last look
            faults = complaints(browser)
        finally:
            browser.quit()
        lines = [line.split() for line in (place / "plan.judged.txt").read_text().splitlines() if line[0] != "#"]
        kept = {(topic, document): int(label) for topic, _, document, _, label in lines if label != "-1"}
        assert kept == given, "the judged file holds other labels"
        assert not faults, faults
        looks = [json.loads(event.note or "") for event in opened(store).events() if event.action == "look"]
        pair = pw.read(place / "plan.judged.txt", *runs).estimate(arguments.measure, difference=names).differences
        means = pw.read(known, *runs).score(arguments.measure).means()[:, 0]
        print(f"{len(kept)} labels kept as pressed; median {1000 * statistics.median(times):.0f} ms from key to next")
        for look in looks:
            ((tau, _, factor),) = look["rows"].values()
            shown = "none" if factor is None else f"{factor:.2f}"
            print(f"look at {look['labels']} labels: width {look['width']:.3f}, tau {tau:.3f}, factor {shown}")
        print(f"{names[0]} - {names[1]}: {pair.difference[0]:+.4f} ({pair.low[0]:.4f} to {pair.high[0]:.4f})")
        print(f"by all labels of the pool: {means[0] - means[1]:+.4f}")


if __name__ == "__main__":
    main()
