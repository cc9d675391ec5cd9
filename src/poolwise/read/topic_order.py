"""The orders that topics may be in: that of a pool, and others that files may have."""

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


def key_of_pool(topic: str) -> tuple[bool, int, bytes]:
    """The same of a topic's name as text.

    >>> sorted(["b", "10", "9", "²"], key=key_of_pool)
    ['9', '10', 'b', '²']
    """
    return key_numbered(topic.encode("utf-8", "surrogateescape"))


def key_bytewise(topic: bytes) -> bytes:
    """Sort key of the order byte by byte."""
    return topic


def ascending(topics: list[bytes], key: Callable[[bytes], Any]) -> bool:
    """Whether topics ascend by a key, without repeats."""
    keys = [key(topic) for topic in topics]
    return all(before < after for before, after in pairwise(keys))
