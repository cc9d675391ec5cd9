"""Small campaigns whose names, order, copies, rounds and formats can be changed without a change of meaning."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.kit.shown_tables import write_frame
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw

Labels = dict[str, dict[str, int]]
Lists = dict[str, dict[str, dict[str, float]]]
PLAN_FORMATS = ("txt", "csv", "tsv", "json", "jsonl", "parquet")


@dataclass(frozen=True)
class Names:
    """New names of runs, topics and documents; those that are not listed stay."""

    runs: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)

    def back(self) -> dict[str, str]:
        """The old name of every new one."""
        every = {**self.runs, **self.topics, **self.documents}
        return {new: old for old, new in every.items()}


@dataclass(frozen=True)
class World:
    """Judgments of the pool, the lists of runs, and a plan of it with labels, as TREC lines."""

    labels: Labels
    runs: Lists
    judged: str
    parts: tuple[dict[tuple[str, str], int], ...]  # the labels of the plan as they came
    names: Names = Names()
    plan_format: str = "txt"
    run_format: str = "dict"

    @property
    def first(self) -> str:
        """A run that duplicates are made of."""
        return next(iter(self.runs))

    def campaign(self, folder: Path) -> pw.Campaign:
        """All of the pool judged."""
        return pw.read(self.labels, self._given_runs(folder))

    def sampled(self, folder: Path) -> pw.Campaign:
        """Judged as far as the plan has labels."""
        path = folder / "plan.txt"
        path.write_text(self.judged)
        if self.plan_format != "txt":
            other = folder / f"plan.{self.plan_format}"
            write_frame(pw.merge(path, _labelled(self.judged)).to_frame("polars"), other)
            path = other
        return pw.read(path, self._given_runs(folder))

    def _given_runs(self, folder: Path) -> Any:
        if self.run_format == "dict":
            return self.runs
        rows = [(run, *row) for run, own in self.runs.items() for row in _rows(own)]
        return written(folder / f"runs.{self.run_format}", ("run", "topic", "document", "score"), rows)


def world(chance: random.Random, folder: Path, draw_topics: bool = False) -> World:
    """A campaign of its own: few runs and topics, grades 1 or 2, a plan of one round or two, and labels of it."""
    runs = chance.choice((3, 4, 5, 11))
    shape = (runs, chance.randint(5, 7), 60, 20, 0.25, chance.choice((1, 2)), 1.0, chance.randrange(10**6))
    labels, lists = campaign_tables(*shape)
    pool = sum(len({document for own in lists.values() for document in own[topic]}) for topic in labels)
    budget = max(round(pool * chance.uniform(0.25, 0.5)), 6 * len(labels))
    options: dict[str, Any] = {
        "design": chance.choice(("stratified", "uniform")), "depth": 20, "seed": chance.randrange(10**6),
    }  # fmt: skip
    if draw_topics:
        budget = len(labels) - 1  # less than one for each: topics are drawn, too
    judged, drawn = _judged(None, lists, labels, folder, {**options, "budget": budget})
    if not draw_topics and chance.random() < 0.4:
        later, more = _judged(judged, lists, labels, folder, {**options, "budget": 3 * len(labels)})
        return World(labels, lists, later, (drawn, more))
    return World(labels, lists, judged, _parts(drawn, chance))


# ---- What changes nothing ------------------------------------------------------------------------------------------


def renamed(given: World, chance: random.Random) -> World:
    """Every run, topic and document under another name."""
    documents = sorted({d for own in given.runs.values() for ranked in own.values() for d in ranked})
    documents += sorted({d for own in given.labels.values() for d in own} - set(documents))
    names = Names(
        _new_names(list(given.runs), chance, "sys"),
        _new_names(list(given.labels), chance, "q"),
        _new_names(documents, chance, "doc"),
    )
    labels = {
        names.topics[t]: {names.documents[d]: label for d, label in own.items()} for t, own in given.labels.items()
    }
    runs = {
        names.runs[run]: {
            names.topics[t]: {names.documents[d]: score for d, score in ranked.items()} for t, ranked in own.items()
        }
        for run, own in given.runs.items()
    }
    judged = "\n".join(_renamed_line(line, names) for line in given.judged.splitlines()) + "\n"
    return replace(given, labels=labels, runs=runs, judged=judged, names=names)


def permuted(given: World, chance: random.Random) -> World:
    """Lines of judgments, plan and runs in another order, and the runs too."""
    lines = given.judged.splitlines()
    head = [line for line in lines if line.startswith("#")]
    body = _mixed([line for line in lines if not line.startswith("#")], chance)
    labels = {topic: _shuffled(given.labels[topic], chance) for topic in _mixed(list(given.labels), chance)}
    runs = {
        run: {topic: _shuffled(given.runs[run][topic], chance) for topic in _mixed(list(given.runs[run]), chance)}
        for run in _mixed(list(given.runs), chance)
    }
    return replace(given, labels=labels, runs=runs, judged="\n".join([*head, *body]) + "\n")


def in_rounds(given: World, chance: random.Random) -> World:
    """The labels of the plan merged part by part, some of them twice, in any order."""
    empty = "\n".join(_without_label(line) for line in given.judged.splitlines()) + "\n"
    parts = _mixed([*given.parts, chance.choice(given.parts)], chance)
    return replace(given, judged=_merged(empty, parts))


def other_format(given: World, chance: random.Random) -> World:
    """Plan and runs in other formats."""
    run_format = chance.choice(("csv", "tsv", "jsonl", "parquet"))
    return replace(given, plan_format=chance.choice(PLAN_FORMATS[1:]), run_format=run_format)


def written(path: Path, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Path:
    """A table in the format that the file's ending names."""
    import polars

    return write_frame(polars.DataFrame(rows, schema=list(columns), orient="row"), path)


