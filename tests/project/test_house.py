"""The figures of house.toml get no worse, and the architecture page names every folder."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import house
    from flow import FOLDERS, floors, flow
finally:
    sys.path.pop(0)

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
KEPT = tomllib.loads(house.KEPT.read_text("utf-8"))
RISING = {"comments_per_100"}  # figures that should rise
SLACK = 0.02  # a fall of more is written down


@pytest.fixture(scope="module")
def now():
    return house.figures()


def values(figure):
    return figure if isinstance(figure, list) else [figure]


@pytest.mark.slow
@pytest.mark.parametrize(("section", "name"), [(section, name) for section in KEPT for name in KEPT[section]])
def test_no_figure_gets_worse_and_falls_are_written_down(now, section, name):
    for best, value in zip(values(KEPT[section][name]), values(now[section][name]), strict=True):
        worse, better = (value < best, value > best) if name in RISING else (value > best, value < best)
        assert not worse, f"{name} was {best} and is {value}: bring it down, or raise house.toml with the reason"
        assert not better or abs(value - best) <= SLACK * best, f"{name} is {value}: python docs/house.py --write"


def test_every_figure_is_kept(now):
    assert {part: list(rows) for part, rows in now.items()} == {part: list(rows) for part, rows in KEPT.items()}


def test_every_folder_is_drawn_and_on_the_page():
    drawn = {name for row in floors() for name in row}
    assert drawn == set(FOLDERS) == {path.parent.name for path in (ROOT / "src" / "poolwise").glob("*/__init__.py")}
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(FOLDERS)
    assert all(f">{name}</text>" in flow() for name in drawn)
    assert (ROOT / "docs" / "images" / "flow.svg").read_text("utf-8") == flow(), "run: python docs/generate.py"


def test_paths_on_the_page_exist():
    for path in re.findall(r"`((?:\w+/)+\w+\.(?:py|hpp|md))`", PAGE):
        assert any((place / path).exists() for place in (ROOT, ROOT / "src" / "poolwise")), path


def package(folder, **modules):
    home = folder / "src" / "poolwise"
    for name, text in modules.items():
        path = home / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_imports_are_counted(tmp_path):
    root = package(
        tmp_path,
        low__a="from poolwise.high import b\n",
        low__c="def f():\n    from poolwise.low.d import x\n",
        low__d="from poolwise.low import c\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from poolwise.low import a\n",
        high__b="x = 1\n",
    )
    (root / "pyproject.toml").write_text('[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["high", "low"]\n')
    load, whole = house.imports(root)
    assert house.knots(load) == []
    assert house.knots(whole) == [{"poolwise.low.c", "poolwise.low.d"}]
    assert house.upward_imports(root) == [("poolwise.low.a", "poolwise.high.b")]
    assert house.imported_by_one(root) == ["poolwise.high.b", "poolwise.low.c", "poolwise.low.d"]


def test_names_and_words_are_counted(tmp_path):
    words = '"""One.\n\n    x : int\n        Of two lines.\n    """\n'
    root = package(
        tmp_path,
        a=f"class One:\n    {words}    x = 1\n",
        b=f"class _One:\n    {words}    x = 1  # not alone\n    # why\n    y = self.core\n",
    )
    assert house.class_names_twice(root) == ["One"]
    assert house.core_touched_from(root) == ["poolwise.b"]
    assert house.written_twice(root) == 2
    assert house.comments_per_100(root) == 20.0


BOUND = """
import x.own
from y import z as place
class Given:
    _own = 1
def told(said, *places, fine):
    self.given = given = fine
    for place, other in x: pass
    try: pass
    except E as said: pass
    return [_own_ for _own_ in x]
"""


def test_names_that_hide_their_thing_are_found_wherever_they_are_bound(tmp_path):
    root = package(tmp_path, a__bound=BOUND, b__used="print(own, x.place, f(given=1), places_of, disowned)\n")
    found = sorted((line, name) for _, line, name in house.forbidden_names(root))
    assert [line for line, _ in found] == [2, 3, 5, 6, 6, 6, 7, 7, 8, 10, 11]
    assert " ".join(name for _, name in found) == "own place _own places said told given given place said _own_"
    assert house.forbidden_names(root, "b") == []


CONSTANTS = """
A = 1  # metres
B = -2.5
# why
C: float = 3 * X
D, E = 1, 2
F = (
    1,  # one
    2,
)
G = {"a": 1 << 3}
H = np.array([1, 2])
I = Offset(0.5, "four")
J, K = True, "text"
L = register("x", 1)
M = ()
N = np.zeros(0)
def f():
    O = 1
"""


def test_constants_need_a_comment_on_their_lines_or_alone_above(tmp_path):
    found = house.unexplained_constants(package(tmp_path, a=CONSTANTS))
    assert [(line, words.partition(" =")[0]) for _, line, words in found] == [
        (3, "B"),
        (6, "D, E"),
        (11, "G"),
        (12, "H"),
        (13, "I"),
    ]


def test_docstrings_that_open_with_a_noun_clause_are_found(tmp_path):
    root = package(
        tmp_path,
        a__b='"""Whatever it is."""\n\n\nclass A:\n    """What it is.\n\n    That more."""\n\n    def f(self):\n'
        '        """Who."""\n\n\ndef g():\n    """Return that."""\n',
    )
    assert [words for _, _, words in house.noun_clauses(root)] == ["What it is.", "Who."]
    assert house.listed(root, ["a"]).splitlines()[:2] == [
        "src/poolwise/a/b.py:5  noun_clauses  What it is.",
        "src/poolwise/a/b.py:10  noun_clauses  Who.",
    ]


def test_the_file_keeps_reasons(tmp_path, monkeypatch):
    monkeypatch.setattr(house, "KEPT", tmp_path / "house.toml")
    house.KEPT.write_text("[size]\nmodules = 3  # a new format\noptions = 5\n")
    assert house.reasons_kept() == {"modules": "  # a new format"}
    assert house.text({"size": {"modules": 4}}, house.reasons_kept()).endswith("[size]\nmodules = 4  # a new format\n")
