"""SQLite files that are written whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager

from poolwise.basics.writing import temporary_name
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def new_database(path: str, schema: str, advice: str) -> Iterator[sqlite3.Connection]:
    """A new file to fill, under another name until all of it is there; `advice` says what to do when it cannot be."""
    part = temporary_name(path)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(schema)
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        os.replace(part, path)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"{path}: cannot be written ({error}); {advice}") from error
    finally:
        if os.path.exists(part):
            os.remove(part)
