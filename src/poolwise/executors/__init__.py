"""Work that splits into independent units: over threads, processes, Dask or MPI, with the same results.

`run_units` (in `units`) calls a function once per unit with what all units share. The shared part reaches each worker
once, not with every unit: threads see the object itself, Dask holds it on its workers (`dask_engine`), processes and
MPI read it from a temporary file and get it sent where they cannot see that file (`engines`). Results come in the order
of the units. A unit that is lost because its worker died is done again; a unit that fails is an error that names it.
`Threads` are what this process has: fewer where the system allows fewer, and stopped when the user stops waiting.
"""

from poolwise.executors.dask_engine import connect
from poolwise.executors.engines import Threads
from poolwise.executors.units import run_units

__all__ = ["Threads", "connect", "run_units"]
