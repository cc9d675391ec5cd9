"""Execution of studies: unit by unit, in this process or on an executor, with finished units saved to disk."""

from __future__ import annotations

import hashlib
import inspect
import json
import threading
import warnings
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from io import BytesIO
from pathlib import Path
from typing import ClassVar, TypedDict
from zipfile import BadZipFile

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.one_thread import one_thread_products
from poolwise.basics.results import warn_of
from poolwise.basics.settings import thread_count
from poolwise.basics.words import counted
from poolwise.basics.workers import run_units
from poolwise.basics.writing import make_folder, remove_parts, write_bytes, write_text
from poolwise.errors import InputError, PoolwiseWarning
from poolwise.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.result import Study

if TYPE_CHECKING:
    Arrays = dict[str, NDArray[Any]]
ELSEWHERE = "choose another folder, or --overwrite (overwrite=True) to replace it"


class Store:
    """A folder with one file per finished unit, and `study.json` with the settings of the study.

    Files are renamed into place, so that each is whole or missing, also after kill -9. Finished work is never deleted
    without permission: `resume` continues with it, `overwrite` replaces it.
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
        """Save the arrays of a finished unit."""
        buffer = BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        write_bytes(self.folder / f"{unit}.npz", buffer.getvalue())


def _make_empty(folder: Path, others: list[str]) -> None:
    """Remove all units from the folder, and the work of other studies next to it."""
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
    """Digest of a pool: labels, strata, rounds and complete rankings."""
    digested = hashlib.sha256()
    for name in pool.runs:
        digested.update(name.encode("utf-8", "surrogateescape") + b"\0")
    judgments = pool.judgments
    for part in (judgments.labels, judgments.strata, judgments.rounds):
        digested.update(b"-" if part is None else np.ascontiguousarray(part, dtype=np.int32).tobytes())
    # All documents are looked at, however many of them the pool has read so far.
    digested.update(repr((judgments.top, True)).encode())
    # 128 bits of SHA-256 are enough: the digest protects against mistakes, not against attacks.
    digested.update(pool.whole.__getstate__()[1])
    return digested.hexdigest()[:32]


def code_digest(function: Callable[..., Any]) -> str:
    """Digest of the code of a user's measure: of its module, whose functions it may call.

    In a script or notebook (`__main__`) other code may change, so only the function counts.
    """
    module = inspect.getmodule(function)
    try:
        whole = module is not None and module.__name__ != "__main__"
        text = inspect.getsource(module if whole and module else function)
    # Without source the compiled code stands for it; it changes with the Python version, and then work is
    # repeated.
    except (OSError, TypeError):  # typed at a prompt
        code = function.__code__
        text = repr((code.co_code, code.co_consts, code.co_names))
    signature = repr((function.__qualname__, function.__defaults__, function.__kwdefaults__))
    return hashlib.sha256((text + signature).encode()).hexdigest()[:32]


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


FEW_RUNS = 8  # with fewer, tau has under 28 pairs of runs; chosen by hand


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """Base class of studies: settings as fields, units of work, and the study from their results.

    A unit's result depends on the settings and the pool only, not on other units or the worker. `run_indices`
    has the runs in the study.
    """

    name: ClassVar[str]
    seed: int
    run_indices: tuple[int, ...]

    def settings(self) -> dict[str, Any]:
        """All fields as plain values, except the number of trials: trials of a shorter study can be reused."""
        values = {field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.name != "trials"}
        return {"kept" if name == "run_indices" else name: value for name, value in values.items()}

    def code(self) -> dict[str, str]:
        """Digests of users' measures by name: the code behind a name may change."""
        values = [getattr(self, field.name) for field in fields(self)]
        measures = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
        functions = {str(one): one.declaration.function for one in measures if isinstance(one, Measure)}
        return {name: code_digest(function) for name, function in functions.items() if function is not None}

    @abstractmethod
    def units(self) -> Sequence[str]:
        """Names of the units."""

    @abstractmethod
    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Do one unit."""

    @abstractmethod
    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Make the study from the results of all units, in their order."""


