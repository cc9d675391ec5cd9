"""Grades: which labels may be given, how they are called, and by which key."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.text_files import file_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Scale = tuple["Grade", ...]

# What grades are called when nobody says otherwise, by their number from 0 on; the lowest comes first.
NAMES = {
    2: ("not relevant", "relevant"),
    3: ("not relevant", "relevant", "highly relevant"),
    4: ("not relevant", "related", "highly relevant", "perfect"),
}
SPAN = re.compile(r"(-?\d+)(?:-(-?\d+))?")
TAKEN = "ulcnsgtrh/vw?"  # keys of actions
MOST = 40  # grades
LONGEST_GRADES = 1 << 20  # bytes of a file that names them


@dataclass(frozen=True)
class Grade:
    """One label, its name and what it means, and the keys that give it."""

    label: int
    name: str
    description: str
    keys: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """What the page is sent."""
        return asdict(self)


def scale_of(text: str = "0-1") -> Scale:
    """Grades from a span, or from several: `0-3`, `-2,0-4`.

    >>> [(grade.label, grade.name, grade.keys) for grade in scale_of("-2,0-1")]
    [(-2, 'worthless', ('-', 'x')), (0, 'not relevant', ('0',)), (1, 'relevant', ('1',))]
    """
    labels: set[int] = set()
    for part in text.split(","):
        span = SPAN.fullmatch(part.strip())
        low, high = (int(span[1]), int(span[2] or span[1])) if span else (1, 0)
        if low > high:
            raise ArgumentError(f"--scale {text!r}: give whole numbers from low to high, as in 0-3 or -2,0-4")
        labels.update(range(low, min(high, low + MOST) + 1))
    names = NAMES.get(sum(label >= 0 for label in labels), ())
    return _checked({label: _entry(label, names) for label in labels}, f"--scale {text!r}")


def read_grades(path: str) -> Scale:
    """Grades from a TOML file: a label, and its name, or name, description and key.

    0 = "nothing to do with it"
    1 = { name = "mentions it", description = "A sentence or two.", key = "1" }
    """
    import tomllib

    try:
        table = tomllib.loads(file_text(path, errors="replace", most=LONGEST_GRADES))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f'{path}: this is no TOML ({error}); write lines such as 0 = "not relevant"') from None
    entries = {}
    for key, value in table.items():
        if not SPAN.fullmatch(key) or key.count("-") > key.startswith("-") or not isinstance(value, (str, dict)):
            raise InputError(f'{path}: {key!r} found; every line needs a label and its name, as in 0 = "not relevant"')
        entries[int(key)] = {"name": value} if isinstance(value, str) else value
    return _checked(entries, path)


def check_unjudged(scale: Sequence[Grade], unjudged: int) -> None:
    """A grade cannot be the number that means "not judged" in files."""
    if any(grade.label == unjudged for grade in scale):
        raise ArgumentError(
            f"grade {unjudged} is also what files write for documents that are not judged; "
            "choose another number for that with --unjudged, here and in later commands"
        )


def _entry(label: int, names: Sequence[str]) -> dict[str, str]:
    if label < 0:
        return {"name": "worthless"}
    return {"name": names[label]} if label < len(names) else {}


def _checked(entries: dict[int, dict[str, Any]], where: str) -> Scale:
    if len(entries) < 2:
        raise ArgumentError(f"{where}: {counted(len(entries), 'grade')} found; at least two are needed")
    lowest = [label for label in entries if label < 0]
    grades = []
    for label in sorted(entries):
        entry = entries[label]
        keys = (str(entry["key"]),) if entry.get("key") else _usual_keys(label, lowest)
        if not keys:
            raise ArgumentError(
                f'{where}: grade {label} needs a key of its own; name it in a grades file, as key = "y"'
            )
        grades.append(Grade(label, str(entry.get("name", label)), str(entry.get("description", "")), keys))
    used = [key for grade in grades for key in grade.keys]
    wrong = [key for key in used if len(key) != 1 or key.lower() in TAKEN or used.count(key) > 1 or key.isspace()]
    if wrong:
        raise ArgumentError(f"{where}: {wrong[0]!r} cannot be the key of a grade; take a single character that is free")
    return tuple(grades)


def _usual_keys(label: int, negative: Sequence[int]) -> tuple[str, ...]:
    """The digit itself; minus and x for a negative label, if there is one only."""
    if 0 <= label <= 9:
        return (str(label),)
    return ("-", "x") if label < 0 and len(negative) == 1 else ()
