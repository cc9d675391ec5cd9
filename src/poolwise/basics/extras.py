"""Optional libraries, loaded when first needed, and the data frames made with them."""

from __future__ import annotations

from importlib import import_module

from poolwise.basics.settings import choice
from poolwise.errors import MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

BACKENDS = ("pandas", "polars", "pyarrow")


def load(module: str, extra: str) -> Any:
    """Import an optional module. The error names the extra of poolwise that installs it.

    >>> load("json", "none").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module if module.startswith("backports.") else module.partition(".")[0]
        raise MissingDependency(
            f"{library} is not installed; install it with: pip install 'poolwise[{extra}]' "
            f"(in a clone, without compiling again: pip install {_brought_by(extra)})"
        ) from error


def _brought_by(extra: str) -> str:
    """Requirements of an extra, quoted for a shell.

    >>> _brought_by("cluster")
    "'dask>=2024.1' 'distributed>=2024.1'"
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = [line.partition(";")[::2] for line in requires("poolwise") or ()]
    except PackageNotFoundError:  # run from its source alone
        declared = []
    required = [name.strip() for name, when in declared if f"extra == {extra!r}" in when.replace('"', "'")]
    ours = [name[len("poolwise[") : -1] for name in required if name.startswith("poolwise[")]
    libraries = [f"'{name}'" for name in required if not name.startswith("poolwise")]
    return (
        " ".join([*libraries, *(_brought_by(other) for each in ours for other in each.split(","))]) or f"'.[{extra}]'"
    )


def frame(columns: Mapping[str, Any], backend: str = "pandas") -> Any:
    """Make a data frame of named columns with pandas, polars or pyarrow.

    >>> frame({"run": ["a", "b"], "value": [0.25, 0.5]}, backend="polars").shape
    (2, 2)
    """
    library = load(choice("backend", backend, BACKENDS), "frames")
    make = library.table if backend == "pyarrow" else library.DataFrame
    try:
        return make(dict(columns))
    except UnicodeEncodeError:  # a name that is not UTF-8
        return make({name: [_readable(cell) for cell in column] for name, column in columns.items()})


def _readable(cell: Any) -> Any:
    from poolwise.basics.words import readable

    return readable(cell) if isinstance(cell, str) else cell
