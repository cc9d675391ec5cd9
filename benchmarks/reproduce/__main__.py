"""Repeat the papers' experiments and write docs/reproduction.md with its figures.

    python -m benchmarks.reproduce DATA [WORK]

DATA holds trec8, trec-covid5, robust03, web-negative and scores. WORK keeps finished parts, so that an interrupted run
goes on; only aggregated numbers are written to the docs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic

from benchmarks.reproduce.data import GRADED_TOPICS, campaign
from benchmarks.reproduce.drawing import svg
from benchmarks.reproduce.estimation import yilmaz
from benchmarks.reproduce.negative import gienapp
from benchmarks.reproduce.robustness import bompada, sakai
from benchmarks.reproduce.sections import FAILS, HOLDS, PARTLY, Section
from benchmarks.reproduce.weights import kanoulas

DOCS = Path(__file__).parents[2] / "docs"
INTRODUCTION = """# The papers, repeated

`make reproduce DATA=...` repeats the experiments of five papers on real campaigns and writes this page. The data is not
ours and not in the repository; what is at hand is not always what a paper used, and each section says where. Verdicts
are of this data and of nothing more: "holds here" means that every number in the row says so, "partly here" that some
do; where a claim leaves open what would count, our rule is in brackets.
Explanations say what was measured; what is only supposed is called so.
"""


def main(data: Path, work: Path, docs: Path = DOCS) -> None:
    """All sections."""

    def how(name: str) -> dict:
        return {"folder": work / name.replace(" ", "-"), "resume": True}

    trec8, covid = campaign(data / "trec8"), campaign(data / "trec-covid5")
    robust = campaign(data / "robust03", topics=GRADED_TOPICS)
    todo = {
        "B07": lambda: bompada(trec8, covid, robust, how),
        "S07": lambda: sakai(covid, how),
        "Y08": lambda: yilmaz(trec8),
        "K09": lambda: kanoulas({"TREC-COVID 5": covid, "robust03": robust}, how),
        "G20": lambda: gienapp(data / "web-negative", data / "scores", how),
    }
    sections = []
    for name, make in todo.items():
        start = monotonic()
        sections.append(make())
        print(f"{name}: {monotonic() - start:.0f} s", flush=True)
    write(sections, docs)


def write(sections: list[Section], docs: Path) -> None:
    """The page and its figures."""
    counts = ["| paper | the paper's data? | holds here | partly | fails |", "|---|---|---:|---:|---:|"]
    for section in sections:
        found = [claim.verdict for claim in section.claims]
        numbers = " | ".join(str(found.count(word)) for word in (HOLDS, PARTLY, FAILS))
        counts.append(f"| {section.title} | {section.data} | {numbers} |")
        for name, figure in section.figures.items():
            (docs / "images" / f"{name}.svg").write_text(svg(figure), "utf-8")
    text = "\n".join([INTRODUCTION, *counts, "", *(section.markdown() for section in sections)])
    (docs / "reproduction.md").write_text(text.rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else mkdtemp(prefix="poolwise-reproduce-")))
