"""[B07]: rankings and decisions with fewer labels."""

from __future__ import annotations

import numpy as np
from benchmarks.reproduce.findings import (
    SHOWN,
    Curves,
    Finding,
    apart,
    as_good,
    called,
    clear,
    every,
    likely,
    mean_error,
    percents,
    verdict,
    within,
)
from benchmarks.reproduce.plan import (
    COVID,
    GRADED,
    OLDER,
    RETRIEVED,
    ROBUST,
    SETS,
    SIMULATED,
    TREC8,
    WEIGHTS,
    Workbench,
)

from poolwise.trust.rank_correlation import kendall_tau

BOTH = ["nDCG(gain='binary')", "nDCG'(gain='binary')"]  # as the paper has it unless it says otherwise
GRADED_GAINS = ["nDCG", "nDCG'"]
FOUR = [*BOTH, "infAP", "bpref"]
CLEARLY = "clearly at most fractions"


def findings(bench: Workbench) -> list[Finding]:
    """All of [B07]."""
    found = _collection(bench)
    for data in (TREC8, ROBUST, COVID):
        found += _rankings(bench, data) if bench.has("b07-robustness", data) else []
    for data in (TREC8, ROBUST):
        found += _decisions(bench, data) if bench.has("b07-decisions", data) else []
    found += [*_settings(bench), *_graded(bench), *_graded_decisions(bench), *_readings(bench)]
    return [*found, *_gaps(bench), *_binary(bench), *_model(bench)]


# Documents and megabytes of TREC disks 4 and 5 without the Congressional Record, as the tracks' overviews have them.
SIZES = "528,155 documents, 1.9 GB"


def _collection(bench: Workbench) -> list[Finding]:
    """Table 1: what follows from judgments and runs, sizes from the overviews of the tracks, groups where listed."""
    found = []
    for data in (each for each in (TREC8, ROBUST) if bench.has("b07-robustness", each)):
        about = {row["property"]: row["value"] for row in bench.rows("b07-robustness", data, "collection")}
        high = f", {about['label 2, documents']} highly relevant" if about.get("label 2, documents") else ""
        text = (
            f"{SIZES}; {about['topics']} topics, {about['runs']} runs{_groups(bench, data)}, "
            f"{about['judged documents']} judged, {about['relevant per topic, mean']} relevant per topic{high}"
        )
        found.append(Finding("B6", data, text))
        found.append(Finding("B7", data, f"{about['runs in the study']} of {about['runs']} runs kept"))
    return found


def _groups(bench: Workbench, data: str) -> str:
    """How many groups sent runs, where a list of them lies beside."""
    listed = bench.data / SETS[data][0] / "runs-pids"
    if not listed.exists():
        return ""
    return f" of {len({line.split()[-1] for line in listed.read_text().splitlines() if line.strip()})} groups"


