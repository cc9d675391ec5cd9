"""How judgments and runs are read: what labels mean, repeated documents, depth, scores that are no numbers."""

from __future__ import annotations

from poolwise.basics.settings import choice, whole
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolwise import _core

DUPLICATES = ("error", "first")
NAN = ("error", "last")
BAD_RUNS = ("error", "skip")


def _checked(columns: Mapping[str, str]) -> dict[str, str]:
    from poolwise.reading.columns import check_columns

    return check_columns(columns)


class ReadingOptions:
    """Settings of a reader; workers of other processes get the same object."""

    __slots__ = ("bad_runs", "columns", "depth", "duplicates", "nan", "prels", "subtopics", "unjudged")

    def __init__(
        self,
        unjudged: int | str | None = -1,
        duplicates: str = "error",
        depth: int | None = None,
        nan: str = "error",
        bad_runs: str = "error",
        columns: Mapping[str, str] | None = None,
        subtopics: bool = False,
        prels: bool = False,
    ) -> None:
        self.unjudged = unjudged
        self.duplicates = choice("duplicates", duplicates, DUPLICATES)
        self.depth = None if depth is None else min(whole("depth", depth, 1), 2**31 - 1)
        self.nan = choice("nan", nan, NAN)
        self.bad_runs = choice("bad_runs", bad_runs, BAD_RUNS)
        self.columns = _checked(columns) if columns else {}
        self.subtopics = bool(subtopics)
        self.prels = bool(prels)

    @property
    def skips_bad_runs(self) -> bool:
        """Whether a run that cannot be read is left out, rather than an error."""
        return self.bad_runs == "skip"

    def tell(self, builder: _core.Builder) -> None:
        """Set what the core must know before it reads the first line."""
        self._tell_labels(builder)
        if self.duplicates == "first":
            builder.keep_first_duplicates()
        if self.depth is not None:
            builder.set_depth(self.depth)
        if self.nan == "last":
            builder.rank_nan_last()
        if self.subtopics:
            builder.read_subtopics()

    def _tell_labels(self, builder: _core.Builder) -> None:
        unjudged = self.unjudged
        if unjudged == "negative":
            builder.set_label_rules(False, 0, True)
        elif unjudged is None:
            builder.set_label_rules(False, 0, False)
        elif hasattr(unjudged, "__index__") and not isinstance(unjudged, bool) and abs(int(unjudged)) < 2**31:
            builder.set_label_rules(True, int(unjudged), False)
        else:
            raise ArgumentError(f"unjudged={unjudged!r} is not allowed; use a label, 'negative' or None")
