"""[S07]: condensed lists instead of bpref, with the paper's own nDCG."""

from __future__ import annotations

import numpy as np
from benchmarks.reproduce.findings import SHOWN, Curves, Finding, called, mean_error, verdict
from benchmarks.reproduce.plan import COVID, GRADED, TREC8, Workbench
from benchmarks.reproduce.seeds import Powers

from poolwise.agree.correlation import kendall_tau

NDCG, CONDENSED_NDCG = "nDCG(discount='jk')@1000", "nDCG'(discount='jk')@1000"
PLAIN, CONDENSED = ["Q", NDCG], ["Q'", CONDENSED_NDCG, "rpref_relative2", "AP'"]


def findings(bench: Workbench) -> list[Finding]:
    """All of [S07]; a binary set has no grades to tell apart, so only claims on rankings are judged there."""
    found: list[Finding] = []
    for data in (COVID, GRADED, TREC8):
        if bench.has("s07-robustness", data):
            found += _rankings(bench, data)
            found += [Finding("S8", data, _grades(bench, data)), _boost(bench, data)] if data != TREC8 else []
        found += _power(bench, data) if bench.has("s07-discrimination", data) else []
    return found


def _grades(bench: Workbench, data: str) -> str:
    about = {row["property"]: row["value"] for row in bench.rows("s07-robustness", data, "collection")}
    return "; ".join(
        f"label {label}: {about[f'label {label}, documents']} documents, "
        f"{about[f'label {label} per topic, mean']} per topic ({about[f'label {label} per topic, range']})"
        for label in about["labels"].split(", ")
        if f"label {label}, documents" in about
    )


def _rankings(bench: Workbench, data: str) -> list[Finding]:
    tau = Curves(bench, "s07-robustness", data, "tau")
    means = Curves(bench, "s07-robustness", data, "means")
    means.values = means.values.mean(axis=2)  # over runs
    between = {(r["measure_a"], r["measure_b"]): r["tau"] for r in bench.rows("s07-robustness", data, "agreement")}

    def one(item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
        return Finding(item, data, text, said, tau.trials, rule)

    def change(measure: str) -> float:
        return means.mean(measure, 0.1) / means.mean(measure, 1.0) - 1

    def pair(a: str, b: str) -> float:
        return between[(a, b) if (a, b) in between else (b, a)]

    primed = pair("AP", "AP'")
    lead = {m: np.mean([tau.at(m, f) - tau.at("bpref_R", f) for f in tau.few()], axis=0) for m in CONDENSED}
    return [
        one("S13", "change at 10 %: " + ", ".join(
            f"{called(m)} {100 * change(m):+.0f} %" for m in ("AP", *PLAIN, *CONDENSED)),
            verdict(*(change(m) < -0.3 for m in ("AP", *PLAIN)), *(abs(change(m)) < 0.3 for m in CONDENSED)),
            "plain ones fall by over 30 %, condensed stay within"),
        Finding("S14", data, f"{len(between)} pairs of measures, tau {min(between.values()):.3f} to "
                f"{max(between.values()):.3f}"),
        Finding("S15", data, f"bpref_R-AP {pair('AP', 'bpref_R'):.3f}, AP'-AP {primed:.3f}",
                verdict(pair("AP", "bpref_R") < pair("AP", "AP'"))),
        Finding("S16", data, f"bpref_N-AP {pair('AP', 'bpref_N'):.3f}, rpref_N-AP {pair('AP', 'rpref_N'):.3f}, "
                f"bpref_R-AP {pair('AP', 'bpref_R'):.3f}",
                verdict(*(pair("AP", m) < pair("AP", "bpref_R") - 0.05 for m in ("bpref_N", "rpref_N"))), None,
                "lower by over 0.05"),
        one("S17", f"at 10 %: {tau.listed([*CONDENSED, 'bpref_R'], 0.1)}; less bpref_R, mean over fractions: "
            + ", ".join(f"{called(m)} {mean_error(values)}" for m, values in lead.items()),
            verdict(*(values.mean() >= -2 * values.std(ddof=1) / len(values) ** 0.5 for values in lead.values())),
            "not below by over two errors"),
        one("S18", f"at 10 %: {tau.listed(['AP', *PLAIN, 'bpref_R'], 0.1)}",
            verdict(*(tau.mean(m, 0.1) > tau.mean("AP", 0.1) for m in PLAIN),
                    *(tau.mean(m, 0.1) >= tau.mean("bpref_R", 0.1) - 0.02 for m in PLAIN)),
            "above AP; within 0.02 of bpref_R"),
    ]  # fmt: skip


def _power(bench: Workbench, data: str) -> list[Finding]:
    power = Curves(bench, "s07-discrimination", data, "power")
    seeds = Powers(bench, "s07-seeds", data, bench.study("s07-discrimination", data).settings["measures"])
    swap = bench.rows("s07-discrimination", data, "swap")
    order = [[seeds.power(row["measure"]).mean() for row in swap], [row["sensitivity"] for row in swap]]
    tau = float(kendall_tau(*order))
    full = {measure: float(seeds.power(measure).mean()) for measure in seeds.measures}
    needed = {measure: seeds.required(measure) for measure in seeds.measures}
    least, most = (choose(needed, key=lambda measure: needed[measure].mean()) for choose in (min, max))
    few = verdict(*(power.mean(m, 0.1) > power.mean("bpref_R", 0.1) for m in CONDENSED))
    more = verdict(*(power.mean(m, 0.1) > power.mean("AP", 0.1) for m in ("bpref_R", *PLAIN)))
    return [
        Finding("S20", data, ", ".join(f"{called(m)} {mean_error(seeds.power(m))}" for m in seeds.measures),
                verdict(*(full[m] > full["bpref_R"] for m in (*CONDENSED, "AP", *PLAIN)),
                        *(full[m] < full["bpref_R"] for m in ("bpref_N", "rpref_N"))), seeds.seeds),
        Finding("S21", data, " to ".join(f"{called(m)} {mean_error(needed[m])}" for m in (least, most)), SHOWN,
                seeds.seeds),
        Finding("S22", data, f"at 10 %: {power.listed([*CONDENSED, 'bpref_R'], 0.1)}", few, power.trials),
        Finding("S23", data, f"at 10 %: {power.listed(['bpref_R', *PLAIN, 'AP'], 0.1)}", more, power.trials),
        Finding("S25", data, f"tau of the orders of measures by bootstrap and by swap method {tau:.2f}",
                verdict(tau > 0.5), seeds.seeds, "above 0.5"),
    ]  # fmt: skip


def _boost(bench: Workbench, data: str) -> Finding:
    """Whether grades make condensed lists more robust than binary labels do."""
    tau = Curves(bench, "s07-robustness", data, "tau")
    names = [m for m in tau.measures if m.startswith("Q'(gain=")]
    leads = [np.mean([tau.at(m, f) - tau.at(names[0], f) for f in tau.few()], axis=0) for m in names[1:]]
    text = ", ".join(f"weight {w} {mean_error(lead)}" for w, lead in zip((2, 10, 100), leads, strict=True))
    said = verdict(*(lead.mean() > 0 for lead in leads))
    return Finding(
        "S24", data, f"tau of Q' with graded gains less binary, mean over fractions: {text}", said, tau.trials
    )
