"""Scoring a pool: measures become numbers for the core, and back come `Scores`."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.results import warn_of
from poolwise.basics.settings import choice, measures_given, thread_count
from poolwise.errors import ArgumentError
from poolwise.measures.measure import label_gains
from poolwise.measures.registry import each_cutoff, parse
from poolwise.pool.judgments import Judgments, fits_pool
from poolwise.scores.score_notes import Unjudged, lacking_notes, length_notes, median_lengths, without_words
from poolwise.scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure
    from poolwise.pool.pool import Pool
    from poolwise.scores.intervals import ScoreIntervals

PARTS = 64  # the samples are cut into about so many units of work


def score_spread(core: _core.Pool, asks: list[Any], sets: list[Judgments], strata: Any, executor: Any) -> NDArray[Any]:
    """Scores of many samples, samples x measures x runs x topics; the pool goes to each worker once."""
    import numpy as np

    from poolwise.basics.workers import run_units

    size = max(1, len(sets) // PARTS)
    parts = [slice(begin, begin + size) for begin in range(0, len(sets), size)]
    units = (
        (np.stack([judgments.labels for judgments in sets[part]]), None if strata is None else strata[part])
        for part in parts
    )
    shared = core, asks, sets[0].distinct_labels()
    results = run_units(_score, shared, units, executor=executor, name=lambda _: "a part of the samples")
    return np.concatenate([values for _, values in results])


def _score(shared: tuple[_core.Pool, list[Any], list[int]], unit: tuple[NDArray[Any], NDArray[Any] | None]) -> Any:
    import numpy as np

    core, asks, distinct = shared
    labels, strata = unit
    return np.asarray(core.score(asks, labels, len(labels), distinct, 1, strata))


MISSING = ("zero", "skip")


def score(
    campaign: Campaign,
    *measures: str | Measure | Sequence[str | Measure],
    judgments: Judgments | Sequence[Judgments] | None = None,
    missing: Literal["zero", "skip"] = "zero",
    threads: int | None = None,
    interval: Literal["judgments", "topics", "both", "bounds"] | None = None,
    level: float = 0.95,
    seed: int | Generator = 0,
    resamples: int = 10_000,
    dependent: bool = False,
    executor: Any = None,
    ties: Literal["id", "expected", "range"] = "id",
) -> Scores:
    """Score every run on every topic by every measure.

    Parameters
    ----------
    *measures : str, Measure or list of these
        What to score by.
    judgments : Judgments or sequence of them, optional
        Those the pool was read with unless given; a sample of them, or many samples at once.
    missing : {"zero", "skip"}
        Whether a topic that a run lacks scores 0, or is left out of its mean.
    threads : int, optional
        How many to use; every core allowed unless given.
    interval : {"judgments", "topics", "both", "bounds"}, optional
        Adds lower and upper ends (`scores.low`, `.high`, `.mean_low`, `.mean_high`). "judgments": given these
        topics, from the sampling of judgments; infAP, as [Y08] has it, and statAP only. In simulations it held the
        truth far less often than its level says, as the warning tells; the intervals of `estimate` hold it.
        "topics": given these labels, from the choice of topics, by a studentised bootstrap of the mean; single
        topics have none. "both": of these two measures only; the spread over topics, which holds the noise of
        judgments already. "bounds": the lowest and highest score that unjudged retrieved documents leave possible.
    level : float
        Of the intervals.
    seed : int or Generator
        Of the bootstrap.
    resamples : int
        Of topics.
    dependent : bool
        Whether "judgments" takes precisions at different ranks as dependent.
    executor : concurrent.futures.Executor, optional
        Whose workers score many samples, such as a Dask client's.
    ties : {"id", "expected", "range"}
        How documents of one score are ordered: "id" by their ids, descending, as trec_eval does. "expected" gives
        the mean score over all orders of them. "range" keeps the order by id and adds the lowest and highest
        score over orders as an interval.

    Returns
    -------
    Scores
        Runs x topics x measures, with a leading axis of samples if there are many.

    Examples
    --------
    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 0.9, "a": 0.8}}})
    >>> pool.score("AP", "RR", "P@1").to_dict()
    {'mine': {'AP': 0.5, 'RR': 0.5, 'P@1': 0.0}}
    """
    judgments = campaign.judgments if judgments is None else judgments
    wanted = check_measures(measures, missing)
    sets = [judgments] if isinstance(judgments, Judgments) else list(judgments)
    if not sets or any(
        not isinstance(judgments, Judgments) or not fits_pool(judgments, campaign) for judgments in sets
    ):
        raise ArgumentError("judgments of this pool are needed; draw them from pool.judgments")
    counted = campaign.retrieved() if missing == "skip" else None
    warnings = _warnings(campaign, wanted, sets, missing)
    unjudged = Unjudged(judgments) if isinstance(judgments, Judgments) else None
    if unjudged is not None and interval != "bounds":  # bounds say it themselves
        warnings += tuple(unjudged.notes(wanted))
    settings: dict[str, Any] = {"missing": missing, "judgments": [judgments.design for judgments in sets]}
    bounds: ScoreIntervals | None = None
    if ties != "id":
        values, bounds, more = _over_orders(campaign, wanted, sets, counted, thread_count(threads), ties, interval)
        warnings += more
        settings["ties"] = ties
    elif interval is None:
        values = score_values(campaign, wanted, sets, thread_count(threads), executor)
    else:
        from poolwise.scores.intervals import IntervalRequest

        asked = IntervalRequest(interval, level, seed, resamples, dependent, wanted)
        values, bounds, more = asked.answer(campaign, sets, counted, thread_count(threads))
        warnings += more
        settings |= asked.settings()
    warn_of(warnings)
    return Scores(
        campaign.runs,
        campaign.topics,
        wanted,
        values,
        samples=None if isinstance(judgments, Judgments) else len(sets),
        counted=counted,
        warnings=warnings,
        settings=settings,
        interval=bounds,
        unjudged=unjudged,
    )


def _over_orders(
    pool: Pool,
    measures: list[Measure],
    sets: list[Judgments],
    counted: Any,
    threads: int,
    ties: str,
    interval: str | None,
) -> tuple[Any, ScoreIntervals | None, tuple[str, ...]]:
    """Scores with ties in any order: their means, or as they are with the range of orders."""
    from poolwise.scores.score_rows import TIES
    from poolwise.scores.ties import check_ties, expected_values, range_notes, tied_interval

    choice("ties", ties, TIES)
    check_ties(interval)
    if ties == "expected":
        values, notes = expected_values(pool, measures, sets, threads)
        return values, None, notes
    values = score_values(pool, measures, sets, threads)
    return values, tied_interval(pool, measures, sets, counted, threads), range_notes(pool, measures)


def check_measures(
    measures: str | Measure | Iterable[str | Measure | Iterable[str | Measure]], missing: str = "zero"
) -> list[Measure]:
    """The measures asked for, each once, one of which may stand alone; what cannot be scored is refused."""
    named = [name for item in _listed(measures) for each in _listed(item) for name in each_cutoff(each)]
    measures_given(named)
    choice("missing", missing, MISSING)
    return list(dict.fromkeys(parse(measure).require() for measure in named))


def _listed(measures: Any) -> list[Any]:
    """A list of measures where a measure may stand: what it holds."""
    return [measures] if isinstance(measures, str) or not hasattr(measures, "__iter__") else list(measures)


def to_spec(measure: Measure, labels: Sequence[float], top: float) -> _core.KernelSpec:
    """Translate a measure into what the core takes: a kernel's name and numbers per label."""
    declaration, parameters = measure.declaration, measure.parameters
    asked = _core.KernelSpec()
    asked.kernel = declaration.kernel
    asked.condensed = measure.is_condensed
    asked.cutoff = measure.cutoff or 0
    asked.relevant = [int(label >= parameters.get("rel", 1)) for label in labels]
    asked.gains = label_gains(measure, labels, top) if declaration.gains else []
    if declaration.discount:
        asked.discount, asked.discount_numbers = declaration.discount(parameters, asked.cutoff)
    asked.numbers = declaration.numbers(parameters, top) if declaration.numbers else []
    if declaration.kernel_numbers_at:
        asked.numbers = declaration.kernel_numbers_at(parameters, asked.cutoff)
    asked.counts_missing = declaration.counts_missing
    asked.low, asked.high = declaration.bounds
    return asked


