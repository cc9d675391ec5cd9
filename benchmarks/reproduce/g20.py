"""[G20]: negative labels in nDCG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.reproduce.data import qrels_of
from benchmarks.reproduce.findings import SHOWN, Finding, verdict
from benchmarks.reproduce.plan import WEB, Workbench

import poolwise as pw
from poolwise.study.shared.study_result import Study

QRELS = {2010: "51-100", 2011: "101-150", 2012: "151-200", 2013: "201-250", 2014: "251-300"}
DEPTHS = {2010: 20, 2011: 20, 2012: 20, 2013: 15, 2014: 15}
LABELS = (-2, 0, 1, 2, 3, 4)
# [G20] table 1, and table 2a: share of topics below 0 and at most -1, in percent.
RATIOS = {
    2010: (0.05, 0.73, 0.17, 0.05, 0.01, 0.00),
    2011: (0.06, 0.77, 0.12, 0.05, 0.10, 0.00),
    2012: (0.05, 0.73, 0.14, 0.04, 0.02, 0.06),
    2013: (0.02, 0.70, 0.21, 0.08, 0.02, 0.01),
    2014: (0.06, 0.57, 0.26, 0.11, 0.03, 0.02),
}
BELOW_0 = {2010: 100, 2011: 94, 2012: 96, 2013: 74, 2014: 70}
AT_MOST_MINUS_1 = {2010: 44, 2011: 68, 2012: 8, 2013: 18, 2014: 12}
NAMES = ("NDCG_org", "NDCG_0", "NDCG_min")
ALL = "Web 2010-2014, qrels"


def findings(bench: Workbench) -> list[Finding]:
    """All of [G20]."""
    found = [*_labels(bench.data / "web-negative"), *_official(bench.data / "scores")]
    if all(bench.has(name, WEB) for name in ("g20-negative", "g20-means", "g20-code", "g20-release")):
        found += [*_runs(bench), *_readings(bench)]
    return found


def _labels(folder: Path) -> list[Finding]:
    """Tables 1 and 2a from judgments alone."""
    studies = {
        year: pw.study.negative(qrels_of(folder / f"qrels.web.{topics}.txt"), cutoffs=(10, DEPTHS[year]))
        for year, topics in QRELS.items()
    }
    equal = sum(
        abs(ratio - dict(zip(LABELS, RATIOS[year], strict=True))[label]) <= 0.00501
        for year, study in studies.items()
        for label, ratio in _ratios(study).items()
    )
    found = [Finding("G1", ALL, f"{equal} of 30 values to two decimals", verdict(equal == 30))]
    columns = {year: study.tables["bounds"].columns for year, study in studies.items()}
    readings = {
        "G5": [("below_0", -1, "as printed", BELOW_0)],
        "G6": [
            ("at_most_minus_1", -1, "at the stated k", AT_MOST_MINUS_1),
            ("at_most_minus_1", 0, "at k = 10", AT_MOST_MINUS_1),
            ("at_most_minus_1_twice", -1, "every document twice", AT_MOST_MINUS_1),
        ],
        "G7": [
            ("at_most_minus_1_jk", -1, "repaired code's discount", AT_MOST_MINUS_1),
            ("at_most_minus_1_ln", -1, "release 1.0.0's discount", AT_MOST_MINUS_1),
        ],
    }
    for item, each in readings.items():
        for name, place, words, printed in each:
            shares = {year: 100 * columns[year][name][place] for year in QRELS}
            same = [abs(shares[year] - printed[year]) < 2.5 if year == 2010 else round(shares[year]) == printed[year]
                    for year in QRELS]  # fmt: skip
            text = f"{words}: " + ", ".join(f"{share:.0f}" for share in shares.values()) + " %"
            found.append(Finding(item, ALL, text, verdict(*same), None, "2010, which has 48 topics, within 2.5"))
    return found


def _ratios(study: Study) -> dict[int, float]:
    """Mean ratio of every label of the paper's table; 0 for one that no document has."""
    columns = study.tables["labels"].columns
    known = dict(zip(columns["label"], columns["mean_ratio"], strict=True))
    return {label: known.get(label, 0.0) for label in LABELS}


