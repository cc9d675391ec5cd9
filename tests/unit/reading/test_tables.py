"""Dicts, rows and data frames: the right pool, or an error that names the table and the row."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from tests.kit.table_errors import CALLED, EVERY_LABEL, EVERY_SCORE, QRELS, RUN, TWICE, qrels_error, run_error

import poolwise as pw
from poolwise.reading.columns import SCORE, TOPIC

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pandas.DataFrame,
    "polars": lambda columns: polars.DataFrame(columns, strict=False),
    "pyarrow": pyarrow.table,
}
NEEDS_BOTH = "every row needs topic and document"
RANGE = "is out of range; labels are whole numbers from -2147483646 to 2147483647"

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


# ---- Dicts and rows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (
            {"mine": {"1": 5}},
            "run: no topic in common with qrels ('mine' in the run, '1' and '2' in the judgments); "
            "check that both belong to the same campaign",
        ),
        ({"mine": {"1": {"d1": 1}, "2": 5}}, "mine: topic '2' holds 5; expected a dict from documents to values"),
        ({"mine": {"1": ["d1"]}}, "mine: topic '1' holds ['d1']; expected a dict from documents to values"),
        ({"mine": 5}, "mine: int cannot be read; use a path, a dict, a list of rows or a data frame"),
        ({"mine": None}, "mine: NoneType cannot be read; use a path, a dict, a list of rows or a data frame"),
        (5, "run: int cannot be read; use a path, a dict, a list of rows or a data frame"),
        ({}, "run: the run is empty; every line needs topic Q0 document rank score tag"),
        ([], "run: the run is empty; every line needs topic Q0 document rank score tag"),
        ({"mine": {"1": {}}}, "mine: the run is empty; every line needs topic Q0 document rank score tag"),
        ({"mine": {"1": {"d1": "3"}}}, f"mine: topic '1': document 'd1': score '3' is not a number; {EVERY_SCORE}"),
        ({"mine": {"1": {"d1": None}}}, f"mine: topic '1': document 'd1': score None is not a number; {EVERY_SCORE}"),
        ({"mine": {"1": {"d1": 1j}}}, f"mine: topic '1': document 'd1': score 1j is not a number; {EVERY_SCORE}"),
        (
            {"mine": {"1": {"d1": 1, "d2": float("nan")}}},
            "mine: topic '1': document 'd2': score 'nan' cannot be ranked; scores may be any number or inf, not NaN",
        ),
        ({"mine": {"1": {1: 1, "1": 2}}}, f"mine: topic '1': document '1': document '1' of topic '1' {TWICE}"),
        (
            {"mine": {1: {"d1": 1}, "1": {"d2": 1}}},
            "mine: two topics are called '1', as a text and as a number; join them",
        ),
        ({"mine": {None: {"d1": 1}}}, "mine has no topic; every row needs topic and document"),
        ({"mine": {"1": {"": 1}}}, "mine: topic '1' has no document; every row needs topic and document"),
        ({"mine": {"1": {1.5: 1}}}, "mine: topic '1': document 1.5 is a float; ids are texts or whole numbers"),
        ({"mine": {"1": {"a\nb": 1}}}, "mine: topic '1': an id holds a line break; ids are single words"),
        ({"mine": {"1\n": {"a": 1}}}, "mine: topic '1\\n': an id holds a line break; ids are single words"),
        (
            {"mine": {"1": {"\ud800": 1}}},
            "mine: topic '1': an id cannot be written as UTF-8 (surrogates not allowed); mend it",
        ),
        ([("1", "d1")], "run: row 1 is ('1', 'd1'); expected (topic, document, value)"),
        (
            [("1", "d1", 3), ("1", "Q0", "d2", 1, 3.0, "a")],
            "run: row 2 is ('1', 'Q0', 'd2', 1, 3.0, 'a'); expected (topic, document, value)",
        ),
        (["1 Q0 d1 1 3 a\n"], "1 Q0 d1 1 3 a\n: no such file; check the path"),
        ([("1", "d1", 3), ("2", "d1", 3), ("1", "d1", 1)], f"run: row 3: document 'd1' of topic '1' {TWICE}"),
        ([("1", "d1", 3), ("2", "d1", 3), ("2", "d2", "x")], f"run: row 3: score 'x' is not a number; {EVERY_SCORE}"),
        ([("1", "d1", 3), ("1", None, 3)], "run: row 2 has no document; every row needs topic and document"),
    ],
    ids=repr,
)
def test_runs_of_wrong_shape(run: Any, said: str) -> None:
    assert run_error(run) == said


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({}, "qrels: no judgments found; every line needs topic iteration document label"),
        ([], "qrels: no judgments found; every line needs topic iteration document label"),
        ({"1": {}}, "qrels: topic '1' holds no documents; judge some or leave the topic out"),
        ({"1": 5}, "qrels: topic '1' holds 5; expected a dict from documents to values"),
        ({"1": {"d1": "1"}}, f"qrels: topic '1': document 'd1': label '1' is not a number; {EVERY_LABEL}"),
        ({"1": {"d1": None}}, f"qrels: topic '1': document 'd1': label None is not a number; {EVERY_LABEL}"),
        (
            {"1": {"d1": float("nan")}},
            f"qrels: topic '1': document 'd1': label nan is not a number; {EVERY_LABEL}",
        ),
        (
            {"1": {"d1": float("inf")}},
            f"qrels: topic '1': document 'd1': label inf is not a number; {EVERY_LABEL}",
        ),
        *(
            ({"1": {"d1": label}}, f"qrels: topic '1': document 'd1': label {label} {RANGE}")
            for label in (2**31, -(2**31), -(2**31) + 1, 10**30)
        ),
        (
            [("1", "d1", 1), ("1", "d1", 0)],
            f"qrels: row 2: document 'd1' of topic '1' {TWICE}".replace("listed", "judged"),
        ),
        (5, "qrels: int cannot be read; use a path, a dict, a list of rows or a data frame"),
    ],
    ids=repr,
)
def test_judgments_of_wrong_shape(qrels: Any, said: str) -> None:
    assert qrels_error(qrels) == said


def test_numbers_of_many_types() -> None:
    """Ids may be whole numbers of any kind, labels anything that is whole, scores anything that is a number."""
    qrels = {1: {7: True, np.int64(8): np.float64(2.0), b"9": decimal.Decimal(0)}}
    scores = {"7": 10**400, 8: decimal.Decimal("1.5"), b"9": np.float32(0.5), "x": -(10**400), "y": False}
    pool = pw.read(qrels, {"mine": {np.int32(1): scores}})
    assert pool.judgments.of("1") == {"7": 1, "8": 2, "9": 0}
    assert pool.ranking("mine", "1") == ["7", "8", "9", "y", "x"]


def test_inputs_are_left_as_they_were() -> None:
    qrels, run = {"1": {"b": 1, "a": 0}}, {"1": {"b": 1, "a": 2}}
    pw.read(qrels, {"mine": run}).score("AP")
    assert (qrels, run) == ({"1": {"b": 1, "a": 0}}, {"1": {"b": 1, "a": 2}})
    assert list(run["1"]) == ["b", "a"]


def test_repeated_rows_of_which_the_first_is_kept() -> None:
    rows = [("1", "d1", 1.0), ("1", "d2", 2.0), ("1", "d1", 3.0)]
    assert pw.read(QRELS, {"mine": rows}, duplicates="first").ranking("mine", "1") == ["d2", "d1"]


# ---- Data frames -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str) -> None:
    make = FRAMES[kind]
    qrels = make({"query_id": [1, 1, 2], "docno": ["d1", "d2", "d1"], "relevance": [1.0, 0.0, 2.0]})
    runs = make(
        {"qid": [1, 1, 2, 1], "doc_id": ["d1", "d2", "d1", "d2"], "score": [3, 2, 1, 5], "run": ["a", "a", "a", "b"]}
    )
    pool = pw.read(qrels, runs)
    assert pool.runs == ["a", "b"]
    assert [pool.judgments.of(topic) for topic in "12"] == [{"d1": 1, "d2": 0}, {"d1": 2}]
    assert [pool.ranking("a", "1"), pool.ranking("b", "1")] == [["d1", "d2"], ["d2"]]


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    ("topics", "documents", "scores", "said"),
    [
        (["1", None], ["a", "b"], [1.0, 2.0], f"run: row 2 has no topic; {NEEDS_BOTH}"),
        (["1", "1"], [None, "b"], [1.0, 2.0], f"run: row 1 has no document; {NEEDS_BOTH}"),
        (["1", ""], ["a", "b"], [1.0, 2.0], f"run: row 2 has no topic; {NEEDS_BOTH}"),
        ([301.0, 302.0], ["a", "b"], [1.0, 2.0], "run: row 1: topic 301.0 is a float; ids are texts or whole numbers"),
        (["2", "1"], ["a", "b"], ["1", "2"], f"run: row 1: score '1' is not a number; {EVERY_SCORE}"),
        (["1", "2", "1"], ["a", "a", "a"], [1.0, 2.0, 3.0], f"run: row 3: document 'a' of topic '1' {TWICE}"),
    ],
)
def test_runs_from_faulty_frames(kind: str, topics: Any, documents: Any, scores: Any, said: str) -> None:
    assert run_error(FRAMES[kind]({"topic": topics, "document": documents, "score": scores})) == said


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_frames(kind: str) -> None:
    columns: dict[str, list[Any]] = {"topic": ["1", "1"], "document": ["a", "b"], "run": ["x", None]}
    assert run_error(FRAMES[kind](columns)) == (
        "run: column 'run' has empty cells; every row needs the name of its run"
    )
    del columns["run"]
    found = f"found 'topic', 'document'; {CALLED}"
    assert run_error(FRAMES[kind](columns)) == f"run: no column called {' or '.join(map(repr, SCORE))}; {found}"
    del columns["topic"]
    known = " or ".join(map(repr, TOPIC))
    assert run_error(FRAMES[kind](columns)) == f"run: no column called {known}; found 'document'; {CALLED}"


@pytest.mark.parametrize("kind", FRAMES)
def test_missing_scores_of_frames(kind: str) -> None:
    frame = FRAMES[kind]({"topic": ["2", "1"], "document": ["a", "b"], "score": [1.0, None]})
    said = run_error(frame)
    assert said in (
        f"run: row 2: score None is not a number; {EVERY_SCORE}",
        "run: row 2: score 'nan' cannot be ranked; scores may be any number or inf, not NaN",
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_labels_of_frames_are_numbers(kind: str) -> None:
    said = qrels_error(FRAMES[kind]({"topic": ["1", "1"], "document": ["a", "b"], "label": [1.0, None]}))
    shown = ("nan", "None")  # each library has its own empty cell
    assert said in [f"qrels: row 2: label {word} is not a number; {EVERY_LABEL}" for word in shown]
    frame = FRAMES[kind]({"topic": ["1", "1"], "document": ["a", "b"], "label": [1.0, 0.9]})
    assert pw.read(frame, {"mine": {"1": {"a": 1.0}}}).judgments.of("1") == {"a": 1, "b": 0.9}


def test_missing_cells_of_nullable_pandas_columns() -> None:
    frame = pandas.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "label": [1, None]})
    said = qrels_error(frame.astype({"label": "Int64"}))
    assert said.startswith("qrels: row 2: label ")
    assert said.endswith(f" is not a number; {EVERY_LABEL}")
    frame = pandas.DataFrame({"topic": ["1", None], "document": ["a", "b"], "label": [1, 0]}).astype(
        {"topic": "string"}
    )
    assert qrels_error(frame) == "qrels: row 2 has no topic; every row needs topic and document"


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    ("stratum", "said"),
    [
        (0.5, "0.5 is not a whole number; every row needs topic, document and stratum"),
        (-1.0, "-1.0 is out of range; strata are whole numbers from 0 on"),
    ],
)
def test_strata_of_frames_are_whole(kind: str, stratum: float, said: str) -> None:
    columns = {"topic": ["1", "1"], "document": ["a", "b"], "label": [1, 0], "stratum": [0.0, stratum]}
    assert qrels_error(FRAMES[kind](columns)) == f"qrels: row 2: stratum {said}"


@pytest.mark.parametrize("kind", FRAMES)
def test_strata_and_rounds_of_frames(kind: str) -> None:
    columns = {
        "topic": ["1", "1"],
        "document": ["b", "a"],
        "label": [1, -1],
        "stratum": [0, 3],
        "iteration": ["2", "Q0"],
    }
    judgments = pw.read(FRAMES[kind](columns), {"mine": RUN}).judgments
    assert judgments.strata is not None
    assert judgments.rounds is not None
    assert (judgments.strata.tolist(), judgments.rounds.tolist()) == ([3, 0], [0, 2])


def test_frames_that_cannot_be_used() -> None:
    lazy = polars.DataFrame({"topic": ["1"], "document": ["a"], "score": [1.0]}).lazy()
    assert run_error(lazy) == "run: LazyFrame cannot be read; use a path, a dict, a list of rows or a data frame"
    twice = pandas.DataFrame([["1", "a", 1.0, 2.0]], columns=["topic", "document", "score", "score"])
    assert run_error(twice).startswith("run: the data frame cannot be read (")


# ---- Judgments made by hand --------------------------------------------------------------------------------------


def test_labels_given_by_hand() -> None:
    pool = pw.read(QRELS, {"mine": RUN})

    def score(labels: Any) -> list[list[float]]:
        return pool.score("NumRel", judgments=pw.Judgments(pool, labels)).means().tolist()

    for labels in (
        [1, 1, 0],
        np.array([1, 1, 0]),
        np.array([1.0, 1.0, 0.0]),
        np.array([1, 0, 1, 0, 0, 0])[::2],
    ):
        assert score(labels) == [[2.0]]
    for labels in ([1, 1], [[1, 1, 0]], [1, 1, 0, 0]):
        with pytest.raises(pw.ArgumentError, match="labels do not fit a pool of 3 listed documents; give one for each"):
            score(labels)
    for labels in ([0.9, 1, 0], [2**40, 1, 0], [float("nan"), 1, 0]):
        with pytest.raises(pw.ArgumentError, match="labels are whole numbers of 32 bits"):
            score(labels)
    for labels in ([7, 1, 0], [-7, 1, 0], [2**31 - 1, 1, 0]):
        with pytest.raises(pw.ArgumentError, match="a label that the judgments do not have; draw samples"):
            score(labels)


# ---- Several runs in one file ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_many_runs(kind: str) -> None:
    names = [f"r{number}" for number in range(5)]
    table = {"topic": ["1"] * 10, "document": ["d1", "d2"] * 5, "score": [1.0, 2.0] * 5, "run": sorted(names * 2)[::-1]}
    pool = pw.read(QRELS, FRAMES[kind](table))
    assert pool.runs == names[::-1]
    assert pool.score("NumRet").means().tolist() == [[2.0]] * 5


@pytest.mark.parametrize("label", [float("nan"), float("inf"), "1"])
def test_labels_may_have_a_point_and_are_called_numbers(label):
    assert pw.read({"1": {"a": 0.5}}, {"mine": {"1": {"a": 1.0}}}).judgments.of("1") == {"a": 0.5}
    with pytest.raises(pw.InputError, match=r"document 'a': label .* is not a number; every row needs"):
        pw.read({"1": {"a": label}}, {"mine": {"1": {"a": 1.0}}})
