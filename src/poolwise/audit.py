"""An audit of judgments and runs: what to know before trusting scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.judge.judgments import POOLED, is_judged
from poolwise.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.campaign import Campaign

DEPTHS = (10, 100, 1000)
MOVES = 0.001  # what ties move is worth a word from here on


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """What an audit found: numbers for the collection, numbers per run, and findings in words."""

    topics: int
    runs: list[str]
    labels: dict[int, int]  # documents per label
    pooled: int  # in the pool, not judged
    never_retrieved: int  # judged documents that no run retrieved
    relevant_never_retrieved: int
    without_relevant: list[str]  # topics
    topics_of_run: list[int]
    lines: list[int]
    depth_median: list[int]
    depth_most: list[int]
    judged_share: dict[int, list[float]]  # by depth
    ties: list[int]
    ties_move: list[float]  # how far orders of ties can move mean AP
    duplicates: list[int]
    other_topics: list[int]  # of the run, unknown to the judgments
    findings: tuple[str, ...]

    def facts(self) -> dict[str, str]:
        """The collection in words."""
        judged = sum(self.labels.values())
        labels = ", ".join(f"{label}: {count}" for label, count in sorted(self.labels.items()))
        return {
            "topics": str(self.topics),
            "runs": str(len(self.runs)),
            "judged documents": f"{judged} ({judged / max(self.topics, 1):.0f} per topic)",
            "documents per label": labels,
            "pooled, not judged": str(self.pooled),
            "judged, never retrieved": f"{self.never_retrieved} ({self.relevant_never_retrieved} of them relevant)",
            "topics without relevant documents": str(len(self.without_relevant)),
        }

    def columns(self) -> dict[str, list[Any]]:
        """One row per run."""
        return {
            "run": self.runs,
            "topics": self.topics_of_run,
            "missing": [self.topics - count for count in self.topics_of_run],
            "lines": self.lines,
            "median_depth": self.depth_median,
            "max_depth": self.depth_most,
            **{f"judged@{depth}": shares for depth, shares in self.judged_share.items()},
            "ties": self.ties,
            "ties_move_AP": self.ties_move,
            "duplicates": self.duplicates,
            "unknown_topics": self.other_topics,
        }

    def headline(self) -> str:
        """The size of the collection."""
        return f"{len(self.runs)} runs, {self.topics} topics, {sum(self.labels.values())} judged documents"

    def notes(self) -> tuple[str, ...]:
        """What to know before scoring."""
        return self.findings

    def details(self) -> dict[str, Any]:
        """The collection in words, documents per label, runs, findings."""
        return {
            "facts": self.facts(),
            "labels": {str(label): count for label, count in self.labels.items()},
            "topics_without_relevant": self.without_relevant,
            "runs": [dict(zip(self.columns(), row, strict=True)) for row in zip(*self.columns().values(), strict=True)],
            "findings": self.findings,
        }


def audit(pool: Campaign) -> Audit:
    """Audit a campaign: topics, depth, labels, judged share, ties, duplicates, missing topics.

    Parameters
    ----------
    pool : Campaign
        What `read` gives.

    Returns
    -------
    Audit
        Numbers for the collection and per run, and what to know in words.

    Examples
    --------
    >>> from poolwise import read
    >>> audit(read({"1": {"a": 1, "b": 0}}, {"1": {"a": 0.9, "c": 0.7}})).judged_share[10]
    [0.5]
    """
    labels = pool.judgments.classes
    judged = is_judged(labels)
    values, counts = np.unique(labels[judged], return_counts=True)
    retrieved = np.asarray(pool.retrieved())
    depths = [row[row > 0] for row in retrieved]
    counts_of_runs = pool.run_counts()
    never = judged & ~_retrieved_by_any(pool)
    shares = pool.score(*(f"Judged@{depth}" for depth in DEPTHS), missing="skip").means()
    without = [topic for topic, count in zip(pool.topics, _relevant(pool), strict=True) if count == 0]
    result = Audit(
        topics=len(pool.topics),
        runs=list(pool.runs),
        labels=dict(zip(values.tolist(), counts.tolist(), strict=True)),
        pooled=int((labels == POOLED).sum()),
        never_retrieved=int(never.sum()),
        relevant_never_retrieved=int((never & (labels >= 1)).sum()),
        without_relevant=without,
        topics_of_run=[len(depth) for depth in depths],
        lines=counts_of_runs["lines"],
        depth_median=[int(np.median(depth)) for depth in depths],
        depth_most=[int(depth.max()) for depth in depths],
        judged_share={depth: shares[:, column].tolist() for column, depth in enumerate(DEPTHS)},
        ties=counts_of_runs["ties"],
        ties_move=_moved_by_ties(pool, counts_of_runs["ties"]),
        duplicates=counts_of_runs["duplicates"],
        other_topics=counts_of_runs["ignored_topics"],
        findings=(),
    )
    return _with_findings(result)


def _moved_by_ties(pool: Campaign, ties: list[int]) -> list[float]:
    """The highest less the lowest mean AP over orders of tied documents, of each run."""
    if not any(ties):
        return [0.0] * len(ties)
    from poolwise.score.registry import parse
    from poolwise.score.ties import tied_interval

    found = tied_interval(pool, [parse("AP")], [pool.judgments], pool.retrieved(), 1)
    return [float(value) for value in (found.mean_high - found.mean_low)[0, 0]]


def _retrieved_by_any(pool: Campaign) -> Any:
    seen = np.zeros(len(pool.judgments.classes), dtype=bool)
    offsets = pool.judgments.offsets
    for run in range(len(pool.runs)):
        for topic in range(len(pool.topics)):
            _, documents = pool.known(run, topic)
            seen[offsets[topic] + np.asarray(documents, dtype=np.int64)] = True
    return seen


def _relevant(pool: Campaign) -> list[int]:
    labels, counts = pool.label_counts()
    return [int(count) for count in counts[:, labels >= 1].sum(axis=1)]


def _with_findings(result: Audit) -> Audit:
    """Say in words what may mislead."""
    said = []

    def some(count: int) -> str:
        return f"{count} of {len(result.runs)} runs"

    lacking = sum(count < result.topics for count in result.topics_of_run)
    if lacking:
        said.append(f"{some(lacking)} lack topics; by default these score 0 (--missing skip leaves them out)")
    if result.without_relevant:
        shown = ", ".join(result.without_relevant[:5]) + (", ..." if len(result.without_relevant) > 5 else "")
        said.append(f"{len(result.without_relevant)} topics have no relevant document and score 0: {shown}")
    thin = sum(share < 0.9 for share in result.judged_share[10])
    if thin:
        said.append(
            f"{some(thin)} have more than 10 % of their top 10 unjudged: prefer measures that leave unjudged documents "
            "out (bpref, AP', nDCG'), or judge more"
        )
    if any(result.duplicates):
        said.append(f"{some(sum(map(bool, result.duplicates)))} list documents twice; `score` refuses them unless told")
    tied = sum(2 * ties > lines for ties, lines in zip(result.ties, result.lines, strict=True))
    if tied:
        said.append(f"{some(tied)} have tied scores in over half of their lines; ties are broken by document id")
    moved = [move for move in result.ties_move if move >= MOVES]
    if moved:
        said.append(
            f"{some(len(moved))} have ties whose order moves mean AP by {MOVES} or more, up to {max(moved):.4f}; "
            "`score --ties expected` takes all orders, `--ties range` shows how far they reach"
        )
    others = sum(map(bool, result.other_topics))
    if others:
        said.append(f"{some(others)} have topics that the judgments lack; these are ignored")
    if result.pooled:
        said.append("some pooled documents are not judged: this is a sample, see infAP and `poolwise measures`")
    if any(label < 0 for label in result.labels):
        said.append("negative labels count as non-relevant; nDCG(negative='keep') and 'minmax' use them")
    return Audit(**{**vars(result), "findings": tuple(said)})
