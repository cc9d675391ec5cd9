"""How many threads to use."""

from __future__ import annotations

import os

from poolwise.errors import ArgumentError


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
