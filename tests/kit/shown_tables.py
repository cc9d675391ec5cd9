"""Plans as tables in files of several formats, by way of a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_frame(table: Any, path: Path) -> Path:
    """Write a polars frame in the format that the file's ending names."""
    if path.suffix == ".parquet":
        table.write_parquet(path)
    elif path.suffix == ".jsonl":
        table.write_ndjson(path)
    elif path.suffix == ".json":
        table.write_json(path)
    else:
        table.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path
