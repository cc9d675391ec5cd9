"""`poolwise` as users call it: here, where starting Python is not what is tested, or in a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolwise.cli.main import main
from poolwise.measures.registry import DEFINITIONS, REGISTRY, declare_all


@dataclass(frozen=True)
class Finished:
    """What a command did."""

    code: int
    out: str
    err: str


def in_own_process(
    words: Sequence[object], folder: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Finished:
    """Run the command as a shell does."""
    command = [sys.executable, "-m", "poolwise", *map(str, words)]
    ran = subprocess.run(command, input=stdin, capture_output=True, cwd=folder, env={**os.environ, **(env or {})})
    return Finished(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def here(words: Sequence[object], folder: Path) -> Finished:
    """Run the command in this process, a third of a second sooner; an error that it does not expect is raised.

    Warnings that are not ours are errors, as in all tests, where a process would print them.
    """
    out, err = _stream("stdout"), _stream("stderr")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), _as_new(words):
        code = main(list(map(str, words)))
    return Finished(code, _written(out), _written(err))


@contextmanager
def _as_new(words: Sequence[object]) -> Iterator[None]:
    """What a process of its own would begin with, and take with it at its end: measures of users are of neither."""
    declare_all()  # once and for all: what is declared in between would be forgotten
    kept = sys.argv, sys.stdin, dict(REGISTRY), dict(DEFINITIONS)
    sys.argv, sys.stdin = ["poolwise", *map(str, words)], io.TextIOWrapper(io.BytesIO())
    _refill(REGISTRY, {name: each for name, each in REGISTRY.items() if each.function is None})
    _refill(DEFINITIONS, {})
    try:
        with warnings.catch_warnings():
            yield
    finally:
        sys.argv, sys.stdin = kept[:2]
        _refill(REGISTRY, kept[2])
        _refill(DEFINITIONS, kept[3])


def _refill(table: dict[str, Any], content: dict[str, Any]) -> None:
    table.clear()
    table.update(content)


def _stream(name: str) -> io.TextIOWrapper:
    """A file in memory that takes the signs which Python's own stream of that name takes."""
    return io.TextIOWrapper(io.BytesIO(), "utf-8", getattr(sys, f"__{name}__").errors)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()
