"""`Judgments`: the label, or lack of one, of every listed document of a pool."""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.pool.pool import Pool

POOLED: int = _core.POOLED
OUTSIDE: int = _core.OUTSIDE


class Judgments:
    """Labels of a pool's listed documents, with strata and rounds when they have them.

    `labels` is one whole number per listed document, topics one after the other (`offsets` says where each begins):
    a label, `POOLED` (in the pool, not judged) or `OUTSIDE` (not in the pool). `top` is the highest label of the
    complete judgments, which a sample keeps. `design` says how a sample was drawn.
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
        self._labels = core.labels() if labels is None else _checked(labels, core)
        self._strata = strata if strata is not None else (core.strata() if core.has_strata and labels is None else None)
        self._rounds = rounds if rounds is not None else (core.rounds() if core.has_strata and labels is None else None)
        self.top = top if top is not None else max(core.distinct_labels, default=0)
        self.design: dict[str, Any] = dict(design or {})

    @property
    def labels(self) -> NDArray[Any]:
        """One label (or POOLED, OUTSIDE) per listed document, int32."""
        return _as_array(self._labels)

    @property
    def strata(self) -> NDArray[Any] | None:
        """The stratum of each listed document, or None."""
        return None if self._strata is None else _as_array(self._strata)

    @property
    def rounds(self) -> NDArray[Any] | None:
        """The round in which each listed document was drawn (0: not drawn), or None."""
        return None if self._rounds is None else _as_array(self._rounds)

    @property
    def offsets(self) -> NDArray[Any]:
        """Where each topic's documents begin; one more entry than topics."""
        return _as_array(self.pool.core.offsets())

    @property
    def buffer(self) -> Any:
        """The labels as a buffer, without loading numpy."""
        return self._labels

    @property
    def strata_buffer(self) -> Any:
        """The strata as a buffer, without loading numpy; None if there are none."""
        return self._strata

    def distinct_labels(self) -> list[int]:
        """The labels that occur in the complete judgments, ascending."""
        return list(self.pool.core.distinct_labels)

    def of(self, topic: str) -> dict[str, int]:
        """Label of each judged document of a topic."""
        number = self.pool.topic_number(topic)
        offsets = self.offsets
        labels = self.labels[offsets[number] : offsets[number + 1]].tolist()
        documents = self.pool.documents(topic)[: len(labels)]
        return {
            document: label for document, label in zip(documents, labels, strict=True) if label not in (POOLED, OUTSIDE)
        }

    def count(self) -> int:
        """How many documents are judged."""
        return int(((self.labels != POOLED) & (self.labels != OUTSIDE)).sum())

    def label_counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels that occur, ascending, and how many documents of each every topic has (topics x labels)."""
        import numpy

        labels, offsets = numpy.asarray(self.distinct_labels(), dtype=numpy.int64), self.offsets
        counts = numpy.zeros((len(self.pool.topics), len(labels)), dtype=numpy.int64)
        topic_of = numpy.repeat(numpy.arange(len(self.pool.topics)), numpy.diff(offsets))
        judged = (self.labels != POOLED) & (self.labels != OUTSIDE)
        numpy.add.at(counts, (topic_of[judged], numpy.searchsorted(labels, self.labels[judged])), 1)
        return labels, counts

    def __repr__(self) -> str:
        drawn = f", drawn by {self.design['design']}" if "design" in self.design else ""
        return f"<Judgments: {self.count()} judged of {int((self.labels != OUTSIDE).sum())} pooled documents{drawn}>"


def _checked(labels: Any, core: _core.Pool) -> NDArray[Any]:
    """Labels as the core takes them: int32, one per listed document."""
    import numpy

    given = numpy.asarray(labels)
    with numpy.errstate(invalid="ignore"):
        converted = numpy.ascontiguousarray(given, dtype=numpy.int32)
    listed = core.offsets()[-1]
    if given.shape != (listed,):
        raise ArgumentError(f"{given.size} labels do not fit a pool of {listed} listed documents; give one for each")
    if given.dtype != converted.dtype and not numpy.array_equal(given, converted):
        raise ArgumentError("labels are whole numbers of 32 bits; other values were found")
    return converted


def _as_array(values: Any) -> NDArray[Any]:
    import numpy

    return numpy.asarray(values)
