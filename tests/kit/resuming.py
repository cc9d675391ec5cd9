"""A check that every study passes: the same bytes after an interruption, and on threads of an executor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def check_same_bytes(study: Any, pool: Any, folder: Path, **settings: Any) -> None:
    """Do a study whole, on an executor, and again with half of its finished units lost; compare all tables."""
    whole = study(pool, **settings, folder=folder / "whole")
    with ThreadPoolExecutor(2) as executor:
        apart = study(pool, **settings, executor=executor)
    units = sorted((folder / "whole" / "units").glob("*/*.npz"))
    assert len(units) > 1
    for unit in units[::2]:
        unit.unlink()
    done: list[tuple[int, int]] = []
    again = study(pool, **settings, folder=folder / "whole", resume=True, progress=lambda *counts: done.append(counts))
    assert done[0] == (len(units) // 2, len(units))
    assert done[-1] == (len(units), len(units))
    for other in (apart, again):
        assert list(other.tables) == list(whole.tables)
        for name, table in whole.tables.items():
            assert other.tables[name].csv() == table.csv(), name
        assert other.summary == whole.summary
        assert [figure.json() for figure in other.figures.values()] == [f.json() for f in whole.figures.values()]
