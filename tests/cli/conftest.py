"""Running the real command, and the files it is run on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit.campaign_files import CAMPAIGN
from tests.kit.command import Finished, here, in_own_process
from tests.kit.judging import write_all


@pytest.fixture
def poolwise(tmp_path):
    """Call `poolwise` with arguments, in an empty folder; its standard input is empty."""

    def call(*arguments) -> Finished:
        return here(arguments, tmp_path)

    return call


@pytest.fixture
def process(tmp_path):
    """The same in a process of its own, where streams, the environment or what is imported matters."""

    def call(*arguments, stdin: bytes = b"", env: dict[str, str] | None = None) -> Finished:
        return in_own_process(arguments, tmp_path, stdin, env)

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan to judge, with texts and topics."""
    return write_all(tmp_path)
