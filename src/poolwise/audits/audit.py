"""Audit of judgments and runs: facts and findings to check before scoring."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolwise.audits.run_faults import (
    UNKNOWN,
    Fault,
    first_few,
    not_as_they_seem,
    of_topics,
    same_as,
    unreadable,
    upside_down,
)
from poolwise.basics.results import Result, unwarned
from poolwise.basics.settings import campaign
from poolwise.basics.words import counted, part_of
from poolwise.measures.registry import parse
from poolwise.pool.coverage import INSTEAD, sample_words
from poolwise.pool.judgments import POOLED, is_judged
from poolwise.scores.score_notes import length_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign

DEPTHS = (10, 100, 1000)  # ranks: of cut-offs of measures, of TREC's pools, of TREC's runs
NAMED_RUNS, NAMED_FAULTS = 3, 5  # runs with missing topics, and faults of files, that findings name
MOVES = 0.001  # of mean AP: smaller effects of ties do not show in three decimals
# The highest label may be a typing error if it is so many times the next one, and so small a share of all labels.
# Chosen by hand: gains of grades 0 to 4 stay below both.
FAR_OFF, FEW_OF_THEM = 5, 0.02


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """Result of an audit: numbers for the collection, numbers per run, and findings in words."""

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
    ties_move: list[float]  # range of mean AP over orders of ties
    duplicates: list[int]
    other_topics: list[int]  # topics of the run that the judgments lack
    same_as: list[str]  # the first earlier run with the same rankings, or empty
    reversed_by: list[str]  # evidence of a reversed ranking: "ranks" of its file, "labels", or empty
    missing_topics: list[list[str]]  # of each run
    left_out: dict[str, str]  # unreadable runs -> reason
    faults: tuple[Fault, ...]  # for participants to fix
    findings: tuple[str, ...]

    @property
    def judged(self) -> bool:
        """Whether there are judgments, and not runs alone."""
        return bool(self.labels or self.pooled)

    def facts(self) -> dict[str, str]:
        """The collection in words."""
        size = {"topics": str(self.topics), "runs": str(len(self.runs))}
        if not self.judged:
            return {**size, "judgments": "none"}
        judged = sum(self.labels.values())
        labels = ", ".join(f"{label}: {count}" for label, count in sorted(self.labels.items()))
        return {
            **size,
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
            **({f"judged@{depth}": shares for depth, shares in self.judged_share.items()} if self.judged else {}),
            "ties": self.ties,
            **({"ties_move_AP": self.ties_move} if self.judged else {}),
            "duplicates": self.duplicates,
            **({"unknown_topics": self.other_topics} if self.judged else {}),
            "same_as": self.same_as,
            "reversed_by": self.reversed_by,
        }

    def fault_columns(self) -> dict[str, list[str]]:
        """One row per fault: run, fault, where, what to do."""
        return {name: [fault[index] for fault in self.faults] for index, name in enumerate(Fault._fields)}

    def headline(self) -> str:
        """The size of the collection."""
        judged = counted(sum(self.labels.values()), "judged document") if self.judged else "no judgments"
        return f"{counted(len(self.runs), 'run')}, {counted(self.topics, 'topic')}, {judged}"

    def notes(self) -> tuple[str, ...]:
        """The findings."""
        return self.findings

    def details(self) -> dict[str, Any]:
        """The collection in words, documents per label, runs, findings."""
        return {
            "facts": self.facts(),
            "labels": {str(label): count for label, count in self.labels.items()},
            "topics_without_relevant": self.without_relevant,
            "runs": [dict(zip(self.columns(), row, strict=True)) for row in zip(*self.columns().values(), strict=True)],
            "left_out": self.left_out,
            "faults": [fault._asdict() for fault in self.faults],
            "findings": self.findings,
        }


def audit(pool: Campaign, against_ranks: Collection[str] = (), in_files: Sequence[Fault] = ()) -> Audit:
    """Audit a campaign: topics, depth, labels, judged share, ties, duplicates, missing topics, runs not as they seem.

    Parameters
    ----------
    pool : Campaign
        What `read` gives; without judgments the runs are audited alone.
    against_ranks : collection of str
        Runs whose scores rise with the ranks that their files give; `poolwise check` looks for such.
    in_files : sequence of Fault
        Faults that only files tell, with their places, which `poolwise check` finds.

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
    campaign(pool)
    labels = pool.judgments.classes
    judged = is_judged(labels)
    values, counts = np.unique(labels[judged], return_counts=True)
    retrieved = np.asarray(pool.retrieved())
    depths = [row[row > 0] for row in retrieved]
    # One call of the core for lines, ties and duplicates of all runs.
    counts_of_runs = pool.run_counts()
    never = judged & ~_retrieved_by_any(pool)
    alone = not labels.size
    with unwarned():  # topics are left out of these shares only
        shares = pool.score(*(f"Judged@{depth}" for depth in DEPTHS), missing="skip").means()
    without = [topic for topic, count in zip(pool.topics, _relevant(pool), strict=True) if count == 0 and not alone]
    down = [False] * len(depths) if alone else upside_down(pool.judgments)
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
        ties_move=[0.0] * len(depths) if alone else _moved_by_ties(pool, counts_of_runs["ties"]),
        duplicates=counts_of_runs["duplicates"],
        other_topics=counts_of_runs["ignored_topics"],
        same_as=same_as(pool),
        reversed_by=[
            "ranks" if run in against_ranks else "labels" if wrong else ""
            for run, wrong in zip(pool.runs, down, strict=True)
        ],
        missing_topics=[
            [topic for topic, number in zip(pool.topics, row.tolist(), strict=True) if not number] for row in retrieved
        ],
        left_out=dict(pool.left_out),
        faults=(),
        findings=(),
    )
    sample = "" if alone else sample_words(pool.judgments)
    return _with_findings(replace(result, faults=_faults(result, in_files)), in_files, sample)


