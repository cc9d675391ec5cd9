"""Tables of any columns."""

from __future__ import annotations

import pytest

from poolwise.errors import InputError
from poolwise.reading.named_columns import named_columns


def test_cells_in_quotes_may_hold_commas_and_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('item,text\n1,"a, b"\n2,"c\nd"\n3,e\n')
    found = named_columns(path, "items")
    assert found.columns == {"item": ["1", "2", "3"], "text": ["a, b", "c\nd", "e"]}
    assert [found.row_name(row) for row in range(3)] == [f"{path}:2", f"{path}:4", f"{path}:5"]


def test_a_short_line_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,score\n1,2\n3\n")
    with pytest.raises(InputError, match=r"a\.csv:3: 1 cell found; the first line names 2"):
        named_columns(path, "items")


def test_objects_may_lack_names(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": 1}\n\n{"item": 2, "score": 0.5}\n')
    found = named_columns(path, "items")
    assert found.columns == {"item": [1, 2], "score": [None, 0.5]}
    assert found.row_name(1) == f"{path}:3"
