"""A command in a forked child: what it ended with, and what it said; nothing of it stays in this process."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 10
MEMORY = 4 << 30
ESCAPED = 99  # the exit code of a child that an exception left


def _addresses() -> int:
    """Bytes of addresses that this process has already: a worker of the tests has loaded much before it forks."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[0]) * resource.getpagesize() if status.exists() else 0


@dataclass(frozen=True)
class Ended:
    """The exit code, or the number of the signal below 0; and standard error."""

    code: int
    said: str

    @property
    def is_right(self) -> bool:
        """Whether it went well or was refused in words."""
        return self.code in (0, 1, 2, 3) and "Traceback" not in self.said


def run(words: list[str], folder: Path) -> Ended:
    """Run a command in a folder."""
    log = folder / ".said"
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this process has threads
        child = os.fork()
    if child == 0:
        _be_the_command(words, folder, log)
    _, status = os.waitpid(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), log.read_text(errors="replace"))


def _be_the_command(words: list[str], folder: Path, log: Path) -> None:
    code = ESCAPED
    try:
        os.chdir(folder)
        nothing, said = os.open(os.devnull, os.O_RDWR), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for ours, theirs in ((nothing, 0), (nothing, 1), (said, 2)):
            os.dup2(ours, theirs)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, 2 * (_addresses() + MEMORY,))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False, errors="surrogateescape"))  # noqa: SIM115
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        from poolwise.cli.main import main

        if words[0] == "judge":
            _serve_no_longer_than_it_takes_to_begin()
        code = main(words)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stderr.flush()
        finally:
            os._exit(code)


def _serve_no_longer_than_it_takes_to_begin() -> None:
    from poolwise.judging.server import JudgingServer

    serve = JudgingServer.serve

    def begin_and_end(server: JudgingServer) -> None:
        server.end()
        serve(server)

    JudgingServer.serve = begin_and_end


def fresh_copy(folder: Path, target: Path) -> Path:
    """A copy of a folder of files."""
    shutil.copytree(folder, target)
    return target
