"""What the studies of missing labels share: in each trial, labels are reduced to each of several fractions."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.basics.settings import seed_number, whole
from poolwise.errors import ArgumentError
from poolwise.lab.study.choices import checked_fractions, checked_measures, kept_runs
from poolwise.lab.study.conduct import Experiment
from poolwise.lab.study.trials import trial_units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.random import Generator

    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments


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
    """Check what a study was asked; the fields of `Reduction`."""
    wanted = checked_measures(measures)
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
        "kept": tuple(kept_runs(pool, retrieved, top).tolist()),
    }


@dataclass(frozen=True, kw_only=True)
class Reduction(Experiment):
    """Settings of a study that reduces labels as [B07] and [S07] do; a unit is a trial."""

    measures: tuple[Measure, ...]
    complete_only: tuple[Measure, ...] = ()  # of them, those whose labels are not reduced
    fractions: tuple[float, ...]
    trials: int
    rounding: str

    @property
    def reduced(self) -> tuple[Measure, ...]:
        """The measures that are looked at with fewer labels too."""
        return tuple(measure for measure in self.measures if measure not in self.complete_only)

    def units(self) -> list[str]:
        """Trials."""
        return trial_units(self.trials)

    def samples(self, judgments: Judgments, unit: str, threads: int, **settings: Any) -> list[Judgments]:
        """The labels of a trial, one set a fraction; other settings are those of the design."""
        return judgments.samples(
            "reduce",
            trials=[int(unit)],
            seed=self.seed,
            rounding=self.rounding,
            threads=threads,
            **{"fractions": self.fractions, **settings},
        )
