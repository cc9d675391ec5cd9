"""The writers of rows, against what reads them."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.basics import rows as writers
from poolwise.basics.rows import (
    csv_text,
    html_table,
    json_lines,
    json_text,
    latex_text,
    markdown_text,
    parquet_pieces,
    plain,
)

CELLS = st.one_of(st.none(), st.floats(), st.integers(), st.text("ab \"',;\t\n\r\\é日", max_size=5))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.5), 0.5),
        (np.array([[1, 2]]), [[1, 2]]),
        ({"a": (np.int64(1), None)}, {"a": [1, None]}),
        (Fraction(1, 2), "Fraction(1, 2)"),
    ],
)
def test_plain_values(value, expected):
    assert plain(value) == expected
    assert type(plain(np.float64(0.5))) is float


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_json_is_as_the_standard_library_reads_it(rows):
    names = ("run", "value")
    wanted = [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in rows
    ]
    text = json_text([dict(zip(names, row, strict=True)) for row in rows])
    assert json.loads(text, parse_constant=pytest.fail) == wanted
    assert text == "".join(json_lines(names, rows)) == json.dumps(wanted, indent=1) + "\n"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.sampled_from([",", "\t"]))
def test_csv_is_as_the_standard_library_reads_it(rows, mark):
    text = csv_text(("run", "value"), rows, mark)
    back = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    wanted = [["" if cell is None or cell != cell else str(cell) for cell in row] for row in rows]
    assert back == [["run", "value"], *wanted]


def test_numbers_of_numpy_are_written_as_numbers():
    assert csv_text(("x",), [(np.float64(0.1),), (np.int64(3),)]) == "x\n0.1\n3\n"
    assert "<td>0.1</td>" in html_table({"x": np.array([0.1])})


def test_tables_for_papers_escape_what_has_a_meaning_there():
    header, rows, numeric = ("run", "x_1 & y"), [("a|b_c", "1 %")], (False, True)
    assert markdown_text(header, rows, numeric).splitlines() == [
        "| run | x_1 &amp; y |", "|---|---:|", "| a\\|b_c | 1 % |",
    ]  # fmt: skip
    assert latex_text(header, [("a^b\\c~{", "1 %")], numeric).splitlines() == [
        r"\begin{tabular}{lr}", r"\hline", r"run & x\_1 \& y \\", r"\hline",
        r"a\textasciicircum{}b\textbackslash{}c\textasciitilde{}\{ & 1 \% \\", r"\hline", r"\end{tabular}",
    ]  # fmt: skip


@pytest.mark.parametrize("group", [2, 1 << 17])
def test_parquet_is_written_in_pieces(monkeypatch, group):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(writers, "ROW_GROUP", group)
    rows = [("a", 0.5, None), ("b", float("nan"), None), ("c", math.inf, None)]
    table = parquet.read_table(io.BytesIO(b"".join(parquet_pieces(("run", "value", "low"), rows))))
    assert table.to_pydict() == {"run": ["a", "b", "c"], "value": [0.5, None, math.inf], "low": [None] * 3}
    assert str(table.schema.field("low").type) == "double"


def test_parquet_without_rows_has_its_columns():
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(b"".join(parquet_pieces(("run", "value"), []))))
    assert (table.column_names, table.num_rows) == (["run", "value"], 0)


def test_a_table_longer_than_a_page_is_a_longtable():
    rows = [[f"run{number}", "0.1"] for number in range(46)]
    long, short = (latex_text(["run", "AP"], some, [False, True]) for some in (rows, rows[:45]))
    assert "longtable" not in short
    assert "\\begin{longtable}{lr}\n\\hline\nrun & AP \\\\\n\\hline\n\\endhead\nrun0 & 0.1" in long
    assert long.endswith("\\hline\n\\end{longtable}\n")
    assert long.startswith("% more rows than a page holds: \\usepackage{longtable}\n")