def _by(rows: list[dict[str, Any]], cutoff: int, value: str) -> dict[str, float]:
    return {row["measure"]: row[value] for row in rows if row["cutoff"] == cutoff}


def _listed(values: dict[str, float], form: str = ".3f") -> str:
    return ", ".join(f"{name} {values[name]:{form}}" for name in NAMES)


def _runs(bench: Workbench) -> list[Finding]:
    def rows(table: str) -> list[dict[str, Any]]:
        return bench.rows("g20-negative", WEB, table)

    low = next(row for row in rows("bounds") if row["cutoff"] == 20)
    rho = {(r["measure_a"], r["measure_b"]): r for r in rows("spearman") if r["cutoff"] == 20}
    phi = _by(rows("phi"), 20, "phi")
    power = {k: _by(rows("power"), k, "power") for k in (5, 10, 15, 20)}
    means = [(r["measure_a"], r["measure_b"], r["rho"], r["rho_rows"]) for r in rho.values()]
    return [
        Finding("G9", WEB, f"eight baselines, which nobody submitted: {100 * low['scores_below_0']:.0f} % of the "
                f"scores on topics below 0, lowest mean {low['lowest_mean']:.3f}; no test of the claim"),
        Finding("G10", WEB, "rho of means (of all scores): " + ", ".join(
            f"{a}-{b} {value:.3f} ({over:.3f})" for a, b, value, over in means),
            verdict(rho["NDCG_org", "NDCG_min"]["rho"] >= rho["NDCG_org", "NDCG_0"]["rho"]), None, "order as printed"),
        Finding("G12", WEB, _listed(phi), verdict(phi["NDCG_min"] == max(phi.values())), None, "NDCG_min highest"),
        Finding("G15", WEB, "; ".join(f"k = {k}: {_listed(each, '.2f')}" for k, each in power.items()),
                verdict(*(abs(p["NDCG_org"] - p["NDCG_min"]) <= 0.08 and p["NDCG_0"] < p["NDCG_min"]
                          for p in power.values())),
                None, "org and min within 0.08, NDCG_0 lower"),
    ]  # fmt: skip


def _readings(bench: Workbench) -> list[Finding]:
    """Both readings of the error rate, and the code's protocol."""
    found = []
    for item, name, words in (("G13", "g20-negative", "topics won"), ("G14", "g20-means", "means over topic sets")):
        table = bench.rows(name, WEB, "error_rate")
        most = max(row["topics"] for row in table)
        sizes = [size for size in (5, 25, most) if any(row["topics"] == size for row in table)]
        rates = {m: {r["topics"]: r for r in table if (r["cutoff"], r["measure"]) == (20, m)} for m in NAMES}
        text = "; ".join(
            f"{size} topics: " + _listed({m: rates[m][size]["error_rate"] for m in NAMES})
            + f" (tolerance 0: {_listed({m: rates[m][size]['error_rate_at_0'] for m in NAMES})})"
            for size in sizes
        )  # fmt: skip
        falls = all(rates[m][most]["error_rate"] <= rates[m][sizes[0]]["error_rate"] for m in NAMES)
        least = all(
            rates["NDCG_min"][s]["error_rate"] <= min(rates[m][s]["error_rate"] for m in NAMES[:2]) for s in sizes
        )
        found.append(
            Finding(item, WEB, f"{words}: {text}", verdict(falls, least), None, "falls with topics; min lowest")
        )
    for name, words in (("g20-code", "repaired code"), ("g20-release", "release 1.0.0")):
        phi = _by(bench.rows(name, WEB, "phi"), 20, "phi")
        found.append(Finding("G8", WEB, f"{words}, judged documents only: Phi {_listed(phi)}", SHOWN))
    return found


def _official(scores: Path) -> list[Finding]:
    """Phi of official nDCG@20 scores, which the paper prints otherwise."""
    found = []
    for year in (2011, 2012):
        table = pw.Scores.from_csv(scores / f"web{year}_ndcg20.csv")
        text = f"official nDCG@20, {len(table.runs)} systems: Phi {pw.reliability(table).phi():.3f}"
        found.append(Finding("G18", f"Web {year}, scores", text))
    return found
