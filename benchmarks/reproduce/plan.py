"""Which studies repeat which paper on which set, with how many trials: declared once, done one after the other.

Every study keeps its finished units in a folder of its own under WORK, so an interrupted run goes on, and the pages
read what single trials found from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np
from benchmarks.reproduce.data import GRADED_TOPICS, OLDER_TOPICS, campaign

import poolwise as pw

TREC8, COVID, ROBUST, GRADED, WEB = "TREC-8", "TREC-COVID 5", "robust03", "robust03, 601-650", "Web 2012"
OLDER, RETRIEVED = "robust03, 303-448", "robust03, labels of retrieved documents"
PASSAGES, SIMULATED = "DL 2019 passages", "simulated campaign"
SETS: dict[str, tuple[Any, ...]] = {  # a folder, and how `campaign` reads it
    TREC8: ("trec8", "qrels.txt", None),
    COVID: ("trec-covid5", "qrels.txt", None),
    ROBUST: ("robust03", "qrels.txt", None),  # a part of TREC 12 of [B07]
    GRADED: ("robust03", "qrels.txt", GRADED_TOPICS),  # of [K09]
    OLDER: ("robust03", "qrels.txt", OLDER_TOPICS),
    RETRIEVED: ("robust03", "qrels.txt", None, True),
    WEB: ("web-negative", "qrels.web.151-200.txt", None),
    PASSAGES: ("dl19", "qrels.txt", None),  # four grades
}
OF_MODEL: dict[str, Any] = {"runs": 30, "topics": 50, "depth": 500, "pool_depth": 100, "seed": 1}
BOUNDED = ("trials", "splits", "resamples", "draws")
NORMALITY_TRIALS = 8  # from which on it can be tested whether errors are normal
SEEDS = 20  # of bootstrap tests, where a digit depends on it
DRAWS = range(10)  # seeds of [G20]'s sets of topics and resamples
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
            given.setdefault("splits", 15)  # 30 fits, as each half is fitted in turn
        return {name: min(value, most.get(name, value)) if name in BOUNDED else value for name, value in given.items()}


PARTS = [
    *(Part("b07-robustness", "robustness", data, "B07", trials=30) for data in (TREC8, COVID)),
    *(Part("b07-robustness", "robustness", data, "B07", trials=100) for data in (ROBUST, GRADED, OLDER, RETRIEVED)),
    Part("b07-all-runs", "robustness", ROBUST, "B07", {"retrieved": 0.0}, trials=100),
    Part("b07-down", "robustness", ROBUST, "B07", {"rounding": "down"}, trials=100),
    Part("b07-graded-gains", "robustness", ROBUST, "B07", {"measures": ("nDCG", "nDCG'", "infAP")}, trials=100),
    Part("b07-model", "robustness", SIMULATED, "B07", trials=30),
    *(Part("b07-decisions", "decisions", data, "B07", trials=30) for data in (TREC8, ROBUST)),
    Part("b07-decisions-all", "decisions", TREC8, "B07", {"judged": "all", "fractions": (0.01, 0.04)}, trials=30),
    *(Part("b07-graded", "robustness", data, "B07", {"measures": ("nDCG",), "retrieved": 0.0}, trials=50)
      for data in (COVID, GRADED)),
    Part("b07-graded-decisions", "decisions", GRADED, "B07",
         {"measures": tuple(WEIGHTS.values()), "fractions": (0.05, 0.1, 0.3)}, trials=30),
    *(Part("s07-robustness", "robustness", data, "S07", trials=30) for data in (COVID, GRADED, TREC8)),
    *(Part("s07-discrimination", "discrimination", data, "S07", trials=30) for data in (COVID, GRADED, TREC8)),
    Part("y08-estimation", "estimation", TREC8, "Y08", {"fractions": ()}, trials=30),
    Part("y08-intervals", "estimation", TREC8, "Y08",
         {"depths": (), "effort": "own", "measures": ("infAP", "statAP")}, trials=300),
    Part("y08-dependent", "estimation", TREC8, "Y08",
         {"depths": (), "effort": "own", "measures": ("infAP",), "precisions": "dependent"}, trials=100),
    *(Part("k09-gain-discount", "gain-discount", data, "K09") for data in (COVID, GRADED, TREC8)),
    Part("k09-four-grades", "gain-discount", PASSAGES, "K09", {"cutoffs": (10, 20), "discounts": "falling"}),
    *(Part(f"g20-negative-{seed}", "negative", WEB, "G20", {"seed": seed}) for seed in DRAWS),
    *(Part(f"g20-means-{seed}", "negative", WEB, "G20", {"seed": seed, "counted": "means"}) for seed in DRAWS),
    Part("g20-code", "negative", WEB, "G20-code"),
    Part("g20-release", "negative", WEB, "G20-release"),
]  # fmt: skip


class Workbench:
    """Sets, read when they are first asked for, and studies, done when they are."""

    def __init__(
        self, data: Path, work: Path, most: dict[str, int] | None = None, parts: list[Part] | None = None
    ) -> None:
        self.data, self.work, self.most, self.parts = data, work, most or {}, parts or PARTS
        work.mkdir(parents=True, exist_ok=True)
        self.studies: dict[tuple[str, str], pw.Study] = {}
        self._pools: dict[str, Any] = {}

    def pool(self, name: str) -> Any:
        """A set, read once."""
        if name == SIMULATED and name not in self._pools:
            self._pools[name] = pw.simulate(**OF_MODEL).pool()
        if name not in self._pools:
            folder, *how = SETS[name]
            self._pools[name] = campaign(self.data / folder, *how)
        return self._pools[name]

    def conduct(self) -> None:
        """Do all studies."""
        for part in self.parts:
            self.timed(f"{part.name}, {part.data}", partial(self._do, part))

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a piece of work, and keep in WORK what it took, also over several runs."""
        start, busy = monotonic(), process_time()
        found = work()
        took = (monotonic() - start, process_time() - busy)
        print(f"{name}: {took[0]:.0f} s, {took[1]:.0f} s of processor time", flush=True)
        spent = self.cost()
        spent[name] = [before + now for before, now in zip(spent.get(name, (0.0, 0.0)), took, strict=True)]
        (self.work / "cost.json").write_text(json.dumps(spent))
        return found

    def cost(self) -> dict[str, list[float]]:
        """Seconds, and seconds of processor time, by piece of work."""
        path = self.work / "cost.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def kept(self, name: str, work: Callable[[], np.ndarray]) -> np.ndarray:
        """An array, computed once and kept in WORK."""
        path = self.work / f"{name}.npy".replace(" ", "-").replace(",", "")
        if not path.exists():
            np.save(path, self.timed(name, work))
        return np.load(path)

    def _do(self, part: Part) -> None:
        function = getattr(pw.study, part.study.replace("-", "_"))
        how = {"folder": self.folder(part.name, part.data), "resume": True}
        self.studies[part.name, part.data] = function(self.pool(part.data), **part.settings(self.most), **how)

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