# ---- Parts ---------------------------------------------------------------------------------------------------------


def _rows(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(topic, document, score) for topic, own in run.items() for document, score in own.items()]


def _judged(
    before: str | None, runs: Lists, labels: Labels, folder: Path, options: dict[str, Any]
) -> tuple[str, dict[tuple[str, str], int]]:
    """A plan with the labels of all that it draws, and those that are new."""
    if before is not None:
        (folder / "before.txt").write_text(before)
    plan = pw.read(None if before is None else folder / "before.txt", runs).plan(**options)
    drawn = {(topic, document): labels[topic].get(document, 0) for topic, document in plan.to_judge()}
    (folder / "drawn.txt").write_bytes(plan.to_text())
    found = pw.merge(folder / "drawn.txt", [(*key, label) for key, label in drawn.items()])
    return found.to_text().decode(), drawn


def _parts(drawn: dict[tuple[str, str], int], chance: random.Random) -> tuple[dict[tuple[str, str], int], ...]:
    keys = _mixed(list(drawn), chance)
    ends = sorted(chance.sample(range(1, len(keys)), 2))
    return tuple(
        {key: drawn[key] for key in part} for part in (keys[: ends[0]], keys[ends[0] : ends[1]], keys[ends[1] :])
    )


def _labelled(judged: str) -> list[tuple[str, str, int]]:
    lines = (line.split() for line in judged.splitlines() if not line.startswith("#"))
    return [(words[0], words[2], int(words[-1])) for words in lines if words[-1] != "-1"]


def _merged(plan: str, parts: list[dict[tuple[str, str], int]]) -> str:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "plan.txt")
        for part in parts:
            path.write_text(plan)
            plan = pw.merge(path, [(*key, label) for key, label in part.items()]).to_text().decode()
    return plan


def _without_label(line: str) -> str:
    words = line.split()
    return line if line.startswith("#") or words[3] == "0" else " ".join([*words[:-1], "-1"])


def _renamed_line(line: str, names: Names) -> str:
    words = line.split()
    if line.startswith("#"):
        every = {**names.runs, **names.topics}
        return " ".join(every.get(word, word) for word in words)
    return " ".join([names.topics[words[0]], words[1], names.documents[words[2]], *words[3:]])


def _new_names(old: list[str], chance: random.Random, stem: str) -> dict[str, str]:
    numbers = chance.sample(range(10, 10 * len(old) + 20), len(old))
    return {name: f"{stem}{number}" for name, number in zip(old, numbers, strict=True)}


def _mixed(items: list[Any], chance: random.Random) -> list[Any]:
    return chance.sample(items, len(items))


def _shuffled(table: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    return {key: table[key] for key in _mixed(list(table), chance)}
