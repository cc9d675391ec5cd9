"""Share of the core's lines and branches that ran, from what gcov wrote in a folder of an instrumented build.

    python tests/core_coverage.py BUILD

Branches to the handling of exceptions, which the compiler adds at every call, do not count.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def counted(build: Path) -> dict[str, tuple[dict[int, int], dict[tuple[int, int], int]]]:
    """For each file of the core how often each line, and each branch of a line, ran."""
    lines: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    branches: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    with tempfile.TemporaryDirectory() as folder:
        for data in build.rglob("border/*.gcda"):
            subprocess.run(["gcov", "-b", "-j", str(data)], cwd=folder, check=True, capture_output=True)
        for path in Path(folder).glob("*.gcov.json.gz"):
            for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
                if "src/core/" not in file["file"]:
                    continue
                name = Path(file["file"]).name
                for line in file["lines"]:
                    lines[name][line["line_number"]] += line["count"]
                    # A template has its branches once in each instance, in the same order.
                    for place, branch in enumerate(branch for branch in line["branches"] if not branch["throw"]):
                        branches[name][line["line_number"], place] += branch["count"]
    return {name: (lines[name], branches[name]) for name in sorted(lines)}


def main() -> None:
    total = [0, 0, 0, 0]
    for name, (lines, branches) in counted(Path(sys.argv[1])).items():
        row = [sum(map(bool, lines.values())), len(lines), sum(map(bool, branches.values())), len(branches)]
        total = [a + b for a, b in zip(total, row, strict=True)]
        missed = [number for number, count in sorted(lines.items()) if not count]
        print(f"{name:<20} lines {row[0]}/{row[1]}  branches {row[2]}/{row[3]}  missed {missed[:12]}")
    shares = [100 * total[0] / total[1], 100 * total[2] / total[3]]
    print(f"{shares[0]:.1f} % of {total[1]} lines, {shares[1]:.1f} % of {total[3]} branches")


if __name__ == "__main__":
    main()
