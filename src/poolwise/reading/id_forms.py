"""Ids of one thing written in two ways: what the difference seems to be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SHOWN = 2  # ids of each side in a message


def _without_zeros(name: str) -> str:
    return name.lstrip("0") or name[-1:]


def _number(name: str) -> str:
    return name.lstrip("".join({sign for sign in name if not sign.isdigit()}))


# What is done to ids of both sides, and what they differ in if they are the same then; the simplest first.
FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("leading zeros", _without_zeros),
    ("upper and lower case", str.lower),
    ("a decimal point", lambda name: name.removesuffix(".0")),
    ("quotation marks", lambda name: name.strip("\"'")),
    ("their ending", lambda name: name.rpartition(".")[0] or name),
    ("the folder before the name", lambda name: name.replace("\\", "/").rpartition("/")[2]),
    ("the folder and their ending", lambda name: name.rpartition("/")[2].partition(".")[0]),
    ("letters before the number", _number),
    ("letters and zeros before the number", lambda name: _without_zeros(_number(name))),
)


def difference(here: Collection[str], there: Collection[str]) -> str:
    """What ids of two sides differ in that are meant to be the same; nothing if no form makes half of them so.

    >>> difference(["Q1", "Q2"], ["1", "2", "3"]), difference(["0301"], ["301"]), difference(["x"], ["y"])
    ('letters before the number', 'leading zeros', '')
    """
    for words, change in FORMS:
        known = {change(name) for name in there} - {""}
        if here and 2 * sum(change(name) in known for name in here) >= len(here):
            return words
    return ""


def both(here: Collection[str], there: Collection[str], whose: tuple[str, str]) -> str:
    """Examples of ids of two sides, and what they seem to differ in.

    >>> both(["a.txt"], ["a", "b"], ("in the run", "in the judgments"))
    "'a.txt' in the run, 'a' and 'b' in the judgments, as if they differed in their ending"
    """
    sides = [f"{_some(names)} {words}" for names, words in zip((here, there), whose, strict=True) if names]
    form = difference(here, there)
    return ", ".join(sides) + (f", as if they differed in {form}" if form else "")


def _some(names: Collection[str]) -> str:
    from poolwise.basics.words import short

    return " and ".join(repr(short(name)) for name in list(names)[:SHOWN])
