"""Every code block of the README and the docs runs, and prints what the page shows."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"index.md", "contributing.md", "changelog.md"}
PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.name not in GENERATED)]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def with_code(path: Path) -> bool:
    return BLOCK.search(path.read_text("utf-8")) is not None


def run_console(block: str) -> None:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        assert words[0] == "poolwise", command
        finished = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
        assert finished.returncode == 0, finished.stderr
        got = finished.stdout
        if expected:
            assert doctest.OutputChecker().check_output(expected, got, OPTIONS), f"{command}\n{got}"


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if with_code(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    names: dict[str, object] = {}
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "console":
            run_console(block)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        assert test.examples, "a python block needs >>> lines"
        output: list[str] = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(test, out=output.append, clear_globs=False)
        names = test.globs
        assert runner.failures == 0, "".join(output)
    assert os.getcwd() == str(tmp_path)


def test_generated_pages_are_up_to_date():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from generate import pages
    finally:
        sys.path.pop(0)
    for name, text in pages().items():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, f"run: python docs/generate.py ({name})"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        if not target.startswith(("http", "#")):
            assert (page.parent / target).exists(), target
