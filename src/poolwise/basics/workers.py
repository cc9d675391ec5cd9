"""Engines, which pass units of work to threads, processes or a cluster."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sized
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from itertools import islice
from queue import Empty, SimpleQueue

from poolwise.basics.settings import thread_count
from poolwise.errors import ArgumentError, PoolwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

LEAVE = 1.0  # seconds that threads get to end after Ctrl-C; a call of numpy or the core cannot be interrupted


class Threads(Executor):
    """Up to `most` threads of this process, as many as can be started.

    Python's pool fails when a thread cannot start, and waits for running work after Ctrl-C. Here fewer threads do the
    same work, or the caller if there is none. When Ctrl-C ends the `with` block, running work ends after its current
    call of numpy or the core.
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
        # No further threads: a limit of processes or memory is reached. Those that run do all the work.
        except (RuntimeError, MemoryError):
            self._most = len(self._threads)

    def _serve(self) -> None:
        try:
            while (item := self._work.get()) is not None:
                _do(*item)
        except SystemExit:  # raised by `stop`
            return

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end when all work is done. With `cancel_futures`, when running work is done."""
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
        """Abandon the work: SystemExit is raised in each thread, and all together get `LEAVE` seconds to end."""
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
    """Units of work on an executor. `window` is the number of units submitted at once."""

    def __init__(self, executor: Executor, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self.executor, self.function, self.shared = executor, function, shared
        # Two units a worker: the next one waits while a result is fetched. 32 if the executor hides its number.
        self.window = max(2, 2 * int(getattr(executor, "_max_workers", None) or 32))

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        """Submit a unit. With `complete`, the shared part is sent along."""
        return self.executor.submit(self.function, self.shared, unit)

    def renew(self) -> None:
        """Replace a lost worker."""
        raise PoolwiseError(f"the {type(self.executor).__name__} is broken or shut down; open a new one")

    def stop(self) -> None:
        """Abandon running units, where that is possible."""

    def close(self) -> None:
        """Release threads, processes and files of the engine."""


class Here(Engine):
    """Engine without an executor: it starts threads, or runs units in the caller if one is wanted."""

    def __init__(self, threads: int, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self.pool = Threads(threads if threads > 1 else 0)
        super().__init__(self.pool, function, shared)
        self.window = 2 * threads if threads > 1 else 1

    def stop(self) -> None:
        """Abandon running units."""
        self.pool.stop()

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown(cancel_futures=True)


class Apart(Engine):
    """Engine for workers that do not share memory (processes, MPI). Units carry a ticket for the shared part."""

    def __init__(self, executor: Executor, function: Callable[[Any, Any], Any], shared: Any) -> None:
        import os
        import pickle
        from tempfile import mkstemp

        super().__init__(executor, function, shared)
        self.replacement: Executor | None = None
        self.data = pickle.dumps(shared, protocol=5)
        self.key = _key(self.data)
        descriptor, self.path = mkstemp(prefix="poolwise-", suffix=".shared")
        with os.fdopen(descriptor, "wb") as file:
            file.write(self.data)

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        """Submit a unit with a ticket, or with the shared part itself."""
        data = self.data if complete else None
        try:
            return self.executor.submit(with_ticket, self.function, (self.key, self.path, data), unit)
        except BrokenExecutor as error:  # the pool broke meanwhile; `_result` renews it
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def renew(self) -> None:
        """Start a pool with the settings of the broken one, whose processes are gone."""
        from concurrent.futures import ProcessPoolExecutor  # takes longer to load than all else that threads need

        broken: Any = self.executor
        if not isinstance(broken, ProcessPoolExecutor):
            super().renew()
        if self.replacement:
            self.replacement.shutdown()
        self.executor = self.replacement = ProcessPoolExecutor(
            broken._max_workers, broken._mp_context, broken._initializer, broken._initargs
        )

    def close(self) -> None:
        """Remove the file of the shared part, and end replacement processes."""
        import os

        if self.replacement:
            self.replacement.shutdown(cancel_futures=True)
        os.remove(self.path)


class Lacking:
    """Answer of a worker that cannot read the shared part, so that it must be sent."""


_cache: dict[str, Any] = {}  # the shared parts that this worker used last
CACHED = 2  # shared parts: studies that run one after the other overlap by one


def with_ticket(function: Callable[[Any, Any], Any], ticket: tuple[str, str, bytes | None], unit: Any) -> Any:
    """Do a unit on a worker, which loads the shared part once and caches it."""
    ignore_interrupts()
    key, path, data = ticket
    if key not in _cache:
        data = _read(path) if data is None else data
        # On another machine the path may be another user's file, and unpickling would execute its code.
        if data is None or _key(data) != key:
            return Lacking()
        import pickle

        while len(_cache) >= CACHED:
            _cache.pop(next(iter(_cache)))
        _cache[key] = pickle.loads(data)
    return function(_cache[key], unit)


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the process that waits for this one's work.

    A worker that is interrupted while it sends a result keeps the lock of the queue, and then no worker ever ends.
    """
    from multiprocessing import parent_process
    from signal import SIG_IGN, SIGINT, signal

    if parent_process() is not None and threading.current_thread() is threading.main_thread():
        signal(SIGINT, SIG_IGN)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _key(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


ATTEMPTS = 3  # workers that a unit may lose before it is blamed; other units may have caused the first loss
LOST = (BrokenExecutor, CancelledError)  # raised by a future whose worker died; Dask cancels it


def run_units(
    function: Callable[[Any, Any], Any],
    shared: Any,
    units: Iterable[Any],
    *,
    executor: Any = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: Callable[[Any], str] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield (index, function(shared, unit)) for every unit, in the order of the units.

    `executor` is any `concurrent.futures.Executor` (threads, processes, a Dask client's, MPI's) or a Dask client.
    Without one, `threads` threads of this process do the work. Beyond this process, function, `shared`, units and
    results are pickled: the function stands at the top of a module that workers can import. `progress` is called with
    how many units are done and how many there are (0 if `units` is an iterator: it is drawn from as work proceeds),
    `name` says how errors call a unit ("": they name it themselves). A few units per worker are under way at once,
    with their results. When nobody waits for them any more, threads of this process leave them.

    >>> list(run_units(pow, 2, [3, 1, 2]))
    [(0, 8), (1, 2), (2, 4)]
    """
    total = len(units) if isinstance(units, Sized) else 0
    engine = _engine(executor, threads, function, shared)
    called = name or (lambda unit: f"unit {unit!r}")
    try:
        for index, result in enumerate(_results(engine, iter(units), called), 1):
            if progress:
                progress(index, total)
            yield index - 1, result
    except (KeyboardInterrupt, GeneratorExit):
        engine.stop()
        raise
    finally:
        engine.close()


def _engine(executor: Any, threads: int | None, function: Callable[[Any, Any], Any], shared: Any) -> Engine:
    if executor is None:
        return Here(thread_count(threads), function, shared)
    if hasattr(executor, "get_executor"):  # a Dask client
        executor = executor.get_executor()
    if not callable(getattr(executor, "submit", None)):
        raise ArgumentError(
            f"executor={executor!r} cannot do work; give a concurrent.futures.Executor or a Dask client"
        )
    if isinstance(executor, (ThreadPoolExecutor, Threads)):
        return Engine(executor, function, shared)
    if hasattr(executor, "_client"):
        from poolwise.basics.dask_workers import Dask

        return Dask(executor, function, shared)
    return Apart(executor, function, shared)


def _results(engine: Engine, units: Iterator[Any], called: Callable[[Any], str]) -> Iterator[Any]:
    """Results in the order of units. A window of units is submitted ahead."""
    waiting: deque[tuple[Any, Future[Any]]] = deque()
    try:
        while True:
            waiting.extend((unit, engine.submit(unit)) for unit in islice(units, max(0, engine.window - len(waiting))))
            if not waiting:
                return
            unit, future = waiting.popleft()
            # After a loss the unit is done again alone, so that blame falls on the right one; then the others.
            result, was_lost = _result(engine, unit, future, called(unit))
            if was_lost:
                waiting = deque((unit, engine.submit(unit) if _is_lost(future) else future) for unit, future in waiting)
            yield result
    finally:
        for _, future in waiting:
            future.cancel()


def _result(engine: Engine, unit: Any, future: Future[Any], called: str) -> tuple[Any, bool]:
    """A unit's result, and whether a worker was lost meanwhile."""
    lost = 0
    while True:
        try:
            result = future.result()
        except LOST as error:
            lost += 1
            if lost >= ATTEMPTS:
                what = called or "a unit of work"
                raise PoolwiseError(f"{what}: its worker was lost {lost} times; is there enough memory?") from error
            engine.renew()
            future = engine.submit(unit)
        except Exception as error:
            named = _named(error, called)
            raise named from (None if named is error else error)
        else:
            if not isinstance(result, Lacking):
                return result, lost > 0
            future = engine.submit(unit, complete=True)


def _is_lost(future: Any) -> bool:
    if hasattr(future, "is_lost"):  # Dask's
        return bool(future.is_lost())
    return future.cancelled() or (future.done() and isinstance(future.exception(), LOST))


def _named(error: Exception, called: str) -> Exception:
    """An error that names the unit: poolwise's errors in the message, others in a note."""
    if type(error).__name__ == "KilledWorker":  # Dask has tried several workers already
        return PoolwiseError(
            f"{called or 'a unit of work'}: every worker that did it died; is there enough memory? ({error})"
        )
    if isinstance(error, PoolwiseError):
        return error if called in str(error) else type(error)(f"{called}: {error}")
    error.add_note(f"poolwise: while doing {called}")
    return error
