"""The table of formats: what it declares, and what follows from it."""

from __future__ import annotations

import pytest

from poolwise.errors import ArgumentError
from poolwise.show.formats import FORMATS, Shown, format_of_ending, formats_of, written
from poolwise.show.page import Page, together
from poolwise.show.parts import Heading, Table


class Everything(Shown):
    """A result that can be shown in every way."""

    def lines(self):
        return ["AP\tall\t0.5\n"]

    def rows(self):
        return ("run", "AP"), [("a", 0.123456789), ("b", 0.1)]

    def tables(self):
        return [Table("Runs by AP", {"run": ["a", "b"], "AP": [0.123456789, 0.1]}, best=("AP",))]

    def page(self):
        return Page("Runs", ["Two runs."], self.tables())


EXPECTED = {
    "trec": "AP\tall\t0.5\n",
    "table": "run      AP\n-----------\na    0.1235\nb    0.1000\n",
    "csv": "run,AP\na,0.123456789\nb,0.1\n",
    "tsv": "run\tAP\na\t0.123456789\nb\t0.1\n",
    "json": '[\n {\n  "run": "a",\n  "AP": 0.123456789\n },\n {\n  "run": "b",\n  "AP": 0.1\n }\n]\n',
    "jsonl": '{"run": "a", "AP": 0.123456789}\n{"run": "b", "AP": 0.1}\n',
    "markdown": "| run | AP |\n|---|---:|\n| a | **0.1235** |\n| b | 0.1000 |\n",
    "latex": (
        "\\begin{tabular}{lr}\n\\hline\nrun & AP \\\\\n\\hline\na & \\textbf{0.1235} \\\\\nb & 0.1000 \\\\\n"
        "\\hline\n\\end{tabular}\n"
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written(name):
    pieces = written(Everything(), name)
    whole = [pieces] if isinstance(pieces, str) else list(pieces)
    if name == "html":
        assert whole[0].startswith("<!doctype html>")
    elif name == "parquet":
        assert b"".join(whole).startswith(b"PAR1")
    else:
        assert "".join(whole) == EXPECTED[name]


def test_a_command_has_the_formats_of_what_it_shows():
    class Lines(Shown):
        def lines(self):
            return []

    assert formats_of(Everything) == tuple(FORMATS)
    assert formats_of(Lines) == ("trec",)
    assert formats_of(Shown) == ()


def test_no_two_formats_share_an_ending():
    endings = [ending for each in FORMATS.values() for ending in each.endings]
    assert len(set(endings)) == len(endings)
    assert all(ending.startswith(".") for ending in endings)
    assert all(each.words for each in FORMATS.values())


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a.csv", "csv"),
        ("a.b.HTM", "html"),
        ("a.md", "markdown"),
        ("a.tex", "latex"),
        ("a.txt", None),
        ("folder.d/a", None),
    ],
)
def test_endings(path, form):
    assert format_of_ending(path, tuple(FORMATS)) == form


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a.xlsx", "a.xlsx: no format ends in .xlsx; use .csv, .json, or"),
        ("a.html", "a.html: html is not made here; use"),
    ],
)
def test_endings_that_say_nothing_are_refused(path, words):
    with pytest.raises(ArgumentError) as error:
        format_of_ending(path, ("csv", "json"))
    assert str(error.value).startswith(words)


def test_several_tables_are_told_apart():
    class Two(Everything):
        def tables(self):
            return [Table("By AP", {"run": ["a"]}), Table("By nDCG_10", {"run": ["a"]})]

    assert written(Two(), "markdown").count("### By") == 2
    assert "% By nDCG_10\n\\begin{tabular}{l}" in written(Two(), "latex")


def test_best_values_that_look_the_same_are_all_bold():
    table = Table("Runs", {"run": ["a", "b", "c"], "AP": [0.50001, 0.5, 0.4]}, best=("AP",), digits=2)
    assert table.bold() == {(0, 1), (1, 1)}
    assert Table("One", {"AP": [0.5]}, best=("AP",)).bold() == set()


def test_the_best_value_of_texts_is_bold_without_its_interval():
    cells = ["0.40 [0.30, 0.50]", "0.60 [0.10, 0.70]", "-", "0.60 [0.20, 0.90]"]
    table = Table("Runs", {"run": list("abcd"), "AP": cells}, best=("AP",), ranked={"AP": [0.4, 0.60002, None, 0.6]})
    assert table.bold() == {(1, 1), (3, 1)}
    body = written_of(table, "latex").splitlines()[4:8]
    assert body == [
        r"a & 0.40 [0.30, 0.50] \\",
        r"b & \textbf{0.60} [0.10, 0.70] \\",
        r"c & - \\",
        r"d & \textbf{0.60} [0.20, 0.90] \\",
    ]
    assert "| b | **0.60** [0.10, 0.70] |" in written_of(table, "markdown")


def written_of(table, name):
    class One(Everything):
        def tables(self):
            return [table]

    return written(One(), name)


def test_pages_together_have_a_section_each_and_say_things_once():
    page = Page("Runs by AP", ["a is best."], [Table("Runs", {"run": ["a"]})], ["Command: x"], ["few topics"])
    assert together("All", {"By AP": page}) is page
    both = together("All", {"By AP": page, "By RR": page})
    assert [part.title for part in both.parts] == ["By AP", "Runs (By AP)", "By RR", "Runs (By RR)"]
    assert (both.methods, both.warnings) == (["Command: x"], ["few topics"])
    html = both.html()
    assert html.count("<!doctype html>") == html.count('<section id="by-rr" class="chapter">') == 1
    assert isinstance(both.parts[0], Heading)
    assert html.count("a is best.") == 2
