"""Run files read by the workers of an executor: they get the judgments once and send back arrays."""

from __future__ import annotations

import os
import pickle

from poolwise import _core
from poolwise.errors import PoolwiseError
from poolwise.executors import run_units
from poolwise.pool.pool import add_tables, set_options
from poolwise.read.files import read_runs
from poolwise.read.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FILES = 4  # run files of one unit of work


def add_runs_spread(
    builder: _core.Builder,
    sources: list[Source],
    options: tuple[Any, ...],
    executor: Any,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Add runs to a pool that has judgments; the first faulty file is the error."""
    builder.expect_runs(len(sources))
    files = [number for number, source in enumerate(sources) if source.path is not None]
    parts = [files[begin : begin + FILES] for begin in range(0, len(files), FILES)]
    units = [
        [(sources[number].where, os.path.abspath(sources[number].path or "")) for number in part] for part in parts
    ]
    # As bytes, because reading changes a pool and threads of a worker share what they were sent.
    shared = (pickle.dumps(builder.pool()), options)
    for index, packed in run_units(_read, shared, units, executor=executor, progress=progress, name=lambda _: ""):
        for number, data in zip(parts[index], packed, strict=True):
            builder.unpack_run(number, data)
    add_tables(builder, sources)
    builder.finish_runs()


def _read(shared: tuple[bytes, tuple[Any, ...]], files: list[tuple[str, str]]) -> list[bytes]:
    judgments, options = shared
    core: _core.Pool = pickle.loads(judgments)
    builder = _core.Builder(keep_all=core.keeps_all)
    builder.take_labels(core)
    set_options(builder, *options)
    builder.expect_runs(len(files))
    sources = [Source(path, path) for _, path in files]
    try:
        read_runs(builder, sources, list(range(len(files))), 1)
    except PoolwiseError as error:
        # Workers know files by their full paths; the user gave others.
        message = str(error)
        for where, path in files:
            message = message.replace(path, where)
        raise type(error)(message) from None
    return [builder.pack_run(number) for number in range(len(files))]
