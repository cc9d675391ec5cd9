"""Where judgments and runs come from: what the user gave becomes a list of named sources."""

from __future__ import annotations

import os

from poolwise.basics.words import short
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

COMPRESSION_ENDINGS = (".gz", ".xz", ".bz2", ".zst", ".lz4")
PARQUET_ENDINGS = (".parquet", ".parq")
TABLE_ENDINGS = (".csv", ".tsv", ".json", ".jsonl")  # of text with names of columns, which may tell runs apart
LONGEST_PATH = 4096  # signs
MOST_NAMES = 1000  # of a folder's files that a misspelt name is held against
RUN_ENDINGS = (".txt", ".run", ".trec", ".res", ".json", ".jsonl", ".csv", ".tsv", *PARQUET_ENDINGS)


class Source:
    """A name and where its lines are: a path (`-` for standard input) or a table in memory.

    `columns` says what the columns of a table are called, by our names for them; `notes` are what readers found odd.
    """

    __slots__ = ("columns", "name", "notes", "path", "shown_name", "table")

    def __init__(
        self,
        name: str,
        path: str | None = None,
        table: Any = None,
        shown_name: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.path = path
        self.table = table
        self.shown_name = shown_name
        self.columns = columns
        self.notes: list[str] = []

    @property
    def where(self) -> str:
        """How error messages call it."""
        return self.shown_name or ("standard input" if self.path == "-" else self.path or self.name)

    @property
    def once(self) -> bool:
        """Whether it can be read once only: standard input, a pipe, a device."""
        return self.path is not None and is_stream(self.path)


def is_stream(path: str) -> bool:
    """Whether a path names a stream, which cannot be read twice, instead of a regular file.

    >>> is_stream("-"), is_stream(__file__)
    (True, False)
    """
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path))


def run_name(path: str) -> str:
    """Name a run by its file, less one compression ending and then one ending of runs.

    >>> run_name("runs/bm25.txt.gz"), run_name("bm25.v2.parquet")
    ('bm25', 'bm25.v2')
    """
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    for endings in (COMPRESSION_ENDINGS, RUN_ENDINGS):
        stem, ending = os.path.splitext(name)
        if stem and ending in endings:
            name = stem
    return name


def file_or_table(data: Any, name: str) -> Source:
    """Turn what the user gave into a source: a path that must be there, or data in memory."""
    if is_path(data):
        path = os.fsdecode(data)
        _check_file(path)
        return Source(name, path)
    return Source(name, table=data)


def ending_of(path: str) -> str:
    """The ending of a file's name, less one of compression.

    >>> ending_of("labels.csv.gz")
    '.csv'
    """
    stem, ending = os.path.splitext(path)
    return os.path.splitext(stem)[1] if ending in COMPRESSION_ENDINGS else ending


def qrels_source(qrels: Any, columns: Mapping[str, str] | None = None) -> Source:
    """Turn what the user gave as judgments into a source: a file, an id of ir_datasets, or a table."""
    if is_path(qrels):
        path = os.fsdecode(qrels)
        dataset = _dataset(path, "qrels")
        if dataset is not None:
            return Source("qrels", table=dataset, shown_name=path)
        if os.path.isdir(path):
            raise InputError(f"{path}: is a directory, and judgments are one file; they come first, then runs")
    source = file_or_table(qrels, "qrels")
    source.columns = columns
    return source


def run_sources(
    runs: Iterable[Any],
    split: bool = True,
    columns: Mapping[str, str] | None = None,
    judgments: Source | None = None,
) -> list[Source]:
    """Turn what the user gave as runs into named sources; equal names are an error.

    A file of rows with several runs becomes as many tables; without `split` it stays a file. The file of the judgments
    is none of the runs where it lies among them; that it was left out is kept with the judgments.
    """
    listed = list(runs)
    sources = [source for data in listed for source in sources_of(data, split, columns)]
    if judgments is not None:
        sources = _without_judgments(sources, judgments, {os.fsdecode(data) for data in listed if is_path(data)})
    for source in sources:
        source.columns = columns
    if not sources:
        raise ArgumentError("no runs were given; name at least one run file, directory or table")
    check_standard_input(sources)
    seen: dict[str, Source] = {}
    for source in sources:
        if source.name in seen:
            raise InputError(
                f"two runs are called {source.name!r}: {seen[source.name].where} and {source.where}; rename one of them"
            )
        seen[source.name] = source
    return sources


def _without_judgments(sources: list[Source], judgments: Source, named: set[str]) -> list[Source]:
    """Runs without the file of the judgments, which a folder or pattern may include. A table may be both."""
    if judgments.path is None or judgments.once or len(sources) < 2:
        return sources
    others = [source for source in sources if not _is_file_of(judgments.path, source, named)]
    if others and len(others) < len(sources):
        judgments.notes.append(f"{judgments.path} holds the judgments and is left out of the runs")
        return others
    return sources


def _is_file_of(path: str, source: Source, named: set[str]) -> bool:
    run_path = source.path
    if run_path is None or not (os.path.isfile(run_path) and os.path.samefile(path, run_path)):
        return False
    return run_path not in named or not run_path.endswith((*TABLE_ENDINGS, *PARQUET_ENDINGS))