def _faults(result: Audit, in_files: Sequence[Fault]) -> tuple[Fault, ...]:
    """All faults for participants, unreadable runs first. A fault with a line in a file is not listed again without."""
    with_line, named = ({fault.run for fault in in_files if _is_unknown(fault) == named} for named in (False, True))
    repeated = [0 if run in with_line else count for run, count in zip(result.runs, result.duplicates, strict=True)]
    unknown = [0 if run in named else count for run, count in zip(result.runs, result.other_topics, strict=True)]
    return (
        *unreadable(result.left_out),
        *in_files,
        *not_as_they_seem(result.runs, result.same_as, result.reversed_by, repeated),
        *of_topics(result.runs, result.missing_topics, unknown),
    )


def _is_unknown(fault: Fault) -> bool:
    return fault.fault.startswith(UNKNOWN)


def _moved_by_ties(pool: Campaign, ties: list[int]) -> list[float]:
    """Range of each run's mean AP over orders of tied documents."""
    if not any(ties):
        return [0.0] * len(ties)
    from poolwise.scores.ties import tied_interval

    interval = tied_interval(pool, [parse("AP")], [pool.judgments], pool.retrieved(), 1)
    return [float(value) for value in (interval.mean_high - interval.mean_low)[0, 0]]


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


def _with_findings(result: Audit, in_files: Sequence[Fault], sample: str) -> Audit:
    """The result with findings in words. `sample` describes the sample if the judgments are one."""
    with_line = [fault for fault in in_files if not _is_unknown(fault)][:NAMED_FAULTS]
    notes = [
        *(f"{name} cannot be read: {why}" for name, why in result.left_out.items()),
        *([f"{sample}: {INSTEAD}"] if sample else []),
        *(f"{fault.where}: {fault.fault}; {fault.what_to_do}" for fault in with_line),
        *_suspects(result),
        *_empty_topics(result),
        *([] if sample else _unjudged_tops(result)),
        *length_notes(result.runs, result.depth_median, [parse("AP")]),
        *_repeats_and_ties(result),
        *_odd_labels(result, sampled=bool(sample)),
    ]
    return replace(result, findings=tuple(notes))


def _some(result: Audit, count: int, one: str = "", several: str = "") -> str:
    """The number of runs of all runs, with a verb that agrees."""
    return part_of(count, len(result.runs), "run", one, several).rstrip()


