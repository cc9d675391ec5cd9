"""The papers' figures that the page shows; the studies' own pages have them all."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.reproduce.plan import COVID, GRADED, ROBUST, TREC8, WEB, Workbench

from poolwise.show.figures import curves, log_percent
from poolwise.show.items import Figure

# By paper: the file, the study, the set, and the title of the figure there.
SHOWN = {
    "B07": [
        ("b07-tau", "b07-robustness", TREC8, "Agreement with the ranking by all labels"),
        ("b07-tau-robust03", "b07-robustness", ROBUST, "Agreement with the ranking by all labels"),
        ("b07-accuracy", "b07-decisions", TREC8, "Same decisions"),
        ("b07-accuracy-robust03", "b07-decisions", ROBUST, "Same decisions"),
    ],
    "Y08": [
        ("y08-figure-1-10", "y08-intervals", TREC8, "Estimate and truth, uniform 10 %"),
        ("y08-figure-1-20", "y08-intervals", TREC8, "Estimate and truth, uniform 20 %"),
        ("y08-figure-1-30", "y08-intervals", TREC8, "Estimate and truth, uniform 30 %"),
        ("y08-figure-2-10", "y08-estimation", TREC8, "Seen and unseen runs, depth 10, two strata"),
        ("y08-figure-2-5", "y08-estimation", TREC8, "Seen and unseen runs, depth 5, two strata"),
        ("y08-figure-2-1", "y08-estimation", TREC8, "Seen and unseen runs, depth 1, two strata"),
    ],
    "K09": [
        ("k09-figure-3", "k09-gain-discount", GRADED, "Discounts at cut-off 20"),
        ("k09-discounts", "k09-gain-discount", GRADED, "Discounts at cut-off 100"),
        ("k09-figure-8", "k09-gain-discount", GRADED, "Means of runs by gains"),
    ],
    "G20": [
        ("g20-error-rate", "g20-means-0", WEB, "Error rate, k = 20, tolerance 5 %"),
        ("g20-error-rate-topics", "g20-negative-0", WEB, "Error rate, k = 20, tolerance 5 %"),
    ],
}


# [Y08] figures 3 and 4: estimators and families of designs; [S07] figures 2 and 3: some of its ten measures.
EFFORT = [
    ("xinfAP", "two strata"), ("infAP", "two strata"), ("statAP", "two strata"), ("xinfAP", "four strata"),
    ("infAP", "uniform"), ("infNDCG", "four strata"),
]  # fmt: skip
BY_FRACTION = [
    ("s07-tau", "s07-robustness", "curve", "tau", "tau with the ranking by all labels"),
    ("s07-power", "s07-discrimination", "discrimination", "power", "discriminative power"),
]
SAKAI = ("AP", "Q", "Q'", "AP'", "rpref_relative2", "bpref_R")


def pictures(bench: Workbench) -> dict[str, dict[str, Figure]]:
    """Figures by paper and file, each with its set in the title."""
    found = {
        paper: {
            file: _titled(bench, study, data, title) for file, study, data, title in wanted if bench.has(study, data)
        }
        for paper, wanted in SHOWN.items()
    }
    for value, label in (("tau", "tau"), ("rmse", "RMS error")) if bench.has("y08-estimation", TREC8) else ():
        found["Y08"][f"y08-{value}"] = _effort(bench, value, label)
    found["S07"] = {
        file: _by_fraction(bench, study, table, value, label)
        for file, study, table, value, label in BY_FRACTION
        if bench.has(study, COVID)
    }
    return found


def _effort(bench: Workbench, value: str, label: str) -> Figure:
    """A quality of estimates against the share judged."""
    table = bench.rows("y08-estimation", TREC8, "estimation")
    lines = {}
    for measure, family in EFFORT:
        kept = sorted((r["share_judged"], r[value]) for r in table if r["measure"] == measure and family in r["design"])
        lines[f"{measure}, {family}"] = ([100 * share for share, _ in kept], [each for _, each in kept])
    note = "Means over trials; uniform samples have the size of the others."
    return curves(f"{TREC8}: {label} of estimates", lines, "% of labels", label, note=note, xaxis=log_percent())


def _by_fraction(bench: Workbench, study: str, table: str, value: str, label: str) -> Figure:
    """A quality of [S07]'s measures against the share of labels."""
    lines = {}
    for measure in SAKAI:
        kept = [(r["fraction"], r[value]) for r in bench.rows(study, COVID, table) if r["measure"] == measure]
        lines[measure] = ([100 * fraction for fraction, _ in kept], [each for _, each in kept])
    title = f"{COVID}: {label}"
    return curves(title, lines, "% of labels", label, note="The 30 best runs, means over trials.", xaxis=log_percent())


def _titled(bench: Workbench, name: str, data: str, title: str) -> Figure:
    figure = next(each for each in bench.study(name, data).figures.values() if each.title.startswith(title))
    kept = [
        trace for trace in figure.data if name != "y08-intervals" or trace.get("name") == "infAP"
    ]  # as in the paper
    return replace(figure, data=kept, title=f"{data}: {figure.title[0].lower()}{figure.title[1:]}")
