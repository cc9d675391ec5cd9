"""Tables as pages show them."""

from __future__ import annotations

from poolwise.show.column_words import Words
from poolwise.show.items import Figure, Table


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


def test_shares_of_a_column_have_the_same_digits():
    assert texts(Table("Shares", {"share": [0.24, 0.302, None]})) == [["24.0 %"], ["30.2 %"], [""]]
    assert texts(Table("Shares", {"share": [0.24, 1.0]})) == [["24 %"], ["100 %"]]


def test_a_small_chance_is_not_called_0():
    table = Table("Pairs", {"p": [1e-7, 0.0001, 0.5]})
    assert texts(table) == [["<0.0001"], ["0.0001"], ["0.5000"]]
    assert table.cells() == texts(table)
    assert "$<$0.0001" in table.to_latex()


def test_values_of_a_wide_table_are_shown_as_their_column_is():
    columns = {"measure": ["AP", "AP"], "fraction": [0.1, 0.5], "accuracy": [0.725, 1.0]}
    table = Table("Decisions", columns, wide=("measure", "fraction", "accuracy")).for_page()
    assert [words.heading for words in table.words] == ["measure", "10 %", "50 %"]
    assert texts(table) == [["AP", "72.5 %", "100 %"]]


def test_a_table_of_many_columns_is_broad_and_has_fewer_digits_where_it_was_made_wide():
    columns = {"measure": ["AP"] * 12, "topics": list(range(12)), "phi": [0.98765] * 12}
    table = Table("Phi", columns, wide=("measure", "topics", "phi")).for_page()
    assert table.is_broad
    assert texts(table) == [["AP", *["0.988"] * 12]]
    assert not Table("Phi", columns).is_broad


def test_a_table_is_shown_in_short_and_written_for_papers():
    table = Table("Runs by AP", {"run": ["a_b", "c"], "AP": [0.25, 0.51239]}, "Means.", best=("AP",))
    assert repr(table) == "<Table runs-by-ap: Runs by AP, 2 rows of run, AP>"
    assert table.to_markdown() == "| run | AP |\n|---|---:|\n| a_b | 0.2500 |\n| c | **0.5124** |\n"
    assert r"a\_b & 0.2500 \\" in table.to_latex()
    assert r"c & \textbf{0.5124} \\" in table.to_latex()
    assert "<td>a_b</td><td>0.25</td>" in table._repr_html_()


def test_a_figure_is_shown_in_short_and_drawn_by_plotly():
    figure = Figure("Mean AP", [{"type": "bar", "x": ["a"], "y": [0.5]}], {})
    assert repr(figure) == "<Figure mean-ap: Mean AP>"
    assert figure.plot().data[0].y == (0.5,)
