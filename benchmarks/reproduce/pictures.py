"""The papers' figures that the page shows; the studies' own pages have them all."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.reproduce.plan import COVID, GRADED, ROBUST, TREC8, WEB, Workbench

from poolwise.show.items import Figure

# By paper: the file, the study, the set, and the title of the figure there.
SHOWN = {
    "B07": [
        ("b07-tau", "b07-robustness", TREC8, "Agreement with the ranking by all labels"),
        ("b07-tau-robust03", "b07-robustness", ROBUST, "Agreement with the ranking by all labels"),
        ("b07-accuracy", "b07-decisions", TREC8, "Accuracy"),
        ("b07-accuracy-robust03", "b07-decisions", ROBUST, "Accuracy"),
    ],
    "Y08": [
        ("y08-figure-1-10", "y08-intervals", TREC8, "Estimate and truth, uniform 10 %"),
        ("y08-figure-1-20", "y08-intervals", TREC8, "Estimate and truth, uniform 20 %"),
        ("y08-figure-1-30", "y08-intervals", TREC8, "Estimate and truth, uniform 30 %"),
        ("y08-figure-2-10", "y08-estimation", TREC8, "Seen and unseen runs, depth 10, two strata"),
        ("y08-figure-2-5", "y08-estimation", TREC8, "Seen and unseen runs, depth 5, two strata"),
        ("y08-figure-2-1", "y08-estimation", TREC8, "Seen and unseen runs, depth 1, two strata"),
        ("y08-tau", "y08-estimation", TREC8, "Ranking against effort"),
        ("y08-rms", "y08-estimation", TREC8, "Error against effort"),
    ],
    "S07": [
        ("s07-tau", "s07-robustness", COVID, "Agreement with the ranking by all labels"),
        ("s07-power", "s07-discrimination", COVID, "Discriminative power"),
    ],
    "K09": [
        ("k09-figure-3", "k09-gain-discount", GRADED, "Discounts at cut-off 20"),
        ("k09-discounts", "k09-gain-discount", GRADED, "Discounts at cut-off 100"),
        ("k09-figure-8", "k09-gain-discount", GRADED, "Means of runs by gains, cut-off 200"),
    ],
    "G20": [
        ("g20-error-rate", "g20-means", WEB, "Error rate, k = 20, tolerance 5 %"),
        ("g20-error-rate-topics", "g20-negative", WEB, "Error rate, k = 20, tolerance 5 %"),
    ],
}


def pictures(bench: Workbench) -> dict[str, dict[str, Figure]]:
    """Figures by paper and file, each with its set in the title."""
    return {
        paper: {file: _titled(bench, study, data, title) for file, study, data, title in wanted}
        for paper, wanted in SHOWN.items()
    }


def _titled(bench: Workbench, name: str, data: str, title: str) -> Figure:
    figure = next(each for each in bench.study(name, data).figures.values() if each.title == title)
    return replace(figure, title=f"{data}: {title[0].lower()}{title[1:]}")
