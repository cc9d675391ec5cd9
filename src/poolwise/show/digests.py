"""What files hold, in a few characters that change when they do."""

from __future__ import annotations

import os

from poolwise.basics.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 12  # characters of a digest
PIECE = 1 << 20


def digest_words(path: str) -> str:
    """A file's digest; of a folder how many files it has and the digest of all."""
    from hashlib import sha256

    files, digest = sorted(_files(path)), sha256()
    for file in files:
        with open(file, "rb") as opened:
            while piece := opened.read(PIECE):
                digest.update(piece)
    number = "" if os.path.isfile(path) else f"{counted(len(files), 'file')}, "
    return f"{number}sha256 {digest.hexdigest()[:SHOWN]}"


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (os.path.join(folder, name) for name in names)
