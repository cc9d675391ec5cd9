"""Base class of all results, and their warnings.

A result declares its table by `columns`. Data frame, dict, JSON, CSV, the line in a terminal and the table in a
notebook follow from that. Nothing here loads numpy, or what writes tables: `poolwise score` starts without these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from poolwise.errors import PoolwiseWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

__all__ = ["Result", "notes_of", "unwarned", "warn_of"]

MOST_SHOWN = 60  # rows of a table in a notebook or a terminal; as many as pandas shows by default


class Result(ABC):
    """A result: a table, its details, and its caveats.

    Dataclasses that inherit from it set `repr=False`, so that they keep the short `__repr__` below.
    """

    warnings: tuple[str, ...] = ()

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """The table, column by column."""

    def details(self) -> Mapping[str, Any]:
        """Everything there is to know, by name: the fields, unless a result says more."""
        return vars(self)

    def overview(self) -> dict[str, Any]:
        """The table that people are shown: `columns`, unless another one says more at a glance."""
        return self.columns()

    def headline(self) -> str:
        """The result in a few words."""
        columns = self.columns()
        rows = len(next(iter(columns.values()), ()))
        return f"{rows} row{'' if rows == 1 else 's'} of {', '.join(columns)}"

    def notes(self) -> tuple[str, ...]:
        """Caveats of the result. Each was also given as a warning."""
        return self.warnings

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: numbers, texts, lists and dicts."""
        from poolwise.basics.rows import plain

        return {name: plain(value) for name, value in self.details().items()}

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Give the table as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.

        Returns
        -------
        data frame
            The table.
        """
        from poolwise.basics.extras import frame

        return frame(self.columns(), backend)

    def to_json(self) -> str:
        """Everything as JSON. What is missing or infinite is null."""
        from poolwise.basics.rows import json_text

        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """The table as CSV. Numbers keep every digit."""
        from poolwise.basics.rows import csv_text, rows_of

        columns = self.columns()
        return csv_text(tuple(columns), rows_of(columns))

    def to_markdown(self, digits: int = 4) -> str:
        """Give what people are shown as a table in Markdown.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table.
        """
        from poolwise.basics.rows import markdown_text, rounded

        return markdown_text(*rounded(self.overview(), digits))

    def to_latex(self, digits: int = 4) -> str:
        """Give what people are shown as a LaTeX tabular.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table.
        """
        from poolwise.basics.rows import latex_text, rounded

        return latex_text(*rounded(self.overview(), digits))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def __str__(self) -> str:
        from poolwise.basics.rows import aligned_text, cell_text, plain, rows_of

        columns = {name: [cell_text(value) for value in plain(values)] for name, values in self.overview().items()}
        rows = rows_of(columns)
        text = aligned_text(tuple(columns), rows[:MOST_SHOWN])
        left = len(rows) - MOST_SHOWN
        more = [f"... and {left} more row{'' if left == 1 else 's'}"] if left > 0 else []
        return "\n".join([self.headline(), "", text, *more, *(f"note: {note}" for note in self.notes())])

    def _repr_html_(self) -> str:
        from html import escape

        from poolwise.basics.rows import html_table

        notes = "".join(f"<p>note: {escape(note)}</p>" for note in self.notes())
        return f"<p>{escape(self.headline())}</p>{html_table(self.overview(), MOST_SHOWN)}{notes}"


def warn_of(notes: Iterable[str]) -> tuple[str, ...]:
    """Warn of each note at the line that called poolwise, and return the notes for the result."""
    warned = tuple(notes)
    if warned:
        from warnings import warn

        calls = _calls_to_outside()
        for note in warned:
            warn(note, PoolwiseWarning, stacklevel=calls)
    return warned


def notes_of(scores: Any) -> tuple[str, ...]:
    """Notes of the scores that a further result is computed from. None of an array."""
    return scores.warnings if isinstance(scores, Result) else ()


def unwarned() -> Any:
    """A context without poolwise's warnings: for scores that are an intermediate step."""
    from warnings import catch_warnings

    return catch_warnings(action="ignore", category=PoolwiseWarning)


def _calls_to_outside() -> int:
    """The `stacklevel` of the first caller outside poolwise, counted from the caller of this function."""
    import sys

    caller, calls = sys._getframe(1), 1
    while caller.f_back is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "poolwise":
        caller, calls = caller.f_back, calls + 1
    return calls
