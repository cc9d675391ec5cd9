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
