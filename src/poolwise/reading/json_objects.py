"""Values of JSON, and objects of which a line holds one."""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_value(text: str | bytes, **how: Any) -> Any:
    """The value of a text of JSON; ValueError where it has none, nests too deeply, or has numbers that are too long."""
    from json import loads

    try:
        return loads(text, **how)
    except RecursionError:
        raise ValueError("it nests too deeply") from None


def json_object(line: str | bytes, place: str, needs: str) -> dict[str, Any]:
    """The object of a line; `needs` says what every line must have.

    >>> json_object('{"id": "a"}', "documents.jsonl:1", "an object with id and text")
    {'id': 'a'}
    """
    try:
        record = json_value(line)
    except ValueError as error:
        raise InputError(f"{place}: this is no JSON ({error}); every line needs {needs}") from None
    if not isinstance(record, dict):
        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        raise InputError(f"{place}: {short(text.strip())!r} is no object; every line needs {needs}")
    return record
