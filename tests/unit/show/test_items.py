"""Tables as pages show them."""

from __future__ import annotations

from poolwise.show.column_words import Words
from poolwise.show.items import Table


def texts(table):
    return [[text for _, text in row] for row in table.page_rows()]


def test_numbers_of_topics_are_rounded_up_and_kept_whole_for_files():
    table = Table("Reliability", {"topics_for_phi95": [43.2, 44.0, float("inf"), None]})
    assert texts(table) == [["44"], ["44"], ["inf"], [""]]
    assert "43.2" in table.csv()


def test_a_table_may_have_words_of_its_own():
    columns = {"accuracy": [0.25], "other": [0.5]}
    table = Table("Labels", columns, heads={"accuracy": Words("labels needed", percent=True)})
    assert [words.heading for words in table.words] == ["labels needed", "other"]
    assert texts(table) == [["25 %", "0.5000"]]
