"""Repeat the papers' experiments and write docs/papers.md with its figures.

    python -m benchmarks.reproduce DATA [WORK [TRIALS]]

DATA holds trec8, trec-covid5, robust03, web-negative and scores. WORK keeps finished parts, so that an interrupted run
goes on; only aggregated numbers are written to the docs. TRIALS bounds the number of trials where time is short; the
page says how many there were.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, process_time

from benchmarks.reproduce import b07, g20, k09, s07, y08
from benchmarks.reproduce.drawing import svg
from benchmarks.reproduce.page import page
from benchmarks.reproduce.pictures import pictures
from benchmarks.reproduce.plan import PARTS, Part, Workbench

DOCS = Path(__file__).parents[2] / "docs"


def main(
    data: Path,
    work: Path,
    docs: Path = DOCS,
    most: dict[str, int] | None = None,
    parts: list[Part] | None = None,
) -> None:
    """Do the studies, and write the page; `most` bounds numbers of trials, splits, resamples and draws."""
    start, busy = monotonic(), process_time()
    bench = Workbench(data, work, most, parts)
    bench.conduct()
    write(bench, docs)
    print(f"all: {monotonic() - start:.0f} s, {process_time() - busy:.0f} s of processor time")


def write(bench: Workbench, docs: Path) -> None:
    """The page and its figures, of the studies that were done."""
    found = [each for paper in (b07, y08, s07, k09, g20) for each in paper.findings(bench)]
    images: dict[str, list[tuple[str, str, str]]] = {}
    for paper, drawn in pictures(bench).items():
        for name, figure in drawn.items():
            file = f"papers-{name}.svg"
            (docs / "images" / file).write_text(svg(figure), "utf-8")
            images.setdefault(paper, []).append((file, figure.title, figure.note))
    missing = [f"{part.name} on {part.data}" for part in PARTS if not bench.has(part.name, part.data)]
    (docs / "papers.md").write_text(page(found, images, missing), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else mkdtemp(prefix="poolwise-reproduce-"))
    main(Path(sys.argv[1]), folder, most={"trials": int(sys.argv[3])} if len(sys.argv) > 3 else None)
