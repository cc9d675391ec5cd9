"""Small campaigns whose complete judgments are known: documents have a worth that runs see with noise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Known:
    """Runs as scores by topic and document, and the true label of every document."""

    runs: dict[str, dict[str, dict[str, float]]]
    truth: dict[str, dict[str, int]]

    def fill(self, frame, share: float = 1.0, seed: int = 0):
        """A plan's data frame with the labels of drawn documents filled in, all or a share of them."""
        filled = frame.copy()
        chosen = np.random.default_rng(seed).random(len(filled)) < share
        filled["label"] = [
            self.truth[topic][document] if round > 0 and (label != -1 or asked) else label
            for topic, document, round, label, asked in zip(
                filled["topic"], filled["document"], filled["round"], filled["label"], chosen, strict=True
            )
        ]
        return filled

    def fill_text(self, text: bytes) -> bytes:
        """A plan's file with the labels of all drawn documents filled in."""
        lines = []
        for line in text.decode().splitlines():
            if not line.startswith("#"):  # what the plan says of itself stays as it is
                topic, round, document, stratum, label = line.split()
                known = self.truth[topic][document] if round != "0" else label
                line = f"{topic} {round} {document} {stratum} {known}"
            lines.append(line + "\n")
        return "".join(lines).encode()

    def write(self, folder: Path) -> None:
        """Write qrels.txt with all labels, and a file per run below runs/."""
        qrels = [f"{topic} 0 {name} {label}\n" for topic, own in self.truth.items() for name, label in own.items()]
        (folder / "qrels.txt").write_text("".join(qrels))
        (folder / "runs").mkdir()
        for run, topics in self.runs.items():
            lines = [
                f"{topic} Q0 {name} 0 {score!r} {run}\n" for topic, own in topics.items() for name, score in own.items()
            ]
            (folder / "runs" / f"{run}.txt").write_text("".join(lines))


def known_campaign(
    seed: int, topics: int = 8, runs: int = 6, documents: int = 120, depth: int = 60, grades: int = 1
) -> Known:
    """Relevance follows a document's worth; each run sees it with noise of its own."""
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, dict[str, float]]] = {f"run{number}": {} for number in range(runs)}
    truth: dict[str, dict[str, int]] = {}
    for number in range(topics):
        topic, names = str(number + 1), [f"d{place:03d}" for place in range(documents)]
        worth = rng.normal(size=documents)
        chance = 1 / (1 + np.exp(-(2.2 * worth - 2.2 + 0.7 * rng.normal())))
        relevant = rng.random(documents) < chance
        label = relevant * rng.integers(1, grades + 1, documents)
        truth[topic] = dict(zip(names, label.tolist(), strict=True))
        for place, run in enumerate(found):
            score = worth + (0.4 + 0.25 * place) * rng.normal(size=documents)
            best = np.argsort(-score)[:depth]
            found[run][topic] = {names[each]: float(score[each]) for each in best}
    return Known(found, truth)
