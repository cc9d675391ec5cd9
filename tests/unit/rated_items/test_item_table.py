"""Tables of items in every shape."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.errors import ArgumentError, InputError
from poolwise.rated_items.item_table import item_table

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


RAG = "question_id,model,llm_score,human_score\n0,old,4,5\n0,new,5,\n1,old,2,\n1,new,3,2\n"


def test_a_column_of_names_called_model_names_systems(tmp_path):
    (tmp_path / "rag.csv").write_text(RAG)
    found = item_table(tmp_path / "rag.csv")
    assert found.systems == ["old", "new"]
    assert found.predictors == ("llm_score",)
    np.testing.assert_array_equal(found.score, [5, np.nan, np.nan, 2])


def test_a_column_of_numbers_called_model_predicts():
    found = item_table([{"item": n, "model": n / 2, "score": None} for n in range(4)])
    assert found.systems == [""]
    assert found.predictors == ("model",)
    assert item_table([{"item": 1, "model": "a", "prediction": 2}], predictions=[]).systems == ["a"]


def test_an_item_twice_says_what_was_taken_for_what(tmp_path):
    (tmp_path / "rag.csv").write_text(RAG.replace("model", "who"))
    with pytest.raises(InputError) as error:
        item_table(tmp_path / "rag.csv")
    assert "keep one row per item, or name the column of systems with --columns system=..." in str(error.value)
    assert str(error.value).endswith(
        "items are by column 'question_id', of systems there is none (others are who, llm_score)"
    )
    assert item_table(tmp_path / "rag.csv", columns={"system": "who"}).systems == ["old", "new"]


def test_scores_do_not_predict_themselves(tmp_path):
    rows = [{"item": str(n), "judge": n % 5 if n < 9 else None, "gpt": n % 4} for n in range(30)]
    assert item_table(rows, columns={"score": "judge"}).predictors == ()
    for asked in ({"predictions": "judge"}, {"predictions": ["gpt", "judge"]}):
        with pytest.raises(ArgumentError, match="column 'judge' holds the scores, which predict themselves"):
            item_table(rows, columns={"score": "judge"}, **asked)


@pytest.mark.parametrize("cells", [("ann", "bob", "ann"), ("", "", ""), (None, float("nan"), None)])
def test_a_column_of_names_or_of_nothing_is_no_prediction(cells):
    rows = [{"item": name, "score": 1.0, "judge": cell} for name, cell in zip("abc", cells, strict=True)]
    assert item_table(rows).predictors == ()
    with pytest.raises(InputError, match="judge"):
        item_table(rows, predictions="judge")


def test_numbers_with_a_comma_are_refused_not_left_out():
    with pytest.raises(InputError, match="'3,5' is not a number"):
        item_table([{"item": "a", "score": 1, "prediction": "3,5"}])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,score,score\na,1,5\n", "a.csv:1: two columns are called 'score'"),
        ("item;score\na;1\n", "a.csv:1: cells stand between semicolons"),
    ],
)
def test_first_lines_that_would_be_misread_are_refused(tmp_path, text, said):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        item_table(tmp_path / "a.csv")


def test_a_dict_of_single_values_is_no_table():
    with pytest.raises(InputError, match=r"column 'a' holds 1\.0; give lists by column"):
        item_table({"a": 1.0, "b": None})
