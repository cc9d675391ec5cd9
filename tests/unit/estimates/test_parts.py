"""The page of the folder lists its modules in the order in which they may import one another."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import poolwise.estimates

ROOT = Path(__file__).parents[3]


def test_the_page_lists_modules_as_the_contract_orders_them():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (order,) = (each["layers"] for each in contracts if each.get("containers") == ["poolwise.estimates"])
    parts = (poolwise.estimates.__doc__ or "").partition("checks:")[2]
    assert re.findall(r"`(\w+)`", parts) == order[::-1]
    found = {path.stem for path in (ROOT / "src" / "poolwise" / "estimates").glob("*.py")} - {"__init__"}
    assert set(order) == found
