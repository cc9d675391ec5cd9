"""Intervals of agreement: simulations with known truth, samples weighted by their design, few documents."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.label_rows import rows, sheet_of

from poolwise.trust.label_agreement import agreement_of as label_agreement
from poolwise.trust.label_sheet import label_sheet


@pytest.mark.slow
def test_intervals_of_samples_hold_the_pool():
    """Two raters of 1,200 documents in 20 topics; kappa from a tenth must hold that of all 95 times of 100."""
    generator = np.random.default_rng(8)
    size = 1200
    topics = [str(1 + place // 60) for place in range(size)]
    hard = generator.random(20).repeat(60)
    truth = generator.random(size) < hard * 0.6
    said = {name: np.where(generator.random(size) < 0.2, ~truth, truth).astype(int) for name in ("people", "model")}
    model = rows(said["model"].tolist(), topics)
    whole = label_agreement(label_sheet({"people": rows(said["people"].tolist(), topics), "model": model}))
    truth, errors = whole.of("kappa", "people", "model").value, []
    for _ in range(60):
        drawn = np.concatenate([60 * topic + generator.permutation(60)[:6] for topic in range(20)])
        kept = set(drawn.tolist())
        people = [
            (topic, document, label if place in kept else None, 1)
            for place, (topic, document, label, _) in enumerate(rows(said["people"].tolist(), topics))
        ]
        found = label_agreement(label_sheet({"people": people, "model": model})).of("kappa", "people", "model")
        errors.append(2 * (found.value - truth) / (found.high - found.low))
    assert 0.9 <= (np.abs(errors) <= 1).mean() <= 0.99
    # Sharper than coverage: an interval of 95 % is about two standard errors wide to each side.
    assert 0.42 < np.sqrt(np.mean(np.square(errors))) < 0.58


@pytest.mark.slow
@pytest.mark.parametrize(("strata", "each"), [(2, 1), (1, 2)])
def test_intervals_of_a_team_that_shares_few_documents_hold_the_pool(strata, each):
    """Three raters of 50 topics; a plan draws one of each of two strata, or two of one, chance says which two judge.

    A cell has no document of a pair, or one, and seldom two: nothing can be said from the spread within cells alone.
    """
    generator = np.random.default_rng(each)
    upper = 10 if strata == 2 else 30
    listed = [(str(topic), f"{topic}-{place}", 1 + (place >= upper)) for topic in range(50) for place in range(30)]
    share = np.repeat(generator.beta(1.5, 2, 50), 30) * np.tile(np.repeat([1.0, 0.5], [10, 20]), 50)
    truth, careless = generator.random(1500) < share, np.repeat(generator.uniform(0.05, 0.3, 50), 30)
    said = (truth[:, None] ^ (generator.random((1500, 3)) < careless[:, None])).astype(float)

    def agreement(judged):
        named = {
            name: [(*row[:2], said[n, column] if judged[n, column] else None, row[2]) for n, row in enumerate(listed)]
            for column, name in enumerate("abc")
        }
        found = label_agreement(label_sheet(named))
        return [*(found.of("kappa", *pair) for pair in ("ab", "ac", "bc")), found.means[0], found.of("fleiss_kappa")]

    whole = agreement(np.ones((1500, 3), dtype=bool))
    errors = []
    for _ in range(40):
        judged = np.zeros((1500, 3), dtype=bool)
        for begin, size in ((0, 10), (10, 20)) if strata == 2 else ((0, 30),):
            for topic in range(50):
                drawn = 30 * topic + begin + generator.permutation(size)[:each]
                judged[drawn] = True
                judged[drawn, generator.integers(3, size=each)] = False
        found = agreement(judged)
        errors.append(
            [2 * (one.value - all.value) / (one.high - one.low) for one, all in zip(found, whole, strict=True)]
        )
    pairs, mean, fleiss = np.asarray(errors)[:, :3].ravel(), np.asarray(errors)[:, 3], np.asarray(errors)[:, 4]
    for own in (pairs, mean, fleiss):  # an interval of 95 % is about two standard errors wide to each side
        assert 0.38 < np.sqrt(np.mean(np.square(own))) < 0.62
    assert 0.91 <= (np.abs(pairs) <= 1).mean() <= 0.99


def test_a_topic_is_weighted_by_its_own_strata():
    """Two topics of unlike strata: what is said of one must not depend on how much the other pools."""

    def rows_of(sizes):
        listed = [
            (str(topic), f"{topic}-{stratum}-{place}", stratum)
            for (topic, stratum), size in sizes.items()
            for place in range(size)
        ]  # fmt: skip
        first = [(*row[:2], 1.0 if int(row[1].split("-")[2]) < 4 else None, row[2]) for row in listed]
        other = [(*row[:2], float(row[2] == 1), row[2]) for row in listed]
        return label_agreement(label_sheet({"people": first, "model": other}))

    sizes = {(1, 1): 10, (1, 2): 10, (2, 1): 10, (2, 2): 90}
    shares = {row.first: row.value for row in rows_of(sizes).by_topic if row.coefficient == "agreeing"}
    assert shares == pytest.approx({"1": 0.5, "2": 0.1})


def test_documents_of_a_pair_weigh_what_was_drawn_for_them():
    """A stratum of one pair's documents: 4 of 20 were drawn in one topic, 4 of 60 in the other."""
    listed = [("1", f"x{n}") for n in range(20)] + [("2", f"y{n}") for n in range(60)]
    ann = [(t, d, 1.0 if int(d[1:]) < 4 else None, 1) for t, d in listed]
    bob = [(t, d, float(d[0] == "x") if int(d[1:]) < (3 if t == "1" else 1) else None, 1) for t, d in listed]
    found = label_agreement(label_sheet({"ann": ann, "bob": bob})).of("agreement", "ann", "bob")
    assert found.value == pytest.approx(3 * 5 / (3 * 5 + 15))
    assert found.documents == 4
    assert 0.0 <= found.low < found.value < found.high <= 1.0


