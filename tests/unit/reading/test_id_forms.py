"""What ids of two sides differ in."""

from __future__ import annotations

import pytest

from poolwise.reading.foreign_text import difference


@pytest.mark.parametrize(
    ("here", "there", "words"),
    [
        (["0301", "0302"], ["301", "302"], "leading zeros"),
        (["Q1", "Q2"], ["1", "2"], "letters before the number"),
        (["topic-007"], ["7"], "letters and zeros before the number"),
        (["301.0"], ["301"], "a decimal point"),
        (["ft911-3"], ["FT911-3"], "upper and lower case"),
        (["a.txt", "b.txt"], ["a", "b"], "their ending"),
        (["docs/a"], ["a"], "the folder before the name"),
        (["docs/a.txt"], ["a"], "the folder and their ending"),
        (['"a"'], ["a"], "quotation marks"),
        (["a", "b", "c"], ["x"], ""),
        (["x1", "b", "c"], ["1"], ""),  # one of three may be chance
        ([], ["1"], ""),
        (["abc"], ["def"], ""),  # nothing is left of either without its letters
    ],
)
def test_difference(here, there, words):
    assert difference(here, there) == words
    if len(here) == len(there):
        assert difference(there, here) == words
