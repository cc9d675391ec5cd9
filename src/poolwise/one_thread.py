"""Matrix products on one thread each, while our own threads share out the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any


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
