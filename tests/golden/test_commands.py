"""Every command writes what it wrote before; `python tests/golden/commands.py --write` keeps a change on purpose."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.golden import commands


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["-OO"]], ids=["as usual", "without assertions and docstrings"])
def test_outputs_are_what_they_were(options):
    """In a process of its own: other tests declare measures."""
    command = [sys.executable, *options, commands.__file__]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == ""


@pytest.mark.parametrize(
    ("before", "now", "differs"),
    [
        ("a,0.5\n", "a,0.5\n", False),
        ("a,0.5\n", "a,0.50000000000000011\n", False),
        ("a,0.5\n", "a,0.500000001\n", True),
        ("a,0.5\n", "b,0.5\n", True),
        ("a,0.5\n", "a,0.5\nb,1\n", True),
        ("a,1 2\n", "a,1\n", True),
    ],
)
def test_differences_are_seen(before, now, differs):
    assert bool(commands.difference("x.csv", before, now)) == differs
