"""Agreement of assessors: published examples, definitions by hand, a simulation with known truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.label_rows import rows, sheet_of

import poolwise as pw
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.trust.label_agreement import agreement_of as label_agreement
from poolwise.trust.label_sheet import combined_labels, label_sheet

NONE = None
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    "C": [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
}


@pytest.mark.parametrize(
    ("name", "published"), [("alpha_nominal", 0.743), ("alpha_ordinal", 0.815), ("alpha_interval", 0.849)]
)
def test_krippendorffs_example(name, published):
    assert label_agreement(sheet_of(OBSERVERS)).of(name).value == pytest.approx(published, abs=5e-4)


@pytest.mark.slow
def test_fleiss_example():
    # Ten subjects, fourteen raters, five classes (the worked example at Fleiss' kappa in Wikipedia): .210
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    labels = np.array([np.repeat(np.arange(5), row) for row in counts])
    found = label_agreement(sheet_of({f"r{rater}": labels[:, rater].tolist() for rater in range(14)}))
    assert found.of("fleiss_kappa").value == pytest.approx(0.210, abs=5e-4)


def test_pairs_by_hand():
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = label_agreement(sheet_of({"a": first, "b": second}))
    assert found.of("agreement", "a", "b").value == pytest.approx(0.7)
    assert found.of("kappa", "b", "a").value == pytest.approx(0.4)
    assert found.of("overlap", "a", "b", "binary").value == pytest.approx(20 / 35)
    assert found.confusions["a", "b"].tolist() == [[15, 10], [5, 20]]
    assert len(found.disagreements) == 15


def test_quadratic_kappa_by_its_definition():
    generator = np.random.default_rng(2)
    first = generator.integers(0, 4, 200)
    second = np.clip(first + generator.integers(-1, 2, 200), 0, 3)
    found = label_agreement(sheet_of({"a": first.tolist(), "b": second.tolist()}))
    seen = ((first - second) ** 2).mean()
    chance = ((first[:, None] - second[None, :]) ** 2).mean()
    assert found.of("quadratic_kappa", "a", "b").value == pytest.approx(1 - seen / chance)


def test_mean_over_pairs_and_names():
    found = label_agreement(sheet_of(OBSERVERS))
    values = [row.value for row in found.rows if row.coefficient == "kappa" and row.scale == "graded"]
    assert len(values) == 6
    assert found.mean_of_pairs("kappa") == pytest.approx((np.mean(values), min(values), max(values)))


def test_pairs_that_gave_one_label_only_have_no_kappa_and_do_not_spoil_the_mean():
    found = label_agreement(sheet_of({"a": [0, 0, 0, 0, 1, 0], "b": [0, 0, 0, 0, 1, 1], "c": [0, 0, 0, 0, None, None]}))
    assert [np.isnan(found.of("kappa", *pair).value) for pair in ("ab", "ac", "bc")] == [False, True, True]
    assert found.mean_of_pairs("kappa")[0] == found.of("kappa", "a", "b").value
    assert "nan" not in found.headline()


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_labels_that_are_all_alike_are_said_to_be_so(names):
    found = label_agreement(sheet_of({name: [1, 1, 1] for name in names}))
    assert found.headline().endswith(
        "kappa undefined (labels all alike), Krippendorff's alpha (ordinal) undefined (labels all alike)"
    )


def test_the_headline_tells_a_range_of_pairs_from_an_interval():
    generator = np.random.default_rng(5)
    topics = [str(1 + place // 12) for place in range(240)]
    truth = generator.integers(0, 2, 240)
    said = {name: np.where(generator.random(240) < 0.2, 0, truth).tolist() for name in "abc"}
    found = label_agreement(label_sheet({name: rows(labels, topics) for name, labels in said.items()}))
    mean, low, high = found.mean_of_pairs("kappa")
    graded, binary = found.means
    assert (graded.scale, binary.scale, graded.value) == ("graded", "binary", pytest.approx(mean))
    assert graded.low < low < high < graded.high
    assert found.headline().startswith(
        f"3 assessors, 240 documents in common: kappa {mean:.3f} ({graded.low:.3f} to {graded.high:.3f}) on the "
        f"mean of pairs (pairs from {low:.3f} to {high:.3f}), Krippendorff's"
    )
    without = {name: [None if place % 3 == k else label for place, label in enumerate(labels)]
               for k, (name, labels) in enumerate(said.items())}  # fmt: skip
    parted = label_agreement(label_sheet({name: rows(labels, topics) for name, labels in without.items()}))
    assert "240 documents judged by two or more, none by all" in parted.headline()
    few = label_agreement(label_sheet({name: rows(labels[:19], topics) for name, labels in said.items()}))
    assert np.isnan(few.means[0].low)  # with so few documents of each pair it would be too narrow
    assert "on the mean of pairs (pairs from" in few.headline()
    assert "nan" not in few.headline()


def test_documents_that_a_model_lacks_are_no_sample():
    people = [("1", f"d{place}", float(place % 2), 1) for place in range(40)]
    model = [row for row in people if row[1] != "d7"]
    found = label_agreement(label_sheet({"people": people, "model": model}))
    assert not found.sampled
    assert found.of("kappa", "people", "model").documents == 39


def test_thresholds_differ_where_scales_do():
    people, model = [0, 1, 2, 3, 0, 2] * 10, [0, 0, 1, 1, 0, 1] * 10
    found = label_agreement(sheet_of({"people": people, "model": model}), rel={"": 2, "model": 1})
    assert found.of("kappa", "people", "model", "binary").value == 1.0
    assert found.rel == {"people": 2.0, "model": 1.0}
    with pytest.warns(PoolwiseWarning, match="model has no label of 2 or more"):
        label_agreement(sheet_of({"people": people, "model": model}), rel=2)
    with pytest.raises(ArgumentError, match="nobody"):
        label_agreement(sheet_of({"people": people, "model": model}), rel={"nobody": 1})


def test_topics_and_strata_have_intervals_and_pairs():
    generator = np.random.default_rng(4)
    truth = generator.integers(0, 3, 120)
    topics = [str(1 + place // 40) for place in range(120)]
    said = {name: np.where(generator.random(120) < 0.3, 0, truth).tolist() for name in "abc"}
    found = label_agreement(label_sheet({name: rows(labels, topics) for name, labels in said.items()}))
    own = [row for row in found.by_topic if row.first == "2"]
    assert [row.coefficient for row in own] == ["agreeing", "fleiss_kappa", "kappa", "kappa", "kappa"]
    assert [row.second for row in own[2:]] == ["a, b", "a, c", "b, c"]
    alone = label_agreement(label_sheet({name: rows(labels[40:80]) for name, labels in said.items()}))
    assert own[1].value == pytest.approx(alone.of("fleiss_kappa").value)
    assert own[2].value == pytest.approx(alone.of("kappa", "a", "b").value)
    assert (own[1].low, own[1].high) == pytest.approx((alone.of("fleiss_kappa").low, alone.of("fleiss_kappa").high))
    agreeing = np.mean([np.mean([said[x][n] == said[y][n] for x, y in ("ab", "ac", "bc")]) for n in range(40, 80)])
    assert own[0].value == pytest.approx(agreeing)


def test_labels_that_were_settled():
    given = {"a": rows([2, 1, 0]), "b": rows([0, 1, 2])}
    sheet = label_sheet(given, {("1", "d000"): 1.0})
    assert [label for _, _, label, _ in combined_labels(sheet, "adjudicated")] == [1, 1, 0]
    assert [label for _, _, label, _ in combined_labels(sheet, "first")] == [2, 1, 0]


def test_faults():
    with pytest.raises(InputError, match="two assessors"):
        label_sheet({"a": rows([1, 0])})
    with pytest.raises(InputError, match="two labels"):
        label_sheet({"a": [("1", "d", 1.0, 1), ("1", "d", 0.0, 1)], "b": []})
    with pytest.raises(InputError, match="no document was judged by two"):
        label_agreement(label_sheet({"a": [("1", "d", 1.0, 1)], "b": [("1", "e", 1.0, 1)]}))


def drawn_labels(values, sampled):
    """Three assessors over 12 topics, who say one of some values; where sampled, some documents are not judged."""
    generator = np.random.default_rng(len(values))
    topics = [str(1 + place // 20) for place in range(240)]
    truth = generator.integers(0, len(values), 240)
    given = {}
    for name in "abc":
        said = np.clip(truth + generator.integers(-1, 2, 240), 0, len(values) - 1)
        given[name] = [(topics[n], f"d{n}", float(values[said[n]]), 1) for n in range(240)]
    if sampled:
        for n in range(0, 240, 3):
            given["a"][n] = (topics[n], f"d{n}", None, 1)
    return given


@pytest.mark.parametrize("sampled", [False, True])
def test_a_scale_has_the_coefficients_of_its_classes(sampled, monkeypatch):
    """Quadratic kappa and interval alpha from moments, with intervals, are those from classes."""
    given = drawn_labels([0.0, 0.25, 0.7, 1.5, 2.2, 3.0], sampled)
    classes = label_agreement(label_sheet(given), rel=1.5)
    monkeypatch.setattr("poolwise.trust.label_agreement.MOST_VALUES", 3)
    with pytest.warns(PoolwiseWarning, match="6 different labels found, a scale"):
        scale = label_agreement(label_sheet(given), rel=1.5)
    for name, *pair in (("quadratic_kappa", "a", "b"), ("quadratic_kappa", "b", "c"), ("alpha_interval",)):
        one, other = classes.of(name, *pair), scale.of(name, *pair)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-7)
    for name in ("kappa", "overlap", "agreement"):
        assert classes.of(name, "a", "b", "binary") == scale.of(name, "a", "b", "binary")
    assert {row.coefficient for row in scale.rows if row.scale == "graded"} == {"quadratic_kappa", "alpha_interval"}
    assert scale.confusions["a", "b"].shape == (2, 2)
    assert scale.confusions["a", "b"].sum() == pytest.approx(classes.confusions["a", "b"].sum())
    assert "relevant or not" in scale.headline()


def test_a_scale_by_lins_formula():
    generator = np.random.default_rng(3)
    first = generator.random(200)
    second = first + 0.3 * generator.random(200)
    with pytest.warns(PoolwiseWarning, match="a scale rather than classes"):
        found = label_agreement(sheet_of({"a": first.tolist(), "b": second.tolist()}), rel=0.5)
    lin = 2 * np.cov(first, second, ddof=0)[0, 1] / (first.var() + second.var() + (first.mean() - second.mean()) ** 2)
    assert found.of("quadratic_kappa", "a", "b").value == pytest.approx(lin, abs=1e-12)


def test_labels_with_a_point_are_read_and_kept(tmp_path):
    (tmp_path / "people.txt").write_text("".join(f"1 0 d{n} {n % 3}\n" for n in range(40)))
    (tmp_path / "model.csv").write_text("topic,document,label\n" + "".join(f"1,d{n},{n % 3 / 2}\n" for n in range(40)))
    found = pw.label_agreement([tmp_path / "people.txt", tmp_path / "model.csv"])
    assert found.values == (0.0, 0.5, 1.0, 2.0)
    assert combined_labels(found.sheet, "mean")[1][2] == 0.75
    assert [combined_labels(found.sheet, how)[1][2] for how in ("first", "majority")] == [1, 0.5]


@pytest.mark.parametrize("label", ["high", "nan", "inf", "3000000000"])
def test_what_is_no_label(label):
    with pytest.raises(InputError, match="is not a number; leave the cell empty for none"):
        pw.label_agreement({"a": [("1", "d", label)], "b": [("1", "d", 1)]})


def test_few_topics_are_said_to_show_little():
    for count, words in ((1, "one topic: intervals"), (3, "only 3 topics: intervals")):
        topics = [str(place % count) for place in range(60)]
        labels = {name: rows([place % 2 for place in range(60)], topics) for name in "ab"}
        with pytest.warns(PoolwiseWarning, match=words):
            label_agreement(label_sheet(labels))


def test_topics_are_in_the_order_of_a_pool():
    names = ["b", "10", "9", "\u00b2", "0" * 30]
    labels = {name: {"d": 1, "e": 0} for name in names}
    sheet = pw.label_agreement({"a": labels, "b": labels}).sheet
    pool = pw.read(labels, {"run": {name: {"d": 1.0} for name in names}})
    assert list(dict.fromkeys(sheet.topics)) == pool.topics


def drawn_plan(seed: int = 1):
    """A plan of two strata at different rates, filled in; a model's labels of its pool, and of twice as many others."""
    generator = np.random.default_rng(seed)
    plan, model, others = [], [], []
    for topic in ("1", "2", "3"):
        for number in range(60):
            truth = int(generator.random() < (0.7 if number < 20 else 0.2))
            said = truth if generator.random() < (0.9 if number < 20 else 0.6) else 1 - truth
            judged = generator.random() < (0.8 if number < 20 else 0.2)
            document = f"d{number:02d}"
            plan.append(f"{topic} {int(judged)} {document} {1 + (number >= 20)} {truth if judged else -1}\n")
            model.append((topic, document, said))
            others += [(topic, f"e{number:02d}", 1), (topic, f"f{number:02d}", 0)]
    return "".join(plan), model, others


