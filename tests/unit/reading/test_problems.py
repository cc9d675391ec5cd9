"""Every fault that the core knows has words here, for runs and for judgments, and is provoked by some file."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise import _core
from poolwise.reading.files import problem

# What reading takes up itself: nothing wrong, lines to be gathered, a file for Python to open.
NOT_SAID = {"none", "scattered", "compressed"}
SAID = [fault for fault in _core.FAULTS if fault not in NOT_SAID]
FOUND = {"columns": b"3", "duplicate": b"topic\ndocument"}
# The lines of a file that has the fault: of a run, and of judgments where a run cannot have it.
FILES = {
    "columns": (b"1 Q0 a\n", None),
    "score": (b"1 Q0 a 1 high x\n", None),
    "not_a_number": (b"1 Q0 a 1 nan x\n", None),
    "label": (None, b"1 0 a good\n"),
    "label_range": (None, b"1 0 a 2147483648\n"),
    "stratum": (None, b"1 0 a x 1\n"),
    "iteration": (None, b"1 A a 1 1\n"),
    "nul": (b"1 Q0 a 1 2.0 x\0\n", None),
    "long_line": (b"1 Q0 " + b"a" * (1 << 20) + b" 1 2.0 x\n", None),
    "duplicate": (b"1 Q0 a 1 2.0 x\n1 Q0 a 2 1.0 x\n", None),
    "unreadable": ("missing.txt", None),
}


def test_every_fault_has_words_or_is_taken_up_by_reading():
    assert set(_core.FAULTS) == {*FILES, *NOT_SAID}
    assert problem((_core.FAULTS.index("none"), 0, b""), "file", labels=False) is None


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("fault", SAID)
def test_words_name_the_place_and_what_was_found(fault, labels):
    said = str(problem((_core.FAULTS.index(fault), 7, FOUND.get(fault, b"strange")), "some/file.txt", labels=labels))
    assert said.startswith("some/file.txt:7: ")
    assert ";" in said or "?" in said  # what to do
    if fault not in ("nul", "long_line"):
        assert all(part in said for part in FOUND.get(fault, b"strange").decode().split("\n"))


@pytest.mark.parametrize("fault", FILES)
def test_a_file_with_the_fault_has_its_words(fault, tmp_path):
    run, labels = FILES[fault]
    (tmp_path / "qrels.txt").write_bytes(labels or b"1 0 a 1\n")
    path = tmp_path / (run if isinstance(run, str) else "run.txt")
    if not isinstance(run, str):
        path.write_bytes(run or b"1 Q0 a 1 2.0 x\n")
    builder = _core.Builder(keep_all=False)
    code, *_ = builder.read_labels(str(tmp_path / "qrels.txt").encode())
    if run is not None:
        builder.finish_labels()
        builder.expect_runs(1)
        [(code, *_)] = builder.read_runs([0], [str(path).encode()], 1)
    assert _core.FAULTS[code] == fault
    with pytest.raises(pw.InputError):
        pw.read(tmp_path / "qrels.txt", path)
