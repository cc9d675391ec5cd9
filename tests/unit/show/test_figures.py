"""Curves, points and bars: bands that stay possible, many lines in panels, bars that end where intervals do."""

from __future__ import annotations

import pytest

from poolwise.show.figures import MOST_LINES, curves, log_percent, run_intervals, run_points

XS = [1.0, 2.0]


def test_bands_stay_within_what_is_possible():
    drawn = curves("Power", {"AP": (XS, [0.1, 0.9])}, "x", "y", bands={"AP": ([-0.3, 0.8], [0.5, 1.2])}, within=(0, 1))
    band = drawn.data[0]
    assert band["fill"] == "toself"
    assert band["y"] == [0.5, 1.0, 0.8, 0.0]


def test_few_lines_share_a_figure():
    lines = {f"m{place}": (XS, [0.1 * place, 0.2]) for place in range(MOST_LINES)}
    drawn = curves("Few", lines, "x", "y", level=0.5)
    assert [trace["name"] for trace in drawn.data] == list(lines)
    assert len(drawn.layout["shapes"]) == 1


def test_many_lines_have_a_panel_each_in_front_of_the_others():
    lines = {f"m{place}": (XS, [0.1 * place, 0.2]) for place in range(MOST_LINES + 3)}
    drawn = curves("Many", lines, "labels", "tau", level=0.5, note="Means.", xaxis={"type": "log"})
    named = [trace for trace in drawn.data if "name" in trace]
    assert [(trace["name"], trace["y"]) for trace in named] == [(name, ys) for name, (_, ys) in lines.items()]
    assert len({trace["xaxis"] for trace in named}) == len(lines)
    assert [note["text"] for note in drawn.layout["annotations"]] == list(lines)
    assert len(drawn.layout["shapes"]) == len(lines)
    assert drawn.note == "Means. Upwards: tau. Grey: all the others."
    domains = [
        (tuple(drawn.layout[f"xaxis{number}"]["domain"]), tuple(drawn.layout[f"yaxis{number}"]["domain"]))
        for number in ["", *range(2, len(lines) + 1)]
    ]
    assert len(set(domains)) == len(lines)
    assert all(0 <= low < high <= 1 for pair in domains for low, high in pair)
    assert all(axis["type"] == "log" for name, axis in drawn.layout.items() if name.startswith("xaxis"))


def test_the_diagonal_spans_all_points_unless_it_is_left_out():
    groups = {"first": ([0.2, 0.4], [0.3, None]), "second": ([0.5], [0.9])}
    line = run_points("t", groups, ["a", "b"], "x", "y").layout["shapes"][0]
    assert (line["x0"], line["y0"], line["x1"], line["y1"]) == (0.2, 0.2, 0.9, 0.9)
    assert "shapes" not in run_points("t", groups, ["a", "b"], "x", "y", diagonal=False).layout


def test_bars_reach_from_the_low_to_the_high_end():
    value, low, high = [0.5, 0.2], [0.1, 0.15], [0.6, 0.9]
    points = run_intervals("t", ["a", "b"], (value, low, high), "AP", truth=[0.4, 0.3]).data[0]
    bars = points["error_y"]
    assert not bars["symmetric"]  # else plotly draws the upper part on both sides
    assert [y + up for y, up in zip(points["y"], bars["array"], strict=True)] == pytest.approx(high)
    assert [y - down for y, down in zip(points["y"], bars["arrayminus"], strict=True)] == pytest.approx(low)


def test_shares_are_marked_at_1_2_and_5_of_every_power_of_ten():
    ticks = log_percent()["tickvals"]
    assert ticks == pytest.approx([step * 10**power for power in (-1, 0, 1) for step in (1, 2, 5)] + [100])
    assert [float(text) for text in log_percent()["ticktext"]] == ticks
