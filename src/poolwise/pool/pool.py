"""`Pool`: topics, their documents, and where each run ranks them."""

from __future__ import annotations

from _thread import allocate_lock

from poolwise import _core
from poolwise.basics.settings import known_name
from poolwise.basics.words import counted
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    from numpy.typing import NDArray

NO_RANK: int = _core.NO_RANK  # of a document that no run retrieves
RUN_COUNTS: tuple[str, ...] = _core.RUN_COUNTS  # what became of the lines of each run


class Cores:
    """The core's pool: with the documents that judgments list, then, from when they are first needed, with all others.

    Listed documents have the same numbers in both, so that labels, samples and scores fit either. Copies of a pool
    share one of these.
    """

    def __init__(self, core: _core.Pool, read_again: Callable[[_core.Pool], _core.Pool] | None = None) -> None:
        self.core, self._read_again = core, read_again
        self._lock = allocate_lock()

    def whole(self) -> _core.Pool:
        """The pool with all documents; the first of several threads reads the runs again, the others wait."""
        with self._lock:
            if self._read_again is not None:
                self.core, self._read_again = self._read_again(self.core), None
            return self.core

    def __getstate__(self) -> tuple[Any, ...]:
        """Everything, as other processes may not see the files; where they are gone here too, whoever asks is told."""
        from contextlib import suppress

        with suppress(InputError):
            self.whole()
        return self.core, self._read_again

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]


