"""`poolwise trec_eval` against files that trec_eval wrote: line by line, to the byte.

    python benchmarks/trec_eval_bytes.py OUTPUTS --set trec8 QRELS RUNS --set dl19 QRELS RUNS

OUTPUTS holds `commands.txt` with lines `SET-RUN-NAME: trec_eval ARGUMENTS`, and what each printed in
SET-RUN-NAME.txt.gz.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path


def printed(arguments: list[str], qrels: str, run: Path) -> bytes:
    """What our command prints."""
    command = [sys.executable, "-m", "poolwise", "trec_eval", *arguments, qrels, str(run)]
    finished = subprocess.run(command, capture_output=True)
    sys.stderr.buffer.write(finished.stderr)
    return finished.stdout


def compare(expected: bytes, found: bytes) -> tuple[int, Counter[str]]:
    """How many lines are equal, and how many of each measure are not."""
    theirs, ours = expected.splitlines(keepends=True), found.splitlines(keepends=True)
    differing = Counter(line.split()[0].decode() for line, own in zip(theirs, ours, strict=False) if line != own)
    differing["lines more or fewer"] = abs(len(theirs) - len(ours))
    return sum(line == own for line, own in zip(theirs, ours, strict=False)), +differing


def main() -> None:
    """Compare every file of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--set", nargs=3, action="append", metavar=("NAME", "QRELS", "RUNS"), required=True)
    arguments = parser.parse_args()
    sets = {name: (qrels, Path(runs)) for name, qrels, runs in arguments.set}
    equal = lines = size = equal_size = 0
    for command in (arguments.outputs / "commands.txt").read_text().splitlines():
        label, _, words = command.partition(": trec_eval ")
        name, _, rest = label.partition("-")
        qrels, runs = sets[name]
        run = next(path for path in sorted(runs.iterdir()) if rest.startswith(os.path.splitext(path.name)[0] + "-"))
        expected = gzip.decompress((arguments.outputs / f"{label}.txt.gz").read_bytes())
        found = printed(shlex.split(words), qrels, run)
        same, differing = compare(expected, found)
        equal, lines = equal + same, lines + len(expected.splitlines())
        size, equal_size = size + len(expected), equal_size + (len(expected) if expected == found else 0)
        print(label, "equal" if expected == found else dict(differing), flush=True)
    print(f"{equal} of {lines} lines equal; {equal_size} of {size} bytes in files that are equal as a whole")


if __name__ == "__main__":
    main()
