"""Finished units of a study on disk, so that an interrupted one goes on where it was."""

from __future__ import annotations

import hashlib
import inspect
import json
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from poolwise.basics.words import counted
from poolwise.basics.writing import make_folder, remove_parts, write_bytes, write_text
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign

    Arrays = dict[str, NDArray[Any]]


ELSEWHERE = "choose another folder, or --overwrite (overwrite=True) to replace it"


class Store:
    """A folder with one file per finished unit, and `study.json`, which says what they are units of.

    Files are renamed into place, so that each is whole or not there, also after kill -9. Finished work is never thrown
    away unasked: where there is some, one goes on with it (`resume`) or says that it may go (`overwrite`).
    """

    def __init__(self, folder: Path, record: Mapping[str, Any], resume: bool, overwrite: bool) -> None:
        self.folder = folder
        text = json.dumps(record, sort_keys=True, indent=1) + "\n"
        about = folder / "study.json"
        others = sorted(other.name for other in folder.parent.glob("*") if other.name != folder.name)
        if others and not overwrite:
            raise InputError(f"{folder.parent.parent}: holds the study {others[0]}; {ELSEWHERE}")
        if resume and about.exists():
            _check_same(about, json.loads(text))
            remove_parts(folder)
            return
        finished = list(folder.glob("*.npz"))
        if finished and not overwrite:
            raise InputError(
                f"{folder.parent.parent}: holds {counted(len(finished), 'finished part')} of this study; go on "
                f"with --resume (resume=True); or {ELSEWHERE}"
            )
        _make_empty(folder, others)
        write_text(about, text)

    def read(self, unit: str) -> Arrays | None:
        """Return the arrays of a finished unit, or None."""
        path = self.folder / f"{unit}.npz"
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                return {name: held[name] for name in held.files}
        except (OSError, ValueError, EOFError, KeyError, BadZipFile) as error:
            raise InputError(f"{path}: a finished unit cannot be read ({error}); remove it and resume again") from error

    def write(self, unit: str, arrays: Arrays) -> None:
        """Keep the arrays of a finished unit."""
        buffer = BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        write_bytes(self.folder / f"{unit}.npz", buffer.getvalue())


def _make_empty(folder: Path, others: list[str]) -> None:
    """A folder without units, and no other study's work beside it."""
    from shutil import rmtree

    for other in others:
        rmtree(folder.parent / other)
    tables = folder.parent.parent / "tables"
    if others and tables.is_dir():
        rmtree(tables)
    make_folder(folder)
    for old in folder.glob("*.npz"):
        old.unlink()


def digest(pool: Campaign) -> str:
    """A short name for the contents of a pool: labels, strata, rounds, and every ranking down to its end."""
    digested = hashlib.sha256()
    for name in pool.runs:
        digested.update(name.encode("utf-8", "surrogateescape") + b"\0")
    judgments = pool.judgments
    for part in (judgments.labels, judgments.strata, judgments.rounds):
        digested.update(b"-" if part is None else np.ascontiguousarray(part, dtype=np.int32).tobytes())
    digested.update(repr((judgments.top, pool.keeps_all)).encode())
    digested.update(pool.core.__getstate__()[1])
    return digested.hexdigest()[:32]


def code_digest(function: Callable[..., Any]) -> str:
    """A short name for the code of a measure of one's own: that of its module, which may help it, or its own.

    A script or notebook (`__main__`) does other things too, which may change; there the function counts alone.
    """
    module = inspect.getmodule(function)
    try:
        whole = module is not None and module.__name__ != "__main__"
        text = inspect.getsource(module if whole and module else function)
    except (OSError, TypeError):  # typed at a prompt
        code = function.__code__
        text = repr((code.co_code, code.co_consts, code.co_names))
    told = repr((function.__qualname__, function.__defaults__, function.__kwdefaults__))
    return hashlib.sha256((text + told).encode()).hexdigest()[:32]


def _check_same(about: Path, record: dict[str, Any]) -> None:
    try:
        held = json.loads(about.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{about}: cannot be read ({error}); begin again without resuming") from error
    other = [name for name in record if held.get(name) != record[name]]
    if other:
        raise InputError(
            f"{about}: this folder holds a study with other {', '.join(other)}; "
            "ask for the same to resume it, or begin again in another folder"
        )
