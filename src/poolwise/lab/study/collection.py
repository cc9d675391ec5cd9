"""The properties of a collection that every study begins with ([B07] table 1, [S07] table 1)."""

from __future__ import annotations

import numpy as np

from poolwise.show.parts import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign


def properties(pool: Campaign, kept: Sequence[int]) -> Table:
    """Topics, runs, judged documents, and how many are relevant (R) and not (N) per topic."""
    labels, counts = pool.judgments.label_counts()
    relevant, others = counts[:, labels >= 1].sum(axis=1), counts[:, labels < 1].sum(axis=1)
    rows: list[tuple[str, Any]] = [
        ("topics", len(pool.topics)),
        ("runs", len(pool.runs)),
        ("runs in the study", len(kept)),
        ("documents per run and topic, mean", f"{np.asarray(pool.retrieved()).mean():.1f}"),
        ("judged documents", int(counts.sum())),
        ("labels", ", ".join(map(str, labels.tolist()))),
        ("relevant documents", int(relevant.sum())),
        ("relevant per topic, mean", f"{relevant.mean():.1f}"),
        ("relevant per topic, range", _span(relevant)),
        ("not relevant per topic, mean", f"{others.mean():.1f}"),
        ("not relevant per topic, range", _span(others)),
    ]
    grades = [place for place, label in enumerate(labels.tolist()) if label >= 1]
    for place in grades if len(grades) > 1 else ():
        rows.append((f"label {labels[place]}, documents", int(counts[:, place].sum())))
        rows.append((f"label {labels[place]} per topic, mean", f"{counts[:, place].mean():.1f}"))
        rows.append((f"label {labels[place]} per topic, range", _span(counts[:, place])))
    columns = {"property": [name for name, _ in rows], "value": [str(value) for _, value in rows]}
    return Table("The collection", columns, file="collection")


def _span(counts: Any) -> str:
    return f"{int(np.min(counts))} to {int(np.max(counts))}"
