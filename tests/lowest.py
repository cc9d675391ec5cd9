"""The lower bound of every library that users may install, as constraints for pip: `make lowest`."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.needs import needed, read_project  # not installed with the project

BOUND = re.compile(r"([\w.-]+)>=([\w.]+)")


def lower_bounds(project: dict) -> list[str]:
    """One `name==version` per library of the dependencies and of what the extra `all` stands for."""
    return sorted({"==".join(found.groups()) for found in map(BOUND.match, needed(project, "all")) if found})


if __name__ == "__main__":
    print(*lower_bounds(read_project()), sep="\n")
