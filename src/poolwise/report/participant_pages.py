"""`report`: an index, a page per run and a page per topic, in a folder, with one script for all figures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from poolwise import checks
from poolwise.read.problems import counted
from poolwise.read.text_files import file_text
from poolwise.read.whole_files import make_folder, write_text
from poolwise.report.participants import BETTER, UNCLEAR, USUAL_DEPTH, WORSE, Participants
from poolwise.show.figures import COLOURS, LEGEND, width_of_names
from poolwise.show.items import anchor
from poolwise.show.origin import how_made
from poolwise.show.page import Figure, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.campaign import Campaign
    from poolwise.score.measure import Measure

__all__ = ["report"]

MEASURES = ("AP", "nDCG@10", "P@10")
MOST_SHOWN = 5  # topics that a summary names
PARTS = ("runs", "topics")
LIST = ".poolwise-pages"  # names the pages that were written


def report(
    pool: Campaign,
    folder: Any,
    *,
    measures: Sequence[str | Measure] = MEASURES,
    depth: int = USUAL_DEPTH,
    threads: int | None = None,
    command: str = "",
) -> str:
    """Write pages for the participants of a campaign: an index, a page per run, a page per topic.

    Parameters
    ----------
    pool : Campaign
        Runs and judgments.
    folder : path
        Where to; it is made if it is not there.
    measures : sequence of str or Measure
        Measures of the index; topics are shown by the first, which is also the one that runs are compared by.
    depth : int
        Down to which rank a relevant document counts as found by a run.
    threads : int, optional
        How many to use; every core allowed unless given.
    command : str
        How the pages were made, for the index.

    Returns
    -------
    str
        The path of the index.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from poolwise.simulate import simulate
    >>> pool = simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=1).pool()
    >>> report(pool, mkdtemp()).endswith("index.html")
    True
    """
    checks.measures_given(measures)
    scores = pool.score(*measures, threads=threads)
    participants = Participants(pool, scores, checks.whole("depth", depth, 1), threads)
    return _Site(participants, Path(folder)).write(command)


class _Site:
    """The pages and where they stand."""

    def __init__(self, participants: Participants, folder: Path) -> None:
        self.participants, self.folder = participants, folder
        self.runs = _addresses("runs", participants.pool.runs)
        self.topics = _addresses("topics", participants.pool.topics)

    def write(self, command: str) -> str:
        """Write all pages; the index comes last, so that it leads nowhere that is not there.

        Pages of an earlier report that this one does not have are removed then: nothing would lead to them.
        """
        for part in PARTS:
            make_folder(self.folder / part)
        new = {*self.runs.values(), *self.topics.values()}
        before = self._listed()
        self._list(before | new)  # should this be stopped midway, the next report knows of all pages
        for number, run in enumerate(self.participants.pool.runs):
            self._run_page(number).write(self.folder / self.runs[run], shared=self.folder)
        for number, topic in enumerate(self.participants.pool.topics):
            self._topic_page(number).write(self.folder / self.topics[topic], shared=self.folder)
        index = self.folder / "index.html"
        self._index(command).write(index, shared=self.folder)
        for address in before - new:
            (self.folder / address).unlink(missing_ok=True)
        self._list(new)
        return os.fspath(index)

    def _listed(self) -> set[str]:
        """Pages that an earlier report wrote; whatever else is in the folder is none of ours."""
        place = self.folder / LIST
        lines = file_text(place).splitlines() if place.exists() else []
        return {
            line for line in lines if line.count("/") == 1 and line.split("/")[0] in PARTS and line.endswith(".html")
        }

    def _list(self, pages: set[str]) -> None:
        write_text(self.folder / LIST, "".join(f"{page}\n" for page in sorted(pages)))

    def _index(self, command: str) -> Page:
        participants = self.participants
        best = participants.pool.runs[participants.order[0]]
        conclusion = [] if participants.comparison is None else [participants.comparison.conclusion]
        summary = [
            f"{len(participants.pool.runs)} runs on {len(participants.pool.topics)} topics. By {participants.measure}, "
            f"{best} comes first ({participants.means.max():.4f}). Every run and every topic has a page of its own.",
            *conclusion,
        ]
        note = (
            f"Better and worse than: how many runs it differs from by {participants.measure}. Found: relevant "
            f"documents down to rank {participants.depth}; found alone: by no other run. Holes: documents that are not "
            f"judged down to rank {participants.hole_depth}."
        )
        parts: list[Table | Figure] = [
            Table("Runs", participants.run_columns(), note, links=self.runs),
            _means(participants),
            Table(
                "Topics",
                participants.topic_columns(),
                f"{participants.measure} over all runs.",
                links={**self.topics, **self.runs},
            ),
        ]
        method = [] if participants.comparison is None else [participants.comparison.method]
        methods = [*method, *how_made(command)]
        return Page(
            "Runs and topics", summary, parts, methods, [*participants.pool.warnings, *participants.scores.warnings]
        )

    def _run_page(self, run: int) -> Page:
        participants, name = self.participants, self.participants.pool.runs[run]
        up = {target: f"../{address}" for target, address in (self.topics | self.runs).items()}
        parts: list[Table | Figure] = [
            _per_topic(participants, run),
            Table(
                "Topics",
                participants.topics_of(run),
                f"Median, best and rank are among all runs on the topic, by {participants.measure}.",
                links=up,
            ),
        ]
        against = participants.against(run)
        if against:
            note = "Positive differences: this run is better. p is corrected for all pairs of runs."
            parts.append(Table(f"Against the other runs, by {participants.measure}", against, note, links=up))
        back = {"All runs and topics": "../index.html"}
        return Page(
            f"Run {name}", _run_words(participants, run), parts, warnings=participants.doubts_of(run), links=back
        )

    def _topic_page(self, topic: int) -> Page:
        participants, name = self.participants, self.participants.pool.topics[topic]
        values = participants.values[:, topic]
        relevant = int(participants.relevant[topic].sum())
        anybody = int(participants.found[0][:, topic].max(initial=0))
        up = {target: f"../{address}" for target, address in self.runs.items()}
        summary = [
            f"{relevant} relevant documents are known; no run finds more than {anybody} of them down to rank "
            f"{participants.depth}. {participants.measure} is {np.median(values):.4f} for the median run and "
            f"{values.max():.4f} for the best, {participants.pool.runs[int(values.argmax())]}.",
        ]
        note = f"Ranked by {participants.measure}." if participants.others else ""
        parts: list[Table | Figure] = [
            _topic_scores(participants, topic),
            Table("Runs", participants.runs_of(topic), note, links=up),
        ]
        back = {"All runs and topics": "../index.html"}
        return Page(f"Topic {name}", summary, parts, warnings=_topic_doubts(participants, topic), links=back)


def _addresses(folder: str, names: Sequence[str]) -> dict[str, str]:
    """An address for each name; numbers keep apart what looks alike without signs and capitals."""
    width = len(str(len(names)))
    return {name: f"{folder}/{number:0{width}d}-{anchor(name)[:80]}.html" for number, name in enumerate(names, 1)}


def _topic_doubts(participants: Participants, topic: int) -> list[str]:
    """Which runs have unjudged documents on top."""
    holes = participants.holes[:, topic]
    if not holes.any():
        return []
    most, runs = int(holes.argmax()), int((holes > 0).sum())
    return [
        f"{counted(runs, 'run')} of {len(holes)} {'has' if runs == 1 else 'have'} documents that are not judged down "
        f"to rank {participants.hole_depth}, {participants.pool.runs[most]} the most ({holes[most]}); "
        "they count as non-relevant"
    ]


def _run_words(participants: Participants, run: int) -> list[str]:
    """What the page of a run says first."""
    values, median = participants.values[run], np.median(participants.values, axis=0)
    above, below = int((values > median).sum()), int((values < median).sum())
    best = int((participants.topic_ranks[run] == 1).sum())
    alone, holes = int(participants.found[1][run].sum()), int(participants.holes[run].sum())
    places = [(measure, *participants.place(run, measure)) for measure in participants.others]
    also = "".join(f" By {measure} its rank is {rank} ({mean:.4f})." for measure, rank, mean in places)
    said = [
        f"Rank {participants.ranks[run]} of {len(participants.pool.runs)} by {participants.measure} "
        f"({participants.means[run]:.4f}): above the median on {above} topics, below on {below}, best on {best}.{also}",
        f"Relevant documents down to rank {participants.depth} that no other run found: {alone}. "
        f"Documents that are not judged down to rank {participants.hole_depth}: {holes}. "
        f"Lines with tied scores: {participants.ties[run]}.",
    ]
    against = participants.against(run)
    if against:
        words = against["this_run_is"]
        said.append(
            f"Runs it is significantly better than: {words.count(BETTER)}; worse than: {words.count(WORSE)}; without a "
            f"clear difference: {words.count(UNCLEAR)}."
        )
    worst = [participants.pool.topics[topic] for topic in np.argsort(values - median, kind="stable")[:MOST_SHOWN]]
    return [*said, f"It falls farthest behind the median on topics {', '.join(worst)}."] if below else said


def _per_topic(participants: Participants, run: int) -> Figure:
    """The run on every topic as bars from the median, with the best as a mark."""
    topics, values = participants.pool.topics, participants.values
    median = np.median(values, axis=0)
    order = np.argsort(-(values[run] - median), kind="stable")
    names = [topics[topic] for topic in order]
    above, best = ((row - median)[order].tolist() for row in (values[run], values.max(axis=0)))
    hover = "topic %{x}<br>%{y:+.4f}<extra>"
    data = [
        {
            "type": "bar", "name": "this run", "x": names, "y": above, "marker": {"color": COLOURS[0]},
            "hovertemplate": hover + "this run</extra>",
        },
        {
            "type": "scatter", "mode": "markers", "name": "best run", "x": names, "y": best,
            "marker": {"color": COLOURS[1], "symbol": "line-ew-open", "size": 9},
            "hovertemplate": hover + "best run</extra>",
        },
    ]  # fmt: skip
    layout = {
        "xaxis": {"type": "category", "title": {"text": "topic"}, "tickangle": -60},
        "yaxis": {"title": {"text": f"{participants.measure} above the median"}},
        "legend": LEGEND,
    }
    return Figure(
        f"Every topic against the median, by {participants.measure}", data, layout, "The median run of each topic is 0."
    )


def _topic_scores(participants: Participants, topic: int) -> Figure:
    """All runs on one topic, best first."""
    order = np.argsort(-participants.values[:, topic], kind="stable")
    names = [participants.pool.runs[run] for run in order]
    data = {
        "type": "bar", "x": names, "y": participants.values[order, topic].tolist(), "meta": "runs",
        "marker": {"color": COLOURS[0]}, "hovertemplate": "%{x}<br>%{y:.4f}<extra></extra>",
    }  # fmt: skip
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": participants.measure}, "rangemode": "tozero"},
    }
    return Figure(f"{participants.measure} of every run", [data], layout, width=width_of_names(len(names)))


def _means(participants: Participants) -> Figure:
    """Means of the runs, best first."""
    names = [participants.pool.runs[run] for run in participants.order]
    data = {
        "type": "bar", "x": names, "y": participants.means[participants.order].tolist(), "meta": "runs",
        "marker": {"color": COLOURS[0]}, "hovertemplate": "%{x}<br>%{y:.4f}<extra></extra>",
    }  # fmt: skip
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": f"mean {participants.measure}"}, "rangemode": "tozero"},
    }
    return Figure(f"Mean {participants.measure}", [data], layout, width=width_of_names(len(names)))
