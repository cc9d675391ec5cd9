"""[Y08]: average precision and nDCG estimated from samples of the pool."""

from __future__ import annotations

import warnings

import numpy as np
from benchmarks.reproduce.data import contributing
from benchmarks.reproduce.sections import Claim, Section, verdict
from scipy.stats import kstest, norm

import poolwise as pw
from poolwise.agree.correlation import kendall_tau, pearson_r, root_mean_square_error
from poolwise.show.figures import curves, log_percent

DEPTHS = (1, 2, 3, 4, 5, 10, 20, 30, 40)
TRIALS = 30
STATISTICS = {"tau": kendall_tau, "r": pearson_r, "RMS": root_mean_square_error}
FIGURES = {
    "tau": ("TREC-8: tau of estimates against the share judged", "All runs, mean of 30 trials."),
    "bias": (
        "TREC-8: bias of estimates against the share judged",
        "Estimate less truth, mean over runs and trials; of nDCG for the last two, of AP for the others.",
    ),
}
PUBLISHED = {1: 3.5, 5: 12.7, 10: 23.1}


def yilmaz(trec8) -> Section:
    """[Y08] on its own data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        found = Estimates(trec8)
        fit = {share: goodness(trec8, share) for share in (0.1, 0.2, 0.3)}
    claims = [*found.claims(), *_fit_claims(fit)]
    notes = [
        "**The pool.** The paper's contributing runs are not listed in the data; here they are the "
        f"{len(found.seen)} runs whose first 100 documents are all judged, so the shares agree to a few tenths.",
        "**The bias of xinfAP** comes from topics whose random part holds no relevant document: at depth 1 these are "
        f"{found.barren['topics']:.0f} of 50, with a bias of {found.barren['without']:+.3f}, while the others have "
        f"{found.barren['with']:+.3f}. Where the sample finds none below the depth pool, the estimate takes it that "
        "there are none, and only the easily found ones count.",
        "**The intervals of infAP** are off centre and too narrow; [What are sampled judgments "
        "worth?](findings/sampled-judgments.md) takes them apart. `poolwise estimate` has intervals that cover. "
        "The paper repeats 10 trials, this page 30: at depth 1 the bias of a single trial has a standard deviation "
        f"of {found.all['xinfAP, depth + random']['bias'][:, 0].std(ddof=1):.3f}.",
    ]
    figures = {"y08-tau": found.figure("tau"), "y08-bias": found.figure("bias")}
    text = (
        f"TREC-8 ad hoc, 129 runs, of which {len(found.seen)} made the pool; judgments: the depth-k pool of those "
        "runs and as many again at random (or spread over three depth bands, 3 : 1.5 : 1), and for infAP and nDCG "
        f"on random judgments a random sample of the same size; {TRIALS} trials. Truth is AP or nDCG with all "
        "judgments."
    )
    title = "Yilmaz, Kanoulas and Aslam 2008 [Y08]: estimates from samples"
    return Section(title, "yes", text, claims, notes, figures)


class Estimates:
    """Estimated means by name of estimator: statistics x trials x depths, of all runs and of unseen ones."""

    def __init__(self, pool) -> None:
        self.pool, self.seen = pool, contributing(pool)
        self.places = {
            "all": np.arange(len(pool.runs)),
            "unseen": np.array([run not in self.seen for run in pool.runs]).nonzero()[0],
        }
        judgments, everything = pool.judgments, len(pool.judgments.labels)
        made = {"contributing": self.seen, "trials": TRIALS}
        mixed = judgments.samples("depth_plus_random", depths=DEPTHS, **made)
        spread = [
            judgments.sample("stratified", depth=depth, trial=trial, contributing=self.seen)
            for trial in range(TRIALS)
            for depth in DEPTHS
        ]
        counts = np.array([sample.count() for sample in mixed]).reshape(TRIALS, -1).mean(axis=0)
        self.shares = (counts / everything).tolist()
        uniform = judgments.samples("uniform", fractions=[round(share, 4) for share in self.shares], trials=TRIALS)
        truth = dict(zip(("AP", "nDCG"), pool.score("AP", "nDCG").means().T, strict=True))
        plan = {
            "xinfAP, depth + random": ("xinfAP", mixed, "AP"),
            "infAP, depth + random": ("infAP", mixed, "AP"),
            "infAP, random": ("infAP", uniform, "AP"),
            "xinfAP, four strata": ("xinfAP", spread, "AP"),
            "infNDCG, four strata": ("infNDCG", spread, "nDCG"),
            "nDCG, random": ("nDCG", uniform, "nDCG"),
        }
        self.barren = self._barren(mixed[:: len(DEPTHS)])
        self.all, self.unseen = {}, {}
        for name, (measure, samples, target) in plan.items():
            means = pool.score(measure, judgments=samples).means()[..., 0].reshape(TRIALS, len(DEPTHS), -1)
            for kept, places in self.places.items():
                wanted, given = truth[target][places], means[..., places]
                statistics = {key: function(wanted, given) for key, function in STATISTICS.items()}
                statistics["bias"] = (given - wanted).mean(axis=-1)
                getattr(self, kept)[name] = statistics

    def _barren(self, samples) -> dict[str, float]:
        """Bias of xinfAP at depth 1 on topics whose random part holds no relevant document, and on the others."""
        truth, offsets = self.pool.score("AP").array("AP"), self.pool.judgments.offsets

        def relevant(judgments):
            return np.add.reduceat((judgments.labels >= 1).astype(int), offsets[:-1])

        pooled = relevant(self.pool.judgments.sample("depth", depth=DEPTHS[0], contributing=self.seen))
        errors = self.pool.score("xinfAP", judgments=samples).array("xinfAP") - truth
        barren = np.array([relevant(sample) == pooled for sample in samples])
        means = errors.mean(axis=1)
        found = {"with": means[~barren].mean(), "without": means[barren].mean(), "topics": barren.sum(axis=1).mean()}
        return {name: float(value) for name, value in found.items()}

    def figure(self, statistic: str):
        """A statistic against the share judged."""
        shares = [100 * share for share in self.shares]
        lines = {name: (shares, values[statistic].mean(axis=0)) for name, values in self.all.items()}
        title, note = FIGURES[statistic]
        return curves(title, lines, "% of the pool judged", statistic, note=note, xaxis=log_percent())

    def mean(self, name: str, statistic: str, depth: int, runs: str = "all") -> float:
        """Mean over trials."""
        return float(getattr(self, runs)[name][statistic][:, DEPTHS.index(depth)].mean())

    def better(self, a: str, b: str) -> dict[str, int]:
        """At how many depths a is better than b, by statistic."""
        counts = {}
        for statistic in STATISTICS:
            ours, others = (self.all[name][statistic].mean(axis=0) for name in (a, b))
            counts[statistic] = int(np.sum(ours < others if statistic == "RMS" else ours > others))
        return counts

    def claims(self) -> list[Claim]:
        """Shares, accuracy, orders."""
        shares = dict(zip(DEPTHS, self.shares, strict=True))
        close = all(abs(100 * shares[k] - share) < 0.5 for k, share in PUBLISHED.items())
        first, mixed, random = "xinfAP, depth + random", "infAP, depth + random", "infAP, random"
        bias = {depth: self.mean(first, "bias", depth) for depth in PUBLISHED}
        mean = float(self.pool.score("AP").means().mean())
        return [
            Claim("depth 10, 5 and 1 pools with as many random judgments are 23.1, 12.7 and 3.5 % of the pool",
                  "23.1, 12.7, 3.5 %", ", ".join(f"{100 * shares[k]:.1f}" for k in (10, 5, 1)) + " %", verdict(close)),
            self._beats(first, random, "xinfAP is more accurate than infAP on random judgments, at all levels"),
            self._beats(first, mixed, "xinfAP is more accurate than infAP on the same judgments, at all levels"),
            Claim("xinfAP is unbiased", "unbiased",
                  ", ".join(f"depth {k}: {value:+.4f}" for k, value in bias.items()) + f" (mean AP is {mean:.3f})",
                  verdict(*(abs(value) < 0.02 * mean for value in bias.values())), "within 2 % of mean AP"),
            Claim("xinfAP serves unseen runs as well", "robust",
                  "; ".join(f"depth {k}: tau {self.mean(first, 'tau', k, 'unseen'):.3f}, RMS "
                            f"{self.mean(first, 'RMS', k, 'unseen'):.4f} (all runs {self.mean(first, 'tau', k):.3f}, "
                            f"{self.mean(first, 'RMS', k):.4f})" for k in (10, 5, 1)),
                  verdict(*(self.mean(first, "tau", k, "unseen") > self.mean(first, "tau", k) - 0.05 for k in bias)),
                  "tau within 0.05"),
            self._beats("xinfAP, four strata", random, "with four strata xinfAP beats infAP on random judgments"),
            self._beats("infNDCG, four strata", "nDCG, random", "infNDCG beats plain nDCG on random judgments"),
        ]  # fmt: skip

    def _beats(self, a: str, b: str, claim: str) -> Claim:
        counts = self.better(a, b)
        said = ", ".join(f"{name} at {count} of {len(DEPTHS)}" for name, count in counts.items())
        at_5 = "; ".join(f"{n}: tau {self.mean(n, 'tau', 5):.3f}, RMS {self.mean(n, 'RMS', 5):.4f}" for n in (a, b))
        checks = [count == len(DEPTHS) for count in counts.values()]
        return Claim(claim, "all levels", f"better in {said}. Depth 5: {at_5}", verdict(*checks))


def goodness(pool, share: float, trials: int = 100) -> tuple[float, float]:
    """Coverage of the paper's 95 % intervals, and the share of runs whose standardised errors pass as normal."""
    truth = pool.score("AP").means()[:, 0]
    deviations, covered = [], []
    for trial in range(trials):
        sample = pool.judgments.sample("uniform", fraction=share, trial=trial)
        scores = pool.score("infAP", judgments=sample, interval="judgments")
        means, low, high = scores.means()[:, 0], scores.mean_low()[:, 0], scores.mean_high()[:, 0]
        half = np.maximum((high - low) / 2, 1e-12)  # a sample without a relevant document has no variance
        deviations.append((means - truth) / (half / norm.ppf(0.975)))
        covered.append((low <= truth) & (truth <= high))
    passed = [kstest(column, "norm").pvalue >= 0.05 for column in np.array(deviations).T]
    return float(np.mean(covered)), float(np.mean(passed))


def _fit_claims(fit: dict[float, tuple[float, float]]) -> list[Claim]:
    return [
        Claim("most 95 % intervals of mean infAP cover the truth (10, 20, 30 % of the pool)", "most",
              ", ".join(f"{100 * cover:.0f} % at {100 * share:.0f} %" for share, (cover, _) in fit.items()),
              verdict(*(cover >= 0.93 for cover, _ in fit.values())), "at least 93 %"),
        Claim("for 90 % of the runs the errors pass as normal (Kolmogorov-Smirnov, 100 trials)", "90 %",
              ", ".join(f"{100 * passed:.0f} % at {100 * share:.0f} %" for share, (_, passed) in fit.items()),
              verdict(*(passed >= 0.85 for _, passed in fit.values())), "at least 85 %"),
    ]  # fmt: skip
