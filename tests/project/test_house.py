"""The rooms of the house: names, and what the architecture page says of them."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from flow import ROOMS, SMALL, flow, layers
    from house import BEFORE, contracts, copies, doubled_names, facts, files_of_a_measure, sizes, stations
finally:
    sys.path.pop(0)

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
SHARED = next(each for each in CONTRACTS if each["type"] == "forbidden")
OF_ALL = {name.partition(".")[2] for name in SHARED["source_modules"]}
FOLDERS = {path.parent.name for path in (ROOT / "src" / "poolwise").glob("*/__init__.py")} - OF_ALL

OF_A_MEASURE = "a measure (median of all, with fuzzing)"
ONE = '''"""Pairs."""
KNOWN = ("holm", "bh", "none")

def f():
    """Say.

    More.
    """
    return 1
'''
OTHER = """def g(a: Literal["holm", "bh", "none"]) -> None:
    return None
"""


def test_no_two_modules_have_the_same_name():
    assert doubled_names(ROOT) == {}


def test_nothing_is_written_twice_but_what_functions_take():
    """A method and the function it calls take the same arguments, and so do studies; all else has one place."""
    signatures = {
        "campaign/campaign.py",
        "campaign/campaign.py",
        "campaign/campaign.py",
        "lab/study/discrimination_study.py",
        "lab/study/gain_discount_study.py",
        "lab/study/negative_study.py",
        "lab/study/reliability_study.py",
    }
    found = copies(ROOT)
    assert {one.partition(":")[0] for one, _ in found} <= signatures, found


def test_copies_are_found(tmp_path):
    package = tmp_path / "src" / "poolwise"
    package.mkdir(parents=True)
    body = "".join(f"    a{n} = {n}\n" for n in range(7))
    (package / "one.py").write_text(f'"""One."""\nimport os\n\n\ndef f():\n    """Do."""\n{body}')
    (package / "two.py").write_text(f"def g():\n{body.replace('a3', '# a note' + chr(10) + '    a3')}")
    (package / "six.py").write_text(f"def h():\n{body.replace('a3', 'b3')}")
    assert copies(tmp_path) == [("one.py:7", "two.py:2")]


def test_a_measure_stands_in_few_files():
    assert files_of_a_measure(ROOT) <= 5 < json.loads(BEFORE.read_text("utf-8"))["facts"][OF_A_MEASURE]
    assert [name for name, _ in contracts()] == [contract["name"] for contract in CONTRACTS]


def test_every_room_is_drawn_listed_and_in_the_contract():
    drawn = [room for layer in layers() for room in layer]
    assert sorted(drawn) == sorted(ROOMS)
    assert {room for room in drawn if (ROOT / "src" / "poolwise" / room).is_dir()} == FOLDERS
    assert set(re.findall(r"^\| `(\w+)` \| (?:`|commands)", PAGE, re.MULTILINE)) == FOLDERS
    for name in (*drawn, *SMALL):
        assert f"`{name}`" in PAGE or f"`{name}.py`" in PAGE
    assert all(f">{room}</text>" in flow() for room in drawn)


def test_every_contract_is_on_the_page():
    assert re.findall(r"^\| ([A-Z].+?) \|", PAGE, re.MULTILINE) == [contract["name"] for contract in CONTRACTS]


def test_what_no_room_holds_knows_no_room():
    """Modules beside the rooms are in the order of rooms, or among what all may use."""
    package = ROOT / "src" / "poolwise"
    beside = {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/__init__.py")}
    drawn = {room for layer in layers() for room in layer}
    assert beside - drawn - set(SMALL) - {"__init__", "__main__"} == OF_ALL
    assert {name.partition(".")[2] for name in SHARED["forbidden_modules"]} == drawn | set(SMALL)


def test_files_of_the_core_are_on_the_page():
    for path in (ROOT / "src" / "core").glob("*.hpp"):
        assert f"`{path.name}`" in PAGE, path.name


def test_paths_that_the_page_names_exist():
    for path in re.findall(r"`((?:\w+/)+\w+\.(?:py|hpp|md))`", PAGE):
        places = (ROOT / path, ROOT / "src" / "poolwise" / path)
        assert any(place.exists() for place in places), path


def test_the_house_is_counted(tmp_path):
    package = tmp_path / "src" / "poolwise"
    (package / "compare").mkdir(parents=True)
    (package / "study").mkdir()
    (package / "compare" / "__init__.py").write_text("")
    (package / "compare" / "pairs.py").write_text(ONE)
    (package / "study" / "pairs.py").write_text(OTHER)
    assert doubled_names(tmp_path) == {"pairs": 2}
    assert stations(tmp_path) == {"compare": (2, 9), "study": (1, 2)}
    assert sizes(tmp_path)["lines of the longest function"] == 2
    assert facts(tmp_path)["corrections for many pairs"] == 1
