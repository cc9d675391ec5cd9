"""Run the code blocks of a page, and write what they print into it.

    python docs/blocks.py docs/tutorial.md

A `python` block holds >>> lines, a `console` block $ lines; each page runs in an empty folder of its own, block
after block. `...` in what a page shows stands for anything. The tests run every page and compare.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = ("poolwise", "head")
OPTIONS = doctest.ELLIPSIS
Command = Callable[[list[str]], str]


class Step(NamedTuple):
    """One command or statement of a page: its source as shown, what the page says it prints, what it printed."""

    source: str
    expected: str
    printed: str

    @property
    def holds(self) -> bool:
        return doctest.OutputChecker().check_output(self.expected, self.printed, OPTIONS)


class Recorder(doctest.DocTestRunner):
    """Keeps what each example prints."""

    def __init__(self) -> None:
        super().__init__(optionflags=OPTIONS)
        self.steps: list[Step] = []

    def report_start(self, out: Any, test: Any, example: doctest.Example) -> None:
        pass

    def report_success(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self.steps.append(Step(_shown(example), example.want, got if example.exc_msg is None else example.want))

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self.steps.append(Step(_shown(example), example.want, got))

    def report_unexpected_exception(self, out: Any, test: Any, example: doctest.Example, exc_info: Any) -> None:
        got = f"Traceback (most recent call last):\n    ...\n{exc_info[0].__name__}: {exc_info[1]}\n"
        self.steps.append(Step(_shown(example), example.want, got))


def in_own_process(words: list[str]) -> str:
    """What `poolwise` prints, or what it says when it fails."""
    command = [sys.executable, "-m", "poolwise", *words]
    finished = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    return finished.stdout if finished.returncode == 0 else finished.stderr


def run(text: str, folder: Path, poolwise: Command = in_own_process) -> Iterator[tuple[str, list[Step]]]:
    """The kind and the steps of each python and console block of a page, run in a folder."""
    names: dict[str, Any] = {}
    before = os.getcwd()
    os.chdir(folder)
    try:
        for kind, block in FENCE.findall(text):
            if kind == "console":
                yield kind, list(_run_console(block, poolwise))
            elif kind == "python":
                yield kind, _run_python(block, names)
    finally:
        os.chdir(before)


def filled(text: str) -> str:
    """The page with what its blocks print; what holds already stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        ran = iter(list(run(text, Path(folder))))

    def block(match: re.Match[str]) -> str:
        if match[1] not in ("python", "console"):
            return match[0]
        kind, steps = next(ran)
        parts = (step.source + (step.expected if step.holds else step.printed) for step in steps)
        return f"```{kind}\n{''.join(parts)}```"

    return FENCE.sub(block, text)


def _run_python(block: str, names: dict[str, Any]) -> list[Step]:
    test = doctest.DocTestParser().get_doctest(block, names, "page", None, 0)
    recorder = Recorder()
    recorder.run(test, out=lambda text: None, clear_globs=False)
    names.update(test.globs)
    return recorder.steps


def _run_console(block: str, poolwise: Command) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        if words[0] not in COMMANDS:
            raise ValueError(f"{command}: only {' and '.join(COMMANDS)} run in a console block")
        if words[0] == "poolwise":
            shown = poolwise(words[1:])
        else:
            shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        yield Step(f"$ {command}\n", expected, shown)


def _shown(example: doctest.Example) -> str:
    first, *more = example.source.splitlines()
    return "".join([f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more)])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
