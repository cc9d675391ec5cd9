"""JSON that a reader would choke on: each is an error that names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import poolwise as pw
from poolwise.judging.topic_texts import read_topics
from poolwise.scores.scores import Scores

DIGITS = "1" + "0" * 5000  # more than Python turns into a number
HOSTILE = {
    "lists in lists": "[" * 100_000,
    "objects in objects": '{"topic":' * 100_000,
    "a long number": f'[{{"topic": "1", "document": "a", "score": {DIGITS}}}]',
    "a long number in a line": f'{{"topic": "1", "document": "a", "score": {DIGITS}}}\n',
}
RUN = {"run": {"1": {"a": 1.0}}}
READERS = {
    "judgments": lambda path: pw.read(path, RUN),
    "a run": lambda path: pw.read({"1": {"a": 1}}, path),
    "labels": lambda path: pw.label_agreement({"ann": path, "bob": {"1": {"a": 1}}}),
    "items": lambda path: pw.estimate_items(path),
    "measures": pw.load_measures,
    "scores": Scores.from_csv,
    "columns": lambda path: pw.read(path, RUN, columns={"topic": "query"}),
}


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("reader", READERS)
def test_it_is_told_of(tmp_path: Path, reader: str, kind: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(HOSTILE[kind])
    with pytest.raises(pw.PoolwiseError, match=r"file\.json|topic='query'"):
        READERS[reader](str(path))


@pytest.mark.parametrize("reader", ["judgments", "a run", "labels"])
def test_half_a_sign_is_no_id(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "file.json"
    path.write_text('{"topic": "1", "document": "\\ud83d", "score": 1, "label": 1}\n')
    with pytest.raises(pw.InputError, match=r"file\.json:1: document '\\ud83d' cannot be written as UTF-8; mend it"):
        READERS[reader](str(path))


@pytest.mark.parametrize("text", ["[7]", "[null]", "[" * 100_000])
def test_topics_are_objects(tmp_path: Path, text: str) -> None:
    path = tmp_path / "topics.json"
    path.write_text(text)
    with pytest.raises(pw.InputError, match=r"topics\.json: this is no JSON \(.*; give a list of objects"):
        read_topics(str(path))


def test_a_number_beyond_all_floats_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(f'{{"topic": "1", "document": "a", "label": {"9" * 400}}}\n')
    with pytest.raises(pw.InputError, match=r"labels\.jsonl:1: label .* is not a number"):
        pw.label_agreement({"ann": str(path), "bob": {"1": {"a": 1}}})
