"""Write what is derived from the source and kept in the repository.

These are the pages of measures, errors and tests, those of the papers (from what their last run found), the tutorial's
notebook, the types of the exported names, and the choices that docstrings list.

    python docs/generate.py

Pages that only the site has are made when it is built (docs/site_pages.py).
"""

from __future__ import annotations

import doctest
import re
import sys
import tempfile
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import jupytext
import nbformat
from blocks import FENCE
from choices import write_choices
from errors import errors_page
from flow import flow
from nbclient import NotebookClient
from stub import STUB, stub

import poolwise as pw
from poolwise.comparisons.significance_tests import CORRECTIONS, TESTS
from poolwise.measures.measure import UNJUDGED, Declaration
from poolwise.measures.measure_text import QRELS, RUN, example_of, label_kind, pattern
from poolwise.measures.registry import aliases_of, measures

DOCS = Path(__file__).parent
PICTURE = DOCS / "images" / "flow.svg"
EXAMPLES = DOCS.parent / "src" / "poolwise" / "measures" / "example_scores.py"
EXAMPLES_HEAD = '''"""Scores of the examples in the help of measures; `python docs/generate.py` writes this module."""

from __future__ import annotations

# Each measure on QRELS and RUN of `measure_text`.'''
sys.path.append(str(DOCS.parent))

from benchmarks.reproduce.page import papers_pages  # noqa: E402


def entry(declaration: Declaration) -> str:
    """One measure."""
    lines = [
        f"### {declaration.name}",
        "",
        f"`{pattern(declaration)}`: {declaration.summary}.{_labels(declaration)}",
        "",
        declaration.description,
    ]
    if declaration.parameters:
        lines += ["", "| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{p.name}` | {'' if p.default is None else f'`{p.show(p.default)}`'} | {p.allowed()} | {p.help} |"
            for p in declaration.parameters
        ]
    if declaration.aliases:
        lines += [
            "",
            "Also called: " + ", ".join(map(_alias, aliases_of(declaration), declaration.aliases.values())) + ".",
        ]
    return "\n".join([*lines, "", f"Source: {declaration.citation}.", ""])


def _labels(declaration: Declaration) -> str:
    """What it makes of labels, if anything."""
    kind = label_kind(declaration)
    return f" Labels: {kind}." if kind else ""


def _alias(alias: str, stands_for: str) -> str:
    """An alias; with what it stands for, if that is not the measure as it is."""
    told = stands_for.replace("{}", "k")
    return f"`{alias}` (which is `{told}`)" if {"(", "'"} & set(stands_for) else f"`{alias}`"


def measures_page() -> str:
    """All measures by how they treat unjudged documents."""
    parts = [
        "# Measures",
        "",
        "Generated from the registry by `docs/generate.py`. `[@k]` takes a cut-off, `[']` a prime, which condenses the",
        "list: unjudged documents are removed before anything else. R is the number of judged relevant documents of a",
        "topic (label at least `rel`), N that of judged non-relevant ones. Labels are binary (relevant or not) or",
        "graded; negative: those below 0 may lower a score, if asked for.",
        "",
    ]
    for rule in UNJUDGED:
        group = [each for each in measures() if each.unjudged == rule and each.function is None]
        parts += [f"## Unjudged documents {rule}", "", *map(entry, group)]
    return "\n".join(parts)


def example_values() -> dict[str, float]:
    """Scores of the example in each measure's help."""
    with catch_warnings():
        simplefilter("ignore")  # the example is known to have an unjudged document
        campaign = pw.read(QRELS, RUN)
        examples = [example_of(each) for each in measures() if each.function is None]
        return {str(each): campaign.score(each).mean_rows()[0] for each in examples}


def example_scores() -> str:
    """The module that holds them."""
    rows = [f'    "{name}": {value!r},' for name, value in example_values().items()]
    return "\n".join([EXAMPLES_HEAD, "EXAMPLE_SCORES = {", *rows, "}", ""])


