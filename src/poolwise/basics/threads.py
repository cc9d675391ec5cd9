"""How many threads to use."""

from __future__ import annotations

import os

from poolwise.basics.settings import whole


def thread_count(threads: int | None = None) -> int:
    """Return the number asked for, else POOLWISE_THREADS, else every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads is None:
        text = os.environ.get("POOLWISE_THREADS", "")
        if not text:
            return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return whole("POOLWISE_THREADS", int(text) if text.isdecimal() else text, 1)
    return whole("threads", threads, 1)
