"""`model_effect`: whether a model's labels favour some runs, and what they save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import student_below, student_quantile
from poolwise.basics.results import Result
from poolwise.campaign.campaign import Campaign, read
from poolwise.comparisons.significance_tests import holm
from poolwise.errors import InputError
from poolwise.pool.joined_parts import encoded, relisted
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments, is_judged
from poolwise.pool.pool import listed_documents
from poolwise.reading.named_columns import shared_out
from poolwise.trust.label_agreement import LabelAgreement, label_agreement
from poolwise.trust.label_sheet import by_assessor, combined_labels
from poolwise.trust.rank_correlation import kendall_tau

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.trust.label_sheet import LabelSheet


def columns_of_both(
    columns: Mapping[str, str] | None, labels: Mapping[str, Any], runs: Sequence[Any]
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """Names of the columns of labels, and of those of runs."""
    return shared_out(columns, list(labels.values()), runs) if columns else (None, None)


def pool_of(sheet: LabelSheet, runs: Sequence[Any], columns: Mapping[str, str] | None = None) -> Campaign:
    """A pool of a sheet's documents and the runs, as `read` takes them; nothing is judged yet."""
    _check(sheet)
    listed: dict[str, dict[str, int]] = {}
    for topic, document in zip(sheet.topics, sheet.documents, strict=True):
        listed.setdefault(topic, {})[document] = 0
    # The pool must know every label that any assessor gave; these documents are outside the pool in what follows.
    first = next(iter(listed.values()))
    first |= {f"(label {int(value)})": int(value) for value in sheet.values()}
    return read(listed, *runs, unjudged=None, columns=columns, documents="all")


def pool_again(sheet: LabelSheet, pool: Campaign) -> Campaign:
    """A pool of a sheet's documents from runs in memory, which must have the sheet's topics."""
    _check(sheet)
    lines = [
        b"%b 0 %b 0\n" % (encoded(topic), encoded(document))
        for topic, document in zip(sheet.topics, sheet.documents, strict=True)
    ]
    # The pool must know every label that an assessor gave; these documents stay outside of it.
    lines += [b"%b 0 (label-%d) %d\n" % (encoded(sheet.topics[0]), value, value) for value in sheet.values().tolist()]
    made = Campaign(relisted(pool, range(len(pool.runs)), lines), list(pool.runs))
    made.judgments = Judgments(made)
    return made


def _check(sheet: LabelSheet) -> None:
    values = sheet.values()
    if (values != np.floor(values)).any():
        raise InputError("labels with a point cannot be scored as they are; round the labels to whole ones first")


class PlacedLabels:
    """Where each document of a sheet stands in a pool that lists them all."""

    def __init__(self, sheet: LabelSheet, pool: Campaign) -> None:
        self.sheet, self.pool = sheet, pool
        offsets = self.pool.judgments.offsets.tolist()
        index_of = {
            (topic, document): begin + number
            for topic, begin in zip(self.pool.topics, offsets[:-1], strict=True)
            for number, document in enumerate(listed_documents(self.pool, topic))
        }
        pairs = zip(sheet.topics, sheet.documents, strict=True)
        self.at = np.array([index_of[pair] for pair in pairs], dtype=np.int64)
        self._size = offsets[-1]
        self._strata = np.ones(self._size, dtype=np.int32)
        self._strata[self.at] = sheet.cells.stratum[sheet.cells.of]

    def judgments(self, labels: Floats) -> Judgments:
        """Labels of the sheet's documents, NaN for none, as judgments of the pool."""
        placed = np.full(self._size, OUTSIDE, dtype=np.int32)
        placed[self.at] = np.where(np.isnan(labels), POOLED, np.nan_to_num(labels)).astype(np.int32)
        return Judgments(self.pool, placed, strata=self._strata)

    def combined(self, sheet: LabelSheet, by: str) -> Floats:
        """One label per document, NaN for none."""
        labels = [label for _, _, label, _ in combined_labels(sheet, by)]
        return np.array([np.nan if label is None else float(label) for label in labels])


def scored(pool: Campaign, judgment_sets: list[Judgments], measure: str | Measure) -> Floats:
    """Means of all runs (sets x runs)."""
    return np.asarray(pool.score(measure, judgments=judgment_sets).means()[:, :, 0])


TRIED = 0.1  # share of complete labels from which it is tried what a model saves


