"""Admission to the server: every request needs a token, comes from our own page, and is small.

The server may be reached by any page that is open in the same browser, and by names that somebody else's DNS points
here. So the Host header must be an address or a name of ours, which a foreign name is not; what changes something must
come from a page of ours (Origin); and nothing is given out without the token in the path, which only the printed
address has. Answers forbid all scripts, styles and requests but our own, so that a document's text can do nothing.

A server can hold so many connections and no more, and opening one needs no token. So one that has no request before
the guard has let through is closed after a while, and when there are many of these the one that has waited longest is,
those first that never had such a request. Whoever works is never turned away for them.
"""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


LARGEST = 1 << 20  # bytes of a request
LONGEST_PATH = 8 << 10  # bytes of an address
LOCAL = ("localhost",)
REFUSED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Not this address</title></head>
<body><main><h1>Not this address</h1><p>{}.</p></main></body></html>
"""


@dataclass(frozen=True)
class Access:
    """Tokens, each with the assessor it stands for ("": whoever names themselves), and names of this server."""

    tokens: Mapping[str, str]
    names: tuple[str, ...] = ()
    public: str = ""  # the address that a reverse proxy serves, if one does
    images: bool = False

    def assessor(self, presented: str) -> str | None:
        """The assessor of a token. All tokens are compared, so that the time taken tells nothing."""
        assessor = None
        for token, name in self.tokens.items():
            if hmac.compare_digest(token.encode(), presented.encode("utf-8", "replace")):
                assessor = name
        return assessor

    def knows_host(self, host: str) -> bool:
        """Whether a Host header means this server: an address, or a name of ours."""
        name = (urlsplit(f"//{host}").hostname or "") if _is_plain(host) else ""
        return name in LOCAL or name in self.names or name == urlsplit(self.public).hostname or _is_address(name)

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header means our own page.

        Where a proxy's address is known, a page of that host has its scheme; otherwise a proxy may have either.
        """
        public = urlsplit(self.public)
        if host == public.netloc:
            return origin == f"{public.scheme}://{host}"
        ours = [f"http://{host}", f"https://{host}", *([f"{public.scheme}://{public.netloc}"] if self.public else [])]
        return origin in ours

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Headers of every answer."""
        images = "'self' https: http: data:" if self.images else "'self'"
        policy = (
            f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {images}; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return [
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
            (b"cache-control", b"no-store"),
        ]


class TooLarge(Exception):
    """A request went on beyond the limit."""


@dataclass
class Guard:
    """Lets through what may pass, and signs every answer."""

    application: ASGIApp
    access: Access = field(default_factory=lambda: Access({}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.application(scope, receive, send)
            else:
                await send({"type": "websocket.close"})
            return
        signed = _signed(send, self.access.headers())
        whole = "/" in scope["path"].lstrip("/")
        wrong = self._wrong(scope)
        if wrong is not None:
            await _refused(scope, *wrong)(scope, receive, signed)
            return
        if not whole:  # the page names its parts relative to the address, which must end with a slash
            token = scope["root_path"].rpartition("/")[2]
            await RedirectResponse(f"{token}/")(scope, receive, signed)
            return
        await self.application(scope, _limited(receive), signed)

    def _wrong(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason of a refusal, or nothing."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            headers[name.decode("latin-1")] = value.decode("latin-1")
        host, origin = headers.get("host", ""), headers.get("origin")
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > LONGEST_PATH:
            return 414, "the address is too long"
        if not (_can_be_read(f"//{host}") and _can_be_read(origin or "")):
            return 400, "the request names no host or origin that can be read"
        if not self.access.knows_host(host):
            return 403, "this server does not go by that name; use the address that poolwise printed"
        if origin is not None and not self.access.knows_origin(origin, host):
            return 403, "another site may not speak to this server"
        token, _, _ = scope["path"].lstrip("/").partition("/")
        name = self.access.assessor(token)
        if name is None:
            return 403, "the address needs its token; use the address that poolwise printed"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "no such method"
        if scope["method"] == "POST" and (wrong := _wrong_post(headers)) is not None:
            return wrong
        scope["state"] = {**scope.get("state", {}), "assessor": name}
        scope["root_path"] = f"{scope.get('root_path', '')}/{token}"
        return None


def _refused(scope: Scope, status: int, reason: str) -> Response:
    """The reason of a refusal: a page for who opened the address in a browser, a line for programs."""
    if b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
        return PlainTextResponse(f"{reason}\n", status)
    return HTMLResponse(REFUSED.format(f"{reason[0].upper()}{reason[1:]}"), status)


def _wrong_post(headers: Mapping[str, str]) -> tuple[int, str] | None:
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return 403, "another site may not speak to this server"
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return 415, "only JSON is taken"
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST:
        return 413, "the request is too large"
    return None


def _limited(receive: Receive) -> Receive:
    """Read no more than the limit, whatever the headers said."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LARGEST:
            raise TooLarge
        return message

    return limited


def _signed(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def signed(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await send(message)

    return signed


def _can_be_read(address: str) -> bool:
    try:
        urlsplit(address)
    except ValueError:  # as of brackets that are not closed
        return False
    return True


def _is_plain(host: str) -> bool:
    return bool(host) and all(sign.isalnum() or sign in ".-:[]" for sign in host)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
