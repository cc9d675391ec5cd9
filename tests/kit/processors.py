"""Which kernels of matrix products, and loops of numpy's, other processors would have, as far as this one runs them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

NEEDS = {  # kernels of OpenBLAS, and what a processor must have for them
    "Prescott": {"sse3"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
}
PLAIN = "numpy without vector loops"
_CHOSEN = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
_OWN = """
import numpy
from threadpoolctl import threadpool_info
print(*{info.get("architecture") for info in threadpool_info()})
"""
_LOOPS = """
try:
    from numpy._core import _multiarray_umath as core
except ImportError:
    from numpy.core import _multiarray_umath as core
print(*(name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]))
"""


def settings() -> dict[str, dict[str, str]]:
    """Variables of the environment for each that this machine can run."""
    flags = _flags()
    found = {name: {"OPENBLAS_CORETYPE": name} for name, needs in NEEDS.items() if needs <= flags}
    if loops := _said(_LOOPS):
        found[PLAIN] = {"NPY_DISABLE_CPU_FEATURES": loops}
    return found


def own_kernels() -> set[str]:
    """The kernels that OpenBLAS picks here by itself; none where numpy uses another library."""
    return set(_said(_OWN).split()) - {"None"}


def another() -> dict[str, str]:
    """The widest kernel that is not this machine's own; numpy's plain loops where there is none."""
    own, every = own_kernels(), settings()
    alike = own | ({"Haswell", "Zen"} if own & {"Haswell", "Zen"} else set())  # which differ in sizes of blocks alone
    others = [name for name in every if name not in alike and name != PLAIN]
    return every[others[-1]] if others and own else every.get(PLAIN, {})


def _flags() -> set[str]:
    if platform.machine() not in ("x86_64", "AMD64") or not Path("/proc/cpuinfo").exists():
        return set()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    return flags | ({"sse3"} if "pni" in flags else set())


def _said(program: str) -> str:
    free = {
        name: value
        for name, value in os.environ.items()
        if name not in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
    }
    done = subprocess.run([sys.executable, "-c", program], env=free, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":  # for the shell: the variables of `another`, or with --all the names and variables of all
    shown = settings() if "--all" in sys.argv else {"": another()}
    for title, chosen in shown.items():
        print(*([title] if title else []), *(f"{name}={value}" for name, value in chosen.items()), sep="\t")
