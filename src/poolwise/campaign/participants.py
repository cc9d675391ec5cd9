"""Facts about runs and topics for participants, computed once for all pages.

Per topic against the median and the best, relevant documents that no other run found, unjudged documents, ties, and
which other runs it differs from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poolwise.basics.numbers import TIE, best_first
from poolwise.basics.words import counted
from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.conclusion import BETTER, UNCLEAR, WORSE
from poolwise.measures.registry import parse
from poolwise.pool.coverage import NO_LIMIT, nearly_all_words
from poolwise.pool.judgments import is_judged, open_counts
from poolwise.scores.score_notes import Unjudged
from poolwise.show.figures import COLOURS, width_of_names
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.comparisons.comparison import Comparison
    from poolwise.scores.scores import Scores

    Whole = NDArray[np.int64]

USUAL_DEPTH = 100  # ranks that a page of a run lists, as the pools of most TREC tracks are deep
MOST_SHOWN = 5  # topics that a summary names
TOLERANCE = 1e-12  # scores that differ by less are the same


@dataclass(frozen=True)
class Participants:
    """A campaign for its participants. Topics are shown by the first measure."""

    pool: Campaign
    scores: Scores
    depth: int  # down to which a document counts as found
    threads: int | None = None
    noisy: ClassVar[bool] = False  # whether single topics are too noisy to rank runs by

    @property
    def measure(self) -> str:
        """The measure that topics are shown by."""
        return self.scores.measures[0]

    @cached_property
    def values(self) -> Floats:
        """Runs x topics."""
        return np.asarray(self.scores.array(self.measure))

    @cached_property
    def means(self) -> Floats:
        """Means by the first measure."""
        return self.values.mean(axis=1)

    @cached_property
    def order(self) -> list[int]:
        """Runs from best to worst."""
        return best_first(self.means)

    @cached_property
    def ranks(self) -> Whole:
        """Rank of every run by its mean; equal means share the best rank."""
        return np.array([1 + int((self.means > mean + TOLERANCE).sum()) for mean in self.means])

    @cached_property
    def topic_ranks(self) -> Whole:
        """Rank of every run on every topic, runs x topics."""
        sides = self.values[None] > self.values[:, None] + TOLERANCE
        return np.asarray(1 + sides.sum(axis=1))

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every pair of runs, tested; None if there is one run or one topic alone."""
        if min(self.values.shape) < 2:
            return None
        return compare(self.scores, self.measure, threads=self.threads)

    @cached_property
    def _p(self) -> Floats:
        return self.comparison.matrix() if self.comparison is not None else np.zeros((0, 0))

    def against(self, run: int) -> dict[str, list[Any]]:
        """The other runs, best first: means, difference from this run, corrected p and verdict."""
        comparison = self.comparison
        if comparison is None:
            return {}
        p = self._p[run]
        others = [other for other in self.order if other != run]
        difference = self.means[run] - self.means[others]
        clear = p[others] < comparison.alpha - TIE
        words = np.where(~clear, UNCLEAR, np.where(difference > 0, BETTER, WORSE))
        return {
            "run": [self.pool.runs[other] for other in others],
            self.measure: self.means[others].tolist(),
            "difference": difference.tolist(),
            "p_corrected": p[others].tolist(),
            "this_run_is": words.tolist(),
        }

    @cached_property
    def relevant(self) -> list[NDArray[np.bool_]]:
        """Of each topic which listed documents are relevant."""
        labels, offsets = self.pool.judgments.labels, self.pool.judgments.offsets
        good = is_judged(labels) & (labels >= 1)
        return [good[offsets[topic] : offsets[topic + 1]] for topic in range(len(self.pool.topics))]

    @cached_property
    def found(self) -> tuple[Whole, Whole]:
        """Numbers of relevant documents down to the depth (runs x topics), and of those that a run alone has."""
        runs, topics = len(self.pool.runs), len(self.pool.topics)
        number, alone = np.zeros((runs, topics), dtype=np.int64), np.zeros((runs, topics), dtype=np.int64)
        for topic, relevant in enumerate(self.relevant):
            has = np.zeros((runs, len(relevant)), dtype=bool)
            for run in range(runs):
                ranks, documents = (np.asarray(part) for part in self.pool.known(run, topic))
                has[run, documents[ranks <= self.depth]] = True
            has &= relevant
            number[:, topic] = has.sum(axis=1)
            alone[:, topic] = (has & (has.sum(axis=0) == 1)).sum(axis=1)
        return number, alone

    @property
    def others(self) -> list[str]:
        """The measures but the first."""
        return self.scores.measures[1:]

    def rank_and_mean(self, run: int, measure: str) -> tuple[int, float]:
        """Rank and mean of a run by any of the measures."""
        means = self.scores.means()[:, self.scores.measures.index(measure)]
        return 1 + int((means > means[run] + TOLERANCE).sum()), float(means[run])

    @cached_property
    def hole_depth(self) -> int:
        """Down to which rank unjudged documents are holes: the measure's cut-off, or the pool's depth."""
        return min(self._unjudged.depth(parse(self.measure)), self.depth if self._bottomless else NO_LIMIT)

    @property
    def _bottomless(self) -> bool:
        """Whether the depth of the pool is unknown."""
        return self._unjudged.depth(parse(self.measure)) == NO_LIMIT

    @cached_property
    def holes(self) -> Whole:
        """Numbers of unjudged documents down to the measure's depth (runs x topics)."""
        return np.array(open_counts(self.pool.judgments, self.hole_depth, unjudged=True), dtype=int)

    @cached_property
    def _unjudged(self) -> Unjudged:
        return Unjudged(self.pool.judgments)

    def doubts_of(self, run: int) -> list[str]:
        """How far unjudged documents could move a run's scores."""
        return self._unjudged.notes([parse(measure) for measure in self.scores.measures], only=[run])

    @cached_property
    def ties(self) -> list[int]:
        """Lines of each run whose score another line of the same topic has too."""
        return self.pool.run_counts()["ties"]

    def run_columns(self) -> dict[str, list[Any]]:
        """One row per run, best first."""
        number, alone = self.found
        order = self.order
        columns: dict[str, list[Any]] = {
            "rank": self.ranks[order].tolist(),
            "run": [self.pool.runs[run] for run in order],
        }
        for index, measure in enumerate(self.scores.measures):
            columns[measure] = self.scores.means()[order, index].tolist()
        return columns | {
            **self.verdicts(),
            "relevant_found": number.sum(axis=1)[order].tolist(),
            "found_alone": alone.sum(axis=1)[order].tolist(),
            "holes": self.holes.sum(axis=1)[order].tolist(),
            "ties": [self.ties[run] for run in order],
        }

    def verdicts(self) -> dict[str, list[Any]]:
        """Numbers of runs that each run is better and worse than, best first. Empty without a comparison."""
        if self.comparison is None:
            return {}
        words = [self.against(run)["this_run_is"] for run in self.order]
        return {
            "better_than": [each.count(BETTER) for each in words],
            "worse_than": [each.count(WORSE) for each in words],
        }

    def topic_columns(self) -> dict[str, list[Any]]:
        """One row per topic, in their own order."""
        best = self.values.argmax(axis=0)
        return {
            "topic": list(self.pool.topics),
            "relevant": [int(row.sum()) for row in self.relevant],
            "lowest": self.values.min(axis=0).tolist(),
            "median": np.median(self.values, axis=0).tolist(),
            "best": self.values.max(axis=0).tolist(),
            "best_run": [self.pool.runs[run] for run in best],
        }

    def topics_of(self, run: int) -> dict[str, list[Any]]:
        """One row per topic of a run."""
        number, alone = self.found
        median = np.median(self.values, axis=0)
        return {
            "topic": list(self.pool.topics),
            self.measure: self.values[run].tolist(),
            "median": median.tolist(),
            "best": self.values.max(axis=0).tolist(),
            "above_median": (self.values[run] - median).tolist(),
            "rank": self.topic_ranks[run].tolist(),
            **{measure: np.asarray(self.scores.array(measure))[run].tolist() for measure in self.others},
            "relevant": [int(row.sum()) for row in self.relevant],
            "relevant_found": number[run].tolist(),
            "found_alone": alone[run].tolist(),
            "holes": self.holes[run].tolist(),
        }

    def runs_of(self, topic: int) -> dict[str, list[Any]]:
        """One row per run of a topic, best first."""
        number, alone = self.found
        order = np.argsort(-self.values[:, topic], kind="stable").tolist()
        return {
            "rank": self.topic_ranks[order, topic].tolist(),
            "run": [self.pool.runs[run] for run in order],
            self.measure: self.values[order, topic].tolist(),
            **{measure: np.asarray(self.scores.array(measure))[order, topic].tolist() for measure in self.others},
            "relevant_found": number[order, topic].tolist(),
            "found_alone": alone[order, topic].tolist(),
            "holes": self.holes[order, topic].tolist(),
        }

    def index_words(self) -> list[str]:
        """The first sentence of the index."""
        best, nearly = self.pool.runs[self.order[0]], nearly_all_words(self.pool.judgments)
        return [
            f"{counted(len(self.pool.runs), 'run')} on {counted(len(self.pool.topics), 'topic')}. "
            f"By {self.measure}, "
            f"{best} comes first ({self.means.max():.4f}). Every run and every topic has a page of its own.",
            *([f"{nearly}."] if nearly else []),
            *([] if self.comparison is None else [self.comparison.conclusion]),
        ]

    def index_note(self) -> str:
        """Explain the columns of the index."""
        return (
            f"Better and worse than: how many runs it differs from by {self.measure}. Found: relevant "
            f"documents down to rank {self.depth}; found alone: by no other run. Holes: documents that are not "
            f"judged down to rank {self.hole_depth}."
        )

    def of_run_note(self) -> str:
        """Explain the columns of a run's topics."""
        return f"Median, best and rank are among all runs on the topic, by {self.measure}."

    def of_topic_note(self) -> str:
        """Explain the order of a topic's runs."""
        return f"Ranked by {self.measure}." if self.others else ""

    def topics_note(self) -> str:
        """The sentence of the index about its topics."""
        return f"{self.measure} over all runs."

    def methods(self) -> list[str]:
        """How the numbers were made."""
        return [] if self.comparison is None else [self.comparison.method]

    def run_words(self, run: int) -> list[str]:
        """The first sentences of the page of a run."""
        alone, holes = int(self.found[1][run].sum()), int(self.holes[run].sum())
        return [
            self._rank_words(run, f"{self.means[run]:.4f}"),
            f"Relevant documents down to rank {self.depth} that no other run found: {alone}. "
            f"Documents that are not judged down to rank {self.hole_depth}: {holes}. "
            f"Lines with tied scores: {self.ties[run]}.",
            *self._other_words(run),
        ]

    def _rank_words(self, run: int, score: str) -> str:
        """Where a run stands among all."""
        ranked = [(measure, *self.rank_and_mean(run, measure)) for measure in self.others]
        also = "".join(f" By {measure} its rank is {rank} ({mean:.4f})." for measure, rank, mean in ranked)
        return (
            f"Rank {self.ranks[run]} of {len(self.pool.runs)} by {self.measure} ({score}){self._on_topics(run)}.{also}"
        )

    def _on_topics(self, run: int) -> str:
        values, median = self.values[run], np.median(self.values, axis=0)
        above, below = int((values > median).sum()), int((values < median).sum())
        best = int((self.topic_ranks[run] == 1).sum())
        return f": above the median on {counted(above, 'topic')}, below on {below}, best on {best}"

    def _against_words(self, run: int) -> list[str]:
        """Which runs it differs from."""
        against = self.against(run)
        if not against:
            return []
        words = against["this_run_is"]
        return [
            f"Runs it is significantly better than: {words.count(BETTER)}; worse than: {words.count(WORSE)}; "
            f"without a clear difference: {words.count(UNCLEAR)}."
        ]

    def _other_words(self, run: int) -> list[str]:
        """Which runs it differs from, and where it is behind."""
        sentence = self._against_words(run)
        behind = self.values[run] - np.median(self.values, axis=0)
        order = np.argsort(behind, kind="stable")[:MOST_SHOWN]
        worst = [self.pool.topics[topic] for topic in order if behind[topic] < 0]
        return [*sentence, f"It falls farthest behind the median on topics {', '.join(worst)}."] if worst else sentence

    def topic_words(self, topic: int) -> list[str]:
        """The first sentence of the page of a topic."""
        relevant, anybody = int(self.relevant[topic].sum()), int(self.found[0][:, topic].max(initial=0))
        return [
            f"{relevant} relevant documents are known; no run finds more than {anybody} of them down to rank "
            f"{self.depth}. {self._topic_span(topic)}"
        ]

    def _topic_span(self, topic: int) -> str:
        values = self.values[:, topic]
        return (
            f"{self.measure} is {np.median(values):.4f} for the median run and {values.max():.4f} for the best, "
            f"{self.pool.runs[int(values.argmax())]}."
        )

    def topic_doubts(self, topic: int) -> list[str]:
        """Which runs have unjudged documents on top."""
        holes = self.holes[:, topic]
        if not holes.any():
            return []
        most, runs = int(holes.argmax()), int((holes > 0).sum())
        return [
            f"{counted(runs, 'run')} of {len(holes)} {'has' if runs == 1 else 'have'} documents that are not judged "
            f"down to rank {self.hole_depth}, {self.pool.runs[most]} the most ({holes[most]}); "
            "they count as non-relevant"
        ]

    def means_figure(self) -> Figure:
        """Means of the runs, best first."""
        names = [self.pool.runs[run] for run in self.order]
        data = {
            "type": "bar", "x": names, "y": self.means[self.order].tolist(), "meta": "runs",
            "marker": {"color": COLOURS[0]}, "hovertemplate": "%{x}<br>%{y:.4f}<extra></extra>",
        }  # fmt: skip
        layout = {
            "xaxis": {"type": "category", "tickangle": -60},
            "yaxis": {"title": {"text": f"mean {self.measure}"}, "rangemode": "tozero"},
        }
        return Figure(f"Mean {self.measure}", [data], layout, width=width_of_names(len(names)))
