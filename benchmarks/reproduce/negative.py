"""[G20]: negative labels in nDCG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.reproduce.data import campaign, qrels_of
from benchmarks.reproduce.sections import Claim, Section, rows, verdict

import poolwise as pw
from poolwise.study.negative_study import variant
from poolwise.study.shared.label_bounds import worst_scores

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
# [G20] tables 2b and 2d, 2012.
RHO = {("NDCG_org", "NDCG_0"): 0.91, ("NDCG_org", "NDCG_min"): 0.99, ("NDCG_0", "NDCG_min"): 0.93}
PHI = {"NDCG_org": 0.967, "NDCG_0": 0.940, "NDCG_min": 0.996}
NAMES = tuple(PHI)


def gienapp(folder: Path, scores: Path, how) -> Section:
    """[G20] from the qrels of five years and eight runs of one."""
    counts = {year: _counts(qrels_of(folder / f"qrels.web.{topics}.txt")) for year, topics in QRELS.items()}
    pool = campaign(folder, f"qrels.web.{QRELS[2012]}.txt")
    study = pw.study.negative(pool, **how("g20-2012"))
    tables = {year: pw.Scores.from_csv(scores / f"web{year}_ndcg20.csv") for year in (2011, 2012)}
    official = {year: pw.reliability(table).phi() for year, table in tables.items()}
    sizes = {year: len(table.runs) for year, table in tables.items()}
    shift, ties = _shift(study), _ties(pool)
    claims = [_ratio_claim(counts), *_bound_claims(counts), *_run_claims(study), _phi_claim(study, official)]
    notes = [
        "**Table 1** follows exactly if a label's ratio is averaged over the topics that have the label. Averaged "
        "over all topics, rare labels come out lower.",
        "**Table 2a.** The first column follows from the qrels. The second does not, in neither reading of the "
        "discount and not for the worst DCG that the paper's code holds against -1:",
        _bound_table(counts),
        "**The runs** are not those of the paper: rows on runs say what eight baseline runs show, four of them "
        "filtered, as their names say. They cannot refute what the paper says of the runs it had.",
        f"**Phi.** On official nDCG@20 scores the formula that the paper states gives {official[2011]:.2f} for 2011 "
        f"and {official[2012]:.2f} for 2012 ({sizes[2011]} and {sizes[2012]} systems; the paper has 37 and 32), "
        "where it prints 0.92 to 0.98 and 0.94 to 1.00 at k = 20. The intervals of the three variants overlap "
        "widely on the eight runs, so their order here is uncertain as well.",
        "**Error rates.** Means count as equal within 5 % of the larger one, and ties are no errors. NDCG_min is "
        f"higher by {shift[0]:.2f} to {shift[1]:.2f} than NDCG_org for every run, so more pairs tie: "
        f"{', '.join(f'{name} {100 * share:.0f} %' for name, share in ties.items())} of the pairs at 25 topics. At "
        "tolerance 0 NDCG_min's lead over NDCG_org is much smaller at every k, and some of its lead over NDCG_0 "
        f"stays: {_zero_rates(study)}. With 28 pairs of runs these differences are uncertain.",
    ]
    figures = {
        "g20-error-rate": study.figures["error-rate-k-20-tolerance-5"],
        "g20-error-rate-0": study.figures["error-rate-k-20-tolerance-0"],
    }
    text = (
        "Web track qrels of 2010 to 2014 for tables 1 and 2a; for the rest eight baseline runs of 2012 on topics "
        "151-200, as the tracks' runs are not at hand: `poolwise study negative`. Phi and error rates of so few "
        "runs are uncertain."
    )
    title = "Gienapp et al. 2020 [G20]: negative labels"
    return Section(title, "qrels yes, runs no", text, claims, notes, figures)


def _shift(study) -> tuple[float, float]:
    """Least and most that NDCG_min's mean is above NDCG_org's."""
    differences = [row["NDCG_min@20"] - row["NDCG_org@20"] for row in rows(study, "runs")]
    return min(differences), max(differences)


def _ties(pool, topics: int = 25, draws: int = 200) -> dict[str, float]:
    """Share of pairs whose means on random sets of topics are within 5 % of the larger."""
    generator, found = np.random.default_rng(0), {}
    chosen = [generator.permutation(len(pool.topics))[:topics] for _ in range(draws)]
    for name in NAMES:
        measure = str(variant(name, 20))
        scores = pool.score(measure).array(measure)
        first, second = np.triu_indices(len(scores), 1)
        shares = []
        for places in chosen:
            means = scores[:, places].mean(axis=1)
            larger = np.maximum(abs(means[first]), abs(means[second]))
            shares.append(np.mean(abs(means[first] - means[second]) <= 0.05 * larger))
        found[name] = float(np.mean(shares))
    return found


def _zero_rates(study, topics: int = 25) -> str:
    """Error rates at tolerance 0 by cut-off."""
    found: dict[int, dict[str, float]] = {}
    for row in rows(study, "error_rate"):
        if row["topics"] == topics:
            found.setdefault(row["cutoff"], {})[row["measure"]] = 100 * row["error_rate_at_0"]
    return "; ".join(f"k = {k}: " + ", ".join(f"{m} {r[m]:.1f} %" for m in NAMES) for k, r in found.items())


def _counts(qrels) -> np.ndarray:
    return np.array([[list(row.values()).count(label) for label in LABELS] for row in qrels.values()])


def _ratios(counts: np.ndarray) -> list[float]:
    shares = counts / counts.sum(axis=1, keepdims=True)
    return [float(shares[counts[:, p] > 0, p].mean()) if counts[:, p].any() else 0.0 for p in range(len(LABELS))]


def _ratio_claim(counts) -> Claim:
    found = {year: _ratios(table) for year, table in counts.items()}
    plain = {y: (t / t.sum(axis=1, keepdims=True)).mean(axis=0) for y, t in counts.items()}
    equal = sum(abs(a - b) <= 0.00501 for y in found for a, b in zip(found[y], RATIOS[y], strict=True))
    others = sum(abs(a - b) <= 0.00501 for y in plain for a, b in zip(plain[y], RATIOS[y], strict=True))
    ours = f"{equal} of 30 values to two decimals (averaged over all topics: {others})"
    return Claim("table 1: mean label ratios per topic", "30 values", ours, verdict(equal == 30))


def _bounds(counts, year: int, discount: str = "log2") -> tuple[float, float, float]:
    worst, score = worst_scores(np.array(LABELS), counts[year], DEPTHS[year], discount)
    return tuple(100 * float(np.mean(share)) for share in (score < 0, score <= -1, worst <= -1))


def _bound_claims(counts) -> list[Claim]:
    found = {year: _bounds(counts, year) for year in counts}
    claims = []
    for column, (name, theirs) in enumerate((("below 0", BELOW_0), ("at most -1", AT_MOST_MINUS_1))):
        listed = ", ".join(f"{row[column]:.0f}" for row in found.values())
        equal = [abs(found[year][column] - theirs[year]) < 0.51 for year in found]
        published = ", ".join(map(str, theirs.values())) + " %"
        claim = f"table 2a: topics whose worst NDCG_org is {name}, 2010 to 2014"
        claims.append(Claim(claim, published, f"{listed} %", verdict(*equal)))
    return claims


def _bound_table(counts) -> str:
    lines = [
        "| year, k | theirs | worst NDCG at most -1 | the same, code's discount | worst DCG, code's discount |",
        "|---|---|---|---|---|",
    ]
    for year in counts:
        paper, code = _bounds(counts, year), _bounds(counts, year, "jk")
        shares = " | ".join(f"{share:.0f} %" for share in (AT_MOST_MINUS_1[year], paper[1], code[1], code[2]))
        lines.append(f"| {year}, {DEPTHS[year]} | {shares} |")
    return "\n".join(lines)


def _run_claims(study) -> list[Claim]:
    bounds = next(row for row in rows(study, "bounds") if row["cutoff"] == 20)
    rho = {(r["measure_a"], r["measure_b"]): r["rho"] for r in rows(study, "spearman") if r["cutoff"] == 20}
    means = {name: [row[f"{name}@20"] for row in rows(study, "runs")] for name in NAMES}
    rates = {
        r["measure"]: (100 * r["error_rate"], 100 * r["error_rate_at_0"])
        for r in rows(study, "error_rate")
        if (r["cutoff"], r["topics"]) == (20, 25)
    }
    power = {(r["cutoff"], r["measure"]): r["power"] for r in rows(study, "power")}
    cutoffs = sorted({cutoff for cutoff, _ in power})
    return [
        Claim("no submitted run has a negative score", "none",
              f"{100 * bounds['scores_below_0']:.0f} % of the scores on single topics are below 0, lowest "
              f"{bounds['lowest_score']:.2f}; lowest mean {min(means['NDCG_org']):.3f}",
              verdict(bounds["scores_below_0"] == 0, min(means["NDCG_org"]) >= 0)),
        Claim("table 2b, 2012: rho of the rankings; NDCG_min ranks like NDCG_org, NDCG_0 less so",
              ", ".join(f"{a}-{b} {v:.2f}" for (a, b), v in RHO.items()),
              ", ".join(f"{v:.2f}" for v in rho.values()) + " (eight runs)",
              verdict(rho["NDCG_org", "NDCG_min"] >= rho["NDCG_org", "NDCG_0"])),
        Claim("figure 2e, k = 20: NDCG_min has the lowest error rate", "lowest at every number of topics",
              "25 topics, tolerance 5 %: " + ", ".join(f"{m} {rates[m][0]:.1f} %" for m in NAMES)
              + "; tolerance 0: " + ", ".join(f"{m} {rates[m][1]:.1f} %" for m in NAMES),
              verdict(rates["NDCG_min"][0] == min(r[0] for r in rates.values()),
                      rates["NDCG_min"][1] < min(rates[m][1] for m in NAMES[:2]) - 1),
              "lowest at 5 %, and at 0 by more than a point"),
        Claim("figure 2f: NDCG_org and NDCG_min are equally discriminative, NDCG_0 less", "nearly the same; less",
              "; ".join(f"k = {k}: " + ", ".join(f"{m} {power[k, m]:.2f}" for m in NAMES) for k in cutoffs),
              verdict(all(abs(power[k, "NDCG_org"] - power[k, "NDCG_min"]) <= 0.08 for k in cutoffs),
                      all(power[k, "NDCG_0"] < power[k, "NDCG_min"] for k in cutoffs)), "within 0.08; lower"),
    ]  # fmt: skip


def _phi_claim(study, official) -> Claim:
    phi = {r["measure"]: r for r in rows(study, "phi") if r["cutoff"] == 20}
    ours = ", ".join(f"{m} {r['phi']:.2f} ({r['phi_low']:.2f} to {r['phi_high']:.2f})" for m, r in phi.items())
    theirs = ", ".join(f"{m} {v:.3f}" for m, v in PHI.items())
    first = phi["NDCG_min"]["phi"] == max(r["phi"] for r in phi.values())
    return Claim("table 2d, 2012, k = 20: NDCG_min is the most reliable", theirs, ours, verdict(first))
