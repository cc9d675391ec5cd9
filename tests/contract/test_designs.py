"""Laws that every design keeps."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from tests.kit.judged_campaigns import random_campaign, read_campaign

from poolwise.cli import plan as plan_command
from poolwise.cli import sample as sample_command
from poolwise.errors import ArgumentError
from poolwise.plans.plan_request import PLAN_DESIGNS
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.sampling.designs import CHECKS, DESIGNS

# Settings of each design from small to large samples.
SERIES = {
    "reduce": [{"fraction": f} for f in (0.01, 0.05, 0.3, 0.31, 0.9, 1)],
    "uniform": [{"fraction": f} for f in (0.01, 0.05, 0.3, 0.31, 0.9, 1)],
    "depth": [{"depth": k} for k in (1, 2, 5, 50)],
    "depth_plus_random": [{"depth": k} for k in (1, 2, 5, 50)],
    "stratified": [{"edges": (3, 9), "budget": n, "weights": (5, 2, 1)} for n in (3, 20, 21, 22, 80, 10**6)],
    "pair": [{"runs": ("run0", "run1"), "fraction": f} for f in (0.01, 0.3, 1)],
    "without": [{"runs": ("run0", "run1"), "depth": 4}],
}
EACH = [(name, settings) for name, series in SERIES.items() for settings in series]


@pytest.fixture(scope="module", params=range(3))
def judgments(request):
    return read_campaign(*random_campaign(request.param, pooled=0.15)).judgments


def known(given):
    return (given.labels != POOLED) & (given.labels != OUTSIDE)


def test_every_design_is_here_and_on_the_command_line():
    assert list(SERIES) == list(DESIGNS) == list(sample_command.DESIGNS)
    assert plan_command.PLAN_DESIGNS == PLAN_DESIGNS


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_labels_are_hidden_never_changed(judgments, name, settings):
    drawn = judgments.sample(name, seed=2, **settings)
    shown = known(drawn)
    assert (drawn.labels[shown] == judgments.labels[shown]).all()
    assert (judgments.labels[drawn.labels == POOLED] != OUTSIDE).all()
    assert shown.sum() > 0


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_what_was_not_judged_stays_so(judgments, name, settings):
    drawn = judgments.sample(name, seed=2, **settings)
    assert not known(drawn)[judgments.labels == POOLED].any()


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_the_same_seed_draws_the_same_and_the_input_stays(judgments, name, settings):
    before = judgments.to_text()
    drawn = judgments.sample(name, seed=4, **settings)
    assert drawn.equals(judgments.sample(name, seed=4, **settings))
    assert judgments.to_text() == before
    other = judgments.sample(name, seed=5, **settings)
    if not DESIGNS[name].random:
        assert drawn.equals(other)
    assert drawn.count() == other.count()


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_another_trial_is_another_draw_of_the_same_size(judgments, name, settings):
    draws = judgments.samples(name, trials=4, seed=1, **settings)
    assert len({draw.count() for draw in draws}) == 1
    different = len({draw.to_text() for draw in draws}) > 1
    partial = 0 < draws[0].count() < int((draws[0].labels != OUTSIDE).sum()) - int((judgments.labels == POOLED).sum())
    assert different == (DESIGNS[name].random and partial)


@pytest.mark.parametrize("name", SERIES)
def test_a_larger_sample_holds_the_smaller(judgments, name):
    for trial in range(3):
        draws = [known(judgments.sample(name, seed=6, trial=trial, **settings)) for settings in SERIES[name]]
        for smaller, larger in pairwise(draws):
            assert (smaller <= larger).all()


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_strata_and_rounds_come_with_stratified_designs_only(judgments, name, settings):
    drawn = judgments.sample(name, seed=2, **settings)
    if not DESIGNS[name].stratified:
        assert drawn.strata is None
        assert drawn.rounds is None
        return
    assert (drawn.strata[drawn.labels != OUTSIDE] >= 1).all()
    assert (drawn.rounds == known(drawn)).all()
    assert drawn.strata.dtype == drawn.rounds.dtype == np.int32


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_only_designs_that_make_the_pool_smaller_put_documents_outside(judgments, name, settings):
    drawn = judgments.sample(name, seed=2, **settings)
    assert bool((drawn.labels == OUTSIDE).any()) == (name in ("depth", "pair", "without"))


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_inclusion_counts_the_judged(judgments, name, settings):
    drawn = judgments.sample(name, seed=2, **settings)
    inclusion = drawn.inclusion()
    assert inclusion.sum() == pytest.approx(drawn.count())
    assert (inclusion[known(drawn)] > 0).all()
    assert ((inclusion >= 0) & (inclusion <= 1)).all()
    assert (inclusion[drawn.labels == OUTSIDE] == 0).all()


@pytest.mark.parametrize(("name", "settings"), EACH)
def test_the_record_repeats_the_draw(judgments, name, settings):
    drawn = judgments.sample(name, seed=8, trial=2, **settings)
    record = json.loads(json.dumps(drawn.design))
    assert record.pop("version")
    assert judgments.sample(record.pop("design"), **record).equals(drawn)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_declaration_names_exactly_what_the_design_takes(judgments, name):
    """Every setting that it declares is read, every other is refused."""
    design = DESIGNS[name]
    assert design.name == name
    for setting in CHECKS:
        with pytest.raises(ArgumentError) as refusal:
            judgments.sample(name, seed=1, **{**SERIES[name][0], setting: object()})
        unknown = f"design {name!r} has no setting {setting!r}; it takes {', '.join(design.settings)}"
        assert (str(refusal.value) == unknown) == (setting not in design.settings)
