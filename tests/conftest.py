"""For all tests."""

from __future__ import annotations

import os
import signal
import threading

# ranx, whose objects we read, compiles itself for 20 seconds of two or three calls; it runs as well uncompiled.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# A shell lets what it starts in the background ignore Ctrl+C, and so would all that tests start and stop by it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
