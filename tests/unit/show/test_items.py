"""Tables as pages show them."""

from __future__ import annotations

import json

import pytest

from poolwise.show.column_words import Words
from poolwise.show.parts import Figure, Table


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
    table = Table("Pairs", {"p": [0.0, 0.0001, 0.5]})
    assert texts(table) == [["<0.0001"], ["0.0001"], ["0.5000"]]
    assert table.cells() == texts(table)
    assert "$<$0.0001" in table.to_latex()


def test_values_of_a_wide_table_are_shown_as_their_column_is():
    columns = {"measure": ["AP", "AP"], "fraction": [0.1, 0.5], "accuracy": [0.725, 1.0]}
    table = Table("Decisions", columns, wide=("measure", "fraction", "accuracy")).for_page()
    assert [words.heading for words in table.words] == ["measure", "10 %", "50 %"]
    assert texts(table) == [["AP", "72.5 %", "100.0 %"]]
    whole = Table("Decisions", {**columns, "accuracy": [0.7, float("nan")]}, wide=("measure", "fraction", "accuracy"))
    assert texts(whole.for_page()) == [["AP", "70 %", ""]]


def test_a_column_may_have_digits_of_its_own():
    assert texts(Table("Losses", {"loss": [0.0215], "loss_percent": [2.1851]})) == [["0.0215", "2.2"]]


def test_pages_leave_out_columns_that_only_files_need():
    table = Table("Phi", {"measure": ["AP"], "phi": [0.9], "level": [0.95]}, only_in_file=("level",))
    assert list(table.for_page().columns) == ["measure", "phi"]
    assert table.csv().splitlines()[0] == "measure,phi,level"


def test_ends_of_an_interval_are_headed_alike():
    table = Table("Sets", {"kappa": [0.5], "kappa_low": [0.4], "tau_low": [0.3], "rbo_high": [0.9]})
    assert [words.heading for words in table.words] == ["kappa", "kappa, low", "tau, low", "RBO, high"]


def test_a_table_of_many_columns_is_broad_and_has_fewer_digits_where_it_was_made_wide():
    columns = {"measure": ["AP"] * 12, "topics": list(range(12)), "phi": [0.98765] * 12}
    table = Table("Phi", columns, wide=("measure", "topics", "phi")).for_page()
    assert table.breadth == "broad"
    assert texts(table) == [["AP", *["0.988"] * 12]]
    assert Table("Phi", columns).breadth == ""


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


def test_whole_numbers_are_shown_whole_unless_they_may_be_shares():
    assert texts(Table("Ranks", {"rank": [4.0, 1.0]})) == [["4"], ["1"]]
    assert texts(Table("Ranks", {"rank": [4.5, 1.0]})) == [["4.5000"], ["1.0000"]]
    assert texts(Table("Scores", {"AP": [0.0, 1.0]})) == [["0.0000"], ["1.0000"]]


def test_names_of_numbers_are_shown_in_words():
    table = Table("Facts", {"what": ["tau_ap"], "mean": [0.5]}, "tau_ap: at the top").for_page()
    assert table.columns["what"] == ["tau AP"]
    assert table.note == "tau AP: at the top"
    assert Table("Facts", {"run": ["tau_ap"]}).for_page().columns == {"run": ["tau_ap"]}


def test_a_table_keeps_every_digit_in_files_and_three_or_more_in_pages():
    table = Table("Runs", {"run": ["ä"], "AP": [0.123456789]})
    assert table.csv() == "run,AP\nä,0.123456789\n"
    assert table.page_rows() == [[("", "ä"), ("", "0.1235")]]
    small = [10**power / 9 for power in (0, -0.5, -1, -1.5, -2, -3, -5, -8)]
    told = [float(held or text) for ((held, text),) in Table("Small", {"AP": small}).page_rows()]
    assert told == pytest.approx(small, rel=0.001)
    assert texts(Table("Small", {"AP": small}))[4] == ["0.0011"]
    assert table.to_frame().values.tolist() == [["ä", 0.123456789]]


def test_cells_hold_what_they_stand_for_where_their_text_is_short():
    values = {"share": [0.1234], "p": [1e-9], "topics_for_phi95": [43.2], "n": [12], "AP": [0.5], "sure": [True]}
    table = Table("Cells", values, heads={"share": Words("share", percent=True)})
    held = [("0.1234", "12.3 %"), ("1e-09", "<0.0001"), ("43.2", "44"), ("", "12"), ("", "0.5000"), ("True", "yes")]
    assert table.page_rows() == [held]
    assert Table("Gaps", {"AP": [None, float("nan"), float("inf")]}).page_rows() == [
        [("", "")],
        [("", "")],
        [("", "inf")],
    ]


def test_what_a_page_asks_of_a_table():
    assert Table("Runs", {"run_a": ["a"]}).names_runs
    assert not Table("Topics", {"topic": ["1"], "run": ["a"]}).names_runs
    assert not Table("Long", {"n": range(1000)}).is_cut
    long = Table("Long", {"n": range(1001)})
    assert long.is_cut
    assert long.for_page().length == 1000
    listed = {"m": range(2000), "n": range(2000), "o": [0.5] * 2000}
    assert not Table("Wide", listed, wide=("m", "n", "o")).is_cut
    widths = {number: Table("Broad", {str(n): [n] for n in range(number)}).breadth for number in (10, 11, 15, 16)}
    assert widths == {10: "", 11: "broad", 15: "broad", 16: "broad broadest"}


def test_one_row_has_no_best():
    assert Table("Runs", {"run": ["a"], "AP": [0.5]}, best=("AP",)).bold() == set()


def test_a_figure_says_whether_its_points_are_runs_and_shows_names_letter_by_letter():
    runs = {"type": "scatter", "meta": "runs", "x": ["<b>", "&"], "hovertemplate": "<br>"}
    figure = Figure("Runs", [{"type": "scatter", "x": [1]}, runs], {})
    assert figure.names_runs
    assert not Figure("Lines", [{"type": "scatter", "x": [1]}], {}).names_runs
    assert figure.traces()[1] == {**runs, "x": ["&lt;b>", "&amp;"]}
    assert "<" not in figure.json()
    assert Figure("Short", [{"y": [1 / 3, 12, None]}], {"x": (2 / 3,)}).json() == (
        '{"data":[{"y":[0.33333,12,null]}],"layout":{"x":[0.66667]}}'
    )
    assert json.loads(figure.json())["data"][1]["hovertemplate"] == "<br>"
    gaps = Figure("Gaps", [{"y": [float("nan"), 1.0, float("inf")]}], {})
    assert gaps.json() == '{"data":[{"y":[null,1.0,null]}],"layout":{}}'
