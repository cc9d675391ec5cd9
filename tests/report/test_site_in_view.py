"""A page of the documentation's site in a real browser: what the theme leaves out is mended, wide and on a phone."""

from __future__ import annotations

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.kit.browser import MARKS, axe, complaints, wait
from tests.kit.judging_page import phone

pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
build = pytest.importorskip("mkdocs.commands.build", reason="mkdocs builds the site")
pytest.importorskip("material", reason="the site's theme")
pytestmark = MARKS

ROOT = Path(__file__).parents[2]
LONG = "word " * 60
PAGE = f"""# A page

```console
$ poolwise score qrels.txt runs --measure {LONG}
```

```console
$ poolwise check
```

|{"|".join(f"column_{number}" for number in range(40))}|
|{"---|" * 40}
|{"|".join(["0.123456"] * 40)}|
"""
REACHED = """
const scrolling = [...document.querySelectorAll(".md-content *")].filter(
  (box) => box.scrollWidth > box.clientWidth && ["auto", "scroll"].includes(getComputedStyle(box).overflowX));
return scrolling.map((box) => [box.className || box.localName, box.tabIndex]);
"""


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a page of the site's theme and settings, with code and a table that are too wide."""
    from mkdocs.config import load_config

    docs, built = tmp_path_factory.mktemp("docs"), tmp_path_factory.mktemp("site")
    (docs / "index.md").write_text(PAGE)
    for name in ("site.css", "site.js"):
        shutil.copy(ROOT / "docs" / name, docs)
    wishes = {"docs_dir": str(docs), "site_dir": str(built), "hooks": [], "nav": None}
    build.build(load_config(str(ROOT / "mkdocs.yml"), **wishes))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_is_wrong_and_what_scrolls_can_be_reached(browser, site, narrow) -> None:
    if narrow:
        phone(browser)
    browser.get(site)
    wait(
        browser,
        f"const boxes = (() => {{ {REACHED} }})(); return boxes.length > 1 && boxes.every((box) => box[1] === 0)",
    )
    assert dict(browser.execute_script(REACHED)) == {"md-typeset__scrollwrap": 0, "code": 0}
    assert browser.execute_script("return document.querySelectorAll('.md-code__nav').length") == 2
    assert axe(browser) == []
    assert complaints(browser) == []
