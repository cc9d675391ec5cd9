"""Objects of other libraries, known by how they look, as tables; none of the libraries is imported.

ranx's `Run` and `Qrels`, datasets of ir_datasets and their `qrels` and `scoreddocs`, and iterables of named tuples, as
ir_measures reads and takes them. Frames of PyTerrier are data frames, whose columns `tables` knows.
"""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_run_object(given: Any) -> bool:
    """Whether this is a run of ranx, which brings its name."""
    return _library(given) == "ranx"


def plain(given: Any, names: tuple[tuple[str, ...], ...], where: str) -> Any:
    """An object of another library as a dict or as rows of the columns that `names` lists; all else as it is.

    >>> from collections import namedtuple
    >>> Judged = namedtuple("Judged", "query_id doc_id relevance iteration")
    >>> plain(iter([Judged("1", "a", 2, "0")]), (("topic", "query_id"), ("doc_id",), ("relevance",)), "qrels")
    [('1', 'a', 2)]
    """
    if is_run_object(given):
        return given.to_dict()
    part = "qrels" if "label" in names[-1] else "scoreddocs"
    if _library(given) == "ir_datasets" or hasattr(given, f"{part}_iter"):
        given = _records(given, part, where)
    if hasattr(given, "__next__"):
        given = _listed(given, where)
    if isinstance(given, (list, tuple)) and given and hasattr(given[0], "_fields"):
        return _rows(given, names, where)
    return given


def _records(given: Any, part: str, where: str) -> Any:
    """The records of a dataset, of one of its handlers, or of the part itself."""
    if hasattr(given, f"{part}_iter"):
        return getattr(given, f"{part}_iter")()
    if hasattr(given, "__iter__"):
        return iter(given)
    raise InputError(f"{where}: this dataset has no {part}; choose one that has")


def _listed(given: Any, where: str) -> list[Any]:
    """All that an iterator gives; ir_datasets may have to fetch it first."""
    try:
        return list(given)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{where}: cannot be read ({short(str(error))}); fetch the data first") from error


def _rows(given: Any, names: tuple[tuple[str, ...], ...], where: str) -> list[tuple[Any, ...]]:
    from operator import attrgetter

    fields = given[0]._fields
    wanted = [next((name for name in known if name in fields), None) for known in names]
    if None in wanted:
        missing = names[wanted.index(None)]
        listed = ", ".join(map(repr, fields))
        raise InputError(f"{where}: no field called {' or '.join(map(repr, missing))}; found {listed}")
    return list(map(attrgetter(*map(str, wanted)), given))


def _library(given: Any) -> str:
    return str(type(given).__module__).partition(".")[0]
