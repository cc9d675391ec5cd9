"""Which measures can be estimated, in words."""

from __future__ import annotations

import pytest

from poolwise.measures.registry import parse, why_not


@pytest.mark.parametrize("measure", ["AP", "bpref", "RR'", "nDCG'@10", "rbp", "IPrec11"])
def test_means_over_topics_can(measure: str) -> None:
    assert why_not(parse(measure)) == ""


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("infNDCG@10", "ask for what it estimates, nDCG@10"),
        ("statAP", "ask for what it estimates, AP"),
        ("Judged@10", "score has it"),
        ("NumRet", "score has it"),
        ("GMAP", "no mean over topics"),
        ("NumRelRet", "no mean over topics"),
        ("alpha_nDCG@20", "not of subtopics"),
    ],
)
def test_others_say_why_and_what_to_use(measure: str, words: str) -> None:
    assert words in why_not(parse(measure))