def _rankings(bench: Workbench, data: str) -> list[Finding]:
    tau = Curves(bench, "b07-robustness", data, "tau")

    def one(item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
        return Finding(item, data, text, said, tau.trials, rule)

    knees = {row["measure"]: row for row in bench.rows("b07-robustness", data, "knees")}
    exceeds = {m: tau.exceeds(m, 0.9) for m in FOUR}
    item = {TREC8: "B12", ROBUST: "B13"}.get(data)
    at_40 = verdict(*(clear(tau.at(m, 0.4), 0.9) for m in BOTH))
    first = [one(item, f"tau at 40 %: {tau.listed(BOTH, 0.4)}", at_40, "0.9 at 40 %")] if item else []
    settled = data == ROBUST  # B16 with many settings stands below
    return [
        *first,
        one("B15", tau.ahead_words("infAP", "bpref"), verdict(tau.ahead("infAP", "bpref").mostly()), CLEARLY),
        *([] if settled else [one("B16", "; ".join(tau.ahead_words(m, "infAP") for m in BOTH),
            verdict(*(tau.ahead(m, "infAP").mostly() for m in BOTH)), f"{CLEARLY}, both readings")]),
        one("B17", ", ".join(f"lowest {called(m)} {tau.lowest(m).mean():.3f}" for m in BOTH),
            verdict(*(clear(tau.lowest(m), 0.5) for m in BOTH))),
        one("B18", "stays above / first exceeds 0.9: " + ", ".join(
            f"{called(m)} {percents(knees[m]['knee'])} / {percents(knees[m]['exceeds'])}" for m in FOUR),
            verdict(*(likely(exceeds[m] < np.minimum(exceeds["infAP"], exceeds["bpref"])) for m in BOTH)),
            "exceeds, lower than both, in 95 % of choices of the trials"),
        one("B11", "stays above 0.8: " + ", ".join(f"{called(m)} {percents(knees[m]['knee_80'])}" for m in FOUR)),
    ]  # fmt: skip


# [B07] leaves open which of these it has on TREC-12: study, set, and what differs.
SETTINGS = [
    ("b07-robustness", ROBUST, BOTH, "15 runs that pass the filter, 100 topics"),
    ("b07-all-runs", ROBUST, BOTH, "all 17 runs"),
    ("b07-robustness", OLDER, BOTH, "the 50 older topics, binary"),
    ("b07-robustness", GRADED, BOTH, "the 50 new topics, of three grades"),
    ("b07-down", ROBUST, BOTH, "numbers of labels rounded down"),
    ("b07-graded-gains", ROBUST, GRADED_GAINS, "graded gains in nDCG"),
    ("b07-robustness", RETRIEVED, BOTH, "labels only of what the 17 runs retrieved"),
]


def _settings(bench: Workbench) -> list[Finding]:
    """How the count of B16 depends on what the paper leaves open, and on chance."""
    found = []
    for name, data, measures, words in (each for each in SETTINGS if bench.has(each[0], each[1])):
        tau = Curves(bench, name, data, "tau")
        counts = [
            f"{tau.ahead_words(m, 'infAP')}; in 30 of the trials {low} to {high}"
            for m in measures
            for low, high in (tau.ahead_in_few(m, "infAP"),)
        ]
        said = verdict(*(tau.ahead(m, "infAP").mostly() for m in measures))
        text = f"{words}: {'; '.join(counts)}"
        found.append(Finding("B16", ROBUST, text, said, tau.trials, f"{CLEARLY}, both readings"))
        if words == SETTINGS[0][3]:
            found += _other_agreements(bench, name, data)
    return found


def _other_agreements(bench: Workbench, name: str, data: str) -> list[Finding]:
    """The same count by tau_AP and by errors of the values, instead of tau."""
    rows = {(r["measure"], r["fraction"]): r for r in bench.rows(name, data, "curve") if r["fraction"] < 1}
    few = sorted({fraction for _, fraction in rows})
    words = []
    for column, sign, coefficient in (("tau_ap", 1, "tau_AP"), ("rmse", -1, "RMS error of the means")):
        better = {m: sum(sign * (rows[m, f][column] - rows["infAP", f][column]) > 0 for f in few) for m in BOTH}
        counts = ", ".join(f"{called(m)} better at {n} of {len(few)}" for m, n in better.items())
        words.append(f"by {coefficient} {counts}")
    trials = bench.study(name, data).settings["trials"]
    return [Finding("B16", ROBUST, "the same runs and topics, " + "; ".join(words), SHOWN, trials)]


def _rates(bench: Workbench, name: str, data: str) -> dict[str, Curves]:
    """Accuracy and the other rates of every trial."""
    found = {}
    for rate in ("accuracy", "g_mean", "false_positive"):
        curves = Curves(bench, name, data, "confusion")
        kept, new, lost, both = np.moveaxis(curves.values.astype(float), -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {
                "accuracy": (kept + both) / (kept + new + lost + both),
                "g_mean": np.sqrt(kept / (kept + new) * kept / (kept + lost)),
                "false_positive": lost / (lost + both),
            }[rate]
        curves.values = np.nan_to_num(values)
        found[rate] = curves
    return found


def _pairs(bench: Workbench, data: str) -> str:
    """How many pairs a trial has; few runs have no more than all of theirs."""
    settings = bench.study("b07-decisions", data).settings
    pairs, runs = settings["most_pairs"], len(settings["kept"])
    every = runs * (runs - 1) // 2
    return f"{pairs} pairs, new ones in each trial" if pairs < every else f"all {every} pairs of {runs} runs"


def _decisions(bench: Workbench, data: str) -> list[Finding]:
    rates = _rates(bench, "b07-decisions", data)
    accuracy, g_mean, lost = rates["accuracy"], rates["g_mean"], rates["false_positive"]

    def one(item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
        return Finding(item, data, text, said, accuracy.trials, rule)

    knees = {row["measure"]: row for row in bench.rows("b07-decisions", data, "knees")}
    table = {(r["measure"], r["fraction"]): r for r in bench.rows("b07-decisions", data, "confusion")}
    cells = [table[BOTH[0], 0.3][name] for name in ("kept_kept", "kept_rejected", "rejected_kept", "rejected_rejected")]
    good = [every(*(as_good(accuracy.at(m, f) - accuracy.at("infAP", f)) for f in accuracy.few())) for m in BOTH]
    bpref = accuracy.ahead("bpref", "infAP")
    item = "B23" if data == TREC8 else "B24"
    return [
        one("B20", _pairs(bench, data)),
        one(item, f"accuracy at 5 %: {accuracy.listed(FOUR, 0.05)}; g-mean: {g_mean.listed(FOUR, 0.05)}"),
        one("B25", f"nDCG at 30 %, all trials: C11 {cells[0]}, C12 {cells[1]}, C21 {cells[2]}, C22 {cells[3]}",
            verdict(cells[3] > cells[0]), "C22 > C11"),
        one("B26", "accuracy stays above / first exceeds 0.9: " + ", ".join(
            f"{called(m)} {percents(knees[m]['accuracy'])} / {percents(knees[m]['accuracy_exceeds'])}" for m in FOUR)),
        one("B27", ", ".join(f"lowest {called(m)} {accuracy.lowest(m).mean():.3f}" for m in BOTH),
            verdict(*(clear(accuracy.lowest(m), 0.9) for m in BOTH))),
        one("B28", "; ".join(accuracy.ahead_words(m, "infAP") for m in BOTH), verdict(*good), "nowhere clearly below"),
        # Of TREC-8 the paper claims the one, of TREC-12 the other.
        one("B29", accuracy.ahead_words("bpref", "infAP"), verdict(bpref.mostly()), CLEARLY) if data == TREC8
        else one("B36", accuracy.ahead_words("infAP", "bpref"),
                 verdict(accuracy.ahead("infAP", "bpref").mostly()), CLEARLY),
        one("B30", f"at 5 %: {lost.listed(FOUR, 0.05)}",
            verdict(*(clear(lost.at(other, 0.05) - lost.at(m, 0.05)) for m in BOTH for other in FOUR[2:])),
            "lower than both"),
        one("B31", f"at 5 %: {g_mean.listed(FOUR[:3], 0.05)}",
            verdict(*(as_good(g_mean.at(m, 0.05) - g_mean.at("infAP", 0.05)) for m in BOTH)), "not clearly below"),
    ]  # fmt: skip


def _graded(bench: Workbench) -> list[Finding]:
    found = []
    for data in (each for each in (COVID, GRADED) if bench.has("b07-graded", each)):
        tau = Curves(bench, "b07-graded", data, "tau")
        binary, *others = [m for m in tau.measures if m.startswith("nDCG(")]
        gaps = []
        for weight, measure in zip((2, 10, 100), others, strict=True):
            differences = {f: tau.at(measure, f) - tau.at(binary, f) for f in tau.few()}
            worst = max(differences, key=lambda f: abs(differences[f].mean()))
            gaps.append((weight, differences[worst]))
        text = ", ".join(f"weight {weight} {mean_error(values)}" for weight, values in gaps)
        said = verdict(*(within(values, 0.02) for _, values in gaps))
        found.append(
            Finding("B32", data, f"largest difference of tau from binary: {text}", said, tau.trials, "at most 0.02")
        )
    return found


def _graded_decisions(bench: Workbench) -> list[Finding]:
    if not bench.has("b07-graded-decisions", GRADED):
        return []
    accuracy = _rates(bench, "b07-graded-decisions", GRADED)["accuracy"]
    text = ", ".join(
        f"{name} {mean_error(accuracy.at(measure, 0.05))}"
        for name, measure in zip(WEIGHTS, accuracy.measures, strict=True)
    )
    gaps = [accuracy.at(m, 0.05) - accuracy.at(accuracy.measures[0], 0.05) for m in accuracy.measures[1:]]
    said = verdict(*(within(each, 0.02) for each in gaps))
    return [Finding("B33", GRADED, f"accuracy at 5 %: {text}", said, accuracy.trials, "within 0.02")]


def _readings(bench: Workbench) -> list[Finding]:
    """Reducing all labels instead of those of each pair, which the paper's text would also allow."""
    if not bench.has("b07-decisions-all", TREC8):
        return []
    accuracy = _rates(bench, "b07-decisions-all", TREC8)["accuracy"]
    text = f"all labels reduced instead of each pair's: at 1 % {accuracy.listed(BOTH, 0.01)}, at 4 % "
    said = verdict(*(clear(accuracy.at(m, f), 0.9) for m in BOTH for f in (0.01, 0.04)))
    return [Finding("B27", TREC8, text + accuracy.listed(BOTH, 0.04), said, accuracy.trials)]


def _gaps(bench: Workbench) -> list[Finding]:
    """How far infAP is above bpref on the paper's two collections that are at hand."""
    if not bench.has("b07-robustness", TREC8, ROBUST):
        return []
    gaps = {}
    for data in (TREC8, ROBUST):
        tau = Curves(bench, "b07-robustness", data, "tau")
        gaps[data] = np.mean([tau.at("infAP", f) - tau.at("bpref", f) for f in tau.few()], axis=0)
    text = "tau of infAP less that of bpref, mean over fractions: " + ", ".join(
        f"{data} {mean_error(gap)}" for data, gap in gaps.items()
    )
    trials = min(len(gap) for gap in gaps.values())
    return [Finding("B35", f"{TREC8}, {ROBUST}", text, verdict(apart(gaps[ROBUST], gaps[TREC8])), trials, "larger")]


def _binary(bench: Workbench) -> list[Finding]:
    """What graded gains, which the paper does not have but for figure 3, would change in nDCG."""
    found = []
    for data in (each for each in (ROBUST, COVID) if bench.has("b07-robustness", each)):
        binary, graded = bench.pool(data).score(BOTH[0], "nDCG").means().T
        text = (
            f"nDCG of the runs with graded gains instead: {np.abs(graded - binary).mean():.3f} away from that with "
            f"binary ones on average, tau of the two rankings {float(kendall_tau(binary, graded)):.3f}"
        )
        found.append(Finding("B37", data, text))
    return found


def _model(bench: Workbench) -> list[Finding]:
    """The paper's future work: the same experiment under a generative model."""
    if not bench.has("b07-model", SIMULATED):
        return []
    tau = Curves(bench, "b07-model", SIMULATED, "tau")
    text = "; ".join(tau.ahead_words(m, other) for m in BOTH for other in FOUR[2:])
    said = verdict(*(tau.ahead(m, other).mostly() for m in BOTH for other in FOUR[2:]))
    return [Finding("B38", SIMULATED, f"tau, {text}", said, tau.trials, f"{CLEARLY}, both readings and measures")]
