"""Pictures of every page that poolwise writes, as people see them: wide, on a phone, dark, on paper; and what is wrong.

    PYTHONPATH=. python -m benchmarks.page_pictures OUT [PAGE ...]

Without PAGE, one page of every kind is written first, from a simulated campaign, into OUT/pages. OUT/pictures gets a
picture per page and way, cut into pieces of a few screens, and OUT/wrong.txt what axe-core and the console complain of
and which pages are wider than their window. Needs chromium, chromedriver, selenium, pillow, pypdfium2 and
axe-core-python.
"""

from __future__ import annotations

import argparse
import base64
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.kit.browser import axe, chromium, complaints
from tests.kit.every_page import commands, prepare, study_commands, write_pages

WIDTHS = {"wide": 1280, "phone": 390, "dark": 1280}
PIECE = 2600  # pixels of height; higher pages are several pictures
SHEETS = 3  # of paper side by side
WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--ways", default="wide,phone,dark,paper")
    arguments = parser.parse_args()
    pages = {page.resolve().parent.name + "-" + page.stem: page.resolve() for page in arguments.pages}
    if not pages:
        pages = _every_page(arguments.output / "pages")
    pictures = arguments.output / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    browser, wrong = chromium(), 0
    browser.set_script_timeout(300)
    try:
        with (arguments.output / "wrong.txt").open("w") as file:
            for name, page in pages.items():
                for line in _take(browser, pictures, name, page, arguments.ways):
                    wrong += 1
                    print(line, file=file, flush=True)
    finally:
        browser.quit()
    print(f"{len(pages)} pages, {wrong} complaints in {arguments.output / 'wrong.txt'}")


def _every_page(folder: Path) -> dict[str, Path]:
    """Write one page of every kind; of those of runs and topics the first."""
    folder.mkdir(parents=True)
    prepare(folder)
    made = write_pages(folder, commands() | study_commands())
    pages = {name.removesuffix(".html").replace("/", "-"): path.resolve() for name, path in made.items()}
    return pages | {
        f"report-{part}": min((folder / "report" / part).iterdir()).resolve() for part in ("runs", "topics")
    }


def _take(browser: Any, pictures: Path, name: str, page: Path, ways: str) -> Iterator[str]:
    """Take a page in every way; what is wrong with it."""
    for way in ways.split(","):
        if way == "paper":
            _paper(browser, pictures, name, page)
            continue
        yield from (f"{name}, {way}: {fault}" for fault in _screen(browser, pictures, name, page, way))


def _screen(browser: Any, pictures: Path, name: str, page: Path, way: str) -> Iterator[str]:
    width = WIDTHS[way]
    scheme = {"name": "prefers-color-scheme", "value": "dark" if way == "dark" else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": [scheme]})
    phone = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": way == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    browser.get(page.as_uri())
    time.sleep(0.6)
    if (wider := browser.execute_script(WIDER)) > 0:
        yield f"{wider} pixels wider than the window"
    yield from complaints(browser)
    yield from axe(browser)
    height = browser.execute_script("return document.documentElement.scrollHeight")
    for piece, top in enumerate(range(0, height, PIECE)):
        clip = {"x": 0, "y": top, "width": width, "height": min(PIECE, height - top), "scale": 1}
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (pictures / f"{name}-{way}-{piece}.png").write_bytes(base64.b64decode(taken["data"]))


def _paper(browser: Any, pictures: Path, name: str, page: Path) -> None:
    """All sheets of paper, a few side by side."""
    import pypdfium2
    from PIL import Image

    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(page.as_uri())
    time.sleep(0.6)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    sheets = pypdfium2.PdfDocument(io.BytesIO(base64.b64decode(printed["data"])))
    images = [sheets[place].render(scale=1.1).to_pil() for place in range(len(sheets))]
    width, height = images[0].size
    for first in range(0, len(images), SHEETS):
        beside = images[first : first + SHEETS]
        together = Image.new("RGB", (width * len(beside), height), "grey")
        for place, image in enumerate(beside):
            together.paste(image, (width * place, 0))
        together.save(pictures / f"{name}-paper-{first // SHEETS}.png")


if __name__ == "__main__":
    main()