def _plain(value: Any) -> Any:
    """A setting as JSON can hold it, measures as names."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, (bool, int, float)) else str(value)


class Execution(TypedDict, total=False):
    """Options of the execution of a study, which do not change its results.

    `folder` saves finished units: `resume` continues with them, `overwrite` starts again. `executor` is any
    `concurrent.futures.Executor`. `threads` is the number of threads of this process. `progress` is called with the
    numbers of finished units and of all units.
    """

    folder: str | Path | None
    resume: bool
    overwrite: bool
    executor: Executor | None
    threads: int | None
    progress: Callable[[int, int], None] | None


def conduct(experiment: Experiment, pool: Campaign, how: Execution) -> Study:
    """Do all unfinished units, and make the study."""
    folder, progress = how.get("folder"), how.get("progress")
    store = _store(experiment, pool, Path(checks.path(folder)), how) if folder is not None else None
    units = list(experiment.units())
    # Units in their declared order, so that sums do not depend on which unit finished first.
    results: dict[str, Arrays] = {}
    for unit in units:
        saved = store.read(unit) if store else None
        if saved is not None:
            results[unit] = saved
    left = [unit for unit in units if unit not in results]
    executor = how.get("executor")
    threads = thread_count(how.get("threads"))  # with several units, each has one thread
    # Units run in parallel; threads within a unit would compete with them.
    alone = 1 if executor is not None or len(left) > 1 else threads
    if progress:
        progress(len(results), len(units))
    with _without_warnings(), one_thread_products():
        work = (experiment, pool, alone)
        called = f"study {experiment.name}"
        for index, result in run_units(_work, work, left, executor=executor, threads=threads, name=lambda _: called):
            results[left[index]] = result
            if store:
                store.write(left[index], result)
            if progress:
                progress(len(results), len(units))
        study = experiment.finish(pool, [results[unit] for unit in units])
    study = replace(study, warnings=(*_few_runs(experiment), *study.warnings))
    warnings_of_pool = getattr(pool, "warnings", ())  # when the runs were read
    warn_of(note for note in study.warnings if note not in warnings_of_pool)
    return study


def _few_runs(experiment: Experiment) -> list[str]:
    runs = len(experiment.run_indices)
    return [f"only {counted(runs, 'run')}: a study of so few says little of others"] if runs < FEW_RUNS else []


def _work(shared: tuple[Experiment, Campaign, int], unit: str) -> Arrays:
    experiment, pool, threads = shared
    with _without_warnings(), one_thread_products():
        arrays = experiment.work(pool, unit, threads)
    # Sums over an array depend on its layout in the last bit. Arrays from files and other processes have C order.
    return {name: np.asarray(values, order="C") for name, values in arrays.items()}


_quiet = 0  # threads that suppress warnings now: filters are shared by all threads of the process
_lock = threading.Lock()
_IGNORE = ("ignore", None, PoolwiseWarning, None, 0)  # a filter as `warnings` keeps them


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Suppress warnings about samples, which lack labels by design. The study has those of complete judgments."""
    global _quiet
    with _lock:
        _quiet += 1
        if _quiet == 1:
            warnings.simplefilter("ignore", PoolwiseWarning)
    try:
        yield
    finally:
        with _lock:
            _quiet -= 1
            if _quiet == 0 and _IGNORE in warnings.filters:
                warnings.filters.remove(_IGNORE)  # type: ignore[attr-defined]


def _store(experiment: Experiment, pool: Campaign, folder: Path, how: Execution) -> Store:
    from poolwise import __version__

    record = {"study": experiment.name, "version": __version__, "input": digest(pool)}
    about = {**record, **experiment.settings(), "code": experiment.code()}
    return Store(folder / "units" / experiment.name, about, how.get("resume", False), how.get("overwrite", False))
