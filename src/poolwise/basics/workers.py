"""Engines: how a unit gets to a worker, here or in another process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sized
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from itertools import islice
from queue import Empty, SimpleQueue

from poolwise.basics.threads import thread_count
from poolwise.errors import ArgumentError, PoolwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
    ignore_interrupts()
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


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the process that waits for this one's work.

    A worker that is interrupted while it hands over a result keeps the lock of the queue, and then no worker ever ends.
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


ATTEMPTS = 3  # how often a unit may lose its worker
LOST = (BrokenExecutor, CancelledError)  # what a future raises when its worker died; Dask cancels


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

    `executor` is any `concurrent.futures.Executor` (threads, processes, a Dask client's, MPI's) or a Dask client;
    without one, `threads` threads of this process do the work. Beyond this process, function, `shared`, units and
    results are pickled: the function stands at the top of a module that workers can import. `progress` is called with
    how many units are done and how many there are (0 if `units` is an iterator: it is drawn from as work proceeds),
    `name` says how errors call a unit ("": they name it themselves). A few units per worker are under way at once,
    with their results; when nobody waits for them any more, threads of this process leave them.

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
    """Results in the order of units, a window of which is under way."""
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
                waiting = deque((unit, engine.submit(unit) if _is_lost(given) else given) for unit, given in waiting)
            yield result
    finally:
        for _, future in waiting:
            future.cancel()


def _result(engine: Engine, unit: Any, future: Future[Any], called: str) -> tuple[Any, bool]:
    """A unit's result, and whether its worker was lost on the way."""
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
    """An error that names the unit: ours in its message, others in a note."""
    if type(error).__name__ == "KilledWorker":  # Dask has tried several workers already
        return PoolwiseError(
            f"{called or 'a unit of work'}: every worker that did it died; is there enough memory? ({error})"
        )
    if isinstance(error, PoolwiseError):
        return error if called in str(error) else type(error)(f"{called}: {error}")
    error.add_note(f"poolwise: while doing {called}")
    return error
