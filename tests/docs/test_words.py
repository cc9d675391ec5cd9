"""The English of docs, texts and docstrings gets plainer: no file may break a rule more often than before."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
try:
    import plain_words
finally:
    sys.path.pop(0)

MOST_QUOTED = 10  # lines that quote others


@pytest.fixture(scope="module")
def found():
    return list(plain_words.faults(plain_words.all_sentences()))


def test_no_file_breaks_a_rule_more_often_than_before(found):
    """Counts may only fall; after they fell, `python tests/docs/plain_words.py --write` keeps them."""
    before, now = json.loads(plain_words.KEPT.read_text("utf-8")), plain_words.counts(found)
    worse = []
    for path, rules in now.items():
        for rule, count in rules.items():
            if count > before.get(path, {}).get(rule, 0):
                kind, _, name = rule.partition(": ")
                of_rule = [
                    one for one in found if (one.sentence.path, one.sentence.kind, one.rule) == (path, kind, name)
                ]
                worse += [
                    f'{path}:{one.sentence.line}  {rule} "{one.words}"\n    {one.sentence.text}' for one in of_rule
                ]
    assert not worse, "\n".join(["write these sentences plainly:", *worse])


def test_what_got_better_is_kept(found):
    before, now = json.loads(plain_words.KEPT.read_text("utf-8")), plain_words.counts(found)
    total = lambda table: sum(count for rules in table.values() for count in rules.values())  # noqa: E731
    assert total(now) >= 0.98 * total(before), "python tests/docs/plain_words.py --write"


def test_few_lines_are_quotations():
    pages = [*(plain_words.ROOT / "docs").rglob("*.md"), plain_words.ROOT / "README.md"]
    assert sum(page.read_text("utf-8").count(plain_words.QUOTED) for page in pages) <= MOST_QUOTED


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Intervals hold 95 % of the time in these tests.", "hold (coverage)"),
        ("A note says so when the file is short.", "says so, says which"),
        ("What is judged of the pool counts here.", "noun clause first"),
        ("Judge what is not yet judged of the pool.", ""),
        ("The table lists runs and their mean scores.", ""),
        ("All those which none of the others have.", "three empty heads"),
        (" ".join(["word"] * 31) + ".", "over 30 words"),
        (" ".join(["word"] * 41) + ".", "over 40 words"),
        ("One clause of a sentence; and another one.", "semicolon"),
    ],
)
def test_rules_find_what_they_are_for(text, rule):
    rules = {fault.rule for fault in plain_words.faults([plain_words.Sentence("x.md", 1, "docs", text)])}
    assert rules == set() if not rule else rule in rules


def test_prose_is_taken_out_of_pages(tmp_path):
    page = tmp_path / "a.md"
    page.write_text(
        "# A heading of four words\n\nFirst sentence stands here. The `code` is one\nword of it.\n\n"
        "```\nnot a sentence of prose at all\n```\n| a | table of many words here |\n- An item of a list here\n"
    )
    assert [(one.line, one.text) for one in plain_words.of_page(page, tmp_path)] == [
        (3, "First sentence stands here."),
        (3, "The CODE is one word of it."),
        (10, "An item of a list here"),
    ]


def test_prose_is_taken_out_of_modules(tmp_path):
    package = tmp_path / "src" / "poolwise"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('_HOMES = {"poolwise.a": ("F",)}\n')
    module = package / "a.py"
    module.write_text(
        '"""Says a thing or two."""\n\n\nclass F:\n    """Give back the number one.\n\n    >>> f(1) is not prose at all'
        '\n    """\n\n    def g(self, x):\n        """Return the number of things."""\n'
        '        raise ValueError(f"the value {x} is far too large")\n'
    )
    assert {(one.kind, one.text) for one in plain_words.of_module(module, tmp_path)} == {
        ("internal", "Says a thing or two."),
        ("docstrings", "Give back the number one."),
        ("docstrings", "Return the number of things."),
        ("strings", "the value CODE is far too large"),
    }


def test_functions_that_are_methods_of_other_modules_are_for_users(tmp_path):
    package = tmp_path / "src" / "poolwise"
    package.mkdir(parents=True)
    (package / "b.py").write_text('class B:\n    f, g = Lazy("poolwise.a"), Lazy("poolwise.c")\n')
    module = package / "a.py"
    module.write_text(
        'def f():\n    """Return the number of runs."""\n\n\ndef g():\n    """Count the topics of runs."""\n'
    )
    assert {(one.kind, one.text) for one in plain_words.of_module(module, tmp_path)} == {
        ("docstrings", "Return the number of runs."),
        ("internal", "Count the topics of runs."),
    }
