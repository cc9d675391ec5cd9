"""The simulator: same seed same campaign, labels and pools as asked, files that read back, sane statistics."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from poolwise.errors import ArgumentError
from poolwise.lab.simulate.drawing import graded, simulate
from poolwise.lab.simulate.simulated import Simulated, identifiers


def same(a: Simulated, b: Simulated) -> bool:
    """Whether two campaigns hold the same data."""
    arrays = ("rankings", "score_units", "offsets", "documents", "labels", "pooled")
    return a.runs == b.runs and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)


def average_precision(campaign: Simulated, labels: dict[str, dict[str, int]]) -> np.ndarray:
    """AP of each run (rows) and topic by its definition; a missing topic counts 0."""
    table = np.zeros((len(campaign.runs), len(campaign.topics)))
    for row, name in enumerate(campaign.runs):
        for topic, scores in campaign.run(name).items():
            known = labels[topic]
            found, total = 0, 0.0
            for rank, document in enumerate(scores, 1):
                if known.get(document, 0) > 0:
                    found += 1
                    total += found / rank
            relevant = sum(label > 0 for label in known.values())
            table[row, campaign.topics.index(topic)] = total / max(1, relevant)
    return table


def test_same_seed_same_campaign(small: Simulated) -> None:
    assert same(small, simulate(runs=12, topics=6, depth=60, pool_depth=15, seed=3))


def test_other_seed_other_campaign(small: Simulated) -> None:
    other = simulate(runs=12, topics=6, depth=60, pool_depth=15, seed=4)
    assert not np.array_equal(small.rankings, other.rankings)
    assert not np.array_equal(small.documents, other.documents)


def test_generator_as_seed_is_recorded_as_a_number() -> None:
    drawn = simulate(runs=3, topics=2, depth=10, seed=np.random.default_rng(5))
    again = simulate(runs=3, topics=2, depth=10, seed=np.random.default_rng(5))
    assert same(drawn, again)
    assert same(drawn, simulate(runs=3, topics=2, depth=10, seed=drawn.seed))


def test_numpy_global_state_is_untouched() -> None:
    before = np.random.get_state()[1].copy()  # type: ignore[index]
    simulate(runs=2, topics=2, depth=5)
    assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]


def test_sizes(small: Simulated) -> None:
    assert len(small.runs) == len(set(small.runs)) == len(small.groups) == 12
    assert len(small.topics) == 6
    assert small.rankings.shape == small.score_units.shape == (12, 6, 60)
    assert all(name.startswith(group) for name, group in zip(small.runs, small.groups, strict=True))


@pytest.mark.slow
def test_lists_hold_no_document_twice_and_end_once(middle: Simulated) -> None:
    for numbers in middle.rankings.reshape(-1, middle.depth):
        length = int((numbers >= 0).sum())
        assert (numbers[:length] >= 0).all()
        assert len(set(numbers[:length].tolist())) == length


def test_lists_are_in_the_order_trec_eval_gives_them(small: Simulated) -> None:
    for name in small.runs:
        for scores in small.run(name).values():
            pairs = [(score, document) for document, score in scores.items()]
            assert pairs == sorted(pairs, reverse=True)


@pytest.mark.parametrize("grades", [2, 3, 5])
def test_grades(grades: int) -> None:
    campaign = simulate(runs=8, topics=8, depth=100, grades=grades, negative=0, seed=2)
    assert set(campaign.labels.tolist()) == set(range(grades))
    counts = Counter(campaign.labels[campaign.labels > 0].tolist())
    assert all(counts[label] > counts[label + 1] for label in range(1, grades - 1))


def test_grades_by_degree() -> None:
    degree = (np.arange(1000) + 0.5) / 1000
    labels = graded(degree, 4, 0.5)
    assert np.bincount(labels, minlength=4).tolist() == [0, 571, 286, 143]  # 4/7, 2/7, 1/7
    assert (np.diff(labels) >= 0).all()


@pytest.mark.parametrize("negative", [0, 0.05, 0.3])
def test_negative_share_is_exact(negative: float) -> None:
    campaign = simulate(runs=8, topics=8, depth=100, negative=negative, pool_depth=30, seed=2)
    judged = campaign.labels[campaign.pooled]
    assert (judged < 0).sum() == round(negative * (judged <= 0).sum())
    assert set(campaign.labels[campaign.labels < 0].tolist()) <= {-2}


@pytest.mark.slow
def test_runs_are_fooled_by_negative_documents(middle: Simulated) -> None:
    """Among judged non-relevant documents, negative ones are more frequent at the first ranks."""
    labels = middle.qrels()
    top, deep = Counter[bool](), Counter[bool]()
    for name in middle.runs:
        for topic, scores in middle.run(name).items():
            for rank, document in enumerate(scores, 1):
                label = labels[topic].get(document, 1)
                if label <= 0 and rank <= 10:
                    top[label < 0] += 1
                elif label <= 0 and rank > 20:
                    deep[label < 0] += 1
    assert top[True] / top.total() > 1.5 * deep[True] / deep.total()


def test_labels_and_pool_do_not_change_the_lists(small: Simulated) -> None:
    other = simulate(12, 6, 60, grades=2, negative=0.5, pool_depth=3, contributing=4, seed=3)
    assert np.array_equal(small.rankings, other.rankings)
    assert np.array_equal(small.documents, other.documents)
    assert np.array_equal(small.labels > 0, other.labels > 0)


@pytest.mark.parametrize("contributing", [None, 5, ["first", "last"]])
@pytest.mark.parametrize("pool_depth", [1, 15, 60, 500])
def test_pool_is_the_union_of_the_first_documents(
    small: Simulated, contributing: int | list[str] | None, pool_depth: int
) -> None:
    if isinstance(contributing, list):
        contributing = [small.runs[0], small.runs[-1]]
    campaign = simulate(12, 6, 60, pool_depth=pool_depth, contributing=contributing, seed=3)
    union: dict[str, set[str]] = {topic: set() for topic in campaign.topics}
    for name in campaign.contributing:
        for topic, scores in campaign.run(name).items():
            ordered = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
            union[topic] |= set(ordered[:pool_depth])
    assert {topic: set(labels) for topic, labels in campaign.qrels().items()} == union


def test_contributing_number_takes_every_family_first(middle: Simulated) -> None:
    families = len(set(middle.groups))
    campaign = simulate(60, 2, 20, contributing=families, seed=11)
    assert len(campaign.contributing) == families
    assert {name[:-1] for name in campaign.contributing} == set(middle.groups)


def test_truth_holds_every_retrieved_and_every_judged_document(small: Simulated) -> None:
    truth, judged = small.truth(), small.qrels()
    for topic in small.topics:
        retrieved = {d for name in small.runs for d in small.run(name).get(topic, {})}
        assert retrieved | set(judged[topic]) <= set(truth[topic])
        assert all(truth[topic][document] > 0 for document in set(truth[topic]) - retrieved)
        assert all(truth[topic][document] == label for document, label in judged[topic].items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": 0}, "runs=0 must be a whole number from 1 to 100000"),
        ({"topics": 2.5}, "topics=2.5 must be a whole number from 1 to 100000"),
        ({"depth": -1}, "depth=-1 must be a whole number from 1 to 100000"),
        ({"grades": 1}, "grades=1 must be a whole number from 2 to 100"),
        ({"grades": True}, "grades=True must be a whole number from 2 to 100"),
        ({"negative": 1.5}, "negative=1.5 must be a number from 0 to 1"),
        ({"negative": float("nan")}, "negative=nan must be a number from 0 to 1"),
        ({"pool_depth": 0}, "pool_depth=0 must be a whole number of at least 1"),
        ({"contributing": 6}, "contributing=6 must be a whole number from 1 to 5"),
        ({"contributing": "sim01a"}, "contributing is 'sim01a'; it must be a number of runs or a list"),
        ({"contributing": []}, "contributing is empty; the runs of this campaign are "),
        ({"contributing": ["nobody"]}, "contributing names 'nobody'; the runs of this campaign are "),
        ({"seed": -1}, "seed=-1 must be a whole number from 0 on"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        simulate(**({"runs": 5, "topics": 2, "depth": 5} | arguments))  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("runs", "topics", "depth"), [(1, 1, 1), (2, 1, 3), (3, 2, 1500)])
def test_smallest_and_deep_campaigns(runs: int, topics: int, depth: int) -> None:
    campaign = simulate(runs, topics, depth, seed=8)
    assert campaign.rankings.shape == (runs, topics, depth)
    assert (campaign.rankings[:, :, 0] >= 0).any()
    assert all(1 <= len(scores) <= depth for name in campaign.runs for scores in campaign.run(name).values())


def test_few_lists_are_short_or_missing(middle: Simulated) -> None:
    lengths = (middle.rankings >= 0).sum(axis=2)
    assert 0.005 < (lengths < middle.depth).mean() < 0.15
    assert (lengths == 0).mean() < 0.01


def test_scores_are_tied_as_often_as_rounding_ties_them(middle: Simulated) -> None:
    """Neighbours a gap x apart are printed alike with probability 1 - x, x in units of the last decimal.

    With gaps exponential around a mean g that makes 1 - g (1 - exp(-1 / g)), nearly 1 / (2 g). Each g is taken from the
    eleven gaps around; the mean of the inverse of such a mean of n gaps is n / (n - 1) too large.
    """
    units = middle.score_units[(middle.rankings >= 0).all(axis=2)].astype(float)
    tied = (units[:, 1:] == units[:, :-1])[:, 5:-5]
    gap = np.maximum((units[:, :-11] - units[:, 11:]) / 11, 0.1)
    expected = 1 - gap * (1 - np.exp(-1 / gap))
    assert tied.mean() == pytest.approx(expected.mean() * 10 / 11, rel=0.06)


def test_equal_scores_stand_in_the_order_of_trec_eval(middle: Simulated) -> None:
    tied = (middle.score_units[:, :, 1:] == middle.score_units[:, :, :-1]) & (middle.rankings[:, :, 1:] >= 0)
    above, below = middle.rankings[:, :, :-1][tied], middle.rankings[:, :, 1:][tied]
    names = dict(zip(numbers := np.union1d(above, below), identifiers(numbers, middle.collection), strict=True))
    assert len(above) > 1000
    assert all(names[first] > names[second] for first, second in zip(above.tolist(), below.tolist(), strict=True))


@pytest.mark.slow
def test_statistics_of_a_campaign(middle: Simulated) -> None:
    """Wide bounds around the fitted values; benchmarks/simulator_fit.py compares with TREC-8 in full."""
    table = average_precision(middle, middle.qrels())
    means, topics = table.mean(1), table.mean(0)
    assert 0.15 < means.mean() < 0.35
    assert 0.06 < means.std(ddof=1) < 0.14
    assert means.min() < 0.1
    assert 0.1 < topics.std(ddof=1) < 0.23
    assert np.median(means) > means.mean()  # many good systems, a tail of bad ones
    relevant = np.array([sum(label > 0 for label in labels.values()) for labels in middle.qrels().values()])
    assert 25 < np.median(relevant) < 110
    assert relevant.mean() > np.median(relevant)
    halves = np.argsort(np.argsort(np.stack([table[:, ::2].mean(1), table[:, 1::2].mean(1)]), axis=1), axis=1)
    assert np.asarray(np.corrcoef(halves))[0, 1] > 0.8


def test_judgments_miss_some_relevant_documents(middle: Simulated) -> None:
    judged, relevant = middle.pooled, middle.labels > 0
    assert 0.5 < (judged & relevant).sum() / relevant.sum() < 0.99


def test_families_overlap_more_than_strangers(middle: Simulated) -> None:
    within: list[float] = []
    between: list[float] = []
    tops = [[set(numbers[:50].tolist()) - {-1} for numbers in run] for run in middle.rankings]
    for a in range(len(tops)):
        for b in range(a):
            shared = float(np.mean([len(x & y) / 50 for x, y in zip(tops[a], tops[b], strict=True)]))
            (within if middle.groups[a] == middle.groups[b] else between).append(shared)
    assert np.mean(within) > np.mean(between) + 0.1
    assert 0.15 < np.mean(between) < 0.45


def test_manual_runs_find_documents_of_their_own(middle: Simulated) -> None:
    """Relevant documents that one run alone put into the pool come mostly from few manual runs."""
    finders: dict[tuple[int, int], list[int]] = {}
    for row, column in np.ndindex(len(middle.runs), len(middle.topics)):
        for number in middle.rankings[row, column, : middle.pool_depth].tolist():
            finders.setdefault((column, number), []).append(row)
    relevant = {
        (column, int(number))
        for column in range(len(middle.topics))
        for part in [slice(middle.offsets[column], middle.offsets[column + 1])]
        for number in middle.documents[part][middle.labels[part] > 0]
    }
    alone = Counter(rows[0] for key, rows in finders.items() if len(rows) == 1 and key in relevant)
    manual = [row for row, name in enumerate(middle.runs) if name.startswith("man")]
    share = sum(alone[row] for row in manual) / alone.total()
    assert 0 < len(manual) < len(middle.runs) / 4
    assert share > 2 * len(manual) / len(middle.runs)
    assert 0.03 < alone.total() / len(relevant) < 0.3


@pytest.mark.parametrize("what", ["runs", "topics"])
def test_more_than_memory_can_hold_is_refused_at_once(what):
    with pytest.raises(ArgumentError, match=f"{what}=1000000000 must be a whole number from 1 to 100000"):
        simulate(**{what: 10**9})
