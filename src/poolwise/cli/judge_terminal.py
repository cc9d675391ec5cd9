"""`poolwise judge --terminal`: keys and lines from a terminal in which every press counts at once."""

from __future__ import annotations

import os
import re
import sys
from contextlib import nullcontext, suppress

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from poolwise.judging.live_numbers import NumbersAside
    from poolwise.judging.session import Room, Wishes

# What a terminal sends for keys that are no characters.
NAMES = {
    "\x1b[D": "left",
    "\x1b[C": "right",
    "\x1bOD": "left",
    "\x1bOC": "right",
    "\x7f": "backspace",
    "\x08": "backspace",
}


def judge_here(wishes: Wishes) -> int:
    """Judge until the keys or the work end, then write the judged file."""
    from poolwise.basics.results import warn_of
    from poolwise.cli.output import progress
    from poolwise.judging.judged_outputs import Outputs, written_at_last
    from poolwise.judging.session import as_last_time, command_of_last_time, notes, open_room, outputs_of
    from poolwise.judging.terminal_twin import TerminalTwin

    given, (wishes, _) = wishes, as_last_time(wishes)
    warn_of(command_of_last_time(given, wishes))
    if len(wishes.assessors) > 1:
        raise ArgumentError("one assessor sits at a terminal; name yourself with --assessors NAME")
    with progress("reading documents") as advance:
        room = open_room(wishes, advance)
    files = Outputs(outputs_of(wishes), room.judging.work, room.judging.store.events, wishes.overwrite)
    files.check()
    judging, name = room.judging, wishes.assessors[0] if wishes.assessors else _user()
    if judging.settle is None and not wishes.assessors:
        judging.join(name)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    said = "\n".join(f"note: {words}" for words in notes(room))
    try:
        with suppress(KeyboardInterrupt), Keyboard() as keyboard, _numbers(room, wishes) as numbers:
            TerminalTwin(room, name, keyboard.keys(), keyboard.line, sys.stdout, colour, numbers, said).run()
    finally:
        unwritten = written_at_last(files.write, judging, wishes.plan)
        judging.store.close()
        if unwritten is not None:
            raise unwritten
    print(f"{judging.all_done} of {len(judging.items)} documents judged; {', '.join(files.paths)} written")
    return 0


def _numbers(room: Room, wishes: Wishes) -> AbstractContextManager[NumbersAside | None]:
    if not room.scores:
        return nullcontext()
    from poolwise.judging.live_numbers import NumbersAside, live_numbers

    return NumbersAside(live_numbers(room.judging, wishes))


class Keyboard:
    """Keys, one at a time, and lines of text when asked for; from a pipe, one character at a time."""

    def __init__(self) -> None:
        self._usual: Any = None

    def __enter__(self) -> Keyboard:
        if sys.stdin.isatty():
            import termios

            self._usual = termios.tcgetattr(sys.stdin)
            self._each_key()
        return self

    def __exit__(self, *_: object) -> None:
        self._as_usual()

    def keys(self) -> Iterator[str]:
        """What is pressed."""
        if self._usual is None:
            while sign := sys.stdin.read(1):
                if sign != "\n":
                    yield NAMES.get(sign, sign)
            return
        while pressed := os.read(sys.stdin.fileno(), 16).decode("utf-8", "replace"):
            if pressed == "\x04":
                return
            # Several keys may come at once, from a quick hand or over a slow line.
            for key in re.findall(r"\x1b[\[O].|.", pressed, re.DOTALL):
                yield NAMES.get(key, key)

    def line(self, question: str) -> str:
        """A line of text, written as usual."""
        self._as_usual()
        sys.stdout.write(question)
        sys.stdout.flush()
        try:
            return sys.stdin.readline().strip()
        finally:
            self._each_key()

    def _each_key(self) -> None:
        if self._usual is not None:
            import termios
            import tty

            tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # what was typed ahead stays

    def _as_usual(self) -> None:
        if self._usual is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._usual)


def _user() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError):
        return "me"
