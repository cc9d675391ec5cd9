"""Texts of a simulated campaign speak of their topic as much as their label says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.simulate.texts import PATTERNS, documents_text, topics_text

CAMPAIGN = {"runs": 4, "topics": 6, "depth": 60, "pool_depth": 30, "grades": 3, "seed": 4}


def test_every_topic_and_every_known_document_has_a_text() -> None:
    campaign = simulate(**CAMPAIGN)
    topics = [json.loads(line) for line in topics_text(campaign).splitlines()]
    documents = [json.loads(line) for line in b"".join(documents_text(campaign)).splitlines()]
    assert [topic["id"] for topic in topics] == campaign.topics
    assert len({topic["title"] for topic in topics}) == 6
    known = {document for labels in campaign.truth().values() for document in labels}
    assert {document["id"] for document in documents} == known
    assert len(documents) == len(known)


@pytest.mark.slow
def test_better_documents_say_more_about_the_topic() -> None:
    campaign = simulate(**CAMPAIGN)
    texts = {
        record["id"]: record["text"] for record in map(json.loads, b"".join(documents_text(campaign)).splitlines())
    }
    asked = {record["id"]: record["title"] for record in map(json.loads, topics_text(campaign).splitlines())}
    once = {
        document
        for topic, labels in campaign.truth().items()
        for document in labels
        if sum(document in other for other in campaign.truth().values()) == 1
    }
    shares: dict[int, list[float]] = {}
    for topic, labels in campaign.truth().items():
        aspect = next(a for s, a in _pairs() if f"{s} {a}" == asked[topic])
        for document, label in labels.items():
            if document in once:
                sentences = texts[document].replace("\n\n", " ").split(". ")
                shares.setdefault(label, []).append(sum(aspect in s.lower() for s in sentences) / len(sentences))
    means = {label: sum(own) / len(own) for label, own in shares.items()}
    assert means[-2] == 0.0
    assert means[0] == 0.0
    assert 0.3 < means[1] < 0.6
    assert means[2] > 0.8


def _pairs() -> list[tuple[str, str]]:
    from poolwise.lab.simulate.texts import SUBJECTS

    return [(subject, aspect) for subject, aspects in SUBJECTS.items() for aspect in aspects]


def test_the_same_seed_gives_the_same_texts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        simulate(**CAMPAIGN).write(tmp_path / name, texts=True)
    for file in ("topics.jsonl", "documents.jsonl", "qrels.txt"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    simulate(**CAMPAIGN).write(tmp_path / "three")
    assert not (tmp_path / "three" / "topics.jsonl").exists()


def test_no_sentence_comes_twice_in_a_text() -> None:
    campaign = simulate(**CAMPAIGN)
    for line in list(documents_text(campaign))[:200]:
        record = json.loads(line)
        if "Best prices" not in record["text"]:
            sentences = record["text"].replace("\n\n", " ").split(". ")
            assert len(set(sentences)) == len(sentences) <= len(PATTERNS) + 1
