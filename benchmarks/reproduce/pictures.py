"""The papers' figures that the page shows; the studies' own pages have them all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.reproduce.plan import COVID, GRADED, ROBUST, TREC8, WEB, WEIGHTS, Workbench

from poolwise.show.figures import curves, log_percent
from poolwise.show.parts import Figure

# By paper: the number it has there, the file, the study, the set, and how the title of the figure begins there.
SHOWN = {
    "B07": [
        ("1", "b07-tau", "b07-robustness", TREC8, "Agreement with the ranking by all labels"),
        ("1", "b07-tau-robust03", "b07-robustness", ROBUST, "Agreement with the ranking by all labels"),
        ("2", "b07-accuracy", "b07-decisions", TREC8, "Same decisions"),
        ("2", "b07-accuracy-robust03", "b07-decisions", ROBUST, "Same decisions"),
        ("2", "b07-g-mean", "b07-decisions", TREC8, "G mean"),
        ("2", "b07-g-mean-robust03", "b07-decisions", ROBUST, "G mean"),
    ],
    "Y08": [
        ("1", "y08-figure-1-10", "y08-intervals", TREC8, "Estimate and truth, uniform 10 %"),
        ("1", "y08-figure-1-20", "y08-intervals", TREC8, "Estimate and truth, uniform 20 %"),
        ("1", "y08-figure-1-30", "y08-intervals", TREC8, "Estimate and truth, uniform 30 %"),
        ("2", "y08-figure-2-10", "y08-estimation", TREC8, "Seen and unseen runs, depth 10, two strata"),
        ("2", "y08-figure-2-5", "y08-estimation", TREC8, "Seen and unseen runs, depth 5, two strata"),
        ("2", "y08-figure-2-1", "y08-estimation", TREC8, "Seen and unseen runs, depth 1, two strata"),
    ],
    "K09": [
        ("2", "k09-discounts-10", "k09-gain-discount", GRADED, "Discounts at cut-off 10"),
        ("2, 3 and 6", "k09-figure-3", "k09-gain-discount", GRADED, "Discounts at cut-off 20"),
        ("2", "k09-discounts", "k09-gain-discount", GRADED, "Discounts at cut-off 100"),
        ("4", "k09-phi", "k09-gain-discount", GRADED, "Phi against topics, cut-off 100"),
        ("5", "k09-labels", "k09-gain-discount", GRADED, "Labels by rank"),
        ("7", "k09-means", "k09-gain-discount", GRADED, "Means of runs at cut-off"),
        ("8", "k09-figure-8", "k09-gain-discount", GRADED, "Means of runs by gains"),
        ("9", "k09-asl", "k09-gain-discount", GRADED, "Achieved significance levels, cut-off 100"),
    ],
    "G20": [
        ("2c", "g20-ranks", "g20-negative-0", WEB, "Ranks of runs, k = 20"),
        ("2d", "g20-phi", "g20-negative-0", WEB, "Phi against cut-off"),
        ("2e, by means", "g20-error-rate", "g20-means-0", WEB, "Error rate, k = 20, tolerance 5 %"),
        ("2e, by topics", "g20-error-rate-topics", "g20-negative-0", WEB, "Error rate, k = 20, tolerance 5 %"),
        ("2f", "g20-asl", "g20-negative-0", WEB, "Achieved significance levels, k = 20"),
    ],
}
# Lines that a paper's figure does not have, and that would hide others there.
LEFT_OUT = {"y08-intervals": ("statAP",)}

# [Y08] figures 3 and 4: estimators and families of designs; [S07]: some of its ten measures.
EFFORT = {
    "3": [("xinfAP", "two strata"), ("infAP", "two strata"), ("statAP", "two strata"), ("infAP", "uniform")],
    "4": [("xinfAP", "four strata"), ("infNDCG", "four strata"), ("infAP", "uniform"), ("nDCG", "uniform")],
}
QUALITIES = {"tau": "tau", "r": "correlation", "rmse": "RMS error"}
SAKAI = {measure: measure for measure in ("AP", "Q", "Q'", "AP'", "rpref_relative2", "bpref_R")}
GRADES = {measure: f"{name}, binary" if name.endswith(" 1") else name for name, measure in WEIGHTS.items()}
BEST, EVERY = "The 30 best runs, means over trials.", "All 17 runs, means over trials."
# By paper: number, file, study, set, its table and column, what that is called, the lines, and the note.
BY_FRACTION = {
    "B07": [("3", "b07-graded", "b07-graded", GRADED, "gains", "tau", "tau of nDCG by gain of label 2", GRADES, EVERY)],
    "S07": [
        ("1", "s07-value", "s07-robustness", COVID, "curve", "value", "mean value", SAKAI, BEST),
        ("2", "s07-tau", "s07-robustness", COVID, "curve", "tau", "tau with the ranking by all labels", SAKAI, BEST),
        ("3", "s07-power", "s07-discrimination", COVID, "discrimination", "power", "discriminative power", SAKAI, BEST),
    ],
}


def pictures(bench: Workbench) -> dict[str, dict[str, Figure]]:
    """Figures by paper and file, each with its set in the title."""
    found = {
        paper: {file: _titled(bench, *where) for _, file, *where in SHOWN.get(paper, ()) if bench.has(*where[:2])}
        for paper in ("B07", "Y08", "S07", "K09", "G20")
    }
    for paper, wanted in BY_FRACTION.items():
        found[paper] |= {file: _by_fraction(bench, *how) for _, file, *how in wanted if bench.has(*how[:2])}
    for number, estimators in EFFORT.items() if bench.has("y08-estimation", TREC8) else ():
        for value, label in QUALITIES.items():
            found["Y08"][f"y08-figure-{number}-{value}"] = _effort(bench, estimators, value, label)
    return found


def numbers() -> dict[str, str]:
    """The number that the figure of a file has in its paper."""
    listed: list[Any] = [*SHOWN.values(), *BY_FRACTION.values()]
    shown = {str(file): str(number) for wanted in listed for number, file, *_ in wanted}
    return shown | {f"y08-figure-{number}-{value}": number for number in EFFORT for value in QUALITIES}


def _effort(bench: Workbench, estimators: list[tuple[str, str]], value: str, label: str) -> Figure:
    """A quality of estimates against the share judged."""
    table = bench.rows("y08-estimation", TREC8, "estimation")
    lines = {}
    for measure, family in estimators:
        kept = sorted((r["share_judged"], r[value]) for r in table if r["measure"] == measure and family in r["design"])
        lines[f"{measure}, {family}"] = ([100 * share for share, _ in kept], [each for _, each in kept])
    note = "Means over trials; uniform samples have the size of the others."
    return curves(f"{TREC8}: {label} of estimates", lines, "% of labels", label, note=note, xaxis=log_percent())


def _by_fraction(
    bench: Workbench, study: str, data: str, table: str, value: str, label: str, names: dict[str, str], note: str
) -> Figure:
    """A quality of some measures against the share of labels."""
    lines = {}
    for measure, name in names.items():
        kept = [(r["fraction"], r[value]) for r in bench.rows(study, data, table) if r["measure"] == measure]
        lines[name] = ([100 * fraction for fraction, _ in kept], [each for _, each in kept])
    return curves(f"{data}: {label}", lines, "% of labels", label, note=note, xaxis=log_percent())


def _titled(bench: Workbench, name: str, data: str, title: str) -> Figure:
    figure = next(each for each in bench.study(name, data).figures.values() if each.title.startswith(title))
    kept = [trace for trace in figure.data if trace.get("name") not in LEFT_OUT.get(name, ())]
    words = figure.title if figure.title.startswith("Phi") else f"{figure.title[0].lower()}{figure.title[1:]}"
    note = figure.note.replace(" More variants are in the table below.", "")  # which is on the study's own page
    return replace(figure, data=kept, title=f"{data}: {words}", note=note)
