"""Files are whole or not there, keep their permissions, follow links, and never take the place of a device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.basics import writing as whole_files
from poolwise.basics.writing import new_folder, remove_parts, temporary_name, write_bytes, write_pieces, written


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_get_their_name_at_the_end(tmp_path: Path) -> None:
    with written(tmp_path / "a") as file:
        file.write(b"one")
        [name] = left(tmp_path)
        assert name.startswith(".a.")
    assert (left(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"one")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_when_writing_fails(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def pieces():
        yield b"new"
        raise error

    with pytest.raises(error):
        write_pieces(tmp_path / "a", pieces())
    assert (left(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"old")


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    before = os.umask(0o027)
    write_bytes(tmp_path / "fresh", b"")
    os.umask(before)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "victim").write_bytes(b"mine")
    monkeypatch.setattr(whole_files, "temporary_name", lambda target: str(tmp_path / "known"))
    (tmp_path / "known").symlink_to("victim")
    with pytest.raises(pw.InputError, match="cannot be written"):
        write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "victim").read_bytes() == b"mine"


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no /dev/shm here")
def test_a_disk_below_dev_holds_files() -> None:
    """Everything below /dev was taken for a device and added to."""
    path = Path(f"/dev/shm/poolwise-{os.getpid()}.csv")
    try:
        for _ in range(2):
            write_bytes(path, b"once\n")
        assert path.read_bytes() == b"once\n"
    finally:
        path.unlink()


def test_devices_and_pipes_are_added_to(tmp_path: Path) -> None:
    write_bytes("/dev/null", b"x")
    assert not os.path.isfile("/dev/null")
    script = "from poolwise.basics.writing import write_bytes as w; w('/dev/stdout', b'a'); w('/dev/fd/1', b'b')"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).stdout == b"ab"
    with open(tmp_path / "out", "wb") as file:  # standard output may be a file, which its owner holds open
        file.write(b"before ")
        file.flush()
        subprocess.run([sys.executable, "-c", script], stdout=file)
    assert (tmp_path / "out").read_bytes() == b"before ab"


def test_what_dead_processes_left_is_removed(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    own = Path(temporary_name(str(tmp_path / "a")))
    theirs = tmp_path / own.name.replace(f"-{os.getpid()}-", f"-{dead.pid}-")
    elsewhere = tmp_path / theirs.name.replace(own.name.split(".")[2].split("-")[0], "00000000")
    for path in (own, theirs, elsewhere, tmp_path / "b.part", tmp_path / "c.1.part"):
        path.write_bytes(b"")
    remove_parts(tmp_path)
    assert left(tmp_path) == sorted([own.name, elsewhere.name, "b.part", "c.1.part"])


def test_folders(tmp_path: Path) -> None:
    with new_folder(tmp_path / "f") as filled:
        Path(filled, "x").write_bytes(b"")
        assert not (tmp_path / "f").exists()
    assert left(tmp_path / "f") == ["x"]
    with pytest.raises(pw.InputError, match="cannot be written"), new_folder(tmp_path / "g") as filled:
        Path(filled, "no", "x").write_bytes(b"")
    assert left(tmp_path) == ["f"]
    with pytest.raises(pw.InputError, match="is there already"), new_folder(tmp_path / "f"):
        pass


def test_unfinished_files_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good").write_text("1 Q0 a 1 1 x\n")
    Path(temporary_name(str(tmp_path / "runs" / "killed"))).write_text("1 Q0 a 1")
    assert pw.read(tmp_path / "qrels", tmp_path / "runs").runs == ["good"]
