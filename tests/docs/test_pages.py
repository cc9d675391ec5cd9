"""Every code block of the README and the docs runs, and prints what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.kit.command import here

from poolwise.measures.example_scores import EXAMPLE_SCORES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from blocks import FENCE, run
    from generate import derived_pages, example_values, not_shown, notebook, sources
    from site_pages import PAGES as MADE_PAGES
finally:
    sys.path.pop(0)

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
# What runs; what need not: commands of make, pip, git and other tools, and text that is no code.
RUN, SHOWN = ("python", "console"), ("sh", "text", "r")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[tuple[str, str]]:
    return FENCE.findall(page.read_text("utf-8"))


def called(words: list[str]) -> str:
    finished = here(words, Path.cwd())
    return finished.out if finished.code == 0 else finished.err


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", [page for page in PAGES if any(kind in RUN for kind, _ in blocks(page))], ids=name_of)
def test_code_blocks_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # as wide as where the pages are written
    for _, steps in run(page.read_text("utf-8"), tmp_path, called):
        assert steps, "a block without >>> or $"
        for step in steps:
            assert step.expected != "...\n", f"{step.source}shows nothing"
            assert step.holds, f"{step.source}printed:\n{step.printed}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_that_does_not_run_is_not_ours(page):
    text = page.read_text("utf-8")
    assert text.count("\n```") % 2 == 0
    for kind, block in blocks(page):
        assert kind in RUN + SHOWN, f"a block is called {kind!r}"
        if kind in SHOWN:
            assert not re.search(r"^(\$ )?poolwise|import poolwise|^>>>", block, re.MULTILINE), block


def test_examples_of_measures_have_todays_scores():
    assert example_values() == pytest.approx(EXAMPLE_SCORES, rel=1e-12), "run: python docs/generate.py"


def test_generated_pages_are_up_to_date():
    """But for that of errors, which has tests of its own."""
    for name, text in derived_pages().items():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, f"run: python docs/generate.py ({name})"


def test_the_notebook_holds_the_tutorial_and_has_run():
    import nbformat

    kept = nbformat.read(ROOT / "docs" / "tutorial.ipynb", 4)
    tutorial = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    assert sources(kept) == sources(notebook(tutorial)), "run: python docs/generate.py"
    assert not_shown(kept, tutorial) == [], "run: python docs/generate.py"
    outputs = [output for cell in kept.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error"]
    nbformat.validate(kept)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        if not target.startswith(("http", "#")) and target not in MADE_PAGES:
            assert (page.parent / target).exists(), target


def test_the_readme_leads_to_every_page_for_users():
    readme = (ROOT / "README.md").read_text("utf-8")
    folders = ("howto", "migrate", "findings", "theory", "explanation")
    pages = [page for folder in folders for page in (ROOT / "docs" / folder).glob("*.md")]
    pages += (ROOT / "docs").glob("tutorial*.md")
    assert pages
    assert [name_of(page) for page in pages if f"({name_of(page)})" not in readme] == []


def test_the_tutorial_needs_no_data_frames(tmp_path):
    """What `make demo` installs is enough for it."""
    told = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", told, re.DOTALL))
    (tmp_path / "tutorial.txt").write_text(blocks, "utf-8")
    program = (
        "import doctest, sys, warnings\n"
        "for name in ('pandas', 'polars', 'pyarrow', 'jupytext'): sys.modules[name] = None\n"
        "warnings.simplefilter('ignore')\n"
        "done = doctest.testfile('tutorial.txt', module_relative=False)\n"
        "print(done.attempted); sys.exit(done.failed)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=False, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout
    assert int(done.stdout) > 30
