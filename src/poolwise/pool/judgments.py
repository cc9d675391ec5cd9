"""`Judgments`: the label, or lack of one, of every listed document of a pool."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.settings import Lazy
from poolwise.errors import ArgumentError
from poolwise.pool.pool import listed_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from poolwise.pool.plan_header import PlanHeader
    from poolwise.pool.pool import Pool
    from poolwise.sampling import cells
    from poolwise.sampling import samples as drawing


def checked(values: Any, what: str, core: _core.Pool) -> NDArray[Any]:
    """Labels, strata or rounds as the core takes them: int32, one per listed document."""
    import numpy as np

    numbers = np.asarray(values)
    listed = core.offsets()[-1]
    if numbers.shape != (listed,):
        raise ArgumentError(f"{numbers.size} {what} do not fit a pool of {listed} listed documents; give one for each")
    try:
        with np.errstate(invalid="ignore"):
            converted = np.ascontiguousarray(numbers, dtype=np.int32)
        whole = numbers.dtype == converted.dtype or np.array_equal(numbers, converted)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or (what != "labels" and listed and converted.min() < 0):
        least = "" if what == "labels" else " from 0 on"
        raise ArgumentError(f"{what} are whole numbers of 32 bits{least}; other values were found")
    return converted


def owned(value: Any) -> Any:
    """Copy a view of the core's memory into an array, as another process needs it."""
    if not isinstance(value, memoryview):
        return value
    from array import array

    return array(value.format, value.tobytes())


def as_array(values: Any) -> NDArray[Any]:
    """An array to be looked at: who changes labels makes judgments of them."""
    import numpy as np

    view = np.asarray(values).view()
    view.flags.writeable = False
    return view


POOLED: int = _core.POOLED
OUTSIDE: int = _core.OUTSIDE


