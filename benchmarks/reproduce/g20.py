"""[G20]: negative labels in nDCG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reproduce.data import WEB_TOPICS, qrels_of
from benchmarks.reproduce.findings import SHOWN, Finding, as_good, clear, every, mean_error, verdict
from benchmarks.reproduce.over_topics import deviations, phis, rhos
from benchmarks.reproduce.plan import DRAWS, WEB, Workbench

import poolwise as pw
from poolwise.lab.study.negative_results import weights_of
from poolwise.lab.study.result import Study
from poolwise.lab.weights.labels import UNJUDGED
from poolwise.trust.rank_correlation import spearman_rho

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
CUTOFFS = (5, 10, 15, 20)
PRINTED_ORDER = [("NDCG_org", "NDCG_0"), ("NDCG_0", "NDCG_min"), ("NDCG_org", "NDCG_min")]  # .91, .93, .99
ALL = "Web 2010-2014, qrels"
TOPICS_WON, MEANS = "g20-negative-0", "g20-means-0"
DEPTH = 20  # judged documents of a run that the paper's code looks at


def findings(bench: Workbench) -> list[Finding]:
    """All of [G20]."""
    found = [*_labels(bench.data / "web-negative"), *_official(bench.data / "scores")]
    if bench.has(TOPICS_WON, WEB):
        found += [*_runs(bench), *_reliable(bench), _with_depth(bench)]
    for item, name, words in (("G13", TOPICS_WON[:-1], "topics won"), ("G14", MEANS[:-1], "means over topic sets")):
        found += [_errors(bench, item, name, words)] if bench.has(f"{name}{DRAWS[0]}", WEB) else []
    if bench.has("g20-code", WEB) and bench.has("g20-release", WEB):
        found += [*_code(bench), _rows_of_code(bench)]
    return found


def _labels(folder: Path) -> list[Finding]:
    """Tables 1 and 2a from judgments alone."""
    studies = {
        year: pw.study.negative(qrels_of(folder / f"qrels.web.{topics}.txt"), cutoffs=(10, DEPTHS[year]))
        for year, topics in WEB_TOPICS.items()
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
            shares = {year: 100 * columns[year][name][place] for year in WEB_TOPICS}
            same = [abs(shares[year] - printed[year]) < 2.5 if year == 2010 else round(shares[year]) == printed[year]
                    for year in WEB_TOPICS]  # fmt: skip
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
        return bench.rows(TOPICS_WON, WEB, table)

    low = next(row for row in rows("bounds") if row["cutoff"] == 20)
    rho = {(r["measure_a"], r["measure_b"]): r for r in rows("spearman") if r["cutoff"] == 20}
    order = [rho[pair]["rho"] for pair in PRINTED_ORDER]
    drawn = rhos(_tables(bench, 20), [tuple(NAMES.index(name) for name in pair) for pair in PRINTED_ORDER])
    steps = [deviations(drawn[:, place + 1] - drawn[:, place], order[place + 1] - order[place]) for place in (0, 1)]
    seeds = [bench.rows(f"g20-negative-{s}", WEB, "power") for s in DRAWS if bench.has(f"g20-negative-{s}", WEB)]
    power = {k: {m: np.array([_by(each, k, "power")[m] for each in seeds]) for m in NAMES} for k in (5, 10, 15, 20)}
    means = [(r["measure_a"], r["measure_b"], r["rho"], r["rho_rows"]) for r in rho.values()]
    return [
        Finding("G9", WEB, f"eight baselines, which nobody submitted: {100 * low['scores_below_0']:.0f} % of the "
                f"scores on topics below 0, lowest mean {low['lowest_mean']:.3f}; no test of the claim"),
        Finding("G10", WEB, "rho of means (of all scores): " + ", ".join(
            f"{a}-{b} {value:.3f} ({over:.3f})" for a, b, value, over in means),
            verdict(*steps), None, "order as printed, over resamples of topics"),
        Finding("G15", WEB, "; ".join(f"k = {k}: " + ", ".join(f"{m} {mean_error(each[m], 2)}" for m in NAMES)
                                      for k, each in power.items()),
                verdict(*(abs(p["NDCG_org"].mean() - p["NDCG_min"].mean()) <= 0.08 for p in power.values()),
                        *(clear(p["NDCG_min"] - p["NDCG_0"]) for p in power.values())),
                len(seeds), "org and min within 0.08, NDCG_0 lower"),
    ]  # fmt: skip


def _tables(bench: Workbench, cutoff: int) -> list[np.ndarray]:
    """Scores of the three variants, runs x topics."""
    pool = bench.pool(WEB)
    measures = [f"nDCG(negative='{how}')@{cutoff}" for how in ("keep", "zero", "minmax")]
    return [pool.score(measure).array(measure) for measure in measures]


def _reliable(bench: Workbench) -> list[Finding]:
    """Phi of the variants at every cut-off, and whether NDCG_min's is the highest by more than topics leave open."""
    found = []
    for cutoff in CUTOFFS:
        rows = [row for row in bench.rows(TOPICS_WON, WEB, "phi") if row["cutoff"] == cutoff]
        phi = {row["measure"]: row for row in rows}
        drawn = phis(_tables(bench, cutoff))
        topics = len(bench.pool(WEB).topics)
        of_all = drawn * topics / (1 + (topics - 1) * drawn)
        checks = [
            deviations(of_all[:, 2] - of_all[:, place], phi["NDCG_min"]["phi"] - phi[NAMES[place]]["phi"])
            for place in (0, 1)
        ]
        text = ", ".join(
            f"{m} {phi[m]['phi']:.3f} ({phi[m]['phi_low']:.2f} to {phi[m]['phi_high']:.2f})" for m in NAMES
        )
        text = f"k = {cutoff}: {text}, with 95 % intervals over topics"
        found.append(Finding("G12", WEB, text, verdict(*checks), None, "NDCG_min above both, over resamples of topics"))
    return found


