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
import sqlite3
import threading
from hashlib import blake2b
from json import dumps, loads
from weakref import finalize

from poolwise.errors import ArgumentError, InputError
from poolwise.judging.document_text import (
    EVERY_LINE,
    DocumentText,
    ending,
    from_html,
    from_plain,
    from_record,
    id_of,
    kind_of,
    records,
)
from poolwise.judging.events import new_database
from poolwise.reading.columns import json_object
from poolwise.reading.judging_file import as_stored
from poolwise.reading.opening import DATASET, dataset_of
from poolwise.reading.sources import COMPRESSION_ENDINGS, paths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any, Protocol

    from poolwise.judging.document_text import Advance


if TYPE_CHECKING:

    class Documents(Protocol):
        """Texts by id."""

        def get(self, document: str) -> DocumentText | None:
            """The text of a document, or None if there is none."""


RECORD_ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
TEXT_ENDINGS = ("", ".txt", ".md", ".html", ".htm", ".xml", ".json")
SECONDS = 30  # that a command may take


def open_documents(
    sources: Sequence[str],
    command: str | None,
    wanted: Collection[str],
    beside: str,
    advance: Advance = None,
) -> Documents:
    """Texts from files, a folder, ir_datasets or a command; `wanted` are the plan's documents."""
    if command is not None:
        return FromCommand(command)
    if not sources:
        return Nothing()
    if len(sources) == 1 and (dataset := _dataset(sources[0])) is not None:
        return FromDataset(dataset)
    if len(sources) == 1 and os.path.isdir(sources[0]) and not _holds_records(sources[0]):
        return Folder(sources[0])

    paths = [path for source in sources for path in paths_of(source) if not path.endswith(ENDING)]
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
        for kind in TEXT_ENDINGS:
            path = os.path.realpath(os.path.join(self._root, document + kind)) if "\0" not in document else ""
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


def _dataset(name: str) -> Any:
    """The dataset of ir_datasets that this names; None if it names something else."""
    if not name.startswith(DATASET) and (os.path.exists(name) or any(sign in name for sign in "*?[\\")):
        return None
    if not name.startswith(DATASET) and name.endswith((*RECORD_ENDINGS, *COMPRESSION_ENDINGS)):
        raise InputError(f"{name}: no such file; check the path")
    return dataset_of(name, "docs")


def _holds_records(folder: str) -> bool:
    """Whether a folder holds files of many documents each, rather than a file per document."""
    from poolwise.judging.document_text import ending

    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    many = [name for name in names if ending(name) in (".jsonl", ".ndjson", ".parquet")]
    return bool(many) and len(many) == len([name for name in names if not name.endswith(".index.sqlite")])


