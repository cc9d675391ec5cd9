"""Stopping anywhere: what is judged so far is a sample with known rates, and estimates from it hold."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.judging.sharing import Rules, deal
from poolwise.judging.work import read_work
from poolwise.plans.judging_order import in_blocks
from poolwise.reading.judging_file import Event, JudgedText
from poolwise.sampling.hashed_random import HashedRandom

pytestmark = pytest.mark.slow

SHARES = (0.1, 0.3, 0.75)
TOPICS = 8
TRIALS = 40


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Labels, and a folder of runs: files are read ten times as fast as tables are."""
    labels, runs = campaign_tables(
        runs=12, topics=TOPICS, documents=150, depth=60, share=0.2, grades=1, skill=1.0, seed=5
    )
    folder = tmp_path_factory.mktemp("runs")
    for name, topics in runs.items():
        lines = [f"{t} Q0 {d} 0 {score!r} {name}\n" for t, scored in topics.items() for d, score in scored.items()]
        (folder / f"{name}.txt").write_text("".join(lines))
    return labels, folder


def order_of(work, names: tuple[str, ...] = ("ann",)) -> list[int]:
    """The order in which documents are judged: by one, or by several who work at different speeds."""
    items, chance = work.items, HashedRandom(work.plan)
    if len(names) == 1:
        return [item.number for block in in_blocks(items, chance) for item in block]
    queues = deal(in_blocks(items, chance), chance, Rules(names)).queues
    places = [
        ((place + 1) / (1 + speed), number)
        for speed, name in enumerate(names)
        for place, (number, _) in enumerate(queues[name])
    ]
    return [number for _, number in sorted(places)]


def judged(work, order: list[int], share: float, labels, folder: Path) -> str:
    """The judged file when a share of the work is done."""
    items = work.items
    done = order[: round(share * len(order))]
    events = [
        Event(
            f"event{n}",
            n,
            "ann",
            items[n].topic,
            items[n].document,
            "label",
            labels[items[n].topic].get(items[n].document, 0),
        )
        for n in done
    ]
    path = folder / "judged.txt"
    path.write_bytes(JudgedText(work.about, work.rows).after(events))
    return str(path)


def plan(runs, folder: Path, seed: int, **settings):
    path = folder / "plan.txt"
    pw.read(None, runs).plan(budget=320, depth=30, seed=seed, **settings).write(path, overwrite=True)
    return read_work(str(path))


def weighted_totals(path: str, runs) -> np.ndarray:
    """Relevant documents of each topic, each label counted by one over its rate."""
    judgments = pw.read(path, runs).judgments
    rates, labels = judgments.inclusion(), judgments.labels
    counted = np.where(labels > 0, 1.0 / np.maximum(rates, 1e-12), 0.0)
    return np.add.reduceat(counted, judgments.offsets[:-1])


@pytest.fixture(scope="module", params=["uniform", "stratified"])
def works(request, tables, tmp_path_factory) -> list:
    """Plans of a design, one per trial; what they are judged by and how does not change them."""
    folder = tmp_path_factory.mktemp(request.param)
    return [plan(tables[1], folder, seed, design=request.param) for seed in range(TRIALS)]


def totals_at(tables, tmp_path: Path, works: list, names: tuple[str, ...]) -> np.ndarray:
    """Shares x trials x topics."""
    labels, runs = tables
    found = np.zeros((len(SHARES), len(works), TOPICS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed, work in enumerate(works):
            order = order_of(work, names)
            for s, share in enumerate(SHARES):
                found[s, seed] = weighted_totals(judged(work, order, share, labels, tmp_path), runs)
    return found


def truth(tables, tmp_path: Path) -> np.ndarray:
    labels, runs = tables
    rows = plan(runs, tmp_path, 0).rows
    return np.array(
        [sum(labels[t].get(d, 0) > 0 for topic, d, *_ in rows if topic == t) for t in sorted({r[0] for r in rows})]
    )


@pytest.mark.parametrize("names", [("ann",), ("ann", "bob", "cy")])
def test_weights_of_any_prefix_are_unbiased(tables, tmp_path: Path, works: list, names: tuple[str, ...]) -> None:
    totals = totals_at(tables, tmp_path, works, names)
    expected = truth(tables, tmp_path)
    errors = totals.mean(axis=2) - expected.mean()
    standard = errors.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    assert (np.abs(errors.mean(axis=1)) < 4 * standard).all()
    spread = errors.std(axis=1)
    assert (np.diff(spread) < 0).all()  # and more labels tell more


def test_one_label_of_every_topic_speaks_for_all_its_strata(tables, tmp_path: Path, works: list) -> None:
    """After the first walk through all topics most strata have no label, and weights are unbiased all the same."""
    labels, runs = tables
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for work in works:
            order = order_of(work)
            path = judged(work, order, TOPICS / len(order), labels, tmp_path)
            assert pw.read(path, runs).judgments.count() == TOPICS
            found.append(weighted_totals(path, runs).mean())
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - truth(tables, tmp_path).mean()) < 4 * error


def test_an_order_by_rank_would_be_biased(tables, tmp_path: Path) -> None:
    """What the test above would say of judging what stands first: it sees too many relevant documents."""
    labels, runs = tables
    pool = pw.read(None, runs)
    rankings = [(topic, pool.ranking(run, topic)) for run in pool.runs for topic in pool.topics]
    ranks: dict[tuple[str, str], int] = {}
    for topic, ranking in rankings:
        for rank, document in enumerate(ranking):
            ranks[topic, document] = min(rank, ranks.get((topic, document), rank))
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(10):
            work = plan(runs, tmp_path, seed, design="uniform")
            items = work.items
            order = sorted(range(len(items)), key=lambda n: ranks.get((items[n].topic, items[n].document), 999))
            found.append(weighted_totals(judged(work, order, 0.25, labels, tmp_path), runs).mean())
    assert np.mean(found) > 1.2 * truth(tables, tmp_path).mean()


def test_intervals_hold_wherever_one_stops(tables, tmp_path: Path) -> None:
    labels, runs = tables
    complete = {
        t: {d: labels[t].get(d, 0) for topic, d, *_ in plan(runs, tmp_path, 0).rows if topic == t} for t in labels
    }
    trials, held = 30, np.zeros((len(SHARES), 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        true = pw.read(complete, runs).score("AP").means()[:, 0]
        for seed in range(trials):
            work = plan(runs, tmp_path, 1000 + seed)
            order = order_of(work)
            for s, share in enumerate(SHARES):
                scores = pw.read(judged(work, order, share, labels, tmp_path), runs).estimate("AP", steadied=False)
                low, high = scores.mean_low()[:, 0], scores.mean_high()[:, 0]
                held[s] += ((low <= true) & (true <= high)).sum(), len(true)
    coverage = held[:, 0] / held[:, 1]
    assert (coverage > 0.88).all(), coverage
