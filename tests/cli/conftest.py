"""Running the real command in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.kit.campaign_files import CAMPAIGN


class Result:
    """What a command did."""

    def __init__(self, finished: subprocess.CompletedProcess[bytes]) -> None:
        self.code = finished.returncode
        self.out = finished.stdout.decode()
        self.err = finished.stderr.decode()


@pytest.fixture
def poolwise(tmp_path):
    """Call `poolwise` with arguments, in an empty folder."""

    def call(*arguments, stdin: bytes = b"", env: dict[str, str] | None = None) -> Result:
        import os

        command = [sys.executable, "-m", "poolwise", *map(str, arguments)]
        return Result(
            subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, env={**os.environ, **(env or {})})
        )

    return call


@pytest.fixture
def small(tmp_path) -> Path:
    """A campaign small enough to score by hand."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one.txt").write_text(
        "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 z 3 1 x\n2 Q0 d 1 1 x\n2 Q0 a 2 0.5 x\n"
    )
    (tmp_path / "runs" / "two.run").write_text("1 Q0 c 1 1 y\n2 Q0 a 1 2 y\n2 Q0 d 2 1 y\n")
    return tmp_path


@pytest.fixture
def files(tmp_path) -> Path:
    """Qrels and runs of a small campaign as TREC files, in the folder that commands run in."""
    CAMPAIGN.write(tmp_path)
    return tmp_path
