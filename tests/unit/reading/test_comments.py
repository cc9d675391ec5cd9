"""Lines that begin with # are comments, as trec_eval 10 has it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.scores.stream import score_stream

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 b 1 3.0 x\n1 Q0 a 2 2.0 x\n2 Q0 c 1 1.0 x\n2 Q0 z 2 0.5 x\n"


def commented(text: str, comment: str = "# poolwise plan format 1\n") -> str:
    """A comment before, between and after all lines."""
    return comment + "".join(line + "\n#1 0 a 1\n" for line in text.splitlines()) + "#"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("qrels", QRELS), ("run", RUN)):
        (tmp_path / f"{name}.txt").write_text(text)
        (tmp_path / f"{name}.commented.txt").write_text(commented(text))
        (tmp_path / f"{name}.commented.txt.gz").write_bytes(gzip.compress(commented(text).encode()))
    return tmp_path


@pytest.mark.parametrize("ending", [".commented.txt", ".commented.txt.gz"])
def test_comments_are_passed_over(files: Path, ending: str) -> None:
    plain = pw.read(files / "qrels.txt", files / "run.txt")
    found = pw.read(files / f"qrels{ending}", files / f"run{ending}")
    assert found.judgments.equals(plain.judgments)
    assert found.ranking("run.commented", "1") == plain.ranking("run", "1")
    assert all("taken for comments" in said for said in found.warnings)
    streamed = score_stream(files / f"qrels{ending}", files / f"run{ending}", measures=["AP", "P@1"])
    assert [row[3] for row in streamed.rows(False)] == plain.score("AP", "P@1").means()[0].tolist()


def test_what_poolwise_wrote_is_kept(files: Path) -> None:
    core = pw.read(files / "qrels.commented.txt", files / "run.txt").core
    assert core.label_header == [b"# poolwise plan format 1"]
    assert pw.read(files / "qrels.txt", files / "run.txt").core.label_header == []


def test_lines_are_counted_with_comments(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("# one\n1 0 a 1\n# three\n1 0 b\n")
    (tmp_path / "run.txt").write_text("# one\n1 Q0 a 1 x x\n")
    with pytest.raises(pw.InputError, match=r"qrels\.txt:4: 3 columns"):
        pw.read(tmp_path / "qrels.txt", {"mine": {"1": {"a": 1.0}}})
    with pytest.raises(pw.InputError, match=r"run\.txt:2: score 'x'"):
        pw.read({"1": {"a": 1}}, tmp_path / "run.txt")


def test_comments_alone_are_no_judgments(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("# poolwise plan format 1\n")
    with pytest.raises(pw.InputError, match="no judgments found"):
        pw.read(tmp_path / "qrels.txt", {"mine": {"1": {"a": 1.0}}})


def test_only_the_first_character_makes_a_comment(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(" #1 0 a 1\n")
    assert pw.read(tmp_path / "qrels.txt", {"mine": {"#1": {"a": 1.0}}}).topics == ["#1"]
