"""Judgments with probabilities, against strata of known sizes and values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.prels import prels_lines

LINES = "1 a 1 1 0.5\n1 b 0 1 0.5\n1 c 1 1 1.0\n2 a 0 1 0.25\n2 d 1 2 0.25\n2 e 1 1 0.1\n"
RUN = {"1": {"a": 9, "u": 8, "c": 7}, "2": {"z": 9, "d": 8, "a": 7, "e": 6}}

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def read(tmp_path):
    def read(text: str, **options) -> pw.Campaign:
        (tmp_path / "prels.txt").write_text(text)
        return pw.read(tmp_path / "prels.txt", {"run": RUN}, prels=True, **options)

    return read


def test_statap_by_hand(read):
    """Topic 1: a stands for 2, c for itself: (2 x 1 + 1 x 3 / 3) / 3. Topic 2: (4 x 1/2 + 10 x (1 + 4) / 4) / 14."""
    scores = read(LINES).score("statAP", "AP")
    assert scores.array("statAP")[0].tolist() == pytest.approx([1.0, 14.5 / 14], abs=1e-12)
    assert scores.array("AP")[0].tolist() == pytest.approx([(1 + 2 / 3) / 2, (1 / 2 + 2 / 4) / 2])  # labels as they are


def test_the_same_as_strata_whose_documents_are_listed(read, tmp_path):
    """A stratified sample, told by its strata or by the probabilities that follow from them."""
    drawn = pw.simulate(runs=3, topics=4, depth=80, seed=3)
    drawn.write(tmp_path)
    complete = pw.read(tmp_path / "qrels.txt", tmp_path / "runs")
    sample = complete.judgments.sample("stratified", depth=40, bands=3, rates=[1.0, 0.6, 0.4, 0.2], seed=1)
    sample.write(tmp_path / "strata.txt")
    known = pw.read(tmp_path / "strata.txt", tmp_path / "runs")
    rates = known.judgments.inclusion()
    lines = []
    for number, topic in enumerate(known.topics):
        begin = known.judgments.offsets[number]
        for place, document in enumerate(known.documents(topic)[: known.judgments.offsets[number + 1] - begin]):
            label = known.judgments.of(topic).get(document)
            if label is not None:
                lines.append(f"{topic} {document} {label} 1 {float(rates[begin + place])!r}\n")
    (tmp_path / "prels.txt").write_text("".join(lines))
    told = pw.read(tmp_path / "prels.txt", tmp_path / "runs", prels=True)
    ours, theirs = (pool.score("statAP", interval="judgments") for pool in (told, known))
    assert np.count_nonzero(ours.array("statAP")) > 0
    assert ours.array("statAP") == pytest.approx(theirs.array("statAP"), abs=1e-12)
    assert ours.high("statAP") == pytest.approx(theirs.high("statAP"), abs=1e-9)


def test_they_are_written_as_they_were_read(read):
    judgments = read(LINES).judgments
    assert judgments.to_text().decode() == LINES
    assert judgments.inclusion().tolist() == [0.5, 0.5, 1.0, 0.25, 0.25, 0.1]
    assert judgments.equals(read("# a comment\n\n" + LINES).judgments)


def test_tables_name_their_columns(tmp_path):
    frame = pytest.importorskip("pandas").DataFrame(
        [line.split() for line in LINES.splitlines()], columns=["query_id", "doc_id", "relevance", "method", "iprob"]
    )
    scores = pw.read(frame, {"run": RUN}, prels=True).score("statAP")
    assert scores.means().item() == pytest.approx((1 + 14.5 / 14) / 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 a 1 1 0\n", r"prels.txt:1: probability '0' is not above 0 and at most 1"),
        ("1 b 1 1 1\n1 a 1 1 1.5\n", r"prels.txt:2: probability '1.5' is not above 0"),
        ("1 a 1 1 -0.5\n", "probability '-0.5'"),
        ("1 a 1 1 nan\n", "probability 'nan'"),
        ("1 a 1 1 often\n", "probability 'often'"),
        ("1 0 a 1\n", "4 columns found; every line of prels needs topic document label method probability"),
        ("1 a high 1 0.5\n", "label 'high' is not a whole number"),
        ("1 a 1 x 0.5\n", "method 'x' is not a whole number"),
        ("1 a 1 1 0.5\n1 a 0 1 0.5\n", "prels.txt:2: document 'a' of topic '1' has a line before; remove one"),
        ("", "no judgments found"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(read, text, words):
    with pytest.raises(InputError, match=words):
        read(text)


def test_of_repeated_documents_the_first_may_be_kept(read):
    assert read("1 a 1 1 0.5\n1 a 0 1 0.5\n", duplicates="first").judgments.of("1") == {"a": 1}


@pytest.mark.parametrize("measure", ["infAP", "xinfAP", "infNDCG", "iP@5"])
def test_estimators_that_need_the_pool_say_so(read, measure):
    with pytest.raises(ArgumentError, match="statAP takes them"):
        read(LINES).score(measure)


def test_what_needs_the_pool_says_so(read):
    pool = read(LINES)
    for needs in (lambda: pool.estimate("AP"), lambda: pool.judgments.sample("uniform", fraction=0.5)):
        with pytest.raises(ArgumentError, match="name only the documents that were judged"):
            needs()


def test_equal_probabilities_are_one_stratum(tmp_path):
    (tmp_path / "p").write_text("7 a 1 1 0.25\n8 b 0 0 0.25\n8 c 2 0 1\n")
    assert prels_lines(tmp_path / "p") == (b"7 1 a 0 1\n8 0 b 0 0\n8 0 c 1 2\n", [0.25, 1.0])


def test_prels_read_as_judgments_say_how_to_read_them(tmp_path):
    (tmp_path / "prels.txt").write_text("1 a 1 1 0.5\n1 b 1 1 0.5\n")
    with pytest.raises(pw.InputError, match=r"if 'a' is a document, .* how likely .* read with --prels; preferences"):
        pw.read(tmp_path / "prels.txt", {"run": RUN})
    (tmp_path / "prels.txt").write_text("1 7 1 1 0.5\n1 8 1 1 0.5\n")
    with pytest.raises(pw.InputError, match=r"document '1' of topic '1' is judged twice; .* read with --prels$"):
        pw.read(tmp_path / "prels.txt", {"run": RUN})
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 a 0\n")
    with pytest.raises(pw.InputError, match=r"document 'a' of topic '1' is judged twice; .* in Python\)$"):
        pw.read(tmp_path / "qrels.txt", {"run": RUN})
