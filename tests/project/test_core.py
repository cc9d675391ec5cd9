"""Folders of the core mirror the floors: a header includes its own folder, or the front of a lower one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"
# The lowest first; measures and sampling, estimates and comparisons do not know each other.
FLOORS = (
    ("basics",),
    ("reading",),
    ("pool",),
    ("measures", "sampling"),
    ("scores",),
    ("estimates", "comparisons"),
    ("border",),
)
FLOOR = {name: number for number, row in enumerate(FLOORS) for name in row}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def faults(core: Path) -> list[str]:
    """Includes that are not allowed."""
    found = []
    for path in sorted([*core.glob("*/*.hpp"), *core.glob("*/*.cpp")]):
        for include in INCLUDE.findall(path.read_text("utf-8")):
            folder, _, header = include.rpartition("/")
            allowed = (header == "front.hpp" and FLOOR[folder] < FLOOR[path.parent.name]) if folder else True
            if not allowed or not (core / (folder or path.parent.name) / header).exists():
                found.append(f"{path.parent.name}/{path.name}: {include}")
    return found


def test_every_header_stands_on_a_floor():
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(FLOOR)
    assert not list(CORE.glob("*.hpp"))


@pytest.mark.parametrize("folder", sorted(set(FLOOR) - {"border"}))
def test_a_front_includes_all_headers_of_its_folder(folder):
    headers = {path.name for path in (CORE / folder).glob("*.hpp")} - {"front.hpp"}
    assert headers
    assert set(INCLUDE.findall((CORE / folder / "front.hpp").read_text("utf-8"))) == headers


def test_includes_point_down_and_to_fronts():
    assert faults(CORE) == []


def test_wrong_includes_are_found(tmp_path):
    for name, text in (
        ("pool/a", '#include "b.hpp"\n'),
        ("pool/b", '#include "scores/front.hpp"\n'),
        ("scores/c", ""),
        ("scores/d", '#include "pool/b.hpp"\n#include "pool/front.hpp"\n'),
        ("pool/front", ""),
    ):
        path = tmp_path / f"{name}.hpp"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert faults(tmp_path) == ["pool/b.hpp: scores/front.hpp", "scores/d.hpp: pool/b.hpp"]
