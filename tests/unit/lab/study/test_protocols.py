"""Protocols name settings that their studies have, and measures that there are."""

from __future__ import annotations

from inspect import signature

import pytest

from poolwise import study
from poolwise.cli.study import SETTINGS
from poolwise.errors import ArgumentError
from poolwise.lab.study.protocols import PROTOCOLS, settings_as, studies_as
from poolwise.measures.registry import parse

CASES = [(paper, name) for paper, found in PROTOCOLS.items() for name in found]


@pytest.mark.parametrize(("paper", "name"), CASES)
def test_every_setting_is_one_of_the_study_and_of_the_command_line(paper, name):
    taken = signature(getattr(study, name.replace("-", "_"))).parameters
    for setting in (settings := settings_as(paper, name)):
        assert setting in taken
        assert setting in SETTINGS or setting in ("measures", "complete_only", "judged_only")
    assert set(settings.get("complete_only", ())) < set(settings.get("measures", ["none"]))
    for measure in settings.get("measures", ()):
        assert str(parse(measure)) == measure


def test_unknown_papers_and_studies():
    with pytest.raises(ArgumentError, match="no protocol is called 'B08'"):
        settings_as("B08", "robustness")
    with pytest.raises(ArgumentError, match="no protocol"):
        studies_as("B08")
    with pytest.raises(ArgumentError, match="has no negative study"):
        settings_as("B07", "negative")


def test_a_copy_is_given():
    settings_as("B07", "robustness")["retrieved"] = 0
    assert settings_as("B07", "robustness")["retrieved"] == 0.95
