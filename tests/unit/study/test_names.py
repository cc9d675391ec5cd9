"""A study's function and its module share a name; the function must win, in whatever order they are imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from poolwise.study import STUDIES


@pytest.mark.parametrize("name", [name.replace("-", "_") for name in STUDIES])
def test_importing_the_module_does_not_hide_the_function(name):
    script = (
        f"import poolwise.study.{name}\n"
        "from poolwise import study\n"
        "assert all(type(getattr(study, other)).__name__ == 'function' for other in study.__all__), study.__all__\n"
        f"from poolwise.study.{name} import {name}\n"
        f"assert study.{name} is {name}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
