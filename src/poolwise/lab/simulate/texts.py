"""Texts of topics and documents for a simulated campaign, to try out judging.

Sentences are put together from a few patterns. How much of a document is about the topic follows its label: all of it
for the highest grade, some for lower ones, nothing for label 0, where it is about another question. The same seed gives
the same texts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolwise.lab.simulate.simulated import Simulated

__all__ = ["documents_text", "topics_text"]

SUBJECTS = {
    "bees": ("finding flowers", "keeping warm in winter", "sharing work in a hive", "surviving a dry summer"),
    "old bridges": ("measuring cracks", "carrying heavy lorries", "being painted", "standing floods"),
    "sourdough": ("keeping a starter alive", "baking without an oven", "choosing flour", "rising in a cold kitchen"),
    "night trains": ("crossing borders", "booking a bed", "running on time", "being cheaper than flights"),
    "tides": ("being predicted", "turning turbines", "shaping beaches", "stranding boats"),
    "city trees": ("cooling streets", "lifting pavements", "being chosen by councils", "living with salt"),
    "choirs": ("tuning without a piano", "learning by heart", "finding tenors", "singing in dry halls"),
    "glaciers": ("being weighed from space", "carving valleys", "feeding rivers", "storing old air"),
    "bicycles": ("being repaired at home", "carrying children", "staying upright", "getting stolen"),
    "public libraries": ("lending tools", "staying open late", "keeping old maps", "teaching children to read"),
    "owls": ("hearing mice under snow", "flying without a sound", "nesting in towns", "turning their heads"),
    "rain": ("being measured", "filling cisterns", "smelling after a drought", "reaching the ground"),
    "clay": ("being fired without a kiln", "holding water", "keeping houses cool", "shrinking as it dries"),
    "lighthouses": ("being automated", "telling themselves apart", "using lenses", "warning in fog"),
    "potatoes": ("being stored for months", "resisting blight", "growing in sacks", "reaching Europe"),
    "chess clubs": ("pairing players", "ageing", "teaching openings", "meeting by post"),
    "salt": ("being made from sea water", "keeping fish", "melting ice", "being taxed"),
    "moss": ("living without roots", "showing clean air", "growing on roofs", "drying out and coming back"),
    "radio": ("reaching ships", "using short waves", "being heard at night", "saving batteries"),
    "wool": ("being washed", "keeping its warmth when wet", "being spun by hand", "felting"),
}
PATTERNS = (
    "Anyone who deals with {s} soon asks about {a}.",
    "What is known of {s} {a} comes from {n} years of notes, most of them kept by amateurs.",
    "{A} is where {s} differ from what most books say.",
    "In a survey of {n} towns, {a} was named first by every third of those who know {s}.",
    "The usual account of {s} {a} is short, and it leaves out the weather.",
    "Two things decide about {a}: time, and how {s} were treated the year before.",
    "For {s}, {a} works best when nobody is in a hurry.",
    "A careful trial over {n} weeks found that {s} do well at {a} if they are left alone.",
    "Costs are low: for {s}, {a} takes little more than patience and a dry place.",
    "There are older answers to {a}, but with {s} they hold only in part.",
    "Asked about {s} {a}, those who have seen it for {n} years say that it has changed.",
    "One page in the records of a harbour town describes {s} {a} in plain words.",
)
ASIDES = (
    "The rest of the report is about money.",
    "Pictures were taken, and some of them are sharp.",
    "This was written in spring and revised in autumn.",
    "Opening hours have changed since.",
)
OFFER = "Best prices for {s}! Order today, order twice, tell everyone. {S}, {s}, {s}: the best {s} are here. Click now."


def topics_text(campaign: Simulated) -> bytes:
    """A line of JSON for each topic: id, title, description, narrative."""
    lines = []
    for topic, (subject, aspect) in zip(campaign.topics, _asked(campaign), strict=True):
        record = {
            "id": topic,
            "title": f"{subject} {aspect}",
            "description": f"What is known about {subject} {aspect}?",
            "narrative": f"A relevant document says something about {aspect}. One that is about {subject} in general, "
            "or only sells something, is not relevant.",
        }
        lines.append(json.dumps(record) + "\n")
    return "".join(lines).encode()


def documents_text(campaign: Simulated) -> Iterator[bytes]:
    """A line of JSON for each document that is relevant or was retrieved: id, title, text."""
    asked = _asked(campaign)
    seen: set[int] = set()
    for column in range(len(campaign.topics)):
        part = slice(campaign.offsets[column], campaign.offsets[column + 1])
        numbers, labels = campaign.documents[part], campaign.labels[part]
        names = campaign.identifiers(numbers)
        for name, number, label in zip(names, numbers.tolist(), labels.tolist(), strict=True):
            if number not in seen:
                seen.add(number)
                random = np.random.default_rng((campaign.seed, number))
                record = _document(name, label, campaign.grades - 1, asked[column], random)
                yield (json.dumps(record) + "\n").encode()


def _asked(campaign: Simulated) -> list[tuple[str, str]]:
    """The question of each topic. With more topics than questions, questions repeat."""
    pairs = [(subject, aspect) for subject, aspects in SUBJECTS.items() for aspect in aspects]
    order = np.random.default_rng(campaign.seed).permutation(len(pairs))
    return [pairs[order[index % len(pairs)]] for index in range(len(campaign.topics))]


def _document(name: str, label: int, top: int, asked: tuple[str, str], random: np.random.Generator) -> dict[str, str]:
    subject = asked[0]
    if label < 0:
        offer = OFFER.format(s=subject, S=subject.upper())
        return {"id": name, "title": f"{subject.capitalize()} for sale", "text": offer}
    other = _other(asked, random)
    size = int(random.integers(4, 9))
    about = round(size * label / max(top, 1))
    kinds = [asked] * about + [other] * (size - about)
    patterns = random.permutation(len(PATTERNS))[:size]
    sentences = [
        _sentence(PATTERNS[p], kinds[k], random) for p, k in zip(patterns, random.permutation(size), strict=True)
    ]
    if random.random() < 0.5:
        sentences.append(ASIDES[int(random.integers(len(ASIDES)))])
    cut = len(sentences) // 2 + 1
    titled = subject if label else other[0]
    title = f"{titled.capitalize()}: {'notes' if random.random() < 0.5 else 'a short account'}"
    return {"id": name, "title": title, "text": " ".join(sentences[:cut]) + "\n\n" + " ".join(sentences[cut:])}


def _other(asked: tuple[str, str], random: np.random.Generator) -> tuple[str, str]:
    """Another question, half of the time on the same subject."""
    subject = asked[0] if random.random() < 0.5 else str(random.choice(list(SUBJECTS)))
    aspects = [aspect for aspect in SUBJECTS[subject] if (subject, aspect) != asked]
    return subject, str(random.choice(aspects))


def _sentence(pattern: str, about: tuple[str, str], random: np.random.Generator) -> str:
    subject, aspect = about
    return pattern.format(s=subject, a=aspect, A=aspect.capitalize(), n=int(random.integers(3, 60)))
