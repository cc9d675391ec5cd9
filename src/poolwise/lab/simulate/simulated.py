"""A simulated campaign: compact arrays, and views of them as dicts and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poolwise.basics.settings import known_name
from poolwise.basics.words import counted
from poolwise.basics.writing import make_folder, write_bytes
from poolwise.errors import ArgumentError
from poolwise.lab.simulate import write as text

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign

__all__ = ["Simulated"]


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
        return np.where(self.rankings >= 0, self.score_units / text.SCORE_UNIT, np.nan)

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
        return text.identifiers(numbers, self.collection)

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
            values = (self.score_units[row, column, : numbers.size] / text.SCORE_UNIT).tolist()
            result[topic] = dict(zip(self.identifiers(numbers), values, strict=True))
        return {topic: values for topic, values in result.items() if values}

    def pool(self) -> Campaign:
        """The campaign as `poolwise.read` would join it, with the judged documents' labels.

        >>> from poolwise import simulate
        >>> len(simulate(runs=3, topics=2, depth=10, seed=1).pool().runs)
        3
        """
        from poolwise.campaign.read_campaign import read

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
        packed = text.check_compression(compression)
        ending = ".txt" + packed
        others = ["qrels" + ending, *(each + packed for each in ("topics.jsonl", "documents.jsonl") if texts)]
        folder = prepared(Path(directory), {name + ending for name in self.runs}, others)
        total = len(self.runs) + 2
        if texts:
            from poolwise.lab.simulate.texts import documents_text, topics_text

            write_bytes(folder / f"topics.jsonl{packed}", text.packed(topics_text(self), compression))
            write_bytes(folder / f"documents.jsonl{packed}", text.packed(b"".join(documents_text(self)), compression))
        for row, name in enumerate(self.runs):
            write_bytes(folder / "runs" / (name + ending), text.packed(self._run_text(row), compression))
            if progress:
                progress(row + 1, total)
        for done, (name, chosen) in enumerate((("truth", np.ones_like(self.pooled)), ("qrels", self.pooled))):
            write_bytes(folder / (name + ending), text.packed(self._qrels_text(chosen), compression))
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
        return text.run_text(
            self.runs[row],
            text.text_cells(self.topics)[topics],
            text.identifier_cells(self.rankings[row][present], self.collection),
            text.text_cells([str(rank + 1) for rank in range(self.depth)])[ranks],
            self.score_units[row][present],
        )

    def _qrels_text(self, chosen: NDArray[np.bool_]) -> bytes:
        topics = np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))[chosen]
        ids = text.identifier_cells(self.documents[chosen], self.collection)
        return text.qrels_text(text.text_cells(self.topics)[topics], ids, self.labels[chosen])


def prepared(folder: Path, names: set[str], others: Sequence[str] = ()) -> Path:
    """Make the folder and its `runs`; runs of another campaign in there would silently join this one.

    `others` are written beside `runs`. Where the truth is missing they are no simulated campaign's, but the user's own.
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
