"""Files written whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


def write_text(path: Any, text: str) -> None:
    """Write a file under a temporary name and then rename it, so that it is whole or not there."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: Any, data: bytes) -> None:
    """Write a file under a temporary name and then rename it, so that it is whole or not there."""
    write_pieces(path, [data])


def write_pieces(path: Any, pieces: Iterable[bytes]) -> None:
    """Write a file piece by piece under a temporary name and then rename it."""
    target = os.path.realpath(os.fsdecode(path))  # through a link to the file it names
    # A device or pipe, such as /dev/stdout, is added to: a file must not take its place.
    device = os.path.abspath(os.fsdecode(path)).startswith(("/dev/", "/proc/"))
    replaced = not device and (os.path.isfile(target) or not os.path.exists(target))
    written = f"{target}.{os.getpid()}.part" if replaced else os.fsdecode(path)
    try:
        with open(written, "wb" if replaced else "ab") as file:
            file.writelines(pieces)
        if replaced:
            os.replace(written, target)
    except OSError as error:
        raise InputError(f"{os.fsdecode(path)}: cannot be written ({error.strerror}); check the folder") from error
    finally:
        if replaced and os.path.exists(written):
            os.remove(written)


def make_folder(path: Any) -> None:
    """Make a folder, with those above it, unless it is there."""
    try:
        os.makedirs(os.fsdecode(path), exist_ok=True)
    except OSError as error:
        raise InputError(f"{os.fsdecode(path)}: cannot be made ({error.strerror}); name another folder") from error


@contextmanager
def new_folder(path: Any) -> Iterator[str | None]:
    """A folder to be filled under a temporary name, which then gets the name given; nothing for None.

    A folder that is there already is an error: what it holds might be taken for new.
    """
    if path is None:
        yield None
        return
    target = os.path.abspath(os.fsdecode(path))
    if os.path.exists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise InputError(f"{os.fsdecode(path)}: is there already; remove it or name another folder")
    filled = f"{target}.{os.getpid()}.part"
    try:
        os.makedirs(filled)
        yield filled
        os.replace(filled, target)
    except OSError as error:
        raise InputError(f"{os.fsdecode(path)}: cannot be written ({error}); check the folder") from error
    finally:
        if os.path.exists(filled):
            from shutil import rmtree

            rmtree(filled)
