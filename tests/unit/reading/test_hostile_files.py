"""Lines as no file should have them: each gives the right ranking, or an error that names file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.two_files import LABEL_LINE, QRELS, RUN, RUN_LINE, Folder

import poolwise as pw

IS_RUN = "is this a run? Judgments come first, then runs"
ARE_JUDGMENTS = "are these judgments, which have 4 or 5 and come first?"
STRATA_LINE = "with strata every line needs topic iteration document stratum label"
TWICE = "remove one of the two, or keep the first with --duplicates first (duplicates='first' in Python)"


pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# ---- White space, marks and breaks of lines ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xef\xbb\xbf" + RUN, id="byte order mark"),
        pytest.param(RUN.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(RUN.replace(b"\n", b"  \t \n"), id="trailing white space"),
        pytest.param(RUN.rstrip(), id="no final newline"),
        pytest.param(RUN.replace(b"\n", b"\r\n").rstrip(), id="CRLF without the last"),
        pytest.param(RUN.replace(b" ", b"\t"), id="tabs"),
        pytest.param(RUN.replace(b" ", b" \t\v\f  "), id="mixed white space"),
        pytest.param(b"  " + RUN.replace(b"\n", b"\n\t"), id="indented"),
    ],
)
def test_white_space_does_not_matter(folder: Folder, data: bytes) -> None:
    pool = folder.reads_run(data)
    assert [pool.ranking("mine", topic) for topic in ("1", "2")] == [["d1", "d2"], ["d1"]]


def test_white_space_of_judgments_does_not_matter(folder: Folder) -> None:
    pool = folder.reads_qrels(b"\xef\xbb\xbf" + QRELS.replace(b" ", b" \t\v").replace(b"\n", b" \r\n").rstrip())
    assert [pool.judgments.of(topic) for topic in ("1", "2")] == [{"d1": 1, "d2": 0}, {"d1": 2}]


def test_blank_lines_are_skipped_and_counted(folder: Folder) -> None:
    folder.qrels.write_bytes(b"\n" + QRELS)
    with pytest.warns(pw.PoolwiseWarning) as caught:
        pool = folder.reads_run(b"\n \t \r\n" + RUN + b"\n")
    said = [str(warning.message) for warning in caught]
    assert said == [f"{folder.qrels}: 1 blank line skipped", "3 blank lines skipped, in 1 of 1 run"]
    assert list(pool.warnings) == said
    assert pool.ranking("mine", "1") == ["d1", "d2"]


def test_blank_lines_count_in_line_numbers(folder: Folder) -> None:
    assert folder.run_error(b"\n\r\n" + b"1 Q0 d1 1 x a\n").startswith("3: score 'x' is not a number")


def test_only_a_first_mark_is_skipped(folder: Folder) -> None:
    pool = folder.reads_run(RUN + b"\xef\xbb\xbf1 Q0 d7 1 3 a\n")
    assert pool.warnings == (f"1 line of 1 topic that {folder.qrels} lacks ignored, in 1 of 1 run",)


def test_lone_carriage_returns_end_no_line(folder: Folder) -> None:
    said = " lines end with a carriage return alone; save the file with line feeds"
    assert folder.run_error(RUN.replace(b"\n", b"\r")) == said


# ---- Files that are not TREC files -----------------------------------------------------------------------------


def test_nul_bytes(folder: Folder) -> None:
    said = "NUL byte found; is the file binary or UTF-16 text? {}, as plain text"
    assert folder.run_error(RUN + b"1 Q0 d\x007 1 3 a\n") == "4: " + said.format(RUN_LINE)
    assert folder.run_error(RUN + b"\0") == "4: " + said.format(RUN_LINE)
    folder.run.write_bytes(RUN)
    assert folder.qrels_error(b"1 0 d1 1\n\0\n") == "2: " + said.format(LABEL_LINE)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings(folder: Folder, encoding: str) -> None:
    said = folder.run_error(RUN.decode().encode(encoding))
    assert said == f"1: NUL byte found; is the file binary or UTF-16 text? {RUN_LINE}, as plain text"


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf", b"\n\n", b" \t\r\n\v\f\n"], ids=["nothing", "mark", "lines", "white"]
)
def test_nothing_but_white_space(folder: Folder, data: bytes) -> None:
    assert folder.run_error(data) == f" the run is empty; {RUN_LINE}"
    folder.run.write_bytes(RUN)
    assert folder.qrels_error(data) == f" no judgments found; {LABEL_LINE}"


def test_lines_of_up_to_a_megabyte(folder: Folder) -> None:
    fits = b"1 Q0 " + b"x" * (2**20 - 12) + b" 1 3 a1\n"
    assert len(fits) == 2**20 + 1
    assert folder.reads_run(RUN.replace(b"d1 1 3", b"d1 1 9") + fits.replace(b"1 Q0", b"3 Q0", 1)).runs == ["mine"]
    assert folder.run_error(RUN + b"x" + fits) == f"4: line longer than 1 MB found; is this a TREC file? {RUN_LINE}"
    folder.run.write_bytes(RUN)
    said = folder.qrels_error(QRELS + b"1 0 " + b"x" * 2**20 + b" 1")
    assert said == f"4: line longer than 1 MB found; is this a TREC file? {LABEL_LINE}"


# ---- Columns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "said"), [(1, "1 column"), (4, "4 columns"), (5, "5 columns")])
def test_columns_of_a_run(folder: Folder, count: int, said: str) -> None:
    guess = f"; {ARE_JUDGMENTS}" if count in (4, 5) else ""  # as lines of judgments have
    assert folder.run_error(RUN + b"1 " * count) == f"4: {said} found; {RUN_LINE}{guess}"


def test_columns_of_judgments(folder: Folder) -> None:
    either = f"{LABEL_LINE} (or a stratum before the label)"
    assert folder.qrels_error(b"1 0 d1\n") == f"1: 3 columns found; {either}"
    assert folder.qrels_error(RUN) == f"1: 6 columns found; {LABEL_LINE}; {IS_RUN}"
    mixed = folder.qrels_error(b"1 0 d1 1\n1 0 d2 0 1\n")
    assert mixed == f"2: 5 columns found where the first line has 4; {LABEL_LINE}"
    mixed = folder.qrels_error(b"\n1 0 d1 1 1\n1 0 d2 1\n")
    assert mixed == f"3: 4 columns found where the first line has 5; {STRATA_LINE}"


@pytest.mark.parametrize("packed", [False, True])
def test_the_line_of_a_plan_that_lacks_its_label_is_named_also_if_it_is_the_first(folder: Folder, packed: bool) -> None:
    lines = ["# poolwise plan format 1", "# poolwise plan round 1", "", "1 1 d1 1 0", "1 1 d2 1 2", "1 1 d3 2 -1"]
    for place in (4, 5, 6):
        blanked = [line.rpartition(" ")[0] if number == place else line for number, line in enumerate(lines, 1)]
        text = "\n".join(blanked).encode() + b"\n"
        said = folder.qrels_error(gzip.compress(text) if packed else text)
        assert said.startswith(f"{place}: 4 columns found")


@pytest.mark.parametrize("word", ["0.5", "-1", "a", "1e2", "2147483648"])
def test_strata_are_whole(folder: Folder, word: str) -> None:
    said = folder.qrels_error(f"1 0 d1 0 1\n1 0 d2 {word} 1\n".encode())
    assert said == f"2: stratum '{word}' is not a whole number from 0 on; {STRATA_LINE}"


# ---- Repeated documents ------------------------------------------------------------------------------------------

REPEATS = {
    "adjacent": (b"1 Q0 d1 1 3 a\n1 Q0 d1 2 4 a\n", 2),
    "far apart": (
        b"1 Q0 d1 1 3 a\n" + b"".join(b"1 Q0 x%d 1 2 a\n" % i for i in range(5000)) + b"1 Q0 d1 2 4 a\n",
        5002,
    ),
    "scattered": (b"1 Q0 d1 1 3 a\n2 Q0 d1 1 3 a\n1 Q0 d1 2 4 a\n2 Q0 d1 5 5 a\n", 3),
}


@pytest.mark.parametrize("kind", REPEATS)
def test_repeated_documents(folder: Folder, kind: str) -> None:
    data, line = REPEATS[kind]
    assert folder.run_error(data) == f"{line}: document 'd1' of topic '1' is listed twice; {TWICE}"
    with pytest.warns(pw.PoolwiseWarning, match="repeated document"):
        pool = folder.reads_run(data, duplicates="first")
    ranking = pool.ranking("mine", "1")
    assert ranking.count("d1") == 1
    assert ranking[0] == "d1", "the first has the highest score but for its repetition"


@given(st.integers(2, 300), st.data())
def test_a_repeated_document_is_found_anywhere(
    tmp_path_factory: pytest.TempPathFactory, count: int, data: st.DataObject
) -> None:
    folder = Folder(tmp_path_factory.getbasetemp())
    first, second = sorted(data.draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)))
    names = [f"document-{place}" for place in range(count)]
    names[second] = names[first]
    lines = [f"1 Q0 {name} 1 {-place} a\n" for place, name in enumerate(names)]
    said = f"{second + 1}: document '{names[first]}' of topic '1' is listed twice; {TWICE}"
    assert folder.run_error("".join(lines).encode()) == said
    pool = folder.reads_run("".join(lines).encode(), duplicates="first")
    assert pool.ranking("mine", "1") == names[:second] + names[second + 1 :]


@pytest.mark.parametrize("depth", range(1, 8))
def test_ties_end_at_the_cut(folder: Folder, depth: int) -> None:
    """A stretch of one score that goes on below the cut is as long as if the lines below it were not there."""
    names, scores = (b"x", b"d2", b"d1", b"b", b"z", b"y", b"a"), (3, 2, 2, 2, 1, 1, 0)
    lines = [b"1 Q0 %s 1 %d a\n" % (name, score) for name, score in zip(names, scores, strict=True)]
    cut = folder.reads_run(b"".join(lines), depth=depth).score("AP", "RR", ties="expected")
    short = folder.reads_run(b"".join(lines[:depth])).score("AP", "RR", ties="expected")
    assert cut.means().tolist() == short.means().tolist()


def test_a_document_may_stand_in_many_topics(folder: Folder) -> None:
    assert folder.reads_run(b"1 Q0 d1 1 3 a\n2 Q0 d1 1 3 a\n").warnings == ()


@pytest.mark.parametrize("second", ["0", "1"], ids=["another label", "the same label"])
def test_two_labels_for_a_document(folder: Folder, second: str) -> None:
    data = f"1 0 d1 1\n2 0 d1 1\n1 0 d1 {second}\n".encode()
    assert folder.qrels_error(data) == f"3: document 'd1' of topic '1' is judged twice; {TWICE}"
    with pytest.warns(pw.PoolwiseWarning, match="1 repeated judgment ignored, the first of each kept"):
        assert folder.reads_qrels(data, duplicates="first").judgments.of("1") == {"d1": 1}


def test_the_first_fault_of_a_scattered_file_is_named(folder: Folder) -> None:
    data = b"1 Q0 a 1 3 a\n2 Q0 a 1 3 a\n2 Q0 b 1 3 a\n1 Q0 b 1 3 a\n2 Q0 b 1 3 a\n1 Q0 a 1 3 a\n"
    assert folder.run_error(data).startswith("5: document 'b' of topic '2' is listed twice")


# ---- Topics ------------------------------------------------------------------------------------------------------


def test_topics_that_the_judgments_lack_are_ignored_and_counted(folder: Folder) -> None:
    alone = folder.read().score("AP", "NumQ").means().tolist()
    with pytest.warns(pw.PoolwiseWarning) as caught:
        pool = folder.reads_run(RUN + b"7 Q0 d1 1 3 a\n7 Q0 d2 1 3 a\n8 Q0 d1 1 3 a\n")
    assert [str(w.message) for w in caught] == [f"3 lines of 2 topics that {folder.qrels} lacks ignored, in 1 of 1 run"]
    assert pool.score("AP", "NumQ").means().tolist() == alone


@pytest.mark.parametrize("options", [{}, {"depth": 1}, {"duplicates": "first"}, {"documents": "judged"}], ids=str)
def test_no_common_topic(folder: Folder, options: dict[str, object]) -> None:
    data = b"7 Q0 d1 1 3 a\n7 Q0 d2 1 2 a\n" + (b"7 Q0 d1 1 1 a\n" if "duplicates" in options else b"")
    said = folder.run_error(data, **options)
    assert said == (
        f" no topic in common with {folder.qrels} ('7' in the run, '1' and '2' in the judgments); check that both "
        "belong to the same campaign"
    )


def test_interleaved_topics_and_unsorted_scores(folder: Folder) -> None:
    lines = [f"{topic} Q0 d{rank:03} 1 {(rank * 37) % 50} a\n" for rank in range(200) for topic in (2, 1, 3)]
    folder.qrels.write_bytes(QRELS + b"3 0 d1 0\n")
    pool = folder.reads_run("".join(lines).encode())
    expected = sorted((f"d{rank:03}" for rank in range(200)), key=lambda d: ((int(d[1:]) * 37) % 50, d), reverse=True)
    assert [pool.ranking("mine", topic) for topic in "123"] == [expected] * 3


def test_a_cut_keeps_no_document_below_it(folder: Folder) -> None:
    """Found by fuzzing: of a run read twice, documents of the first reading stayed in the pool."""
    pool = folder.reads_run(b"1 Q0 low 1 1 a\n2 Q0 d1 1 1 a\n1 Q0 high 1 2 a\n", depth=1)
    assert pool.documents("1") == ["d1", "d2", "high"]
    assert pool.ranking("mine", "1") == ["high"]


# ---- Ids ---------------------------------------------------------------------------------------------------------


def test_ids_that_are_not_utf8(folder: Folder) -> None:
    folder.qrels.write_bytes(b"\xff 0 \xfe\x80 1\n\xff 0 \xc3\xa9 0\n")
    pool = folder.reads_run(b"\xff Q0 \xfe\x80 1 3 a\n\xff Q0 \xc3\xa9 2 4 a\n")
    assert pool.topics == ["\udcff"]
    assert pool.ranking("mine", "\udcff") == ["é", "\udcfe\udc80"]
    assert folder.run_error(b"\xff Q0 \xfe 1 3 a\n" * 2).startswith(
        "2: document '\ufffd' of topic '\ufffd' is listed twice"
    )


def test_long_ids(folder: Folder) -> None:
    first, second = "t" * 10_000, "d" * 9_999
    folder.qrels.write_text(f"{first} 0 {second}a 1\n{first} 0 {second}b 0\n")
    pool = folder.reads_run(f"{first} Q0 {second}b 1 3 a\n{first} Q0 {second}a 1 3 a\n".encode())
    assert pool.ranking("mine", first) == [second + "b", second + "a"]
    assert pool.score("AP").means().tolist() == [[0.5]]
    said = folder.run_error(f"{first} Q0 {second} 1 3 a\n".encode() * 2)
    assert said == f"2: document '{'d' * 57}...' of topic '{'t' * 57}...' is listed twice; {TWICE}"


def test_many_documents_share_the_table(folder: Folder) -> None:
    """With 60,000 names every slot is asked for by others too; ids that differ in one byte stay apart."""
    count = 60_000
    folder.qrels.write_bytes(b"".join(b"1 0 %06d-%d %d\n" % (i, i % 7, i % 3) for i in range(0, count, 2)))
    run = b"".join(b"1 Q0 %06d-%d 1 %d a\n" % (i, i % 7, -i) for i in range(count))
    for documents in ("all", "judged"):
        pool = folder.reads_run(run, documents=documents)
        assert pool.score("NumRelRet", "NumRet").means().tolist() == [[20_000, count]]
        ranks = list(memoryview(pool.core.known_documents(0, 0)[0]))
        assert ranks == list(range(1, count + 1, 2))


@pytest.mark.parametrize("name", ["d1", "d1 ", "D1", "d1\u0301", "d", "d11"])
def test_ids_are_compared_byte_by_byte(folder: Folder, name: str) -> None:
    pool = folder.reads_run(f"1 Q0 {name} 1 3 a\n".encode())
    assert pool.score("NumRelRet").means().tolist() == [[1.0 if name.strip() == "d1" else 0.0]]
