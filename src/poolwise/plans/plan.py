"""`Plan`: which documents to judge, and the file to fill in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from poolwise.basics.extras import frame
from poolwise.basics.results import Result
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.label_files import Held, LabelFile
from poolwise.pool.plan_header import PlanHeader, check_reserved, count_strata, header_of, plan_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from poolwise.plans.planned_widths import LabelsNeeded, PlannedWidths
    from poolwise.reading.records import LabelRows


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """Documents to judge in a round, among all that are pooled.

    `topic`, `document`, `stratum`, `round` and `label` describe the pooled documents: first those to judge now, in the
    order to judge them, then those drawn in earlier rounds, then all others. Whoever stops early leaves a smaller
    random sample: one document of every topic comes first, then those of every stratum, and from then on all topics are
    judged at about the same share (`plans.judging_order`). `label` is None where there is none. `settings` says
    how the plan was made; `needed` how many judgments a wanted width takes, `forecast` how wide intervals will be, if
    that was asked for. `pool_sizes` has the documents of pools by depth, of designs by depth. `cost` is what each
    document costs to judge, where costs were given.
    """

    topic: list[str]
    document: list[str]
    stratum: list[int]
    round: list[int]
    label: list[int | None]
    settings: dict[str, Any]
    needed: LabelsNeeded | None = None
    warnings: tuple[str, ...] = ()
    ranks: dict[int, tuple[int, int]] = field(default_factory=dict)  # best ranks that a stratum spans
    forecast: PlannedWidths | None = None
    pool_sizes: dict[int, int] = field(default_factory=dict)  # documents by depth, of designs by depth
    cost: list[float | None] | None = None

    @property
    def number(self) -> int:
        """The round that is planned."""
        return int(self.settings["round"])

    def to_judge(self) -> list[tuple[str, str]]:
        """Topic and document of what to judge now, in the order to judge it, which may be stopped anywhere."""
        return [
            (topic, document)
            for topic, document, round in zip(self.topic, self.document, self.round, strict=True)
            if round == self.number
        ]

    def held(self) -> Held:
        """The documents and labels that a file of this plan holds."""
        rows = zip(self.topic, self.document, self.round, self.label, strict=True)
        return Held(plan="" if self.header is None else self.header.number).add(rows)

    def allocation(self) -> list[dict[str, Any]]:
        """For each stratum: best ranks, documents pooled, judged before, to judge now."""
        rows: dict[int, dict[str, Any]] = {}
        for stratum, round, label in zip(self.stratum, self.round, self.label, strict=True):
            row = rows.setdefault(
                stratum, {"stratum": stratum, "ranks": self._ranks(stratum), "pooled": 0, "judged": 0, "now": 0}
            )
            row["pooled"] += 1
            row["judged"] += label is not None
            row["now"] += round == self.number
        return [rows[stratum] for stratum in sorted(rows)]

    @cached_property
    def header(self) -> PlanHeader | None:
        """Header of the plan's file. None for a plan that was read without one.

        Its number stays the same when labels are filled in.
        """
        if not self.settings["design"]:
            return None
        strata = count_strata(self.topic, self.stratum, self.round)
        design, seed = str(self.settings["design"]), int(self.settings["seed"])
        rows = zip(self.topic, self.document, self.stratum, strict=True)
        number = self.settings.get("number") or plan_number(rows, strata, design, seed)
        runs = tuple(sorted(self.settings["runs"]))
        topics = self.settings.get("topics")
        depth, compared = int(self.settings["depth"]), list(self.settings.get("difference") or ())
        difference = tuple(compared) if len(compared) == 2 and all(isinstance(run, str) for run in compared) else None
        earlier = tuple(self.settings.get("earlier", ()))
        return PlanHeader(number, self.number, design, seed, depth, runs, strata, topics, difference, earlier)

    def to_text(self, unjudged: int = -1, *, plain: bool = False) -> bytes:
        """Give the text of the file to judge: `topic round document stratum label`.

        It begins with comments that say which plan this is.

        Parameters
        ----------
        unjudged : int
            The label where there is none yet.
        plain : bool
            Whether to leave out the comments, for readers that know none. Where only some topics were drawn, or a pool
            is judged in full down to a depth, that is refused, since nothing else in the file says so.

        Returns
        -------
        bytes
            The text.
        """
        check_reserved([label for label in self.label if label is not None], unjudged)
        if plain:
            self._check_plain()
        rows = zip(self.topic, self.round, self.document, self.stratum, self.label, strict=True)
        text = "".join(
            f"{topic} {round} {document} {stratum} {unjudged if label is None else label}\n"
            for topic, round, document, stratum, label in rows
        )
        before = "" if plain or self.header is None else self.header.text()
        return (before + text).encode("utf-8", "surrogateescape")

    def write(self, path: Any, unjudged: int = -1, *, plain: bool = False, overwrite: bool = False) -> None:
        """Write the file to judge; fill in the last column, or `merge` labels from elsewhere, then read it.

        Parameters
        ----------
        path : path
            The file.
        unjudged : int
            The label where there is none yet.
        plain : bool
            Whether to leave out the comments that say which plan this is, for readers that know none.
        overwrite : bool
            Whether to replace a file with another plan, or with labels that this one lacks; it is kept beside it then.
        """
        LabelFile(path, self.held, overwrite, unjudged).write([self.to_text(unjudged, plain=plain)])

    def merge(self, *labels: Any, **options: Any) -> Plan:
        """Fill in labels that came back in any shape.

        Parameters
        ----------
        *labels : path, dict, list or data frame
            The labels, as `poolwise.merge` takes them.
        **options
            Those of `poolwise.merge`.

        Returns
        -------
        Plan
            The plan with its labels.
        """
        from poolwise.plans.merge import merge

        return merge(self, *labels, **options)

    def columns(self, unjudged: int = -1, *, plain: bool = False) -> dict[str, Any]:
        """Give one row per pooled document: topic, round, document, stratum, label, and how the plan was drawn.

        Parameters
        ----------
        unjudged : int
            The label where there is none yet.
        plain : bool
            Whether to leave out how it was drawn, as in `to_text`.

        Returns
        -------
        dict
            Lists by name of column: those of the file, `cost` where costs were given, then the design in every row:
            the plan's number, design, rounds, seed, depth, topics drawn and pooled (if topics were drawn), the
            difference, how many documents the stratum holds, how many of them were drawn, and their ratio. Runs of the
            pool stand one below the other.
        """
        if plain:
            self._check_plain()
        labels = [unjudged if label is None else label for label in self.label]
        names = ("topic", "round", "document", "stratum")
        columns = {**{name: getattr(self, name) for name in names}, "label": labels}
        columns |= {} if self.cost is None else {"cost": self.cost}
        return columns if plain or self.header is None else {**columns, **self.header.columns(self.topic, self.stratum)}

    def _check_plain(self) -> None:
        """Refuse a format without comments if only these store the drawn topics or the depth of the pool."""
        lost = ""
        if self.settings["design"] == "depth":
            lost = f"its pool ends at depth {self.settings['depth']}"
        if self.settings.get("topics") is not None:
            lost = "{} of {} topics were drawn".format(*self.settings["topics"])
        if lost:
            raise ArgumentError(
                f"a plain plan would lose that {lost}, and estimates would be wrong; leave out plain (--plain)"
            )

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas", unjudged: int = -1) -> Any:
        """Give the rows as a data frame, which `poolwise.read` takes as judgments.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.
        unjudged : int
            The label where there is none yet.

        Returns
        -------
        data frame
            The table.
        """
        return frame(self.columns(unjudged), backend)

    def details(self) -> dict[str, Any]:
        """Settings, allocation over strata, judgments needed, warnings."""
        more = {"allocation": self.allocation(), "needed": self.needed, "warnings": self.warnings}
        return {**self.settings, **more}

    def overview(self) -> dict[str, Any]:
        """The allocation over strata."""
        rows = self.allocation()
        return {name: [row[name] for row in rows] for name in ("stratum", "ranks", "pooled", "judged", "now")}

    def _ranks(self, stratum: int) -> str:
        low, high = self.ranks.get(stratum, (0, 0))
        return f"{low}-{high}" if low else ""

    def headline(self) -> str:
        """How many documents are to be judged."""
        now = [label is not None for label, round in zip(self.label, self.round, strict=True) if round == self.number]
        judged = f", {sum(now)} of them judged" if any(now) else ""
        return f"round {self.number}, {len(now)} of {len(self.topic)} pooled documents to judge{judged}"


def read_plan(source: Any, unjudged: int = -1) -> Plan:
    """Read a plan: its file, filled in or not, or a frame of its rows. Documents stay in their order."""
    if isinstance(source, Plan):
        return source
    from poolwise.reading.records import label_rows

    rows = label_rows(source, unjudged=unjudged)
    if not rows:
        raise InputError(f"{rows.name}: no documents found; name the file that `poolwise plan` wrote")
    _check_once(rows)
    header = header_of(rows.header, rows.name)
    if header is not None:
        _check_lines(rows, header)
    strata = rows.stratum if rows.has_strata else [1] * len(rows)
    cost = rows.cost if header is not None and any(rows.cost) else None
    return Plan(rows.topic, rows.document, strata, rows.round, rows.label, _settings(rows, header), cost=cost)


def _settings(rows: LabelRows, header: PlanHeader | None) -> dict[str, Any]:
    last = max(rows.round)
    if header is None:  # written plain, or by another program
        return {"design": "", "round": last, "seed": 0, "depth": 0, "runs": [], "number": None}
    facts = {"design": header.design, "round": header.round, "seed": header.seed, "depth": header.depth}
    topics = {} if header.topics is None else {"topics": header.topics}
    pair = {} if header.difference is None else {"difference": list(header.difference)}
    earlier = {"earlier": header.earlier} if header.earlier else {}
    return {**facts, **topics, **pair, **earlier, "runs": list(header.runs), "number": header.number}


def _check_once(rows: LabelRows) -> None:
    seen: dict[tuple[str, str], str] = {}
    for topic, document, row_name in zip(rows.topic, rows.document, rows.row_name, strict=True):
        if seen.setdefault((topic, document), row_name) != row_name:
            raise InputError(
                f"{row_name}: document {document!r} of topic {topic!r} stood before, at {seen[topic, document]}; "
                "a plan lists each once"
            )


def _check_lines(rows: LabelRows, header: PlanHeader) -> None:
    """All documents that the plan pooled must be there."""
    left = dict(header.pooled)
    for key in zip(rows.topic, rows.stratum, strict=True):
        left[key] = left.get(key, 0) - 1
    wrong = {key: number for key, number in left.items() if number}
    if wrong:
        (topic, stratum), number = next(iter(wrong.items()))
        found = f"{counted(abs(number), 'line')} {'missing' if number > 0 else 'too many'}"
        raise InputError(
            f"{rows.name}: {found} of stratum {stratum} of topic {topic}, by the plan's comments; "
            "give the plan as `poolwise plan` wrote it"
        )
