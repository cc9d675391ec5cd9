"""The tag of a run, wherever its last line is."""

from __future__ import annotations

import gzip
import lzma

import pytest

from poolwise.reading.run_text import TAIL, run_tag

LINE = "1 Q0 d{} 1 2.5 first\n"


@pytest.mark.parametrize(
    ("end", "tag"),
    [
        ("1 Q0 a 1 2 last\n", "last"),
        ("1 Q0 a 1 2 last", "last"),
        ("1\tQ0\ta\t1\t2\tlast more words\n\n# 1 2 3 4 5 6\n", "last"),
        ("", "first"),
        ("# " + "x" * (2 * TAIL) + "\n", "first"),
    ],
)
def test_last_line_with_a_tag(end, tag, tmp_path):
    for many in (1, 10_000):
        text = ("".join(LINE.format(number) for number in range(many)) + end).encode()
        for name, data in (("run", text), ("run.gz", gzip.compress(text)), ("run.xz", lzma.compress(text))):
            if name == "run" or len(end) < TAIL:  # of what is compressed, the end alone is kept
                (tmp_path / name).write_bytes(data)
                assert run_tag(str(tmp_path / name)) == tag


def test_a_run_without_tags(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 2\n")
    assert run_tag(str(tmp_path / "run")) == ""