def kernel_spec(measure: Measure, judgments: Judgments, kernel: str = "", dependent: bool = False) -> _core.KernelSpec:
    """The same with the labels of some judgments; estimators get the rates of their strata, where these are known.

    `kernel` is another one in place of the measure's, such as that of its variance.
    """
    asked = to_spec(measure, judgments.label_values(), judgments.top)
    if kernel:
        asked.kernel, asked.numbers = kernel, [float(dependent)]
    rates = judgments.stratum_rates
    if rates and estimates(measure):
        if measure.declaration.kernel != "statAP":
            raise ArgumentError(
                f"{measure} needs to know which documents could have been judged, and judgments with probabilities "
                "(prels) name only those that were; statAP takes them"
            )
        asked.numbers = [*asked.numbers, *rates]
    return asked


def score_values(
    pool: Pool,
    measures: list[Measure],
    sets: list[Judgments],
    threads: int,
    executor: Any = None,
    runs: list[int] | None = None,
) -> Any:
    """Scores as a buffer of doubles, samples x measures x runs x topics; of all runs, or those at given places."""
    kernels = [measure for measure in measures if measure.declaration.function is None]
    asks = [kernel_spec(measure, sets[0]) for measure in kernels]
    strata = strata_if_used(kernels, sets)
    values: Any = None
    try:
        if kernels and executor is not None and len(sets) > 1:
            values = score_spread(pool.core, asks, sets, strata, executor)
        elif kernels:
            values = from_kernels("score", pool, asks, sets, threads, strata=strata, runs=runs)
    except ArgumentError:
        raise
    except ValueError as error:
        raise ArgumentError(f"{error}; draw samples from the judgments of the pool") from None
    if len(kernels) == len(measures):
        return values
    from poolwise.measures.own_measures import score_own

    if runs is not None:  # measures of one's own see all runs
        return score_values(pool, measures, sets, threads)[:, :, runs]
    return score_own(pool, measures, sets, values)


