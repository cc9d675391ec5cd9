"""[Y08]: average precision and nDCG estimated from samples of the pool."""

from __future__ import annotations

import numpy as np
from benchmarks.reproduce.findings import SHOWN, Finding, clear, every, mean_error, verdict, within
from benchmarks.reproduce.plan import TREC8, Workbench
from benchmarks.reproduce.samples import allocation, smoothing

from poolwise.trust.rank_correlation import kendall_tau, pearson_r, root_mean_square_error

STATISTICS = {"tau": kendall_tau, "r": pearson_r, "RMS": root_mean_square_error}
SHARES = {share: f"uniform {share} %" for share in (10, 20, 30)}
PUBLISHED = {10: 23.1, 5: 12.7, 1: 3.5}
TRUE = {"infAP": "AP", "xinfAP": "AP", "statAP": "AP", "infNDCG": "nDCG@1000", "nDCG": "nDCG"}


class Estimates:
    """Estimates of every trial by design and measure, held against scores by all labels."""

    def __init__(self, bench: Workbench, name: str) -> None:
        study = bench.study(name, TREC8)
        pool = bench.pool(TREC8)
        self.measures = list(study.settings["measures"])
        table = bench.rows(name, TREC8, "estimation")
        self.designs = list(dict.fromkeys(row["design"] for row in table))
        self.shares = {row["design"]: 100 * row["share_judged"] for row in table}
        self.depths = list(study.settings["depths"])
        self.made = set(study.settings["contributing"])
        self.unseen = np.array([run not in self.made for run in pool.runs])
        scores = {target: pool.score(target).means()[:, 0] for target in dict.fromkeys(TRUE.values())}
        self.truth = {measure: scores[TRUE[measure]] for measure in self.measures}
        self.values = {what: bench.trials(name, TREC8, what) for what in ("estimates", "low", "high")}
        self.trials = len(self.values["estimates"])

    def of(self, measure: str, design: str, what: str = "estimates") -> np.ndarray:
        """Trials x runs."""
        return self.values[what][:, self.designs.index(design), self.measures.index(measure)]

    def statistic(self, name: str, measure: str, design: str, unseen: bool = False) -> np.ndarray:
        """Of every trial."""
        kept = self.unseen if unseen else np.ones(len(self.unseen), bool)
        return np.asarray(STATISTICS[name](self.truth[measure][kept], self.of(measure, design)[:, kept]))

    def bias(self, measure: str, design: str) -> np.ndarray:
        """Of every trial, over runs."""
        return (self.of(measure, design) - self.truth[measure]).mean(axis=1)

    def coverage(self, measure: str, design: str) -> np.ndarray:
        """Of every trial, over runs."""
        low, high, truth = self.of(measure, design, "low"), self.of(measure, design, "high"), self.truth[measure]
        return ((low <= truth) & (truth <= high)).mean(axis=1)


def two(depth: int) -> str:
    """Depth-k pool and random judgments."""
    return f"depth {depth}, two strata"


def four(depth: int) -> str:
    """The rest in three bands."""
    return f"depth {depth}, four strata"


def alike(depth: int) -> str:
    """A random sample of the same size."""
    return f"uniform, as many as depth {depth}"


def findings(bench: Workbench) -> list[Finding]:
    """All of [Y08]."""
    found = []
    if all(bench.has(name, TREC8) for name in ("y08-intervals", "y08-dependent")):
        found += [*_intervals(bench), smoothing(bench)]
    if bench.has("y08-estimation", TREC8):
        made = Estimates(bench, "y08-estimation")
        found += [*_designs(made), *_comparisons(made), allocation(bench, made.made)]
    return found


def _one(made: Estimates, item: str, text: str, said: str = SHOWN, rule: str = "") -> Finding:
    return Finding(item, TREC8, text, said, made.trials, rule)


def _designs(made: Estimates) -> list[Finding]:
    shares = {depth: made.shares[two(depth)] for depth in made.depths}
    mean = float(made.truth["xinfAP"].mean())
    bias = {depth: made.bias("xinfAP", two(depth)) for depth in PUBLISHED}
    unseen = {d: made.statistic("tau", "xinfAP", two(d), unseen=True) for d in PUBLISHED}
    everyone = {d: made.statistic("tau", "xinfAP", two(d)) for d in PUBLISHED}
    close = [abs(shares[depth] - share) < 0.5 for depth, share in PUBLISHED.items()]
    strata = ", ".join(f"{name} {mean_error(made.bias('xinfAP', design))}"
                       for name, design in (("two strata", two(5)), ("four", four(5))))  # fmt: skip
    return [
        Finding("Y12", TREC8, "depth 10, 5, 1: " + ", ".join(f"{shares[d]:.1f} %" for d in PUBLISHED),
                verdict(*close), None, "within 0.5"),
        Finding("Y13", TREC8, ", ".join(f"depth {d} {share:.1f} %" for d, share in shares.items())),
        Finding("Y14", TREC8, f"{len(made.made)} of {len(made.unseen)} runs taken to have made the pool"),
        _one(made, "Y15", "tau of unseen runs (all): " + ", ".join(
            f"depth {d} {mean_error(unseen[d])} ({everyone[d].mean():.3f})" for d in PUBLISHED),
            verdict(*(clear(unseen[d] - everyone[d], -0.05) for d in PUBLISHED)), "not lower by 0.05"),
        _one(made, "Y16", ", ".join(f"depth {d} {mean_error(values)}" for d, values in bias.items())
             + f" (mean AP {mean:.3f})",
             verdict(*(within(values, 0.02 * mean) for values in bias.values())), "within 2 % of mean AP"),
        _one(made, "Y25", f"bias at depth 5: {strata}",
             verdict(clear(made.bias("xinfAP", four(5)) - made.bias("xinfAP", two(5))))),
    ]  # fmt: skip


