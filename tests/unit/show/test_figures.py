"""Curves: bands that stay possible, many lines in panels."""

from __future__ import annotations

from poolwise.show.figures import MOST_LINES, curves

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
