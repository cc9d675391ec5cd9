"""The lower bound of every library that users may install, as constraints for pip: `make lowest`."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"([\w.-]+)>=([\w.]+)")


def lower_bounds(project: dict) -> list[str]:
    """One `name==version` per library of the dependencies and of what the extra `all` stands for."""
    extras = project["optional-dependencies"]
    named = [extra for line in extras["all"] for extra in re.search(r"\[(.*)\]", line)[1].split(",")]
    wanted = [*project["dependencies"], *(line for extra in named for line in extras[extra])]
    return sorted({"==".join(found.groups()) for found in map(BOUND.match, wanted) if found})


if __name__ == "__main__":
    print(*lower_bounds(tomllib.loads(PROJECT.read_text())["project"]), sep="\n")
