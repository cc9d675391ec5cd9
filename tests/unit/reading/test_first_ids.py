"""The first ids of a run."""

from __future__ import annotations

import gzip
import os

from poolwise.reading.run_text import first_ids
from poolwise.reading.sources import Source


def test_files(tmp_path):
    text = b"# comment\n\n1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n"
    (tmp_path / "run.txt").write_bytes(text)
    (tmp_path / "run.gz").write_bytes(gzip.compress(text))
    (tmp_path / "run.json").write_text('{"1": {"a": 2.0}, "2": {"b": 1.0}}')
    for name in ("run.txt", "run.gz", "run.json"):
        assert first_ids(Source("run", str(tmp_path / name))) == [("1", "a"), ("2", "b")]


def test_what_cannot_be_read_has_none(tmp_path):
    (tmp_path / "torn.gz").write_bytes(gzip.compress(b"1 Q0 a 1 2 x\n" * 99)[:40])
    os.mkfifo(tmp_path / "pipe")
    assert first_ids(Source("run", str(tmp_path / "torn.gz"))) == []
    assert first_ids(Source("run", str(tmp_path / "pipe"))) == []
    assert first_ids(Source("run", "-")) == []
