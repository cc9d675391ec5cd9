"""`Study`: tables by name, in every form."""

from __future__ import annotations

import pytest

from poolwise.errors import ArgumentError
from poolwise.lab.study.result import Study
from poolwise.show.parts import Table

PARTS = (Table("Curve", {"measure": ["AP"], "tau": [0.81234]}), Table("Knees", {"measure": ["AP"], "knee": [0.5]}))
STUDY = Study("robustness", "Which measure?", ("AP.",), PARTS, (), (), {})


def test_tables_are_written_for_papers() -> None:
    assert STUDY.to_markdown() == "| measure | tau |\n|---|---:|\n| AP | 0.8123 |\n"
    assert STUDY.to_markdown("knees", digits=1) == "| measure | knee |\n|---|---:|\n| AP | 0.5 |\n"
    assert r"AP & 0.81 \\" in STUDY.to_latex("curve", digits=2)


def test_a_table_that_is_not_there_is_told_with_those_that_are() -> None:
    for give in (STUDY.to_frame, STUDY.to_markdown, STUDY.to_latex):
        with pytest.raises(ArgumentError, match="no table 'knee'; its tables are curve, knees"):
            give("knee")
