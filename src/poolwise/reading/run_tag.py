"""The tag of a run file, which its last line has, and files that can be read twice to find it."""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TAIL = 1 << 16  # bytes in which the last line is looked for first
START = 16  # bytes that tell what kind of file it is
PLAIN = ""


class kept_on_disk:
    """A path that can be read twice; what cannot (standard input, a pipe) is put into a file for as long."""

    def __init__(self, path: str) -> None:
        self.path, self._made = path, False

    def __enter__(self) -> str:
        import os

        from poolwise.reading.sources import is_stream

        if is_stream(self.path) and not os.path.isdir(self.path):
            self.path, self._made = _spooled(self.path), True
        return self.path

    def __exit__(self, *error: object) -> None:
        if self._made:
            import os

            os.unlink(self.path)


def _spooled(path: str) -> str:
    import sys
    from shutil import copyfileobj
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile(delete=False) as file:
        if path == "-":
            copyfileobj(sys.stdin.buffer, file)
        else:
            with open(path, "rb") as stream:
                copyfileobj(stream, file)
    return file.name


def run_tag(path: str) -> str:
    """The sixth field of the last line that has one, which trec_eval prints as `runid`; comments are passed over."""
    with open(path, "rb") as file:
        kind = _core.kind_of(file.read(START))
        if kind == PLAIN:
            return _last_tag(_tail(file)) or _last_tag(_all(file))
    from poolwise.reading.opening import STREAM, opened
    from poolwise.reading.sources import Source

    with opened(Source(path, path), STREAM) as (text, kind):
        return "" if kind == "parquet" else _last_tag(_rolling_tail(text))


def _tail(file: Any) -> bytes:
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - TAIL))
    data: bytes = file.read()
    return data if size <= TAIL else data.partition(b"\n")[2]


def _all(file: Any) -> bytes:
    file.seek(0)
    return bytes(file.read())


def _rolling_tail(file: Any) -> bytes:
    """The end of what can be read in one direction only."""
    tail = b""
    while piece := file.read(TAIL):
        tail = (tail + piece)[-2 * TAIL :]
    return tail


def _last_tag(text: bytes) -> str:
    for line in reversed(text.splitlines()):
        fields = line.split()
        if len(fields) >= 6 and not line.startswith(b"#"):
            return fields[5].decode("utf-8", "surrogateescape")
    return ""