def from_kernels(
    kind: Literal["score", "bounds", "expected", "tied_range"],
    pool: Pool,
    asks: list[_core.KernelSpec],
    sets: list[Judgments],
    threads: int,
    labels: Sequence[int] | None = None,
    **more: Any,
) -> Any:
    """Call the compiled pool for all measures and sets, with the labels that occur or other `labels`."""
    distinct = sets[0].distinct_labels() if labels is None else labels
    return getattr(pool.core, kind)(asks, labels_of(sets), len(sets), distinct, threads, **more)


def strata_if_used(measures: list[Measure], sets: list[Judgments]) -> Any:
    """The strata of all sets if any of the measures looks at strata; else None."""
    return strata_of(sets) if any(map(estimates, measures)) else None


def estimates(measure: Measure) -> bool:
    """Whether a measure is an estimator, which looks at strata."""
    return measure.declaration.estimates is not None


def labels_of(sets: list[Judgments]) -> Any:
    """The labels of all sets, one after the other."""
    if len(sets) == 1:
        return sets[0].buffer
    import numpy as np

    return np.stack([judgments.classes for judgments in sets])


def strata_of(sets: list[Judgments]) -> Any:
    """Strata of all judgment sets, concatenated. Sets without strata have a single one. None if all are so."""
    if all(judgments.strata_buffer is None for judgments in sets):
        return None
    if len(sets) == 1:
        return sets[0].strata_buffer
    import numpy as np

    size = len(sets[0].classes)
    strata = [np.zeros(size) if judgments.strata is None else judgments.strata for judgments in sets]
    return np.stack(strata).astype(np.int32)


