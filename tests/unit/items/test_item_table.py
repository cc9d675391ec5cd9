"""Tables of items in every shape."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.errors import InputError
from poolwise.items.item_table import item_table

CSV = "question,system,human,llm\nq1,old,1,0.9\nq1,new,,0.4\nq2,old,true,\nq2,new,0,0.1\n"


def test_columns_are_known_by_usual_names(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(CSV)
    found = item_table(path)
    assert found.systems == ["old", "new"]
    assert found.item == ["q1", "q1", "q2", "q2"]
    np.testing.assert_array_equal(found.score, [1, np.nan, 1, 0])
    assert found.predictors == ("llm",)
    np.testing.assert_allclose(found.predictions, [[0.9, 0], [0.4, 0], [1.4 / 3, 1], [0.1, 0]])


def test_every_kind_of_file_says_the_same(tmp_path):
    import polars

    (tmp_path / "a.csv").write_text(CSV.replace("true", "1"))
    frame = polars.read_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.json").write_text(frame.write_json())
    (tmp_path / "a.tsv").write_text(CSV.replace("true", "1").replace(",", "\t"))
    first = item_table(tmp_path / "a.csv")
    for other in ("a.parquet", "a.jsonl", "a.json", "a.tsv"):
        found = item_table(tmp_path / other)
        np.testing.assert_array_equal(found.score, first.score)
        np.testing.assert_allclose(found.predictions, first.predictions)
        assert found.item == first.item
    np.testing.assert_array_equal(item_table(frame).score, first.score)
    np.testing.assert_array_equal(item_table(frame.to_dict(as_series=False)).score, first.score)


def test_an_item_twice_names_both_lines(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("item,score\na,1\nb,0\na,\n")
    with pytest.raises(InputError, match=r"twice\.csv:4: item 'a' stands also at .*twice\.csv:2; keep one row"):
        item_table(path)


def test_given_names_come_first():
    found = item_table([{"item": 1, "score": 5, "gold": 0}], columns={"score": "gold"})
    assert found.score.tolist() == [0.0]