def is_judged(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which documents have a label: they are in the pool and judged."""
    return (labels != POOLED) & (labels != OUTSIDE)


class Judgments:
    """Labels of a pool's listed documents, with strata and rounds when they have them.

    `labels` is one whole number per listed document, topics one after the other (`offsets` says where each begins):
    a label, `POOLED` (in the pool, not judged) or `OUTSIDE` (not in the pool). `top` is the highest label of the
    complete judgments, which a sample keeps. `design` says how a sample was drawn. Where some labels have a decimal
    point, `classes` has their places among all values; what needs whole labels asks for `labels`, which says so.
    """

    def __init__(
        self,
        pool: Pool,
        labels: Any = None,
        *,
        strata: Any = None,
        rounds: Any = None,
        top: int | None = None,
        design: Mapping[str, Any] | None = None,
    ) -> None:
        self.pool = pool
        core = pool.core
        as_read = labels is None and core.has_strata  # strata and rounds of the pool go with its labels
        self._labels: Any = core.labels() if labels is None else checked(labels, "labels", core)
        self._strata: Any = (
            checked(strata, "strata", core) if strata is not None else core.strata() if as_read else None
        )
        self._rounds: Any = (
            checked(rounds, "rounds", core) if rounds is not None else core.rounds() if as_read else None
        )
        self.top: Any = top if top is not None else max(core.label_values or core.distinct_labels, default=0)
        self.design: dict[str, Any] = dict(design or {})
        self._header = core.label_header if labels is None else []
        self.pool_depth: int | None = None  # found when first asked for, by `coverage`
        self.open_totals: dict[tuple[int, bool], list[tuple[int, int]]] = {}  # the same

    @property
    def labels(self) -> NDArray[Any]:
        """One label (or POOLED, OUTSIDE) per listed document, int32."""
        check_whole(self.pool)
        return as_array(self._labels)

    @property
    def classes(self) -> NDArray[Any]:
        """One number (or POOLED, OUTSIDE) per listed document, int32: its label, or the place of its label's value."""
        return as_array(self._labels)

    def values(self) -> NDArray[Any]:
        """The value of each listed document's label, float64; NaN where there is none."""
        import numpy as np

        values = np.full(len(self.classes), np.nan)
        judged = is_judged(self.classes)
        worth = self.pool.core.label_values
        values[judged] = np.asarray(worth)[self.classes[judged]] if worth else self.classes[judged]
        return values

    @property
    def stratum_rates(self) -> tuple[float, ...]:
        """The rate at which each stratum was judged, by its number, where the judgments say so (prels); else none."""
        return self.pool.stratum_rates if self._strata is not None else ()

    @property
    def strata(self) -> NDArray[Any] | None:
        """The stratum of each listed document, or None."""
        return None if self._strata is None else as_array(self._strata)

    @property
    def rounds(self) -> NDArray[Any] | None:
        """The round in which each listed document was drawn (0: not drawn), or None."""
        return None if self._rounds is None else as_array(self._rounds)

    @property
    def offsets(self) -> NDArray[Any]:
        """Where each topic's documents begin; one more entry than topics."""
        return as_array(self.pool.offsets())

    @property
    def plan(self) -> PlanHeader | None:
        """The plan these judgments follow, as their file says; None for others."""
        if not self._header:
            return None
        from poolwise.pool.plan_header import header_of

        return header_of(self._header, "the judgments")

    def in_view_words(self) -> list[str]:
        """Say how many labels were given with values of runs in view, if the file says that any were."""
        if not self._header:
            return []
        from poolwise.reading.judging_file import in_view_of, in_view_words

        return list(in_view_words(*in_view_of(self._header)))

    def plan_lines(self) -> list[bytes]:
        """The comments in which these judgments say what plan they follow."""
        lines = (line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape") for line in self._header)
        return [line.rstrip(b"\r\n") + b"\n" for line in lines]

    @property
    def buffer(self) -> memoryview:
        """The labels as a view of int32, without loading numpy."""
        return memoryview(self._labels)

    @property
    def strata_buffer(self) -> memoryview | None:
        """The strata as a view of int32, without loading numpy; None if there are none."""
        return None if self._strata is None else memoryview(self._strata)

    @property
    def rounds_buffer(self) -> memoryview | None:
        """The rounds likewise."""
        return None if self._rounds is None else memoryview(self._rounds)

    def distinct_labels(self) -> list[int]:
        """The labels that occur in the complete judgments, ascending."""
        return self.pool.distinct_labels()

    def label_values(self) -> list[Any]:
        """The values of these labels, ascending: the labels themselves, unless some have a decimal point."""
        return self.pool.label_values()

    def with_zero(self) -> tuple[list[int], list[Any]]:
        """The labels that any document may get, and what they stand for: those that occur, and 0."""
        labels, values = self.distinct_labels(), self.label_values()
        if 0 in values:
            return labels, values
        if not self.pool.core.label_values:
            return sorted({0, *labels}), sorted({0, *labels})
        return [*labels, len(self.pool.core.label_values)], [*values, 0.0]

    def of(self, topic: str) -> dict[str, Any]:
        """Give the label of each judged document of a topic.

        Parameters
        ----------
        topic : str
            The topic.

        Returns
        -------
        dict
            Labels by document.
        """
        number = self.pool.topic_number(topic)
        offsets = self.offsets
        labels = self.classes[offsets[number] : offsets[number + 1]].tolist()
        documents = listed_documents(self.pool, topic)
        return {
            document: self.pool.value_of(label)
            for document, label in zip(documents, labels, strict=True)
            if label not in (POOLED, OUTSIDE)
        }

    def subtopics_of(self, topic: str) -> dict[str, dict[str, int]]:
        """Give the labels that the judged documents of a topic have for its subtopics.

        Parameters
        ----------
        topic : str
            The topic.

        Returns
        -------
        dict
            Labels by subtopic by document; none if the judgments have no subtopics.

        Examples
        --------
        >>> from poolwise import read
        >>> rows = [("1", "price", "a", 1), ("1", "taste", "a", 0), ("1", "taste", "b", 2)]
        >>> read(rows, {"mine": {"1": {"a": 2.0, "b": 1.0}}}, subtopics=True).judgments.subtopics_of("1")
        {'a': {'price': 1, 'taste': 0}, 'b': {'taste': 2}}
        """
        judged = self.of(topic)
        documents = listed_documents(self.pool, topic)
        subtopics: dict[str, dict[str, int]] = {}
        for document, subtopic, label in self.pool.subtopic_labels(self.pool.topic_number(topic)):
            if documents[document] in judged:
                subtopics.setdefault(documents[document], {})[subtopic] = label
        return subtopics

    def count(self) -> int:
        """How many documents are judged."""
        return int(is_judged(self.classes).sum())

    def label_counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels that occur, ascending, and how many documents of each every topic has (topics x labels)."""
        import numpy as np

        labels, offsets = np.asarray(self.distinct_labels(), dtype=np.int64), self.offsets
        counts = np.zeros((len(self.pool.topics), len(labels)), dtype=np.int64)
        topic_of = np.repeat(np.arange(len(self.pool.topics)), np.diff(offsets))
        judged = is_judged(self.classes)
        np.add.at(counts, (topic_of[judged], np.searchsorted(labels, self.classes[judged])), 1)
        return np.asarray(self.label_values(), dtype=float if self.pool.core.label_values else np.int64), counts

    if TYPE_CHECKING:
        sample, samples = drawing.sample, drawing.samples
        inclusion, rates = cells.inclusion, cells.rates
    else:  # floors above, loaded at the first call
        sample, samples = Lazy("poolwise.sampling.samples"), Lazy("poolwise.sampling.samples")
        inclusion, rates = Lazy("poolwise.sampling.cells"), Lazy("poolwise.sampling.cells")

    def nonresponse(self) -> NDArray[Any]:
        """Which listed documents were drawn but have no label."""
        rounds = self.rounds
        return (self.classes == POOLED) & (rounds > 0) if rounds is not None else self.classes != self.classes

    def to_text(self, unjudged: int = -1) -> bytes:
        """Give the text of a qrels file.

        Parameters
        ----------
        unjudged : int
            The label that means pooled, not judged.

        Returns
        -------
        bytes
            Lines of topic, iteration, document, label; with strata of topic, round, document, stratum, label; of
            judgments with probabilities, as they were read: topic, document, label, method, probability. Judgments
            of a plan begin with its comments.
        """
        from poolwise.pool.plan_header import qrels_text

        return qrels_text(self, unjudged)

    def write(self, path: Any, unjudged: int = -1, overwrite: bool = False) -> None:
        """Write a qrels file that poolwise, trec_eval (four columns) and sample_eval.pl (five) read.

        There are five columns if there are strata. The file is whole or not there at all.

        Parameters
        ----------
        path : path
            The file.
        unjudged : int
            The label that means pooled, not judged.
        overwrite : bool
            Whether to replace a file with labels that these judgments lack, which is then kept beside it.
        """
        from poolwise.pool.label_files import LabelFile
        from poolwise.pool.plan_header import held_by

        LabelFile(path, lambda: held_by(self), overwrite, unjudged).write([self.to_text(unjudged)])

    def equals(self, other: Judgments) -> bool:
        """Whether both know the same of the same documents, strata and rounds included; pools may differ.

        Parameters
        ----------
        other : Judgments
            What to compare with.

        Returns
        -------
        bool
            Whether they do.
        """
        from poolwise.pool.plan_header import same

        return same(self, other)

    def __getstate__(self) -> dict[str, Any]:
        """The state for workers of other processes: arrays in place of views of the core's memory."""
        return {name: owned(value) for name, value in self.__dict__.items()}

    def __repr__(self) -> str:
        drawn = f", drawn by {self.design['design']}" if "design" in self.design else ""
        return f"<Judgments: {self.count()} judged of {int((self.classes != OUTSIDE).sum())} pooled documents{drawn}>"


def fits_pool(judgments: Judgments, pool: Pool) -> bool:
    """Whether judgments are of a pool, or of one that shares its documents and rankings."""
    return judgments.pool.cores is pool.cores


def labels_at_ranks(judgments: Judgments, depth: int) -> _core._Cube[int]:
    """Labels at ranks 1 to `depth`, runs x topics x depth; POOLED where a document is not judged or past the end."""
    return judgments.pool.core.label_matrix(judgments.buffer, depth)


def covered_ranks(judgments: Judgments) -> list[int]:
    """The rank down to which each run is pooled in every topic; WHOLE if all is that it retrieves."""
    return judgments.pool.core.covered_ranks(judgments.buffer).tolist()


def outside_by_rank(judgments: Judgments, runs: list[int], begin: int, end: int) -> list[list[int]]:
    """From rank `begin` + 1 down to each rank until `end`: how many documents of runs are outside, and of how many."""
    return judgments.pool.core.outside_by_rank(judgments.buffer, runs, begin, end).tolist()


def open_counts(judgments: Judgments, depth: int, unjudged: bool = False) -> _core._Table[int]:
    """How many documents down to a depth are outside, or with `unjudged` not judged: runs x topics.

    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": -1}}, {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})
    >>> open_counts(pool.judgments, 10).tolist(), open_counts(pool.judgments, 10, unjudged=True).tolist()
    ([[1]], [[2]])
    """
    return judgments.pool.core.count_open(judgments.buffer, depth, unjudged)


def open_totals(judgments: Judgments, depth: int, unjudged: bool = False) -> list[tuple[int, int]]:
    """How many documents of each run down to a depth are outside, or with `unjudged` not judged; and of how many."""
    found = judgments.open_totals.get((depth, unjudged))
    if found is None:
        totals = judgments.pool.core.total_open(judgments.buffer, depth, unjudged)
        found = judgments.open_totals[depth, unjudged] = [(count, size) for count, size in totals.tolist()]
    return found


def check_pool_known(judgments: Judgments) -> None:
    """Refuse judgments with probabilities where all documents that could have been judged must be known."""
    if judgments.stratum_rates:
        raise ArgumentError(
            "judgments with probabilities (prels) name only the documents that were judged, which is enough for "
            "statAP; samples, plans and `estimate` need all that could have been"
        )


def check_whole(pool: Pool) -> None:
    """Refuse labels with a decimal point where whole ones are needed."""
    if pool.core.label_values:
        raise ArgumentError(
            "these judgments have labels with a decimal point, which can be scored, compared and checked; round them "
            "for all else: samples, estimates, plans, weights and studies need whole labels"
        )
