"""A real browser for tests: chromium, driven by selenium."""

from __future__ import annotations

import shutil
import time
from importlib.resources import files

import pytest

MARKS = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(
        not (shutil.which("chromium") and shutil.which("chromedriver")),
        reason="no browser here: install the packages chromium and chromium-driver",
    ),
    pytest.mark.xdist_group("browser"),
]
WORDS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1200,1000",
    "--disable-background-networking",
)


def chromium():
    """A new window, with the console's messages kept."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = shutil.which("chromium")
    for word in WORDS:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(100)  # a machine that others use may take its time
    return driver


def wait(browser, script: str, seconds: float = 30.0):
    """Wait until a script returns something that is true."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(script)):
        assert time.monotonic() < end, f"it does not happen: {script}"
        time.sleep(0.01)
    return found


def press(browser, *keys: str) -> None:
    """Press keys, one sign after the other; signs of text by the browser's own interface, seven times as fast."""
    from selenium.webdriver import ActionChains

    for sign in "".join(keys):
        if sign.isprintable() and sign != " ":
            held = {"key": sign, **({"code": f"Digit{sign}"} if sign.isdigit() else {})}
            browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "text": sign, **held})
            browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **held})
        else:  # a key such as Enter
            ActionChains(browser).send_keys(sign).perform()


def complaints(browser) -> list[str]:
    """What the console complained of since last asked."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def axe(browser, *rules: str) -> list[str]:
    """What axe-core finds wrong, in words; by some of its rules only, if any are named."""
    pytest.importorskip("axe_core_python", reason="axe-core-python brings the script of axe-core")
    if not browser.execute_script("return typeof axe !== 'undefined'"):
        browser.execute_script((files("axe_core_python") / "axe.min.js").read_text("utf-8"))
    found = browser.execute_async_script(
        "const [rules, done] = arguments; const only = rules.length ? {runOnly: {type: 'rule', values: rules}} : {};"
        "axe.run(document, {resultTypes: ['violations'], ...only}).then(r => done(r.violations), e => done(String(e)))",
        list(rules),
    )
    assert not isinstance(found, str), found
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary']})" for rule in found for node in rule["nodes"]
    ]
