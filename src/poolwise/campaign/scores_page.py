"""The page of scores: how runs rank, how topics differ, how much of each run is judged."""

from __future__ import annotations

from poolwise.audits.audit_shown import judged_figure, judged_words, runs_table
from poolwise.basics.numbers import best_first
from poolwise.basics.words import counted
from poolwise.scores.scores import Scores
from poolwise.scores.scores_shown import how_scored, interval_words, means_by_measure, scores_figure
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.audits.audit import Audit
    from poolwise.scores.score_rows import ScoreRows


def scores_page(
    scores: ScoreRows,
    audit: Audit | None = None,
    *,
    title: str = "Scores of all runs",
    methods: Sequence[str] = (),
    command: str = "",
) -> Page:
    """Make the page of `Scores`, or of means that were streamed: these have no topics and no audit."""
    means = means_by_measure(scores)
    first = scores.measures[0]
    order = best_first(means[first])
    bars = interval_words(scores)
    parts: list[Table | Figure] = [
        Table("Scores", scores.mean_columns(), f"Means over topics{'; low and high: ' + bars if bars else ''}."),
        scores_figure(scores),
    ]
    if isinstance(scores, Scores) and len(scores.topics) > 1:
        parts.append(Table(f"Topics by {first}", _topics(scores, first), "Over all runs, the hardest topic first."))
    if audit is not None:
        parts += [judged_figure(audit), runs_table("Judged share and depth", audit)]
    best, worst = order[0], order[-1]
    summary = [
        f"{counted(len(scores.runs), 'run')} {'was' if len(scores.runs) == 1 else 'were'} scored on "
        f"{counted(scores.number_of_topics, 'topic')}. By {first}, {scores.runs[best]} "
        f"comes first ({means[first][best]:.4f}) and {scores.runs[worst]} last ({means[first][worst]:.4f}).",
        *([judged_words(audit)] if audit is not None else []),
    ]
    findings = () if audit is None else audit.findings
    warnings = [*scores.warnings, *(each for each in findings if not _is_repeated(each, scores.warnings))]
    made = [" ".join(how_scored(scores)), *methods, *how_made(command)]
    return Page(title, summary, parts, made, warnings)


def _topics(scores: Scores, measure: str) -> dict[str, list[Any]]:
    """Scores of the runs on each topic: mean, lowest, median, highest, and by which run."""
    import numpy as np

    array = scores.array(measure)
    there = np.flatnonzero(~np.isnan(array).all(axis=0))  # topics that some run has
    order = there[np.argsort(np.nanmean(array[:, there], axis=0), kind="stable")]
    array = array[:, order]
    return {
        "topic": [scores.topics[topic] for topic in order],
        "mean": np.nanmean(array, axis=0).tolist(),
        "lowest": np.nanmin(array, axis=0).tolist(),
        "median": np.nanmedian(array, axis=0).tolist(),
        "highest": np.nanmax(array, axis=0).tolist(),
        "best run": [scores.runs[run] for run in np.nanargmax(array, axis=0)],
    }


def _is_repeated(finding: str, warnings: Sequence[str]) -> bool:
    """Whether a finding repeats a note of scoring on runs that lack topics. Both begin with the same words."""
    return any(warning.split(" (")[0] in finding for warning in warnings)
