"""The orders that topics may be in when files are read some topics at a time."""

from __future__ import annotations

from itertools import pairwise

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class NotGrouped(InputError):
    """Files that cannot be read some topics at a time: topics do not ascend, there are strata, or too many files."""


def key_numbered(topic: bytes) -> tuple[bool, int, bytes]:
    """Sort key of the pool's order of topics: whole numbers by value, then other names.

    >>> sorted([b"b", b"10", b"9"], key=key_numbered)
    [b'9', b'10', b'b']
    """
    number = topic.isdigit() and len(topic) < 19
    return not number, int(topic) if number else 0, topic


def key_bytewise(topic: bytes) -> bytes:
    """Sort key of the order byte by byte."""
    return topic


def ascending(topics: list[bytes], key: Callable[[bytes], Any]) -> bool:
    """Whether topics ascend by a key, without repeats."""
    keys = [key(topic) for topic in topics]
    return all(before < after for before, after in pairwise(keys))
