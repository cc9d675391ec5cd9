"""Connections that ask for nothing lock nobody out: each has a time limit, and the oldest makes room for a new one.

A server can hold so many connections and no more, and opening one needs no token. So one that has no request before
the guard has let through is closed after a while, and when there are many of these the one that has waited longest is,
those first that never had such a request. Whoever works is never turned away for them.
"""

from __future__ import annotations

from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any, ClassVar

PATIENCE = 10.0  # seconds for which a connection may ask for nothing
MOST = 200  # connections that ask for nothing
CHECKS = 4  # of a connection in that time


def protocol() -> type[H11Protocol]:
    """HTTP for one server."""

    class Protocol(_Bounded):
        open_ones: ClassVar[set[_Bounded]] = set()

    return Protocol


class _Bounded(H11Protocol):
    """HTTP over one of several connections."""

    open_ones: ClassVar[set[_Bounded]]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; if too many are waiting, one of them goes."""
        super().connection_made(transport)
        self._known, self._since = False, self.loop.time()
        self.open_ones.add(self)
        waiting = [each for each in self.open_ones if not each.at_work]
        if len(waiting) > MOST:
            min(waiting, key=lambda each: (each._known, each._since)).end()
        self._timer = self.loop.call_later(PATIENCE / CHECKS, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._timer.cancel()
        self.open_ones.discard(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to wait, after a request that the guard let through."""
        if _is_admitted(self.cycle):
            self._known, self._since = True, self.loop.time()
        super().on_response_complete()

    @property
    def at_work(self) -> bool:
        """Whether a request is being answered that the guard let through."""
        return self.cycle is not None and not self.cycle.response_complete and _is_admitted(self.cycle)

    def end(self) -> None:
        """Close it at once, whatever the other side does not read."""
        self.open_ones.discard(self)
        self.transport.abort()

    def _check(self) -> None:
        if self.at_work:
            self._since = self.loop.time()
        if self.loop.time() - self._since >= PATIENCE:
            self.end()
        else:
            self._timer = self.loop.call_later(PATIENCE / CHECKS, self._check)


def _is_admitted(cycle: Any) -> bool:
    return "assessor" in cycle.scope["state"]
