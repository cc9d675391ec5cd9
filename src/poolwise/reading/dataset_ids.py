"""Datasets of ir_datasets by their ids, as users write them in place of a file."""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DATASET = "irds:"  # may stand before an id of ir_datasets, as other tools have it


def plain_id(given: str) -> str:
    """An id without what may stand before it.

    >>> plain_id("irds:vaswani")
    'vaswani'
    """
    return given.removeprefix(DATASET)


def dataset_named(given: str, part: str) -> Any:
    """The dataset that a name of no file stands for: one that says so, or that the library knows; else None."""
    if given.startswith(DATASET):
        return dataset_of(given, part)
    if any(sign in given for sign in "*?[\\.") or given.startswith("/"):
        return None  # a file, or several
    try:
        load("ir_datasets", "datasets").load(given)
    except (KeyError, MissingDependency):
        return None
    return dataset_of(given, part)


def dataset_of(given: str, part: str) -> Any:
    """A dataset of ir_datasets by its id, which must have a part: docs, queries, qrels or scoreddocs."""
    library = load("ir_datasets", "datasets")
    try:
        dataset = library.load(plain_id(given))
    except KeyError:
        raise InputError(f"{given}: neither a file nor a dataset of ir_datasets; check the name") from None
    if not getattr(dataset, f"has_{part}")():
        raise InputError(f"{given}: this dataset has no {part}; choose one that has")
    return dataset
