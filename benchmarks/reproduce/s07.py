"""[S07]: condensed lists instead of bpref, with the paper's own nDCG."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.reproduce.findings import (
    SHOWN,
    Curves,
    Finding,
    apart,
    as_good,
    called,
    clear,
    mean_error,
    standard_error,
    verdict,
)
from benchmarks.reproduce.plan import COVID, GRADED, TREC8, Workbench
from benchmarks.reproduce.seeds import Powers

from poolwise.trust.rank_correlation import kendall_tau

NDCG, CONDENSED_NDCG = "nDCG(discount='jk')@1000", "nDCG'(discount='jk')@1000"
AS_LEVEL = 0.05  # of two curves that both are called flat
CHANCE_TRIALS = 30
PLAIN, CONDENSED = ["Q", NDCG], ["Q'", CONDENSED_NDCG, "rpref_relative2", "AP'"]


def findings(bench: Workbench) -> list[Finding]:
    """All of [S07]; a binary set has no grades to tell apart, so only claims on rankings are judged there."""
    found: list[Finding] = []
    for data in (COVID, GRADED, TREC8):
        if bench.has("s07-robustness", data):
            found += [*_rankings(bench, data), *_agreements(bench, data), _by_chance(bench, data)]
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

    def change(measure: str) -> np.ndarray:
        return means.at(measure, 0.1) / means.at(measure, 1.0) - 1

    def moved(measure: str) -> np.ndarray:
        return np.sign(change(measure).mean()) * change(measure)

    def changes(*measures: str) -> str:
        values = (
            f"{called(m)} {100 * change(m).mean():+.0f} ± {100 * standard_error(change(m)):.1f} %" for m in measures
        )
        return f"change at 10 %: {', '.join(values)}"

    def pair(a: str, b: str) -> float:
        return between[(a, b) if (a, b) in between else (b, a)]

    primed = pair("AP", "AP'")
    settings = bench.study("s07-robustness", data).settings
    reduced = len(settings["measures"]) - len(settings["complete_only"])
    lead = {m: np.mean([tau.at(m, f) - tau.at("bpref_R", f) for f in tau.few()], axis=0) for m in CONDENSED}
    return [
        one("S13", changes("bpref_R", *CONDENSED),
            verdict(*(clear(moved("bpref_R") - moved(m), -AS_LEVEL) for m in CONDENSED)),
            f"moved by at most {100 * AS_LEVEL:.0f} points more than bpref_R"),
        one("S30", changes("AP", *PLAIN, "bpref_R"),
            verdict(*(clear(-change(m), 0.3) for m in ("AP", *PLAIN)), clear(-moved("bpref_R"), -0.1)),
            "plain ones fall by over 30 %, bpref_R stays within 10 %"),
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
            verdict(*map(as_good, lead.values())), "not clearly below"),
        one("S18", f"at 10 %: {tau.listed(['AP', *PLAIN, 'bpref_R'], 0.1)}",
            verdict(*(clear(tau.at(m, 0.1) - tau.at("AP", 0.1)) for m in PLAIN),
                    *(as_good(tau.at(m, 0.1) - tau.at("bpref_R", 0.1)) for m in PLAIN)),
            "above AP; not clearly below bpref_R"),
        Finding("S32", data, f"{reduced} of {reduced + len(settings['complete_only'])} measures at fewer labels"),
    ]  # fmt: skip


def _agreements(bench: Workbench, data: str) -> list[Finding]:
    """Table 2, what it says of all pairs of measures, and of each measure with its condensed form."""
    rows = bench.rows("s07-robustness", data, "agreement")
    tau = {frozenset((row["measure_a"], row["measure_b"])): row["tau"] for row in rows}
    own = {called(m): tau[frozenset((m, c))] for m, c in (("Q", "Q'"), (NDCG, CONDENSED_NDCG))}
    significant = sum(row["p"] < 0.01 for row in rows)
    return [
        Finding("S28", data, ", ".join(f"{m}'-{m} {value:.3f}" for m, value in own.items()),
                verdict(*(value > 0.9 for value in own.values())), None, "above 0.9"),
        Finding("S29", data, f"{significant} of {len(rows)} taus with p below 0.01",
                verdict(*(row["p"] < 0.01 for row in rows)), None, "all of them"),
    ]  # fmt: skip


def _by_chance(bench: Workbench, data: str) -> Finding:
    """Whether rankings by labels reduced within relevant and other documents are as those by chance over all."""
    settings = bench.study("s07-robustness", data).settings
    measures = [m for m in settings["measures"] if m not in settings["complete_only"]]
    strata = Curves(bench, "s07-robustness", data, "tau")
    trials = min(strata.trials, bench.most.get("trials", CHANCE_TRIALS), CHANCE_TRIALS)
    found = bench.kept(
        f"s07-chance-{data}", lambda: _taus_by_chance(bench.pool(data), measures, settings["kept"], trials)
    )
    same, texts = [], []
    for place, m in enumerate(measures):
        chance, by_strata = found[:, place], strata.at(m, 0.1)
        same.append(apart(chance, by_strata) is None)
        error = np.hypot(standard_error(chance), standard_error(by_strata))
        texts.append(f"{called(m)} {chance.mean() - by_strata.mean():+.3f} ± {error:.3f}")
    text = ", ".join(texts)
    text = f"tau at 10 % of all labels by chance, less that by strata: {text}"
    return Finding("S31", data, text, verdict(*same), len(found), "within two errors of both")


def _taus_by_chance(pool: Any, measures: list[str], kept: list[int], trials: int) -> np.ndarray:
    """Tau with the ranking by all labels, trials x measures, of samples of a tenth of each topic's labels."""
    samples = pool.judgments.samples("uniform", fractions=[0.1], trials=trials, seed=1)
    means = pool.score(*measures, judgments=[*samples, pool.judgments]).means()[:, kept]
    return np.stack(
        [kendall_tau(means[-1, :, m], means[:-1, :, m]) for m in range(len(measures))],
        axis=1,
    )


