"""The judging page in a real browser: opened, spoken to by keys, and asked what it shows."""

from __future__ import annotations

import json
from pathlib import Path

from selenium.webdriver.common.keys import Keys
from tests.kit.browser import complaints, press, wait

from poolwise.judging.server import JudgingServer, judge
from poolwise.reading.judging_file import opened

GUIDELINES = """# What counts

Read **all** of it, *then* decide; see [the site](https://example.org/x).

- one
- two `code`

1. first

> a quotation

<script>window.broken = 1</script>
"""


def fresh(browser):
    """One window, nothing remembered, nothing emulated, no other tabs."""
    first, *others = browser.window_handles
    for handle in others:
        browser.switch_to.window(handle)
        browser.close()
    browser.switch_to.window(first)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    connect(browser)
    browser.get("about:blank")
    complaints(browser)
    return browser


class Servers:
    """Servers of this process for a folder's plan."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[JudgingServer] = []

    def __call__(self, **wishes) -> JudgingServer:
        files = {"documents": self.folder / "documents.jsonl", "topics": str(self.folder / "topics.tsv")}
        self.running.append(judge(self.folder / "plan.txt", **{**files, "scale": "0-3", **wishes}))
        return self.running[-1]

    def stop(self) -> None:
        for server in self.running:
            server.stop()


def write_texts(folder: Path, **text: str) -> Path:
    """The same text for every document of the plan."""
    plan = [line.split() for line in (folder / "plan.txt").read_text().splitlines()]
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps({"id": row[2], **text}) + "\n" for row in plan))
    return path


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


def say(browser, key: str) -> None:
    """Answer, and wait for the next document."""
    before = shown(browser)
    press(browser, key)
    wait(browser, f"return document.body.dataset.shown !== '{before}'")


def events(server: JudgingServer):
    return opened(server.room.judging.store.path).events()


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


def phone(browser) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 375, "height": 700, "deviceScaleFactor": 2, "mobile": True}
    )
