"""What every result can do, and the writers of rows."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from poolwise.basics.results import Result, warn_of
from poolwise.errors import PoolwiseWarning


@dataclass(frozen=True, repr=False)
class Found(Result):
    """A result as they are declared."""

    run: tuple[str, ...]
    value: np.ndarray
    seed: object
    warnings: tuple[str, ...] = ()

    def columns(self):
        return {"run": list(self.run), "value": self.value}


@pytest.fixture
def found():
    return Found(("a<b", "c"), np.array([0.123456789, math.inf]), np.random.default_rng(1), ("few topics",))


def test_all_follows_from_the_columns(found):
    assert found.to_frame()["value"].tolist() == [0.123456789, math.inf]
    assert found.to_frame("polars").columns == ["run", "value"]
    assert found.to_csv() == "run,value\na<b,0.123456789\nc,inf\n"
    assert repr(found) == "<Found: 2 rows of run, value>"
    assert str(found).splitlines() == [
        "2 rows of run, value", "", "run   value", "-----------", "a<b  0.1235", "c       inf", "note: few topics",
    ]  # fmt: skip
    assert "<td>a&lt;b</td><td>0.1235</td>" in found._repr_html_()
    assert "few topics" in found._repr_html_()


def test_all_is_plain_and_json_is_valid(found):
    whole = found.to_dict()
    assert whole["value"] == [0.123456789, math.inf]
    assert whole["seed"].startswith("Generator(PCG64)")
    assert json.loads(found.to_json(), parse_constant=pytest.fail)["value"] == [0.123456789, None]
    assert found.notes() == ("few topics",)


def test_long_tables_are_shown_in_part():
    long = Found(tuple(map(str, range(100))), np.arange(100.0), 0)
    assert str(long).endswith("... and 40 more rows")
    assert long._repr_html_().count("<tr>") == 61
    whole = Found(tuple(map(str, range(60))), np.arange(60.0), 0)
    assert "more row" not in str(whole)


def test_a_result_must_say_its_columns():
    with pytest.raises(TypeError, match=r"abstract method '?columns'?"):
        Result()


def test_notes_are_warnings_at_the_line_that_called():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        kept = warn_of(note for note in ("one", "two"))
    assert kept == ("one", "two")
    assert [(str(each.message), each.category, each.filename) for each in seen] == [
        (note, PoolwiseWarning, __file__) for note in kept
    ]


def test_warnings_of_our_code_point_to_its_caller():
    from poolwise import agreement

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        agreement([0.1, 0.2], [0.2, 0.1])
    assert {each.filename for each in seen} == {__file__}


def test_results_and_checks_load_nothing_large():
    code = (
        "import sys, poolwise.basics.results, poolwise.basics.settings; "
        "print(sorted({'numpy', 're', 'typing', 'json', 'dataclasses', 'html'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-S", "-E", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == "[]\n"
