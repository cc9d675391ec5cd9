"""A server that is killed while people judge loses nothing and counts nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.judge_kills import trial

pytest.importorskip("uvicorn", reason="the server runs on uvicorn")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_ten_kills_lose_nothing(tmp_path: Path, seed: int) -> None:
    counts = trial(tmp_path, kills=5, assessors=2, seed=seed)
    assert counts["confirmed"] > 50
    assert counts["sent again"] > 0
