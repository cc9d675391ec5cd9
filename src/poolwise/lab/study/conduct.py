"""Doing the work of a study: unit by unit, here or on an executor, kept on disk as it is done."""

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


FEW_RUNS = 8  # below so many, rankings and pairs of runs are too few to tell measures apart


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """What a study declares: its settings as fields, its units of work, and what is made of their results.

    A unit's result depends on the settings and the pool only, never on other units or on who does the work. `kept` are
    the places of the runs that the study looks at.
    """

    name: ClassVar[str]
    seed: int
    kept: tuple[int, ...]

    def settings(self) -> dict[str, Any]:
        """Every field as plain values, but for the number of trials, on which no single trial depends."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.name != "trials"}

    def code(self) -> dict[str, str]:
        """The code of measures of one's own, by their names: a name alone does not say what was computed."""
        values = [getattr(self, field.name) for field in fields(self)]
        measures = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
        own = {str(one): one.declaration.function for one in measures if isinstance(one, Measure)}
        return {name: code_digest(function) for name, function in own.items() if function is not None}

    @abstractmethod
    def units(self) -> Sequence[str]:
        """Names of the units."""

    @abstractmethod
    def work(self, pool: Campaign, unit: str, threads: int) -> Arrays:
        """Do one unit."""

    @abstractmethod
    def finish(self, pool: Campaign, results: Sequence[Arrays]) -> Study:
        """Make the study of the results of all units, in order."""


def _plain(value: Any) -> Any:
    """A setting as JSON knows it; measures by their names."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, (bool, int, float)) else str(value)


class Execution(TypedDict, total=False):
    """How a study is carried out; none of it changes what is found.

    `folder` keeps finished units (`resume` goes on with those it has, `overwrite` begins anew), `executor` is any
    `concurrent.futures.Executor`, `threads` counts threads of this process, `progress` is called with how many units
    are done and how many there are.
    """

    folder: str | Path | None
    resume: bool
    overwrite: bool
    executor: Executor | None
    threads: int | None
    progress: Callable[[int, int], None] | None


def conduct(experiment: Experiment, pool: Campaign, how: Execution) -> Study:
    """Do every unit that is not done yet, and make the study."""
    folder, progress = how.get("folder"), how.get("progress")
    store = _store(experiment, pool, Path(checks.path(folder)), how) if folder is not None else None
    units = list(experiment.units())
    results: dict[str, Arrays] = {}
    for unit in units:
        kept = store.read(unit) if store else None
        if kept is not None:
            results[unit] = kept
    left = [unit for unit in units if unit not in results]
    executor = how.get("executor")
    threads = thread_count(how.get("threads"))  # a unit has one of them, when there are several units
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
    runs = len(experiment.kept)
    return [f"only {counted(runs, 'run')}: a study of so few says little of others"] if runs < FEW_RUNS else []


def _work(shared: tuple[Experiment, Campaign, int], unit: str) -> Arrays:
    experiment, pool, threads = shared
    with _without_warnings(), one_thread_products():
        arrays = experiment.work(pool, unit, threads)
    # Sums over an array depend on its layout in the last bit; this is the one that files and other processes give back.
    return {name: np.asarray(values, order="C") for name, values in arrays.items()}


_quiet = 0  # how many threads of this process want no warnings of ours; filters belong to all of them
_lock = threading.Lock()
_IGNORE = ("ignore", None, PoolwiseWarning, None, 0)  # a filter as `warnings` keeps them


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Samples lack labels by design; what is doubtful at complete judgments stands on the study itself."""
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
