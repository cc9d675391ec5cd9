"""What is said of a library that is not there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from poolwise.basics.extras import load
from poolwise.errors import MissingDependency

DECLARED = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["judge", "frames", "cluster"])
def test_a_missing_library_is_told_with_all_that_its_extra_brings(extra: str) -> None:
    """In a clone the extra would be compiled anew; its libraries alone would not."""
    with pytest.raises(MissingDependency, match="a_library_that_is_not_there is not installed") as told:
        load("a_library_that_is_not_there", extra)
    named = str(told.value).partition("compiling again: pip install ")[2].rstrip(")").replace("'", "").split()
    assert sorted(named) == sorted(name.replace(" ", "") for name in DECLARED[extra])


def test_extras_of_extras_are_spelt_out() -> None:
    with pytest.raises(MissingDependency) as told:
        load("a_library_that_is_not_there", "images")
    assert all(f"'{name}'" in str(told.value) for name in DECLARED["report"])
    assert "poolwise[report]" not in str(told.value)
