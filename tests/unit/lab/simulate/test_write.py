"""Files of simulated campaigns: they read back, are whole or not there, and the same for the same seed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from poolwise.basics import writing as whole_files
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.simulate.simulated import Simulated, identifiers, score_cells


def literal_run(path: Path) -> dict[str, dict[str, float]]:
    """A run file read line by line; ranks must count from 1 and the tag be the file's name."""
    result: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        topic, q0, document, rank, score, tag = line.split(" ")
        scores = result.setdefault(topic, {})
        assert q0 == "Q0"
        assert tag == path.stem
        assert int(rank) == len(scores) + 1
        assert document not in scores
        scores[document] = float(score)
    return result


def literal_qrels(path: Path) -> dict[str, dict[str, int]]:
    """A judgments file read line by line."""
    result: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        topic, zero, document, label = line.split(" ")
        assert zero == "0"
        assert document not in result.setdefault(topic, {})
        result[topic][document] = int(label)
    return result


def test_written_files_read_back(small: Simulated, tmp_path: Path) -> None:
    small.write(tmp_path / "new" / "folder")
    folder = tmp_path / "new" / "folder"
    assert sorted(path.name for path in folder.iterdir()) == ["qrels.txt", "runs", "truth.txt"]
    assert sorted(path.stem for path in (folder / "runs").iterdir()) == sorted(small.runs)
    for name in small.runs:
        assert literal_run(folder / "runs" / f"{name}.txt") == small.run(name)
    assert literal_qrels(folder / "qrels.txt") == small.qrels()
    assert literal_qrels(folder / "truth.txt") == small.truth()


def test_written_runs_without_a_topic_or_full_lists(middle: Simulated, tmp_path: Path) -> None:
    lengths = (middle.rankings >= 0).sum(axis=2)
    assert (lengths == 0).any(), "the seed no longer gives a missing topic; choose another"
    assert ((lengths > 0) & (lengths < middle.depth)).any()
    middle.write(tmp_path)
    row = int(np.flatnonzero((lengths == 0).any(axis=1))[0])
    read = literal_run(tmp_path / "runs" / f"{middle.runs[row]}.txt")
    assert read == middle.run(middle.runs[row])
    assert len(read) == (lengths[row] > 0).sum() < len(middle.topics)


@pytest.mark.parametrize("compression", ["gz", "bz2", "xz"])
def test_compressed_files_hold_the_same_text(compression: str, tmp_path: Path) -> None:
    campaign = simulate(runs=2, topics=2, depth=10)
    campaign.write(tmp_path / "plain")
    campaign.write(tmp_path / "packed", compression)
    unpack = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}[compression]
    plain = sorted(path for path in (tmp_path / "plain").rglob("*.txt"))
    assert len(plain) == 4
    for path in plain:
        packed = tmp_path / "packed" / path.relative_to(tmp_path / "plain")
        assert unpack(packed.with_name(f"{path.name}.{compression}").read_bytes()) == path.read_bytes()


def test_same_seed_same_bytes_when_compressed(small: Simulated, tmp_path: Path) -> None:
    small.write(tmp_path / "a", "gz")
    small.write(tmp_path / "b", "gz")
    assert (tmp_path / "a/qrels.txt.gz").read_bytes() == (tmp_path / "b/qrels.txt.gz").read_bytes()


@pytest.mark.parametrize("moment", ["writing", "renaming"])
def test_interrupted_write_leaves_no_part(
    small: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The third file is interrupted half-way: two whole ones stay, no temporary name and no judgments."""
    small.write(tmp_path / "whole")
    calls = Counter[str]()
    write_pieces, replace = whole_files.write_pieces, os.replace

    def interrupted(data: bytes) -> Iterator[bytes]:
        yield data[: len(data) // 2]
        raise KeyboardInterrupt

    def half(path: Path, pieces: list[bytes]) -> None:
        calls["writing"] += 1
        stops = moment == "writing" and calls["writing"] == 3
        write_pieces(path, interrupted(pieces[0]) if stops else pieces)

    def refuse(source: Path, target: Path) -> None:
        calls["renaming"] += 1
        if moment == "renaming" and calls["renaming"] == 3:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(whole_files, "write_pieces", half)
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(KeyboardInterrupt):
        small.write(tmp_path / "part")
    left = sorted(path for path in (tmp_path / "part").rglob("*") if path.is_file())
    assert [path.name for path in left] == sorted(f"{name}.txt" for name in small.runs[:2])
    assert all(path.read_bytes() == (tmp_path / "whole/runs" / path.name).read_bytes() for path in left)


def test_other_runs_in_the_folder_are_refused(small: Simulated, tmp_path: Path) -> None:
    small.write(tmp_path)
    small.write(tmp_path)  # the same campaign again replaces its own files
    with pytest.raises(ArgumentError, match=r"runs already holds 12 other files such as \w+\.txt,"):
        simulate(runs=2, topics=2, depth=5).write(tmp_path, "gz")


@pytest.mark.parametrize("name", ["qrels.txt", "topics.jsonl", "documents.jsonl"])
def test_files_of_ones_own_are_not_replaced(small: Simulated, tmp_path: Path, name: str) -> None:
    """Judgments are dear; what a simulated campaign wrote has its truth beside it."""
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(ArgumentError, match=rf"{name}: is there already and of no simulated campaign"):
        small.write(tmp_path, texts=True)
    assert (tmp_path / name).read_text() == "mine\n"
    small.write(tmp_path, "gz", texts=True)  # under other names there is nothing in the way


def test_a_file_in_the_way(small: Simulated, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(InputError, match=r"cannot be made \(Not a directory\); name another folder"):
        small.write(tmp_path / "taken")


def test_unknown_run_and_compression(small: Simulated, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="no run is called 'nobody'"):
        small.run("nobody")
    with pytest.raises(ArgumentError, match="compression 'zip' is not known; use None, 'gz', 'bz2' or 'xz'"):
        small.write(tmp_path / "never", "zip")
    assert not (tmp_path / "never").exists()


def test_progress_counts_topics_then_files(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    campaign = simulate(runs=2, topics=3, depth=5, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    seen.clear()
    campaign.write(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("collection", [160, 600_000, 60_000_000])
def test_identifiers_sort_as_numbers(collection: int) -> None:
    random = np.random.default_rng(1)
    numbers = np.unique(random.integers(0, collection, 500)).astype(np.int32)
    ids = identifiers(numbers, collection)
    assert len(set(ids)) == numbers.size
    assert ids == sorted(ids)
    assert len({len(text) for text in ids}) > 1


def test_score_text_is_exact() -> None:
    numbers = [0, 1, -1, 9_999, 10_000, -10_000, 100_000, 123_456, -99_999, 1_000_000, 1_234_567_890]
    units = np.array(numbers, dtype=np.int32)
    for unit, cells in zip(units.tolist(), score_cells(units), strict=True):
        text = bytes(cells[cells != 0]).decode()
        assert text == f"{unit / 10_000:.4f}"
        assert float(text) == unit / 10_000
