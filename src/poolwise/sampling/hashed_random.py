"""Random numbers that follow from names, so that a draw depends on no order of rows. Without numpy, as judging is."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, TypeVar

    class _Document(Protocol):
        @property
        def topic(self) -> str: ...
        @property
        def document(self) -> str: ...

    Document = TypeVar("Document", bound=_Document)


@dataclass(frozen=True)
class HashedRandom:
    """Random numbers that depend only on a plan or seed, their purpose, and names."""

    plan: str

    def number(self, purpose: str, *names: object) -> int:
        """A random 64-bit integer for these names.

        >>> HashedRandom("a").number("order", "401", "x") == HashedRandom("a").number("order", "401", "x")
        True
        """
        text = "\x00".join([self.plan, purpose, *map(str, names)])
        return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

    def shuffled(self, purpose: str, items: Sequence[Document], *names: object) -> list[Document]:
        """Documents in an order that depends on their names only."""
        return sorted(items, key=lambda item: self.number(purpose, item.topic, item.document, *names))
