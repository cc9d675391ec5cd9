"""Where a page comes from: the command, the files that it names, by their digests, and the day."""

from __future__ import annotations

import os

from poolwise.show.digests import digest_words

OUTPUT = ("-o", "--output")  # what follows is written, not read


def how_made(command: str) -> list[str]:
    """Sentences for the end of a page; none without a command.

    >>> how_made("poolwise measures")
    ['Command: poolwise measures']
    """
    inputs = "; ".join(f"{path} ({digest_words(path)})" for path in _inputs(command))
    return [*([f"Command: {command}"] if command else []), *([f"Input: {inputs}."] if inputs else [])]


def today() -> str:
    """The day, or the one that SOURCE_DATE_EPOCH names, for pages that shall be made again byte for byte."""
    import time

    return time.strftime("%Y-%m-%d", time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))


def _inputs(command: str) -> list[str]:
    """The files and folders that a command names, also several in one word, and that are there."""
    import shlex

    words = shlex.split(command)[2:]  # a folder may be called as the command is
    read = [word for before, word in zip(["", *words], words, strict=False) if before not in OUTPUT]
    named = [part for word in read for part in ([word] if os.path.exists(word) else word.split(","))]
    return [word for word in dict.fromkeys(named) if os.path.isfile(word) or os.path.isdir(word)]
