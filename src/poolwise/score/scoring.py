"""Scoring a pool: measures become numbers for the core, and back come `Scores`."""

from __future__ import annotations

from poolwise.errors import ArgumentError, PoolwiseWarning
from poolwise.judge.judgments import Judgments
from poolwise.score.registry import parse
from poolwise.score.scores import Scores
from poolwise.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.pool.pool import Pool
    from poolwise.score.measure import Measure

MISSING = ("zero", "skip")


def score(
    pool: Pool,
    measures: Sequence[str | Measure],
    judgments: Judgments | Sequence[Judgments],
    *,
    missing: str = "zero",
    threads: int | None = None,
) -> Scores:
    """Score every run on every topic by every measure, for one or many sets of judgments of the same pool."""
    if not measures:
        raise ArgumentError("no measure was given; name at least one, such as 'AP'")
    if missing not in MISSING:
        raise ArgumentError(f"missing={missing!r} is not allowed; choose one of {', '.join(MISSING)}")
    wanted = list(dict.fromkeys(parse(measure).require() for measure in measures))
    sets = [judgments] if isinstance(judgments, Judgments) else list(judgments)
    if not sets or any(given.pool.core is not pool.core for given in sets):
        raise ArgumentError("judgments of this pool are needed; draw them from pool.judgments")
    values = _values(pool, wanted, sets, thread_count(threads))
    warnings = _warnings(pool, wanted, sets[0], missing)
    _warn(warnings)
    return Scores(
        pool.runs,
        pool.topics,
        wanted,
        values,
        samples=None if isinstance(judgments, Judgments) else len(sets),
        counted=pool.core.retrieved() if missing == "skip" else None,
        warnings=warnings,
        settings={"missing": missing, "judgments": [given.design for given in sets]},
    )


def ask(measure: Measure, labels: Sequence[int], top: int) -> tuple[Any, ...]:
    """Translate a measure into what the core takes: a kernel's name and numbers per label."""
    declaration, parameters = measure.declaration, measure.parameters
    cutoff = measure.cutoff or 0
    gains = [declaration.gains(parameters, label, top) for label in labels] if declaration.gains else []
    discount, weights = declaration.discount(parameters, cutoff) if declaration.discount else ("", [])
    return (
        declaration.name,
        measure.is_condensed,
        cutoff,
        [int(label >= parameters.get("rel", 1)) for label in labels],
        gains,
        discount,
        weights,
        declaration.numbers(parameters, top) if declaration.numbers else [],
        declaration.counts_missing,
    )


def _values(pool: Pool, measures: list[Measure], sets: list[Judgments], threads: int) -> Any:
    labels = sets[0].distinct_labels()
    kernels = [measure for measure in measures if measure.declaration.function is None]
    buffer = sets[0].buffer if len(sets) == 1 else _stacked(sets)
    asks = [ask(measure, labels, sets[0].top) for measure in kernels]
    values = pool.core.score(asks, buffer, len(sets), labels, threads) if kernels else None
    if len(kernels) == len(measures):
        return values
    from poolwise.score.own import score_own

    return score_own(pool, measures, sets, values)


def _stacked(sets: list[Judgments]) -> Any:
    import numpy

    return numpy.stack([given.labels for given in sets])


def _warnings(pool: Pool, measures: list[Measure], judgments: Judgments, missing: str) -> tuple[str, ...]:
    said = []
    retrieved = memoryview(pool.core.retrieved()).cast("B").cast("i").tolist()
    lacking = retrieved.count(0)
    if lacking:
        effect = "score 0 there" if missing == "zero" else "have these topics left out of their means"
        topics = len(pool.topics)
        runs = sum(0 in retrieved[r * topics : (r + 1) * topics] for r in range(len(pool.runs)))
        said.append(f"{runs} of {len(pool.runs)} runs lack topics ({lacking} lists in all) and {effect}")
    for rel in sorted({measure.parameters.get("rel", 1) for measure in measures}):
        without = topics_without(pool, judgments, rel)
        if without:
            shown = ", ".join(without[:10]) + (", ..." if len(without) > 10 else "")
            said.append(
                f"{len(without)} of {len(pool.topics)} topics have no document judged relevant (label {rel} or more) "
                f"and score 0: {shown}"
            )
    return tuple(said)


def topics_without(pool: Pool, judgments: Judgments, rel: int = 1) -> list[str]:
    """Topics without a document judged relevant."""
    labels = memoryview(judgments.buffer).cast("B").cast("i")
    offsets = memoryview(pool.core.offsets()).cast("B").cast("q")
    return [
        topic for t, topic in enumerate(pool.topics) if max(labels[offsets[t] : offsets[t + 1]], default=rel - 1) < rel
    ]


def _warn(messages: tuple[str, ...]) -> None:
    if messages:
        import warnings

        for message in messages:
            warnings.warn(message, PoolwiseWarning, stacklevel=4)
