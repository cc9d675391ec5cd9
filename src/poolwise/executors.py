"""Work that splits into independent units: over threads, processes, Dask or MPI, with the same results.

`run_units` calls a function once per unit with what all units share. The shared part reaches each worker once, not
with every unit: threads see the object itself, Dask holds it on its workers, processes and MPI read it from a
temporary file (and get it sent where they cannot see that file). Results come in the order of the units. A unit that
is lost because its worker died is done again; a unit that fails is an error that names it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sized
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice

from poolwise.errors import ArgumentError, PoolwiseError
from poolwise.extras import load
from poolwise.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

PATIENCE = 2.0  # seconds to wait for Dask before asking whether a wait makes sense
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
    with their results.

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
    finally:
        engine.close()


@contextmanager
def connect(address: str | None, threads: int | None = None) -> Iterator[Executor | None]:
    """Open an executor on the Dask cluster at an address, or on one of this machine for `local`; None for None."""
    if address is None:
        yield None
        return
    distributed = load("distributed", "cluster")
    cluster = None
    try:
        if address != "local":
            load("distributed.comm", "cluster").resolve_address(address)  # a client would try for long
        else:
            workers = thread_count(threads)
            quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": 60}  # what matters comes back as an error
            cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, **quiet)
        client = distributed.Client(cluster or address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ArgumentError(
            f"no Dask scheduler answers at {address!r} ({error}); start it or check the address"
        ) from error
    try:
        _check_versions(client)
        yield client.get_executor()
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


# ---- One loop for all engines --------------------------------------------------------------------------------------


def _results(engine: _Engine, units: Iterator[Any], called: Callable[[Any], str]) -> Iterator[Any]:
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


def _result(engine: _Engine, unit: Any, future: Future[Any], called: str) -> tuple[Any, bool]:
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
            if not isinstance(result, _Lacking):
                return result, lost > 0
            future = engine.submit(unit, complete=True)


def _is_lost(future: Future[Any]) -> bool:
    if isinstance(future, _DaskFuture):
        return future.is_lost()
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


# ---- Engines: how a unit gets to a worker --------------------------------------------------------------------------


class _Engine:
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

    def close(self) -> None:
        """Give back what the engine took."""


class _Here(_Engine):
    """No executor: threads of its own, or with one thread none at all."""

    def __init__(self, threads: int, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self.own = ThreadPoolExecutor(threads) if threads > 1 else None
        super().__init__(self.own or Executor(), function, shared)
        self.window = 2 * threads if self.own else 1

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        if self.own:
            return super().submit(unit)
        future: Future[Any] = Future()
        try:
            future.set_result(self.function(self.shared, unit))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        if self.own:
            self.own.shutdown(cancel_futures=True)


class _Dask(_Engine):
    """A Dask cluster: it holds the shared part on its workers and does again what died with one of them."""

    def __init__(self, executor: Any, function: Callable[[Any, Any], Any], shared: Any) -> None:
        super().__init__(executor, function, shared)
        self.client = executor._client
        self.settings = {**getattr(executor, "_kwargs", {}), "pure": False}
        self.pending: list[_DaskFuture] = []
        self.held: Any = None
        self.renew()

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        # Not through the executor: its futures never end when their task is cancelled.
        future = _DaskFuture(self, self.client.submit(self.function, self.held, unit, **self.settings))
        self.pending.append(future)
        return future

    def fetch(self, wanted: _DaskFuture) -> None:
        """Wait for a unit, and bring its result in one message with those of all others that are done."""
        self._patiently(wanted.task.exception)
        if wanted.task.status in ("error", "cancelled"):
            wanted.task.result()  # raises
        others = [each for each in self.pending if each is not wanted and each.task.status == "finished"]
        try:
            self._bring([wanted, *others])
        except CancelledError:  # of whichever; the others are asked for in their turn
            self._bring([wanted])

    def _bring(self, done: list[_DaskFuture]) -> None:
        tasks = [each.task for each in done]
        results = self._patiently(
            lambda timeout: self.client.sync(self.client._gather, tasks, callback_timeout=timeout)
        )
        for future, result in zip(done, results, strict=True):
            future.set_result(result)
        self.pending = [each for each in self.pending if each not in done]

    def _patiently(self, call: Callable[..., Any]) -> Any:
        """Wait as long as it takes, unless what units share is gone with its workers, which Dask does not tell."""
        patience = PATIENCE
        while True:
            try:
                return call(timeout=patience)
            except TimeoutError:
                if not any(self.client.who_has([self.held]).values()):
                    raise CancelledError("no worker holds what units share") from None
                patience *= 2

    def renew(self) -> None:
        if self.client.status != "running":
            raise PoolwiseError("the Dask scheduler is gone; start it again")
        self.pending = []
        for left in reversed(range(ATTEMPTS)):
            try:
                # Clusters that grow on demand have no worker before there is a task.
                self.client.submit(_nothing, pure=False).result()
                self.held = self.client.scatter([self.shared], broadcast=True, hash=False)[0]
                break
            except Exception:  # Dask raises whatever, when a worker dies meanwhile
                if not left:
                    raise
        self.window = max(64, 4 * sum(self.client.nthreads().values()))

    def close(self) -> None:
        self.held.release()


class _DaskFuture(Future):  # type: ignore[type-arg]
    """A task of Dask, whose result is brought when it is asked for."""

    def __init__(self, engine: _Dask, task: Any) -> None:
        super().__init__()
        self.engine, self.task, self.held = engine, task, engine.held

    def result(self, timeout: float | None = None) -> Any:
        """The result, once the task is done."""
        if not self.done():
            self.engine.fetch(self)
        return super().result()

    def is_lost(self) -> bool:
        """Whether Dask gave the task up, or what it shares was lost before it was done."""
        if self.done() or self.task.status in ("finished", "error"):
            return False
        return self.task.status != "pending" or self.held is not self.engine.held

    def cancel(self) -> bool:
        """Tell Dask that nobody waits for it."""
        self.task.release()
        return super().cancel()


class _Apart(_Engine):
    """Workers with memory of their own: processes, MPI. Units carry a ticket for the shared part."""

    def __init__(self, executor: Executor, function: Callable[[Any, Any], Any], shared: Any) -> None:
        import os
        import pickle
        from hashlib import sha256
        from tempfile import mkstemp

        super().__init__(executor, function, shared)
        self.own: Executor | None = None
        self.data = pickle.dumps(shared, protocol=5)
        self.key = sha256(self.data).hexdigest()
        descriptor, self.path = mkstemp(prefix="poolwise-", suffix=".shared")
        with os.fdopen(descriptor, "wb") as file:
            file.write(self.data)

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        data = self.data if complete else None
        try:
            return self.executor.submit(_with_ticket, self.function, (self.key, self.path, data), unit)
        except BrokenExecutor as error:  # the pool broke since; the loop sees to it
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def renew(self) -> None:
        """Processes of a broken pool are gone; a pool like it takes its place."""
        broken: Any = self.executor
        if not isinstance(broken, ProcessPoolExecutor):
            super().renew()
        if self.own:
            self.own.shutdown()
        self.executor = self.own = ProcessPoolExecutor(
            broken._max_workers, broken._mp_context, broken._initializer, broken._initargs
        )

    def close(self) -> None:
        import os

        if self.own:
            self.own.shutdown(cancel_futures=True)
        os.remove(self.path)


class _Lacking:
    """What a worker returns that cannot read the shared part: it needs it sent."""


_kept: dict[str, Any] = {}  # the shared parts that this worker used last
KEPT = 2


def _with_ticket(function: Callable[[Any, Any], Any], ticket: tuple[str, str, bytes | None], unit: Any) -> Any:
    """Do a unit on a worker that keeps the shared part since the first unit that needed it."""
    import pickle

    key, path, data = ticket
    if key not in _kept:
        if data is None:
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except OSError:
                return _Lacking()
        while len(_kept) >= KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = pickle.loads(data)
    return function(_kept[key], unit)


def _engine(executor: Any, threads: int | None, function: Callable[[Any, Any], Any], shared: Any) -> _Engine:
    if executor is None:
        return _Here(thread_count(threads), function, shared)
    if hasattr(executor, "get_executor"):  # a Dask client
        executor = executor.get_executor()
    if not callable(getattr(executor, "submit", None)):
        raise ArgumentError(
            f"executor={executor!r} cannot do work; give a concurrent.futures.Executor or a Dask client"
        )
    if isinstance(executor, ThreadPoolExecutor):
        return _Engine(executor, function, shared)
    return (_Dask if hasattr(executor, "_client") else _Apart)(executor, function, shared)


def _nothing() -> None:
    """A task that shows that there is a worker."""


def _version() -> str:
    from poolwise import __version__

    return __version__


def _check_versions(client: Any) -> None:
    """Refuse workers that lack poolwise or have another version of it."""
    try:
        found = client.run(_version)
    except ImportError as error:
        raise ArgumentError(f"a Dask worker cannot import poolwise ({error}); install it there too") from error
    for worker, version in found.items():
        if version != _version():
            raise ArgumentError(f"Dask worker {worker} has poolwise {version}, here is {_version()}; install the same")
