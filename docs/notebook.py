"""A page as a notebook that has been run: its text, its python blocks and what they print.

The page's own outputs are used; the tests run the page and compare them.
"""

from __future__ import annotations

import doctest
import json
import re
from typing import Any

from blocks import FENCE


def notebook(text: str) -> str:
    """The notebook of a page, as JSON."""
    cells: list[dict[str, Any]] = []
    place = 0
    for match in FENCE.finditer(text):
        cells.append(_text_cell(text[place : match.start()]))
        cells += _code_cells(match[2]) if match[1] == "python" else [_text_cell(match[0])]
        place = match.end()
    cells.append(_text_cell(text[place:]))
    cells = [cell for cell in cells if cell["source"]]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    for count, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), 1):
        cell["execution_count"] = count
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = count
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(_unwrapped(text.strip()))}


def _unwrapped(text: str) -> str:
    """Links to other pages lead nowhere from a notebook that is carried about; their words stay."""
    return re.sub(r"\[([^\]]+)\]\([^)h][^)]*\)", lambda match: match[1].replace("\n", " "), text)


def _code_cells(block: str) -> list[dict[str, Any]]:
    """Statements up to and with the next that shows something make one cell."""
    cells: list[dict[str, Any]] = []
    source = ""
    for example in doctest.DocTestParser().get_examples(block):
        source += example.source
        if example.want:
            cells.append(_code_cell(source, example))
            source = ""
    return [*cells, _code_cell(source, None)] if source else cells


def _code_cell(source: str, last: doctest.Example | None) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if last is not None and _prints(last.source):
        outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(last.want)}]
    elif last is not None:
        data = {"text/plain": _lines(last.want.rstrip("\n"))}
        outputs = [{"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}]
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(source.rstrip("\n")),
    }


def _prints(source: str) -> bool:
    return "print(" in source


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
