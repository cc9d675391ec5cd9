"""[K09]: the most stable gains and discounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.reproduce.findings import SHOWN, Finding, verdict
from benchmarks.reproduce.plan import COVID, GRADED, Workbench

from poolwise.study.shared.variants import DISCOUNTS

CUTOFFS = (10, 20, 100)
USUAL_GAINS = ("log2", "exp gain")  # linear gains are those of the plain log2 variant
# [K09] table 4, TREC 12, row "log" (heads lost in the text that we have), and section 4.4.
PRINTED_TAUS = ".8149, .8828, 1, .8581"


class Weights:
    """The tables of the study on a set, by cut-off and variant."""

    def __init__(self, bench: Workbench, data: str) -> None:
        def rows(table: str) -> list[dict[str, Any]]:
            return bench.rows("k09-gain-discount", data, table)

        self.phi = {(row["cutoff"], row["variant"]): row["phi_1"] for row in rows("phi")}
        self.phi_50 = {(row["cutoff"], row["variant"]): row["phi_50"] for row in rows("phi")}
        self.topics = {(row["cutoff"], row["variant"]): row["topics_for_95"] for row in rows("phi")}
        self.weights = {
            (k, name): np.array([row[name] for row in rows("discounts") if row["cutoff"] == k])
            for k in CUTOFFS
            for name in ("optimal", *DISCOUNTS, "joint", "free")
        }
        self.ratios = {row["cutoff"]: row for row in rows("gain_ratios")}
        self.power = {(row["cutoff"], row["variant"]): row["power"] for row in rows("power")}
        self.tau = {(r["cutoff"], r["variant_a"], r["variant_b"]): (r["tau"], r["rmse"]) for r in rows("rankings")}
        self.shares = rows("grade_shares")
        self.same = {row["cutoff"]: row for row in rows("top_ranks")}
        self.held = [row for row in rows("held_out") if row["chosen"] == "discounts" and row["variant"] == "log2"]

    def mean_rank(self, cutoff: int, name: str) -> float:
        """Where the weight of a discount lies."""
        return float(np.arange(1, cutoff + 1) @ self.weights[cutoff, name])

    def nearest(self, cutoff: int) -> str:
        """The usual discount whose weights are nearest to the optimum."""
        best = self.weights[cutoff, "optimal"]
        return min(DISCOUNTS, key=lambda name: float(np.abs(self.weights[cutoff, name] - best).sum()))

    def most_stable(self, cutoff: int) -> str:
        """The usual discount with the highest Phi."""
        return max(DISCOUNTS, key=lambda name: self.phi[cutoff, name])

    def spread(self, cutoff: int, names: tuple[str, ...]) -> float:
        """How far Phi reaches over variants."""
        values = [self.phi[cutoff, name] for name in names]
        return max(values) - min(values)


def findings(bench: Workbench) -> list[Finding]:
    """All of [K09]; nothing is drawn at random but splits, so there are no trials."""
    done = [data for data in (GRADED, COVID) if bench.has("k09-gain-discount", data)]
    return [each for data in done for each in _on(Weights(bench, data), data)]


def _on(w: Weights, data: str) -> list[Finding]:
    def one(item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
        return Finding(item, data, text, said, None, rule)

    def each(text: Any) -> str:
        return ", ".join(f"{text(k)} at {k}" for k in CUTOFFS)

    def all_cutoffs(test: Any) -> str:
        return verdict(*(test(k) for k in CUTOFFS))

    def discounts(k: int) -> float:
        return w.spread(k, (*DISCOUNTS, "optimal"))

    def gains(k: int) -> float:
        return w.spread(k, (*USUAL_GAINS, "optimal gain"))

    def rises(k: int) -> bool:
        return bool((np.diff(w.weights[k, "free"]) > 1e-6).any())

    def needed(k: int) -> str:
        return " / ".join(f"{np.ceil(w.topics[k, v]):.0f}" for v in ("optimal gain", *USUAL_GAINS))

    usual = {name: w.tau[100, "optimal discount", f"{name} discount"] for name in DISCOUNTS}
    between = [w.tau.get((100, "log2 discount", f"{name} discount")) for name in ("zipf", "linear")]
    gain = w.tau.get((100, "optimal gain", "exp gain")) or w.tau[100, "exp gain", "optimal gain"]
    highest = max(row["grade"] for row in w.shares)
    deep = {r["rank"]: 100 * r["share"] for r in w.shares if r["grade"] == highest and r["rank"] in (1, 10, 100)}
    joint = {k: (w.ratios[k]["constrained"], w.ratios[k]["joint"]) for k in CUTOFFS}
    others = ("log2 discount", "exp gain", "linear discount")
    return [
        one("K7", "mean rank of the weight, optimum / log2: "
            + each(lambda k: f"{w.mean_rank(k, 'optimal'):.1f} / {w.mean_rank(k, 'log2'):.1f}"),
            all_cutoffs(lambda k: w.mean_rank(k, "optimal") > w.mean_rank(k, "log2")), "less steep than log2"),
        one("K8", "free discounts: Phi " + each(lambda k: f"{w.phi[k, 'free discount']:.3f}"),
            all_cutoffs(rises), "not monotone"),
        one("K9", each(w.nearest), all_cutoffs(lambda k: w.nearest(k) == "log2"), "log2 nearest"),
        one("K10", "Phi of 50 topics at 100: " + ", ".join(
            f"{v} {w.phi_50[100, v]:.3f}" for v in ("optimal", *DISCOUNTS)),
            verdict(abs(w.phi_50[100, "optimal"] - 0.9) < 0.05, abs(w.phi_50[100, "zipf"] - 0.8) < 0.05)
            if data == GRADED else SHOWN, "within 0.05 of .90 and .80"),
        one("K11", "topics for .95 at 100: " + ", ".join(
            f"{v} {np.ceil(w.topics[100, v]):.0f}" for v in ("optimal", *DISCOUNTS)) + f"; most stable: "
            f"{each(w.most_stable)}",
            all_cutoffs(lambda k: w.most_stable(k) == "log2"), "log2 the most stable in use"),
        one("K12", "ratio, constrained / free: " + ", ".join(
            f"{r['constrained']:.2f} / {r['unconstrained']:.2f} at {k}" for k, r in w.ratios.items()),
            all_cutoffs(lambda k: w.ratios[k]["constrained"] < 1.8), "below 1.8"),
        one("K13", ", ".join(f"{share:.1f} % at rank {rank}" for rank, share in deep.items()),
            verdict(deep[100] < 0.2 * deep[1]), "a fifth of rank 1"),
        one("K14", "topics for .95, optimal / linear / exp gains: " + each(needed),
            all_cutoffs(lambda k: max(w.topics[k, v] for v in USUAL_GAINS) < 1.1 * w.topics[k, "optimal gain"]),
            "at most 10 % more"),
        one("K15", "spread of Phi over discounts / gains: " + each(lambda k: f"{discounts(k):.3f} / {gains(k):.3f}"),
            all_cutoffs(lambda k: discounts(k) > gains(k))),
        one("K16", "ratio for log2 / joint: " + each(lambda k: f"{joint[k][0]:.2f} / {joint[k][1]:.2f}"),
            all_cutoffs(lambda k: abs(joint[k][0] - joint[k][1]) < 0.2), "within 0.2"),
        one("K17", "tau with the optimum at 100: " + ", ".join(
            f"{m} {t:.3f} (RMS {r:.3f})" for m, (t, r) in usual.items())
            + "; of log2 with zipf and linear: " + ", ".join(f"{pair[0]:.3f}" for pair in between if pair),
            verdict(usual["zipf"][0] < min(usual[m][0] for m in ("log2", "linear"))), "zipf lowest"),
        one("K18", f"optimal against exp gain at 100: tau {gain[0]:.3f}, RMS {gain[1]:.3f}; the first "
            f"{w.same[100]['same_from_top']} of {w.same[100]['of']} runs have the same ranks",
            verdict(gain[0] > 0.9), "tau above .9"),
        one("K19", "power, joint / log2 / exp gain / linear discount: "
            + each(lambda k: " / ".join(f"{w.power[k, v]:.2f}" for v in ("joint", *others))),
            all_cutoffs(lambda k: w.power[k, "joint"] >= max(w.power[k, v] for v in others)), "joint highest"),
        *(one("K21", f"held-out {facet}, log2 behind the optimum by: " + ", ".join(
            f"{row['optimal_ahead_by']:+.3f} at {row['cutoff']} ({100 * row['optimal_ahead_share']:.0f} % of "
            f"{row['fits']} fits)" for row in w.held if row["held_out"] == facet)) for facet in ("topics", "runs")),
    ]  # fmt: skip
