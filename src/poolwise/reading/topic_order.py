"""The orders that topics may be in: that of a pool, and others that files may have."""

from __future__ import annotations

from itertools import pairwise

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, AnyStr


class NotGrouped(InputError):
    """Files that cannot be read some topics at a time: topics do not ascend, there are strata, or too many files."""


def key_numbered(topic: AnyStr) -> tuple[bool, int, AnyStr]:
    """Sort key of the pool's order of topics: whole numbers by value, then other names.

    >>> sorted([b"b", b"10", b"9"], key=key_numbered), sorted(["\u00b2", "b", "10", "9"], key=key_numbered)
    ([b'9', b'10', b'b'], ['9', '10', 'b', '\u00b2'])
    """
    number = topic.isascii() and topic.isdigit() and len(topic) < 19
    return not number, int(topic) if number else 0, topic


def key_bytewise(topic: bytes) -> bytes:
    """Sort key of the order byte by byte."""
    return topic


def ascending(topics: list[bytes], key: Callable[[bytes], Any]) -> bool:
    """Whether topics ascend by a key, without repeats."""
    keys = [key(topic) for topic in topics]
    return all(before < after for before, after in pairwise(keys))
