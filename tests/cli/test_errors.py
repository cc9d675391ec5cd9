"""Wrong input and usage: exit codes, exact messages, no traceback, no half-written file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.kit import zst

from poolwise.cli.main import main

RUN_LINE = "every line needs topic Q0 document rank score tag"
ARE_JUDGMENTS = "are these judgments, which have 4 or 5 and come first?"
LABEL_LINE = "every line needs topic iteration document label"
GOOD = b"1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 d 1 1 x\n"


def files_of(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


@pytest.fixture
def refused(small, monkeypatch, capfd):
    """Run a command that must fail, in this process as that is fast; returns its exit code and message."""

    def call(*arguments) -> tuple[int, str]:
        monkeypatch.chdir(small)
        before = files_of(small)
        code = main([*arguments, "-o", "scores.csv"])
        out, err = capfd.readouterr()
        assert out == ""
        assert files_of(small) == before, "nothing is written"
        assert err.startswith("poolwise: ")
        assert err.count("\n") == 1, "one line, no traceback"
        return code, err.removeprefix("poolwise: ").rstrip("\n")

    return call


def test_a_process_ends_with_the_code_and_the_message(process, small):
    (small / "bad.txt").write_bytes(b"bad\n")
    result = process("score", "qrels.txt", "bad.txt")
    assert (result.code, result.out, result.err) == (1, "", f"poolwise: bad.txt:1: 1 column found; {RUN_LINE}\n")
    result = process("score", "qrels.txt", "runs", "--threads", "0")
    assert (result.code, result.err) == (2, "poolwise: threads=0 must be a whole number of at least 1\n")


# ---- Input: exit code 1 ------------------------------------------------------------------------------------------

BAD_RUNS = {
    "columns": (b"1 Q0 a 1 3\n", f"bad.txt:1: 5 columns found; {RUN_LINE}; {ARE_JUDGMENTS}"),
    "score": (GOOD + b"2 Q0 e 1 n/a x\n", f"bad.txt:4: score 'n/a' is not a number; {RUN_LINE}"),
    "hexadecimal": (b"1 Q0 a 1 0x1p3 x\n", f"bad.txt:1: score '0x1p3' is not a number; {RUN_LINE}"),
    "NaN": (
        b"1 Q0 a 1 NaN x\n",
        "bad.txt:1: score 'NaN' cannot be ranked; scores may be any number or inf, not NaN",
    ),
    "NUL": (
        GOOD + b"\0\n",
        f"bad.txt:4: NUL byte found; is the file binary or UTF-16 text? {RUN_LINE}, as plain text",
    ),
    "UTF-16": (
        GOOD.decode().encode("utf-16"),
        f"bad.txt:1: NUL byte found; is the file binary or UTF-16 text? {RUN_LINE}, as plain text",
    ),
    "long line": (b"x" * (2**20 + 1), f"bad.txt:1: line longer than 1 MB found; is this a TREC file? {RUN_LINE}"),
    "empty": (b"", f"bad.txt: the run is empty; {RUN_LINE}"),
    "blank": (b"\n\n \n", f"bad.txt: the run is empty; {RUN_LINE}"),
    "twice": (
        GOOD + b"1 Q0 a 4 0 x\n",
        "bad.txt:4: document 'a' of topic '1' is listed twice; remove one of the two, or keep the first with "
        "--duplicates first (duplicates='first' in Python)",
    ),
    "no topic": (
        b"9 Q0 a 1 3 x\n",
        "bad.txt: no topic in common with qrels.txt ('9' in the run, '1' and '2' in the judgments); check that both "
        "belong to the same campaign",
    ),
    "truncated gz": (
        gzip.compress(GOOD)[:-9],
        "bad.txt: the gz data cannot be read to the end (Compressed file ended before the end-of-stream marker was "
        "reached); fetch or compress the file again",
    ),
    "truncated xz": (
        lzma.compress(GOOD)[:-9],
        "bad.txt: the xz data cannot be read to the end (the last stream has no end); fetch or compress the file again",
    ),
    "truncated bz2": (
        bz2.compress(GOOD)[:-9],
        "bad.txt: the bz2 data cannot be read to the end (the last stream has no end); fetch or compress the file "
        "again",
    ),
    "truncated zst": (
        zst.compress(GOOD)[:-9],
        "bad.txt: the zst data cannot be read to the end (the last stream has no end); fetch or compress the file "
        "again",
    ),
    "empty gz": (gzip.compress(b"", mtime=0), f"bad.txt: the run is empty; {RUN_LINE}"),
}


@pytest.mark.parametrize("kind", BAD_RUNS)
def test_bad_runs(refused, small, kind):
    data, said = BAD_RUNS[kind]
    (small / "bad.txt").write_bytes(data)
    assert refused("score", "qrels.txt", "runs", "bad.txt") == (1, said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1 0 a high\n", f"bad.txt:1: label 'high' is not a number; {LABEL_LINE}"),
        (
            b"1 0 a 1\n1 0 b 2147483648\n",
            "bad.txt:2: label '2147483648' is out of range; labels are whole numbers from -2147483646 to 2147483647",
        ),
        (b"1 0 a 1\n1 0 b 0 1\n", f"bad.txt:2: 5 columns found where the first line has 4; {LABEL_LINE}"),
        (b"1 0 a\n", f"bad.txt:1: 3 columns found; {LABEL_LINE} (or a stratum before the label)"),
        (
            b"1 0 a x 1\n",
            "bad.txt:1: stratum 'x' is not a whole number from 0 on; with strata every line needs topic iteration "
            "document stratum label",
        ),
        (
            b"1 0 a 1\n1 0 a 0\n",
            "bad.txt:2: document 'a' of topic '1' is judged twice; remove one of the two, or keep the first with "
            "--duplicates first (duplicates='first' in Python)",
        ),
        (b"", f"bad.txt: no judgments found; {LABEL_LINE}"),
        (gzip.compress(b"\n", mtime=0), f"bad.txt: no judgments found; {LABEL_LINE}"),
    ],
    ids=repr,
)
def test_bad_judgments(refused, small, data, said):
    (small / "bad.txt").write_bytes(data)
    assert refused("score", "bad.txt", "runs") == (1, said)


def test_paths(refused, small):
    (small / "empty").mkdir()
    assert refused("score", "none.txt", "runs") == (1, "none.txt: no such file; check the path")
    assert refused("score", "qrels.txt", "none.txt") == (1, "none.txt: no such file; check the path")
    assert refused("score", "runs", "runs") == (
        1,
        "runs: is a directory, and judgments are one file; they come first, then runs",
    )
    said = "empty: the directory holds no files; put runs in it or name another"
    assert refused("score", "qrels.txt", "empty") == (1, said)
    assert refused("score", "qrels.txt", "x*.gz") == (1, "x*.gz: no file matches; check the pattern")
    (small / "one.run").write_bytes(GOOD)
    said = "two runs are called 'one': runs/one.txt and one.run; rename one of them"
    assert refused("score", "qrels.txt", "runs", "one.run") == (1, said)
    if Path("/proc/self/mem").exists():
        said = "/proc/self/mem: cannot be read (Input/output error); check the file and its permissions"
        assert refused("score", "qrels.txt", "/proc/self/mem") == (1, said)


def test_faulty_parquet(refused, small):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"topic": ["1"], "document": ["a"]}), small / "bad.parquet")
    said = (
        "bad.parquet: no column called 'score' or 'sim' or 'value' or 'similarity'; found 'topic', 'document'; say "
        "what it is called with columns= (--columns)"
    )
    assert refused("score", "qrels.txt", "bad.parquet") == (1, said)
    parquet.write_table(pyarrow.table({"topic": ["1"], "document": ["a"], "label": ["1"]}), small / "bad.parquet")
    said = "bad.parquet: row 1: label '1' is not a number; every row needs topic, document and label"
    assert refused("score", "bad.parquet", "runs") == (1, said)


# ---- Usage: exit code 2 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("score qrels.txt", "no run was given; name run files, a directory, or --runs-from FILE"),
        ("score - -", "standard input can be read once only; give - for the judgments or for one run"),
        ("score qrels.txt - -", "standard input can be read once only; give - for the judgments or for one run"),
        ("score qrels.txt runs --threads 0", "threads=0 must be a whole number of at least 1"),
        ("score qrels.txt runs --unjudged some", "--unjudged 'some': give a label, negative or none"),
    ],
)
def test_wrong_usage(refused, words, said):
    assert refused(*words.split()) == (2, said)


def test_a_list_of_runs_that_is_not_there(refused):
    said = "none.txt: no such file; check the path"
    assert refused("score", "qrels.txt", "--runs-from", "none.txt") == (1, said)


@pytest.mark.parametrize(
    "words", ["", "scores", "score", "score qrels.txt runs --nothing", "score q r -m", "score q r --format xml"]
)
def test_wrong_words(small, monkeypatch, capfd, words):
    monkeypatch.chdir(small)
    assert main(words.split()) == 2
    assert capfd.readouterr().err.startswith("poolwise: " if words else "")


# ---- Output ------------------------------------------------------------------------------------------------------


def test_output_that_cannot_be_written(process, small):
    reasons = {
        "none/there/scores.csv": "there is no folder none/there; make it first (mkdir -p none/there)",
        "runs": "is a folder; name a file in it",
    }
    for target, why in reasons.items():
        result = process("score", "not-looked-for.txt", "runs", "-o", target)
        assert result.code == 1
        assert result.err == f"poolwise: {target}: {why}\n"
    assert files_of(small) == ["one.txt", "qrels.txt", "two.run"]


def test_folders_that_may_not_be_written_to(poolwise, small, monkeypatch):
    (small / "locked").mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: not path.endswith("locked"))  # root may write anywhere
    result = poolwise("score", "not-looked-for.txt", "runs", "-o", "locked/scores.csv")
    assert result.code == 1
    assert result.err.startswith("poolwise: locked/scores.csv: cannot be written (no permission in ")


@pytest.mark.parametrize(
    "words",
    [
        "simulate --runs 2 --topics 2 --depth 10 -o qrels.txt",
        "study robustness qrels.txt runs -m AP --trials 1 --fractions 0.5 -o qrels.txt",
        "demo -o qrels.txt/there",
    ],
)
def test_folders_that_cannot_be_made(poolwise, small, words):
    result = poolwise(*words.split())
    assert result.code == 1
    *_, last = result.err.splitlines()
    assert last.startswith("poolwise: qrels.txt/")
    assert "cannot be made (Not a directory); name another folder" in last
    assert "Errno" not in result.err


def test_usage_says_that_runs_are_needed(poolwise):
    assert poolwise("score", "--help").out.startswith("usage: poolwise score QRELS RUN ... [options]\n")
    assert poolwise("compare", "--help").out.startswith("usage: poolwise compare QRELS [RUN ...] [options]\n")


def test_an_old_file_survives_an_error(poolwise, small):
    (small / "scores.csv").write_text("old")
    (small / "bad.txt").write_bytes(b"bad\n")
    assert poolwise("score", "qrels.txt", "bad.txt", "-o", "scores.csv").code == 1
    assert (small / "scores.csv").read_text() == "old"
    (small / "link.csv").symlink_to("scores.csv")
    assert poolwise("score", "qrels.txt", "runs", "-m", "AP", "-o", "link.csv").code == 0
    assert (small / "link.csv").is_symlink()
    assert (small / "scores.csv").read_text().startswith("run,measure,topic,value\none,AP,all,0.75\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_devices(process, small):
    """A device is written to, not replaced by a file."""
    pipe = small / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    assert process("score", "qrels.txt", "runs/one.txt", "-m", "AP", "--format", "csv", "-o", "pipe").code == 0
    assert reader.communicate()[0] == b"run,measure,topic,value\none,AP,all,0.75\n"
    assert pipe.is_fifo()
    out = process("score", "qrels.txt", "runs/one.txt", "-m", "AP", "--format", "csv", "-o", "/dev/stdout").out
    assert out == "run,measure,topic,value\none,AP,all,0.75\n"
    command = [sys.executable, "-m", "poolwise", "score", "qrels.txt", "runs"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=small, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith(b"\npoolwise: No space left on device; check the path and what may be done with it\n")


# ---- What must work ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zst.compress])
def test_standard_input(process, small, compress):
    expected = "".join(f"AP                    \t{row}\n" for row in ("1\t0.5000", "2\t1.0000", "all\t0.7500"))
    lines = (small / "runs/one.txt").read_bytes().splitlines(keepends=True)
    scattered = b"".join(lines[::2] + lines[1::2])
    assert process("score", "qrels.txt", "-", "-m", "AP", "-q", stdin=compress(scattered)).out == expected
    assert (
        process("score", "-", "runs/one.txt", "-m", "AP", "-q", stdin=compress((small / "qrels.txt").read_bytes())).out
        == expected
    )


def test_faulty_standard_input(process, small):
    bad = process("score", "qrels.txt", "-", stdin=b"bad\n")
    assert (bad.code, bad.err) == (1, f"poolwise: standard input:1: 1 column found; {RUN_LINE}\n")


def test_parquet_on_standard_input(process, small):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"topic": ["1", "2"], "document": ["a", "d"], "score": [1.0, 2.0]})
    parquet.write_table(table, small / "run.parquet")
    result = process("score", "qrels.txt", "-", "-m", "RR", stdin=(small / "run.parquet").read_bytes())
    assert (result.code, result.out.split()[-1]) == (0, "1.0000")


def test_ids_that_are_not_utf8_are_printed_as_they_are(small):
    (small / "qrels.txt").write_bytes(b"\xff 0 a 1\n")
    run = os.fsencode(small) + b"/\xe9.txt"
    Path(os.fsdecode(run)).write_bytes(b"\xff Q0 a 1 1 x\n")
    command = [sys.executable, "-m", "poolwise", "score", "qrels.txt", run, "runs", "-m", "AP", "-q", "--format", "csv"]
    (small / "runs" / "two.run").unlink()
    (small / "runs" / "one.txt").write_bytes(b"\xff Q0 a 1 1 x\n")
    done = subprocess.run(command, capture_output=True, cwd=small, check=False)
    assert done.stderr == b""
    assert done.stdout.splitlines()[1:3] == [b"\xe9,AP,\xff,1.0", b"\xe9,AP,all,1.0"]


# ---- Ctrl-C ------------------------------------------------------------------------------------------------------


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _started(small: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "poolwise", *words]
    return subprocess.Popen(command, cwd=small, stderr=subprocess.PIPE, preexec_fn=_interruptible)


def _opened_by(process: subprocess.Popen[bytes], path: Path) -> int:
    """Open a pipe for writing as soon as the process reads it."""
    for _ in range(2000):
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert process.poll() is None, "the command ended early"
            time.sleep(0.01)
    raise TimeoutError


def test_ctrl_c_while_reading(small):
    """The pipe opens when the command has begun to read it, and never ends."""
    os.mkfifo(small / "pipe")
    before = files_of(small)
    process = _started(small, "score", "qrels.txt", "pipe", "-o", "scores.csv")
    pipe = _opened_by(process, small / "pipe")
    os.write(pipe, GOOD)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=20)[1]
    os.close(pipe)
    assert said == b"poolwise: stopped; no file was left half-written\n"
    assert process.returncode == 130
    assert files_of(small) == before


@pytest.mark.parametrize("moment", ["score", "write", "rename"])
def test_ctrl_c_at_the_worst_moment(small, moment):
    """A plug-in sends the signal while scoring, half-way through writing, or just before the file gets its name."""
    (small / "stopping.py").write_text(
        "import os, signal, sys, io\n"
        "import poolwise, poolwise.basics.writing\n"
        "def stop(*ignored):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    import time; time.sleep(5)\n"
        "class Half(io.FileIO):\n"
        "    def write(self, data):\n"
        "        super().write(data[: len(data) // 2])\n"
        "        stop()\n"
        "@poolwise.measure('Stopping')\n"
        "def stopping(labels):\n"
        "    'sends Ctrl-C'\n"
        f"    if {moment!r} == 'score': stop()\n"
        f"    if {moment!r} == 'rename': os.replace = stop\n"
        f"    if {moment!r} == 'write': sys.modules['poolwise.basics.writing'].open = Half\n"
        "    return 1.0\n"
    )
    (small / "scores.csv").write_text("old")
    before = files_of(small)
    process = _started(
        small, "score", "qrels.txt", "runs", "--plugin", "stopping:stopping", "-m", "Stopping", "-o", "scores.csv"
    )
    assert process.communicate(timeout=20)[1] == b"poolwise: stopped; no file was left half-written\n"
    assert process.returncode == 130
    assert [name for name in files_of(small) if not name.endswith(".pyc")] == before
    assert (small / "scores.csv").read_text() == "old"
