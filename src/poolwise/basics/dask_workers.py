"""Dask as an engine: the shared part is scattered to the workers, and units of a lost worker are repeated."""

from __future__ import annotations

from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager

from poolwise.basics.extras import load
from poolwise.basics.settings import thread_count
from poolwise.basics.workers import Engine, ignore_interrupts
from poolwise.errors import ArgumentError, InputError, PoolwiseError, PoolwiseWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

PATIENCE = 2.0  # seconds to wait for Dask before checking that the shared part still exists; doubled each time
ANSWER = 5.0  # seconds within which a scheduler must send its greeting; one on the same network takes milliseconds
GREETING = 1 << 20  # bytes: upper bound of a scheduler's greeting, which has some hundred
# Dask's workers return free memory to the system after every task. Units allocate the same large arrays again and
# again, which took a fifth of the processor time of a study. These are the limits of an ordinary process.
KEEP_MEMORY = {
    f"distributed.nanny.pre-spawn-environ.{name}": value
    for name, value in (("MALLOC_TRIM_THRESHOLD_", 1 << 30), ("MALLOC_MMAP_THRESHOLD_", 1 << 25))
}
# Settings of Dask's dashboard, which is not shown here: by default it samples every worker's stack every 10 ms.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.memory.monitor-interval": "1s",
}
ATTEMPTS = 3  # chosen by hand: times that the shared part may be lost while it is scattered


@contextmanager
def connect(address: str | None, threads: int | None = None) -> Iterator[Executor | None]:
    """Open an executor on the Dask cluster at an address, or on one of this machine for `local`. None for None."""
    if address is None:
        yield None
        return
    distributed = load("distributed", "cluster")
    cluster = None
    try:
        if address != "local":
            _check_greeting(load("distributed.comm", "cluster").resolve_address(address))
        else:
            workers = thread_count(threads)
            quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": 60}  # errors reach the caller anyway
            with load("dask.config", "cluster").set({**KEEP_MEMORY, **UNWATCHED}):
                cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, **quiet)
        # Workers of this machine can be reached; those of others perhaps by their scheduler alone.
        direct = {"direct_to_workers": True} if cluster else {}
        client = distributed.Client(cluster or address, timeout="10s", set_as_default=False, **direct)
    except (OSError, ValueError, TimeoutError) as error:
        raise ArgumentError(
            f"no Dask scheduler answers at {address!r} ({error}); start it or check the address"
        ) from error
    try:
        _check_versions(client)
        if cluster is not None:
            client.run(ignore_interrupts)
        yield client.get_executor()
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _check_greeting(address: str) -> None:
    """Refuse a port at which another program listens. A client would wait, or read its answer as message sizes.

    A scheduler sends first: the size of its greeting, as a 64-bit integer. Web servers, such as Dask's dashboard, wait
    for a request.
    """
    import socket

    scheme, _, host_and_port = address.rpartition("://")
    if scheme not in ("", "tcp"):
        return
    host, port = load("distributed.comm.addressing", "cluster").parse_host_port(host_and_port)
    with socket.create_connection((host, port), timeout=ANSWER) as connection:
        try:
            size = int.from_bytes(connection.recv(8, socket.MSG_WAITALL), "little")
        except TimeoutError:
            size = 0
    if not 0 < size <= GREETING:
        raise ValueError("what listens there is no scheduler; is it the port of the dashboard?")


