"""Serving a room: in this thread until somebody stops it, or in one of its own for use from Python."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from time import monotonic, sleep
from urllib.parse import quote

from poolwise.basics.extras import load
from poolwise.basics.results import warn_of
from poolwise.errors import ArgumentError, PoolwiseError, PoolwiseWarning
from poolwise.judging.judged_outputs import Outputs, written_at_last
from poolwise.judging.session import (
    JudgeOptions,
    as_last_time,
    command_of_last_time,
    keep,
    open_session,
    outputs_of,
    page_that_leads_to,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
    from typing import Any

    from poolwise.judging.document_text import Advance
    from poolwise.judging.judging import JudgingSession
    from poolwise.judging.live_numbers import LiveNumbers
    from poolwise.reading.judging_file import Event

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


PAUSE = 1.0  # seconds from an event to the judged file
REST = 20  # times as long as writing took, nothing is written


class JudgingServer:
    """A room with an address. `addresses` has one for each assessor, "" standing for whoever names themselves.

    `runs_beside` says whether another server of the same judging is running, which keeps its port.
    """

    def __init__(
        self,
        wishes: JudgeOptions,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        public: str = "",
        new_links: bool = False,
        advance: Advance = None,
    ) -> None:
        load("starlette", "judge")
        uvicorn = load("uvicorn", "judge")
        from poolwise.judging.guard import Access, protocol
        from poolwise.judging.web import application

        requested, (wishes, last) = wishes, as_last_time(wishes)
        warn_of(command_of_last_time(requested, wishes))
        self._wishes = wishes
        self.room: JudgingSession = open_session(wishes, advance)
        self._outputs = Outputs(outputs_of(wishes), self.room.judging.work, self._events, wishes.overwrite)
        self._outputs.check()
        self._writing = threading.Lock()
        self._unwritten: PoolwiseError | None = None
        tokens = last.tokens_for(wishes.assessors or [""], new_links)
        self._listener = bound(host, port, last.port)
        port = int(self._listener.getsockname()[1])
        # Addresses that were sent stay good: a server beside another leaves the port of last time to that one.
        self.runs_beside = port != last.port and last.port > 0 and answers(host, last.port, last.tokens.values())
        keep(wishes, last.port if self.runs_beside else port, {**last.tokens, **tokens})
        self.addresses = {name: address(host, port, token, public) for name, token in tokens.items()}
        access = Access({token: name for name, token in tokens.items()}, names_of_host(host), public, wishes.images)
        self._numbers = self._live(wishes)
        self._dirty = asyncio.Event()
        app = application(self.room, access, self._numbers, self._changed, self._lifespan)
        settings = uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, proxy_headers=False, lifespan="on",
            timeout_graceful_shutdown=1, http=protocol(), ws="none",
        )  # fmt: skip
        self._server = uvicorn.Server(settings)
        self._thread: threading.Thread | None = None

    def serve(self) -> None:
        """Serve until interrupted."""
        self._server.run(sockets=[self._listener])

    def start(self) -> JudgingServer:
        """Serve in another thread."""
        self._thread = threading.Thread(target=self.serve, name="poolwise judge", daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            sleep(0.01)
        return self

    def end(self) -> None:
        """Ask it to end, now or as soon as it serves."""
        self._server.should_exit = True

    def stop(self) -> None:
        """End serving; the judged file is written."""
        self.end()
        if self._thread is not None:
            self._thread.join()
        self.check_written()

    def check_written(self) -> None:
        """Refuse to end as if all were well where the last labels could not be written."""
        if self._unwritten is not None:
            raise self._unwritten

    def __enter__(self) -> JudgingServer:
        return self if self._thread is not None else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        judging = self.room.judging
        where = ", ".join(self.addresses.values())
        return f"<JudgingServer: {judging.all_done} of {len(judging.items)} documents judged, at {where}>"

    @contextmanager
    def opened_in_browser(self) -> Iterator[None]:
        """Open the first address in the browser: by a page of the user's own, as others can read command lines."""
        import webbrowser

        page = page_that_leads_to(next(iter(self.addresses.values())), self._wishes)
        try:
            webbrowser.open(f"file://{quote(page)}")
            yield
        finally:
            with suppress(OSError):
                os.remove(page)

    @property
    def outputs(self) -> Sequence[str]:
        """The files that are written."""
        return self._outputs.paths

    def write(self) -> None:
        """Write the judged file, and what else was asked for."""
        with self._writing:  # what is known later is written later
            self._outputs.write()

    def _events(self) -> list[Event]:
        self.room.judging.catch_up()
        return self.room.judging.events()

    def _live(self, wishes: JudgeOptions) -> LiveNumbers | None:
        if not self.room.scores:
            return None
        from poolwise.judging.live_numbers import live_numbers

        return live_numbers(self.room.judging, wishes)

    def _changed(self) -> None:
        self._dirty.set()
        if self._numbers is not None:
            self._numbers.changed()

    @asynccontextmanager
    async def _lifespan(self, _: Any) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._keep_written())]
        if self._numbers is not None:
            tasks.append(asyncio.create_task(self._numbers.run()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._unwritten = written_at_last(self.write, self.room.judging, self._wishes.plan)
            self.room.judging.store.close()

    async def _keep_written(self) -> None:
        """Write when something has changed, but not all the time."""
        while True:
            begin = monotonic()
            try:
                await asyncio.to_thread(self.write)
            except PoolwiseError as error:
                self._dirty.set()  # a full disk: labels are safe or refused, and the file is tried again
                with suppress(PoolwiseWarning):
                    warn_of([f"{error}; it is tried again"])
            await asyncio.sleep(max(PAUSE, REST * (monotonic() - begin)))
            await self._dirty.wait()
            self._dirty.clear()
            await asyncio.sleep(PAUSE)


def judge(
    plan: Any, *, documents: Any = (), host: str = "127.0.0.1", port: int | None = None, **wishes: Any
) -> JudgingServer:
    """Judge the documents of a plan in the browser, served from this process.

    Labels are kept in a file beside the plan as they come.

    Parameters
    ----------
    plan : path
        The plan's file.
    documents : path or sequence of paths
        Files with the documents' texts.
    host : str
        The address to listen at.
    port : int, optional
        The port; a free one unless given.
    **wishes
        Options of `poolwise judge`: documents_from, topics, runs, measure, difference, predictions, columns (a
        mapping), grades, scale, guidelines, assessors, overlap, per_document, repeat, adjudicate, hide_scores, images,
        store, outputs, unjudged, overwrite. What is not given is as last time.

    Returns
    -------
    JudgingServer
        A server that is running: `addresses` says where, `stop()` ends it, and it can be used in a `with` statement.

    Examples
    --------
    >>> import os, tempfile, poolwise as pw
    >>> path = os.path.join(tempfile.mkdtemp(), "plan.txt")
    >>> pw.read(None, {"mine": {"1": {"a": 2.0, "b": 1.0}}}).plan(budget=1).write(path)
    >>> with pw.judge(path) as server:
    ...     len(server.addresses)
    1
    """
    paths = [documents] if isinstance(documents, str) or hasattr(documents, "__fspath__") else documents
    wanted = JudgeOptions(str(plan), documents=[str(each) for each in paths], **wishes)
    return JudgingServer(wanted, host=host, port=port).start()
