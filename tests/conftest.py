"""For all tests."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis  # looks at what refers to what while it is imported, so not after `gc.freeze`
import pytest

# ranx, whose objects we read, compiles itself for 20 seconds of two or three calls; it runs as well uncompiled.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# Threads of matrix products wait for each other by spinning, which with tests on every core takes three times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How long an example takes says how busy the machine is; a test of what it says does not fail for that.
hypothesis.settings.register_profile("poolwise", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=30)  # --hypothesis-profile, by `make quick`
hypothesis.settings.load_profile("poolwise")

# A shell lets what it starts in the background ignore Ctrl+C, and so would all that tests start and stop by it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def state_of_its_own() -> Iterator[Path]:
    """What `poolwise judge` remembers for a user is kept apart from that of who runs the tests."""
    before = os.environ.get("XDG_STATE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        yield Path(folder)
    os.environ.pop("XDG_STATE_HOME")
    if before is not None:
        os.environ["XDG_STATE_HOME"] = before


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests stay as long as the session: that none of them is garbage need not be found out each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
