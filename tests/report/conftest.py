"""What tests of the judging page share: one browser for all of them, a plan with texts, and servers that end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit.browser import chromium
from tests.kit.judging import write_all


@pytest.fixture(scope="session")
def shared():
    driver = chromium()
    yield driver
    driver.quit()


@pytest.fixture
def browser(shared):
    from tests.kit.judging_page import fresh

    return fresh(shared)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_all(tmp_path)


@pytest.fixture
def serve(folder: Path):
    from tests.kit.judging_page import Servers

    servers = Servers(folder)
    yield servers
    servers.stop()