def notes_on_runs(pool: Pool, measures: Sequence[Measure], judgments: Judgments, runs: Sequence[int]) -> list[str]:
    """Notes to read before trusting scores of some of the runs, given by their indices; no others are spoken of."""
    wanted = list(measures)
    return [*_warnings(pool, wanted, [judgments], "zero", runs), *Unjudged(judgments).notes(wanted, runs)]


def _warnings(
    pool: Pool, measures: list[Measure], sets: list[Judgments], missing: str, runs: Sequence[int] | None = None
) -> tuple[str, ...]:
    retrieved = pool.retrieved().tolist()
    topics = len(pool.topics)
    notes = lacking_notes(pool, retrieved, missing, runs)
    if len(sets) == 1:  # of many samples, nobody asks for the scores themselves
        lengths = median_lengths(retrieved)
        shown = range(len(pool.runs)) if runs is None else runs
        notes += length_notes([pool.runs[run] for run in shown], [lengths[run] for run in shown], measures)
    for rel in relevant_from(measures):
        without = topics_without(pool, sets[0], rel)
        notes += without_words(without[:11], len(without), topics, rel)
    notes += _one_subtopic_words(pool, [str(measure) for measure in measures if measure.declaration.subtopics])
    if any(estimates(measure) for measure in measures):
        notes += _strata_warnings(pool, sets)
    if any(measure.name == "infAP" for measure in measures) and any(_has_strata(judgments) for judgments in sets):
        notes.append("infAP takes judgments for a uniform sample of the pool, but these have strata; xinfAP uses them")
    return tuple(notes)


def _one_subtopic_words(pool: Pool, diverse: list[str]) -> list[str]:
    """Say where measures of diversity have nothing to tell apart."""
    subtopics = (pool.subtopic_labels(topic) for topic in range(len(pool.topics) if diverse else 0))
    if not diverse or any(len({name for _, name, _ in labels}) > 1 for labels in subtopics):
        return []
    unread = "" if pool.has_subtopics else "; the second column is read as subtopics with subtopics=True"
    one = len(diverse) == 1
    return [
        f"the judgments have one subtopic for each topic, so that {', '.join(diverse)} {'is' if one else 'are'} no "
        f"measure{'s' * (not one)} of diversity here{unread}"
    ]


def relevant_from(measures: list[Measure]) -> list[float]:
    """The labels from which on the measures take documents as relevant."""
    return sorted({measure.parameters.get("rel", 1) for measure in measures})


def _has_strata(judgments: Judgments) -> bool:
    if judgments.strata_buffer is None:
        return False
    return max(judgments.strata_buffer, default=0) > min(judgments.strata_buffer, default=0)


def _strata_warnings(pool: Pool, sets: list[Judgments]) -> list[str]:
    strata: dict[tuple[int, int], None] = {}
    for judgments in sets:
        if judgments.strata_buffer is not None:
            strata |= dict.fromkeys(pool.core.unjudged_strata(judgments.buffer, judgments.strata_buffer))
    if not strata:
        return []
    shown = [f"stratum {stratum} of topic {pool.topics[topic]}" for topic, stratum in sorted(strata)]
    where = " in some samples" if len(sets) > 1 else ""
    number, adds = ("1 stratum has", "adds") if len(strata) == 1 else (f"{len(strata)} strata have", "add")
    return [
        f"{number} no judged document{where} and {adds} no relevant documents to estimates: "
        f"{', '.join(shown[:10])}{', ...' if len(shown) > 10 else ''}"
    ]


def topics_without(pool: Pool, judgments: Judgments, rel: float = 1) -> list[str]:
    """Topics without a document judged relevant."""
    labels, offsets, lowest = judgments.buffer, pool.offsets(), pool.lowest_label(rel)
    return [
        topic
        for t, topic in enumerate(pool.topics)
        if not any(label >= lowest for label in labels[offsets[t] : offsets[t + 1]])  # the first one is soon found
    ]
