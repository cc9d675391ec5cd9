"""`estimate`: what scores would be under complete judgments of the pool, from a sample of them, with intervals.

The four steps that docs/theory/assisted.md begins with, one after the other.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import near_one
from poolwise.basics.one_thread import one_thread_products
from poolwise.basics.results import warn_of
from poolwise.basics.settings import thread_count
from poolwise.basics.workers import Threads
from poolwise.errors import ArgumentError, InputError
from poolwise.estimates.combine import Combined, combine
from poolwise.estimates.differences import Differences, differences_of, score_ends, wanted_pairs
from poolwise.estimates.estimates import Estimate
from poolwise.estimates.layout import Array, Features, Layout, rank_features, standardised
from poolwise.estimates.notes import doubts, guessed_apart, refuse_outside, undetermined, unmoved
from poolwise.estimates.shrinkage import LEAST_RUNS, ShrunkEstimates, shrink_runs
from poolwise.estimates.targets import target_of
from poolwise.estimates.unpooled import MODES, ScoreRange, UnpooledDocuments
from poolwise.pool.coverage import check_all_lines
from poolwise.pool.judgments import Judgments, check_pool_known, fits_pool
from poolwise.pool.pool import listed_documents
from poolwise.scores.scoring import check_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from numpy.random import Generator

    from poolwise.campaign.campaign import Campaign
    from poolwise.estimates.interim_looks import Looks
    from poolwise.estimates.one_look import Looked
    from poolwise.measures.measure import Measure
    from poolwise.pool.pool import Pool

SAME = 1e-9  # standard deviations: predictors no further apart for any document are one
CONSTANT = "predictions that are the same for all documents change nothing; they are left out"


def prediction_columns(predictions: Any, layout: Layout) -> tuple[Array, list[str], frozenset[int]]:
    """Columns of each predictor: value, square, logit of probabilities, indicator of missing values.

    Columns are standardised, so x and a x + b give the same ones, but for the logit of values that all lie between 0
    and 1. Two values, such as labels 0 and 1, have neither square nor logit. The model finds the worth of columns,
    which may be none. The first one, which has a slope in each topic, is the value, or the mean of several. Predictors
    that are constant, or the same as another, are left out. Also notes on what is missing, and the topics that have
    predictions, of some of their documents at least.
    """
    from poolwise.reading.predictions import lacking, predicted_values

    names = [listed_documents(layout.pool, topic) for topic in layout.pool.topics]
    documents = [
        (topic, names[t][number])
        for t, topic in enumerate(layout.pool.topics)
        for number in layout.listed[layout.part(t)].tolist()
    ]
    predicted_by = predicted_values(predictions, documents)
    made = [_prediction_columns(np.array(values)) for values in predicted_by]
    parts = _different([columns for columns in made if columns.shape[1]])
    notes = [*lacking(predicted_by), *([CONSTANT] if any(columns.shape[1] == 0 for columns in made) else [])]
    mean = [_common(np.column_stack([part[:, 0] for part in parts]))] if len(parts) > 1 else []
    predicted = np.isfinite(np.array(predicted_by, dtype=float)).any(axis=0) & bool(parts)
    return (
        np.hstack([np.zeros((len(documents), 0)), *mean, *parts]),
        notes,
        frozenset(layout.topic_of[predicted].tolist()),
    )


def _prediction_columns(values: Array) -> Array:
    """Columns of a predictor. A constant has at most an indicator of missing values."""
    known = np.isfinite(values)
    different = len(np.unique(values[known]))
    columns: list[Array] = []
    if different > 1:
        scaled = near_one(values)
        columns.append(np.where(known, scaled, scaled[known].mean()))
    if different > 2:
        columns.append(standardised(columns[0][:, None])[:, 0] ** 2)
        if values[known].min() >= 0.0 and values[known].max() <= 1.0:
            filled = np.where(known, values, values[known].mean())
            # A certain prediction would have an infinite logit.
            inside = np.clip(filled, 1e-3, 1.0 - 1e-3)
            columns.append(np.log(inside / (1.0 - inside)))
    if not known.all():
        columns.append((~known).astype(float))
    return standardised(np.column_stack([np.zeros((len(values), 0)), *columns]))


def _different(parts: list[Array]) -> list[Array]:
    """Predictors without multiples of others. Of these the one with most columns stays."""
    distinct: list[Array] = []
    for part in sorted(parts, key=lambda part: -part.shape[1]):
        if all(_apart(part, other) > SAME for other in distinct):
            distinct.append(part)
    return [part for part in parts if any(part is other for other in distinct)]


def _apart(first: Array, second: Array) -> float:
    """Largest distance between two predictors, up to their sign."""
    values, others = first[:, 0], second[:, 0]
    return float(min(np.abs(values - others).max(), np.abs(values + others).max()))


def _common(values: Array) -> Array:
    """Mean of predictors, with the sign of those reversed that contradict the majority."""
    # The first principal axis; signs are those beside the predictor that has most of it.
    axis = np.linalg.eigh(values.T @ values)[1][:, -1]
    signs = np.where(axis * axis[np.argmax(np.abs(axis))] < 0, -1.0, 1.0)
    return standardised((values @ signs)[:, None])


STILL = ScoreRange.none(1)


def estimate(
    campaign: Campaign,
    *measures: str | Measure | Sequence[str | Measure],
    judgments: Judgments | None = None,
    level: float = 0.95,
    steadied: bool | None = None,
    runs: str | Sequence[str] | None = None,
    predictions: Any = None,
    columns: Mapping[str, str] | None = None,
    difference: Any = None,
    outside: Literal["range", "nonrelevant", "error"] = "range",
    looks: Looks | None = None,
    seed: int | Generator = 0,
    threads: int | None = None,
) -> Estimate:
    """Estimate what scores would be under complete judgments of the pool, from a sample, with intervals.

    What is estimated is the mean over these topics; the interval speaks of which documents were drawn for
    judging, not of other topics.

    Parameters
    ----------
    *measures : str, Measure or list of these
        Any that is a mean over topics, also one of your own.
    judgments : Judgments, optional
        The sample; what the pool was read with unless given.
    level : float
        Of the intervals.
    steadied : bool, optional
        Whether to steady each run's value by all others; from ten runs on unless given.
    runs : str or sequence of str, optional
        What is reported; all runs of the pool feed the relevance model.
    predictions : path, mapping, data frame or a list of these, optional
        Rows of topic, document, value that join the model, such as labels of a language model. Units and origin
        of values do not matter, unless all lie between 0 and 1: these are taken for probabilities.
    columns : mapping, optional
        What columns of predictions are called, as in `{"value": "llm_grade"}`: topic, document, value.
    difference : str, pair, or sequence of pairs, optional
        Differences to estimate: a run (against all others), a pair, pairs, or "all".
    outside : {"range", "nonrelevant", "error"}
        What becomes of documents within a measure's depth that are neither judged nor pooled, which no sample
        speaks for: the interval holds whatever labels they have, they count as non-relevant, or there must be
        none.
    looks : Looks, optional
        Where judging ends and the looks so far, as in `Looks(end=300)`: adds a band that holds at every look, and
        the widths to expect.
    seed : int or Generator
        Of what is drawn from the relevance model for measures without a formula, such as RR, bpref and one's own.
        The error of so few draws is in the interval.
    threads : int, optional
        How many to use; every core allowed unless given.

    Returns
    -------
    Estimate
        Scores with intervals of their means.

    References
    ----------
    docs/theory/assisted.md.

    Examples
    --------
    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": 0, "c": 1}}, {"mine": {"1": {"a": 3, "b": 2, "c": 1}}})
    >>> pool.estimate("P@2").means().tolist()
    [[0.5]]
    """
    judgments = campaign.judgments if judgments is None else judgments
    if not isinstance(predictions, Features):  # which `prepare` makes once for many samples of one pool
        predictions = campaign._predicted(predictions, columns)
    _check(campaign, judgments, level, outside)
    asked = check_measures(measures)
    layout = Layout.of(campaign, judgments, checks.seed_number(seed))
    _check_looks(looks, layout)
    targets = [target_of(measure, layout) for measure in asked]
    chosen = list(campaign.runs) if runs is None else checks.names("runs", runs)
    if not chosen:
        raise ArgumentError("runs names no run; leave it out to report all")
    numbers = [campaign.run_number(run) for run in chosen]
    beyond = UnpooledDocuments(judgments, numbers, wanted_pairs(difference, chosen, campaign.runs), targets, outside)
    refuse_outside(beyond, chosen)
    enough = len(chosen) >= LEAST_RUNS and layout.share_of_topics == 1.0
    pooling = steadied is not False and enough and bool((layout.weight > 0).any())
    with one_thread_products():
        features, notes = _features(layout, predictions, thread_count(threads))
        if steadied and not enough:
            notes.append(f"values are not steadied: that takes {LEAST_RUNS} runs or more, and labels of every topic")
        # Topics of which nothing was drawn can be estimated where predictions speak for them.
        layout = layout.spoken_for(features.spoken)
        combined = combine(layout, features, targets, numbers, pooling, thread_count(threads), beyond)
        with Threads(thread_count(threads)) as executor:
            pools = list(executor.map(lambda each: shrink_runs(each) if pooling else None, combined))
        predicted = features.predicted > 0 if features is predictions else predictions is not None
        settings = {"steadied": steadied, "predictions": predicted, "outside": outside}
        return _result(
            layout, combined, pools, beyond, chosen, level, settings, looks, [*notes, *judgments.in_view_words()]
        )


def prepare(pool: Pool, judgments: Judgments, predictions: Any = None, threads: int | None = None) -> Features:
    """Make the columns of the relevance model, which depend on the runs and the pool, not on labels."""
    with one_thread_products():
        return _features(Layout.of(pool, judgments), predictions, thread_count(threads))[0]


def _features(layout: Layout, predictions: Any, threads: int) -> tuple[Features, list[str]]:
    """The columns, and which predictions are missing."""
    if isinstance(predictions, Features):
        return predictions, []
    if predictions is None:
        return rank_features(layout, None, threads), []
    columns, note, topics = prediction_columns(predictions, layout)
    return replace(rank_features(layout, columns, threads), spoken=topics), note


def _check(pool: Pool, judgments: Judgments, level: float, outside: str) -> None:
    checks.level(level)
    checks.choice("outside", outside, MODES)
    if not isinstance(judgments, Judgments):
        raise ArgumentError(
            f"judgments={type(judgments).__name__} are not of this pool; read them with the runs, as in "
            "pw.read(plan, runs).estimate(...)"
        )
    if not fits_pool(judgments, pool):
        raise ArgumentError("judgments of this pool are needed; draw them from pool.judgments")
    if judgments.count() == 0:
        raise InputError("nothing is judged, so nothing can be estimated; fill in labels, or merge them with the plan")
    check_pool_known(judgments)
    check_all_lines(judgments, taken_for_complete=outside == "nonrelevant")


def _check_looks(looks: Looks | None, layout: Layout) -> None:
    if looks is not None and not hasattr(looks, "see"):
        raise ArgumentError(f"looks={looks!r} are none; give poolwise.Looks(end=300), or those of the last estimate")
    if looks is not None and layout.share_of_topics < 1.0:
        raise ArgumentError("looks need every topic to be drawn; plan another round that reaches them all")


def _result(
    layout: Layout,
    combined: list[Combined],
    pools: list[ShrunkEstimates | None],
    outside: UnpooledDocuments,
    runs: list[str],
    level: float,
    settings: dict[str, Any],
    looks: Looks | None,
    lacking: list[str],
) -> Estimate:
    alone = _columns([_interval(each, level) for each in combined])
    variances = [each.variance for each in combined]
    ranges = _columns([_ranged(each, level) for each in combined])
    differences = differences_of(combined, pools, outside, runs, level) if outside.pairs else None
    if differences is not None:
        differences = _without_intervals(differences, _unknown(combined, outside, differences.standard_error))
    looked: Looked | None = None
    if looks is not None:
        from poolwise.estimates.one_look import look

        looked = look(layout, combined, outside, runs, differences, looks, level)
    if looked is not None and looked.pairs is not None and differences is not None:
        differences = replace(differences, band_low=looked.pairs[0], band_high=looked.pairs[1])
    notes = (
        *lacking,
        *doubts(layout, combined, runs, alone[0], outside, settings["predictions"]),
        *(looked.notes if looked else ()),
    )
    warn_of(notes)
    together = [
        _pooled_interval(each, of_runs, level)
        for of_runs, each in zip(combined, pools, strict=True)
        if each is not None
    ]
    return Estimate(
        runs,
        [layout.pool.topics[number] for number in layout.in_mean],
        [str(each.target.measure) for each in combined],
        np.stack([each.per_topic for each in combined]),
        ranges,
        plain=alone[1:],
        outside=outside.shares(),
        standard_error=np.stack([_standard_error(each) for each in combined], axis=1),
        df=np.stack([variance.df for variance in variances], axis=1),
        steadied=_columns(together) if len(together) == len(combined) else None,
        differences=differences,
        looked=looked,
        warnings=notes,
        settings={
            "level": level,
            "judged": int(layout.judged.sum()),
            "documents": len(layout.labels),
            "relative": [str(each.target.measure) for each in combined if each.target.measure.declaration.relative],
            **settings,
            **({} if layout.share_of_topics == 1.0 else {"topics_drawn_of": layout.topics_drawn_of}),
        },
    )


def _unknown(combined: list[Combined], outside: UnpooledDocuments, errors: Array) -> Array:
    """Pairs without an estimate of the error.

    Topics have no label yet, or none and no design (where copies of a run still differ by 0), no judged document moves
    either run, or none moves the difference, which holds a guess.
    """
    pairs = np.array(outside.pairs).reshape(-1, 2)
    a, b = pairs.T
    lacking = np.concatenate([(none := undetermined(each))[a] & none[b] & (each.between > 0.0) for each in combined])
    guessed = np.concatenate([guessed_apart(each, pairs) for each in combined])
    still = np.concatenate([(alone := unmoved(each))[a] & alone[b] for each in combined]) | (errors == 0.0)
    layout = combined[0].model.layout
    return np.asarray(lacking | (guessed & (still | bool(layout.silent))) | bool(layout.waiting))


def _without_intervals(differences: Differences, where: Array) -> Differences:
    """Differences, some of them alone."""
    ends: dict[str, Any] = {
        name: np.where(where, np.nan, getattr(differences, name))
        for name in ("low", "high", "standard_error", "steadied_low", "steadied_high", "plain_low", "plain_high")
    }
    notes = ("" if lacking else note for lacking, note in zip(where.tolist(), differences.note, strict=True))
    return replace(differences, **ends, note=tuple(notes))


def _columns(parts: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    value, low, high = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    return value, low, high


def _interval(combined: Combined, level: float) -> tuple[Array, Array, Array]:
    """Interval for sampling alone, with documents outside the pool as non-relevant."""
    return _cut(combined, combined.values, _half_width(combined, level), STILL)


def _ranged(combined: Combined, level: float) -> tuple[Array, Array, Array]:
    """Interval extended by the possible effects of documents outside the pool."""
    return _cut(combined, combined.values, _half_width(combined, level), combined.reach)


def _pooled_interval(shrunk: ShrunkEstimates, combined: Combined, level: float) -> tuple[Array, Array, Array]:
    half = np.full(len(shrunk.values), np.nan) if combined.model.layout.unknown else shrunk.half_width(level)
    return _cut(combined, shrunk.values, half, combined.reach)


def _half_width(combined: Combined, level: float) -> Array:
    return np.where(undetermined(combined), np.nan, combined.variance.half_width(level))


def _standard_error(combined: Combined) -> Array:
    """Standard error, or None while topics wait for their first label."""
    errors = combined.variance.standard_error
    return np.full(len(errors), np.nan) if combined.model.layout.unknown else errors


def _cut(combined: Combined, values: Array, width: Array, reach: ScoreRange) -> tuple[Array, Array, Array]:
    """Value and interval limits, clipped to the measure's range."""
    return (
        np.clip(values, *combined.target.bounds),
        *score_ends(values, width, reach, combined.target.bounds, combined.target.is_share),
    )
