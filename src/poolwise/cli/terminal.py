"""What a person sees at a terminal: progress, bold letters."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


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


def bold(text: str) -> str:
    """Text in bold on terminals that know it."""
    import os

    return text if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else f"\033[1m{text}\033[0m"
