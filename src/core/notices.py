"""Write the notices of what the compiled core is linked with: python src/core/notices.py FILE.

They are taken from the very release that is compiled in, so that they can be neither forgotten nor out of date.
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path

import nanobind


def nanobind_notice() -> str:
    """The licence that nanobind's release carries."""
    licence = next(path for path in files("nanobind") or () if path.name.startswith("LICENSE"))
    return Path(str(licence.locate())).read_text("utf-8")


def robin_map_notice() -> str:
    """The comment at the head of robin_map, which comes with nanobind."""
    header = Path(nanobind.__file__).parent / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h"
    lines = header.read_text("utf-8").partition("*/")[0].splitlines()[1:]
    return "\n".join(line.strip().removeprefix("*").removeprefix(" ") for line in lines)


if __name__ == "__main__":
    parts = {"nanobind": nanobind_notice(), "robin_map": robin_map_notice()}
    text = "\n\n".join(f"{name}\n{'=' * len(name)}\n\n{notice.strip()}" for name, notice in parts.items())
    Path(sys.argv[1]).write_text(text + "\n", "utf-8")