def _compared(
    made: Estimates, ours: tuple[str, str], theirs: tuple[str, str]
) -> tuple[str, dict[str, list[bool | None]]]:
    """At how many depths one is better, in words, and what is clear at each of them, by statistic.

    Depths at which everything is judged in both are left out.
    """
    designs = {"two": two, "four": four, "random": alike}
    depths = [d for d in made.depths if made.shares[two(d)] < 98]
    counts, checks = {}, {}
    for name in STATISTICS:
        sign = -1 if name == "RMS" else 1
        apart = [
            made.statistic(name, ours[0], designs[ours[1]](d)) - made.statistic(name, theirs[0], designs[theirs[1]](d))
            for d in depths
        ]
        counts[name] = sum(sign * values.mean() > 0 for values in apart)
        checks[name] = [clear(sign * values) for values in apart]
    at_5 = [made.statistic("tau", measure, designs[design](5)) for measure, design in (ours, theirs)]
    text = ", ".join(
        f"{name} at {count} of {len(depths)} (clearly {checks[name].count(True)}, clearly worse "
        f"{checks[name].count(False)})"
        for name, count in counts.items()
    )
    return f"better in {text}; tau at depth 5 {mean_error(at_5[0])} against {mean_error(at_5[1])}", checks


def _beats(made: Estimates, item: str, ours: tuple[str, str], theirs: tuple[str, str], words: str) -> Finding:
    """Whether one is better at all depths."""
    text, checks = _compared(made, ours, theirs)
    return _one(made, item, f"{words}: {text}", verdict(*(every(*each) for each in checks.values())), "at all levels")


def _comparable(made: Estimates) -> Finding:
    """Comparable, in some cases better: the paper claims no more of xinfAP beside the method of Aslam et al."""
    text, checks = _compared(made, ("xinfAP", "two"), ("statAP", "two"))
    each = [check for listed in checks.values() for check in listed]
    said = verdict(2 * each.count(False) < len(each), True in each)
    text = f"xinfAP against statAP on the same judgments: {text}"
    return _one(made, "Y18", text, said, "clearly worse in fewer than half of these cases, clearly better in some")


def _four_strata(made: Estimates) -> Finding:
    """Four strata can be used; that they would be better than two is not claimed."""
    text, _ = _compared(made, ("xinfAP", "four"), ("xinfAP", "two"))
    return _one(made, "Y22", f"four strata against two, of which the paper claims no order: {text}")


def _comparisons(made: Estimates) -> list[Finding]:
    rms = {m: made.statistic("RMS", m, alike(5)) for m in ("nDCG", "infAP")}
    return [
        _beats(made, "Y17", ("xinfAP", "two"), ("infAP", "random"), "xinfAP against infAP on random judgments"),
        _beats(made, "Y17", ("xinfAP", "two"), ("infAP", "two"), "against infAP on the same judgments"),
        _comparable(made),
        _four_strata(made),
        _beats(made, "Y23", ("xinfAP", "four"), ("infAP", "random"), "xinfAP, four strata, against infAP"),
        _beats(made, "Y23", ("infNDCG", "four"), ("nDCG", "random"), "infNDCG, four strata, against nDCG"),
        _one(made, "Y24", f"RMS at depth 5, random: nDCG {mean_error(rms['nDCG'])}, infAP {mean_error(rms['infAP'])}",
             verdict(clear(rms["nDCG"] - 3 * rms["infAP"])), "three times"),
    ]  # fmt: skip


def _intervals(bench: Workbench) -> list[Finding]:
    shares = list(SHARES.values())
    made, dependent = Estimates(bench, "y08-intervals"), Estimates(bench, "y08-dependent")
    kept = {
        row["design"]: row["kept"]
        for row in bench.rows("y08-dependent", TREC8, "normality")
        if row["measure"] == "infAP"
    }
    plain = {
        row["design"]: row["kept"]
        for row in bench.rows("y08-intervals", TREC8, "normality")
        if row["measure"] == "infAP"
    }
    covered = {m: [made.coverage(m, share) for share in shares] for m in ("infAP", "statAP")}
    said = verdict(*(clear(values, 0.93) for values in covered["infAP"]))
    text = {m: ", ".join(mean_error(values) for values in each) for m, each in covered.items()}
    loose = ", ".join(mean_error(dependent.coverage("infAP", share)) for share in shares)
    return [
        Finding("Y6", TREC8, "figures of mean infAP with bars at 10, 20 and 30 %"),
        _one(made, "Y7", f"infAP at 10, 20, 30 %: {text['infAP']}", said, "at least 0.93"),
        _one(made, "Y18", f"coverage of statAP's interval at 10, 20, 30 %: {text['statAP']}"),
        _one(dependent, "Y4", f"coverage with dependent precisions: {loose}"),
        _one(made, "Y8", "kept as normal: " + ", ".join(f"{100 * plain[s]:.0f} %" for s in shares)
             + f"; dependent, {dependent.trials} trials: " + ", ".join(f"{100 * kept[s]:.0f} %" for s in shares),
             verdict(*(plain[s] >= 0.85 for s in shares)), "at least 85 %"),
    ]  # fmt: skip
