"""Scores and labels as no file should have them: each gives the right number, or an error that names file and line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.two_files import LABEL_LINE, RUN, RUN_LINE, Folder

import poolwise as pw

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


NO_NUMBERS = [
    "n/a", "x", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e-", "--1", "+-1", "-+1", "++1", "1-", "1.2.3", "1,5",
    "1_000", "0x10", "0x1p3", "-0X1P-3", "0b1", "1d5", "1f", "1L", "infinit", "in", "na", "nanx", "inf1", "1e5e5",
    "\u0661\u0662", "\uff11", "\u00bd", "\u221e", "\u22121", "1\u00a0", "x" * 200,
]  # fmt: skip


@pytest.mark.parametrize("word", NO_NUMBERS)
def test_words_that_are_no_scores(folder: Folder, word: str) -> None:
    shown = word if len(word) <= 60 else word[:57] + "..."
    assert folder.run_error(RUN + f"1 Q0 d3 1 {word} a\n".encode()) == f"4: score {shown!r} is not a number; {RUN_LINE}"


@pytest.mark.parametrize("word", ["nan", "NaN", "NAN", "-nan", "+nan", "nan()", "nan(123)", "-NaN(abc)"])
def test_scores_are_not_nan(folder: Folder, word: str) -> None:
    said = folder.run_error(RUN + f"1 Q0 d3 1 {word} a\n".encode())
    assert said == f"4: score '{word}' cannot be ranked; scores may be any number or inf, not NaN"


# From low to high; words in one tuple are the same number.
ASCENDING = [
    ("-inf", "-Infinity", "-1e999", "-1" + "0" * 400, "-1" + "0" * 400 + "e-50"),
    ("-1e308", "-1" + "0" * 308),
    ("-1", "-1.0", "-1e0", "-1." + "0" * 300),
    ("-5e-324",),
    (
        "0",
        "-0",
        "-0.0",
        "+0",
        "0e999",
        "1e-999",
        "-1e-999",
        "0." + "0" * 400 + "1",
        "0." + "0" * 700 + "1e300",
        "1e-99999999999",
    ),
    ("5e-324", "5.e-324", "0." + "0" * 323 + "5"),
    (".5", "0.5", "+.5", "5e-1", "5" + "0" * 400 + "e-401"),
    ("9007199254740992", "9007199254740992.0000"),
    ("9007199254740994", "9007199254740993.5"),
    ("1e308", "1" + "0" * 308, "0." + "0" * 400 + "1e709"),
    ("inf", "INF", "+inf", "Infinity", "1e999", "1e+999", "9" * 400, "1" + "0" * 400 + "e-50", "1e99999999999"),
]


def test_extreme_scores_are_ranked_by_value(folder: Folder) -> None:
    ids = [
        (level, f"d{level:02}-{place:02}", word)
        for level, words in enumerate(ASCENDING)
        for place, word in enumerate(words)
    ]
    pool = folder.reads_run(b"".join(f"1 Q0 {name} 1 {word} a\n".encode() for _, name, word in ids))
    assert pool.ranking("mine", "1") == [name for _, name, _ in sorted(ids, reverse=True)]


digits = st.text("0123456789", max_size=30)
exponents = st.one_of(st.just(""), st.builds("e{}{}".format, st.sampled_from(["", "-", "+"]), st.integers(0, 400)))
numbers = st.builds("{}{}{}.{}{}".format, st.sampled_from(["", "-", "+"]), st.integers(0, 9), digits, digits, exponents)
# As runs have them: most with as many decimals as the line before, whole numbers among them
usual_numbers = st.builds("{:.{}f}".format, st.floats(-1e5, 1e5), st.sampled_from([4, 4, 4, 0, 1, 7, 8]))


@given(st.lists(st.one_of(usual_numbers, numbers), min_size=1, max_size=20))
def test_numbers_are_read_as_python_reads_them(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    folder = Folder(tmp_path_factory.getbasetemp())
    pool = folder.reads_run(b"".join(f"1 Q0 d{i:02} 1 {word} a\n".encode() for i, word in enumerate(words)))
    expected = sorted(((float(word), f"d{i:02}") for i, word in enumerate(words)), reverse=True)
    assert pool.ranking("mine", "1") == [name for _, name in expected]


whole = st.integers(2**52, 2**57)
long_numbers = st.builds(
    lambda digits, point: f"{str(digits)[:point]}.{str(digits)[point:]}", whole, st.integers(1, 16)
)


@given(st.one_of(long_numbers, st.builds("{}.".format, whole), whole.map(str)))
def test_numbers_of_more_than_53_bits_are_rounded_once(tmp_path_factory: pytest.TempPathFactory, word: str) -> None:
    """A score ties with the double it stands for, written in full, and with neither neighbour of that."""
    value = float(word)
    others = {"below": math.nextafter(value, 0.0), "equal": value, "over": math.nextafter(value, math.inf)}
    lines = {"middle": word} | {name: f"{other:.40e}" for name, other in others.items()}
    folder = Folder(tmp_path_factory.getbasetemp())
    pool = folder.reads_run(b"".join(f"1 Q0 {name} 1 {text} a\n".encode() for name, text in lines.items()))
    assert pool.ranking("mine", "1") == ["over", "middle", "equal", "below"]  # ties go by name, the later first


@pytest.mark.parametrize("word", ["x", "+", "-", "--1", "+-1", "++1", "0x1", "1_0", "\u0661", "nan", "inf", "1-"])
def test_labels_are_numbers(folder: Folder, word: str) -> None:
    said = folder.qrels_error(f"1 0 d1 1\n1 0 d2 {word}\n".encode())
    assert said == f"2: label '{word}' is not a number; {LABEL_LINE}"


@pytest.mark.parametrize(("word", "label"), [("0.9", 0.9), ("1.0", 1), ("1e0", 1), ("1.", 1), ("-1.0", None)])
def test_labels_may_have_a_point(folder: Folder, word: str, label: float | None) -> None:
    judged = folder.reads_qrels(f"1 0 d1 1\n1 0 d2 {word}\n2 0 d1 1\n".encode()).judgments.of("1")
    assert judged == {"d1": 1} | ({} if label is None else {"d2": label})


@pytest.mark.parametrize("word", ["2147483648", "-2147483647", "-2147483648", "-2147483649", "9" * 30])
def test_labels_have_a_range(folder: Folder, word: str) -> None:
    said = folder.qrels_error(f"1 0 d1 1\n1 0 d2 {word}\n".encode())
    assert said == f"2: label '{word}' is out of range; labels are whole numbers from -2147483646 to 2147483647"


@pytest.mark.parametrize(
    ("word", "label"), [("+1", 1), ("-0", 0), ("007", 7), ("2147483647", 2147483647), ("-2147483646", -2147483646)]
)
def test_labels_that_are_read(folder: Folder, word: str, label: int) -> None:
    assert folder.reads_qrels(f"1 0 d1 {word}\n1 0 d2 1\n".encode()).judgments.of("1") == {"d1": label, "d2": 1}


def test_extreme_labels_have_finite_scores(folder: Folder) -> None:
    pool = folder.reads_qrels(b"1 0 d1 2147483647\n1 0 d2 -2147483646\n1 0 d3 1\n")
    scores = pool.score("AP", "nDCG", "nDCG(negative='minmax')", "nDCG(negative='keep')@2", "Q", "rpref_N", "bpref")
    assert abs(scores.means()).max() <= 1
    for measure in ("nDCG(gain='exp')", "ERR"):
        with pytest.raises(
            pw.ArgumentError, match=r"label -?\d+ is too large .* of ERR; use another gain or measure, or"
        ):
            pool.score(measure)
