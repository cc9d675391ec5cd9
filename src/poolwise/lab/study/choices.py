"""Checked settings of studies (fractions, measures, runs), and helpers of their tables."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.settings import campaign, fraction, seed_number, whole
from poolwise.basics.words import counted
from poolwise.campaign.campaign import Campaign
from poolwise.errors import ArgumentError, InputError
from poolwise.lab.study.conduct import Experiment
from poolwise.pool.judgments import Judgments
from poolwise.scores.scoring import check_measures
from poolwise.show.parts import Table
from poolwise.trust.ranking_agreement import knee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure


def properties(pool: Campaign, run_indices: Sequence[int]) -> Table:
    """Table of the collection: topics, runs, judged documents, relevant (R) and other (N) documents per topic."""
    labels, counts = pool.judgments.label_counts()
    relevant, others = counts[:, labels >= 1].sum(axis=1), counts[:, labels < 1].sum(axis=1)
    rows: list[tuple[str, Any]] = [
        ("topics", len(pool.topics)),
        ("runs", len(pool.runs)),
        ("runs in the study", len(run_indices)),
        ("documents per run and topic, mean", f"{np.asarray(pool.retrieved()).mean():.1f}"),
        ("judged documents", int(counts.sum())),
        ("labels", ", ".join(map(str, labels.tolist()))),
        ("relevant documents", int(relevant.sum())),
        ("relevant per topic, mean", f"{relevant.mean():.1f}"),
        ("relevant per topic, range", _span(relevant)),
        ("not relevant per topic, mean", f"{others.mean():.1f}"),
        ("not relevant per topic, range", _span(others)),
    ]
    grades = [column for column, label in enumerate(labels.tolist()) if label >= 1]
    for column in grades if len(grades) > 1 else ():
        rows.append((f"label {labels[column]}, documents", int(counts[:, column].sum())))
        rows.append((f"label {labels[column]} per topic, mean", f"{counts[:, column].mean():.1f}"))
        rows.append((f"label {labels[column]} per topic, range", _span(counts[:, column])))
    columns = {"property": [name for name, _ in rows], "value": [str(value) for _, value in rows]}
    return Table("The collection", columns, file="collection")


def _span(counts: Any) -> str:
    return f"{int(np.min(counts))} to {int(np.max(counts))}"


LEAST_TRIALS = 4  # with fewer, the factor of Student's interval is 4.3 and more, and bands fill the figure
BANDS = "Bands are 95 % intervals of the mean."


def trial_units(trials: int) -> list[str]:
    """Names of trials, which sort in their order.

    >>> trial_units(2)
    ['00000', '00001']
    """
    return [f"{trial:05d}" for trial in range(trials)]


def names(measures: Sequence[Measure]) -> list[str]:
    """Names of measures in tables."""
    return [str(measure) for measure in measures]


def mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation over trials (first axis). The deviation of a single trial is 0.

    >>> [numbers.tolist() for numbers in mean_and_spread(np.array([[1.0, 2.0], [3.0, 2.0]]))]
    [[2.0, 2.0], [1.4142135623730951, 0.0]]
    """
    mean = values.mean(axis=0)
    return mean, values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros_like(mean)


