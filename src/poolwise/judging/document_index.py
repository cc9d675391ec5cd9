"""The SQLite file beside documents: where each begins, or copies of those that a plan needs."""

from __future__ import annotations

import os
import sqlite3
import threading
from hashlib import blake2b
from json import dumps, loads
from weakref import finalize

from poolwise.errors import InputError
from poolwise.judging.document_files import EVERY_LINE, ending, kind_of, records
from poolwise.judging.document_text import DocumentText, from_record, id_of
from poolwise.judging.new_database import new_database
from poolwise.reading.json_objects import json_object
from poolwise.reading.judging_file import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from poolwise.judging.document_files import Advance

ENDING = ".index.sqlite"
VERSION = 1
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
    place = _place(paths[0], beside)
    if not _fresh(place, paths):
        _make(place, paths, _places if plain else None, advance)
    index = DocumentIndex(place, list(paths), plain)
    if not plain:
        index.copy(wanted, advance)
    return index


class DocumentIndex:
    """Documents of files by their ids."""

    def __init__(self, place: str, paths: list[str], plain: bool) -> None:
        self.place, self._paths, self._plain = place, paths, plain
        self._connection = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
        finalize(self, self._connection.close)
        self._lock = threading.Lock()

    def get(self, document: str) -> DocumentText | None:
        """Read one document from its place, or from its copy; one that cannot be read any more counts as missing."""
        try:
            with self._lock:
                record = self._from_place(document) if self._plain else self._from_copy(document)
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

    def _from_place(self, document: str) -> dict[str, Any] | None:
        query = "SELECT file, begin, size FROM places WHERE hash = ? ORDER BY rowid"
        for number, begin, size in self._connection.execute(query, (_hash(document),)):
            with open(self._paths[number], "rb") as file:
                file.seek(begin)
                record = json_object(file.read(size), self._paths[number], EVERY_LINE)
            if id_of(record) == document:  # another document may have the same hash
                return record
        return None


def _places(paths: Sequence[str], advance: Advance) -> Iterator[tuple[int, int, int, int]]:
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


def _make(place: str, paths: Sequence[str], rows: Any, advance: Advance) -> None:
    """Write the index; it can be made anew, so nothing waits for the disk."""
    schema = f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}"
    with new_database(place, schema, "free space, or name a folder you may write") as connection:
        stamps = ((number, *_stamp(path)) for number, path in enumerate(paths))
        connection.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", stamps)
        if rows is not None:
            connection.executemany("INSERT INTO places VALUES (?, ?, ?, ?)", rows(paths, advance))
            connection.execute("CREATE INDEX by_hash ON places (hash)")


def _fresh(place: str, paths: Sequence[str]) -> bool:
    """Whether an index is there and was made from these files as they are."""
    if not os.path.exists(place):
        return False
    try:
        connection = sqlite3.connect(place)
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


def _place(path: str, beside: str) -> str:
    """Beside the documents if that folder can be written, otherwise beside the plan."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.access(folder, os.W_OK) or os.path.exists(path + ENDING):
        return path + ENDING
    return os.path.join(os.path.dirname(os.path.abspath(beside)), os.path.basename(path) + ENDING)


def _hash(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
