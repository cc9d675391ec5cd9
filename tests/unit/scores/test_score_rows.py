"""One way to show and write scores, however they were made."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import poolwise as pw
from poolwise.errors import ArgumentError
from poolwise.lab.simulate.drawing import simulate
from poolwise.scores.score_rows import ScoreRows

MEASURES = ("P@4", "NumRel", "P@2")  # whose means are exact, however they are added up


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ScoreRows]:
    """The same scores in memory, streamed, and from a log of one partition."""
    folder = tmp_path_factory.mktemp("scores")
    campaign = simulate(runs=2, topics=6, depth=10, seed=5)
    campaign.write(folder / "campaign")
    qrels, runs = folder / "campaign" / "qrels.txt", folder / "campaign" / "runs"
    labels = [
        {"topic": topic, "document": document, "label": label}
        for topic, documents in campaign.qrels().items()
        for document, label in documents.items()
    ]
    rows = [
        {"topic": topic, "document": document, "score": score, "run": run}
        for run in campaign.runs
        for topic, documents in campaign.run(run).items()
        for document, score in documents.items()
    ]
    for name, table in (("log", rows), ("labels", labels)):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), folder / f"{name}.parquet")
    return {
        "memory": pw.read(qrels, runs).score(*MEASURES),
        "stream": pw.score_stream(qrels, runs, measures=MEASURES, per_topic=True),
        "log": pw.score_log(folder / "log.parquet", measures=MEASURES, qrels=folder / "labels.parquet"),
    }


@pytest.mark.parametrize("way", ["stream", "log"])
def test_all_are_written_alike(made: dict[str, ScoreRows], way: str, tmp_path: Path) -> None:
    memory, other = made["memory"], made[way]
    assert (other.runs, other.measures, other.number_of_topics) == (memory.runs, memory.measures, 6)
    assert other.column_names == memory.column_names == ("run", "measure", "topic", "value")
    assert other.to_dict() == memory.to_dict()
    assert other.to_csv(tmp_path / "means.csv") == memory.to_csv() == (tmp_path / "means.csv").read_text()
    assert other.to_json() == memory.to_json()
    assert other.to_parquet() == memory.to_parquet()
    assert list(other.all_rows(per_topic=False)) == list(memory.all_rows(per_topic=False))


def test_tables_for_papers_are_those_of_the_command(made: dict[str, ScoreRows]) -> None:
    best, second = made["memory"].mean_columns()["P@4"]
    for way, scores in made.items():
        head, rule, first, *_ = scores.to_markdown(digits=2).splitlines()
        assert (head, rule) == ("| run | P@4 | NumRel | P@2 |", "|---|---:|---:|---:|"), way
        assert f"| **{best:.2f}** | **" in first, way
        assert rf"\textbf{{{best:.3f}}}" in scores.to_latex(digits=3), way
        assert f" & {second:.3f} & " in scores.to_latex(digits=3), way


def test_intervals_have_the_digits_asked_for() -> None:
    scores = simulate(runs=2, topics=6, depth=10, seed=5).pool().score("AP", interval="topics")
    columns = scores.mean_columns()
    value, low, high = (columns[name][0] for name in ("AP", "AP low", "AP high"))
    assert f"| **{value:.2f}** [{low:.2f}, {high:.2f}] |" in scores.to_markdown(digits=2)


def test_topics_are_written_where_they_were_kept(made: dict[str, ScoreRows]) -> None:
    text = made["memory"].to_csv(per_topic=True)
    assert made["stream"].to_csv(per_topic=True) == text
    assert len(list(csv.reader(io.StringIO(text)))) == 1 + 2 * 3 * (6 + 1)
    assert len(json.loads(made["stream"].to_json(per_topic=True))) == 2 * 3 * (6 + 1)
    with pytest.raises(ArgumentError, match="not kept"):
        made["log"].to_csv(per_topic=True)
