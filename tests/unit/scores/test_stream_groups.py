"""Many runs are walked through some at a time, each group beside the judgments, with the bits of all at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

import poolwise as pw
from poolwise.errors import InputError
from poolwise.lab.simulate.drawing import simulate
from poolwise.reading import topic_walk as topics
from poolwise.reading.files import NotGrouped
from poolwise.reading.sources import qrels_source, run_sources
from poolwise.scores.stream import score_stream

MEASURES = ("AP", "nDCG@10", "NumRet", "GMbpref", "P@5")

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Seven runs of twelve topics, of which one lacks some, to be walked through two or three at a time.

    Tags are long, so that the judgments are shorter than two runs.
    """
    monkeypatch.setattr(topics, "TOGETHER", 3)
    monkeypatch.setattr(topics, "PIECES", 4000)
    monkeypatch.setattr(topics, "SMALLEST", 500)
    simulate(runs=7, topics=12, depth=30, seed=3).write(tmp_path)
    for number, path in enumerate(paths_of(tmp_path)):
        lines = [line for line in path.read_text().splitlines() if number != 4 or not line.startswith("103 ")]
        path.write_text("".join(f"{line}{'-' * 80}\n" for line in lines))
    return tmp_path


def paths_of(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir())


def group_sizes(folder: Path) -> list[int]:
    return [len(group) for group in topics.walks(qrels_source(folder / "qrels.txt"), run_sources(paths_of(folder)))]


def sort_bytewise(folder: Path) -> None:
    """Topics 1, 10, 11, 12, 2, 3 and so on."""
    for path in (folder / "qrels.txt", *paths_of(folder)):
        words = [line.split(" ", 1) for line in path.read_text().splitlines(True)]
        lines = [f"{int(topic) - 100} {rest}" for topic, rest in words]
        path.write_text("".join(sorted(lines, key=lambda line: line.split(" ")[0])))


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("order", ["numbers", "bytes"])
def test_the_same_bits_as_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch, missing: Literal["zero", "skip"], order: str
) -> None:
    if order == "bytes":
        sort_bytewise(folder)
        monkeypatch.setattr(topics, "PIECES", 1 << 22)  # so that the judgments alone show it at once
    assert group_sizes(folder) == [2, 2, 3]
    whole = pw.read(folder / "qrels.txt", *paths_of(folder))
    expected = whole.score(*MEASURES, missing=missing)
    got = score_stream(folder / "qrels.txt", *paths_of(folder), measures=MEASURES, missing=missing, per_topic=True)
    assert list(got.rows(True)) == list(expected.rows())
    assert got.warnings == (*whole.warnings, *expected.warnings)
    means = score_stream(folder / "qrels.txt", *paths_of(folder), measures=MEASURES, missing=missing)
    assert list(means.rows()) == list(expected.rows(False))
    assert means.number_of_topics == 12


def test_an_order_that_shows_late(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start of files is in order both ways; a group of runs is walked through again when that turns out wrong."""
    sort_bytewise(folder)
    monkeypatch.setattr(topics, "SMALLEST", 100)
    expected = pw.read(folder / "qrels.txt", *paths_of(folder)).score("AP")
    got = score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"], per_topic=True)
    assert list(got.rows(True)) == list(expected.rows())
    path = paths_of(folder)[6]
    path.write_text("".join(reversed(path.read_text().splitlines(True))))
    with pytest.raises(NotGrouped, match=f"{path.name}: topics do not ascend"):
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


def test_only_some_files_are_open_at_once(folder: Path) -> None:
    def opened() -> int:
        return sum(os.path.realpath(link).startswith(inside) for link in Path("/proc/self/fd").iterdir())

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not say which files are open")
    most: list[int] = []
    inside = os.path.realpath(folder)  # what the tests print may go to a file as well
    score_stream(
        folder / "qrels.txt", *paths_of(folder), measures=["AP"], threads=1, progress=lambda *_: most.append(opened())
    )
    assert 1 < max(most) <= 4


def test_judgments_longer_than_runs_or_from_a_pipe_are_read_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    sources = run_sources(paths_of(folder))
    assert topics.walks(qrels_source(folder / "pipe"), sources) == [sources]
    size = sum(path.stat().st_size for path in paths_of(folder))
    with open(folder / "qrels.txt", "a") as file:
        file.write("\n" * (size // 3))
    assert group_sizes(folder) == [7]
    expected = pw.read(folder / "qrels.txt", *paths_of(folder)).score("AP")
    got = score_stream(folder / "qrels.txt", *paths_of(folder), measures=["AP"])
    assert list(got.rows()) == list(expected.rows(False))


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
    assert len(group_sizes(folder)) > 1
    said, expected = ([note for note in each.warnings if _speaks_of_both(note)] for each in (streamed, at_once))
    assert said == expected
    assert len(said) == (measures[0] in ("AP", "bpref")) + (files != "all judged" and measures != ("bpref",))
    assert ("6000" in "".join(said)) == (files == "sample that lost lines" and measures != ("bpref",))


def _speaks_of_both(note: str) -> bool:
    return "this is a sample" in note or "documents per topic" in note
