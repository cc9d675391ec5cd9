"""Texts by document id, from where they are, at once and with little memory.

| given | how one document is found |
|---|---|
| JSON lines, not compressed | an index says where each line begins; it is made once and serves every plan |
| compressed JSON lines, CSV, TSV, Parquet | one pass copies the texts of the plan's documents |
| a folder with a file per document | the file is opened |
| an id of ir_datasets | its store of documents |
| a command | it is run with the id and prints the text |

Files of the second kind cannot be entered in the middle, hence the copies; a later plan takes another pass, for what is
new in it. Index and copies lie in one SQLite file beside the documents, or beside the plan where that folder cannot be
written. It knows size and time of what it was made from, and is made again when they change.
"""

from __future__ import annotations

import os

from poolwise.errors import ArgumentError, InputError
from poolwise.judging.document_text import DocumentText, from_html, from_plain, from_record
from poolwise.reading.dataset_ids import DATASET, dataset_of
from poolwise.reading.sources import COMPRESSION_ENDINGS, paths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any, Protocol

    from poolwise.judging.document_files import Advance

    class Documents(Protocol):
        """Texts by id."""

        def get(self, document: str) -> DocumentText | None:
            """The text of a document, or None if there is none."""


RECORD_ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
TEXT_ENDINGS = ("", ".txt", ".md", ".html", ".htm", ".xml", ".json")
SECONDS = 30  # that a command may take


def open_documents(
    given: Sequence[str],
    command: str | None,
    wanted: Collection[str],
    beside: str,
    advance: Advance = None,
) -> Documents:
    """Texts from files, a folder, ir_datasets or a command; `wanted` are the plan's documents."""
    if command is not None:
        return FromCommand(command)
    if not given:
        return Nothing()
    if len(given) == 1 and (dataset := _dataset(given[0])) is not None:
        return FromDataset(dataset)
    if len(given) == 1 and os.path.isdir(given[0]) and not _holds_records(given[0]):
        return Folder(given[0])
    from poolwise.judging.document_index import ENDING, indexed

    paths = [path for each in given for path in paths_of(each) if not path.endswith(ENDING)]
    return indexed(paths, wanted, beside, advance)


class Nothing:
    """No texts: assessors see the ids."""

    def get(self, document: str) -> DocumentText | None:
        """Nothing."""
        return None


class Folder:
    """A folder with a file per document, called after it, with an ending of text or without one."""

    def __init__(self, path: str) -> None:
        self._root = os.path.realpath(path)

    def get(self, document: str) -> DocumentText | None:
        """Read the file; an id that leads out of the folder has none."""
        for ending in TEXT_ENDINGS:
            path = os.path.realpath(os.path.join(self._root, document + ending)) if "\0" not in document else ""
            if path.startswith(self._root + os.sep) and os.path.isfile(path):
                return _read(path)
        return None


def _read(path: str) -> DocumentText | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    if path.endswith((".html", ".htm")):
        return from_html(text)
    return from_plain(text) if path.endswith(".json") else DocumentText(text)


class FromCommand:
    """A command that prints the text of the document whose id it is given: for Lucene, a database, anything."""

    def __init__(self, command: str) -> None:
        from shlex import split

        try:
            self._words = split(command)
        except ValueError as error:
            raise ArgumentError(f"--documents-from {command!r}: {error}; write it as a shell would take it") from None
        if not self._words:
            raise ArgumentError("--documents-from is empty; give a command that prints the text of a document")

    def get(self, document: str) -> DocumentText | None:
        """Run the command; {} stands for the id, which otherwise comes last, after --."""
        import subprocess

        words = self._with(document)
        if words is None:
            return None
        try:
            done = subprocess.run(
                [os.fsencode(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=SECONDS, check=True,
            )  # fmt: skip
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
        text = done.stdout.decode("utf-8", "replace")
        return from_plain(text) if text.strip() else None

    def _with(self, document: str) -> list[str] | None:
        """The command for one document; None if its id would be taken for an option."""
        if not any("{}" in word for word in self._words):
            return [*self._words, "--", document]
        words: list[str] = []
        for word in self._words:
            filled = word.replace("{}", document)
            if filled.startswith("-") and not word.startswith("-") and "--" not in words:
                return None
            words.append(filled)
        return words


class FromDataset:
    """The store of documents of a dataset of ir_datasets."""

    def __init__(self, dataset: Any) -> None:
        self._store = dataset.docs_store()

    def get(self, document: str) -> DocumentText | None:
        """Look the document up; fields keep their names."""
        try:
            record = self._store.get(document)
        except (KeyError, ValueError, OSError):
            return None
        return from_record(record._asdict())


def _dataset(given: str) -> Any:
    """The dataset of ir_datasets that this names; None if it names something else."""
    if not given.startswith(DATASET) and (os.path.exists(given) or any(sign in given for sign in "*?[\\")):
        return None
    if not given.startswith(DATASET) and given.endswith((*RECORD_ENDINGS, *COMPRESSION_ENDINGS)):
        raise InputError(f"{given}: no such file; check the path")
    return dataset_of(given, "docs")


def _holds_records(folder: str) -> bool:
    """Whether a folder holds files of many documents each, rather than a file per document."""
    from poolwise.judging.document_files import ending

    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    many = [name for name in names if ending(name) in (".jsonl", ".ndjson", ".parquet")]
    return bool(many) and len(many) == len([name for name in names if not name.endswith(".index.sqlite")])