def _with_depth(bench: Workbench) -> Finding:
    """Error rates by topics won at 25 topics, from the smallest cut-off to the largest."""
    seeds = [bench.rows(f"g20-negative-{s}", WEB, "error_rate") for s in DRAWS if bench.has(f"g20-negative-{s}", WEB)]
    size = min({row["topics"] for row in seeds[0]}, key=lambda topics: abs(topics - 25))

    def rates(measure: str, cutoff: int) -> np.ndarray:
        kept = [
            row["error_rate"]
            for each in seeds
            for row in each
            if (row["measure"], row["cutoff"], row["topics"]) == (measure, cutoff, size)
        ]
        return np.array(kept)

    rise = {m: rates(m, CUTOFFS[-1]) - rates(m, CUTOFFS[0]) for m in NAMES}
    text = ", ".join(
        f"{m} {rates(m, CUTOFFS[0]).mean():.3f} to {rates(m, CUTOFFS[-1]).mean():.3f} (by {mean_error(rise[m])})"
        for m in NAMES
    )
    text = f"topics won, {size} topics, k = {CUTOFFS[0]} to {CUTOFFS[-1]}: {text}"
    said = verdict(*(clear(rise[m]) for m in NAMES[:2]), *(clear(rise[m] - rise["NDCG_min"]) for m in NAMES[:2]))
    return Finding("G19", WEB, text, said, len(seeds), "org and 0 rise, and by more than min")