def notebook(text: str) -> Any:
    """A page as a notebook: its text and its python blocks, a cell up to each line that shows something."""
    cells = FENCE.sub(lambda block: _cells(block[2]) if block[1] == "python" else block[0], text)
    # Links to other pages lead nowhere from a notebook that is carried about; their words stay.
    cells = re.sub(r"\[([^\]]+)\]\([^)h][^)]*\)", lambda link: link[1].replace("\n", " "), cells)
    made = jupytext.reads(cells, "md")
    made.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(made.cells, 1):
        cell.id = f"cell-{number}"
    return made


def _cells(block: str) -> str:
    cells = [""]
    for example in _examples(block):
        cells[-1] += example.source
        if example.want:
            cells.append("")
    return "\n".join(f"```python\n{cell}```\n" for cell in cells if cell)


def run_notebook(made: Any, folder: Path) -> Any:
    """The notebook with what its cells show."""
    NotebookClient(made, timeout=600, resources={"metadata": {"path": str(folder)}}, record_timing=False).execute()
    made.metadata.pop("language_info", None)
    for output in (output for cell in made.cells for output in cell.get("outputs", ())):
        if output.get("name") == "stderr":  # a warning, without the path of the machine it was given on
            output.text = "".join(f"{said}\n" for said in re.findall(r"PoolwiseWarning: .+", output.text))
    return made


def write_notebook(page: Path) -> None:
    """Write a page's notebook beside it, run; one that has the page's cells and shows what it shows stays as it is."""
    text, path = page.read_text("utf-8"), page.with_suffix(".ipynb")
    made, kept = notebook(text), nbformat.read(path, 4) if path.exists() else None
    if kept is None or sources(kept) != sources(made) or not_shown(kept, text):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run_notebook(made, Path(folder)), path)


def not_shown(kept: Any, text: str) -> list[str]:
    """What a page shows below its python blocks and its notebook does not."""
    outputs = [output for cell in kept.cells for output in cell.get("outputs", ())]
    shown = "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") + "\n" for output in outputs)
    examples = [one for kind, block in FENCE.findall(text) if kind == "python" for one in _examples(block)]
    return [one.want for one in examples if "..." not in one.want and one.want not in shown]


def _examples(block: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(block)


def sources(made: Any) -> list[tuple[str, str]]:
    """What stands in each cell, without what it showed."""
    return [(cell.cell_type, cell.source) for cell in made.cells]


def significance_page() -> str:
    """All tests and corrections of `poolwise compare`, from their declarations."""
    return "\n".join(
        [
            "# Significance tests",
            "",
            "Generated from their declarations by `docs/generate.py`. [Is A better than B?](howto/compare.md) shows",
            "them at work. All tests are two-sided and paired over topics; all pairs of runs are tested at once.",
            "Intervals are of the mean difference, at level 1 - alpha and not corrected, whatever the test looks at.",
            "`effect` is the effect size, Cohen's d_z: the mean difference over the standard deviation of the",
            "differences over topics.",
            "",
            "| name | in words | what it looks at | interval | source |",
            "|---|---|---|---|---|",
            *(f"| `{t.name}` | {t.words} | {t.summary} | {t.interval} | {t.citation} |" for t in TESTS.values()),
            "",
            "## Corrections for many pairs",
            "",
            "| name | in words | what it keeps | source |",
            "|---|---|---|---|",
            *(f"| `{c.name}` | {c.words} | {c.summary} | {c.citation} |" for c in CORRECTIONS.values()),
            "",
        ]
    )


def derived_pages() -> dict[str, str]:
    """Generated pages by file name, but for that of errors, which have to be provoked."""
    return {"measures.md": measures_page(), "significance.md": significance_page(), **papers_pages(DOCS)}


if __name__ == "__main__":
    EXAMPLES.write_text(example_scores(), "utf-8")
    PICTURE.write_text(flow(), "utf-8")
    STUB.write_text(stub(), "utf-8")
    write_choices()
    for name, text in {**derived_pages(), "errors.md": errors_page()}.items():
        (DOCS / name).write_text(text, "utf-8")
    write_notebook(DOCS / "tutorial.md")
