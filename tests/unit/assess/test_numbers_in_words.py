"""Estimates in words: the interval, the band, and why there is none yet."""

from __future__ import annotations

from poolwise.assess.numbers_in_words import in_words


def row(name: str, **more):
    return {"name": name, "value": 0.5, "low": 0.4, "high": 0.6, "band_low": 0.3, "band_high": 0.7, **more}


def shown(*rows, busy: bool = False, **more):
    return {
        "found": {"rows": list(rows), "measure": "AP", "level": 0.9, "labels": 7, "left_out": 0, **more},
        "busy": busy,
    }


def test_the_best_runs_are_named_and_the_others_counted() -> None:
    lines = in_words(shown(*(row(name) for name in "abcde"), left_out=4))
    assert [line.split(",")[0] for line in lines] == ["AP a 0.500", "AP b 0.500", "AP c 0.500"]
    assert lines[-1].endswith("(90 % from 7 labels, and 6 more runs)")


def test_what_is_not_known_yet_is_said() -> None:
    assert in_words(shown(row("a", low=None, high=None))) == ["AP a 0.500, no interval yet (90 % from 7 labels)"]
    (line,) = in_words(shown(row("a", band_low=None, band_high=None)))
    assert "at every look too wide to say yet" in line


def test_why_there_is_none() -> None:
    assert in_words({"found": None, "busy": True}) == ["no estimate yet: being computed"]
    assert in_words({"found": None, "busy": False}) == ["no estimate yet: after the first labels"]
    assert in_words(shown(missing=1)) == ["no estimate yet: the first comes 1 label from now, when every topic has one"]
    assert in_words({"found": {"error": "no such file"}, "busy": False}) == ["no estimate yet: no such file"]
