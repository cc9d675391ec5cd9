"""Pictures of every page that poolwise writes, as people see them: wide, on a phone, dark, on paper; and what is wrong.

    PYTHONPATH=. python -m benchmarks.page_pictures OUT [PAGE ...]
    PYTHONPATH=. python -m benchmarks.page_pictures OUT --site site [--ways wide,phone,dark,phone-dark] [--check]

Without PAGE, one page of every kind is written first, from a simulated campaign, into OUT/pages; with --site, the pages
are those of a built site, served on this machine. OUT/pictures gets a picture per page and way, cut into pieces of some
screens, and OUT/wrong.txt what axe-core and the console complain of and which pages are wider than their window; with
--check that is all. Needs chromium, chromedriver, selenium, pillow, pypdfium2 and axe-core-python.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.kit.browser import axe, chromium, complaints
from tests.kit.every_page import commands, prepare, study_commands, write_pages

# How wide each way is, and in which colours
WAYS = {"wide": (1280, "light"), "phone": (390, "light"), "dark": (1280, "dark"), "phone-dark": (390, "dark")}
PIECE = 2600  # pixels of height; higher pages are several pictures
SHEETS = 3  # of paper side by side
WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--site", type=Path)
    parser.add_argument("--ways", default="wide,phone,dark,paper")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_intermixed_args()
    if arguments.site:
        pages = _served(arguments.site, arguments.pages or sorted(arguments.site.rglob("*.html")))
    elif arguments.pages:
        pages = _named([page.resolve() for page in arguments.pages])
    else:
        pages = _every_page(arguments.output / "pages")
    pictures = arguments.output / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    browser, wrong = chromium(), 0
    browser.set_script_timeout(300)
    try:
        with (arguments.output / "wrong.txt").open("w") as file:
            for name, page in pages.items():
                for line in _take(browser, None if arguments.check else pictures, name, page, arguments.ways):
                    wrong += 1
                    print(line, file=file, flush=True)
    finally:
        browser.quit()
    print(f"{len(pages)} pages, {wrong} complaints in {arguments.output / 'wrong.txt'}")


def _served(site: Path, pages: list[Path]) -> dict[str, str]:
    """Serve a site as long as this program runs; the addresses of its pages by name."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = {}
    for page in pages:
        place = page.relative_to(site).as_posix().removesuffix("index.html")
        name = place.strip("/").replace("/", "-") or "home"
        found[name] = f"http://127.0.0.1:{server.server_address[1]}/{place}"
    return found


def _every_page(folder: Path) -> dict[str, str]:
    """Write one page of every kind; of those of runs and topics the first."""
    folder.mkdir(parents=True)
    prepare(folder)
    made = [path.resolve() for path in write_pages(folder, commands() | study_commands()).values()]
    reports = [path.parent for path in made if path.parent.name.startswith("report")]
    parts = [min((report / part).iterdir()) for report in reports for part in ("runs", "topics")]
    return _named([*made, *parts])


def _named(pages: list[Path]) -> dict[str, str]:
    """The addresses of pages by names that tell them apart: their places in the folder that holds all of them."""
    folder = Path(os.path.commonpath([page.parent for page in pages]))
    return {page.relative_to(folder).with_suffix("").as_posix().replace("/", "-"): page.as_uri() for page in pages}


def _take(browser: Any, pictures: Path | None, name: str, page: str, ways: str) -> Iterator[str]:
    """Take a page in every way, if there is a folder for pictures; what is wrong with it."""
    for way in ways.split(","):
        if way == "paper":
            if pictures:
                _paper(browser, pictures, name, page)
            continue
        yield from (f"{name}, {way}: {fault}" for fault in _screen(browser, page, way))
        if pictures:
            _picture(browser, pictures, f"{name}-{way}")


def dressed(browser: Any, way: str) -> None:
    """Make the window as wide and dark as a way has it."""
    width, colours = WAYS[way]
    scheme = {"name": "prefers-color-scheme", "value": colours}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": [scheme]})
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": way.startswith("phone")}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def _screen(browser: Any, page: str, way: str) -> Iterator[str]:
    """Open a page in one way, as at a first visit; what is wrong with it."""
    browser.get("about:blank")  # the page before must not keep anything any more
    dressed(browser, way)
    kept = {"origin": page[: page.index("/", 8)], "storageTypes": "local_storage"}  # such as the colours of last time
    browser.execute_cdp_cmd("Storage.clearDataForOrigin", kept)
    browser.get(page)
    time.sleep(0.6)
    if (wider := browser.execute_script(WIDER)) > 0:
        yield f"{wider} pixels wider than the window"
    yield from complaints(browser)
    yield from axe(browser)


def _picture(browser: Any, pictures: Path, name: str) -> None:
    """Take what is open from top to bottom, in pieces."""
    width, height = browser.execute_script("return [window.innerWidth, document.documentElement.scrollHeight]")
    for piece, top in enumerate(range(0, height, PIECE)):
        clip = {"x": 0, "y": top, "width": width, "height": min(PIECE, height - top), "scale": 1}
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (pictures / f"{name}-{piece}.png").write_bytes(base64.b64decode(taken["data"]))


def _paper(browser: Any, pictures: Path, name: str, page: str) -> None:
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(page)
    time.sleep(0.6)
    printed(browser, pictures, f"{name}-paper")


def printed(browser: Any, pictures: Path, name: str) -> None:
    """All sheets of paper of what is open, a few side by side."""
    import pypdfium2
    from PIL import Image

    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    page = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    sheets = pypdfium2.PdfDocument(io.BytesIO(base64.b64decode(page["data"])))
    images = [sheets[place].render(scale=1.1).to_pil() for place in range(len(sheets))]
    width, height = images[0].size
    for first in range(0, len(images), SHEETS):
        beside = images[first : first + SHEETS]
        together = Image.new("RGB", (width * len(beside), height), "grey")
        for place, image in enumerate(beside):
            together.paste(image, (width * place, 0))
        together.save(pictures / f"{name}-{first // SHEETS}.png")


if __name__ == "__main__":
    main()
