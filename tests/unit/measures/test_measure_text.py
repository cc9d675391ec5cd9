"""What `help` shows of a measure is that measure's own text, complete, and its example runs."""

from __future__ import annotations

import doctest
import inspect
import pydoc

import pytest
from numpydoc.docscrape import NumpyDocString

import poolwise as pw
from poolwise.measures.measure import Measure
from poolwise.measures.registry import declared_names, measures

DECLARED = [declaration for declaration in measures() if declaration.function is None]


@pytest.mark.parametrize("declaration", DECLARED, ids=lambda declaration: declaration.name)
def test_the_text_says_all_that_is_declared(declaration):
    shown = getattr(pw, declaration.name).__doc__
    page = NumpyDocString(shown)
    words = " ".join(shown.split())
    for part in (declaration.summary, declaration.description, f"Unjudged documents {declaration.unjudged}"):
        assert " ".join(part.split()) in words
    names = [parameter.name for parameter in page["Parameters"]]
    assert names == [p.name for p in declaration.parameters] + ["k"] * (declaration.cutoff != "none")
    for parameter, shown_parameter in zip(declaration.parameters, page["Parameters"], strict=False):
        assert parameter.allowed() in shown_parameter.type
        assert parameter.help in " ".join(shown_parameter.desc)
    assert declaration.aggregate.name in " ".join(page["Returns"][0].desc)
    assert declaration.citation in " ".join(" ".join(page["References"]).split())
    assert all(alias.replace("{}", "k") in words for alias in declaration.aliases)


@pytest.mark.parametrize("name", declared_names())
def test_the_example_runs_as_it_is_printed(name):
    test = doctest.DocTestParser().get_doctest(getattr(pw, name).__doc__, {}, name, None, None)
    assert len(test.examples) == 4
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_help_and_inspect_show_it_and_the_class_keeps_its_own():
    assert "normalised discounted cumulative gain" in pydoc.render_doc(pw.nDCG, renderer=pydoc.plaintext)
    assert inspect.getdoc(pw.AP) == pw.AP.__doc__
    assert inspect.getdoc(pw.AP(rel=2) @ 10) == pw.AP.__doc__
    assert len({getattr(pw, name).__doc__ for name in declared_names()}) == len(declared_names())
    assert Measure.__doc__.startswith("A measure with its parameters")
    assert "class Measure" in pydoc.render_doc(Measure, renderer=pydoc.plaintext)


def test_a_paper_is_named_in_full():
    assert "[Y08] Yilmaz, Kanoulas and Aslam 2008" in pw.xinfAP.__doc__
    assert "[G20] Gienapp" not in pw.xinfAP.__doc__


def test_a_measure_of_one_s_own_has_its_text_too():
    @pw.measure("Deepest", bounds=(0, float("inf")))
    def deepest(labels, rel=1):
        """rank of the last relevant document

        The deeper, the better.
        """
        raise AssertionError("help does not call it")

    assert deepest.__doc__.startswith("Deepest['][@k]: rank of the last relevant document.\n\nThe deeper, the better.")
    assert "One score per topic, from 0 on." in deepest.__doc__
    assert "Examples" not in deepest.__doc__