def test_the_pool_is_what_the_plan_lists(tmp_path):
    text, model, others = drawn_plan()
    plan = tmp_path / "plan.txt"
    plan.write_text(text)
    alone = pw.label_agreement({"people": str(plan), "model": model})
    with pytest.warns(
        PoolwiseWarning, match=r"model: 360 labels of documents that the plan's pool of 180 does not list"
    ):
        both = pw.label_agreement({"people": str(plan), "model": [*model, *others]})
    assert both.rows == alone.rows
    assert both.confusions["people", "model"].sum() == pytest.approx(180)


def test_a_model_that_failed_on_a_document_is_no_plan(tmp_path):
    text, model, others = drawn_plan()
    plan = tmp_path / "plan.txt"
    plan.write_text(text)
    topic, document, _ = others[0]
    with pytest.warns(PoolwiseWarning, match="model: 359 labels"):
        both = pw.label_agreement({"people": str(plan), "model": [*model, (topic, document, None), *others[1:]]})
    assert both.rows == pw.label_agreement({"people": str(plan), "model": model}).rows


@pytest.mark.parametrize("text", ["", "\n"])
def test_a_file_without_labels_is_called_empty(tmp_path, text):
    (tmp_path / "ann.txt").write_text("1 0 a 1\n")
    (tmp_path / "bob.txt").write_text(text)
    with pytest.raises(InputError, match=r"bob.txt: is empty; give a file with the labels of bob"):
        pw.label_agreement([tmp_path / "ann.txt", tmp_path / "bob.txt"])
