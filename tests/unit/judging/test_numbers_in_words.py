"""Estimates in words: the interval, the band, and why there is none yet."""

from __future__ import annotations

from poolwise.judging.numbers_in_words import in_words


def row(name: str, **more):
    return {"name": name, "value": 0.5, "low": 0.4, "high": 0.6, "band_low": 0.3, "band_high": 0.7, **more}


def shown(*rows, to_come: int = 0, **more):
    facts = {"measure": "AP", "level": 0.9, "labels": 7, "left_out": 0, "width": 0.2, "enough": False}
    return {"found": {"rows": list(rows), **facts, **more}, "busy": False, "next": to_come}


def test_the_best_runs_are_named_and_the_others_counted() -> None:
    lines = in_words(shown(*(row(name) for name in "abcde"), left_out=4))
    assert [line.split(",")[0] for line in lines[1:]] == ["a 0.500", "b 0.500", "c 0.500"]
    assert lines[-1].endswith("; and 6 more runs")


def test_without_values_there_is_a_width() -> None:
    (line,) = in_words(shown(to_come=1))
    assert line == "AP: 90 % interval 0.200 wide from 7 labels, not yet enough; next update in 1 label"
    assert in_words(shown(enough=True)) == ["AP: 90 % interval 0.200 wide from 7 labels, enough"]
    assert in_words(shown(width=None)) == ["AP: no interval yet from 7 labels, not yet enough"]


def test_what_is_not_known_yet_is_said() -> None:
    assert in_words(shown(row("a", low=None, high=None)))[1:] == ["a 0.500, no interval yet"]
    assert in_words(shown(row("a", band_low=None, band_high=None)))[1].endswith("at every look too wide to say yet")


def test_why_there_is_none() -> None:
    assert in_words({"found": None, "next": 0}) == ["no estimate yet: being computed"]
    assert in_words({"found": None, "next": 9}) == ["no estimate yet: the first comes in 9 labels"]
    assert in_words(shown(missing=1, to_come=1)) == ["no estimate yet: the first comes in 1 label"]
    assert in_words({"found": {"error": "no such file"}, "next": 3}) == ["no estimate yet: no such file"]
