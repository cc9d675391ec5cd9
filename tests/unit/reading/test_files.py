"""Files of every kind, whole and damaged, pipes, and paths that lead nowhere."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.kit import zst

import poolwise as pw

QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
RUN = b"1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 d1 1 1 a\n"
SCATTERED = b"1 Q0 d2 2 2 a\n2 Q0 d1 1 1 a\n1 Q0 d1 1 3 a\n"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
    "bz2": bz2.compress,
    "zst": zst.compress,
}

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def big_run() -> bytes:
    """Some 200 KB that do not compress away."""
    source = random.Random(1)
    return b"".join(
        b"%d Q0 d%08d %d %r a\n" % (topic, source.randrange(10**8), rank, source.random())
        for topic in range(1, 6)
        for rank in range(1000)
    )


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_bytes(QRELS)
    return path


def error(qrels: object, *runs: object, **options: object) -> str:
    with pytest.raises(pw.PoolwiseError) as caught:
        pw.read(qrels, *runs, **options)
    return str(caught.value)


# ---- Compressed files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("data", [RUN, SCATTERED], ids=["sorted", "scattered"])
def test_compressed_runs(tmp_path: Path, qrels: Path, ending: str, data: bytes) -> None:
    path = tmp_path / "run.dat"  # the content tells the kind, not the name
    path.write_bytes(COMPRESS[ending](data))
    assert pw.read(qrels, path).ranking("run.dat", "1") == ["d1", "d2"]


@pytest.mark.parametrize("ending", COMPRESS)
def test_compressed_judgments(tmp_path: Path, ending: str) -> None:
    (tmp_path / "qrels").write_bytes(COMPRESS[ending](QRELS))
    (tmp_path / "run").write_bytes(RUN)
    assert pw.read(tmp_path / "qrels", tmp_path / "run").judgments.of("1") == {"d1": 1, "d2": 0}


@pytest.mark.parametrize("ending", COMPRESS)
def test_parts_one_after_the_other(tmp_path: Path, qrels: Path, ending: str) -> None:
    """`cat a.gz b.gz` is a gzip file; so it is with the others."""
    path = tmp_path / "run"
    path.write_bytes(COMPRESS[ending](RUN[:20]) + COMPRESS[ending](b"") + COMPRESS[ending](RUN[20:]))
    assert pw.read(qrels, path).score("NumRet").means().tolist() == [[3.0]]


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("place", range(3))  # of the bytes by which such data are known
def test_damage_at_the_start_of_a_later_part(tmp_path: Path, qrels: Path, ending: str, place: int) -> None:
    """What follows a whole part and is none was taken for padding: the run ended there, without a word."""
    first, second = COMPRESS[ending](RUN[:14]), bytearray(COMPRESS[ending](RUN[14:]))
    second[place] ^= 1 << 5
    path = tmp_path / "run"
    path.write_bytes(first + second)
    said = error(qrels, path)
    assert said.startswith(f"{path}: the {ending} data cannot be read to the end (")


@pytest.mark.parametrize("ending", COMPRESS)
def test_zeros_may_follow(tmp_path: Path, qrels: Path, ending: str) -> None:
    """Padding of blocks, which xz allows between parts too."""
    zeros = bytes(8) if ending == "xz" else b""
    path = tmp_path / "run"
    path.write_bytes(COMPRESS[ending](RUN[:14]) + zeros + COMPRESS[ending](RUN[14:]) + bytes(1024))
    assert pw.read(qrels, path).score("NumRet").means().tolist() == [[3.0]]


def test_frames_to_be_skipped(tmp_path: Path, qrels: Path) -> None:
    """Files of pzstd begin with one."""
    path = tmp_path / "run"
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + zst.compress(RUN))
    assert pw.read(qrels, path).score("NumRet").means().tolist() == [[3.0]]


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99, 1.0])
def test_truncated_files(tmp_path: Path, qrels: Path, ending: str, share: float) -> None:
    path, data = tmp_path / "run", COMPRESS[ending](big_run())
    path.write_bytes(data[: int(len(data) * share) - 1])
    said = error(qrels, path)
    assert said.startswith(f"{path}: the {ending} data cannot be read to the end (")
    assert said.endswith("); fetch or compress the file again")


@pytest.mark.parametrize("ending", COMPRESS)
def test_corrupt_files_never_pass_or_crash(tmp_path: Path, qrels: Path, ending: str) -> None:
    """Whatever byte is wrong: an error of ours, or (Zstandard without checksum) a run that differs."""
    source, path, text = random.Random(2), tmp_path / "run", RUN
    data, said = COMPRESS[ending](text), []
    for _ in range(150):
        broken = bytearray(data)
        broken[source.randrange(len(broken))] ^= 1 << source.randrange(8)
        path.write_bytes(broken)
        try:
            pw.read(qrels, path)
        except pw.InputError as caught:
            said.append(str(caught))
    assert len(said) > 50
    assert all(message.startswith(f"{path}:") for message in said)


@pytest.mark.parametrize("ending", COMPRESS)
def test_corrupt_gzip_names_the_file(tmp_path: Path, ending: str) -> None:
    path, data = tmp_path / "qrels", bytearray(COMPRESS[ending](big_run()))
    middle = slice(len(data) // 2, len(data) // 2 + 40)
    data[middle] = bytes(255 - byte for byte in data[middle])
    path.write_bytes(data)
    (tmp_path / "run").write_bytes(RUN)
    assert error(path, tmp_path / "run").startswith(f"{path}:")


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("content", [b"", b"\n \n"], ids=["empty", "blank"])
def test_compressed_nothing(tmp_path: Path, qrels: Path, ending: str, content: bytes) -> None:
    path = tmp_path / "run"
    path.write_bytes(COMPRESS[ending](content))
    assert error(qrels, path) == f"{path}: the run is empty; every line needs topic Q0 document rank score tag"
    (tmp_path / "plain").write_bytes(RUN)
    assert error(path, tmp_path / "plain").startswith(f"{path}: no judgments found; every line needs")


@pytest.mark.parametrize("ending", COMPRESS)
def test_bad_lines_of_compressed_files_have_numbers(tmp_path: Path, qrels: Path, ending: str) -> None:
    path = tmp_path / "run"
    path.write_bytes(COMPRESS[ending](big_run() + b"1 Q0 d1 1 x a\n"))
    assert error(qrels, path).startswith(f"{path}:5001: score 'x' is not a number")


def test_text_that_begins_like_other_kinds(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"BZh9 0 d1 1\nPAR1 0 d1 1\n")
    for start in (b"BZh9", b"PAR1"):
        (tmp_path / "run").write_bytes(start + b" Q0 d1 1 1 a\n")
        assert pw.read(tmp_path / "qrels", tmp_path / "run").score("NumRelRet").means().tolist() == [[1.0]]


# ---- Long lines ----------------------------------------------------------------------------------------------------

MEASURED = """
import resource, sys
import poolwise as pw
import poolwise.reading.opening
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    pw.read(*sys.argv[1:])
except pw.InputError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def _grown(*arguments: str, stdin: int | None = None) -> tuple[str, float]:
    """What reading in a process of its own says, and by how many MB the process grew."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], stdin=stdin, capture_output=True, text=True, check=True
    )
    said, grown = done.stdout.splitlines()
    return said, float(grown) / 1024


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["txt", *COMPRESS])
def test_a_line_of_100_megabytes_is_refused_early(tmp_path: Path, qrels: Path, ending: str) -> None:
    path, compress = tmp_path / f"run.{ending}", COMPRESS.get(ending, bytes)
    # Compressed, the line is one part repeated.
    path.write_bytes(compress(RUN) + 5 * compress(b"x" * 20 * 2**20))
    said, grown = _grown(str(qrels), str(path))
    assert said.startswith(f"{path}:4: line longer than 1 MB found; is this a TREC file?")
    assert grown < 40


def test_an_endless_line_on_standard_input_is_refused_early(qrels: Path) -> None:
    """The writer never ends: only a reader that stops early returns at all."""
    program = "while True: print('x' * 65536, end='')"
    endless = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert endless.stdout is not None
    try:
        said, grown = _grown(str(qrels), "-", stdin=endless.stdout.fileno())
    finally:
        endless.kill()
        endless.stdout.close()
        endless.wait()
    assert said.startswith("standard input:1: line longer than 1 MB found")
    assert grown < 40


# ---- Standard input and pipes ------------------------------------------------------------------------------------


class Piped(io.TextIOWrapper):
    """A standard input that holds bytes and cannot be read twice."""

    def __init__(self, data: bytes) -> None:
        class Once(io.BytesIO):
            def seekable(self) -> bool:
                return False

        super().__init__(io.BufferedReader(Once(data)))  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["txt", *COMPRESS])
@pytest.mark.parametrize("data", [RUN, SCATTERED], ids=["sorted", "scattered"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, qrels: Path, ending: str, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(COMPRESS.get(ending, bytes)(data)))
    pool = pw.read(qrels, "-")
    assert pool.runs == ["stdin"]
    assert [pool.ranking("stdin", topic) for topic in "12"] == [["d1", "d2"], ["d1"]]


def test_standard_input_for_judgments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(RUN)
    monkeypatch.setattr(sys, "stdin", Piped(gzip.compress(QRELS)))
    assert pw.read("-", tmp_path / "run").judgments.of("2") == {"d1": 2}
    monkeypatch.setattr(sys, "stdin", Piped(b"1 0 d1 x\n"))
    assert error("-", tmp_path / "run").startswith("standard input:1: label 'x' is not a number")


@pytest.mark.parametrize("data", [b"", b"\n", b"1"], ids=["empty", "blank", "one byte"])
def test_standard_input_with_little(monkeypatch: pytest.MonkeyPatch, qrels: Path, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(data))
    said = error(qrels, "-")
    assert said.startswith(
        "standard input: the run is empty" if data.strip() == b"" else "standard input:1: 1 column found"
    )


def test_standard_input_is_read_once(qrels: Path) -> None:
    once = "standard input can be read once only; give - for the judgments or for one run"
    with pytest.raises(pw.ArgumentError) as caught:
        pw.read("-", "-")
    assert str(caught.value) == once
    with pytest.raises(pw.ArgumentError) as caught:
        pw.read(qrels, "-", "-")
    assert str(caught.value) == once


@pytest.mark.parametrize("ending", ["txt", *COMPRESS])
def test_a_pipe_is_read_whole(tmp_path: Path, qrels: Path, ending: str) -> None:
    """A pipe cannot be read again: a second reading, for scattered topics, would find only what is left of it."""
    lines = [b"%d Q0 d%d 1 %d a\n" % (topic, rank, -rank) for rank in range(20_000) for topic in (1, 2)]
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(COMPRESS.get(ending, bytes)(b"".join(lines))))
    writer.start()
    pool = pw.read(qrels, path)
    writer.join()
    assert pool.score("NumRet").means().tolist() == [[40_000.0]]
    assert pool.ranking("pipe", "2")[:3] == ["d0", "d1", "d2"]


def test_judgments_from_a_pipe(tmp_path: Path) -> None:
    path, run = tmp_path / "pipe", tmp_path / "run"
    run.write_bytes(RUN)
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(gzip.compress(QRELS)))
    writer.start()
    pool = pw.read(path, run)
    writer.join()
    assert pool.judgments.of("1") == {"d1": 1, "d2": 0}


# ---- Paths -------------------------------------------------------------------------------------------------------


def test_paths_that_lead_nowhere(tmp_path: Path, qrels: Path) -> None:
    run, nothing, empty = tmp_path / "run", tmp_path / "nothing", tmp_path / "empty"
    run.write_bytes(RUN)
    empty.mkdir()
    (empty / ".hidden").write_bytes(RUN)
    assert error(nothing, run) == f"{nothing}: no such file; check the path"
    assert error(qrels, nothing) == f"{nothing}: no such file; check the path"
    assert error(empty, run) == f"{empty}: is a directory, and judgments are one file; they come first, then runs"
    assert error(qrels, empty) == f"{empty}: the directory holds no files; put runs in it or name another"
    (empty / "runs").mkdir()
    assert (
        error(qrels, empty) == f"{empty}: the directory holds no files; name a folder of runs: it has {empty / 'runs'}"
    )
    assert error(qrels, tmp_path / "*.none") == f"{tmp_path}/*.none: no file matches; check the pattern"
    assert error(qrels) == "no runs were given; name at least one run file, directory or table"
    assert error(qrels, {"mine": nothing}).startswith(f"{nothing}: cannot be read (No such file or directory)")


def test_files_that_cannot_be_read(tmp_path: Path, qrels: Path) -> None:
    (tmp_path / "runs").mkdir()
    link = tmp_path / "runs" / "link.txt"
    link.symlink_to(tmp_path / "gone")
    said = f"{link}: cannot be read (No such file or directory); check the file and its permissions"
    assert error(qrels, tmp_path / "runs") == said
    memory = Path("/proc/self/mem")  # readable by its permissions, but not at its start
    if memory.exists():
        said = "/proc/self/mem: cannot be read (Input/output error); check the file and its permissions"
        assert error(qrels, memory) == said
        assert error(memory, qrels) == said


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_files_without_permission(tmp_path: Path, qrels: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(RUN)
    path.chmod(0)
    said = f"{path}: cannot be read (Permission denied); check the file and its permissions"
    assert error(qrels, path) == said
    assert error(path, qrels) == said


def test_two_runs_of_one_name(tmp_path: Path, qrels: Path) -> None:
    for name in ("a.txt", "a.run.gz"):
        (tmp_path / name).write_bytes(RUN)
    said = f"two runs are called 'a': {tmp_path}/a.txt and {tmp_path}/a.run.gz; rename one of them"
    assert error(qrels, tmp_path / "a.txt", tmp_path / "a.run.gz") == said


def test_names_of_files_need_not_be_utf8(tmp_path: Path, qrels: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(path, "wb") as file:
        file.write(RUN)
    pool = pw.read(qrels, os.fsdecode(path))
    assert pool.runs == ["caf\udce9"]
    assert pw.read(qrels, tmp_path / "caf*").runs == ["caf\udce9"]


def test_the_first_faulty_run_is_named_for_any_number_of_threads(tmp_path: Path, qrels: Path) -> None:
    (tmp_path / "runs").mkdir()
    for number in range(20):
        data = RUN if number % 3 else RUN + b"bad\n"
        path = tmp_path / "runs" / f"{number:02}"
        path.write_bytes(data if number % 2 else gzip.compress(data))
    for threads in (1, 2, 5):
        assert error(qrels, tmp_path / "runs", threads=threads).startswith(f"{tmp_path}/runs/00:4: 1 column found")
