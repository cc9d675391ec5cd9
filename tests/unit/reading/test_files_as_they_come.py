"""Runs as participants send them: more fields than six, scores that are NaN, repeats below the cut, faulty ones."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas
import pytest

import poolwise as pw
from poolwise.scores.stream import score_stream

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n"
GOOD = "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 z 3 1 x\n2 Q0 d 1 1 x\n2 Q0 a 2 0.5 x\n"
BAD = {
    "columns": ("1 Q0 a 1 3 x\n1 Q0 newcomer 1 2 x\n2 Q0 d 1 9 x\n2 Q0 y 1 1\n", ":4: 5 columns found"),
    "score": ("1 Q0 newcomer 1 3 x\n2 Q0 d 1 high x\n", ":2: score 'high' is not a number"),
    "nan": ("1 Q0 newcomer 1 3 x\n2 Q0 d 1 nan x\n", ":2: score 'nan' cannot be ranked"),
    "repeated": ("1 Q0 newcomer 1 3 x\n2 Q0 d 1 2 x\n2 Q0 d 1 1 x\n", ":3: document 'd' of topic '2' is listed twice"),
    "empty": ("", ": the run is empty"),
    "foreign": ("7 Q0 newcomer 1 3 x\n", ": no topic in common with"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good").write_text(GOOD)
    (tmp_path / "runs" / "other").write_text(GOOD.replace(" a ", " n "))
    return tmp_path


def read(folder: Path, **options: Any) -> tuple[pw.Campaign, list[str]]:
    with pytest.warns(pw.PoolwiseWarning) as seen:
        pool = pw.read(folder / "qrels", folder / "runs", **options)
    return pool, [str(each.message) for each in seen]


# ---- Bad runs ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", ["bad", "zbad"])  # between the others, and after them
@pytest.mark.parametrize("how", ["files", "gz", "executor", "judged"])
def test_the_rest_is_as_if_the_bad_run_had_not_been_given(folder: Path, kind: str, name: str, how: str) -> None:
    options: dict[str, Any] = {"documents": "judged"} if how == "judged" else {}
    expected = pw.read(folder / "qrels", folder / "runs", **options)
    text, said = BAD[kind]
    path = folder / "runs" / name
    path.write_bytes(gzip.compress(text.encode()) if how == "gz" else text.encode())
    with pytest.raises(pw.InputError, match=f"{name}{said}"):
        pw.read(folder / "qrels", folder / "runs", **options)
    with ThreadPoolExecutor(2) as executor:
        more = {"executor": executor} if how == "executor" else {}
        pool = pw.read(folder / "qrels", folder / "runs", bad_runs="skip", **options, **more)
    assert pool.runs == ["good", "other"]
    assert list(pool.left_out) == [name]
    assert pool.left_out[name].startswith(f"{path}{said}")
    assert pool.warnings[0] == f"run {name!r} is left out: {pool.left_out[name]}"
    assert pool.score("AP", "bpref").to_csv(per_topic=True) == expected.score("AP", "bpref").to_csv(per_topic=True)
    for topic in pool.topics:
        assert pool.documents(topic) == expected.documents(topic)
    if how != "judged":
        assert pool.ranking("other", "1") == expected.ranking("other", "1") == ["n", "b", "z"]


def test_a_warning_names_each_run_that_is_left_out(folder: Path) -> None:
    for kind, (text, _) in BAD.items():
        (folder / "runs" / kind).write_text(text)
    pool, said = read(folder, bad_runs="skip")
    assert pool.runs == ["good", "other"]
    assert set(pool.left_out) == set(BAD)
    assert [message for message in said if "is left out" in message] == [
        f"run {name!r} is left out: {why}" for name, why in pool.left_out.items()
    ]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_bad_tables_and_frames(folder: Path) -> None:
    frame = pandas.DataFrame({"topic": ["1", "1"], "document": ["a", "a"], "score": [2.0, 1.0]})
    runs = {"good": {"1": {"a": 2.0, "n": 1.0}}, "frame": frame, "nan": {"1": {"m": 1.0, "a": float("nan")}}}
    pool = pw.read(folder / "qrels", runs, bad_runs="skip")
    assert pool.runs == ["good"]
    assert pool.documents("1") == ["a", "b", "c", "n"]
    assert "listed twice" in pool.left_out["frame"]
    assert "cannot be ranked" in pool.left_out["nan"]


def test_runs_alone_lose_the_topics_of_a_bad_one() -> None:
    with pytest.warns(pw.PoolwiseWarning, match="run 'bad' is left out"):
        pool = pw.read(
            None, {"bad": {"0": {"x": 1.0}, "3": {"y": float("nan")}}, "good": {"2": {"a": 1.0}}}, bad_runs="skip"
        )
    assert (pool.runs, pool.topics, pool.documents("2")) == (["good"], ["2"], ["a"])
    assert pool.ranking("good", "2") == ["a"]


def test_no_run_is_left(folder: Path) -> None:
    with pytest.raises(pw.InputError, match=r"no run is left: bad: row 1: score 'nan' cannot be ranked"):
        pw.read(folder / "qrels", {"bad": [("1", "a", float("nan"))]}, bad_runs="skip")
    with pytest.raises(pw.ArgumentError, match="bad_runs='leave' is unknown"):
        pw.read(folder / "qrels", folder / "runs", bad_runs="leave")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_streaming_leaves_out_the_same(folder: Path, missing: str) -> None:
    for kind, (text, _) in BAD.items():
        (folder / "runs" / kind).write_text(text)
    (folder / "runs" / "cut").write_bytes(gzip.compress(GOOD.encode())[:-6])
    (folder / "runs" / "half").write_text("1 Q0 a 1 1 x\n")
    paths = sorted((folder / "runs").iterdir())
    pool = pw.read(folder / "qrels", *paths, bad_runs="skip")
    expected = pool.score("AP", "NumRet", missing=missing)
    got = score_stream(
        folder / "qrels", *paths, measures=["AP", "NumRet"], per_topic=True, bad_runs="skip", missing=missing
    )
    assert got.left_out == pool.left_out
    assert any(" in the judgments)" in why for why in got.left_out.values())  # topics of both are shown
    assert set(got.left_out) == {*BAD, "cut"}
    assert list(got.rows(True)) == list(expected.rows())
    together = (*pool.warnings, *(text for text in expected.warnings if "is not judged" not in text))
    assert got.warnings == together  # one topic at a time, unjudged documents are not counted


def test_streaming_names_the_file_that_is_damaged(folder: Path) -> None:
    """Others are open at the same time; the last of them was blamed."""
    for name, cut in (("a", -6), ("b", None), ("c", None)):
        (folder / f"{name}.gz").write_bytes(gzip.compress(GOOD.encode())[:cut])
    with pytest.raises(pw.InputError, match=r"a\.gz: the gz data cannot be read to the end"):
        score_stream(folder / "qrels", *(folder / f"{name}.gz" for name in "abc"), measures=["AP"])


# ---- NaN ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan", "nan(7)"])
def test_nan_ranked_last(folder: Path, word: str) -> None:
    """Below every number, among themselves as other ties."""
    text = f"1 Q0 a 1 {word} x\n1 Q0 b 2 -1e308 x\n1 Q0 c 3 {word} x\n1 Q0 d 4 7 x\n"
    (folder / "runs" / "strange").write_text(text)
    pool, said = read(folder, nan="last")
    assert pool.ranking("strange", "1") == ["d", "b", "c", "a"]
    assert "2 scores that are NaN ranked last, in 1 of 3 runs" in said
    rows = [("1", "a", float("nan")), ("1", "b", -1e308), ("1", "c", float("nan")), ("1", "d", 7.0)]
    with pytest.warns(pw.PoolwiseWarning, match="ranked last"):
        assert pw.read(QRELS_TABLE, {"strange": rows}, nan="last").ranking("strange", "1") == ["d", "b", "c", "a"]
    with pytest.warns(pw.PoolwiseWarning, match="ranked last"):
        got = score_stream(folder / "qrels", folder / "runs" / "strange", measures=["AP"], nan="last")
    assert got.to_dict()["strange"] == pool.score("AP").to_dict()["strange"]


QRELS_TABLE = {"1": {"a": 1, "b": 0, "c": 2}}


# ---- More fields, comments, repeats below the cut ------------------------------------------------------------------


@pytest.mark.parametrize("more", [" seven", "\tseven eight  nine", " 7 " * 40])
def test_fields_after_the_tag(folder: Path, more: str) -> None:
    lines = GOOD.splitlines()
    text = "".join(f"{line}{more if number != 2 else ''}\n" for number, line in enumerate(lines))
    (folder / "runs" / "longer").write_text(text)
    pool, said = read(folder)
    assert "fields after the tag ignored, in 1 of 3 runs" in said
    for topic in ("1", "2"):
        assert pool.ranking("longer", topic) == pool.ranking("good", topic)


def test_topics_that_begin_with_the_mark_of_comments_are_said(folder: Path) -> None:
    """Their lines are skipped as comments, which must not go unnoticed."""
    remarks = "# a remark\n# four words of text\n# drawn in round 2\n# poolwise plan seed 0\n# 3 0 c 1\n"
    (folder / "qrels").write_text(QRELS + "#3 0 a 1\n#3 0 b 0\n" + remarks)
    (folder / "runs" / "marked").write_text("# run of 2001\n# made by hand in 2001 again\n" + GOOD + "#3 Q0 a 1 1 x\n")
    pool, said = read(folder)
    assert pool.topics == ["1", "2"]
    assert f"{folder / 'qrels'}: 2 labels of a topic whose name begins with # taken for comments" in said
    assert "1 line of a topic whose name begins with # taken for comments, in 1 of 3 runs" in said


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_documents_repeated_below_the_cut(folder: Path) -> None:
    """What is cut off is not there; within the cut a repeat is an error as ever."""
    path = folder / "runs" / "again"
    path.write_text("1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n1 Q0 c 3 7 x\n1 Q0 a 4 6 x\n2 Q0 d 1 1 x\n")
    for documents in ("all", "judged"):
        pool = pw.read(folder / "qrels", folder / "runs", depth=3, documents=documents)
        assert pool.score("NumRet").to_dict()["again"]["NumRet"] == 4
        with pytest.raises(pw.InputError, match=r"again:4: document 'a' of topic '1' is listed twice"):
            pw.read(folder / "qrels", path, depth=4, documents=documents)
    got = score_stream(folder / "qrels", path, measures=["NumRet"], depth=3)
    assert got.to_dict() == {"again": {"NumRet": 4.0}}
    path.write_text("1 Q0 a 1 6 x\n1 Q0 b 2 8 x\n1 Q0 c 3 7 x\n1 Q0 a 4 9 x\n2 Q0 d 1 1 x\n")
    with pytest.raises(pw.InputError, match=r"again:4: document 'a'"):
        pw.read(folder / "qrels", path, depth=4)
    pool = pw.read(folder / "qrels", path, depth=2, duplicates="first")  # the first in the file counts
    assert pool.ranking("again", "1") == ["b", "c"]
