"""Repeat the papers' experiments and write docs/papers.md and docs/reproduction.md with their figures.

    python -m benchmarks.reproduce DATA [WORK [TRIALS]]

DATA holds trec8, trec-covid5, robust03, web-negative and scores. WORK keeps finished parts: a run that was interrupted
goes on when the same folder is given again. Only aggregated numbers are written to the repository. TRIALS bounds the
number of trials where time is short, at least 8 of them; the page says how many there were.
"""

from __future__ import annotations

import platform
import re
import sys
import warnings
from pathlib import Path
from tempfile import mkdtemp

from benchmarks.reproduce import b07, g20, k09, s07, y08
from benchmarks.reproduce.data import DataError, check
from benchmarks.reproduce.drawing import svg
from benchmarks.reproduce.page import SUMMARY, Summary, papers_pages
from benchmarks.reproduce.pictures import numbers, pictures
from benchmarks.reproduce.plan import NORMALITY_TRIALS, Part, Workbench
from benchmarks.reproduce.quoted import quoted

import poolwise as pw
from poolwise.basics.settings import thread_count

DOCS = Path(__file__).parents[2] / "docs"


def main(
    data: Path,
    work: Path,
    docs: Path = DOCS,
    summary: Path = SUMMARY,
    most: dict[str, int] | None = None,
    parts: list[Part] | None = None,
) -> None:
    """Do the studies, and write the pages; `most` bounds numbers of trials, splits, resamples, draws and seeds."""
    bench = Workbench(data, work, most, parts)
    with warnings.catch_warnings():  # samples lack labels by design
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        bench.conduct()
        found = summarise(bench, docs)
    found.write(summary)
    for name, text in papers_pages(docs, found).items():
        (docs / name).write_text(text, "utf-8")
    print(f"all: {found.seconds:.0f} s, {found.processor_seconds:.0f} s of processor time")


def summarise(bench: Workbench, docs: Path) -> Summary:
    """What was found, and the figures, of the studies that were done."""
    findings = [each for paper in (b07, y08, s07, k09, g20) for each in paper.findings(bench)]
    tables = quoted(bench, findings)
    images: dict[str, list[tuple[str, str, str]]] = {}
    for paper, drawn in pictures(bench).items():
        for name in sorted(drawn, key=numbers().__getitem__):  # as the paper has them
            file, figure = f"papers-{name}.svg", drawn[name]
            (docs / "images" / file).write_text(svg(figure), "utf-8")
            images.setdefault(paper, []).append((file, f"Figure {numbers()[name]}, {figure.title}", figure.note))
    missing = [f"{part.name} on {part.data}" for part in bench.parts if not bench.has(part.name, part.data)]
    seconds, busy = (sum(each[place] for each in bench.cost().values()) for place in (0, 1))
    return Summary(findings, images, tables, missing, round(seconds), round(busy), machine())


def machine() -> str:
    """The cores that may be used, and of which kind, as far as the system says so."""
    cores = thread_count(None)
    listed = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", listed.read_text(), re.MULTILINE) if listed.exists() else []
    kind = names[0].strip() if names else platform.processor() or platform.machine()
    return f"{cores} core{'s' * (cores > 1)} ({kind}), Python {platform.python_version()}"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4) or not all(each.isdecimal() for each in sys.argv[3:]):
        sys.exit(__doc__)
    if any(int(each) < NORMALITY_TRIALS for each in sys.argv[3:]):
        sys.exit(f"error: {sys.argv[3]} trials; a test of normality needs {NORMALITY_TRIALS}")
    try:
        check(Path(sys.argv[1]))
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else mkdtemp(prefix="poolwise-reproduce-"))
        print(f"finished parts are kept in {folder}; give it after DATA to go on from there", flush=True)
        main(Path(sys.argv[1]), folder, most={"trials": int(sys.argv[3])} if len(sys.argv) > 3 else None)
    except DataError as error:
        sys.exit(f"error: {error}")