def test_what_derivatives_leave_of_no_error_is_none():
    """Ten of thirty documents drawn, all agreed on: one half of the weights are no powers of two."""
    listed = [("1", f"x{n}", 1 + n % 2) for n in range(30)]
    one = [(*row[:2], float(n % 3 == 0) if n < 10 else None, row[2]) for n, row in enumerate(listed)]
    found = label_agreement(label_sheet({"ann": one, "bob": one}))
    for row in found.rows:
        assert (row.value, row.high) == (pytest.approx(1.0), 1.0)
        assert row.low < 1.0


def test_the_mean_of_pairs_by_the_jackknife():
    """The standard error of the mean of pairs over topics is that of leaving topics out."""
    generator = np.random.default_rng(6)
    topics = [str(1 + place // 20) for place in range(800)]
    truth = generator.integers(0, 3, 800)
    said = {name: np.where(generator.random(800) < 0.25, generator.integers(0, 3, 800), truth) for name in "abc"}

    def mean(kept):
        def kappa(a, b):
            seen = np.mean(a == b)
            chance = sum(np.mean(a == value) * np.mean(b == value) for value in range(3))
            return (seen - chance) / (1 - chance)

        return np.mean([kappa(said[x][kept], said[y][kept]) for x, y in ("ab", "ac", "bc")])

    numbers = np.asarray(topics, dtype=int)
    left = np.array([mean(numbers != topic) for topic in range(1, 41)])
    error = np.sqrt(39 / 40 * np.sum((left - left.mean()) ** 2))
    found = label_agreement(label_sheet({name: rows(labels.tolist(), topics) for name, labels in said.items()})).means[
        0
    ]
    z = [np.arctanh(end) for end in (found.low, found.value, found.high)]
    assert found.value == pytest.approx(mean(numbers > 0))
    assert z[2] - z[1] == pytest.approx(z[1] - z[0])
    assert (z[1] - z[0]) * (1 - found.value**2) == pytest.approx(2.0227 * error, rel=0.05)  # Student's t, 39


def test_strata_with_unequal_rates_are_weighted():
    """One stratum judged in full, one at a fifth: shares are those of the pool."""
    people = [("1", f"a{place}", 1.0, 1) for place in range(10)]
    people += [("1", f"b{place}", 0.0 if place < 4 else None, 2) for place in range(20)]
    model = [("1", f"a{place}", 1.0, 1) for place in range(10)]
    model += [("1", f"b{place}", float(place % 2), 2) for place in range(20)]
    found = label_agreement(label_sheet({"people": people, "model": model}))
    assert found.of("agreement", "people", "model").value == pytest.approx((10 + 20 * 0.5) / 30)
    assert found.confusions["people", "model"].sum() == pytest.approx(30)
    assert found.sampled


def test_shares_are_never_below_zero():
    topics = [str(1 + place // 4) for place in range(12)]
    first, second = [1, 0, 0, 0] * 3, [0, 1, 1, 0] * 2 + [1, 0, 0, 0]
    found = label_agreement(label_sheet({"a": rows(first, topics), "b": rows(second, topics)}))
    for row in (*found.rows, *found.by_topic):
        if row.coefficient in ("agreement", "overlap", "agreeing"):
            assert 0 <= row.low <= row.value <= row.high <= 1


def test_a_few_documents_that_agree_prove_little():
    found = label_agreement(sheet_of({"a": [1, 0, 1, 0], "b": [1, 0, 1, 0]}))
    share, kappa = found.of("agreement", "a", "b"), found.of("kappa", "a", "b")
    assert (share.value, share.high) == (1.0, 1.0)
    assert share.low == pytest.approx(0.025**0.25)  # Clopper and Pearson, four of four
    assert kappa.low == pytest.approx(1 - (1 - 0.025**0.25) / 0.5)
    none = label_agreement(sheet_of({"a": [1, 0, 1, 0], "b": [0, 1, 0, 1]})).of("agreement", "a", "b")
    assert (none.low, none.value, none.high) == pytest.approx((0.0, 0.0, 1 - 0.025**0.25))


def counts(both, first, second, neither):
    """Labels of two assessors, so many documents relevant by both, by the first, by the second, by neither."""
    pairs = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    return label_agreement(sheet_of({name: [pair[at] for pair in pairs] for at, name in enumerate("ab")}))


@pytest.mark.parametrize(("both", "one"), [(3, 0), (0, 3), (1, 0), (0, 20)])
def test_documents_that_nobody_finds_relevant_say_nothing_of_overlap(both, one):
    """Clopper and Pearson's interval of the documents that either finds relevant, however many others there are."""
    relevant = both + one
    expected = (0.025 ** (1 / relevant), 1.0) if both else (0.0, 1 - 0.025 ** (1 / relevant))
    for neither in (10, 1000):
        found = counts(both, one, 0, neither).of("overlap", "a", "b", "binary")
        assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("coefficient", ["kappa", "quadratic_kappa", "fleiss_kappa", "alpha_nominal", "alpha_ordinal"])
def test_four_documents_that_one_finds_relevant_do_not_make_sure_that_none_is_by_both(coefficient):
    """The interval reaches as far as with one document more that is relevant by both; it went from -.08 to 0."""
    of = ("a", "b") if "kappa" in coefficient and "fleiss" not in coefficient else ("all", "all")
    found = counts(0, 2, 2, 46).of(coefficient, *of)
    assert found.low < -0.2
    assert 0.6 < found.high < 0.8
    more = counts(1, 2, 2, 46).of(coefficient, *of)
    assert found.high == pytest.approx(more.high, abs=0.02)


@pytest.mark.parametrize("documents", [10, 20])
def test_rare_relevance_is_held(documents):
    """One in ten is relevant, one label in ten is wrong; intervals held 42 to 84 %."""
    generator, held = np.random.default_rng(documents), {"overlap": [], "alpha_nominal": []}
    # P(both), P(one), and chance agreement in a sea of such documents
    both, one = 0.1 * 0.9, 0.1
    margin = (0.1 + 0.18) / 2
    truth = {"overlap": both / (both + one), "alpha_nominal": 1 - one / (2 * margin * (1 - margin))}
    for _ in range(120):
        first = generator.random(documents) < 0.1
        second = first ^ (generator.random(documents) < 0.1)
        if not (first | second).any():
            continue
        found = label_agreement(sheet_of({"a": first.astype(int).tolist(), "b": second.astype(int).tolist()}))
        for name, rows_of in held.items():
            row = found.of(name, *(("a", "b") if name == "overlap" else ("all", "all")), "binary")
            rows_of.append(not (row.low > truth[name] or row.high < truth[name]))
    assert all(np.mean(each) > 0.93 for each in held.values())


def test_a_large_stratum_without_a_disagreement_does_not_make_sure():
    """40 of 100 documents and 15 of 900 judged by both, who disagree on a few of the 900; intervals held 37 to 74 %."""
    generator, held = np.random.default_rng(5), {"agreement": [], "overlap": [], "kappa": [], "alpha_nominal": []}
    for _ in range(80):
        said, drawn, strata = np.empty((2, 0), dtype=bool), [], []
        for size, number, chance, wrong in ((100, 40, 0.5, 0.15), (900, 15, 0.05, 0.03)):
            first = generator.random(size) < chance
            said = np.hstack([said, [first, first ^ (generator.random(size) < wrong)]])
            drawn += [place < number for place in range(size)]
            strata += [size] * size
        listed = {
            name: [
                ("1", f"d{place:03d}", float(label) if drawn[place] else None, strata[place])
                for place, label in enumerate(labels)
            ]
            for name, labels in zip("ab", said.tolist(), strict=True)
        }
        found = label_agreement(label_sheet(listed))
        same, (a, b) = np.mean(said[0] == said[1]), said.mean(axis=1)
        kappa = 1 - (1 - same) / (a * (1 - b) + b * (1 - a))
        truth = {"agreement": same, "overlap": np.sum(said.all(axis=0)) / np.sum(said.any(axis=0)), "kappa": kappa}
        for name, each in held.items():
            row = found.of(name, *(("all", "all") if name == "alpha_nominal" else ("a", "b")), "binary")
            each.append(row.low <= truth.get(name, kappa) <= row.high)
    assert all(np.mean(each) > 0.9 for each in held.values())
