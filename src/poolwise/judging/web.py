"""The web application: the page, its documents, and what it sends."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from poolwise.errors import ArgumentError, PoolwiseError
from poolwise.judging.guard import Guard, TooLarge
from poolwise.judging.judging import check_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from starlette.requests import Request

    from poolwise.judging.guard import Access
    from poolwise.judging.judging import JudgingSession
    from poolwise.judging.live_numbers import LiveNumbers

KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
PARTS = (
    "page.css",
    "icon.svg",
    "page.js",
    "work.js",
    "sending.js",
    "reading.js",
    "numbers.js",
    "markdown.js",
    "keys.js",
)


def application(
    room: JudgingSession,
    access: Access,
    numbers: LiveNumbers | None = None,
    changed: Callable[[], None] = lambda: None,
    lifespan: Callable[[Any], AbstractAsyncContextManager[None]] | None = None,
) -> Guard:
    """The application behind its guard; `changed` is called when events came in."""
    desk = _Endpoints(room, numbers, changed)
    routes = [
        Route("/", _same(_part("page.html"))),
        *(Route(f"/{name}", _same(_part(name))) for name in PARTS),
        Route("/start", desk.start),
        Route("/documents", desk.documents),
        Route("/events", desk.events, methods=["POST"]),
        Route("/numbers", desk.numbers),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), access)


class _Endpoints:
    """Answers to what a page asks."""

    def __init__(self, room: JudgingSession, numbers: LiveNumbers | None, changed: Callable[[], None]) -> None:
        self._room, self._numbers, self._changed = room, numbers, changed
        self._writing = asyncio.Lock()

    async def start(self, request: Request) -> Response:
        """The beginning; somebody new takes part from here on."""
        return await self._answered(request, self._begin)

    def _begin(self, name: str) -> dict[str, Any]:
        if self._room.judging.settle is None and not self._room.fixed:
            self._room.judging.join(name)
        return self._room.start(name)

    async def documents(self, request: Request) -> Response:
        """Texts of some documents."""
        words = request.query_params.get("items", "").split(",")
        numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 10]
        return await self._answered(request, lambda name: self._room.texts(name, numbers))

    async def events(self, request: Request) -> Response:
        """Keep what was done; the answer comes when it is on the disk."""
        try:
            body = json.loads(await request.body())
            events, after = body["events"], int(body.get("after", 0))
            if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
                raise TypeError
        except TooLarge:
            return answer({"error": "the request is too large"}, 413)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return answer({"error": "this is not what the page sends"}, 400)
        # In another thread, as a program elsewhere may be writing for long; in one, as events are kept one by one.
        async with self._writing:
            replies = await self._answered(request, lambda name: self._room.keep(name, events, after))
        self._changed()
        return replies

    async def numbers(self, request: Request) -> Response:
        """How precise estimates are by now; their values for whom they are in view, as an event says."""
        if self._numbers is None:
            return answer({"numbers": None})
        name = request.state.assessor or request.query_params.get("name", "")
        values = name in self._room.judging.desks and self._room.judging.desk(name).values
        return answer({"numbers": self._numbers.shown(values)})

    async def _answered(self, request: Request, act: Callable[[str], dict[str, Any]]) -> Response:
        """Reply in another thread, as texts and writing may take long."""
        return await run_in_threadpool(self._reply, request, act)

    def _reply(self, request: Request, act: Callable[[str], dict[str, Any]]) -> Response:
        """Act for the assessor of the token, or for the name in the request where nobody was named."""
        name = request.state.assessor or request.query_params.get("name", "")
        if not name:
            return answer({"who": True})
        try:
            (known,) = check_names([name])
            return answer(act(known))
        except ArgumentError as error:
            return answer({"error": str(error)}, 400)
        except PoolwiseError as error:  # the disk is full, or the like: the page keeps it and tries again
            return answer({"error": str(error)}, 503)


def answer(content: Any, status: int = 200) -> Response:
    """JSON in which ids of any bytes survive."""
    return Response(json.dumps(content).encode("ascii"), status, media_type="application/json")


def _same(response: Response) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that waits for no thread."""

    async def endpoint(request: Request) -> Response:
        return response

    return endpoint


def _part(name: str) -> Response:
    text = (files("poolwise.judging") / "page" / name).read_bytes()
    return Response(text, media_type=KINDS[name.rpartition(".")[2]])