def mean_ends(values: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Student's interval of the mean over trials (first axis). For a single trial both limits are the mean.

    >>> low, high = mean_ends(np.array([1.0, 2.0, 3.0]))
    >>> round(float(low), 3), round(float(high), 3)
    (-0.484, 4.484)
    """
    from poolwise.basics.numbers import student_quantile

    mean, spread = mean_and_spread(values)
    half = student_quantile(max(1, len(values) - 1), (1 + level) / 2) * spread / np.sqrt(len(values))
    return mean - half, mean + half


def mean_bands(values: Mapping[str, Floats], within: tuple[float, float]) -> dict[str, tuple[Floats, Floats]]:
    """Intervals of means over trials by name, without those of too few trials.

    >>> mean_bands({"AP": np.array([[0.1], [0.9]])}, (0.0, 1.0))
    {}
    """
    enough = {name: each for name, each in values.items() if len(each) >= LEAST_TRIALS}
    ends = {name: mean_ends(each) for name, each in enough.items()}
    return {name: (np.clip(low, *within), np.clip(high, *within)) for name, (low, high) in ends.items()}


def measure_rows(measures: Sequence[str], name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """The first two columns of a table with a row for every measure and value.

    >>> measure_rows(["AP", "Q"], "topics", [5, 10])
    {'measure': ['AP', 'AP', 'Q', 'Q'], 'topics': [5, 10, 5, 10]}
    """
    return {"measure": [m for m in measures for _ in values], name: [v for _ in measures for v in values]}


def knee_columns(
    stays: str, exceeds: str, fractions: Sequence[float], curves: Iterable[Floats], threshold: float
) -> dict[str, list[Any]]:
    """Two columns: the fractions from which each curve stays above a threshold, and at which it first exceeds it.

    >>> knee_columns("knee", "exceeds", [0.1, 0.5, 1.0], [np.array([0.95, 0.8, 1.0])], 0.9)
    {'knee': [1.0], 'exceeds': [0.1]}
    """
    listed = list(curves)
    return {
        stays: [knee(fractions, curve, threshold) for curve in listed],
        exceeds: [knee(fractions, curve, threshold, stays=False) for curve in listed],
    }


def on_topics(pool: Campaign, topics: str | Sequence[str | int]) -> Campaign:
    """Give the campaign of some of its topics, as if judgments and runs had no others.

    Judgments count as complete: what a plan says of its design stays behind.

    Parameters
    ----------
    pool : Campaign
        A campaign.
    topics : str or sequence of str or int
        Names of topics and ranges of numbers, "303,601-650" or ["303", "601-650"] or range(601, 651).

    Returns
    -------
    Campaign
        The topics, in the order of the campaign, with all of its runs.

    Examples
    --------
    >>> import poolwise as pw
    >>> pool = pw.simulate(runs=3, topics=9, depth=20, seed=1).pool()
    >>> on_topics(pool, "102,107-109").topics
    ['102', '107', '108', '109']
    """
    checks.campaign(pool)
    texts = topics.split(",") if isinstance(topics, str) else [str(topic) for topic in topics]
    indices: set[int] = set()
    for text in (each.strip() for each in texts):
        found = _topic_indices(pool.topics, text)
        if not found:
            first, last = pool.topics[0], pool.topics[-1]
            raise ArgumentError(
                f"topics {text!r}: none of the {len(pool.topics)} topics ({first} to {last}) is meant; give names and "
                "ranges with commas between, as in 303,601-650"
            )
        indices.update(found)
    if not indices:
        raise ArgumentError("no topic is named; give names and ranges with commas between, as in 303,601-650")
    return _cut(pool, sorted(indices))


def _topic_indices(topics: Sequence[str], text: str) -> list[int]:
    """Indices of the topics of a name or range. Names are looked up first, because they may look like ranges."""
    if text in topics:
        return [topics.index(text)]
    low, dash, high = (part.strip() for part in text.partition("-"))
    if not (dash and low.isdecimal() and high.isdecimal()):
        return []
    wanted = range(int(low), int(high) + 1)
    return [index for index, topic in enumerate(topics) if topic.isdecimal() and int(topic) in wanted]


def _cut(pool: Campaign, indices: list[int]) -> Campaign:
    """The campaign of these topics. As in `read`, a run without any of them is an error."""
    cut = pool.on_topics(indices)
    empty = [run for run, lengths in zip(pool.runs, cut.retrieved().tolist(), strict=True) if not any(lengths)]
    if empty:
        raise InputError(
            f"{', '.join(empty[:3])}: no documents for the {counted(len(indices), 'topic')} chosen; leave such runs out"
        )
    cut.judgments = Judgments(cut)
    cut._faults = pool._faults
    return cut


# [B07] section 5: fractions of the complete judgments.
FRACTIONS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# [B07] and [S07]: plain, made for missing judgments, estimated, and condensed.
MEASURES = ("AP", "bpref", "infAP", "nDCG", "AP'", "nDCG'", "Q'")
MOST_SIZES = 50  # numbers of topics with error rates: as many as TREC has topics; time grows with it


def checked_measures(measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """One or several measures as a tuple without repeats."""
    return tuple(check_measures(measures))


def checked_fractions(fractions: Sequence[float]) -> tuple[float, ...]:
    """Fractions in ascending order, each once, above 0 and at most 1.

    >>> checked_fractions([0.5, 0.1, 0.5])
    (0.1, 0.5)
    """
    listed = [fractions] if isinstance(fractions, (int, float, str)) else list(fractions)
    try:
        shares = sorted({float(share) for share in listed})
    except (TypeError, ValueError):
        raise ArgumentError(f"fractions={fractions!r} are not shares; give numbers such as [0.1, 0.5]") from None
    wrong = [share for share in shares if not 0 < share <= 1]
    if wrong or not shares:
        raise ArgumentError(f"fractions are shares above 0 and at most 1; found {wrong[0] if wrong else 'none'}")
    return tuple(shares)


def checked_cutoffs(cutoffs: Sequence[int]) -> tuple[int, ...]:
    """Cut-offs in ascending order, each once.

    >>> checked_cutoffs([20, 5, 20])
    (5, 20)
    """
    chosen = tuple(sorted({whole("cutoffs", cutoff, 1) for cutoff in cutoffs}))
    if not chosen:
        raise ArgumentError("no cut-off was given; name at least one, such as 10")
    return chosen


def selected_runs(pool: Campaign, retrieved: float = 0.0, top: int | None = None) -> NDArray[np.intp]:
    """Indices of the runs of a study.

    `retrieved` leaves out runs with fewer documents than this share of the longest run's ([B07]: 0.95). `top` selects
    the best runs by AP ([S07, K09]: 30). Runs that are left out still contributed to the pool.
    """
    campaign(pool)
    fraction("retrieved", retrieved)
    # Total length over topics, as in [B07].
    lengths = np.asarray(pool.retrieved()).sum(axis=1)
    selected = np.flatnonzero(lengths >= retrieved * lengths.max())
    if top is not None:
        whole("top", top, 2)
        means = pool.score("AP").means()[selected, 0]
        selected = np.sort(selected[np.argsort(-means, kind="stable")[:top]])
    if len(selected) < 2:
        raise InputError(f"a study needs at least two runs; {len(selected)} of {len(pool.runs)} are left")
    return selected


def numbers_of_topics(topics: int) -> list[int]:
    """Sizes of topic sets: all up to 50 topics, beyond that about 50 evenly spaced ones.

    >>> numbers_of_topics(3), numbers_of_topics(100)[:3], len(numbers_of_topics(100))
    ([1, 2, 3], [1, 3, 5], 50)
    """
    return np.unique(np.linspace(1, topics, min(topics, MOST_SIZES)).round().astype(int)).tolist()


def nearest(values: Sequence[float], wanted: float) -> int:
    """Index of the value closest to a wanted one.

    >>> nearest([0.1, 0.2, 0.5], 0.22)
    1
    """
    return min(range(len(values)), key=lambda index: abs(values[index] - wanted))


def percent(fraction: float) -> str:
    """A fraction as a text in percent.

    >>> percent(0.1), percent(0.015)
    ('10 %', '1.5 %')
    """
    return f"{float(100 * Fraction(repr(fraction))):g} %"


def asked(
    pool: Campaign,
    measures: str | Measure | Sequence[str | Measure],
    fractions: Sequence[float],
    trials: int,
    seed: int | Generator,
    rounding: str,
    retrieved: float,
    top: int | None,
    complete_only: str | Measure | Sequence[str | Measure] = (),
) -> dict[str, Any]:
    """Checked settings: the fields of `Reduction`."""
    wanted = checked_measures(measures)
    # References, computed with all labels only.
    complete = [measure for measure in wanted if complete_only and measure in checked_measures(complete_only)]
    if len(complete) == len(wanted):
        raise ArgumentError("complete_only leaves no measure whose labels are reduced; name more in measures")
    return {
        "measures": wanted,
        "complete_only": tuple(complete),
        "fractions": checked_fractions(fractions),
        "trials": whole("trials", trials, 1),
        "seed": seed_number(seed),
        "rounding": rounding,
        "run_indices": tuple(selected_runs(pool, retrieved, top).tolist()),
    }


@dataclass(frozen=True, kw_only=True)
class Reduction(Experiment):
    """Base of studies that reduce labels as in [B07] and [S07]. A unit is a trial."""

    measures: tuple[Measure, ...]
    complete_only: tuple[Measure, ...] = ()  # of them, those whose labels are not reduced
    fractions: tuple[float, ...]
    trials: int
    rounding: str

    @property
    def reduced(self) -> tuple[Measure, ...]:
        """The measures that are also computed with fewer labels."""
        return tuple(measure for measure in self.measures if measure not in self.complete_only)

    def units(self) -> list[str]:
        """Trials."""
        return trial_units(self.trials)

    def samples(self, judgments: Judgments, unit: str, threads: int, **settings: Any) -> list[Judgments]:
        """The judgments of a trial, one for each fraction."""
        return judgments.samples(
            "reduce",
            trials=[int(unit)],
            seed=self.seed,
            rounding=self.rounding,
            threads=threads,
            **{"fractions": self.fractions, **settings},
        )