class Dask(Engine):
    """Engine for a Dask cluster, from the executor of a client."""

    def __init__(self, executor: Any, function: Callable[[Any, Any], Any], shared: Any) -> None:
        super().__init__(executor, function, shared)
        self.client = executor._client
        self.settings = {**getattr(executor, "_kwargs", {}), "pure": False}
        self.pending: list[DaskFuture] = []
        self.held: Any = None
        self.renew()

    def submit(self, unit: Any, complete: bool = False) -> Future[Any]:
        """Hand a unit to the cluster."""
        # Not through the executor: its futures never end when their task is cancelled.
        task = self.client.submit(_same_version, _version(), self.function, self.held, unit, **self.settings)
        future = DaskFuture(self, task)
        self.pending.append(future)
        return future

    def fetch(self, wanted: DaskFuture) -> None:
        """Wait for a unit and gather its result, with the results of all other finished units, in one message."""
        self._patiently(wanted.task.exception)
        if wanted.task.status in ("error", "cancelled"):
            wanted.task.result()  # raises
        others = [each for each in self.pending if each is not wanted and each.task.status == "finished"]
        try:
            self._bring([wanted, *others])
        except CancelledError:  # of any of them; the others are fetched later
            self._bring([wanted])

    def _bring(self, done: list[DaskFuture]) -> None:
        tasks = [each.task for each in done]
        results = self._patiently(
            lambda timeout: self.client.sync(self.client._gather, tasks, callback_timeout=timeout)
        )
        for future, result in zip(done, results, strict=True):
            future.set_result(result)
        self.pending = [each for each in self.pending if each not in done]

    def _patiently(self, call: Callable[..., Any]) -> Any:
        """Wait without a limit, unless the shared part was lost with its workers. Dask does not report that."""
        patience = PATIENCE
        while True:
            try:
                return call(timeout=patience)
            except TimeoutError:
                if not any(self.client.who_has([self.held]).values()):
                    raise CancelledError("no worker holds what units share") from None
                patience *= 2

    def renew(self) -> None:
        """Scatter the shared part. Repeat if workers died with it."""
        if self.client.status != "running":
            raise PoolwiseError("the Dask scheduler is gone; start it again")
        self.pending = []
        for left in reversed(range(ATTEMPTS)):
            try:
                self._await_worker()
                self.held = self.client.scatter([self.shared], broadcast=True, hash=False)[0]
                break
            except PoolwiseError:
                raise
            except Exception:  # Dask raises whatever, when a worker dies meanwhile
                if not left:
                    raise
        self.window = max(64, 4 * sum(self.client.nthreads().values()))

    def _await_worker(self) -> None:
        """Wait for a worker, with a warning: clusters that grow on demand have none before the first task."""
        task = self.client.submit(_nothing, pure=False)
        warned = False
        while True:
            try:
                return task.result(timeout=PATIENCE)
            except TimeoutError:
                if self.client.status != "running":
                    raise PoolwiseError("the Dask scheduler is gone; start it again") from None
                if not warned and not self.client.nthreads():
                    from warnings import warn

                    warn("the Dask cluster has no worker; waiting for one", PoolwiseWarning, stacklevel=2)
                    warned = True

    def close(self) -> None:
        """Release the shared part."""
        if self.held is not None:
            self.held.release()


class DaskFuture(Future):  # type: ignore[type-arg]
    """A Dask task whose result is fetched on first use."""

    def __init__(self, engine: Dask, task: Any) -> None:
        super().__init__()
        self.engine, self.task, self.held = engine, task, engine.held

    def result(self, timeout: float | None = None) -> Any:
        """The result, once the task is done."""
        if not self.done():
            self.engine.fetch(self)
        return super().result()

    def is_lost(self) -> bool:
        """Whether Dask cancelled the task, or its shared part was lost before it finished."""
        if self.done() or self.task.status in ("finished", "error"):
            return False
        return self.task.status != "pending" or self.held is not self.engine.held

    def cancel(self) -> bool:
        """Release the task."""
        self.task.release()
        return super().cancel()


def _nothing() -> None:
    """An empty task: it finishes when there is a worker."""


def _version() -> str:
    from poolwise import __version__

    return __version__


def _same_version(version: str, function: Callable[[Any, Any], Any], shared: Any, unit: Any) -> Any:
    """Do a unit, unless this worker has another version of poolwise: workers may join after the first check."""
    if version != _version():
        raise ArgumentError(f"a Dask worker has poolwise {_version()}, here is {version}; install the same")
    return function(shared, unit)


def _check_versions(client: Any) -> None:
    """Refuse workers that lack poolwise or have another version of it."""
    try:
        versions = client.run(_version)
    except OSError as error:
        raise InputError(f"the Dask scheduler is gone ({error}); start it again and give its address") from error
    except Exception as error:  # what a worker cannot unpickle comes back as a plain Exception
        raise ArgumentError(f"a Dask worker cannot import poolwise ({error}); install it there too") from error
    for worker, version in versions.items():
        if version != _version():
            raise ArgumentError(f"Dask worker {worker} has poolwise {version}, here is {_version()}; install the same")
