"""Which studies repeat which paper on which set, with how many trials: declared once, done one after the other.

Every study keeps its finished units in a folder of its own under WORK, so an interrupted run goes on, and the pages
read what single trials found from there.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np
from benchmarks.reproduce.data import GRADED_TOPICS, campaign

import poolwise as pw

TREC8, COVID, ROBUST, GRADED, WEB = "TREC-8", "TREC-COVID 5", "robust03", "robust03, 601-650", "Web 2012"
SETS = {
    TREC8: ("trec8", "qrels.txt", None),
    COVID: ("trec-covid5", "qrels.txt", None),
    ROBUST: ("robust03", "qrels.txt", None),  # a part of TREC 12 of [B07]
    GRADED: ("robust03", "qrels.txt", GRADED_TOPICS),  # of [K09]
    WEB: ("web-negative", "qrels.web.151-200.txt", None),
}
BOUNDED = ("trials", "splits", "resamples", "draws")
WEIGHTS = {f"weight {weight}": f"nDCG(gain={{1: 1, 2: {weight}}})" for weight in (1, 2, 10, 100)}


@dataclass(frozen=True)
class Part:
    """One study on one set, as a paper does it but for what is said otherwise."""

    name: str
    study: str
    data: str
    paper: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    trials: int | None = None

    def settings(self, most: dict[str, int]) -> dict[str, Any]:
        """What the study is asked; numbers of trials, splits, resamples and draws are bounded by `most`."""
        given = pw.study.settings_as(self.paper, self.study) if self.paper else {}
        given |= self.more
        if self.trials is not None:
            given["trials"] = self.trials
        if self.study == "gain-discount":
            given.setdefault("splits", 10)
        return {name: min(value, most.get(name, value)) if name in BOUNDED else value for name, value in given.items()}


PARTS = [
    *(Part("b07-robustness", "robustness", data, "B07", trials=30) for data in (TREC8, ROBUST, COVID)),
    Part("b07-decisions", "decisions", TREC8, "B07", trials=30),
    Part("b07-decisions", "decisions", ROBUST, "B07", trials=30),
    Part("b07-decisions-all", "decisions", TREC8, "B07", {"judged": "all", "fractions": (0.01, 0.04)}, trials=30),
    *(Part("b07-graded", "robustness", data, "B07", {"measures": ("nDCG",), "retrieved": 0.0}, trials=50)
      for data in (COVID, GRADED)),
    Part("b07-graded-decisions", "decisions", GRADED, "B07",
         {"measures": tuple(WEIGHTS.values()), "fractions": (0.05, 0.1, 0.3)}, trials=30),
    *(Part("s07-robustness", "robustness", data, "S07", trials=30) for data in (COVID, GRADED, TREC8)),
    *(Part("s07-discrimination", "discrimination", data, "S07", trials=30) for data in (COVID, GRADED)),
    Part("s07-discrimination", "discrimination", TREC8, "S07", trials=5),
    Part("y08-estimation", "estimation", TREC8, "Y08", {"fractions": ()}, trials=30),
    Part("y08-intervals", "estimation", TREC8, "Y08",
         {"depths": (), "effort": "own", "measures": ("infAP", "statAP")}, trials=300),
    Part("y08-dependent", "estimation", TREC8, "Y08",
         {"depths": (), "effort": "own", "measures": ("infAP",), "precisions": "dependent"}, trials=100),
    *(Part("k09-gain-discount", "gain-discount", data, "K09") for data in (COVID, GRADED)),
    Part("g20-negative", "negative", WEB, "G20"),
    Part("g20-means", "negative", WEB, "G20", {"counted": "means"}),
    Part("g20-code", "negative", WEB, "G20-code"),
    Part("g20-release", "negative", WEB, "G20-release"),
]  # fmt: skip


class Workbench:
    """Sets, read when they are first asked for, and studies, done when they are."""

    def __init__(
        self, data: Path, work: Path, most: dict[str, int] | None = None, parts: list[Part] | None = None
    ) -> None:
        self.data, self.work, self.most, self.parts = data, work, most or {}, parts or PARTS
        self.studies: dict[tuple[str, str], pw.Study] = {}

    @cached_property
    def pools(self) -> dict[str, Any]:
        """Sets by name."""
        return {name: campaign(self.data / folder, qrels, topics) for name, (folder, qrels, topics) in SETS.items()}

    def conduct(self) -> None:
        """Do all studies."""
        for part in self.parts:
            start, busy = monotonic(), process_time()
            self._do(part)
            took = f"{monotonic() - start:.0f} s, {process_time() - busy:.0f} s of processor time"
            print(f"{part.name}, {part.data}: {took}", flush=True)

    def _do(self, part: Part) -> None:
        function = getattr(pw.study, part.study.replace("-", "_"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pw.PoolwiseWarning)
            how = {"folder": self.folder(part.name, part.data), "resume": True}
            self.studies[part.name, part.data] = function(self.pools[part.data], **part.settings(self.most), **how)

    def folder(self, name: str, data: str) -> Path:
        """Where a study keeps its units."""
        return self.work / f"{name}-{data}".replace(" ", "-").replace(",", "")

    def has(self, name: str, *data: str) -> bool:
        """Whether a study was done on sets; a run that was cut short shows what it has."""
        return all((name, each) in self.studies for each in data)

    def study(self, name: str, data: str) -> pw.Study:
        """A finished study."""
        return self.studies[name, data]

    def trials(self, name: str, data: str, what: str) -> np.ndarray:
        """What every single trial found, trials first; the unit `complete` of discrimination is none."""
        study = self.study(name, data)
        files = sorted((self.folder(name, data) / "units" / study.name).glob("[0-9]*.npz"))
        found = []
        for file in files[: study.settings["trials"]]:
            with np.load(file) as arrays:
                found.append(arrays[what])
        return np.stack(found)

    def rows(self, name: str, data: str, table: str) -> list[dict[str, Any]]:
        """A study's table as rows."""
        columns = self.study(name, data).tables[table].columns
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
