"""Verbs of a campaign are the functions of the analyses, loaded when first used."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import subprocess
import sys
from copy import copy

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

import poolwise as pw
from poolwise.audits.holes import holes
from poolwise.estimates.estimator import estimate, prepare
from poolwise.plans.make_plan import plan
from poolwise.scores.scoring import score

VERBS = {"score": score, "estimate": estimate, "plan": plan, "holes": holes}
RUNS = {"mine": {"1": {"a": 2.0, "b": 1.0}}, "yours": {"1": {"b": 2.0, "c": 1.0}}}


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_the_function_of_the_analysis(name):
    assert getattr(pw.Campaign, name) is VERBS[name]
    first, *settings = inspect.signature(VERBS[name]).parameters
    assert first == "campaign"
    assert list(inspect.signature(getattr(pw.read({"1": {"a": 1}}, RUNS), name)).parameters) == settings
    assert inspect.getdoc(getattr(pw.Campaign, name)) == inspect.getdoc(VERBS[name])


PROBE = """
import sys
import poolwise as pw
pool = pw.read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}})
assert not {name for name in sys.modules if name.startswith(("poolwise.scores", "poolwise.estimates"))}
pool.score("AP")
assert "numpy" not in sys.modules
pool.plan(budget=1)
assert "numpy" in sys.modules
assert not {name for name in sys.modules if name.startswith("poolwise.estimates")}
"""


def test_a_verb_loads_what_it_needs_when_it_is_called():
    subprocess.run([sys.executable, "-c", PROBE], check=True)


def test_help_has_every_verb():
    text = pydoc.plain(pydoc.render_doc(pw.Campaign))
    assert all(f"{name}(" in text for name in (*VERBS, "compare", "comparable"))
    assert "Score every run on every topic by every measure." in text


def test_a_copy_has_judgments_of_its_own():
    pool = pw.read({"1": {"a": 1, "b": 0}}, RUNS)
    other = copy(pool)
    other.judgments = pw.Judgments(pool, [0, 1])
    assert (pool.score("P@1").array("P@1")[:, 0] == [1, 0]).all()
    assert (other.score("P@1").array("P@1")[:, 0] == [0, 1]).all()


def test_columns_that_are_made_once_serve_many_samples():
    campaign = small_campaign(topics=4, seed=3)
    predictions = {topic: dict.fromkeys(campaign.documents(topic)[::2], 0.7) for topic in campaign.topics}
    for given in (None, predictions):
        made = prepare(campaign, campaign.judgments, given)
        for seed in (1, 2):
            sample = uniform_sample(campaign, 0.4, seed)
            again = campaign.estimate("AP", judgments=sample, predictions=made)
            anew = campaign.estimate("AP", judgments=sample, predictions=given)
            assert (again.means() == anew.means()).all()
            assert np.array_equal(again.mean_low(), anew.mean_low(), equal_nan=True)
            assert again.settings["predictions"] == (given is not None)


def test_a_bound_verb_goes_to_other_processes():
    assert pickle.loads(pickle.dumps(pw.Campaign.score)) is score
