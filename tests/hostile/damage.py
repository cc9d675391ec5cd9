"""Ways in which a file may be other than it should be."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[bytes, random.Random], bytes]
ODD = [
    b"\0", b"\xff\xfe", b"\xaa", b"\r", b"\n", b"\t", b",", b'"', b"'", b"{", b"[", b"-", b"1e999", b"nan", b"-inf",
    b"99999999999999999999", b"0x10", b"\xef\xbb\xbf", b"#", b"</top>", b"<top>", b"null", b"\\ud800", b"=1+1",
    b" ", b"",
    "\u2028".encode(), "\u0660".encode(), "1\u00a02".encode(), b"1_000", b"true", b"1.5", b"-1", b"all", b"e",
]  # fmt: skip


def truncated(data: bytes, chance: random.Random) -> bytes:
    """Its beginning."""
    return data[: chance.randrange(len(data) + 1)]


def overwritten(data: bytes, chance: random.Random) -> bytes:
    """A few bytes are others."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        if found:
            found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def inserted(data: bytes, chance: random.Random) -> bytes:
    """Something odd stands in it."""
    for _ in range(chance.choice((1, 1, 3))):
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.choice(ODD) * chance.choice((1, 1, 1, 70_000)) + data[place:]
    return data


def replaced_cell(data: bytes, chance: random.Random) -> bytes:
    """A word or cell is another."""
    lines = data.split(b"\n")
    number = chance.randrange(len(lines))
    mark = chance.choice([mark for mark in (b",", b"\t", b" ", b":") if mark in lines[number]] or [b" "])
    cells = lines[number].split(mark)
    cells[chance.randrange(len(cells))] = chance.choice(ODD)
    lines[number] = mark.join(cells)
    return b"\n".join(lines)


def shuffled_lines(data: bytes, chance: random.Random) -> bytes:
    """Lines are lost, twice there, or in another order."""
    lines = data.split(b"\n")
    return b"\n".join(chance.choice(lines) for _ in range(chance.choice((1, 2, len(lines)))))


def other_ends(data: bytes, chance: random.Random) -> bytes:
    """Ends of lines are others."""
    return data.replace(b"\n", chance.choice((b"\r", b"\r\n", b"\n\n", b"\0", b"\x0b")))


def packed(data: bytes, chance: random.Random) -> bytes:
    """Packed, and then damaged."""
    pack: Callable[[bytes], bytes] = chance.choice((gzip.compress, bz2.compress, lzma.compress))
    return chance.choice((truncated, overwritten, lambda whole, _: whole))(pack(data), chance)


def other_text(data: bytes, chance: random.Random) -> bytes:
    """In another encoding, or nothing but noise."""
    text = data.decode("latin-1")
    kinds = ("utf-16", "utf-32", "utf-8-sig", "cp500")
    return chance.choice([chance.randbytes(200), b"", b"\n" * 50, *(text.encode(kind, "replace") for kind in kinds)])


def nested(data: bytes, chance: random.Random) -> bytes:
    """JSON that nests deeply, or the like."""
    return chance.choice(
        (b"[" * 100_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b'{"1": {"d": 1e400}}', b"[[]]", b"{}", b'"a"', b"7")
    )


DAMAGES: tuple[Damage, ...] = (
    truncated, overwritten, inserted, inserted, replaced_cell, replaced_cell, replaced_cell, shuffled_lines, other_ends,
    packed, other_text, nested,
)  # fmt: skip


def damage(path: Path, chance: random.Random) -> str:
    """Damage a file, or put another in its place; says how."""
    how = chance.random()
    if how < 0.08:
        other = chance.choice(sorted(each for each in path.parent.iterdir() if each.is_file() and each != path))
        path.write_bytes(other.read_bytes())
        return f"{other.name} in its place"
    if how < 0.1:
        path.unlink()
        chance.choice((path.mkdir, lambda: os.symlink(path.name, path), lambda: None))()
        return "a folder, a link to itself or nothing in its place"
    one = chance.choice(DAMAGES)
    path.write_bytes(one(path.read_bytes(), chance))
    return one.__name__
