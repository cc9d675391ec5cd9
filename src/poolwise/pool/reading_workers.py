"""Run files read by the workers of an executor: they get the judgments once and send back arrays."""

from __future__ import annotations

import os
import pickle

from poolwise import _core
from poolwise.basics.units import run_units
from poolwise.errors import PoolwiseError
from poolwise.pool.joining import Joining, add_tables
from poolwise.reading.files import read_runs
from poolwise.reading.sources import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from poolwise.pool.options import ReadingOptions

FILES = 4  # run files of one unit of work


def add_runs_spread(
    builder: _core.Builder,
    sources: list[Source],
    options: ReadingOptions,
    executor: Any,
    progress: Callable[[int, int], None] | None,
) -> dict[int, PoolwiseError]:
    """Add runs to a pool that has judgments; returns the errors of faulty files, by their places."""
    files = [number for number, source in enumerate(sources) if source.path is not None]
    parts = [files[begin : begin + FILES] for begin in range(0, len(files), FILES)]
    units = [
        [(sources[number].where, os.path.abspath(sources[number].path or "")) for number in part] for part in parts
    ]
    # As bytes, because reading changes a pool and threads of a worker share what they were sent.
    shared = (pickle.dumps(builder.pool()), options)
    errors = {}
    for index, packed in run_units(_read, shared, units, executor=executor, progress=progress, name=lambda _: ""):
        for number, data in zip(parts[index], packed, strict=True):
            if isinstance(data, PoolwiseError):
                errors[number] = data
            else:
                builder.unpack_run(number, data)
        if errors and not options.skips_bad_runs:
            return errors
    return errors | add_tables(builder, sources)


def _read(shared: tuple[bytes, ReadingOptions], files: list[tuple[str, str]]) -> list[bytes | PoolwiseError]:
    core: _core.Pool = pickle.loads(shared[0])
    joining = Joining(shared[1], core.keeps_all, core)
    joining.builder.expect_runs(len(files))
    # Workers know files by their full paths; the user gave others.
    sources = [Source(where, path, place=where, columns=shared[1].columns) for where, path in files]
    errors = read_runs(joining.builder, sources, list(range(len(files))), 1)
    return [errors.get(number) or joining.builder.pack_run(number) for number in range(len(files))]
