"""Parquet files: one run or several, faults and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest
from tests.kit.table_errors import CALLED, EVERY_LABEL, EVERY_SCORE, QRELS, RUN, TWICE, qrels_error, run_error

import poolwise as pw
from poolwise.reading.columns import SCORE

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def parquet(tmp_path: Path) -> Callable[..., Path]:
    def write(**columns: list[Any]) -> Path:
        path = tmp_path / "table.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return path

    return write


def test_parquet(parquet: Callable[..., Path]) -> None:
    path = parquet(topic=["1", "1", "2"], document=["d2", "d1", "d1"], score=[2, 3, 1])
    assert pw.read(QRELS, path).ranking("table", "1") == ["d1", "d2"]
    path = parquet(topic=[1, 1], document=["d2", "d1"], label=[2, 0])
    assert pw.read(path, {"mine": RUN}).judgments.of("1") == {"d1": 0, "d2": 2}


def test_faulty_parquet(parquet: Callable[..., Path]) -> None:
    path = parquet(topic=["1"], document=["d1"])
    found = f"found 'topic', 'document'; {CALLED}"
    assert run_error(path) == f"{path}: no column called {' or '.join(map(repr, SCORE))}; {found}"
    assert qrels_error(path).startswith(f"{path}: no column called 'label' or 'relevance'")
    parquet(topic=["1", None], document=["d1", "d2"], score=[1.0, 2.0])
    assert run_error(path) == f"{path}: row 2 has no topic; every row needs topic and document"
    parquet(topic=["1", "1"], document=["d1", "d2"], score=[1.0, None])
    assert run_error(path) == f"{path}: row 2: score None is not a number; {EVERY_SCORE}"
    parquet(topic=["1"], document=["d1"], score=["high"])
    assert run_error(path) == f"{path}: row 1: score 'high' is not a number; {EVERY_SCORE}"
    parquet(topic=["1"], document=[["d1"]], score=[1.0])
    assert run_error(path) == f"{path}: row 1: document ['d1'] is a list; ids are texts or whole numbers"
    parquet(topic=["1"], document=["d1"], label=["1"])
    assert qrels_error(path) == f"{path}: row 1: label '1' is not a number; {EVERY_LABEL}"
    parquet(topic=[], document=[], score=[])
    assert run_error(path) == f"{path}: the run is empty; every line needs topic Q0 document rank score tag"


def test_truncated_parquet(parquet: Callable[..., Path]) -> None:
    path = parquet(topic=["1"], document=["d1"], score=[1.0])
    path.write_bytes(path.read_bytes()[:-10])
    said = run_error(path)
    assert said.startswith(f"{path}: the Parquet file cannot be read (")
    assert said.endswith("); write the file again")


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    path = tmp_path / "both.parquet"
    table = {"topic": ["1", "2", "1"], "document": ["d1", "d1", "d2"], "score": [1.0, 1.0, 2.0], "run": ["a", "b", "b"]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    return path


def test_parquet_of_several_runs(two_runs: Path) -> None:
    """As a frame with such a column; one run was made of all rows."""
    pool = pw.read(QRELS, two_runs)
    assert pool.runs == ["a", "b"]
    assert pool.score("NumRet").means().tolist() == [[1.0], [2.0]]
    assert pool.runs == pw.read(QRELS, pandas.read_parquet(two_runs)).runs


def test_faults_of_one_of_several_runs(two_runs: Path) -> None:
    table = {"topic": ["1", "1", "1"], "document": ["d1", "d1", "d1"], "score": [1.0, 1.0, 2.0], "run": ["a", "b", "b"]}
    pyarrow.parquet.write_table(pyarrow.table(table), two_runs)
    assert run_error(two_runs) == f"{two_runs}: run 'b': row 2: document 'd1' of topic '1' {TWICE}"


def test_several_runs_where_one_is_read(two_runs: Path, tmp_path: Path) -> None:
    from poolwise.scores.stream import score_stream

    said = "2 runs found, 'a' and 'b' among them, where one is read"
    assert run_error({"mine": two_runs}).startswith(f"{two_runs}: {said}")
    other = tmp_path / "both"
    other.write_bytes(two_runs.read_bytes())
    assert run_error(other).startswith(f"{other}: {said}")
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    table = {"topic": [1, 2, 2], "document": ["d1", "d1", "d2"], "score": [1.0, 1.0, 2.0], "run": ["a", "b", "b"]}
    pyarrow.parquet.write_table(pyarrow.table(table), two_runs)
    with pytest.raises(pw.InputError, match=said):
        score_stream(tmp_path / "qrels", two_runs, measures=["AP"])


def test_one_run_of_a_column_keeps_the_name_of_its_file(parquet: Callable[..., Path]) -> None:
    path = parquet(topic=["1"], document=["d1"], score=[1.0], tag=["bm25"])
    assert pw.read(QRELS, path).runs == [path.stem]


def test_columns_that_are_no_text(parquet: Callable[..., Path]) -> None:
    path = parquet(topic=["1", "2"], document=["d1", "d1"], score=[1.0, 2.0], run=[["a"], ["b"]])
    assert "a list; ids are texts or whole numbers" in run_error(path)
    damaged = pyarrow.array([b"d\xff", b"d1"]).view(pyarrow.string())
    path = parquet(topic=["1", "1"], document=damaged, score=[1.0, 2.0])
    said = run_error(path)
    assert said.startswith(f"{path}: the Parquet file cannot be read (")
    assert "UTF8" in said
    assert said.endswith("; write the file again")


@pytest.mark.parametrize("label", [-(2**31), -(2**31) + 1])
def test_labels_that_the_core_reserves(parquet: Callable[..., Path], tmp_path: Path, label: int) -> None:
    """They would be taken for documents that are not judged, or not in the pool."""
    from poolwise.scores.partitioned import score_log
    from poolwise.scores.stream import score_stream

    path = parquet(topic=["1", "1"], document=["d1", "d2"], label=[1, label], score=[1.0, 2.0])
    (tmp_path / "run").write_text("1 Q0 d1 1 1 x\n")
    said = f"row 2: label {label} is out of range; labels are whole numbers from -2147483646"
    assert said in qrels_error(path)
    with pytest.raises(pw.InputError, match=said):
        score_stream(path, tmp_path / "run", measures=["AP"])
    with pytest.raises(pw.InputError, match=said):
        score_log(path, measures=["AP"])
