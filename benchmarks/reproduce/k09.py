"""[K09]: the most stable gains and discounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.reproduce.findings import SHOWN, Finding, clear, decided, every, mean_error, verdict
from benchmarks.reproduce.plan import COVID, GRADED, PASSAGES, TREC8, Workbench
from benchmarks.reproduce.seeds import Powers

from poolwise.lab.study.optima import DISCOUNTS, weighted
from poolwise.measures.measure import Measure
from poolwise.trust.components import topics_for

CUTOFFS = (10, 20, 100)
SAME = 0.05  # of a number of topics: less is almost identical, more is significantly better
TOP_RANKS = 10  # that matter by [K09] on its TREC 9 and 12
USUAL_GAINS = ("log2", "exp gain")  # linear gains are those of the plain log2 variant


class Weights:
    """The tables of the study on a set, by cut-off and variant."""

    def __init__(self, bench: Workbench, data: str, graded: bool = True) -> None:
        def rows(table: str) -> list[dict[str, Any]]:
            return bench.rows("k09-gain-discount", data, table)

        self.phi = {(row["cutoff"], row["variant"]): row["phi_1"] for row in rows("phi")}
        self.phi_50 = {(row["cutoff"], row["variant"]): row["phi_50"] for row in rows("phi")}
        self.topics = {(row["cutoff"], row["variant"]): row["topics_for_95"] for row in rows("phi")}
        self.weights = {
            (k, name): np.array([row[name] for row in rows("discounts") if row["cutoff"] == k])
            for k in CUTOFFS
            for name in ("optimal", *DISCOUNTS, "free", *(["joint"] if graded else []))
        }
        self.ratios = {row["cutoff"]: row for row in rows("gain_ratios")} if graded else {}
        self.gains = {(row["cutoff"], row["grade"]): row["joint"] for row in rows("gains")} if graded else {}
        self.tau = {(r["cutoff"], r["variant_a"], r["variant_b"]): (r["tau"], r["rmse"]) for r in rows("rankings")}
        self.shares = rows("grade_shares")
        self.same = {row["cutoff"]: row for row in rows("top_ranks")} if graded else {}
        self.held = [row for row in rows("held_out") if row["chosen"] == "discounts" and row["variant"] == "log2"]

    def mean_rank(self, cutoff: int, name: str) -> float:
        """Where the weight of a discount lies."""
        return float(np.arange(1, cutoff + 1) @ self.weights[cutoff, name])

    def is_level(self, cutoff: int) -> bool:
        """Whether the optimum gives all ranks the same weight, to six digits."""
        best = self.weights[cutoff, "optimal"]
        return bool(best.max() < (1 + 1e-6) * best.min())

    def nearest(self, cutoff: int) -> str:
        """The usual discount whose weights are nearest to the optimum."""
        best = self.weights[cutoff, "optimal"]
        return min(DISCOUNTS, key=lambda name: float(np.abs(self.weights[cutoff, name] - best).sum()))

    def most_stable(self, cutoff: int) -> str:
        """The usual discount with the highest Phi."""
        return max(DISCOUNTS, key=lambda name: self.phi[cutoff, name])

    def tested(self, cutoff: int) -> dict[str, Measure]:
        """The variants whose power [K09] figure 9 compares."""
        gains = {grade: gain for (at, grade), gain in self.gains.items() if at == cutoff}
        return {
            "joint": weighted(cutoff, self.weights[cutoff, "joint"].tolist(), gains),
            "log2": weighted(cutoff, "log2", "linear"),
            "exp gain": weighted(cutoff, "log2", "exp"),
            "linear discount": weighted(cutoff, "linear", "linear"),
        }

    def spread(self, cutoff: int, names: tuple[str, ...]) -> float:
        """How far Phi reaches over variants."""
        values = [self.phi[cutoff, name] for name in names]
        return max(values) - min(values)


def findings(bench: Workbench) -> list[Finding]:
    """All of [K09]; nothing is drawn at random but splits and resamples, so most rows have no trials."""
    found = []
    for data in (each for each in (GRADED, COVID, TREC8) if bench.has("k09-gain-discount", each)):
        graded = data != TREC8
        weights = Weights(bench, data, graded)
        found += [*_discounts(weights, data), *_deep_ranks(weights, data), _slip(weights, data)]
        found += [*_gains(weights, data), *_of_grades(bench, weights, data)] if graded else []
    return [*found, *_four_grades(bench)]


class _Words:
    """What cut-offs have in common in rows."""

    def __init__(self, data: str) -> None:
        self.data = data

    def one(self, item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
        """Of numbers that nothing is drawn for."""
        return Finding(item, self.data, text, said, None, rule)

    @staticmethod
    def each(text: Callable[[int], str]) -> str:
        """At every cut-off."""
        return ", ".join(f"{text(k)} at {k}" for k in CUTOFFS)

    @staticmethod
    def all_cutoffs(test: Callable[[int], bool]) -> str:
        """Whether something holds at them all."""
        return verdict(*(test(k) for k in CUTOFFS))


def _discounts(w: Weights, data: str) -> list[Finding]:
    words = _Words(data)
    one, each, all_cutoffs = words.one, words.each, words.all_cutoffs

    def rises(k: int) -> bool:
        return bool((np.diff(w.weights[k, "free"]) > 1e-6).any())

    usual = {name: w.tau[100, "optimal discount", f"{name} discount"] for name in DISCOUNTS}
    between = [w.tau[100, "log2 discount", f"{name} discount"] for name in ("zipf", "linear")]
    return [
        one("K7", "mean rank of the weight, optimum / log2: "
            + each(lambda k: f"{w.mean_rank(k, 'optimal'):.1f} / {w.mean_rank(k, 'log2'):.1f}")
            + "".join(f"; the optimum at {k} is the uniform discount" for k in CUTOFFS if w.is_level(k)),
            verdict(*(w.mean_rank(k, "optimal") > w.mean_rank(k, "log2") and not w.is_level(k) for k in CUTOFFS)),
            "less steep than log2, but not uniform: the top ranks matter"),
        one("K8", "free discounts: Phi " + each(lambda k: f"{w.phi[k, 'free discount']:.3f}"),
            all_cutoffs(rises), "not monotone"),
        one("K9", each(w.nearest), all_cutoffs(lambda k: w.nearest(k) == "log2"), "log2 nearest"),
        one("K10", "Phi of 50 topics at 100: " + ", ".join(
            f"{v} {w.phi_50[100, v]:.3f}" for v in ("optimal", *DISCOUNTS)),
            verdict(abs(w.phi_50[100, "optimal"] - 0.9) < 0.05, abs(w.phi_50[100, "zipf"] - 0.8) < 0.05)
            if data == GRADED else SHOWN, "within 0.05 of .90 and .80" if data == GRADED else ""),
        one("K11", "topics for .95 at 100: " + ", ".join(
            f"{v} {np.ceil(w.topics[100, v]):.0f}" for v in ("optimal", *DISCOUNTS)) + f"; most stable: "
            f"{each(w.most_stable)}",
            all_cutoffs(lambda k: w.most_stable(k) == "log2"), "log2 the most stable in use"),
        one("K17", "tau with the optimum at 100: " + ", ".join(
            f"{m} {t:.3f} (RMS {r:.3f})" for m, (t, r) in usual.items())
            + "; of log2 with zipf and linear: " + ", ".join(f"{tau:.3f}" for tau, _ in between),
            verdict(usual["zipf"][0] < min(usual[m][0] for m in ("log2", "linear"))), "zipf lowest"),
        *(_held_out(w, data, facet) for facet in ("topics", "runs")),
    ]  # fmt: skip


def _held_out(w: Weights, data: str, facet: str) -> Finding:
    """What is left of the optimal discount; halves share topics or runs, so the deviation is given, not an error."""
    rows = [row for row in w.held if row["held_out"] == facet and row["cutoff"] in CUTOFFS]
    text = ", ".join(
        f"{row['optimal_ahead_by']:+.4f} (s.d. {row['optimal_ahead_sd']:.4f}, ahead in "
        f"{100 * row['optimal_ahead_share']:.0f} %) at {row['cutoff']}"
        for row in rows
    )
    said = verdict(*(row["optimal_ahead_by"] > 0 for row in rows))
    text = f"held-out {facet}, Phi of the optimum less that of log2: {text}"
    return Finding("K21", data, text, said, rows[0]["fits"] if rows else None, "the optimum ahead")


def _gains(w: Weights, data: str) -> list[Finding]:
    words = _Words(data)
    one, each, all_cutoffs = words.one, words.each, words.all_cutoffs

    def discounts(k: int) -> float:
        return w.spread(k, (*DISCOUNTS, "optimal"))

    def gains(k: int) -> float:
        return w.spread(k, (*USUAL_GAINS, "optimal gain"))

    gain = w.tau.get((100, "optimal gain", "exp gain")) or w.tau[100, "exp gain", "optimal gain"]
    highest = max(row["grade"] for row in w.shares)
    deep = {r["rank"]: 100 * r["share"] for r in w.shares if r["grade"] == highest and r["rank"] in (1, 10, 100)}
    joint = {k: (w.ratios[k]["constrained"], w.ratios[k]["joint"]) for k in CUTOFFS}
    return [
        one("K12", "ratio, constrained / free: " + ", ".join(
            f"{r['constrained']:.2f} / {r['unconstrained']:.2f} at {k}" for k, r in w.ratios.items()),
            all_cutoffs(lambda k: w.ratios[k]["constrained"] < 1.8), "below 1.8"),
        one("K13", ", ".join(f"{share:.1f} % at rank {rank}" for rank, share in deep.items()),
            verdict(deep[100] < 0.2 * deep[1]), "a fifth of rank 1"),
        one("K15", "spread of Phi over discounts / gains: " + each(lambda k: f"{discounts(k):.3f} / {gains(k):.3f}"),
            all_cutoffs(lambda k: discounts(k) > gains(k))),
        one("K16", "ratio for log2 / joint: " + each(lambda k: f"{joint[k][0]:.2f} / {joint[k][1]:.2f}"),
            all_cutoffs(lambda k: abs(joint[k][0] - joint[k][1]) < 0.2), "within 0.2"),
        one("K18", f"optimal against exp gain at 100: tau {gain[0]:.3f}, RMS {gain[1]:.3f}; the first "
            f"{w.same[100]['same_from_top']} of {w.same[100]['of']} runs have the same ranks",
            verdict(gain[0] > 0.9), "tau above .9"),
    ]  # fmt: skip


def _deep_ranks(w: Weights, data: str) -> list[Finding]:
    """What figure 2 is said to show at 100: the top ranks matter, others have a small weight, yet more than by log2."""
    best, log2 = w.weights[100, "optimal"], w.weights[100, "log2"]
    rest = best[TOP_RANKS:]
    ratio = best[:TOP_RANKS].mean() / rest.mean()
    text = (
        f"a rank of the top {TOP_RANKS} has {ratio:.1f} times the weight of one below, by log2 "
        f"{log2[:TOP_RANKS].mean() / log2[TOP_RANKS:].mean():.1f} times; ranks below have {rest.sum():.2f} of the "
        f"weight, by log2 {log2[TOP_RANKS:].sum():.2f}; the last rank has {best[-1]:.4f}, by log2 {log2[-1]:.4f}"
    )
    said = verdict(ratio > 2, rest.sum() > log2[TOP_RANKS:].sum(), best[-1] > log2[-1])
    return [
        Finding("K22", data, text, said, None, "over twice the weight; ranks below, and the last, more than by log2")
    ]


def _slip(w: Weights, data: str) -> Finding:
    """The text has .9 where table 1 has .95."""
    listed = ("optimal", *DISCOUNTS)
    few = ", ".join(f"{name} {np.ceil(topics_for(w.phi[100, name], 0.9)):.0f}" for name in listed)
    return Finding("K25", data, f"topics for .9 at 100: {few}; K11 has those for .95")


def _of_grades(bench: Workbench, w: Weights, data: str) -> list[Finding]:
    return [_needed(w, data), *([_trend(w, data)] if data != GRADED else []), _power(bench, w, data)]


def _needed(w: Weights, data: str) -> Finding:
    """Table 3 is at 100: almost the same for all gains on TREC 9 and 10, fewer for the optimum on TREC 12."""
    variants = ("optimal gain", *USUAL_GAINS)
    text = ", ".join(" / ".join(f"{np.ceil(w.topics[k, v]):.0f}" for v in variants) + f" at {k}" for k in CUTOFFS)
    text = f"topics for .95, optimal / linear / exp gains: {text}"
    more = [w.topics[100, gain] > (1 + SAME) * w.topics[100, "optimal gain"] for gain in USUAL_GAINS]
    if data == GRADED:
        rule = f"as TREC 12: at 100 the others need over {100 * SAME:.0f} % more"
        return Finding("K14", data, text, verdict(*more), None, rule)
    rule = f"as TREC 9 and 10: at 100 the others need at most {100 * SAME:.0f} % more"
    return Finding("K14", data, text, verdict(*(not each for each in more)), None, rule)


def _trend(w: Weights, data: str) -> Finding:
    """Ratios of gains by cut-off: up, then down, on TREC 9 and 10."""
    ratios = [row["unconstrained"] for _, row in sorted(w.ratios.items())]
    peak = int(np.argmax(ratios))
    steps = np.diff(ratios)
    said = verdict(0 < peak < len(ratios) - 1 and bool((steps[:peak] > 0).all() and (steps[peak:] < 0).all()))
    text = "free ratio: " + ", ".join(f"{row['unconstrained']:.2f} at {k}" for k, row in sorted(w.ratios.items()))
    return Finding("K23", data, text, said, None, "up, then down")


def _four_grades(bench: Workbench) -> list[Finding]:
    """The paper's future work: more than three grades, for which it had no collection."""
    if not bench.has("k09-four-grades", PASSAGES):
        return []
    found = []
    rows = bench.rows("k09-four-grades", PASSAGES, "gain_ratios")
    held = [
        row
        for row in bench.rows("k09-four-grades", PASSAGES, "held_out")
        if (row["chosen"], row["held_out"], row["variant"]) == ("gains, constrained", "topics", "linear")
    ]
    for row in held:
        ratios = ", ".join(
            f"{each['constrained']:.2f} ({each['grades']})" for each in rows if each["cutoff"] == row["cutoff"]
        )
        text = (
            f"ratios at {row['cutoff']}: {ratios}; Phi on held-out topics less that of linear gains "
            f"{row['optimal_ahead_by']:+.4f} (s.d. {row['optimal_ahead_sd']:.4f}, ahead in "
            f"{100 * row['optimal_ahead_share']:.0f} %)"
        )
        said = verdict(decided(row["optimal_ahead_share"] - 0.5, 0.5 / row["fits"] ** 0.5))
        found.append(Finding("K24", PASSAGES, text, said, row["fits"], "ahead in clearly over half of the fits"))
    return found


def _power(bench: Workbench, w: Weights, data: str) -> Finding:
    """Figure 9, over several seeds of the bootstrap."""
    texts, checks = [], []
    seeds = 0
    for cutoff in CUTOFFS:
        tested = w.tested(cutoff)
        found = Powers(bench, f"k09-seeds-{cutoff}", data, list(tested.values()))
        power = {name: found.power(measure) for name, measure in tested.items()}
        texts.append(", ".join(f"{name} {mean_error(values)}" for name, values in power.items()) + f" at {cutoff}")
        checks.append(every(*(clear(power["joint"] - power[name]) for name in power if name != "joint")))
        seeds = found.seeds
    return Finding("K19", data, "power: " + "; ".join(texts), verdict(*checks), seeds, "joint highest")
