"""Files written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from itertools import count

from poolwise.basics import settings as checks
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

PART = ".part"  # how names of unfinished files end


def write_text(path: Any, text: str) -> None:
    """Write a text as a file that is whole or not there."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: Any, data: bytes) -> None:
    """Write bytes as a file that is whole or not there."""
    write_pieces(path, [data])


def write_pieces(path: Any, pieces: Iterable[bytes]) -> None:
    """Write bytes that come one piece after the other as a file that is whole or not there."""
    with written(path) as file:
        file.writelines(pieces)


@contextmanager
def written(path: Any, lasting: bool = False) -> Iterator[BinaryIO]:
    """A file to be written to, which gets its name when all went well and is gone when not.

    It is written beside its place, under a name that nobody else has, and then renamed; what was there keeps its
    permissions. A link stays and the file it names is replaced. Devices and pipes, such as /dev/stdout, are added to: a
    file must not take their place. With `lasting`, all of it is on the disk before what was there is replaced.
    """
    given = checks.path(path)
    target = os.path.realpath(given)
    part = None if _is_device(given, target) else temporary_name(target)
    try:
        with open(given, "ab") if part is None else open(_new(part, target), "wb") as file:
            yield file
            if lasting and part is not None:
                file.flush()
                os.fsync(file.fileno())
        if part is not None:
            os.replace(part, target)
    except OSError as error:
        raise InputError(f"{given}: cannot be written ({error.strerror or error}); check the folder") from error
    finally:
        if part is not None and os.path.lexists(part):
            os.remove(part)


def keep_beside(path: str) -> str:
    """Give a file a second name beside it, FILE.previous, numbered if that is taken; returns the name."""
    target = os.path.realpath(path) if os.path.islink(path) else path
    for name in previous_names(target):
        try:
            _second_name(target, name)
        except FileExistsError:
            continue
        return name
    raise AssertionError("numbers do not end")


def previous_names(path: str) -> Iterator[str]:
    """Names for what a file held before, one after the other."""
    return (f"{path}.previous{f'.{number}' if number > 1 else ''}" for number in count(1))


def _second_name(target: str, name: str) -> None:
    """A link, or a copy on a disk that knows none."""
    try:
        os.link(target, name)
    except FileExistsError:
        raise
    except OSError:
        with open(target, "rb") as old, open(name, "xb") as copy:
            copy.write(old.read())
            copy.flush()
            os.fsync(copy.fileno())


def check_place(path: Any) -> None:
    """Refuse a file that could not be written, before the work whose result it is to hold."""
    given = os.fsdecode(path)
    target = os.path.realpath(given)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        why = "is a folder; name a file in it"
    elif not os.path.isdir(folder):
        above = os.path.dirname(given)
        why = f"there is no folder {above}; make it first (mkdir -p {above})"
    elif not _is_device(given, target) and not os.access(folder, os.W_OK):
        why = f"cannot be written (no permission in {folder}); name another folder"
    else:
        return
    raise InputError(f"{given}: {why}")


def temporary_name(target: str) -> str:
    """A name beside a file that no other process or thread has; it says whose it is.

    It is hidden: what is left in a folder of runs when a process is killed must not be taken for a run.
    """
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{_machine()}-{os.getpid()}-{os.urandom(4).hex()}{PART}")


def remove_parts(folder: Any) -> None:
    """Remove what processes of this machine that were killed left unfinished in a folder."""
    for name in os.listdir(folder):
        words = name.removesuffix(PART).rpartition(".")[2].split("-")
        if name.endswith(PART) and len(words) == 3 and words[0] == _machine() and not _runs(words[1]):
            os.remove(os.path.join(folder, name))


def _machine() -> str:
    """A short name for this machine: folders may be shared with others."""
    from zlib import crc32

    return f"{crc32(os.uname().nodename.encode()):08x}"


def _is_device(given: str, target: str) -> bool:
    """Whether a path stands for what is open already, or for anything but a file."""
    absolute = os.path.abspath(given)
    opened = absolute in ("/dev/stdout", "/dev/stderr") or absolute.startswith(("/dev/fd/", "/proc/"))
    return opened or (os.path.exists(target) and not os.path.isfile(target))


def _new(part: str, target: str) -> int:
    """A new file, with the permissions of the one that it will replace."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    if os.path.exists(target):
        os.fchmod(descriptor, stat.S_IMODE(os.stat(target).st_mode))
    return descriptor


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):  # another user's, or no number
        return True
    return True


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
    filled = temporary_name(target)
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
