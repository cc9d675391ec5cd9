"""One loop for all engines: units go out, results come back in order, and what is lost is done again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sized
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from itertools import islice

from poolwise.basics.engines import Apart, Engine, Here, Lacking, Threads
from poolwise.basics.threads import thread_count
from poolwise.errors import ArgumentError, PoolwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from typing import Any

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
