"""Studies are functions of `poolwise.study`, whatever was imported before and in whatever order."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_importing_modules_does_not_hide_the_functions():
    script = (
        "from poolwise import study\n"
        "from poolwise.lab.study import STUDIES\n"
        "assert set(study.__all__) <= set(dir(study))\n"
        "for name in (each.replace('-', '_') for each in STUDIES):\n"
        "    __import__(f'poolwise.lab.study.{name}_study')\n"
        "    assert type(getattr(study, name)).__name__ == 'function', name\n"
        "from poolwise.lab.study.negative_study import negative\n"
        "assert study.negative is negative\n"
    )
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
