"""Tables of a study as tests read them."""

from __future__ import annotations

from typing import Any

from poolwise.lab.study.result import Study


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    """A table's rows as dicts by column."""
    columns = {name: list(values) for name, values in study.tables[table].columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
