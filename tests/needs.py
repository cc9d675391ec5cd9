"""What an extra of the project installs, one requirement per line: `python tests/needs.py quick docs`."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
OWN = re.compile(r"poolwise\[(.*)\]")


def needed(project: dict, *extras: str) -> list[str]:
    """The project's dependencies and those of the extras; extras that an extra names are followed."""
    wanted = list(project["dependencies"])
    waiting, seen = list(extras), set()
    while waiting:
        extra = waiting.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for line in project["optional-dependencies"][extra]:
            own = OWN.fullmatch(line)
            if own:
                waiting += own[1].split(",")
            else:
                wanted.append(line)
    return sorted(set(wanted))


def read_project() -> dict:
    return tomllib.loads(PROJECT.read_text())["project"]


if __name__ == "__main__":
    print(*needed(read_project(), *sys.argv[1:]), sep="\n")
