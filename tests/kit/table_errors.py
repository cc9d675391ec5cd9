"""What is said of tables that cannot be read, beside judgments and a run that can."""

from __future__ import annotations

from typing import Any

import pytest

import poolwise as pw

QRELS = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 2}}
RUN = {"1": {"d1": 3.0, "d2": 2.0}, "2": {"d1": 1.0}}
TWICE = (
    "is listed twice; remove one of the two, or keep the first with --duplicates first (duplicates='first' in Python)"
)
CALLED = "say what it is called with columns= (--columns)"
EVERY_SCORE = "every row needs topic, document and score"
EVERY_LABEL = "every row needs topic, document and label"


def run_error(run: Any, **options: Any) -> str:
    with pytest.raises(pw.PoolwiseError) as caught:
        pw.read(QRELS, run, **options)
    return str(caught.value)


def qrels_error(qrels: Any, **options: Any) -> str:
    with pytest.raises(pw.PoolwiseError) as caught:
        pw.read(qrels, {"mine": RUN}, **options)
    return str(caught.value)
