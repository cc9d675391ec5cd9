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

PART = ".part"  # suffix of unfinished files


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
    """Open a file that gets its name when the block succeeds and is removed when it fails.

    It is written under a unique temporary name in the same folder and then renamed. A file that it replaces passes on
    its permissions. A link stays, and the file it names is replaced. Devices and pipes, such as /dev/stdout, are
    appended to. With `lasting`, all data is on the disk before the old file is replaced.
    """
    name = checks.path(path)
    target = os.path.realpath(name)
    part = None if _is_device(name, target) else temporary_name(target)
    try:
        with open(name, "ab") if part is None else open(_new(part, target), "wb") as file:
            yield file
            if lasting and part is not None:
                file.flush()
                os.fsync(file.fileno())
        if part is not None:
            # Atomic on POSIX: readers see the old file or the new one, never a part.
            os.replace(part, target)
    except OSError as error:
        raise InputError(f"{name}: cannot be written ({error.strerror or error}); check the folder") from error
    finally:
        if part is not None and os.path.lexists(part):
            os.remove(part)


def keep_beside(path: str) -> str:
    """Give a file a second name in its folder, FILE.previous, numbered if that exists. Return the name."""
    target = os.path.realpath(path) if os.path.islink(path) else path
    for name in previous_names(target):
        try:
            _second_name(target, name)
        except FileExistsError:
            continue
        return name
    raise AssertionError("numbers do not end")


def previous_names(path: str) -> Iterator[str]:
    """Names for earlier versions of a file, in order of preference."""
    return (f"{path}.previous{f'.{number}' if number > 1 else ''}" for number in count(1))


def _second_name(target: str, name: str) -> None:
    """Link the file, or copy it on a file system without links."""
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
    """Refuse a file that cannot be written, before the work for its content starts."""
    name = os.fsdecode(path)
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        why = "is a folder; name a file in it"
    elif not os.path.isdir(folder):
        above = os.path.dirname(name)
        why = f"there is no folder {above}; make it first (mkdir -p {above})"
    elif not _is_device(name, target) and not os.access(folder, os.W_OK):
        why = f"cannot be written (no permission in {folder}); name another folder"
    else:
        return
    raise InputError(f"{name}: {why}")


def temporary_name(target: str) -> str:
    """A unique name in a file's folder, with machine and process.

    It is hidden: if the process is killed in a folder of runs, the rest must not be read as a run.
    """
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{_machine()}-{os.getpid()}-{os.urandom(4).hex()}{PART}")


def remove_parts(folder: Any) -> None:
    """Remove unfinished files of killed processes of this machine from a folder."""
    for name in os.listdir(folder):
        words = name.removesuffix(PART).rpartition(".")[2].split("-")
        if name.endswith(PART) and len(words) == 3 and words[0] == _machine() and not _runs(words[1]):
            os.remove(os.path.join(folder, name))


def _machine() -> str:
    """A short name for this machine: folders may be shared with others."""
    from zlib import crc32

    return f"{crc32(os.uname().nodename.encode()):08x}"


def _is_device(path: str, target: str) -> bool:
    """Whether a path names an open stream, a device or a pipe."""
    absolute = os.path.abspath(path)
    opened = absolute in ("/dev/stdout", "/dev/stderr") or absolute.startswith(("/dev/fd/", "/proc/"))
    return opened or (os.path.exists(target) and not os.path.isfile(target))


def _new(part: str, target: str) -> int:
    """Create a file with the permissions of the one that it will replace."""
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
    """Make a folder under a temporary name and rename it when the block succeeds. Do nothing for None.

    An existing folder with files is an error: its old files would look like new ones.
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
