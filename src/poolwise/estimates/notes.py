"""Warnings about intervals, with the coverage found in tests.

The numbers were measured on TREC-8 and TREC-COVID by drawing samples from complete judgments
(docs/theory/assisted.md, section *When not to trust it*).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poolwise.basics.words import counted, part_of
from poolwise.errors import InputError
from poolwise.estimates.combine import Combined
from poolwise.estimates.layout import Array, Layout, Whole
from poolwise.estimates.shrinkage import LEAST_RUNS
from poolwise.estimates.targets import Target
from poolwise.estimates.unpooled import UnpooledDocuments
from poolwise.scores.score_notes import percent, top_words

__all__ = ["doubts", "guessed_apart", "ranks_seen", "refuse_outside", "runs_outside", "undetermined", "unmoved"]

BARREN_MATTER_BELOW = 20  # topics: with fewer, one without a relevant document already costs coverage
SHOWN = 3  # runs that a note names
NEAR_ZERO = 0.03  # estimates below rest on so few documents that intervals are doubtful
FEW_DOCUMENTS = 5.0  # degrees of freedom of a variance, in the median over runs
FEW_LABELS = 60  # in all
FEW_PER_TOPIC = 3.0  # labels: with fewer, next to no pair of labels tells of the number of relevant documents
FEW_RUNS = 5  # with fewer, what is said of five says too much
MANY_BARREN = 0.15  # share of topics without a judged relevant document
MOSTLY_LONE = 0.5  # share of the unjudged documents that are in strata with one label


def doubts(
    layout: Layout,
    combined: Sequence[Combined],
    runs: Sequence[str],
    values: Array,
    outside: UnpooledDocuments,
    predicted: bool,
) -> tuple[str, ...]:
    """All warnings about intervals."""
    notes = _outside(outside, runs)
    if not (layout.inclusion < 1.0).any():
        return tuple(notes)
    if layout.unknown:  # all else is about intervals
        return tuple(dict.fromkeys([*notes, *_waiting(layout), *_silent(layout)]))
    known = [~undetermined(each) for each in combined]  # runs that have an interval
    notes += [*_other_topics(layout), *_unseen_strata(layout)]
    notes += [*_few_in_all(layout), *_few_runs(layout, predicted)] if np.any(known) else []
    for number, each in enumerate(combined):
        notes += _no_interval(each, runs)
        if not known[number].any():
            continue
        notes += _scarce_labels(each) or _lone_labels(each)
        notes += _barren_topics(each)
        notes += _near_zero(each, runs, np.where(known[number], values[:, number], np.nan))
        notes += _few_documents(each)
        notes += _all_judged(each, runs, outside)
    return tuple(dict.fromkeys(notes))


def undetermined(combined: Combined) -> Array:
    """Note on runs without an interval: no judged document moves their estimate, although labels are missing.

    All are where a topic has no label and nothing that speaks for it: it was drawn from but waits, or nothing was drawn
    from it, and it has no predictions; and where all labels are of one
    class: the model takes what it has not seen for impossible.

    Where no missing label can move a run's score, as when all above the cut-off is judged and the ideal list is known,
    the estimate is exact and its interval has width 0. The model expects no variance then: no document has weight.
    """
    layout = combined.model.layout
    if layout.unknown:
        return np.ones(len(combined.variance.value), dtype=bool)
    still = (combined.variance.value == 0.0) | (len(_judged_classes(combined)) < 2)
    if _unseen(layout).any():  # what labels that are simulated do together is the model's guess then, and nothing else
        still |= unmoved(combined)
    if not still.any() or not (layout.inclusion < 1.0).any():
        return np.zeros(len(still), dtype=bool)
    if not _unseen(layout).any():  # the model's expectation leaves out strata of which nothing is judged
        still &= combined.expected > 0.0
    elif combined.target.ideal is None:  # precision at a cut-off needs no more than the documents above it
        still &= ~_decided(layout, combined.target)[list(combined.runs)]
    return still


def unmoved(combined: Combined) -> NDArray[np.bool_]:
    """Runs whose estimate no judged document moves, and none is expected to."""
    return np.asarray(~combined.shares.any(axis=1) & (combined.expected == 0.0))


def guessed_apart(combined: Combined, pairs: Whole) -> NDArray[np.bool_]:
    """Pairs (p x 2) whose difference may depend on the model alone, for strata without labels.

    Copies of a run do not, nor do measures of the top alone where all of it is judged for certain.
    """
    layout, target = combined.model.layout, combined.target
    a, b = pairs.T
    if not _unseen(layout).any():
        return np.zeros(len(pairs), dtype=bool)
    lists = _lists(combined)
    apart = (lists[a] != lists[b]).any(axis=1)
    if target.ideal is None or (target.kind == "simulated" and not target.measure.declaration.relative):
        known = _decided(layout, target)[list(combined.runs)]
        apart &= ~(known[a] & known[b])
    return np.asarray(apart)


def _lists(combined: Combined) -> Whole:
    """Runs x topics: numbers that are the same where two runs have the same pooled documents at the same ranks."""
    layout, target = combined.model.layout, combined.target
    ranks = np.arange(1.0, ranks_seen(target) + 1.0)
    found = [
        np.unique(layout.rank_weights(t, list(combined.runs), ranks), axis=0, return_inverse=True)[1].reshape(-1)
        for t in layout.in_mean.tolist()
    ]
    return np.stack(found, axis=1)


def ranks_seen(target: Target) -> int:
    """How many ranks the measure looks at, of as many as any run has."""
    return min(target.depth, len(target.discounts))


def _unseen(layout: Layout) -> NDArray[np.bool_]:
    """Documents of strata of which nothing is judged, in topics that means are over."""
    return np.asarray((layout.inclusion == 0.0) & np.isin(layout.topic_of, layout.in_mean))


def _judged_classes(combined: Combined) -> Array:
    """Which classes there are among the judged documents."""
    classes = combined.model.classes
    return np.unique(classes[classes >= 0])


def _other_topics(layout: Layout) -> list[str]:
    if layout.share_of_topics == 1.0:
        return []
    return [
        f"{len(layout.in_mean)} of {layout.topics_drawn_of} topics were drawn; intervals speak of all of them, and "
        f"hold what topics differ by{_few_labels(layout)}"
    ]


def _few_labels(layout: Layout) -> str:
    """A note on few labels of drawn topics, with the coverage found for them."""
    if int(layout.judged.sum()) >= FEW_LABELS:
        return ""
    return f"; of fewer than {FEW_LABELS} labels 95 % intervals held 70 to 94 %, those of differences 85 to 99 %"


def _few_in_all(layout: Layout) -> list[str]:
    """Note on too few labels for a reliable variance."""
    labels = int(layout.judged.sum())
    if labels >= FEW_LABELS or layout.share_of_topics < 1.0:
        return []
    return [
        f"{counted(labels, 'label')} in all; from fewer than {FEW_LABELS} 95 % intervals of runs held 87 to 99 %, "
        "those of differences 89 to 98 %, and values were up to .14 too high on average"
    ]


def _waiting(layout: Layout) -> list[str]:
    """Topics without a label: judging went topic by topic and is not done."""
    if not layout.waiting:
        return []
    names = [layout.pool.topics[number] for number in layout.waiting[:SHOWN]]
    more = ", ..." if len(layout.waiting) > SHOWN else ""
    have = "has" if len(layout.waiting) == 1 else "have"
    return [
        f"{len(layout.waiting)} of {len(layout.in_mean)} topics that the plan drew from {have} no label yet "
        f"({', '.join(names)}{more}), so there are no intervals: no label speaks for these topics, whose scores are "
        "the model's guess; judge at least one drawn document of each (plans list them in an order that reaches every "
        "topic first)"
    ]


def _silent(layout: Layout) -> list[str]:
    """Topics that are listed, of which nothing is judged, drawn or predicted."""
    if not layout.silent:
        return []
    names = ", ".join(layout.pool.topics[number] for number in layout.silent[:SHOWN])
    more = ", ..." if len(layout.silent) > SHOWN else ""
    return [
        f"of {len(layout.silent)} of {counted(len(layout.in_mean), 'topic')} the judgments list documents and no "
        f"label ({names}{more}), and neither a design nor predictions speak for them, so there are no intervals: "
        "scores there are the model's guess; judge some documents of each, give predictions, or leave out their lines; "
        f"{DRAWN_TOPICS}"
    ]


DRAWN_TOPICS = "if a plan drew topics, merge the labels with that plan, which says so"


def _unseen_strata(layout: Layout) -> list[str]:
    none = _unseen(layout)
    unseen = int(none.sum())
    if not unseen:
        return []
    are, they_add = ("is", "it adds") if unseen == 1 else ("are", "they add")
    without = len(np.setdiff1d(layout.topic_of[none], layout.topic_of[layout.inclusion > 0.0]))
    topics = f"; of {counted(without, 'topic')} nothing is judged: {DRAWN_TOPICS}" if without else ""
    return [
        f"{counted(unseen, 'pooled document')} {are} in strata of which nothing is judged; what {they_add} is the "
        f"model's guess, whose error the intervals do not hold; judge some of each stratum{topics}"
    ]


def _few_runs(layout: Layout, predicted: bool) -> list[str]:
    runs = len(layout.pool.runs)
    if runs >= LEAST_RUNS:
        return []
    held = "with two 95 % intervals held 92 to 100 %" if runs < FEW_RUNS else "with five 95 % intervals held 93 to 96 %"
    more = "more runs say more" if predicted else "more runs, or predictions, say more"
    return [f"only {counted(runs, 'run')} to learn relevance from ({held}); {more}"]


def _scarce_labels(combined: Combined) -> list[str]:
    """Note on measures relative to relevant documents, for topics with one or two labels."""
    layout = combined.model.layout
    each = int(layout.judged.sum()) / len(layout.in_mean)
    if combined.target.kind == "simulated" or combined.target.ideal is None or each >= FEW_PER_TOPIC:
        return []
    return [
        f"{combined.target.measure}: {each:.1f} labels per topic; from fewer than {FEW_PER_TOPIC:g} values were off "
        "by up to .06 on average, and 95 % intervals of runs held 86 to 99 %, those of differences 90 to 99 %"
    ]


def _lone_labels(combined: Combined) -> list[str]:
    """Note on strata with one label, in which correlated errors cannot be estimated."""
    layout = combined.model.layout
    left = ~layout.judged & (layout.inclusion > 0.0) & np.isin(layout.topic_of, layout.in_mean)
    single = int((left & layout.unpaired).sum())
    if combined.target.kind == "simulated" or combined.target.ideal is None or single <= MOSTLY_LONE * left.sum():
        return []
    return [
        f"{combined.target.measure}: most strata have one label, as plans for differences have; 95 % intervals of "
        "single runs then held 90 to 97 %, those of differences 94 to 97 %"
    ]


def _barren_topics(combined: Combined) -> list[str]:
    """Note on topics without a judged relevant document, whose variance is underestimated."""
    layout = combined.model.layout
    relevant = np.bincount(layout.topic_of[combined.model.classes > 0], minlength=layout.topics)
    topics = len(layout.in_mean)
    barren = int((relevant[layout.in_mean] == 0).sum())
    share = barren / topics
    found = f"{combined.target.measure}: {part_of(barren, topics, 'topic')} no judged relevant document"
    if barren and topics < BARREN_MATTER_BELOW:
        expected = "88 to 89 %" if share >= MANY_BARREN else "91 to 97 %"
        return [f"{found} and topics are few; 95 % intervals then held {expected}"]
    if share >= MANY_BARREN:
        return [f"{found}; 95 % intervals then held 90 to 95 %, and values were about .01 too low"]
    return []


def _near_zero(combined: Combined, runs: Sequence[str], values: Array) -> list[str]:
    low = [run for run, value in zip(runs, values, strict=True) if value < NEAR_ZERO]
    if not low or combined.target.bounds != (0.0, 1.0):
        return []
    return [f"{combined.target.measure} is below {NEAR_ZERO} for {_names(low)}; such 95 % intervals held 93 to 100 %"]


def _no_interval(combined: Combined, runs: Sequence[str]) -> list[str]:
    without = [run for run, lacking in zip(runs, undetermined(combined), strict=True) if lacking]
    if not without:
        return []
    classes = _judged_classes(combined)
    why = "no judged document moves the estimate"
    if len(classes) < 2:
        why = "all that is judged is relevant alike" if classes.any() else "nothing that is judged is relevant"
    return [f"{combined.target.measure} has no interval for {_names(without)}: {why}, so its error cannot be told"]


def _few_documents(combined: Combined) -> list[str]:
    """Note on shallow measures if the sample has hardly a document at their ranks."""
    seen = combined.seen
    if not combined.target.rests_on_few or not (seen.value > 0.0).any():
        return []
    if float(np.median(seen.df[seen.value > 0.0])) >= FEW_DOCUMENTS:
        return []
    return [
        f"{combined.target.measure} rests on few of the judged documents; 95 % intervals then held 90 to 100 %; "
        f"more labels of a plan for {combined.target.measure} help, which judges those that matter"
    ]


def _all_judged(combined: Combined, runs: Sequence[str], outside: UnpooledDocuments) -> list[str]:
    """Cut-offs above which every document is judged for certain."""
    if combined.target.measure.cutoff is None or combined.target.kind == "precision":
        return []
    layout = combined.model.layout
    decided = _decided(layout, combined.target) & (outside.counts(outside.depth(combined.target)).sum(axis=1) == 0)
    known = {run for run, done in zip(layout.pool.runs, decided, strict=True) if done}
    shown = [run for run in runs if run in known]
    if not shown:
        return []
    return [
        f"{combined.target.measure} is determined by complete judgments of all top {combined.target.depth} documents "
        f"for {_names(shown)}; what is left to estimate is the ideal list, if anything"
    ]


def _decided(layout: Layout, target: Target) -> NDArray[np.bool_]:
    """Runs whose pooled documents, as deep as the measure looks, are judged for certain, in every topic."""
    decided, ranks = np.ones(len(layout.pool.runs), dtype=bool), np.ones(ranks_seen(target))
    for t in range(layout.topics):
        left = np.flatnonzero(decided)
        if not len(left):
            break
        within = layout.rank_weights(t, left.tolist(), ranks)
        decided[left] = within @ (layout.inclusion[layout.part(t)] < 1.0) == 0.0
    return decided


def refuse_outside(outside: UnpooledDocuments, runs: Sequence[str]) -> None:
    """Refuse documents outside the pool if outside="error"."""
    for target, shares in zip(outside.targets, outside.shares().T, strict=True):
        worst = int(shares.argmax())
        unknown = target.measure.declaration.function is not None and not target.measure.is_condensed
        if outside.mode == "range" and unknown and shares[worst] > 0.0:
            raise InputError(
                f"{target.measure}: {runs[worst]} has documents outside the pool, and how far these could move a "
                "measure of your own is not known; plan and judge them, or use outside='nonrelevant'"
            )
        if outside.mode == "error" and shares[worst] > 0.0:
            raise InputError(
                f"{target.measure}: {percent(shares[worst])} of {top_words(outside.depth(target))} of {runs[worst]} is "
                "outside the pool, neither judged nor pooled; plan and judge these documents, or use outside='range'"
            )


def _outside(outside: UnpooledDocuments, runs: Sequence[str]) -> list[str]:
    """Note on runs with documents outside the pool, and their treatment."""
    notes = []
    for target, shares in zip(outside.targets, outside.shares().T, strict=True):
        if target.measure.is_condensed:  # such documents are left out of the list, as they are of scores
            continue
        order = [run for run in np.argsort(-shares, kind="stable").tolist() if shares[run] > 0.0]
        if order:
            shown = [f"{percent(shares[run])} for {runs[run]}" for run in order[:SHOWN]]
            more = f" and less for {counted(len(order) - SHOWN, 'more run')}" if len(order) > SHOWN else ""
            notes.append(
                f"{target.measure}: part of {top_words(outside.depth(target))} is outside the pool, neither judged nor "
                f"pooled: {', '.join(shown)}{more}; {_effect(outside, target)}"
            )
    return notes + _without_them(outside)


def _without_them(outside: UnpooledDocuments) -> list[str]:
    """A note that other runs are better off without those that have documents outside the pool, with their names."""
    names = outside.judgments.pool.runs
    having = runs_outside(outside)
    if outside.mode != "range" or not having or len(having) == len(names):
        return []
    widen = "widens" if len(having) == 1 else "widen"
    return [
        f"{counted(len(having), 'run')} with documents outside the pool {widen} the intervals of all others, too: "
        f"{_names(having)}; judge these documents, or read the others alone (`poolwise estimate --without outside`), "
        "and these are narrower"
    ]


def runs_outside(outside: UnpooledDocuments) -> list[str]:
    """Runs whose documents outside the pool affect other runs, by the number of relevant documents."""
    names = outside.judgments.pool.runs
    targets = [target for target in outside.targets if target.kind != "simulated" and target.ideal is not None]
    if not targets:
        return []
    number = sum(outside.counts(outside.depth(target)).sum(axis=1) for target in targets)
    return [name for name, count in zip(names, np.asarray(number).tolist(), strict=True) if count > 0]


def _effect(outside: UnpooledDocuments, target: Target) -> str:
    """The treatment of documents outside the pool, in words."""
    if outside.mode != "range":
        return "these count as non-relevant, and intervals do not know of them"
    if target.kind == "simulated":
        return "intervals reach as far as labels that were tried on these move a score"
    return (
        "intervals reach from where these are at their worst to where they are at their best, and allow for relevant "
        "ones among those that only other runs have"
    )


def _names(runs: list[str]) -> str:
    return ", ".join(runs[:3]) + (f" and {counted(len(runs) - 3, 'more run')}" if len(runs) > 3 else "")
