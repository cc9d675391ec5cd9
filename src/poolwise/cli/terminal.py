"""What a person sees: tables and progress."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class progress:
    """A progress bar on standard error for work of over a second; nothing when that is no terminal."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.shown = False
        self.start = 0.0

    def __enter__(self) -> Callable[[int, int], None] | None:
        if not sys.stderr.isatty():
            return None
        from time import monotonic

        self.start = monotonic()
        return self.advance

    def advance(self, done: int, total: int) -> None:
        """Show how much is done and, if there is a total, how long the rest may take."""
        from time import monotonic

        passed = monotonic() - self.start
        if passed < 1 and not self.shown:
            return
        self.shown = True
        if not total:  # how much there is cannot be known
            sys.stderr.write(f"\r{self.what}: {done} ")
            sys.stderr.flush()
            return
        filled = 30 * done // max(total, 1)
        left = passed / max(done, 1) * (total - done)
        sys.stderr.write(f"\r{self.what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}, {left:.0f} s left ")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self.shown:
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


def bold(text: str) -> str:
    """Text in bold on terminals that know it."""
    import os

    return text if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else f"\033[1m{text}\033[0m"