@dataclass(frozen=True, eq=False, repr=False)
class ModelEffect(Result):
    """Scores by a model's labels against what people's labels say, run by run.

    `difference` is score by the model less score (or estimate) by people; `favour` is that less its mean over runs:
    how much better a run comes off than others. `low` and `high` are of the favour, and hold for all runs together;
    `p` is corrected for the number of runs (Holm). `width_without` and `width_with` are mean widths of intervals of
    runs from people's labels alone, and with the model's labels as predictions.
    """

    model: str
    measure: str
    runs: tuple[str, ...]
    people: Floats
    by_model: Floats
    difference: Floats
    favour: Floats
    low: Floats
    high: Floats
    p: Floats
    tau: float
    labels: int  # from which widths are
    width_without: float
    width_with: float
    sampled: bool
    level: float

    @property
    def favoured(self) -> tuple[str, ...]:
        """Runs that the model favours."""
        return tuple(run for run, low in zip(self.runs, self.low.tolist(), strict=True) if low > 0)

    @property
    def disfavoured(self) -> tuple[str, ...]:
        """Runs that the model disfavours."""
        return tuple(run for run, high in zip(self.runs, self.high.tolist(), strict=True) if high < 0)

    @property
    def ratio(self) -> float:
        """Widths with the model over widths without."""
        return self.width_with / self.width_without if self.width_without > 0 else 1.0

    @property
    def saved(self) -> float:
        """Share of labels that the model saves. Widths vary with the inverse square root of the number."""
        return 1.0 - self.ratio**2

    def columns(self) -> dict[str, Any]:
        """One row per run."""
        names = ("people", "by_model", "difference", "favour", "low", "high", "p")
        return {"run": list(self.runs), **{name: getattr(self, name) for name in names}}

    def headline(self) -> str:
        """Favoured runs and saved labels, in words."""
        mean = float(np.mean(self.difference))
        higher = "higher" if mean >= 0 else "lower"
        return (
            f"by labels of {self.model} runs score {abs(mean):.3f} {higher} in {self.measure} on average, and their "
            f"ranking has tau {self.tau:.3f}; they favour {_named(self.favoured)} and disfavour "
            f"{_named(self.disfavoured)}; as predictions they make intervals {_percent(1 - self.ratio)} narrower"
        )

    def details(self) -> Mapping[str, Any]:
        """The fields, and what follows from them."""
        return vars(self) | {"favoured": self.favoured, "disfavoured": self.disfavoured, "saved": self.saved}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _named(runs: tuple[str, ...]) -> str:
    return "no run" if not runs else ", ".join(runs[:3]) + (f" and {len(runs) - 3} more" if len(runs) > 3 else "")


def model_effect(
    labels: Mapping[str, Any] | Sequence[Any],
    *runs: Any,
    model: str,
    measure: str | Measure = "AP",
    by: str = "majority",
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    columns: Mapping[str, str] | None = None,
) -> ModelEffect:
    """Ask whether a model's labels favour some runs, and what they save.

    Parameters
    ----------
    labels : mapping or sequence
        Labels of people and of the model, as `label_agreement` takes them. People's may be a sample of the pool.
    *runs : path, dict, list or data frame
        Runs, as `read` takes them.
    model : str
        Whose labels are the model's.
    measure : str or Measure
        What to score by; one that can be estimated.
    by : {"majority", "mean", "first", "adjudicated"}
        How people's labels are combined.
    level : float
        Of the intervals, which hold for all runs together.
    seed : int or Generator
        Of the sample from which it is tried what complete labels could have saved.
    columns : mapping, optional
        What columns of labels and runs are called, as in `{"topic": "query", "score": "similarity"}`.

    Returns
    -------
    ModelEffect
        Every run's score by the model and by people, how much it is favoured, and widths with and without the model.

    Examples
    --------
    >>> people = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 0, "b": 1, "c": 0}}
    >>> model = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 0, "b": 1, "c": 1}}
    >>> runs = {name: {t: {d: -float(order.index(d)) for d in order} for t in "12"} for name, order in
    ...         {"x": "abc", "y": "bca"}.items()}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     effect = model_effect({"people": people, "model": model}, runs, model="model", measure="P@1")
    >>> effect.difference.tolist()
    [0.0, 0.5]
    """
    labels, seed = by_assessor(labels), checks.seed_number(seed)
    of_labels, of_runs = columns_of_both(columns, labels, runs)
    return effect_of_model(
        label_agreement(labels, columns=of_labels), runs, model=model, measure=measure, by=by, level=level, seed=seed,
        columns=of_runs,
    )  # fmt: skip


