"""Measures with names of their own, in memory and in files."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.errors import ArgumentError, InputError

WEIGHTS = pw.nDCG(gain={1: 1, 2: 4}, discount=[1.0, 0.7, 0.7]) @ 3


def test_saved_weights_come_back_by_name(tmp_path):
    pw.save_measures(tmp_path / "mine.json", steeper=WEIGHTS)
    assert pw.load_measures(tmp_path / "mine.json") == {"steeper": WEIGHTS}
    assert pw.parse("steeper") == WEIGHTS
    pool = pw.read({"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}})
    assert pool.score("steeper").array("steeper")[0, 0] == pytest.approx((1 + 4 * 0.7) / (4 + 0.7))


@pytest.mark.parametrize(("name", "measure"), [("AP", "P@10"), ("two words", "AP"), ("fine", "nDGC"), ("fine", "P")])
def test_refused(name, measure):
    with pytest.raises(ArgumentError):
        pw.define(name, measure)


@pytest.mark.parametrize("text", ["[1]", '{"a": 1}', "not json"])
def test_files_that_hold_no_measures(tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=r"bad\.json: "):
        pw.load_measures(tmp_path / "bad.json")
