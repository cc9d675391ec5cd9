"""Files written whole or not at all."""

from __future__ import annotations

import os

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def write_text(path: Any, text: str) -> None:
    """Write a file under a temporary name and then rename it, so that it is whole or not there."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: Any, data: bytes) -> None:
    """Write a file under a temporary name and then rename it, so that it is whole or not there."""
    target = os.path.realpath(os.fsdecode(path))  # through a link to the file it names
    # A device or pipe, such as /dev/stdout, is added to: a file must not take its place.
    device = os.path.abspath(os.fsdecode(path)).startswith(("/dev/", "/proc/"))
    replaced = not device and (os.path.isfile(target) or not os.path.exists(target))
    written = f"{target}.{os.getpid()}.part" if replaced else os.fsdecode(path)
    try:
        with open(written, "wb" if replaced else "ab") as file:
            file.write(data)
        if replaced:
            os.replace(written, target)
    except OSError as error:
        raise InputError(f"{os.fsdecode(path)}: cannot be written ({error.strerror}); check the folder") from error
    finally:
        if replaced and os.path.exists(written):
            os.remove(written)
