"""Many runs are joined some at a time, each group with the judgments of a range, with the bits of all at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from errno import ENOSPC
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Literal

import pytest

import poolwise as pw
from poolwise.errors import InputError, PoolwiseError
from poolwise.lab.simulate.drawing import simulate
from poolwise.pool.joined_parts import join_part
from poolwise.reading import topic_ranges as topics
from poolwise.scores import stream
from poolwise.scores.stream import score_stream

MEASURES = ("AP", "nDCG@10", "NumRet", "GMbpref", "P@5")

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Seven runs of twelve topics, of which one lacks some, to be joined three at a time."""
    monkeypatch.setattr(topics, "TOGETHER", 3)
    monkeypatch.setattr(topics, "RANGE", 4000)
    monkeypatch.setattr(topics, "ORDERED", 3000)
    monkeypatch.setattr(topics, "SMALLEST", 500)
    simulate(runs=7, topics=12, depth=30, seed=3).write(tmp_path)
    for number, path in enumerate(paths_of(tmp_path)):
        lines = [line for line in path.read_text().splitlines() if number != 4 or not line.startswith("103 ")]
        path.write_text("".join(f"{line}{'-' * 80}\n" for line in lines))
    return tmp_path


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many runs are joined with judgments, each time that some are."""
    counts: list[int] = []

    def counted(labels: Any, runs: Sequence[Any], *others: Any) -> Any:
        counts.append(len(runs))
        return join_part(labels, runs, *others)

    monkeypatch.setattr(stream, "join_part", counted)
    return counts


def paths_of(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir())


def rearrange(folder: Path, order: str) -> None:
    """Topics 1, 10, 11, 12, 2, 3 and so on; or in a random order; or lines of all topics in a random order."""
    random = Random(order)
    for path in (folder / "qrels.txt", *paths_of(folder)):
        words = [line.split(" ", 1) for line in path.read_text().splitlines(True)]
        lines = [f"{int(topic) - 100} {rest}" for topic, rest in words]
        keys = {line.split(" ")[0]: random.random() for line in lines}
        if order == "bytes":
            lines.sort(key=lambda line: line.split(" ")[0])
        elif order == "topics":
            lines.sort(key=lambda line: keys[line.split(" ")[0]])
        elif order == "lines":
            random.shuffle(lines)
        path.write_text("".join(lines))


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("order", ["numbers", "bytes", "topics", "lines"])
def test_the_same_bits_as_in_memory(
    folder: Path, joined: list[int], missing: Literal["zero", "skip"], order: str
) -> None:
    rearrange(folder, order)
    whole = pw.read(folder / "qrels.txt", *paths_of(folder))
    expected = whole.score(*MEASURES, missing=missing)
    got = score_stream(folder / "qrels.txt", *paths_of(folder), measures=MEASURES, missing=missing, per_topic=True)
    assert list(got.rows(True)) == list(expected.rows())
    assert got.warnings == (*whole.warnings, *expected.warnings)
    assert len(joined) >= 6
    assert sorted(joined) == sorted([3, 3, 1] * (len(joined) // 3))  # threads take ranges side by side
    means = score_stream(folder / "qrels.txt", *paths_of(folder), measures=MEASURES, missing=missing)
    assert list(means.rows()) == list(expected.rows(False))
    assert means.number_of_topics == 12


@pytest.mark.parametrize("order", ["numbers", "lines"])
def test_the_first_of_repeated_documents_is_kept_in_any_order(folder: Path, order: str) -> None:
    rearrange(folder, order)
    path = paths_of(folder)[1]
    lines = path.read_text().splitlines(True)
    path.write_text("".join([*lines, *(line.replace(" Q0 ", " Q0 ").replace(".", "9.", 1) for line in lines[::7])]))
    files = (folder / "qrels.txt", *paths_of(folder))
    expected = pw.read(*files, duplicates="first", depth=9).score(*MEASURES)
    got = score_stream(*files, measures=MEASURES, duplicates="first", depth=9, per_topic=True)
    assert list(got.rows(True)) == list(expected.rows())


@pytest.mark.parametrize("order", ["numbers", "bytes", "topics", "lines"])
@pytest.mark.parametrize("faulty", ["qrels.txt", "run"])
def test_faults_name_their_line_whatever_the_order(folder: Path, order: str, faulty: str) -> None:
    rearrange(folder, order)
    path = folder / faulty if faulty == "qrels.txt" else paths_of(folder)[4]
    lines = path.read_text().splitlines(True)
    lines[40:40] = ["# a comment\n", "\n"]
    for number in (1, 44, len(lines) - 1):
        words = lines[number].split(" ")
        words[3 if faulty == "qrels.txt" else 4] = "n/a\n"
        path.write_text("".join([*lines[:number], " ".join(words[:4] + words[4:]), *lines[number + 1 :]]))
        with pytest.raises(InputError, match=rf"{path.name}:{number + 1}: "):
            score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"])


def test_bad_runs_of_any_group_are_left_out(folder: Path) -> None:
    runs = paths_of(folder)
    runs[2].write_text("")
    runs[5].write_text(runs[5].read_text().replace(" Q0 ", " ", 40))
    runs[6].write_bytes(b"\x1f\x8b no more of it")
    expected = pw.read(folder / "qrels.txt", *runs, bad_runs="skip")
    got = score_stream(folder / "qrels.txt", *runs, measures=["AP"], bad_runs="skip", per_topic=True)
    assert list(got.rows(True)) == list(expected.score("AP").rows())
    assert set(got.left_out) == {runs[place].stem for place in (2, 5, 6)}
    assert got.left_out == expected.left_out


def test_the_first_bad_run_is_named(folder: Path) -> None:
    runs = paths_of(folder)
    for path in runs[3:6:2]:
        path.write_text(path.read_text() + "112 Q0 document score tag\n")
    with pytest.raises(InputError, match=rf"{runs[3].name}:361: 5 columns"):
        score_stream(folder / "qrels.txt", *runs, measures=["AP"])
    for place, path in enumerate(paths_of(folder)):
        path.write_text("" if place in (2, 5) else path.read_text().replace("112 Q0 document score tag\n", ""))
    with pytest.raises(InputError, match=rf"{runs[2].name}: the run is empty"):
        score_stream(folder / "qrels.txt", *runs, measures=["AP"])


def test_progress_never_falls_and_ends_with_all_topics(folder: Path) -> None:
    said: list[int] = []
    score_stream(
        folder / "qrels.txt", *paths_of(folder), measures=["AP"], threads=1, progress=lambda done, _: said.append(done)
    )
    assert said == sorted(said)
    assert said[-1] == 12


def test_no_file_is_open_while_topics_are_scored(folder: Path) -> None:
    def opened() -> int:
        return sum(os.path.realpath(link).startswith(inside) for link in Path("/proc/self/fd").iterdir())

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not say which files are open")
    most: list[int] = []
    inside = os.path.realpath(folder)  # what the tests print may go to a file as well
    score_stream(
        folder / "qrels.txt", *paths_of(folder), measures=["AP"], threads=1, progress=lambda *_: most.append(opened())
    )
    assert len(most) > 1
    assert max(most) == 0


def test_the_temporary_file_is_private_on_a_disk_and_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(folder / "room"))
    (folder / "room").mkdir()
    modes: list[int] = []

    def note(*_: int) -> None:
        links = [link for link in Path("/proc/self/fd").iterdir() if str(folder / "room") in os.path.realpath(link)]
        modes.extend(link.stat().st_mode & 0o777 for link in links)
        raise KeyboardInterrupt

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not say which files are open")
    with pytest.raises(KeyboardInterrupt):
        score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"], per_topic=True, progress=note)
    assert modes == [0o600, 0o600]
    assert list((folder / "room").iterdir()) == []


def test_a_full_disk_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(PoolwiseError, match=r"No space left on device.*TMPDIR") as raised:
        score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"], bad_runs="skip")
    assert not isinstance(raised.value, InputError)
    monkeypatch.setenv("TMPDIR", str(folder / "nowhere"))
    with pytest.raises(PoolwiseError, match=r"nowhere: a temporary file of topics cannot be written \(No such file"):
        score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"])


def test_judgments_from_a_pipe_are_read_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = Thread(target=lambda: (folder / "pipe").write_bytes((folder / "qrels.txt").read_bytes()))
    writer.start()
    got = score_stream(folder / "pipe", *paths_of(folder), measures=MEASURES)
    writer.join(10)
    assert list(got.rows()) == list(pw.read(folder / "qrels.txt", *paths_of(folder)).score(*MEASURES).rows(False))


@pytest.mark.parametrize("measures", [("AP", "nDCG@10"), ("P@5", "nDCG@10"), ("bpref",)], ids=" ".join)
@pytest.mark.parametrize("files", ["sample of a pool", "sample that lost lines", "all judged"])
def test_samples_and_unequal_lists_are_noted_as_in_memory(folder: Path, files: str, measures: tuple[str, ...]) -> None:
    """One run keeps its first twelve documents of a topic; of the judgments, every second label is taken away."""
    short = paths_of(folder)[5]
    short.write_text("".join(line for line in short.read_text().splitlines(True) if int(line.split()[3]) <= 12))
    qrels = folder / "qrels.txt"
    lines = [line.split() for line in qrels.read_text().splitlines()]
    if files != "all judged":
        lines = [[*words[:3], "-1" if place % 2 else words[3]] for place, words in enumerate(lines)]
    facts = ["format 1", "number 1", "round 1", "design uniform", "seed 0", "depth 30"]
    facts += [f"stratum {topic} 1 pooled 500 drawn 9" for topic in {words[0] for words in lines}]
    header = [f"# poolwise plan {fact}\n" for fact in facts if files == "sample that lost lines"]
    qrels.write_text("".join([*header, *(f"{' '.join(words)}\n" for words in lines)]))
    at_once = pw.read(qrels, *paths_of(folder)).score(*measures)
    streamed = score_stream(qrels, *paths_of(folder), measures=measures)
    said, expected = ([note for note in each.warnings if _speaks_of_both(note)] for each in (streamed, at_once))
    assert said == expected
    assert len(said) == (measures[0] in ("AP", "bpref")) + (files != "all judged" and measures != ("bpref",))
    assert ("6000" in "".join(said)) == (files == "sample that lost lines" and measures != ("bpref",))


def _speaks_of_both(note: str) -> bool:
    return "this is a sample" in note or "documents per topic" in note
