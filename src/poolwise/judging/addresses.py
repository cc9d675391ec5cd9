"""Where the server is: the socket it listens at, and the addresses of its pages."""

from __future__ import annotations

import socket
from contextlib import closing, suppress

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PATIENCE = 2.0  # seconds to wait for the answer of a server on this machine
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def bound(host: str, wanted: int | None, last: int) -> socket.socket:
    """A socket that listens: at the port asked for, or that of last time if it is free, or any."""
    if wanted is None and last:
        with suppress(OSError, OverflowError):
            return _listening(host, last)
    try:
        return _listening(host, wanted or 0)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"cannot serve at {host}, port {wanted or 0} ({reason}); choose others") from None


def _listening(host: str, port: int) -> socket.socket:
    # With the protocol named, asyncio sends small answers at once; otherwise each waits 40 ms for the other side.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
        listener.set_inheritable(True)
    except BaseException:
        listener.close()
        raise
    return listener


def answers(host: str, port: int, tokens: Iterable[str]) -> bool:
    """Whether a server of the same judging is running at a port: it knows one of the tokens, which nobody can guess."""
    from http.client import HTTPConnection, HTTPException

    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    for token in tokens:
        connection = HTTPConnection(here, port, timeout=PATIENCE)
        with suppress(OSError, HTTPException, OverflowError), closing(connection):
            connection.request("GET", f"/{token}/")
            if connection.getresponse().status == 200:
                return True
    return False


def names_of_host(host: str) -> tuple[str, ...]:
    """Names by which others may call this machine."""
    return () if host in LOOPBACK else tuple({host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()})


def address(host: str, port: int, token: str, public: str = "") -> str:
    """The address of a page.

    >>> address("127.0.0.1", 8000, "secret"), address("0.0.0.0", 80, "x", "https://judge.example.org/a/")
    ('http://127.0.0.1:8000/secret/', 'https://judge.example.org/a/x/')
    """
    if public:
        return f"{public.rstrip('/')}/{token}/"
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/{token}/"
