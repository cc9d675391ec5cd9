"""The same work at a terminal, for those who sit at another machine: the same keys, the same file of events."""

from __future__ import annotations

import shutil
import textwrap
from time import monotonic

from poolwise.judging.events import new_id
from poolwise.judging.numbers_in_words import in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from poolwise.judging.live_numbers import NumbersAside
    from poolwise.judging.session import Room
    from poolwise.judging.sharing import Entry
    from poolwise.plans.judging_order import Item

WIDEST = 80
CLEAR = "\033[2J\033[H"
HELP = """\
A grade's key labels, saves and moves on; with s before it, the label is marked as not sure.
u or Backspace  undo, again and again      left, right  look at the documents before and after
l  later                                   c  cannot judge
n  note on the document                    r  how you read the topic
space, b  further down, back up            h  mark the topic's words
g  guidelines                              v  show or hide how precise estimates are
e  show or hide the values of runs, which is recorded
?  this list                               q  end; everything is saved"""


class TerminalTwin:
    """One assessor at a terminal. `keys` gives what is pressed, `line` asks for a line of text.

    Estimates (`numbers`) are those that are there when a key is pressed: none is waited for. `said` is what to know
    before judging, on the screen until the first key.
    """

    def __init__(
        self,
        room: Room,
        name: str,
        keys: Iterator[str],
        line: Callable[[str], str],
        screen: TextIO,
        colour: bool = True,
        numbers: NumbersAside | None = None,
        said: str = "",
    ) -> None:
        self._room, self._judging, self._name = room, room.judging, name
        self._keys, self._line, self._screen, self._colour = keys, line, screen, colour
        self._clear = CLEAR if screen.isatty() else ""  # a pipe shows one screen after the other
        self._unsure = self._marked = False
        self._numbers, self._shows_numbers = numbers, True
        self._top = 0
        self._entry: Entry | None = None
        self._since = monotonic()
        self._said = said
        self._grades = {key: grade.label for grade in self._judging.scale for key in grade.keys}

    def run(self) -> None:
        """Show and ask, until the work or the keys end."""
        self._go(self._next())
        self._show()
        for key in self._keys:
            if key == "q":
                break
            self._press(key)
            self._show()
        self._write("\n")

    # ---- What a key does -------------------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        self._said = ""
        if key in self._grades:
            self._answer("label", label=self._grades[key], unsure=self._unsure)
            return
        acts: dict[str, Callable[[], None]] = {
            "u": self._undo,
            "backspace": self._undo,
            "l": lambda: self._answer("later"),
            "c": lambda: self._answer("cannot"),
            "left": lambda: self._browse(-1),
            "right": lambda: self._browse(1),
            "n": self._note,
            "r": self._reading,
            "e": lambda: self._values(),
            "g": lambda: self._page(self._room.guidelines or "There are no guidelines."),
            "?": lambda: self._page(HELP),
            " ": lambda: self._scroll(1),
            "b": lambda: self._scroll(-1),
        }
        if key == "s":
            self._unsure = not self._unsure
        elif key == "h":
            self._marked = not self._marked
        elif key == "v":
            self._shows_numbers = not self._shows_numbers
        elif key in acts:
            acts[key]()

    def _send(self, **event: Any) -> bool:
        """Keep an event; says why if it is refused."""
        (said,) = self._judging.record(self._name, [{"id": new_id(), **event}])
        self._said = said.get("refused", "")
        if self._numbers is not None:
            self._numbers.changed()
        return "refused" not in said

    def _answer(self, action: str, **more: Any) -> None:
        if self._entry is None:
            return
        number, again = self._entry
        shown = int(1000 * (monotonic() - self._since))
        before = self._judging.desk(self._name).answer(self._entry)
        replaces = None if before is None else before.id
        if self._send(action=action, item=number, again=again, milliseconds=shown, replaces=replaces, **more):
            self._go(self._next())

    def _undo(self) -> None:
        desk = self._judging.desk(self._name)
        if not desk.history:
            return
        id = desk.history[-1]
        event = self._judging.known(id)
        if event is not None and self._send(action="undo", replaces=id):
            self._go((self._judging.number_of[(event.topic, event.document)], event.again))

    def _note(self) -> None:
        if self._entry is not None:
            self._send(action="note", item=self._entry[0], note=self._line("note: "))

    def _reading(self) -> None:
        if self._entry is not None:
            topic = self._item(self._entry).topic
            self._send(action="reading", topic=topic, note=self._line("how I read this topic: "))

    def _values(self) -> None:
        if self._numbers is not None:
            self._send(action="view", values=not self._judging.desk(self._name).values)

    # ---- Where one is ----------------------------------------------------------------------------------------------

    def _next(self) -> Entry | None:
        """The first document without an answer, then those put off."""
        desk, queue = self._judging.desk(self._name), self._judging.queue(self._name)
        open_ones = (entry for entry in queue if desk.answer(entry) is None)
        put_off = (entry for entry in queue if not desk.done(entry))
        return next(open_ones, next(put_off, None))

    def _go(self, entry: Entry | None) -> None:
        self._entry, self._top, self._unsure, self._since = entry, 0, False, monotonic()

    def _browse(self, step: int) -> None:
        queue = self._judging.queue(self._name)
        place = queue.index(self._entry) + step if self._entry in queue else len(queue) + step
        if 0 <= place < len(queue):
            self._go(queue[place])

    def _scroll(self, step: int) -> None:
        self._top = max(0, self._top + step * max(1, self._height() - 2))

    def _item(self, entry: Entry) -> Item:
        return self._judging.items[entry[0]]

    # ---- What is seen ----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        width = min(WIDEST, shutil.get_terminal_size().columns - 2)
        if self._entry is None:
            done = ["All done. Thank you. u takes the last answer back, q ends.", *self._estimates(width)]
            self._write(self._clear + "\n".join([*done, *filter(None, [self._said])]) + "\n")
            return
        item = self._item(self._entry)
        head = self._head(item, width)
        lines = self._body(item, width)
        room = max(3, self._height() - len(head))
        self._top = min(self._top, max(0, len(lines) - 1))
        seen = lines[self._top : self._top + room]
        more = [self._dim("... space shows more")] if self._top + room < len(lines) else []
        self._write(self._clear + "\n".join([*head, "", *seen, *more, "", *self._foot()]) + "\n")

    def _head(self, item: Item, width: int) -> list[str]:
        progress = self._judging.progress(self._name)
        topic = self._room.topics.get(item.topic)
        lines = [self._dim(f"{progress['done']} of {progress['done'] + progress['left']}"), *self._estimates(width)]
        lines += map(self._bold, textwrap.wrap(_safe(topic.title if topic else item.topic), width))
        for text in (topic.description, topic.narrative) if topic else ():
            lines += textwrap.wrap(_safe(text), width)
        reading = self._judging.desk(self._name).readings.get(item.topic)
        return lines + (textwrap.wrap(_safe(f"I read it as: {reading}"), width) if reading else [])

    def _estimates(self, width: int) -> list[str]:
        if self._numbers is None or not self._shows_numbers:
            return []
        lines = in_words(self._numbers.shown(self._judging.desk(self._name).values))
        return [self._dim(part) for line in lines for part in textwrap.wrap(_safe(line), width, subsequent_indent="  ")]

    def _body(self, item: Item, width: int) -> list[str]:
        document = self._room.documents.get(item.document)
        if document is None:
            return [_safe(item.document), "No text was found for this document."]
        lines = [self._bold(line) for line in textwrap.wrap(_safe(document.title), width)]
        for paragraph in _safe(document.text).split("\n"):
            lines += textwrap.wrap(paragraph, width) or [""]
        topic = self._room.topics.get(item.topic)
        words = {word.lower() for word in topic.title.split() if len(word) > 2} if self._marked and topic else set()
        return [self._with_marks(line, words) for line in lines]

    def _foot(self) -> list[str]:
        desk = self._judging.desk(self._name)
        entry = self._entry or (0, False)
        answer = desk.answer(entry)
        shown = "" if answer is None else f"you said: {answer.action if answer.label is None else answer.label}"
        grades = "   ".join(f"{grade.keys[0]} {grade.name}" for grade in self._judging.scale)
        note = desk.notes.get(entry[0])
        lines = [self._bold(grades), self._dim("u undo  l later  c cannot  n note  s not sure  ? help  q end")]
        told = [shown, "not sure:" if self._unsure else "", f"note: {_safe(note)}" if note else "", self._said]
        return [*lines, *filter(None, told)]

    def _page(self, text: str) -> None:
        self._write(f"{self._clear}{_safe(text)}\n\nany key goes back\n")
        next(self._keys, None)

    def _height(self) -> int:
        return shutil.get_terminal_size().lines - 8

    def _with_marks(self, line: str, words: set[str]) -> str:
        parts = line.split(" ") if words else []
        marked = (self._bold(part) if part.lower().strip(".,;:!?()\"'") in words else part for part in parts)
        return " ".join(marked) if words else line

    def _bold(self, text: str) -> str:
        return f"\033[1m{text}\033[0m" if self._colour else text

    def _dim(self, text: str) -> str:
        return f"\033[2m{text}\033[0m" if self._colour else text

    def _write(self, text: str) -> None:
        self._screen.write(text)
        self._screen.flush()


def _safe(text: str) -> str:
    """Text that cannot command the terminal: control characters but line ends become spaces.

    >>> _safe("a\\x1b[2Jb\\nc")
    'a [2Jb\\nc'
    """
    plain = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in plain)