def check_standard_input(sources: list[Source]) -> None:
    """Refuse to read standard input twice."""
    if sum(source.path == "-" for source in sources) > 1:
        raise ArgumentError("standard input can be read once only; give - for the judgments or for one run")


def is_path(data: Any) -> bool:
    """Whether the value names a file rather than holding data."""
    return isinstance(data, (str, os.PathLike))


def _dataset(text: str, part: str) -> Any:
    """The dataset of ir_datasets that this names where there is no such file; None for all else."""
    if os.path.exists(text) or text == "-":
        return None
    from poolwise.reading.opening import dataset_named

    return dataset_named(text, part)


def sources_of(data: Any, split: bool, columns: Mapping[str, str] | None) -> list[Source]:
    """The sources that one argument names: those of a directory, of a dict of runs, of a frame of several."""
    if is_path(data):
        dataset = _dataset(os.fsdecode(data), "scoreddocs")
        if dataset is not None:
            from poolwise.reading.opening import plain_id

            return [Source(plain_id(os.fsdecode(data)), table=dataset, shown_name=os.fsdecode(data))]
        return [source for path in paths_of(os.fsdecode(data)) for source in _sources_in(path, split, columns)]
    from poolwise.reading.columns import is_run_object

    if isinstance(data, dict) and data and not _is_one_run(data):
        return [
            Source(str(name), os.fsdecode(value)) if is_path(value) else Source(str(name), table=value)
            for name, value in data.items()
        ]
    if isinstance(data, (list, tuple)) and data and all(is_path(item) or is_run_object(item) for item in data):
        return [source for item in data for source in sources_of(item, split, columns)]
    if not isinstance(data, (dict, list, tuple)) and hasattr(type(data), "columns"):
        from poolwise.reading.tables import split_by_run

        return [Source(name, table=table) for name, table in split_by_run(data, columns=columns)]
    name = data.name if is_run_object(data) else None
    return [Source(str(name or "run"), table=data)]


def _sources_in(path: str, split: bool, columns: Mapping[str, str] | None) -> list[Source]:
    """A file's runs: one, called by the file's name, or those that a column names."""
    named = _named_runs(path, columns) if split and os.path.isfile(path) else []
    if named:
        return [Source(name, table=table, shown_name=f"{path}: run {name!r}") for name, table in named]
    return [Source(run_name(path), path)]


def _named_runs(path: str, columns: Mapping[str, str] | None) -> list[tuple[str, Any]]:
    if path.endswith(PARQUET_ENDINGS):
        from poolwise.reading.tables import runs_of_parquet

        return runs_of_parquet(path, columns)
    if ending_of(path) in TABLE_ENDINGS or (columns and "run" in columns):
        from poolwise.reading.named_columns import runs_of_table

        return runs_of_table(path, columns)
    return []


def _is_one_run(data: dict[Any, Any]) -> bool:
    """Whether a dict is topic -> document -> score, rather than name -> run."""
    first = next((value for value in data.values() if isinstance(value, dict) and value), None)
    return first is not None and not any(_holds_more(value) for value in first.values())


def _holds_more(value: Any) -> bool:
    """Whether this is no score, but documents of a topic: a dict, a series, a list."""
    return isinstance(value, (list, tuple)) or hasattr(value, "items")


def paths_of(text: str) -> list[str]:
    """The files that a path, a directory or a glob names."""
    if text == "-":
        return [text]
    if len(text) > LONGEST_PATH or "\0" in text:
        raise InputError(f"{short(text)}: no file can be called so; check the path")
    if os.path.isdir(text):
        paths = _files_in(text)
        if not paths:
            raise InputError(
                f"{text}: the directory holds no files; {_folders_in(text) or 'put runs in it or name another'}"
            )
        return paths
    if not os.path.exists(text) and any(character in text for character in "*?["):
        from glob import glob

        paths = sorted(path for path in glob(text, recursive=True) if os.path.isfile(path))
        if not paths:
            raise InputError(f"{text}: no file matches; check the pattern")
        return paths
    _check_file(text)
    return [text]


def _files_in(directory: str) -> list[str]:
    """Files of a directory by name; a link that leads nowhere is among them, to be reported when it is read."""
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.path for entry in entries if _is_run(entry) and not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"{directory}: cannot be read ({error.strerror}); check its permissions") from error


def _folders_in(directory: str) -> str:
    """Which folders are there instead, in words; nothing if there are none."""
    with os.scandir(directory) as entries:
        folders = sorted(entry.path for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    return f"name a folder of runs: it has {', '.join(folders[:5])}" if folders else ""


def _is_run(entry: os.DirEntry[str]) -> bool:
    return entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))


def _check_file(path: str) -> None:
    if path == "-":
        return
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file; {_near(path) or 'check the path'}")
    if os.path.isdir(path):
        raise InputError(f"{path}: is a directory; name a file")


def _near(path: str) -> str:
    """A question that offers files of the same folder with names like one that is not there."""
    from difflib import get_close_matches
    from itertools import islice

    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_NAMES))
    except OSError:
        return ""
    stems = {run_name(each): each for each in names}  # endings alone make names alike
    near = [os.path.join(folder, stems[stem]) for stem in get_close_matches(run_name(name), stems, 3, 0.7)]
    return f"did you mean {', '.join(near)}?" if near else ""
