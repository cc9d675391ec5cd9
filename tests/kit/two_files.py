"""A folder with a qrels file and a run, either of which a test replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

import poolwise as pw

RUN_LINE = "every line needs topic Q0 document rank score tag"
LABEL_LINE = "every line needs topic iteration document label"
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
RUN = b"1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 d1 1 1 a\n"


class Folder:
    """A folder with a qrels file and a run, either of which a test replaces."""

    def __init__(self, path: Path) -> None:
        self.qrels, self.run = path / "qrels.txt", path / "mine.txt"
        self.qrels.write_bytes(QRELS)
        self.run.write_bytes(RUN)

    def read(self, **options: object) -> pw.Campaign:
        return pw.read(self.qrels, self.run, **options)

    def reads_run(self, data: bytes, **options: object) -> pw.Campaign:
        self.run.write_bytes(data)
        return self.read(**options)

    def reads_qrels(self, data: bytes, **options: object) -> pw.Campaign:
        self.qrels.write_bytes(data)
        return self.read(**options)

    def error(self, **options: object) -> str:
        with pytest.raises(pw.InputError) as caught:
            self.read(**options)
        return str(caught.value)

    def run_error(self, data: bytes, **options: object) -> str:
        """What is said of a run, less the path of the file."""
        self.run.write_bytes(data)
        return _without(self.error(**options), self.run)

    def qrels_error(self, data: bytes, **options: object) -> str:
        self.qrels.write_bytes(data)
        return _without(self.error(**options), self.qrels)


def _without(message: str, path: Path) -> str:
    assert message.startswith(f"{path}:")
    return message.removeprefix(f"{path}:")
