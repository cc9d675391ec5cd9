"""A small campaign to be wrong in, and the ways of being wrong that many messages share."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import poolwise as pw
from poolwise.cli.main import main

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}


RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"c": 1.0}, "2": {"a": 1.0}},
}


class Case(NamedTuple):
    """What provokes a message, and its cause and cure in words."""

    provoke: Callable[[], Any]
    words: str
    quotes: bool = False  # the message quotes a library, whose words are its own


def pool(**options: Any) -> pw.Campaign:
    return pw.read(QRELS, RUNS, **options)


def scores(*measures: str) -> pw.Scores:
    return pool().score(*measures or ("AP",))


def shell(line: str) -> Callable[[], Any]:
    """A command that fails; its message comes on standard error."""
    return lambda: main(line.split())


def qrels_file(text: str | bytes, name: str = "bad.txt") -> Callable[[], Any]:
    """Read judgments of this text."""
    return lambda: (write(name, text), pw.read(name, "good.txt"))


def write(name: str, text: str | bytes) -> None:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())


def frame(**columns: Any) -> Any:
    import pandas

    return pandas.DataFrame(columns)


def a_dataset(part: str) -> None:
    """Ask a dataset of ir_datasets for what it has not."""
    from unittest.mock import patch

    import ir_datasets

    class Empty:
        def has_docs(self) -> bool:
            return False

        has_qrels = has_docs

    from poolwise.reading.opening import dataset_of

    with patch.object(ir_datasets, "load", return_value=Empty()):
        dataset_of("mine", part)


@contextlib.contextmanager
def small_campaign() -> Iterator[None]:
    """A folder with a small campaign, to be wrong in."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        for name in ("folder", "empty", "full/runs"):
            Path(name).mkdir(parents=True)
        write("qrels.txt", "1 0 a 1\n1 0 b 0\n2 0 d 1\n")
        Path("broken").mkdir()
        Path("broken/lost.txt").symlink_to("nowhere.txt")
        for name in ("good.txt", "folder/good.txt", "full/runs/old.txt"):
            write(name, "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 d 1 1 x\n")
        try:
            yield
        finally:
            os.chdir(before)
