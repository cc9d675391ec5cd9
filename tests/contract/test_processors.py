"""Other processors add in another order: plans stay the same bytes, and estimates the same up to rounding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.kit.processors import another, settings

ROOT = Path(__file__).parents[2]
SOME = [name for name in settings() if name in ("Prescott", "numpy without vector loops")]


@cache
def told(**variables: str) -> dict[str, Any]:
    """What a process says that runs with these variables."""
    command = [sys.executable, "-m", "tests.kit.processor_probe"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SOME, "another"])
def test_plans_are_the_same_bytes_and_estimates_the_same_numbers(name: str) -> None:
    own, other = told(), told(**(another() if name == "another" else settings()[name]))
    assert other["plans"] == own["plans"]
    assert other["numbers"] == pytest.approx(own["numbers"], rel=0, abs=1e-12)
    assert len(own["plans"]) == 14
    assert len(set(own["plans"])) == 14