def _empty_topics(result: Audit) -> Iterator[str]:
    """Topics that runs lack, and topics without relevant documents."""
    # Lists of names are cut, since runs of a whole track may lack the same topic.
    lacking = sum(count < result.topics for count in result.topics_of_run)
    if lacking:
        missing = zip(result.runs, result.missing_topics, strict=True)
        named = [f"{run} {first_few(topics)}" for run, topics in missing if topics]
        yield (
            f"{_some(result, lacking, 'lacks', 'lack')} topics; by default these score 0 (--missing skip leaves them "
            f"out): {'; '.join(named[:NAMED_RUNS])}{'; ...' if lacking > NAMED_RUNS else ''}"
        )
    number = len(result.without_relevant)
    if number:
        have = (
            "1 topic has no relevant document and scores 0"
            if number == 1
            else f"{number} topics have no relevant document and score 0"
        )
        yield f"{have}: {', '.join(result.without_relevant[:5])}{', ...' if number > 5 else ''}"


def _unjudged_tops(result: Audit) -> Iterator[str]:
    """Runs with many unjudged documents at the top."""
    if not result.judged:
        return
    # The top ten decide shallow measures, the top hundred is TREC's pool depth; only the worse finding is
    # reported.
    thin, deep = (sum(share < 0.9 for share in result.judged_share[depth]) for depth in (10, 100))
    if thin:
        yield (
            f"{_some(result, thin, 'has', 'have')} more than 10 % of the top 10 unjudged: prefer measures that leave "
            "unjudged documents out (bpref, AP', nDCG'), or judge more"
        )
    elif deep:
        yield (
            f"{_some(result, deep, 'has', 'have')} more than 10 % of the top 100 unjudged, which count as non-relevant "
            "in measures that look so deep (AP, R@100); `score --interval bounds` shows how far that may move them"
        )


def _repeats_and_ties(result: Audit) -> Iterator[str]:
    """Runs with repeated documents, and runs with tied scores."""
    having = [run for run, count in zip(result.runs, result.duplicates, strict=True) if count]
    if having:
        words = "list documents twice; `score` refuses them unless told"
        yield f"{_some(result, len(having))} {words}: {first_few(having)}"
    # Half of the lines: scores of a few decimals tie often and harmlessly.
    tied = sum(2 * ties > lines for ties, lines in zip(result.ties, result.lines, strict=True))
    if tied:
        yield f"{_some(result, tied, 'has', 'have')} tied scores in over half of the lines, broken by document id"
    moved = [move for move in result.ties_move if move >= MOVES]
    if moved:
        yield (
            f"{_some(result, len(moved), 'has', 'have')} ties whose order moves mean AP by {MOVES} or more, up to "
            f"{max(moved):.4f}; `score --ties expected` takes all orders, `--ties range` shows how far they reach"
        )


def _odd_labels(result: Audit, sampled: bool) -> Iterator[str]:
    """Topics without judgments, pooled documents without a label, and unusual labels."""
    others = sum(map(bool, result.other_topics))
    if others:
        yield f"{_some(result, others, 'has', 'have')} topics that the judgments lack; these are ignored"
    if result.pooled and not sampled:
        yield f"{counted(result.pooled, 'pooled document')} not judged: unjudged ones count as the measure says"
    if any(label < 0 for label in result.labels):
        yield "negative labels count as non-relevant; nDCG(negative='keep') and 'minmax' use them"
    yield from _far_off(result.labels)


def _far_off(labels: dict[int, int]) -> Iterator[str]:
    """A few labels far above all others, as a key pressed twice produces."""
    ordered = sorted(label for label in labels if label > 0)
    if len(ordered) < 2:
        return
    usual, highest = ordered[-2:]
    if highest >= FAR_OFF * usual and labels[highest] <= FEW_OF_THEM * sum(labels.values()):
        are = "are" if labels[highest] > 1 else "is"
        sentence = f"{counted(labels[highest], 'label')} {are} {highest}, and no other is above {usual}"
        yield f"{sentence}: meant so? gains of nDCG go by labels"


def _suspects(result: Audit) -> list[str]:
    """Copies of other runs, and reversed rankings."""
    notes = [
        f"{run} has the rankings of {other}: is one a copy under another name?"
        for run, other in zip(result.runs, result.same_as, strict=True)
        if other
    ]
    for run, why in zip(result.runs, result.reversed_by, strict=True):
        if why == "ranks":
            notes.append(f"{run}: scores rise with the ranks of its file, so the last counts as the best; negate them")
        elif why:
            notes.append(f"{run} would score far better upside down: are its scores distances, or ranks?")
    return notes
