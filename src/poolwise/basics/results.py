"""What every result of poolwise can do.

A result declares its table by `columns`; data frame, dict, JSON, CSV, the line in a terminal and the table in a
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

MOST_SHOWN = 60  # rows of a table that a notebook or a terminal shows


class Result(ABC):
    """A result: a table, the facts around it, and what to know before trusting it.

    Dataclasses that inherit from it say `repr=False`, so that the short line below is theirs.
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
        """What to know before trusting the result; each was also given as a warning."""
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
        """Everything as JSON; what is missing or infinite is null."""
        from poolwise.basics.rows import json_text

        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """The table as CSV; numbers keep every digit."""
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
    """Give each note as a warning at the line that called poolwise, and return them to be kept in the result."""
    kept = tuple(notes)
    if kept:
        from warnings import warn

        calls = _calls_to_outside()
        for note in kept:
            warn(note, PoolwiseWarning, stacklevel=calls)
    return kept


def notes_of(given: Any) -> tuple[str, ...]:
    """What to know of scores that a further result rests on; nothing of an array."""
    return given.warnings if isinstance(given, Result) else ()


def unwarned() -> Any:
    """A context in which none of our warnings is given: for scores that nobody asked for by themselves."""
    from warnings import catch_warnings

    return catch_warnings(action="ignore", category=PoolwiseWarning)


def _calls_to_outside() -> int:
    """How many calls up, from the caller of this, the first code is that is not our own."""
    import sys

    caller, calls = sys._getframe(1), 1
    while caller.f_back is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "poolwise":
        caller, calls = caller.f_back, calls + 1
    return calls