def _power(bench: Workbench, data: str) -> list[Finding]:
    power = Curves(bench, "s07-discrimination", data, "power")
    seeds = Powers(bench, "s07-seeds", data, bench.study("s07-discrimination", data).settings["measures"])
    swap = bench.rows("s07-discrimination", data, "swap")
    order = [[seeds.power(row["measure"]).mean() for row in swap], [row["sensitivity"] for row in swap]]
    tau = float(kendall_tau(*order))
    needed = {measure: seeds.required(measure) for measure in seeds.measures}
    least, most = (choose(needed, key=lambda measure: needed[measure].mean()) for choose in (min, max))
    few = verdict(*(clear(power.at(m, 0.1) - power.at("bpref_R", 0.1)) for m in CONDENSED))
    more = verdict(*(clear(power.at(m, 0.1) - power.at("AP", 0.1)) for m in ("bpref_R", *PLAIN)))

    def above(a: str, b: str) -> bool | None:
        return clear(seeds.power(a) - seeds.power(b))

    others = ("AP'", "rpref_relative2", "bpref_R")
    return [
        Finding("S20", data, ", ".join(f"{called(m)} {mean_error(seeds.power(m))}" for m in seeds.measures),
                verdict(*(above(m, "bpref_R") for m in (*CONDENSED, "AP", *PLAIN)),
                        *(above("bpref_R", m) for m in ("bpref_N", "rpref_N"))), seeds.seeds),
        Finding("S27", data, ", ".join(f"{called(m)} {mean_error(seeds.power(m))}" for m in ("Q'", *others)),
                verdict(*(above("Q'", m) for m in others)), seeds.seeds, "Q' above all three"),
        Finding("S21", data, " to ".join(f"{called(m)} {mean_error(needed[m])}" for m in (least, most)), SHOWN,
                seeds.seeds),
        Finding("S22", data, f"at 10 %: {power.listed([*CONDENSED, 'bpref_R'], 0.1)}", few, power.trials),
        Finding("S23", data, f"at 10 %: {power.listed(['bpref_R', *PLAIN, 'AP'], 0.1)}", more, power.trials),
        Finding("S25", data, f"tau of the orders of measures by bootstrap and by swap method {tau:.2f}",
                verdict(tau > 0.5), seeds.seeds, "above 0.5"),
    ]  # fmt: skip


def _boost(bench: Workbench, data: str) -> Finding:
    """Whether grades make condensed lists more robust than binary labels do; weights 10 and 100 are not the paper's."""
    tau = Curves(bench, "s07-robustness", data, "tau")
    names = [m for m in tau.measures if m.startswith("Q'(gain=")]
    leads = [np.mean([tau.at(m, f) - tau.at(names[0], f) for f in tau.few()], axis=0) for m in names[1:]]
    text = ", ".join(f"weight {w} {mean_error(lead)}" for w, lead in zip((2, 10, 100), leads, strict=True))
    text = f"tau of Q' with graded gains less binary, mean over fractions: {text}"
    return Finding("S24", data, text, verdict(clear(leads[0])), tau.trials, "above 0 by weight 2, as in the paper")
