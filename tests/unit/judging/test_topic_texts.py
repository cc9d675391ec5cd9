"""Topics are read from every usual kind of file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import pytest

from poolwise.errors import InputError
from poolwise.judging.topic_texts import TopicText, read_topics

TREC = """
<top>

<num> Number: 401
<title> foreign minorities,
 Germany

<desc> Description:
What language and cultural differences
impede integration?

<narr> Narrative:
Relevant: causes &amp; effects.

Not relevant: lists.

</top>

<top>
<num> Number: 402 </num>
<title> Topic: genetics </title>
</top>
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<topics task="adhoc">
  <topic number="401">
    <query>foreign minorities, Germany</query>
    <question>What differences
      impede integration?</question>
    <narrative>Causes &amp; effects.</narrative>
  </topic>
  <topic number="402"><query>genetics</query><subtopic number="1">a part</subtopic></topic>
</topics>
"""
KINDS = {
    "trec": TREC,
    "xml": XML,
    "jsonl": '{"id": "401", "title": "foreign minorities, Germany", "desc": "What?", "narr": "Causes."}\n'
    '\n{"qid": 402, "query": "genetics"}\n',
    "json": '[{"_id": "401", "text": "foreign minorities, Germany"}, {"_id": 402, "text": "genetics"}]',
    "tsv": "401\tforeign minorities, Germany\n402\tgenetics\n",
    "tsv named": "qid\tquery\n401\tforeign minorities, Germany\n402\tgenetics\n",
    "csv": '401,"foreign minorities, Germany"\n402,genetics\n',
    "csv named": 'title,id,narrative\n"foreign minorities, Germany",401,"Causes."\ngenetics,402,\n',
    "queries": "<queries><query id='401'>foreign minorities, Germany</query><query id='402'>genetics</query></queries>",
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_ids_and_titles(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "topics"
    for write in (path.write_text, lambda text: path.write_bytes(gzip.compress(text.encode()))):
        write(KINDS[kind])
        found = read_topics(str(path))
        assert {name: topic.title for name, topic in found.items()} == {
            "401": "foreign minorities, Germany",
            "402": "genetics",
        }


def test_descriptions_and_narratives(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(TREC)
    assert read_topics(str(path))["401"] == TopicText(
        "foreign minorities, Germany",
        "What language and cultural differences impede integration?",
        "Relevant: causes & effects.\n\nNot relevant: lists.",
    )
    path.write_text(XML)
    found = read_topics(str(path))
    assert found["401"].description == "What differences impede integration?"
    assert found["402"].narrative == ""
    path.write_text(KINDS["jsonl"])
    assert read_topics(str(path))["401"].as_dict() == {
        "title": "foreign minorities, Germany",
        "description": "What?",
        "narrative": "Causes.",
    }


def test_no_topics_were_given() -> None:
    assert read_topics(None) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no topics found"),
        ("<p>hello</p>", "no topics found"),
        ('{"title": "x"}', "topic 1 has no id"),
        ('{"id": 1}\nnope', "topics:2: this is no JSON"),
        ('{"id": 1}\n[]', r"topics:2: .* is no object"),
        ("[1, 2", "this is no JSON"),
        ("1\ta\n1\tb\n", "two topics are called '1'"),
        ("only-one-word\n", "every line needs id and title"),
    ],
)
def test_files_that_are_no_topics_say_so(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "topics"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_topics(str(path))


class Query(NamedTuple):
    query_id: str
    title: str
    description: str


def test_a_dataset_of_ir_datasets_gives_its_topics(monkeypatch) -> None:
    class Dataset:
        def has_queries(self):
            return True

        def queries_iter(self):
            yield Query("401", "minorities", "What?")

    library = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(library, "load", lambda name: {"mine": Dataset()}[name])
    assert read_topics("irds:mine") == {"401": TopicText("minorities", "What?")}
    with pytest.raises(InputError, match="neither a file nor a dataset"):
        read_topics("no-such-topics")
