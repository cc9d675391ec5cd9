"""What a person sees: tables and progress."""

from __future__ import annotations

import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error for work of over a second, or nothing when that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from time import monotonic

    start = monotonic()
    shown = False

    def advance(done: int, total: int) -> None:
        nonlocal shown
        passed = monotonic() - start
        if passed < 1 and not shown:
            return
        shown = True
        filled = 30 * done // max(total, 1)
        left = passed / max(done, 1) * (total - done)
        bar = "#" * filled + "." * (30 - filled)
        sys.stderr.write(f"\r{what} [{bar}] {done}/{total}, {left:.0f} s left ")
        sys.stderr.flush()

    try:
        yield advance
    finally:
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def table_text(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """Rows as an aligned table, the first column to the left and the others to the right.

    >>> print(table_text(("run", "AP"), [("bm25", "0.25")]))
    run     AP
    ----------
    bm25  0.25
    """
    widths = [max(len(str(row[c])) for row in [header, *rows]) for c in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *others = [str(cell) for cell in cells]
        return "  ".join(
            [first.ljust(widths[0]), *(o.rjust(w) for o, w in zip(others, widths[1:], strict=True))]
        ).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([*([title] if title else []), line(header), rule, *map(line, rows)])
