"""Grades have names, meanings and keys, and no key means two things."""

from __future__ import annotations

from pathlib import Path

import pytest

from poolwise.errors import ArgumentError, InputError
from poolwise.judging.work import check_unjudged, read_grades, scale_of


def test_spans_of_labels() -> None:
    assert [(g.label, g.name, g.keys) for g in scale_of()] == [(0, "not relevant", ("0",)), (1, "relevant", ("1",))]
    assert [g.label for g in scale_of("0-3")] == [0, 1, 2, 3]
    assert [g.keys for g in scale_of("-2,0-4")] == [("-", "x"), ("0",), ("1",), ("2",), ("3",), ("4",)]
    assert [g.name for g in scale_of("0-5")] == ["0", "1", "2", "3", "4", "5"]
    assert [g.label for g in scale_of("-1-1")] == [-1, 0, 1]


@pytest.mark.parametrize("text", ["", "3-0", "a", "0..3", "1.5-2", "0"])
def test_spans_that_make_no_sense(text: str) -> None:
    with pytest.raises(ArgumentError, match="--scale"):
        scale_of(text)


@pytest.mark.parametrize("text", ["0-10", "-2--1", "-3-2"])
def test_labels_without_a_key_need_one(text: str) -> None:
    with pytest.raises(ArgumentError, match="needs a key of its own"):
        scale_of(text)


def test_a_file_of_grades(tmp_path: Path) -> None:
    path = tmp_path / "grades.toml"
    path.write_text(
        '0 = "no"\n1 = { name = "yes", description = "It is.", key = "y" }\n-2 = "spam"\n-1 = {key = "b"}\n'
    )
    with pytest.raises(ArgumentError, match="grade -2 needs a key"):
        read_grades(str(path))
    path.write_text(
        '0 = "no"\n1 = { name = "yes", description = "It is.", key = "y" }\n-2 = "spam"\n10 = {key = "b"}\n'
    )
    found = read_grades(str(path))
    assert [(g.label, g.name, g.description, g.keys) for g in found] == [
        (-2, "spam", "", ("-", "x")),
        (0, "no", "", ("0",)),
        (1, "yes", "It is.", ("y",)),
        (10, "10", "", ("b",)),
    ]
    assert found[2].as_dict() == {"label": 1, "name": "yes", "description": "It is.", "keys": ("y",)}
    path.write_bytes('0 = "no"\r\n1 = "déjà"\r\n'.encode("latin-1"))  # what is no UTF-8 is shown as a mark
    assert [g.name for g in read_grades(str(path))] == ["no", "d\ufffdj\ufffd"]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("0 = ", InputError, "this is no TOML"),
        ('zero = "no"\n1 = "yes"', InputError, "'zero' found"),
        ("0 = 1\n1 = 2", InputError, "'0' found"),
        ('0 = "no"', ArgumentError, "1 grade found"),
        ('0 = "no"\n1 = { key = "u" }', ArgumentError, "'u' cannot be the key"),
        ('0 = "no"\n1 = { key = "0" }', ArgumentError, "'0' cannot be the key"),
        ('0 = "no"\n1 = { key = "ab" }', ArgumentError, "'ab' cannot be the key"),
    ],
)
def test_files_that_are_no_grades_say_why(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "grades.toml"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_grades(str(path))


def test_a_missing_file_says_so() -> None:
    with pytest.raises(InputError, match=r"none\.toml: no such file; check the path"):
        read_grades("none.toml")


def test_a_grade_cannot_mean_not_judged() -> None:
    with pytest.raises(ArgumentError, match="grade -1 is also what files write"):
        check_unjudged(scale_of("-1-2"), -1)
    check_unjudged(scale_of("-1-2"), -9)
