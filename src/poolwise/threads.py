"""How many threads to use."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import Lock

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def thread_count(threads: int | None = None) -> int:
    """Return the number asked for, else POOLWISE_THREADS, else every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads is None:
        text = os.environ.get("POOLWISE_THREADS", "")
        if not text:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if not text.isdigit() or int(text) < 1:
            raise ArgumentError(f"POOLWISE_THREADS={text!r} must be a whole number of at least 1")
        return int(text)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ArgumentError(f"threads={threads!r} must be a whole number of at least 1")
    return threads


@contextmanager
def one_thread_products() -> Iterator[None]:
    """Hold numpy's matrix products to one thread each while our own threads share out the work.

    Threads of the library under numpy wait for each other by spinning; called from several of ours at once, on cores
    that others use too, products of small matrices take ten times as long. Where that library offers no such setting,
    nothing happens.
    """
    set_number, get_number = _product_threads()
    with _lock:
        if not _held:
            _before.append(get_number())
            set_number(1)
        _held.append(None)
    try:
        yield
    finally:
        with _lock:
            _held.pop()
            if not _held:
                set_number(_before.pop())


_lock, _held, _before = Lock(), list[None](), list[int]()  # one setting for the whole process, however often it is held


def _product_threads() -> tuple[Any, Any]:
    """The functions of OpenBLAS that set and tell its number of threads, under the names builds of numpy give them."""
    import ctypes

    from numpy.linalg import _umath_linalg

    try:
        library = ctypes.CDLL(_umath_linalg.__file__)  # symbols of what it is linked to are found too
    except OSError:
        return lambda number: None, lambda: 1
    for name in ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads"):
        if hasattr(library, name.format("set")):
            return getattr(library, name.format("set")), getattr(library, name.format("get"))
    return lambda number: None, lambda: 1
