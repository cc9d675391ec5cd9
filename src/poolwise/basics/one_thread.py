"""Matrix products on one thread each, while our own threads share out the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import OpenBLASController, threadpool_limits


@contextmanager
def one_thread_products() -> Iterator[None]:
    """Hold matrix products to one thread each, whichever library does them, while our own threads share out the work.

    Threads of that library wait for each other by spinning; called from several of ours at once, on cores that others
    use too, products of small matrices take ten times as long.
    """
    with _lock:
        if not _held:
            _limits.append(threadpool_limits(limits=1, user_api="blas"))
            _let_others_set()
        _held.append(None)
    try:
        yield
    finally:
        with _lock:
            _held.pop()
            if not _held:
                _limits.pop().restore_original_limits()
                _let_others_set()


# One setting for the whole process, however often it is held: the last to leave restores what the first one found.
_lock, _held, _limits = Lock(), list[None](), list[threadpool_limits]()


def _let_others_set() -> None:
    """From threadpoolctl 3.7 on, only the thread that set the number may set it again; ours may end in any order."""
    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread()
