"""Engines: how a unit gets to a worker, here or in another process."""

from __future__ import annotations

import threading
from concurrent.futures import BrokenExecutor, Executor, Future
from queue import Empty, SimpleQueue

from poolwise.errors import PoolwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LEAVE = 1.0  # seconds that threads get to leave their work when nobody waits for it


class Threads(Executor):
    """Up to `most` threads of this process, as many as can be started.

    Python's own pool fails when a thread cannot start, and waits for running work when the user interrupts. Here fewer
    threads do the same work, the caller itself if there is none; and when the `with` block is left by Ctrl-C, work
    under way is left too, within what one call of numpy or the core takes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads: list[threading.Thread] = []
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Have a function called by one of the threads."""
        future: Future[Any] = Future()
        if len(self._threads) < self._most:
            self._start()
        item = (future, lambda: function(*arguments, **options))
        if self._threads:
            self._work.put(item)
        else:
            _do(*item)
        return future

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve)
        try:
            thread.start()
            self._threads.append(thread)
        except (RuntimeError, MemoryError):
            self._most = len(self._threads)

    def _serve(self) -> None:
        try:
            while (item := self._work.get()) is not None:
                _do(*item)
        except SystemExit:  # `stop` asks for it
            return

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end when all is done, or with `cancel_futures` what is under way."""
        while cancel_futures:
            try:
                item = self._work.get_nowait()
            except Empty:
                break
            if item is not None:
                item[0].cancel()
        for _ in self._threads:
            self._work.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def stop(self) -> None:
        """Leave the work: each thread is asked to end wherever it is, and none is waited for long."""
        import ctypes

        self.shutdown(wait=False, cancel_futures=True)
        for thread in self._threads:
            if thread.ident is not None and thread.is_alive():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
        for thread in self._threads:
            thread.join(LEAVE / len(self._threads))
        self._threads = []

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None or issubclass(kind, Exception):
            self.shutdown()
        else:
            self.stop()


def _do(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
        if not isinstance(error, Exception):
            raise


class Engine:
    """Threads of this process; `window` is how many units are under way at once."""

    def __init__(self, executor: Executor, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self.executor, self.function, self.shared = executor, function, shared
        self.window = max(2, 2 * int(getattr(executor, "_max_workers", None) or 32))

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        """Hand a unit to a worker; `complete`: with all that it needs."""
        return self.executor.submit(self.function, self.shared, unit)

    def renew(self) -> None:
        """Replace what was lost with a worker."""
        raise PoolwiseError(f"the {type(self.executor).__name__} is broken or shut down; open a new one")

    def stop(self) -> None:
        """Leave what is under way, where that can be done."""

    def close(self) -> None:
        """Give back what the engine took."""


class Here(Engine):
    """No executor: threads of its own, or with one thread none at all."""

    def __init__(self, threads: int, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self.own = Threads(threads if threads > 1 else 0)
        super().__init__(self.own, function, shared)
        self.window = 2 * threads if threads > 1 else 1

    def stop(self) -> None:
        """Leave what is under way."""
        self.own.stop()

    def close(self) -> None:
        """Let the threads end."""
        self.own.shutdown(cancel_futures=True)


class Apart(Engine):
    """Workers with memory of their own: processes, MPI. Units carry a ticket for the shared part."""

    def __init__(self, executor: Executor, function: Callable[[Any, Any], Any], shared: Any) -> None:
        import os
        import pickle
        from tempfile import mkstemp

        super().__init__(executor, function, shared)
        self.own: Executor | None = None
        self.data = pickle.dumps(shared, protocol=5)
        self.key = _key(self.data)
        descriptor, self.path = mkstemp(prefix="poolwise-", suffix=".shared")
        with os.fdopen(descriptor, "wb") as file:
            file.write(self.data)

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        """Hand a unit to a worker, with a ticket or with the shared part itself."""
        data = self.data if complete else None
        try:
            return self.executor.submit(with_ticket, self.function, (self.key, self.path, data), unit)
        except BrokenExecutor as error:  # the pool broke since; the loop sees to it
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def renew(self) -> None:
        """Processes of a broken pool are gone; a pool like it takes its place."""
        from concurrent.futures import ProcessPoolExecutor  # takes longer to load than all else that threads need

        broken: Any = self.executor
        if not isinstance(broken, ProcessPoolExecutor):
            super().renew()
        if self.own:
            self.own.shutdown()
        self.executor = self.own = ProcessPoolExecutor(
            broken._max_workers, broken._mp_context, broken._initializer, broken._initargs
        )

    def close(self) -> None:
        """Remove the file, and processes that took the place of lost ones."""
        import os

        if self.own:
            self.own.shutdown(cancel_futures=True)
        os.remove(self.path)


class Lacking:
    """What a worker returns that cannot read the shared part: it needs it sent."""


_kept: dict[str, Any] = {}  # the shared parts that this worker used last
KEPT = 2


def with_ticket(function: Callable[[Any, Any], Any], ticket: tuple[str, str, bytes | None], unit: Any) -> Any:
    """Do a unit on a worker that keeps the shared part since the first unit that needed it."""
    key, path, data = ticket
    if key not in _kept:
        data = _read(path) if data is None else data
        # On another machine the path may be anybody's file, and unpickling it would run whatever it says.
        if data is None or _key(data) != key:
            return Lacking()
        import pickle

        while len(_kept) >= KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = pickle.loads(data)
    return function(_kept[key], unit)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _key(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()
