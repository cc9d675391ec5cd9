"""Measures with names of their own, kept in a file: found weights can be used by name, also on the command line."""

from __future__ import annotations

from poolwise.basics import settings as checks
from poolwise.basics.writing import write_text
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import DEFINITIONS, REGISTRY, declare_all, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.measures.measure import Measure


def define(name: str, measure: str | Measure) -> Measure:
    """Give a measure a name, under which it can be asked for from now on.

    Parameters
    ----------
    name : str
        The name.
    measure : str or Measure
        What it stands for.

    Returns
    -------
    Measure
        The measure.

    Examples
    --------
    >>> define("ours", "nDCG(gain={1: 1, 2: 5}, discount=[1, 0.5, 0.4])@3")
    nDCG(gain={1: 1, 2: 5}, discount=[1, 0.5, 0.4])@3
    >>> parse("ours").cutoff
    3
    """
    declare_all()
    if not isinstance(name, str) or not name.isidentifier() or name in REGISTRY:
        raise ArgumentError(f"{name!r} cannot name a measure; use letters, digits and _, and no name of a measure")
    DEFINITIONS[name] = parse(measure).require()
    return DEFINITIONS[name]


def save_measures(path: Any, **measures: str | Measure) -> None:
    """Write measures with names to a JSON file, for `load_measures` and `--define`.

    Parameters
    ----------
    path : path
        The file.
    **measures : str or Measure
        Names, and what they stand for.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ours.json")
    >>> save_measures(path, early="P@3")
    >>> load_measures(path)
    {'early': P@3}
    """
    from json import dumps

    write_text(path, dumps({name: str(define(name, measure)) for name, measure in measures.items()}, indent=1) + "\n")


def load_measures(path: Any) -> dict[str, Measure]:
    """Read measures with names from a JSON file and define them.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        Measures by name.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ours.json")
    >>> save_measures(path, shallow="nDCG@3")
    >>> load_measures(path)["shallow"].cutoff
    3
    """
    from poolwise.reading.json_objects import json_value
    from poolwise.reading.text_files import file_text

    where = checks.path(path)
    try:
        table = json_value(file_text(path))
    except ValueError as error:
        raise InputError(f"{where}: no measures can be read ({error}); expected JSON of names and measures") from error
    if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
        raise InputError(f"{where}: expected a JSON object of names and measures, as save_measures writes it")
    return {name: define(name, text) for name, text in table.items()}
