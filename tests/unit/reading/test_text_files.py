"""Small text files, compressed or not."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from poolwise.errors import InputError
from poolwise.reading.opening import file_text, numbered_lines


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(b"\xef\xbb\xbfone\r\n\n  two \nd\xe9\n")
    assert numbered_lines(tmp_path / "list.txt") == [(1, "one"), (3, "two"), (4, "d\udce9")]


def test_compressed_files_and_pipes_read_alike(tmp_path: Path) -> None:
    (tmp_path / "list.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    assert file_text(tmp_path / "list.gz") == "one\ntwo\n"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(b"one\ntwo\n"),))
    writer.start()
    assert numbered_lines(str(pipe)) == [(1, "one"), (2, "two")]
    writer.join()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: no such file; check the path"):
        file_text(tmp_path / "none.txt")