ENDING = ".index.sqlite"
VERSION = 1  # raised when the tables change: an index of another version is made anew
AT_ONCE = 20_000  # rows that are written together
SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT, size INTEGER, changed INTEGER);
CREATE TABLE places (hash INTEGER, file INTEGER, begin INTEGER, size INTEGER);
CREATE TABLE copies (id PRIMARY KEY, record TEXT) WITHOUT ROWID;
"""


def indexed(paths: Sequence[str], wanted: Collection[str], beside: str, advance: Advance = None) -> DocumentIndex:
    """Open the index of these files, made or completed first if need be."""
    plain = all(ending(path) in (".jsonl", ".ndjson", ".json", "") and kind_of(path) == "" for path in paths)
    index_path = _index_path(paths[0], beside)
    if not _fresh(index_path, paths):
        _make(index_path, paths, _record_positions if plain else None, advance)
    index = DocumentIndex(index_path, list(paths), plain)
    if not plain:
        index.copy(wanted, advance)
    return index


class DocumentIndex:
    """Documents of files by their ids."""

    def __init__(self, index_path: str, paths: list[str], plain: bool) -> None:
        self.path, self._paths, self._plain = index_path, paths, plain
        self._connection = sqlite3.connect(index_path, isolation_level=None, check_same_thread=False)
        finalize(self, self._connection.close)
        self._lock = threading.Lock()

    def get(self, document: str) -> DocumentText | None:
        """Read one document from its position, or from its copy; one that cannot be read any more counts as missing."""
        try:
            with self._lock:
                record = self._from_position(document) if self._plain else self._from_copy(document)
        except (sqlite3.Error, OSError, InputError):
            return None
        return None if record is None else from_record(record)

    def copy(self, wanted: Collection[str], advance: Advance = None) -> None:
        """Copy what is wanted and was not looked for before, in one pass over the files."""
        missing = {document for document in wanted if self._copied(document) is None}
        if not missing:
            return
        texts: dict[str, str | None] = {}
        for path in self._paths:
            for record in records(path, advance):
                name = id_of(record)
                if name in missing and name not in texts:
                    texts[name] = dumps(record, default=str)
        rows = ((as_stored(name), texts.get(name)) for name in sorted(missing))
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT OR REPLACE INTO copies VALUES (?, ?)", rows)

    def _copied(self, document: str) -> tuple[str | None] | None:
        query = "SELECT record FROM copies WHERE id = ?"
        row: tuple[str | None] | None = self._connection.execute(query, (as_stored(document),)).fetchone()
        return row

    def _from_copy(self, document: str) -> dict[str, Any] | None:
        row = self._copied(document)
        return None if row is None or row[0] is None else loads(row[0])

    def _from_position(self, document: str) -> dict[str, Any] | None:
        query = "SELECT file, begin, size FROM places WHERE hash = ? ORDER BY rowid"
        for number, begin, size in self._connection.execute(query, (_hash(document),)):
            with open(self._paths[number], "rb") as file:
                file.seek(begin)
                record = json_object(file.read(size), self._paths[number], EVERY_LINE)
            if id_of(record) == document:  # another document may have the same hash
                return record
        return None


def _record_positions(paths: Sequence[str], advance: Advance) -> Iterator[tuple[int, int, int, int]]:
    """Hash of the id, file, beginning and length of every record."""
    total, before, done = sum(map(os.path.getsize, paths)), 0, 0
    for number, path in enumerate(paths):
        begin = 0
        with open(path, "rb", buffering=1 << 20) as file:
            for line_number, line in enumerate(file, 1):
                if line.strip():
                    yield _hash(_name(line, f"{path}:{line_number}")), number, begin, len(line)
                begin += len(line)
                done += 1
                if advance is not None and done % AT_ONCE == 0:
                    advance(before + begin, total)
        before += begin


def _name(line: bytes, where: str) -> str:
    name = id_of(json_object(line, where, EVERY_LINE))
    if name is None:
        raise InputError(f"{where}: no id found; every line needs {EVERY_LINE}")
    return name


def _make(index_path: str, paths: Sequence[str], rows: Any, advance: Advance) -> None:
    """Write the index; it can be made anew, so nothing waits for the disk."""
    schema = f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}"
    with new_database(index_path, schema, "free space, or name a folder you may write") as connection:
        stamps = ((number, *_stamp(path)) for number, path in enumerate(paths))
        connection.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", stamps)
        if rows is not None:
            connection.executemany("INSERT INTO places VALUES (?, ?, ?, ?)", rows(paths, advance))
            connection.execute("CREATE INDEX by_hash ON places (hash)")


def _fresh(index_path: str, paths: Sequence[str]) -> bool:
    """Whether an index is there and was made from these files as they are."""
    if not os.path.exists(index_path):
        return False
    try:
        connection = sqlite3.connect(index_path)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            files = connection.execute("SELECT path, size, changed FROM files ORDER BY number").fetchall()
        finally:
            connection.close()
    except sqlite3.Error:
        return False
    return bool(version == VERSION and files == [_stamp(path) for path in paths])


def _stamp(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return os.path.basename(path), status.st_size, status.st_mtime_ns


def _index_path(path: str, beside: str) -> str:
    """The index beside the documents if that folder can be written, otherwise beside the plan."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.access(folder, os.W_OK) or os.path.exists(path + ENDING):
        return path + ENDING
    return os.path.join(os.path.dirname(os.path.abspath(beside)), os.path.basename(path) + ENDING)


def _hash(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
