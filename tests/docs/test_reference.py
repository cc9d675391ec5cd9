"""The reference pages and the site's order leave nothing out."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.cli.main import COMMANDS, parser_of
from poolwise.measures.registry import declared_names

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from reference import SECTIONS, commands_page, public_methods, python_page
    from site_pages import PAGES
finally:
    sys.path.pop(0)


@pytest.fixture(scope="module")
def python_reference() -> str:
    return python_page()


@pytest.fixture(scope="module")
def commands_reference() -> dict[str, str]:
    """What the page says of each command."""
    parts = re.split(r"^## poolwise (\S+)$", commands_page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_public_name_has_its_entry(python_reference):
    own = [name for name in pw.__all__ if name not in ("__version__", "study") and not is_measure(name)]
    assert sorted([*(name for names in SECTIONS.values() for name in names), "Study"]) == sorted(own)
    headings = re.findall(r"^### poolwise\.(\S+)$", python_reference, re.MULTILINE)
    assert sorted(headings) == sorted([*own, *(f"study.{name}" for name in pw.study.__all__)])


def test_every_measure_is_on_its_page():
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    for name in declared_names():
        assert f"\n### {name}\n" in page


@pytest.mark.parametrize("name", [name for name in pw.__all__ if isinstance(getattr(pw, name), type)])
def test_every_public_method_has_its_entry(name, python_reference):
    for method, _ in public_methods(getattr(pw, name)):
        assert f"\n#### {name}.{method}\n" in python_reference


def test_pages_that_docstrings_name_are_links(python_reference):
    named = re.findall(r"\[docs/(\S+\.md)\]\(\.\./(\S+)\)", python_reference)
    assert named
    for text, target in named:
        assert text == target
        assert (ROOT / "docs" / target).is_file()
    assert not re.search(r"(?<!\[)\bdocs/\S+\.md", python_reference)


def test_types_of_parameters_have_no_quotes(python_reference):
    assert "\n    level: float = 0.95,\n" in python_reference
    assert not re.search(r'^    \w+: "', python_reference, re.MULTILINE)


def test_commands_are_listed_in_their_order(commands_reference):
    assert list(commands_reference) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_page_with_its_choices(command, commands_reference):
    parser = parser_of(command)
    entry = commands_reference[command]
    assert f"`{parser.example}`" in entry
    for option in parser.options:
        rows = (unescape(line.replace("<wbr>", "")) for line in entry.splitlines())
        row = next(row for row in rows if row.startswith(f"| <code>{option.usage()}</code>"))
        assert option.help.split("|")[0] in row
        assert all(choice in row for choice in option.choices or ())


def test_every_page_has_a_place_in_the_order():
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    kept = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted([*kept, *PAGES])


def is_measure(name: str) -> bool:
    return isinstance(getattr(pw, name), pw.Measure)
