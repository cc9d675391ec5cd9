"""One BLAS thread for each of poolwise's threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import OpenBLASController, threadpool_limits


@contextmanager
def one_thread_products() -> Iterator[None]:
    """Limit the BLAS library to one thread while poolwise's threads share the work.

    BLAS threads wait for each other by spinning. Called from several threads at once, on cores that other programs use
    too, products of small matrices take ten times as long.
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


# The limit is one setting of the process: the first to enter saves the old value, the last to leave restores it.
_lock, _held, _limits = Lock(), list[None](), list[threadpool_limits]()


def _let_others_set() -> None:
    """Let any thread restore the limit: since threadpoolctl 3.7 only the thread that set it may do so."""
    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread()