class Pool:
    """Runs joined with the documents of the judgments and, once they are needed, all others they retrieved.

    `runs` and `topics` are names; runs stand in the order given, topics in numeric, then alphabetic order.
    A topic's documents are numbered: those that the judgments list first, in byte-wise order of their ids.
    `left_out` names runs that could not be read and were skipped, each with what is wrong with it.

    Numbers of runs, topics and documents count from 0. What the core holds comes as buffers, which numpy takes as they
    are and which need no numpy; `core` itself is for the loops over rankings that scores and estimates are made of.
    """

    def __init__(
        self,
        core: _core.Pool,
        runs: list[str],
        warnings: Sequence[str] = (),
        left_out: Mapping[str, str] | None = None,
        stratum_rates: tuple[float, ...] = (),
        read_again: Callable[[_core.Pool], _core.Pool] | None = None,
    ) -> None:
        self.cores = Cores(core, read_again)
        self.runs = runs
        self.topics = [_decode(name) for name in core.topic_names()]
        self.warnings = tuple(warnings)
        self.left_out = dict(left_out or {})
        self.stratum_rates = stratum_rates  # at which each stratum was judged, by its number, if judgments say so
        self._made: dict[str, Any] = {}  # what is asked for often, made once

    def documents(self, topic: str) -> list[str]:
        """Give the ids of a topic's documents.

        Parameters
        ----------
        topic : str
            The topic.

        Returns
        -------
        list of str
            Those that the judgments list first, then those only retrieved.
        """
        return [_decode(name) for name in self.document_names(self.topic_number(topic))]

    def ranking(self, run: str, topic: str) -> list[str]:
        """Give the ids of the documents that a run retrieved for a topic.

        Parameters
        ----------
        run, topic : str
            Names.

        Returns
        -------
        list of str
            Best first.
        """
        numbers = self.all_documents(self.run_number(run), self.topic_number(topic))
        names = self.documents(topic)
        return [names[number] for number in numbers]

    def run_number(self, run: str) -> int:
        """Find the place of a run.

        Parameters
        ----------
        run : str
            Its name.

        Returns
        -------
        int
            Its place in `runs`.
        """
        return self._index("run", run, self.runs)

    def topic_number(self, topic: str) -> int:
        """Find the place of a topic.

        Parameters
        ----------
        topic : str
            Its name.

        Returns
        -------
        int
            Its place in `topics`.
        """
        return self._index("topic", topic, self.topics)

    def run_numbers(self, runs: Sequence[str] | None = None) -> list[int]:
        """Find the places of runs.

        Parameters
        ----------
        runs : sequence of str, optional
            Their names; all unless given.

        Returns
        -------
        list of int
            Their places in `runs`.
        """
        return list(range(len(self.runs))) if runs is None else [self.run_number(run) for run in runs]

    def best_ranks(self, runs: Sequence[str] | None = None) -> NDArray[Any]:
        """Give the best rank that any of some runs gives each listed document.

        Parameters
        ----------
        runs : sequence of str, optional
            Those runs; all unless given.

        Returns
        -------
        array
            One rank per listed document; a number beyond all ranks if none retrieved it.
        """
        import numpy as np

        return np.asarray(self.core.best_ranks(self.run_numbers(runs)))

    # ---- What the core holds ---------------------------------------------------------------------------------------

    @property
    def core(self) -> _core.Pool:
        """The core's pool as far as it is read: listed documents, and how many others there are, it has always."""
        return self.cores.core

    @property
    def whole(self) -> _core.Pool:
        """The same with every retrieved document, for which the runs may have to be read again."""
        return self.cores.whole()

    @property
    def keeps_all(self) -> bool:
        """Whether documents that the judgments do not list are in memory; where not, they are read once needed."""
        return self.core.keeps_all

    @property
    def has_strata(self) -> bool:
        """Whether the judgments have strata and rounds."""
        return self.core.has_strata

    @property
    def has_subtopics(self) -> bool:
        """Whether the judgments have subtopics."""
        return self.core.has_subtopics

    def subtopic_labels(self, topic: int) -> list[tuple[int, str, int]]:
        """Give the labels of documents for subtopics of a topic.

        Parameters
        ----------
        topic : int
            The topic's number.

        Returns
        -------
        list of tuple
            Document by number, subtopic, label.
        """
        names, documents, subtopics, labels = self.core.subtopics(topic)
        return [(d, _decode(names[s]), label) for d, s, label in zip(documents, subtopics, labels, strict=True)]

    def distinct_labels(self) -> list[int]:
        """The labels that occur in the judgments, ascending."""
        return list(self.core.distinct_labels)

    def label_values(self) -> list[Any]:
        """The values of the labels that occur, ascending: the labels themselves, unless some have a decimal point."""
        values = self.core.label_values
        return [self.value_of(label) for label in self.core.distinct_labels] if values else self.distinct_labels()

    def value_of(self, label: int) -> float:
        """Give what a label stands for.

        Parameters
        ----------
        label : int
            The label, as the core knows it.

        Returns
        -------
        int or float
            Its value.
        """
        values = self._once("values", lambda: [_whole(value) for value in self.core.label_values])
        return values[label] if values else label

    def lowest_label(self, value: float) -> float:
        """Give the lowest label that is worth a value or more.

        Parameters
        ----------
        value : float
            What it must be worth.

        Returns
        -------
        int or float
            The label; the value itself where labels are values.
        """
        values = self.core.label_values
        if not values:
            return value
        from bisect import bisect_left

        return bisect_left(values, value)

    def offsets(self) -> memoryview:
        """Where each topic's listed documents begin in arrays over all topics, int64; one more entry than topics."""
        return self.core.offsets()

    def document_offsets(self) -> memoryview:
        """The same for all documents, not only listed ones."""
        return self.whole.document_offsets()

    def document_names(self, topic: int) -> list[bytes]:
        """Give the ids of a topic's documents as bytes, by number.

        Parameters
        ----------
        topic : int
            The topic's number.

        Returns
        -------
        list of bytes
            Those that the judgments list first.
        """
        return self.whole.document_names(topic)

    def retrieved(self) -> _core._Table[int]:
        """How many documents each run retrieved for each topic, runs x topics, int32; 0 where it lacks the topic."""
        return self.core.retrieved()

    def known(self, run: int, topic: int) -> tuple[memoryview, memoryview]:
        """Give the listed documents that a run retrieved for a topic.

        Parameters
        ----------
        run, topic : int
            Their numbers.

        Returns
        -------
        tuple of buffer
            Ranks, and documents by number.
        """
        return self.core.known_documents(run, topic)

    def all_documents(self, run: int, topic: int) -> memoryview:
        """Give all documents that a run retrieved for a topic, best first.

        Parameters
        ----------
        run, topic : int
            Their numbers.

        Returns
        -------
        buffer
            Documents by number.
        """
        return self.whole.all_documents(run, topic)

    def tie_groups(self, run: int, topic: int) -> list[tuple[int, int]]:
        """Find the stretches of a ranking whose documents have one score.

        Parameters
        ----------
        run, topic : int
            Their numbers.

        Returns
        -------
        list of tuple
            Where each begins and ends, counted from 0.
        """
        return self.core.tie_groups(run, topic)

    def on_runs(self, runs: Sequence[int]) -> Self:
        """Make a pool of some runs, and of the documents that these retrieve.

        Parameters
        ----------
        runs : sequence of int
            Their numbers.

        Returns
        -------
        Pool
            Of the same kind.
        """
        kept = [self.runs[run] for run in runs]
        return type(self)(self.core.narrowed(runs), kept, stratum_rates=self.stratum_rates)

    def on_topics(self, topics: Sequence[int]) -> Self:
        """Make a pool of some topics.

        Parameters
        ----------
        topics : sequence of int
            Their numbers.

        Returns
        -------
        Pool
            Of the same kind.
        """
        return type(self)(self.whole.on_topics(topics), list(self.runs), stratum_rates=self.stratum_rates)

    def run_counts(self) -> dict[str, list[int]]:
        """Of each run how many lines there were, and how many of them were blank, repeated a document and so on."""
        counts = self.core.run_counts()
        return {name: [of_run[index] for of_run in counts] for index, name in enumerate(RUN_COUNTS)}

    def _index(self, what: str, name: str, names: list[str]) -> int:
        indices = self._once(what, lambda: {each: index for index, each in enumerate(names)})
        return indices[name] if name in indices else known_name(what, name, names)

    def _once(self, name: str, make: Any) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}>"


def listed_documents(pool: Pool, topic: str) -> list[str]:
    """Ids of a topic's documents that the judgments list, by number."""
    return [_decode(name) for name in listed_names(pool, pool.topic_number(topic))]


def listed_names(pool: Pool, topic: int) -> list[bytes]:
    """The same as bytes, of the topic with a number."""
    return pool.core.listed_names(topic)


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
