"""Tables for papers and programs: CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

from poolwise.score.score_tables import csv_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

LATEX = str.maketrans({"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"})


def table_text(columns: Mapping[str, Sequence[Any]], form: str, digits: int = 4) -> str:
    """Write named columns as csv or json (every digit) or as markdown or latex (rounded).

    >>> print(table_text({"run": ["a"], "mean": [0.25]}, "markdown"), end="")
    | run | mean |
    |---|---:|
    | a | 0.2500 |
    """
    rows = list(zip(*(_plain(values) for values in columns.values()), strict=True))
    if form == "csv":
        return csv_text(tuple(columns), rows)
    if form == "json":
        from json import dumps

        return dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=1) + "\n"
    numeric = [all(isinstance(row[c], (int, float)) for row in rows) for c in range(len(columns))]
    cells = [[f"{value:.{digits}f}" if isinstance(value, float) else str(value) for value in row] for row in rows]
    return (_markdown if form == "markdown" else _latex)(list(columns), numeric, cells)


def _plain(values: Sequence[Any]) -> list[Any]:
    """Numbers as Python's own, also those of numpy arrays."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    return [None if isinstance(value, float) and value != value else value for value in listed]


def _markdown(header: list[str], numeric: list[bool], cells: list[list[str]]) -> str:
    lines = [header, ["---:" if number else "---" for number in numeric], *cells]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text) + "\n"


def _latex(header: list[str], numeric: list[bool], cells: list[list[str]]) -> str:
    columns = "".join("r" if number else "l" for number in numeric)
    lines = [r"\begin{tabular}{" + columns + "}", r"\hline", _latex_row(header), r"\hline"]
    return "\n".join([*lines, *map(_latex_row, cells), r"\hline", r"\end{tabular}"]) + "\n"


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"
