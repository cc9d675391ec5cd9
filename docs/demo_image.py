"""The picture of the README: the top of a page that the demo writes.

    poolwise demo -o poolwise-demo && python -m docs.demo_image poolwise-demo

Needs chromium, chromedriver, selenium and pillow. Writes docs/images/demo.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.judge_images import picture
from tests.kit.browser import chromium, wait


def main() -> None:
    page = Path(sys.argv[1]) / "robustness" / "index.html"
    browser = chromium()
    try:
        size = {"width": 1200, "height": 975, "deviceScaleFactor": 1, "mobile": True}  # no scroll bar
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(page.resolve().as_uri())
        wait(browser, "return document.querySelector('.figure .main-svg')")
        picture(browser, "demo", few_colours=False)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
