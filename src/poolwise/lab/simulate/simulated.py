"""A simulated campaign: compact arrays, and views of them as dicts and files.

Lines are built as a matrix of bytes with one row per line. Unused cells are zero, and removing the zeros gives the
text. This is about twenty times as fast as formatting line by line.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poolwise.basics.settings import known_name
from poolwise.basics.words import counted
from poolwise.basics.writing import make_folder, write_bytes
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign

if TYPE_CHECKING:
    Bytes = NDArray[np.uint8]
if TYPE_CHECKING:
    Shown = int | NDArray[np.int64]
SOURCES = 8  # of the collection, with different lengths of ids, as in collections of several newspapers
SCORE_UNIT = 10_000  # scores are multiples of 1/10000: four decimals are printed and read back exactly
PADDING = np.array([2, 0, 1, 0, 3, 1, 2, 0])  # additional leading zeros in the ids of each source
ENDINGS = {None: "", "gz": ".gz", "bz2": ".bz2", "xz": ".xz"}


def identifiers(numbers: NDArray[np.int32], collection: int) -> list[str]:
    """Document ids of document numbers below `collection`. Ids sort as their numbers do.

    >>> identifiers(np.array([0, 74_999, 75_000], dtype=np.int32), 600_000)
    ['SIM01-0000000', 'SIM01-0074999', 'SIM02-00000']
    """
    return joined([identifier_cells(numbers, collection), b"\n"]).decode().splitlines()


def identifier_cells(numbers: NDArray[np.int32], collection: int) -> Bytes:
    """Document ids as rows of bytes. Sources have numbers of different width."""
    size = -(-collection // SOURCES)
    source, number = np.divmod(numbers.ravel().astype(np.uint32), np.uint32(size))
    widths = PADDING + len(str(size - 1))
    prefix = np.frombuffer(b"".join(b"SIM%02d-" % (index + 1) for index in range(SOURCES)), dtype=np.uint8)
    digits = digit_cells(number, int(widths.max()), widths[source])
    return np.hstack([prefix.reshape(SOURCES, 6)[source], digits])


def digit_cells(number: NDArray[np.uint32], columns: int, shown: Shown) -> Bytes:
    """The last `shown` decimal digits as rows of bytes, with zero bytes to the left."""
    text = np.empty((number.size, columns), dtype=np.uint8)
    for index in range(columns):
        # 48 is the character 0.
        digit = number // np.uint32(10**index) % np.uint32(10) + np.uint32(48)
        text[:, columns - 1 - index] = digit if isinstance(shown, int) else digit * (index < shown)
    return text


def run_text(name: str, topics: Bytes, identifier: Bytes, ranks: Bytes, units: NDArray[np.int32]) -> bytes:
    """Lines `topic Q0 document rank score tag` of one run. Every array has one row per line.

    >>> topics, ranks = text_cells(["101", "101"]), text_cells(["1", "2"])
    >>> ids = text_cells(["SIM01-0000007", "SIM02-00003"])
    >>> run_text("a", topics, ids, ranks, np.array([31250, -500], dtype=np.int32))
    b'101 Q0 SIM01-0000007 1 3.1250 a\\n101 Q0 SIM02-00003 2 -0.0500 a\\n'
    """
    return joined([topics, b" Q0 ", identifier, b" ", ranks, b" ", score_cells(units), f" {name}\n".encode()])


def qrels_text(topics: Bytes, identifier: Bytes, labels: NDArray[np.int8]) -> bytes:
    """Lines `topic 0 document label`.

    >>> qrels_text(text_cells(["101"]), text_cells(["SIM01-0000007"]), np.array([-2], dtype=np.int8))
    b'101 0 SIM01-0000007 -2\\n'
    """
    # All 8-bit labels as text, indexed by label + 128.
    names = text_cells([str(label) for label in range(-128, 128)])
    return joined([topics, b" 0 ", identifier, b" ", names[labels.astype(np.int64) + 128], b"\n"])


def score_cells(units: NDArray[np.int32]) -> Bytes:
    """Scores with four decimals as rows of bytes, zero where nothing is printed."""
    whole, rest = np.divmod(np.abs(units).astype(np.uint32), np.uint32(SCORE_UNIT))
    columns = len(str(int(whole.max(initial=0))))
    lengths = 1 + sum((whole >= 10**index).astype(np.int64) for index in range(1, columns))
    sign = np.where(units < 0, np.uint8(ord("-")), np.uint8(0))[:, None]
    point = np.full_like(sign, ord("."))
    return np.hstack([sign, digit_cells(whole, columns, lengths), point, digit_cells(rest, 4, 4)])


def text_cells(texts: Sequence[str]) -> Bytes:
    """ASCII texts as rows of bytes, zero past their ends."""
    array = np.array([text.encode() for text in texts], dtype=np.bytes_)
    return array.view(np.uint8).reshape(array.size, array.dtype.itemsize)


def joined(parts: list[Bytes | bytes]) -> bytes:
    """Rows of the parts side by side, without zero bytes. A `bytes` part is repeated in every row."""
    cells = [np.frombuffer(part, dtype=np.uint8) if isinstance(part, bytes) else part for part in parts]
    rows = max(cell.shape[0] for cell in cells if cell.ndim == 2)
    text = np.empty((rows, sum(cell.shape[-1] for cell in cells)), dtype=np.uint8)
    start = 0
    for cell in cells:
        text[:, start : start + cell.shape[-1]] = cell
        start += cell.shape[-1]
    return bytes(text[text != 0].tobytes())


def packed_bytes(text: bytes, compression: str | None) -> bytes:
    """Compressed text. gzip has no time stamp, so that a seed always gives the same bytes."""
    if compression == "gz":
        return gzip.compress(text, compresslevel=6, mtime=0)
    if compression == "bz2":
        return bz2.compress(text)
    return lzma.compress(text, preset=1) if compression == "xz" else text


def check_compression(compression: str | None) -> str:
    """The file ending of a compression."""
    if compression not in ENDINGS:
        raise ArgumentError(f"compression {compression!r} is not known; use None, 'gz', 'bz2' or 'xz'")
    return ENDINGS[compression]


@dataclass(frozen=True, eq=False)
class Simulated:
    """A campaign whose every label is known; made by `simulate`.

    `rankings[r, t]` holds document numbers in rank order and -1 past the end of the list;
    `score_units[r, t]` the scores, in whole units of 1/10000. The known documents of topic t, those that are
    relevant or that a run retrieved, are the slice `offsets[t]` to `offsets[t + 1]` of `documents`
    (ascending), `labels` and `pooled`; any document not among them is not relevant (label 0 or negative). A
    document number stands for an id (`identifiers`), and ids sort as numbers do.
    """

    runs: list[str]
    topics: list[str]
    groups: list[str]  # family of each run
    contributing: list[str]  # runs whose top documents were judged
    depth: int
    pool_depth: int
    grades: int
    negative: float
    seed: int
    collection: int  # number of documents in the collection
    rankings: NDArray[np.int32] = field(repr=False)
    score_units: NDArray[np.int32] = field(repr=False)
    offsets: NDArray[np.int64] = field(repr=False)
    documents: NDArray[np.int32] = field(repr=False)
    labels: NDArray[np.int8] = field(repr=False)
    pooled: NDArray[np.bool_] = field(repr=False)

    def __repr__(self) -> str:
        return f"<Simulated: {counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}, seed {self.seed}>"

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores, runs x topics x depth; NaN past the end of a list."""
        return np.where(self.rankings >= 0, self.score_units / SCORE_UNIT, np.nan)

    def identifiers(self, numbers: NDArray[np.int32]) -> list[str]:
        """Give the ids of documents.

        Parameters
        ----------
        numbers : array
            Document numbers.

        Returns
        -------
        list of str
            Their ids.
        """
        return identifiers(numbers, self.collection)

    def qrels(self) -> dict[str, dict[str, int]]:
        """Labels of the judged documents, by topic and document.

        >>> from poolwise import simulate
        >>> judged = simulate(runs=3, topics=2, depth=10, negative=0, seed=1).qrels()
        >>> sorted({label for labels in judged.values() for label in labels.values()})
        [0, 1, 2]
        """
        return self._by_topic(self.pooled)

    def truth(self) -> dict[str, dict[str, int]]:
        """Labels of all documents that are relevant or that a run retrieved, by topic and document."""
        return self._by_topic(np.ones_like(self.pooled))

    def run(self, name: str) -> dict[str, dict[str, float]]:
        """Give one run's scores by topic and document, without the topics it lacks.

        Parameters
        ----------
        name : str
            One of `runs`.

        Returns
        -------
        dict
            Dicts of scores by topic.
        """
        row = known_name("run", name, self.runs)
        result = {}
        for column, topic in enumerate(self.topics):
            numbers = self.rankings[row, column]
            numbers = numbers[numbers >= 0]
            values = (self.score_units[row, column, : numbers.size] / SCORE_UNIT).tolist()
            result[topic] = dict(zip(self.identifiers(numbers), values, strict=True))
        return {topic: values for topic, values in result.items() if values}

    def pool(self) -> Campaign:
        """The campaign as `poolwise.read` would join it, with the judged documents' labels.

        >>> from poolwise import simulate
        >>> len(simulate(runs=3, topics=2, depth=10, seed=1).pool().runs)
        3
        """
        from poolwise.campaign.campaign import read

        return read(self.qrels(), {name: self.run(name) for name in self.runs})

    def write(
        self,
        directory: str | os.PathLike[str],
        compression: Literal["gz", "bz2", "xz"] | None = None,
        *,
        texts: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write `runs/<name>.txt`, `truth.txt` and `qrels.txt` in TREC format.

        Every file is written under a temporary name and renamed, `qrels.txt` last: where it stands, the campaign is
        whole.

        Parameters
        ----------
        directory : path
            The folder.
        compression : {"gz", "bz2", "xz"}, optional
            Adds its ending to the names.
        texts : bool
            Whether to write `topics.jsonl` and `documents.jsonl` too, for trying out `poolwise judge`.
        progress : callable, optional
            Called after each file with how many are done and how many there are.
        """
        packed = check_compression(compression)
        ending = ".txt" + packed
        others = ["qrels" + ending, *(each + packed for each in ("topics.jsonl", "documents.jsonl") if texts)]
        folder = prepared(Path(directory), {name + ending for name in self.runs}, others)
        total = len(self.runs) + 2
        if texts:
            from poolwise.lab.simulate.texts import documents_text, topics_text

            write_bytes(folder / f"topics.jsonl{packed}", packed_bytes(topics_text(self), compression))
            write_bytes(folder / f"documents.jsonl{packed}", packed_bytes(b"".join(documents_text(self)), compression))
        for row, name in enumerate(self.runs):
            write_bytes(folder / "runs" / (name + ending), packed_bytes(self._run_text(row), compression))
            if progress:
                progress(row + 1, total)
        for done, (name, chosen) in enumerate((("truth", np.ones_like(self.pooled)), ("qrels", self.pooled))):
            write_bytes(folder / (name + ending), packed_bytes(self._qrels_text(chosen), compression))
            if progress:
                progress(len(self.runs) + done + 1, total)

    def _by_topic(self, chosen: NDArray[np.bool_]) -> dict[str, dict[str, int]]:
        result = {}
        for column, topic in enumerate(self.topics):
            part = slice(self.offsets[column], self.offsets[column + 1])
            keep = chosen[part]
            ids = self.identifiers(self.documents[part][keep])
            result[topic] = dict(zip(ids, self.labels[part][keep].tolist(), strict=True))
        return result

    def _run_text(self, row: int) -> bytes:
        present = self.rankings[row] >= 0
        topics, ranks = np.nonzero(present)
        return run_text(
            self.runs[row],
            text_cells(self.topics)[topics],
            identifier_cells(self.rankings[row][present], self.collection),
            text_cells([str(rank + 1) for rank in range(self.depth)])[ranks],
            self.score_units[row][present],
        )

    def _qrels_text(self, chosen: NDArray[np.bool_]) -> bytes:
        topics = np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))[chosen]
        ids = identifier_cells(self.documents[chosen], self.collection)
        return qrels_text(text_cells(self.topics)[topics], ids, self.labels[chosen])


def prepared(folder: Path, names: set[str], others: Sequence[str] = ()) -> Path:
    """Make the folder and its `runs`, and refuse other files in them: they would be read as runs of this campaign.

    `others` are files next to `runs`. Without truth.txt they belong to the user, and are not replaced.
    """
    mine = [folder / name for name in others if (folder / name).exists()]
    if mine and not any(folder.glob("truth.txt*")):
        raise ArgumentError(
            f"{mine[0]}: is there already and of no simulated campaign, which would have truth.txt beside it; move it, "
            "or choose another directory"
        )
    runs = folder / "runs"
    make_folder(runs)
    others = sorted(path.name for path in runs.iterdir() if path.name not in names)
    if others:
        raise ArgumentError(
            f"{runs} already holds {counted(len(others), 'other file')} such as {others[0]}, which would be read as "
            "runs of this campaign; remove them or choose another directory"
        )
    return folder