def effect_of_model(
    agreement: LabelAgreement,
    runs: Sequence[Any],
    *,
    model: str,
    measure: str | Measure,
    by: str,
    level: float,
    seed: int,
    columns: Mapping[str, str] | None = None,
) -> ModelEffect:
    """The effect of a model, given its agreement with people."""
    index = checks.known_name("assessor", model, list(agreement.sheet.assessors))
    sheet = _where_known(agreement.sheet, index)
    placed = PlacedLabels(sheet, pool_of(sheet, runs, columns))
    people = placed.combined(_without(sheet, index), by)
    judgments = placed.judgments(people)
    by_model = placed.judgments(sheet.labels[:, index])
    sampled = bool(np.isnan(people).any())
    means = scored(placed.pool, [by_model], measure)[0]
    by_people, errors, freedom = (_drawn if sampled else _over_topics)(placed.pool, judgments, by_model, measure)
    favour = (means - by_people) - (means - by_people).mean()
    half = student_quantile(freedom, 1 - (1 - level) / 2 / len(favour)) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(errors > 0, 2 * student_below(freedom, -np.abs(favour) / errors), favour == 0)
    rows = zip(sheet.topics, sheet.documents, sheet.labels[:, index].tolist(), strict=True)
    labels, without, with_model = _widths(placed.pool, judgments, measure, list(rows), sampled, level, seed)
    return ModelEffect(
        model,
        str(measure),
        tuple(placed.pool.runs),
        by_people,
        means,
        means - by_people,
        favour,
        favour - half,
        favour + half,
        holm(p),
        float(kendall_tau(by_people, means)),
        labels,
        without,
        with_model,
        sampled,
        level,
    )


def _where_known(sheet: LabelSheet, index: int) -> LabelSheet:
    """The documents that the model labelled, and of complete labels people too; both sides are scored on these."""
    known = ~np.isnan(sheet.labels[:, index])
    if not known.any():
        raise InputError(f"{sheet.assessors[index]} labelled nothing; name whose labels are the model's")
    if not sheet.sampled:  # nothing was drawn, so that people's labels speak for no others
        known &= ~np.isnan(np.delete(sheet.labels, index, axis=1)).all(axis=1)
    judged_by_model = sheet.where(known)
    cells = judged_by_model.cells
    return replace(judged_by_model, cells=replace(cells, size=np.bincount(cells.of, minlength=len(cells.size))))


def _without(sheet: LabelSheet, index: int) -> LabelSheet:
    return replace(
        sheet,
        assessors=[name for column, name in enumerate(sheet.assessors) if column != index],
        labels=np.delete(sheet.labels, index, axis=1),
    )


def _over_topics(
    pool: Campaign, people: Judgments, by_model: Judgments, measure: str | Measure
) -> tuple[Floats, Floats, float]:
    """Complete labels: how far the favour might differ on other topics."""
    scores = pool.score(measure, judgments=[people, by_model])
    by_people, with_model = scores.array(measure)
    gap = with_model - by_people
    favour = gap - gap.mean(axis=0)
    count = favour.shape[1]
    errors = favour.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.full(len(favour), np.nan)
    return by_people.mean(axis=1), errors, max(count - 1.0, 1.0)


def _drawn(
    pool: Campaign, people: Judgments, by_model: Judgments, measure: str | Measure
) -> tuple[Floats, Floats, Floats]:
    """For sampled labels: the uncertainty of the favour by the sampling of documents.

    The variance of a run's error less the mean of all follows from the variances of pairs: it is the mean of its row
    less half the mean of all.
    """
    drawn = pool.estimate(measure, judgments=people, steadied=False, difference="all", outside="nonrelevant")
    count = len(pool.runs)
    variance, df = np.zeros((count, count)), np.full((count, count), np.inf)
    if drawn.differences is not None:
        upper = np.triu_indices(count, 1)
        variance[upper], df[upper] = drawn.differences.standard_error**2, drawn.differences.df
    variance, df = variance + variance.T, np.minimum(df, df.T)
    of_runs = variance.mean(axis=1) - variance.mean() / 2
    return drawn.means()[:, 0], np.sqrt(np.maximum(of_runs, 0.0)), np.median(df, axis=1)


def _widths(
    pool: Campaign,
    people: Judgments,
    measure: str | Measure,
    predictions: list[tuple[str, str, float]],
    sampled: bool,
    level: float,
    seed: int,
) -> tuple[int, float, float]:
    """Labels, and mean widths without and with the model; complete labels are tried by a tenth of them."""
    drawn = people if sampled else _tenth(people, seed)
    widths = []
    for predicted in (None, predictions):
        estimated = pool.estimate(
            measure, judgments=drawn, steadied=False, outside="nonrelevant", predictions=predicted, level=level
        )
        widths.append(float(np.nanmean(estimated.mean_high() - estimated.mean_low())))
    return drawn.count(), widths[0], widths[1]


def _tenth(people: Judgments, seed: int) -> Judgments:
    """A tenth of the labels of every topic, three at least."""
    random = np.random.default_rng(seed)
    labels = people.labels.copy()
    for begin, end in pairwise(people.offsets.tolist()):
        known = begin + np.flatnonzero(is_judged(labels[begin:end]))
        chosen = max(3, round(TRIED * len(known)))
        labels[random.permutation(known)[chosen:]] = POOLED
    return Judgments(people.pool, labels, strata=people.strata)
