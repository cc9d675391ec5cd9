"""Labels with a decimal point: worth their values everywhere they can be scored, and refused where they cannot."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import poolwise as pw
from poolwise.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

RUN = {"1": {"c": 5.0, "b": 4.0, "a": 3.0, "e": 2.0, "d": 1.0, "x": 0.5}, "2": {"a": 1.0, "b": 0.5}}
LABELS = {"1": {"a": 1.7, "b": 0.5, "c": 0, "d": 2, "e": -1}, "2": {"a": 0.5555555555555556, "b": 2.25}}
TENFOLD = ["nDCG", "nDCG@2", "nDCG'", "RBP(gain='linear')", "bpref", "RR", "P@3", "Judged@3", "Q", "DCG"]


def lines(labels) -> str:
    return "".join(
        f"{topic} 0 {document} {label}\n" for topic, own in labels.items() for document, label in own.items()
    )


def scores(labels, *measures: str, **options) -> list[float]:
    return pw.read(labels, {"mine": RUN}).score(*measures, **options).means()[0].tolist()


documents = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 40), min_size=1)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from("12"), documents, min_size=1))
def test_tenths_score_as_whole_numbers_do(whole) -> None:
    tenths = {topic: {document: label / 10 for document, label in own.items()} for topic, own in whole.items()}
    scaled = {label: 2.0 ** (label / 10) - 1 for label in range(41)}
    linear = {label: label / 10 for label in range(41)}
    run = dict.fromkeys(whole, RUN["1"])
    few, many = (pw.read(labels, {"mine": run}) for labels in (tenths, whole))
    pairs = [(f"{name}(rel={rel / 10})", f"{name}(rel={rel})") for name in ("AP", "bpref", "RR") for rel in (1, 7, 25)]
    pairs += [("nDCG", "nDCG"), ("nDCG'@3", "nDCG'@3"), ("DCG", f"DCG(gain={linear})")]
    pairs += [("nDCG(gain='exp')@4", f"nDCG(gain={scaled})@4")]
    for ours, theirs in pairs:
        found, expected = few.score(ours), many.score(theirs)
        assert found.means()[0] == pytest.approx(expected.means()[0], abs=1e-12), (ours, theirs)


def test_values_by_hand() -> None:
    # c 0, b 0.5, a 1.7, e not judged, d 2
    from math import log2

    dcg = 0.5 / log2(3) + 1.7 / 2 + 2 / log2(6)
    ideal = 2 + 1.7 / log2(3) + 0.5 / 2
    found = scores({"1": LABELS["1"]}, "DCG", "nDCG", "AP", "AP(rel=0.5)", "AP(rel=1.75)", "P(rel=1.7)@3")
    expected = [dcg, dcg / ideal, (1 / 3 + 2 / 5) / 2, (1 / 2 + 2 / 3 + 3 / 5) / 3, 1 / 5, 1 / 3]
    assert found == pytest.approx(expected, abs=1e-15)


def test_files_tables_and_text_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(lines(LABELS))
    (tmp_path / "q.csv").write_text(
        "topic,document,label\n" + "".join(f"{t},{d},{v}\n" for t, own in LABELS.items() for d, v in own.items())
    )
    rows = [(topic, document, label) for topic, own in LABELS.items() for document, label in own.items()]
    pools = [pw.read(given, {"mine": RUN}) for given in (LABELS, rows, tmp_path / "q.txt", tmp_path / "q.csv")]
    frame = pytest.importorskip("pandas").DataFrame(rows, columns=["topic", "document", "label"])
    pools += [pw.read(frame, {"mine": RUN}), pickle.loads(pickle.dumps(pools[0]))]
    pools.append(pw.read(pools[0].judgments, {"mine": RUN}))
    for pool in pools:
        assert pool.judgments.of("1") == {"a": 1.7, "b": 0.5, "c": 0, "d": 2}
        assert pool.judgments.top == 2.25
        assert pool.score(*TENFOLD, "ERR").means().tolist() == pools[0].score(*TENFOLD, "ERR").means().tolist()
        assert pool.judgments.to_text() == pools[0].judgments.to_text()
    assert b"1 0 a 1.7\n1 0 b 0.5\n1 0 c 0\n1 0 d 2\n1 0 e -1\n" in pools[0].judgments.to_text()
    labels, counts = pools[0].judgments.label_counts()
    assert (labels.tolist(), counts.sum()) == ([0, 0.5, 0.5555555555555556, 1.7, 2, 2.25], 6)


def test_whole_numbers_with_a_point_are_whole(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1.0\n1 0 b 2e0\n1 0 c -1.0\n1 0 d 0.0\n")
    judgments = pw.read(tmp_path / "q.txt", {"mine": RUN}).judgments
    assert judgments.labels.tolist()[:2] == [1, 2]
    assert judgments.to_text() == b"1 0 a 1\n1 0 b 2\n1 0 c -1\n1 0 d 0\n"


def test_streams_bounds_and_own_measures(tmp_path: Path, capsys) -> None:
    (tmp_path / "q.txt").write_text(lines(LABELS))
    (tmp_path / "r.txt").write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, own in RUN.items() for d, s in own.items()))
    pool = pw.read(tmp_path / "q.txt", tmp_path / "r.txt")
    found = pool.score("nDCG", "ERR", "AP(rel=0.5)")
    streamed = pw.score_stream(tmp_path / "q.txt", tmp_path / "r.txt", measures=["nDCG", "ERR", "AP(rel=0.5)"])
    assert [row[3] for row in streamed.rows(False)] == pytest.approx(found.means()[0], abs=1e-15)
    bounds = pool.score("nDCG", "AP(rel=0.5)", "P@3", interval="bounds")
    values = pool.score("nDCG", "AP(rel=0.5)", "P@3").means()
    assert (bounds.mean_low() <= values + 1e-12).all()
    assert (bounds.mean_high() >= values - 1e-12).all()
    assert main(["score", str(tmp_path / "q.txt"), str(tmp_path / "r.txt"), "-m", "map", "-l", "0.5"]) == 0
    assert capsys.readouterr().out.split()[-1] == f"{found.means()[0][2]:.4f}"
    from poolwise.measures.registry import REGISTRY

    try:

        @pw.measure("Sum")
        def total(labels):
            import numpy as np

            return float(np.nansum(labels))

        assert pool.score(total).array("Sum")[0].tolist() == pytest.approx([0.5 + 1.7 + 2, 0.5555555555555556 + 2.25])
    finally:
        REGISTRY.pop("Sum", None)


def test_unjudged_labels(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a -0.5\n1 0 b 0.5\n1 0 c -1\n")
    usual = pw.read(tmp_path / "q.txt", {"mine": RUN}).judgments
    assert usual.of("1") == {"a": -0.5, "b": 0.5}
    negative = pw.read(tmp_path / "q.txt", {"mine": RUN}, unjudged="negative").judgments
    assert negative.of("1") == {"b": 0.5}


@pytest.mark.parametrize("word", ["x", "nan", "inf", "1_000.5", "1,5", ""])
def test_words_that_are_no_numbers(tmp_path: Path, word: str) -> None:
    (tmp_path / "q.txt").write_text(f"1 0 a 0.5\n1 0 b {word}\n")
    with pytest.raises(pw.InputError, match=r"q.txt:2: "):
        pw.read(tmp_path / "q.txt", {"mine": RUN})


def test_what_needs_whole_labels_says_so() -> None:
    pool = pw.read(LABELS, {"mine": RUN, "other": RUN})
    limit = "labels with a decimal point, which can be scored, compared and checked; round them"
    for work in (
        lambda: pool.judgments.labels,
        lambda: pool.judgments.sample("uniform", fraction=0.5),
        lambda: pool.estimate("AP"),
        lambda: pool.plan(budget=2, depth=2),
        lambda: pool.label_matrix(2),
    ):
        with pytest.raises(pw.ArgumentError, match=limit):
            work()
    assert len(pw.audit(pool).runs) == 2
    assert pool.compare("nDCG", test="t") is not None
