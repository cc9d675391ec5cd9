"""The small campaign that tests of commands work on, and what they read of files."""

from __future__ import annotations

from pathlib import Path

from tests.kit.campaigns import known_campaign

CAMPAIGN = known_campaign(5, topics=3, runs=3, documents=40, depth=25)


def words_of(path: Path) -> list[list[str]]:
    """The words of each line that is no comment."""
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
