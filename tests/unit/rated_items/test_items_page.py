"""The page of items."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.rated_items.items_shown import item_tables, items_page

ROWS = [{"item": n, "score": n % 3 if n < 30 else None, "prediction": n % 3 + n % 2} for n in range(90)]


@pytest.mark.slow
def test_the_figure_shows_both_means():
    page = items_page(pw.estimate_items(ROWS))
    (figure,) = page.figures
    assert [trace["name"] for trace in figure.data] == ["with predictions", "plain mean"]
    assert figure.data[0]["y"] == pw.estimate_items(ROWS).columns()["value"]
    assert page.html()


def test_without_predictions_there_is_no_second_mean():
    found = pw.estimate_items([{**row, "prediction": ""} for row in ROWS], predictions=[])
    assert "plain" not in item_tables(found)[0].columns
    assert len(items_page(found).figures[0].data) == 1


def test_bars_end_where_intervals_do_and_the_axis_holds_them():
    rows = [{**row, "system": "ab"[n % 2], "item": n // 2} for n, row in enumerate(ROWS)]
    found = pw.estimate_items(rows, difference="all", predictions=[])
    for figure, columns, level in (
        (items_page(found).figures[0], found.columns(), None),
        (items_page(found).figures[1], found.differences.columns(), 0.0),
    ):
        (trace,) = figure.data
        bars = trace["error_y"]
        assert not bars["symmetric"]  # else plotly draws the upper part on both sides
        assert [y + up for y, up in zip(trace["y"], bars["array"], strict=True)] == pytest.approx(columns["high"])
        assert [y - down for y, down in zip(trace["y"], bars["arrayminus"], strict=True)] == pytest.approx(
            columns["low"]
        )
        low, high = figure.layout["yaxis"]["range"]
        ends = [*columns["low"], *columns["high"], *([] if level is None else [level])]
        assert low < min(ends) < max(ends) < high
        assert high - low < 1.5 * (max(ends) - min(ends))
