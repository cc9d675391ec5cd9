"""What crosses the border for a measure: by name, checked, and picklable."""

from __future__ import annotations

import pickle

import pytest

import poolwise as pw
from poolwise import _core
from poolwise.measures.registry import declared_names, parse
from poolwise.scores.scoring import to_spec
from poolwise.scores.stream import needs_top

FIELDS = (
    *("kernel", "condensed", "cutoff", "relevant", "gains", "discount", "discount_numbers", "numbers"),
    *("counts_missing", "low", "high"),
)


def fields(asked: _core.KernelSpec) -> dict:
    return {name: getattr(asked, name) for name in FIELDS}


def test_a_measure_in_numbers():
    asked = to_spec(pw.nDCG(gain="exp", rel=2, negative="keep", discount="jk", base=3).condensed @ 7, [-1, 0, 1, 2], 2)
    assert fields(asked) == {
        "kernel": "nDCG",
        "condensed": True,
        "cutoff": 7,
        "relevant": [0, 0, 0, 1],
        "gains": [-1, 0, 1, 3],
        "discount": "jk",
        "discount_numbers": [3],
        "numbers": [1],
        "counts_missing": False,
        "low": 0,
        "high": 1,
    }


@pytest.mark.parametrize("name", ["GMAP", "RBP(p=0.9, gain='linear')", "rpref_N", "NumQ", "nDCG(discount=[1, 0.5])@2"])
def test_asks_come_back_from_a_worker_as_they_were(name):
    asked = to_spec(parse(name), [0, 1, 2], 2)
    assert fields(pickle.loads(pickle.dumps(asked))) == fields(asked)


def test_what_a_kernel_lacks_is_an_error_and_not_read_past_the_end():
    pool = pw.read({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}})

    def values(**changed):
        asked = to_spec(pw.nDCG, [0, 1], 1)
        for name, value in changed.items():
            setattr(asked, name, value)
        return pool.core.score([asked], pool.judgments.buffer, 1, [0, 1], 1)

    assert values().tolist() == [[[[1.0]]]]
    with pytest.raises(ValueError, match="no kernel square"):
        values(kernel="square")
    for changed in ({"numbers": []}, {"gains": []}, {"kernel": "P"}, {"relevant": [1]}, {"relevant": [0, 0, 1]}):
        with pytest.raises(ValueError, match="lacks labels, gains, numbers or a cut-off"):
            values(**changed)
    with pytest.raises(ValueError, match="no discount cosine"):
        values(discount="cosine")


def test_which_measures_look_at_the_highest_label():
    found = {
        name for name in declared_names() if needs_top(parse(name)(**({"recall": 0.5} if name == "IPrec" else {})))
    }
    assert found == {"ERR", "nERR", "rpref_N"}
    assert needs_top(parse("RBP(gain='linear')"))
    assert not needs_top(parse("RBP(gain='linear', top=3)"))
