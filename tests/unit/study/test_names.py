"""A study's function and its module share a name; the function must win, in whatever order they are imported."""

from __future__ import annotations

import subprocess
import sys


def test_importing_modules_does_not_hide_the_functions():
    script = (
        "from poolwise import study\n"
        "for name in reversed(study.__all__):\n"
        "    __import__(f'poolwise.study.{name}')\n"
        "    assert type(getattr(study, name)).__name__ == 'function', name\n"
        "from poolwise.study.negative import negative\n"
        "assert study.negative is negative\n"
    )
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
