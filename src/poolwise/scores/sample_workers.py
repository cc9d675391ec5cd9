"""Many samples of judgments, scored over the workers of an executor."""

from __future__ import annotations

import numpy as np

from poolwise.basics.units import run_units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise import _core
    from poolwise.pool.judgments import Judgments

PARTS = 64  # the samples are cut into about so many units of work


def score_spread(
    core: _core.Pool, asks: list[Any], sets: list[Judgments], labels: list[int], strata: Any, executor: Any
) -> NDArray[Any]:
    """Scores of many samples, samples x measures x runs x topics; the pool goes to each worker once."""
    size = max(1, len(sets) // PARTS)
    parts = [slice(begin, begin + size) for begin in range(0, len(sets), size)]
    units = (
        (np.stack([given.labels for given in sets[part]]), None if strata is None else strata[part]) for part in parts
    )
    results = run_units(_score, (core, asks, labels), units, executor=executor, name=lambda _: "a part of the samples")
    return np.concatenate([values for _, values in results])


def _score(shared: tuple[_core.Pool, list[Any], list[int]], unit: tuple[NDArray[Any], NDArray[Any] | None]) -> Any:
    core, asks, distinct = shared
    labels, strata = unit
    return np.asarray(core.score(asks, labels, len(labels), distinct, 1, strata))
