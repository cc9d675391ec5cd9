"""`report`: an index, a page per run and a page per topic, in a folder, with one script for all figures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.writing import make_folder, new_folder, write_text
from poolwise.campaign.participants import USUAL_DEPTH, Participants
from poolwise.errors import InputError
from poolwise.pool.coverage import sample_words
from poolwise.reading.opening import file_text
from poolwise.scores.scoring import check_measures
from poolwise.show.figures import COLOURS, LEGEND, width_of_names
from poolwise.show.page import Page, check_own_pages, how_made
from poolwise.show.parts import Figure, Table, anchor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure

__all__ = ["report"]

MEASURES = ("AP", "nDCG@10", "P@10")
PARTS = ("runs", "topics")
LIST = ".poolwise-pages"  # names the pages that were written


def report(
    pool: Campaign,
    folder: Any,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    depth: int = USUAL_DEPTH,
    threads: int | None = None,
    command: str = "",
) -> str:
    """Write pages for the participants of a campaign: an index, a page per run, a page per topic.

    From a sample of labels, as a judged plan is, all scores are estimates, and those of runs have intervals.

    Parameters
    ----------
    pool : Campaign
        Runs and judgments.
    folder : path
        Where to; it is made if it is not there.
    measures : str, Measure or sequence of these
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
    >>> from poolwise import simulate
    >>> pool = simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=1).pool()
    >>> report(pool, mkdtemp()).endswith("index.html")
    True
    """
    checks.campaign(pool)
    measures = check_measures(measures)
    depth = checks.whole("depth", depth, 1)
    check_free(Path(checks.path(folder)))
    if sample_words(pool.judgments):
        from poolwise.campaign.sampled_participants import estimated

        participants: Participants = estimated(pool, measures, depth, threads)
    else:
        participants = Participants(pool, pool.score(*measures, threads=threads), depth, threads)
    target = Path(checks.path(folder))
    if target.exists():
        return _Site(participants, target).write(command)
    with new_folder(target) as filled:  # so that there are no pages without an index, should this be stopped midway
        _Site(participants, Path(filled or target)).write(command)
    return os.fspath(target / "index.html")


def check_free(folder: Path) -> None:
    """Refuse a folder whose parts hold other files: runs to score, say, among which pages would be read as runs."""
    check_own_pages([folder / "index.html"])
    for part in PARTS:
        others = sorted(path.name for path in (folder / part).glob("[!.]*") if path.suffix != ".html")
        if others:
            raise InputError(
                f"{folder / part}: holds files that are no pages, such as {others[0]}, which pages would be mixed "
                "with; name another folder"
            )


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
        new = {*self.runs.values(), *self.topics.values()}
        check_own_pages(self.folder / address for address in ("index.html", *sorted(new)))
        for part in PARTS:
            make_folder(self.folder / part)
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
        path = self.folder / LIST
        lines = file_text(path).splitlines() if path.exists() else []
        return {
            line for line in lines if line.count("/") == 1 and line.split("/")[0] in PARTS and line.endswith(".html")
        }

    def _list(self, pages: set[str]) -> None:
        write_text(self.folder / LIST, "".join(f"{page}\n" for page in sorted(pages)))

    def _index(self, command: str) -> Page:
        participants = self.participants
        parts: list[Table | Figure] = [
            Table("Runs", participants.run_columns(), participants.index_note(), links=self.runs),
            participants.means_figure(),
            Table(
                "Topics",
                participants.topic_columns(),
                participants.topics_note(),
                links={**self.topics, **self.runs},
            ),
        ]
        methods = [*participants.methods(), *how_made(command)]
        warnings = [*participants.pool.warnings, *participants.scores.warnings]
        return Page("Runs and topics", participants.index_words(), parts, methods, warnings)

    def _run_page(self, run: int) -> Page:
        participants, name = self.participants, self.participants.pool.runs[run]
        up = {target: f"../{address}" for target, address in (self.topics | self.runs).items()}
        parts: list[Table | Figure] = [
            (_by_topic if participants.noisy else _per_topic)(participants, run),
            Table(
                "Topics",
                participants.topics_of(run),
                participants.of_run_note(),
                links=up,
            ),
        ]
        against = participants.against(run)
        if against:
            note = "Positive differences: this run is better. p is corrected for all pairs of runs."
            parts.append(Table(f"Against the other runs, by {participants.measure}", against, note, links=up))
        back = {"All runs and topics": "../index.html"}
        return Page(f"Run {name}", participants.run_words(run), parts, warnings=participants.doubts_of(run), links=back)

    def _topic_page(self, topic: int) -> Page:
        participants, name = self.participants, self.participants.pool.topics[topic]
        up = {target: f"../{address}" for target, address in self.runs.items()}
        parts: list[Table | Figure] = [
            _topic_scores(participants, topic),
            Table("Runs", participants.runs_of(topic), participants.of_topic_note(), links=up),
        ]
        back = {"All runs and topics": "../index.html"}
        words, doubts = participants.topic_words(topic), participants.topic_doubts(topic)
        return Page(f"Topic {name}", words, parts, warnings=doubts, links=back)


def _addresses(folder: str, names: Sequence[str]) -> dict[str, str]:
    """An address for each name; numbers keep apart what looks alike without signs and capitals."""
    width = len(str(len(names)))
    return {name: f"{folder}/{number:0{width}d}-{anchor(name)[:80]}.html" for number, name in enumerate(names, 1)}


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


def _by_topic(participants: Participants, run: int) -> Figure:
    """The run's noisy estimates, topic by topic in their own order, with the median run as a mark."""
    topics, values = participants.pool.topics, participants.values
    hover = "topic %{x}<br>%{y:.4f}<extra>"
    data = [
        {
            "type": "bar", "name": "this run", "x": topics, "y": values[run].tolist(), "marker": {"color": COLOURS[0]},
            "hovertemplate": hover + "this run</extra>",
        },
        {
            "type": "scatter", "mode": "markers", "name": "median run", "x": topics,
            "y": np.median(values, axis=0).tolist(),
            "marker": {"color": COLOURS[1], "symbol": "line-ew-open", "size": 9},
            "hovertemplate": hover + "median run</extra>",
        },
    ]  # fmt: skip
    layout = {
        "xaxis": {"type": "category", "title": {"text": "topic"}, "tickangle": -60},
        "yaxis": {"title": {"text": f"{participants.measure}, noisy"}, "rangemode": "tozero"},
        "legend": LEGEND,
    }
    return Figure(f"Noisy estimates of every topic, by {participants.measure}", data, layout)


def _topic_scores(participants: Participants, topic: int) -> Figure:
    """All runs on one topic, best first; where it is too noisy for that, in the order of all topics."""
    order = participants.order if participants.noisy else np.argsort(-participants.values[:, topic], kind="stable")
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
