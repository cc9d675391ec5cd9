"""`poolwise judge` in a process of its own, spoken to over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest


class Server:
    """A server in a process of its own, spoken to over HTTP."""

    def __init__(self, folder: Path, *options: str, browser: str | None = None, terminal: bool = False) -> None:
        pytest.importorskip("uvicorn")
        shown = ["--no-browser"] if browser is None else []
        words = [sys.executable, "-m", "poolwise", "judge", "plan.txt", *shown, *options]
        self.process = subprocess.Popen(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=None if browser is None else {**os.environ, "BROWSER": browser}, start_new_session=terminal,
        )  # fmt: skip
        self.terminal = terminal
        self.address, *self.name = self.process.stdout.readline().split()

    def get(self, path: str, **query: object):
        with urllib.request.urlopen(self.address + path) as answer:
            return json.loads(answer.read())

    def post(self, name: str, *events: dict):
        request = urllib.request.Request(
            f"{self.address}events?name={name}",
            json.dumps({"events": events}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def label(self, name: str, count: int, label: int = 1, begin: int = 0) -> None:
        queue = self.get(f"start?name={name}")["queue"]
        events = [
            {
                "id": f"{name}-event-{begin + place:04}",
                "action": "label",
                "item": item,
                "again": bool(again),
                "label": label,
            }
            for place, (item, again) in enumerate(queue[begin : begin + count])
        ]
        assert all("refused" not in said for said in self.post(name, *events)["said"])

    def stop(self, how: int = signal.SIGINT) -> str:
        # A terminal sends Ctrl-C to all that the command started.
        os.killpg(self.process.pid, how) if self.terminal else self.process.send_signal(how)
        _, said = self.process.communicate(timeout=20)
        return said


def until(true, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


def labels_in(path: Path) -> list[str]:
    return sorted(label for *_, label in map(str.split, path.read_text().splitlines()) if label != "-1")
