"""Curves of fitted constants: how good intervals, plans and models are with values around the one in use.

    python benchmarks/calibrate.py [NAME ...] [--data FOLDER] [--sets trec8 trec-covid5 dl19] [--trials 8] [--list]

NAME selects constants by a part of `module.NAME`. Without --data two collections of 16 runs, 25 topics and pools of
depth 50 are simulated. With it, FOLDER holds sets as for `make reproduce`, of which 16 runs are used. All values of a
constant see the same samples. Intervals are judged by the mean interval score, width + 40 x the distance of the truth
from the interval (Gneiting and Raftery 2007, equation 43, at 95 %): the lowest is best. Few trials show which way a
constant works, not its second digit. The values in use come from the real collections and the trials that
docs/theory/assisted.md, docs/findings/holes.md and docs/explanation/simulator.md describe. --list prints every constant
with its criterion, and the constants that were chosen by hand with the reason.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import lzma
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import first_forecasts
import holes
import item_coverage
import numpy as np
import simulator_fit
from outside_coverage import one_trial
from plan_savings import Planned, Way
from reproduce.data import runs_of

import poolwise as pw
from poolwise.audits import hole_model
from poolwise.errors import PoolwiseWarning
from poolwise.plans import planned_widths

RUNS, TOPICS, DEPTH = 16, 25, 50  # of a collection; the pool has this depth, runs twice as many documents
SCORE = 40.0  # 2 / alpha of the interval score
Row = dict[str, float]


class Ground:
    """A collection whose judgments are complete, in the forms that the other scripts read."""

    def __init__(self, packed: Path, folder: Path) -> None:
        runs = runs_of(packed)
        chosen = list(runs)[:: max(len(runs) // RUNS, 1)][:RUNS]
        self.packed, self.paths = packed, [folder / f"{run}.txt" for run in chosen]
        for path, run in zip(self.paths, chosen, strict=True):
            with path.open("w", encoding="utf-8") as file:
                for topic, scores in runs[run].items():
                    file.writelines(f"{topic} Q0 {document} 0 {score} {run}\n" for document, score in scores.items())

    @cached_property
    def known(self) -> Planned:
        """The runs with all labels, to draw samples and plans from."""
        return Planned(str(self.packed / "qrels.txt"), list(map(str, self.paths)))

    @cached_property
    def labels(self) -> dict[str, dict[str, int]]:
        """All labels, negative ones as 0."""
        known = self.known
        return {t: {d: max(int(label), 0) for d, label in known.full.of(t).items()} for t in known.campaign.topics}

    def run(self, path: Path) -> dict[str, dict[str, float]]:
        """The top of a run."""
        ranking = self.known.campaign.ranking
        return {t: {d: -float(rank) for rank, d in enumerate(ranking(path.stem, t)[: 2 * DEPTH])} for t in self.labels}


def simulated(folder: Path, seed: int) -> Path:
    """A simulated collection, packed as the real sets are."""
    made = pw.simulate(runs=RUNS, topics=TOPICS, depth=2 * DEPTH, pool_depth=DEPTH, seed=seed)
    made.write(folder)
    with lzma.open(folder / "runs.tsv.xz", "wt") as file:
        for run in made.runs:
            for topic, scores in made.run(run).items():
                ordered = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
                file.write(f"{run}\t{topic}\t{' '.join(ordered)}\n")
    return folder


@dataclass(frozen=True)
class Sampled:
    """Interval score of estimates from samples: of runs, or of differences between them."""

    measures: tuple[str, ...]
    pairs: bool = False
    design: str = "stratified"  # of a plan that knows no labels; "lone": one label in most strata
    shrunken: bool = False
    share: float = 0.1  # of the pool that is judged
    part: float = 1.0  # of the trials: for measures that take long

    def __call__(self, ground: Ground, trials: int) -> Row:
        """Means over samples."""
        known, rows = ground.known, []
        for seed in range(max(round(self.part * trials), 1)):
            if self.design == "lone":
                sample = known.sample(round(2.3 * len(known.campaign.topics)), seed)
            else:
                labels = int(self.share * len(known.full.labels))
                sample = known.sample_of(labels, Way(self.design, apart=self.pairs), self.measures[0], seed)
            found = known.estimated(sample, known.plain, self.measures, self.shrunken)
            value, low, high, truth = known.intervals(found, self.measures, self.shrunken)[self.pairs]
            missed = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
            parts = high - low + SCORE * missed, missed == 0.0, high - low, (value - truth) ** 2
            rows.append([float(np.nanmean(part)) for part in parts])
        score, held, width, square = np.mean(rows, axis=0)
        return {"interval score": score, "covered, %": 100 * held, "width": width, "RMSE": square**0.5}

    def __str__(self) -> str:
        """Criterion and sample in words."""
        sample = "one label in most strata" if self.design == "lone" else f"{self.design}, {self.share:.0%} judged"
        who = "A - B" if self.pairs else "runs"
        return f"interval score, {', '.join(self.measures)} of {who}{', shrunken' * self.shrunken} ({sample})"


def left_out(ground: Ground, trials: int) -> Row:
    """coverage and width of ranges of runs left out of the pool (AP, nDCG; a fifth judged)"""
    arguments = argparse.Namespace(left_out=4, measures=("AP", "nDCG"), depth=DEPTH)
    found: Any = defaultdict(list)
    for trial in range(max(trials // 2, 1)):
        one_trial(ground.known.campaign, ground.known.contributing, arguments, trial, 0.2, found)
    rows = [row for (_, _, kind), part in found.items() if kind == "left out" for row in part]
    held, width, _, plain = np.nanmean(np.array(rows, dtype=float), axis=0)
    return {"covered, %": 100 * held, "width": width, "width within the pool": plain}


def forecasts(ground: Ground, trials: int) -> Row:
    """widths of A - B found, over widths forecast before any label (nDCG@10, 200 labels): mean 1, little spread"""
    rows = [first_forecasts.one(ground, 2, "nDCG@10", 200, "stratified", trial) for trial in range(2 * trials)]
    ratio = np.log([found / forecast for forecast, found in rows if found > 0])
    return {"mean ratio": float(np.exp(ratio.mean())), "spread of its logarithm": float(ratio.std())}


def hole_scores(learned: bool) -> Callable[[Ground, int], Row]:
    """The criterion of the hole model, from the runs of the same collection or by the default offset."""

    def criterion(ground: Ground, trials: int) -> Row:
        offset = None if learned else hole_model.DEFAULT
        far, width, error = holes.left_out_errors(ground.packed, "nDCG@10", offset, 1)
        stretch = hole_model.STRETCH if learned else 1.0
        held = 100 * float(np.mean(far <= stretch))
        return {"covered, %": held, "mean width": stretch * float(width.mean()), "mean error": float(error.mean())}

    source = "offset learned from the others" if learned else "the default offset"
    criterion.__doc__ = f"nDCG@10 of left-out runs with their holes judged, by the model ({source}): error and coverage"
    return criterion


def items(table: Callable[[int], None]) -> Callable[[Ground, int], Row]:
    """The criterion of constants of rated items: mean coverage and relative width in a table of item_coverage.py."""

    def criterion(ground: Ground, trials: int) -> Row:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            table(10 * trials)
        rows = [line.split("|")[3:-1] for line in printed.getvalue().splitlines()[2:]]
        columns = np.array([[float(cell.split()[0]) for cell in row] for row in rows]).T
        return {"covered (Student), %": columns[0].mean(), "covered, %": columns[1].mean(), "width": columns[2].mean()}

    criterion.__doc__ = f"coverage and width relative to Student's interval (item_coverage.py {table.__name__})"
    return criterion


# TREC-8 by simulator_fit.py, as docs/explanation/simulator.md prints it.
TREC_8 = {
    "MAP, mean": 0.234,
    "MAP, sd": 0.097,
    "topic mean AP, sd": 0.163,
    "AP variance share, system": 0.185,
    "AP variance share, topic": 0.538,
    "tau between halves of the topics": 0.772,
    "relevant a topic, mean": 94.6,
    "judged, ranks 101-1000": 0.384,
    "relevant, ranks 11-100": 0.187,
    "recall at 1000, mean": 0.622,
    "judged a topic, mean": 1737.0,
}


def simulator(ground: Ground, trials: int) -> Row:
    """distance of simulated campaigns of TREC-8's size from TREC-8: mean absolute logarithm of 11 statistics' ratios"""
    parts = [simulator_fit.simulated(seed) for seed in range(max(trials // 8, 1))]
    ratio = {name: np.mean([part[name] for part in parts]) / real for name, real in TREC_8.items()}
    worst = max(ratio, key=lambda name: abs(np.log(ratio[name])))
    return {
        "distance": float(np.mean(np.abs(np.log(list(ratio.values()))))),
        f"largest ratio: {worst}": float(ratio[worst]),
    }


class Fitted(NamedTuple):
    """A constant, values to try, their criterion, and the effect of values that are too low or too high."""

    home: str  # module of poolwise
    name: str  # `X`, `X[key]`, `X[0]` or `X.field`
    values: tuple[float, ...]
    criterion: Callable[[Ground, int], Row]
    trades: str

    @property
    def full_name(self) -> str:
        """Module and constant."""
        return f"{self.home}.{self.name}"


CLOSED = Sampled(("AP", "nDCG"))
LONE = Sampled(("AP", "nDCG@10"), design="lone")
# Measures without a formula, whose labels are simulated: RR takes a second an estimate, others several.
SIMULATED = Sampled(("RR",), design="lone")
MODEL = Sampled(("AP",), pairs=True, design="model", share=0.05)
ITEMS = items(item_coverage.differences)
PRIORS = "plans.relevance_prior"
FITTED = (
    Fitted("estimates.simulated_terms", "THROUGH_DIVISOR", (0.0, 0.25, 0.5, 1.0), Sampled(("AP'",), part=0.5),
           "lower: intervals of measures divided by relevant documents too narrow; higher: too wide"),
    Fitted("estimates.simulated_terms", "DOUBT", (0.0, 0.15, 0.3, 0.6), SIMULATED,
           "lower: intervals too narrow where strata have one label; higher: too wide"),
    Fitted("estimates.simulated_terms", "BETWEEN_NODES", (1.2, 1.6, 2.5, 4.0), Sampled(("Q",), part=0.25),
           "lower: slower in proportion to 1 / log; higher: differences between nodes are missed"),
    Fitted("estimates.drawn_labels", "SPREAD", (1.0, 1.4, 2.0), Sampled(("nDCG@10", "Rprec"), part=0.25),
           "lower: simulated measures come out low on few labels; higher: high"),
    Fitted("estimates.differences", "LONE_APART", (0.0, 0.1, 0.2, 0.4), replace(LONE, pairs=True),
           "lower: intervals of A - B too narrow where strata have one label; higher: too wide"),
    Fitted("estimates.model_errors", "TOGETHER[precision]", (1.0, 2.0, 3.0), replace(LONE, measures=("AP",)),
           "lower: AP too high and its interval too narrow on few labels; higher: the opposite"),
    Fitted("estimates.model_errors", "TOGETHER[ratio]", (0.5, 1.0, 2.0), replace(LONE, measures=("nDCG",)),
           "the same for nDCG"),
    Fitted("estimates.model_errors", "USUAL", (1.0, 1.8, 3.0), SIMULATED,
           "counts only where pairs of labels are few: lower narrows intervals, higher widens them"),
    Fitted("estimates.model_errors", "PRIOR", (1.0, 5.0, 25.0), CLOSED,
           "lower: the scale of squares in a group is noise; higher: groups count as equal although they differ"),
    Fitted("estimates.standard_errors", "PRIOR_DF", (5.0, 30.0, 120.0), replace(CLOSED, share=0.03),
           "lower: variances as noisy as few labels are; higher: the model's expectation hides larger variances"),
    Fitted("estimates.shrinkage", "FARTHEST", (0.0, 0.25, 0.5, 1.0), replace(CLOSED, shrunken=True, share=0.03),
           "lower: nothing is gained by shrinking; higher: odd runs are moved past their interval"),
    Fitted("estimates.shrinkage", "LEAST_DISTANCE", (0.0, 0.1, 0.5), replace(CLOSED, shrunken=True, share=0.03),
           "lower: runs on the line by chance are trusted to lie on it; higher: less is gained"),
    Fitted("estimates.unpooled", "CAUTION", (1.0, 2.0, 3.0, 5.0), left_out,
           "lower: ranges miss the truth of runs outside the pool; higher: ranges too wide to use"),
    Fitted("estimates.unpooled", "PRIOR", (1.0, 3.0, 10.0), left_out,
           "lower: rates of few documents are noise; higher: all documents of a topic count as equal"),
    Fitted(PRIORS, "RELEVANT", (40.0, 80.0, 160.0), MODEL,
           "level of probabilities before labels: lower spends fewer labels below the top"),
    Fitted(PRIORS, "SLOPE", (0.5, 1.1, 2.0), MODEL, "lower: rates too even over ranks; higher: too steep"),
    Fitted(PRIORS, "SUPPOSED_SLOPE", (1.0, 2.0, 3.0), forecasts, "lower: forecast widths too large; higher: too small"),
    Fitted(PRIORS, "FEW_RUNS", (0.5, 1.5, 4.0), forecasts,
           "lower: two runs are trusted like thirty, forecasts too narrow; higher: too wide"),
    Fitted(PRIORS, "RUN_SPREAD", (0.0, 0.7, 1.4), forecasts, "lower: runs count as equally good; higher: as lottery"),
    Fitted("audits.hole_model", "OF_TOPIC", (2.0, 5.0, 12.0), hole_scores(True),
           "lower: a topic's precision is noise; higher: topics count as equal"),
    Fitted("audits.hole_model", "OF_RANKS", (8.0, 20.0, 50.0), hole_scores(True), "the same for bands of ranks"),
    Fitted("audits.hole_model", "STRETCH", (1.0, 1.7, 2.5), hole_scores(True),
           "lower: intervals of learned offsets too narrow; higher: too wide"),
    Fitted("audits.hole_model", "DEFAULT.mean", (0.8, 1.57, 2.4), hole_scores(False),
           "lower: scores of new runs too low; higher: too high; `holes.py FOLDER offsets` computes it from four sets"),
    Fitted("audits.hole_model", "DEFAULT.error", (0.3, 0.61, 1.2), hole_scores(False),
           "lower: intervals too narrow for another collection; higher: too wide"),
    Fitted("rated_items.sampled_difference", "SKEWNESS_COUNTED", (0.0, 0.5, 1.0), ITEMS,
           "lower: intervals of skewed differences too symmetric; higher: chance skewness moves them"),
    Fitted("lab.simulate.drawing", "Shape.lift", (1.7, 1.97, 2.2), simulator, "lower: runs find less; higher: more"),
    Fitted("lab.simulate.drawing", "Shape.ease_spread", (1.0, 1.42, 1.8), simulator,
           "lower: all relevant documents equally easy to find; higher: a few found by all, others by none"),
    Fitted("lab.simulate.drawing", "Shape.common", (0.5, 0.63, 0.75), simulator,
           "lower: runs share less of what they retrieve; higher: more"),
)  # fmt: skip
NO_COLLECTION = {simulator, ITEMS}  # criteria that make their data
SLOW = {simulator}  # minutes for a value: only when asked for by name

# Constants that change numbers and that no script derives: each was chosen by hand, for the reason given.
BY_HAND = (
    ("estimates.standard_errors", "MOST_COMMON", "a bound that seldom binds: its curve is flat on simulated samples"),
    ("estimates.layout", "COMPONENTS", "more follow ever smaller differences between runs; the fit takes longer"),
    ("estimates.layout", "NO_RANK", "beyond the last rank of runs; smaller ones let unretrieved documents look ranked"),
    ("estimates.model", "REFIT_FROM", "lower: slower; higher: surprising labels stay in the fit that predicts them"),
    ("estimates.model", "MOST_LEVERAGE", "a residual is divided by 1 - leverage: bounds the factor at 10"),
    ("estimates.model", "KEPT", "higher: slower; lower: a hundredth of the variance of effects is missing"),
    ("estimates.model_errors", "GROUPS", "more: scales follow richness closer, on fewer labels each"),
    ("estimates.standard_errors", "WORTH", "read off benchmarks/drawn_topics.py on three collections"),
    ("estimates.standard_errors", "BETWEEN", "read off benchmarks/drawn_topics.py on three collections"),
    (PRIORS, "TOPIC_VARIANCE", "counts with pilot labels only: lower shrinks topics to their mean, higher follows few"),
    ("plans.listing", "CUTOFFS", "benchmarks/plan_depth.py prints the errors that deeper and shallower pools leave"),
    ("plans.planned_widths", "MODEL_ERROR", "benchmarks/first_forecasts.py prints the spread it stands for"),
    ("plans.label_value", "SUREST", "lower: documents that the model excludes get no label; higher: labels are wasted"),
    ("sampling.variance", "MUCH", "of the weight in cells with one label: from where simulated intervals cover less"),
    ("comparisons.resampling_tests", "UNLIKE", "families of normal scores in which one run has a larger spread"),
    ("comparisons.compare_runs", "MANY_RUNS", "families of normal scores, each run compared with the best"),
    ("rated_items.plan_items", "WORTH", "lower: pilots of few labels set rates; higher: rates too even"),
    ("rated_items.plan_items", "SURE", "lower: strata with sure predictions get next to no label; higher: even rates"),
)


def parts_of(name: str) -> tuple[str, str]:
    """The constant, and the part of it: a key, an index or a field."""
    constant, _, part = name.replace(".", "[").rstrip("]").partition("[")
    return constant, part


def value_of(home: str, name: str) -> Any:
    """The value in use."""
    constant, part = parts_of(name)
    whole = getattr(importlib.import_module(f"poolwise.{home}"), constant)
    if not part:
        return whole
    return whole[part] if isinstance(whole, dict) else getattr(whole, part)


@contextlib.contextmanager
def in_use(home: str, name: str, value: float) -> Iterator[None]:
    """Put another value into every module that has the constant."""
    constant, part = parts_of(name)
    old: Any = getattr(importlib.import_module(f"poolwise.{home}"), constant)
    new: Any = value
    if isinstance(old, dict):
        new = {**old, part: value}
    elif isinstance(old, type):
        new = partial(old, **{part: value})
    elif part:
        new = replace(old, **{part: value})
    users = [module for module in list(sys.modules.values()) if vars(module).get(constant) is old]
    for module in users:
        setattr(module, constant, new)
    try:
        yield
    finally:
        for module in users:
            setattr(module, constant, old)


def described(criterion: Callable[[Ground, int], Row]) -> str:
    """The criterion in words."""
    return str(criterion) if isinstance(criterion, Sampled) else str(criterion.__doc__)


def curve(fitted: Fitted, grounds: dict[str, Ground], trials: int) -> Iterator[str]:
    """Lines of Markdown: a row per collection and value."""
    current = value_of(fitted.home, fitted.name)
    yield f"\n## {fitted.full_name} = {current:g}\n"
    yield f"{described(fitted.criterion)}; {fitted.trades}.\n"
    heading, seen = False, set()
    for name, ground in list(grounds.items())[: 1 if fitted.criterion in NO_COLLECTION else None]:
        name = "made" if fitted.criterion in NO_COLLECTION else name
        for value in sorted({*fitted.values, current}):
            with in_use(fitted.home, fitted.name, value):
                row = fitted.criterion(ground, trials)
            seen.add((name, *row.values()))
            if not heading:
                yield f"| collection | value | {' | '.join(row)} |\n|---|---:|{'---:|' * len(row)}"
                heading = True
            cells = " | ".join(f"{cell:.4g}" for cell in row.values())
            yield f"| {name} | {value:g}{' (in use)' * (value == current)} | {cells} |"
    if len(seen) == len({name for name, *_ in seen}):
        yield "\nFlat: the constant changes no number of these samples."


def listed() -> Iterator[str]:
    """Every constant with its criterion, or with the reason for which it was chosen."""
    for fitted in FITTED:
        value = value_of(fitted.home, fitted.name)
        yield f"{fitted.full_name} = {value:g}: {described(fitted.criterion)}"
    for home, name, reason in BY_HAND:
        yield f"{home}.{name} = {value_of(home, name)}: chosen by hand: {reason}"


def main() -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="+", default=["trec8", "trec-covid5", "dl19"])
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    if arguments.list:
        print("\n".join(listed()))
        return
    planned_widths.SHARES = (1.0,)  # type: ignore[assignment]  # forecasts of the budget alone: five times as fast
    chosen = [
        fitted
        for fitted in FITTED
        if any(name in f"{fitted.full_name}" for name in arguments.names)
        or not (arguments.names or fitted.criterion in SLOW)
    ]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        packed = (
            {name: arguments.data / name for name in arguments.sets}
            if arguments.data
            else {f"simulated {seed}": simulated(home / f"set{seed}", seed) for seed in (1, 2)}
        )
        grounds = {}
        for name, source in packed.items():
            (home / name).mkdir()
            grounds[name] = Ground(source, home / name)
        for fitted in chosen:
            for line in curve(fitted, grounds, arguments.trials):
                print(line, flush=True)


if __name__ == "__main__":
    main()
