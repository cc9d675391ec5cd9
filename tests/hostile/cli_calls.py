"""Calls of every command that reads files, and which of their words are files, as the commands declare them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars
from tests.kit.shown_tables import write_frame
from tests.kit.small_campaigns import campaign_tables, noisy_labels

import poolwise as pw
from poolwise.cli.main import COMMANDS, parser_of

# What the value of an option is called where it is a file, or may be.
FILES = {
    "QRELS", "RUN", "FILE", "LABELS", "PLAN", "T", "D", "BASELINE", "CANDIDATE", "rel_info_file", "results_file",
}  # fmt: skip
WRITTEN = {  # files that are written, not read
    "output", "outputs", "to_judge", "keep", "recover", "disagreements", "combined", ("plan", "forecast"),
    ("holes", "plan"),
}  # fmt: skip
NAMED = {  # runs that are meant by their names
    "pair", "without", "settle", "difference", ("compare", "baseline"), "tolerance",
}  # fmt: skip

CALLS = (Path(__file__).parent / "calls.txt").read_text().splitlines()


def reading_options(command: str) -> set[str]:
    """Names of the options of a command that take files to read, by its declarations."""
    return {
        option.name
        for option in parser_of(command).options
        if option.takes_value and not option.choices and option.metavar in FILES
        if not {option.name, (command, option.name)} & (WRITTEN | NAMED)
    }


def files_of(words: list[str], folder: Path) -> list[tuple[str, str]]:
    """Options and the files in a folder that a call gives them."""
    command, given = words[0], parser_of(words[0]).parse(words[1:])
    found: list[tuple[str, str]] = []
    for option in sorted(reading_options(command)):
        value = getattr(given, option)
        for name in value if isinstance(value, list) else [value]:
            found += [(option, name)] if isinstance(name, str) and (folder / name).is_file() else []
    return found


def commands_that_read() -> list[str]:
    """Commands that have such options."""
    return [command for command in COMMANDS if reading_options(command)]


# ---- Files ---------------------------------------------------------------------------------------------------------


def write_files(folder: Path) -> None:
    """Files of every kind that calls name, all of them in order."""
    labels, lists = campaign_tables(7, 4, 40, 15, 0.3, 2, 1.0, 3)
    runs = dict(zip("abcdefg", lists.values(), strict=True))
    _write_runs(folder, runs)
    rows = [(topic, document, label) for topic, own in labels.items() for document, label in own.items()]
    (folder / "qrels.txt").write_text("".join(f"{t} 0 {d} {label}\n" for t, d, label in rows))
    (folder / "subtopics.txt").write_text(
        "".join(f"{t} {1 + n % 2} {d} {n % 3 % 2}\n" for n, (t, d, _) in enumerate(rows))
    )
    (folder / "prels.txt").write_text("".join(f"{t} {d} {label} 1 0.5\n" for t, d, label in rows))
    (folder / "qrels.json").write_text(json.dumps(labels))
    table = polars.DataFrame(rows, schema=["topic", "document", "label"], orient="row")
    table.write_csv(folder / "qrels.csv")
    table.write_parquet(folder / "qrels.parquet")
    other = noisy_labels(labels, 1, 3)
    others = [(t, d, label) for t, own in other.items() for d, label in own.items()]
    polars.DataFrame(others, schema=["topic", "document", "label"], orient="row").write_csv(folder / "other.csv")
    _write_plans(folder, labels, {name: runs[name] for name in "abc"})
    _write_texts(folder, labels, rows)
    _write_tables(folder, rows)


def _write_runs(folder: Path, runs: dict[str, dict[str, dict[str, float]]]) -> None:
    import gzip

    from lz4 import frame

    for name, run in runs.items():
        rows = [(t, d, score) for t, own in run.items() for d, score in own.items()]
        lines = "".join(f"{t} Q0 {d} 0 {score!r} {name}\n" for t, d, score in rows).encode()
        table = polars.DataFrame(rows, schema=["topic", "document", "score"], orient="row")
        if name == "b":
            table.write_csv(folder / "b.csv")
        elif name == "c":
            table.write_ndjson(folder / "c.jsonl")
        elif name == "d":
            table.write_parquet(folder / "d.parquet")
        elif name == "e":
            (folder / "e.txt.gz").write_bytes(gzip.compress(lines))
        elif name == "f":
            (folder / "f.lz4").write_bytes(frame.compress(lines))
        elif name == "g":
            (folder / "g.json").write_text(json.dumps(run))
        else:
            (folder / f"{name}.txt").write_bytes(lines)
    (folder / "list.txt").write_text("a.txt\nb.csv\nc.jsonl\n")
    (folder / "groups.txt").write_text("a one\nb one\nc two\nd two\ne three\n")
    (folder / "topics.groups").write_text("t0 one\nt1 one\nt2 two\nt3 two\n")
    (folder / "kinds.txt").write_text("a manual\nb automatic\nc automatic\n")
    (folder / "contributing.txt").write_text("a\nc\n")


def _write_plans(folder: Path, labels: Any, runs: Any) -> None:
    from poolwise.judging.work import open_work

    plan = pw.read(None, runs).plan(budget=40, seed=1, depth=15)
    plan.write(folder / "plan2.txt")
    plan.write(folder / "judged.sqlite.plan")
    drawn = [(t, d, labels[t].get(d, 0)) for t, d in plan.to_judge()]
    judged = pw.merge(folder / "plan2.txt", drawn)
    judged.write(folder / "plan.txt")
    for ending in ("csv", "jsonl", "parquet"):
        write_frame(judged.to_frame("polars"), folder / f"plan.{ending}")
    (folder / "judged.txt").write_bytes(judged.to_text())
    polars.DataFrame(drawn, schema=["topic", "document", "label"], orient="row").write_csv(folder / "labels.csv")
    polars.DataFrame(drawn, schema=["topic", "document", "label"], orient="row").write_ndjson(folder / "labels.jsonl")
    open_work(str(folder / "judged.sqlite.plan"), str(folder / "judged.sqlite"))[1].close()
    looks = pw.Looks(end=60)
    found = pw.read(folder / "plan.txt", runs).estimate("P@5", looks=looks).looks
    assert found is not None
    found.write(folder / "looks.json")


def _write_texts(folder: Path, labels: Any, rows: list[tuple[str, str, int]]) -> None:
    names = sorted({d for _, d, _ in rows})
    texts = [{"id": d, "title": f"title {d}", "text": f"some words of {d}"} for d in names]
    (folder / "documents.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    polars.DataFrame(texts).write_csv(folder / "documents.csv")
    polars.DataFrame(texts).write_parquet(folder / "documents.parquet")
    (folder / "topics.txt").write_text(
        "".join(
            f"<top>\n<num> Number: {t}\n<title> about {t}\n<desc> Description:\nsome words\n</top>\n" for t in labels
        )
    )
    (folder / "topics.csv").write_text("id,title\n" + "".join(f"{t},about {t}\n" for t in labels))
    (folder / "topics.jsonl").write_text("".join(json.dumps({"id": t, "title": "words"}) + "\n" for t in labels))
    (folder / "notes.txt").write_text("What counts as relevant.\n")
    (folder / "grades.toml").write_text('0 = "not relevant"\n1 = { name = "relevant", key = "1" }\n2 = "highly"\n')
    (folder / "list.csv").write_text("topic,document\n" + "".join(f"{t},{d}\n" for t, d, _ in rows[:5]))


def _write_tables(folder: Path, rows: list[tuple[str, str, int]]) -> None:
    chance = random.Random(5)
    (folder / "predictions.csv").write_text(
        "topic,document,value\n" + "".join(f"{t},{d},{chance.random():.3f}\n" for t, d, _ in rows)
    )
    (folder / "costs.csv").write_text(
        "topic,document,cost\n" + "".join(f"{t},{d},{1 + n % 3}\n" for n, (t, d, _) in enumerate(rows))
    )
    (folder / "z.txt").write_text("".join(f"map {t} 0.3 0.1\n" for t in sorted({t for t, _, _ in rows})))
    (folder / "measures.json").write_text('{"mine": "nDCG(gain=\'exp\')@5"}\n')
    items = [
        {"item": n, "system": s, "score": n % 3 if n % 2 else None, "prediction": chance.random()}
        for n in range(40) for s in "xy"
    ]  # fmt: skip
    table = polars.DataFrame(items)
    table.write_csv(folder / "items.csv")
    table.write_ndjson(folder / "items.jsonl")
    table.write_parquet(folder / "items.parquet")
    scores = [f"{run},AP,t{t},{chance.random():.4f}\n" for run in "abc" for t in range(6)]
    (folder / "scores.csv").write_text("run,measure,topic,value\n" + "".join(scores))
    (folder / "wide.csv").write_text("topic,a,b\n" + "".join(f"t{t},{chance.random():.3f},0.5\n" for t in range(6)))
