"""Names that are not UTF-8, or hold signs that end lines and steer terminals."""

from __future__ import annotations

import pytest

from poolwise.basics.extras import frame
from poolwise.basics.rows import aligned_text, cell_text, markdown_text, parquet_bytes
from poolwise.basics.words import in_line, readable, visible

LATIN = b"caf\xe9".decode("utf-8", "surrogateescape")


def test_bytes_are_spelled_out_only_where_utf8_is_needed() -> None:
    assert readable(LATIN) == "caf\\xe9"
    assert readable("café") == in_line("café") == visible("café") == "café"
    assert in_line(LATIN) == LATIN
    assert readable("two\nlines") == "two\nlines"
    for sign in [*map(chr, range(32)), "\x7f", "\x9b", LATIN[-1]]:
        assert visible(sign).isprintable()
        assert len(visible(sign)) in (2, 4)


def test_cells_for_people_stay_in_their_row() -> None:
    assert cell_text("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert "\x1b" not in aligned_text(("run",), [[cell_text("\x1b[2J")]])
    assert markdown_text(("run",), [["<b>&|"]], [False]).splitlines()[2] == "| &lt;b>&amp;\\| |"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_any_name(backend: str) -> None:
    made = frame({"run": [LATIN, "b"], "value": [0.5, None]}, backend)
    column = made["run"].to_pylist() if backend == "pyarrow" else made["run"].to_list()
    assert column in (["caf\\xe9", "b"], [LATIN, "b"] if backend == "pandas" else [])


def test_parquet_holds_any_name() -> None:
    from io import BytesIO

    import pyarrow.parquet

    table = pyarrow.parquet.read_table(BytesIO(parquet_bytes({"run": [LATIN], "AP": [float("nan")]})))
    assert table.to_pydict() == {"run": ["caf\\xe9"], "AP": [None]}