def _errors(bench: Workbench, item: str, name: str, words: str) -> Finding:
    """An error rate at some numbers of topics, over several seeds."""
    seeds = [bench.rows(f"{name}{s}", WEB, "error_rate") for s in DRAWS if bench.has(f"{name}{s}", WEB)]
    numbers = sorted({row["topics"] for row in seeds[0]})
    sizes = [size for size in (5, 25, numbers[-1]) if size in numbers]

    def rates(column: str, size: int) -> dict[str, np.ndarray]:
        kept = [{r["measure"]: r[column] for r in each if (r["cutoff"], r["topics"]) == (20, size)} for each in seeds]
        return {m: np.array([row[m] for row in kept]) for m in NAMES}

    def listed(values: dict[str, np.ndarray]) -> str:
        return ", ".join(f"{m} {mean_error(each)}" for m, each in values.items())

    found = {size: rates("error_rate", size) for size in sizes}
    text = "; ".join(
        f"{size} topics: {listed(found[size])} (tolerance 0: {listed(rates('error_rate_at_0', size))})"
        for size in sizes
    )  # fmt: skip
    falls = every(*(clear(found[sizes[0]][m] - found[sizes[-1]][m]) for m in NAMES))
    least = every(*(as_good(each[m] - each["NDCG_min"]) for each in found.values() for m in NAMES[:2]))
    rule = "falls with topics; min lowest"
    return Finding(item, WEB, f"{words}: {text}", verdict(falls, least), len(seeds), rule)


def _code(bench: Workbench) -> list[Finding]:
    """Phi with judged documents only, and both discounts that the code has had."""
    found = []
    for name, words in (("g20-code", "repaired code"), ("g20-release", "release 1.0.0")):
        phi = _by(bench.rows(name, WEB, "phi"), 20, "phi")
        found.append(Finding("G8", WEB, f"{words}, judged documents only: Phi {_listed(phi)}", SHOWN))
    return found


def _rows_of_code(bench: Workbench) -> Finding:
    """The rest of what release 1.0.0 does: whole lists only, ideal and worst from rows of runs and documents.

    The first 20 judged documents of a run count, lists that have fewer are left out, the ideal list may hold a
    document once per run that has it, and NDCG_0 is worst / ideal, whatever the run. Topic 109, which it also drops,
    is of 2011.
    """
    pool = bench.pool(WEB)
    labels = pool.label_matrix(int(np.asarray(pool.retrieved()).max()))
    lists = [[row[row != UNJUDGED][:DEPTH] for row in run] for run in labels]
    whole = np.array([[len(row) == DEPTH for row in run] for run in lists])
    weights = np.array(weights_of("ln", DEPTH))
    original, normalised, zeroed = [], [], []
    for topic in np.flatnonzero(whole.any(axis=0)):
        rows = np.stack([run[topic] for run, is_whole in zip(lists, whole[:, topic], strict=True) if is_whole])
        gains = np.sort(rows.ravel())
        worst, ideal = float(gains[:DEPTH] @ weights), float(gains[::-1][:DEPTH] @ weights)
        if ideal <= 0:
            continue
        original += (rows @ weights / ideal).tolist()
        normalised += ((rows @ weights - worst) / (ideal - worst)).tolist()
        zeroed += [worst / ideal] * len(rows)
    rho = {name: float(spearman_rho(original, values)) for name, values in (("min", normalised), ("0", zeroed))}
    text = (
        f"release 1.0.0 with the rest of its protocol: {np.count_nonzero(whole.all(axis=1))} of {len(whole)} runs have "
        f"{DEPTH} judged documents on every topic, {np.count_nonzero(whole)} of {whole.size} lists have; over these, "
        f"rho of NDCG_org with NDCG_min {rho['min']:.3f}, with NDCG_0 (one value per topic) {rho['0']:.3f}"
    )
    return Finding("G8", WEB, text, SHOWN)


def _official(scores: Path) -> list[Finding]:
    """Phi of official nDCG@20 scores, which the paper prints otherwise."""
    found = []
    for year in (2011, 2012):
        table = pw.Scores.from_csv(scores / f"web{year}_ndcg20.csv")
        phi = pw.reliability(table).to_dict()
        within = f"{phi['phi_low']:.2f} to {phi['phi_high']:.2f}"
        text = f"official nDCG@20, {len(table.runs)} systems: Phi {phi['phi']:.3f} ({within})"
        found.append(Finding("G18", f"Web {year}, scores", text))
    return found
