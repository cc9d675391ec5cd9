"""Columns as an HTML table, for results shown in a notebook."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["html_table"]


def html_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as an HTML table; numbers get four significant digits.

    >>> html_table({"run": ["a<b"], "phi": [0.81234]}).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td><td>0.8123</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(_row(row) for row in zip(*columns.values(), strict=True))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(values: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in values)}</tr>"


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))
