"""What is said of holes does not depend on the order of runs, nor on names, and hardly on the seed."""

from __future__ import annotations

import inspect
import random
from hashlib import md5

import numpy as np
import pytest
from scipy import optimize, stats
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.audits.hole_model import DEFAULT

POOL = small_campaign(runs=5, topics=6, grades=2, share=0.3)
THIN = POOL.judgments.sample("depth", depth=4, contributing=POOL.runs[:2])
QRELS = {topic: {d: label for d, label in THIN.of(topic).items() if label >= 0} for topic in POOL.topics}
LISTS = {
    run: {
        topic: [POOL.documents(topic)[d] for d in np.asarray(POOL.all_documents(number, topic_number)).tolist()]
        for topic_number, topic in enumerate(POOL.topics)
    }
    for number, run in enumerate(POOL.runs)
}


def hashed(name: str) -> str:
    return md5(name.encode()).hexdigest()


def found(order=None, rename=lambda name: name, topic_name=lambda name: name, run_name=lambda name: name):
    """A campaign with the same judgments and rankings."""
    runs = {
        run_name(run): {
            topic_name(topic): {rename(d): -float(rank) for rank, d in enumerate(documents)}
            for topic, documents in LISTS[run].items()
        }
        for run in order or LISTS
    }
    qrels = {topic_name(t): {rename(d): label for d, label in own.items()} for t, own in QRELS.items()}
    return pw.read(qrels, runs)


def told(pool, measure, run_name=lambda name: name):
    """All numbers of the runs, and of pairs."""
    holes = pool.holes(measure, draws=60)
    rows = holes.columns()
    names = rows.pop("run")
    numbers = [row for key, row in rows.items() if key != "measure"]
    by_run = {name: [column[place] for column in numbers] for place, name in enumerate(names)}
    pairs = holes.pairs.columns()
    sides = list(zip(pairs.pop("run_a"), pairs.pop("run_b"), strict=True))
    by_pair = {side: [column[place] for column in pairs.values()] for place, side in enumerate(sides)}
    return (
        np.array([by_run[run_name(run)] for run in LISTS], dtype=float),
        {frozenset(side): np.array(row, dtype=float) for side, row in by_pair.items()},
    )


CHANGES = {
    "runs reversed": {"order": list(LISTS)[::-1]},
    "runs shuffled": {"order": random.Random(3).sample(list(LISTS), len(LISTS))},
    "documents renamed": {"rename": hashed},
    "topics renamed": {"topic_name": hashed},
}


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
@pytest.mark.parametrize("change", CHANGES)
def test_order_and_names_do_not_matter(measure, change) -> None:
    runs, pairs = told(found(), measure)
    others, other_pairs = told(found(**CHANGES[change]), measure)
    np.testing.assert_allclose(others, runs, rtol=0, atol=1e-12)
    assert (runs[:, -2] < runs[:, -1]).any()
    for pair, row in pairs.items():
        np.testing.assert_allclose(other_pairs[pair], row, rtol=0, atol=1e-12)


def test_names_of_runs_do_not_matter() -> None:
    runs, _ = told(found(), "nDCG@10")
    others, _ = told(found(run_name=hashed), "nDCG@10", hashed)
    np.testing.assert_allclose(others, runs, rtol=0, atol=1e-12)


def test_what_settles_does_not_depend_on_names() -> None:
    a, b = list(LISTS)[3:]
    one, other = found().holes("nDCG@10", draws=20), found(rename=hashed, order=list(LISTS)[::-1]).holes(draws=20)
    one, other = one.settle(a, b), other.settle(a, b)
    assert len(one.document) > 3
    assert (other.topic, other.median) == (one.topic, one.median)
    assert other.document == [hashed(name) for name in one.document]


def test_so_many_draws_have_the_ends_of_their_distribution() -> None:
    """Offsets of a run, a t of 3 degrees of freedom and a normal part, have the quantiles that integration says."""
    number = inspect.signature(pw.Campaign.holes).parameters["draws"].default
    grid = stats.t.ppf((np.arange(20_000) + 0.5) / 20_000, DEFAULT.df) * DEFAULT.error
    wanted = [
        optimize.brentq(lambda x, q=q: stats.norm.cdf((x - grid) / DEFAULT.spread).mean() - q, -20, 20)
        for q in (0.025, 0.975)
    ]
    error = (wanted[1] - wanted[0]) / 3.92
    for seed in range(10):
        drawn = DEFAULT.draws(number, 4, np.random.default_rng(seed)) - DEFAULT.mean
        off = np.quantile(drawn, [0.025, 0.975], axis=0) - np.array(wanted)[:, None]
        assert abs(off).max() < 0.12 * error
        assert abs(np.corrcoef(drawn.T - drawn.mean(axis=1)) - np.eye(4)).max() < 0.4
