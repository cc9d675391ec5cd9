"""`poolwise trec_eval`: what it prints, to the byte, worked out by hand from trec_eval's rules."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest

# Topics come in byte-wise order of their names: 10, 2, 9. The run lacks topic 2.
QRELS = "9 0 a 1\n9 0 b 0\n9 0 c 2\n9 0 p -1\n10 0 a 0\n10 0 d 1\n2 0 x 1\n"
# Topic 9: b(0) c(2) p(pooled) z(not pooled) a(1). Topic 10: d(1) a(0), tied. Topic 7 is not judged.
RUN = """9 Q0 a 5 0.5 first
9 Q0 b 1 4 first
9 Q0 c 2 3 first
9 Q0 p 3 2 first
9 Q0 z 4 1 first
7 Q0 z 4 1 first
# a comment
10 Q0 a 1 1 first
10 Q0 d 2 1 last more
"""
MIXED = ["-m", "P.7,5", "-m", "relstring.3", "-m", "set", "-m", "map", "-m", "gm_map"]


def lines(*rows: str) -> str:
    """Rows of name, topic and value as trec_eval prints them."""
    return "".join("{:<22}\t{}\t{}\n".format(*row.split(" ")) for row in rows)


TOPIC_10 = [
    *("num_ret 10 2", "num_rel 10 1", "num_rel_ret 10 1", "map 10 1.0000", "P_5 10 0.2000", "P_7 10 0.1429"),
    *("relstring_3 10 '10'", "utility 10 0.0000", "set_P 10 0.5000", "set_relative_P 10 1.0000"),
    *("set_recall 10 1.0000", "set_map 10 0.5000", "set_F 10 0.6667"),
]
TOPIC_2 = [
    *("num_ret 2 0", "num_rel 2 1", "num_rel_ret 2 0", "map 2 0.0000", "P_5 2 0.0000", "P_7 2 0.0000"),
    *("relstring_3 2 ''", "utility 2 0.0000", "set_P 2 0.0000", "set_relative_P 2 0.0000"),
    *("set_recall 2 0.0000", "set_map 2 0.0000", "set_F 2 0.0000"),
]
TOPIC_9 = [  # AP (1/2 + 2/5) / 2; 2 relevant and 3 others retrieved
    *("num_ret 9 5", "num_rel 9 2", "num_rel_ret 9 2", "map 9 0.4500", "P_5 9 0.4000", "P_7 9 0.2857"),
    *("relstring_3 9 '02.'", "utility 9 -1.0000", "set_P 9 0.4000", "set_relative_P 9 1.0000"),
    *("set_recall 9 1.0000", "set_map 9 0.4000", "set_F 9 0.5714"),
]
ALL = [
    *("runid all last", "num_q all 2", "num_ret all 7", "num_rel all 3", "num_rel_ret all 3", "map all 0.7250"),
    *("gm_map all 0.6708", "P_5 all 0.3000", "P_7 all 0.2143", "utility all -0.5000", "set_P all 0.4500"),
    *("set_relative_P all 1.0000", "set_recall all 1.0000", "set_map all 0.4500", "set_F all 0.6190"),
]
ALL_COMPLETE = [  # over three topics; the geometric mean takes 0.00001 for the one that is not there
    *("runid all last", "num_q all 3", "num_ret all 7", "num_rel all 4", "num_rel_ret all 3", "map all 0.4833"),
    *("gm_map all 0.0165", "P_5 all 0.2000", "P_7 all 0.1429", "utility all -0.3333", "set_P all 0.3000"),
    *("set_relative_P all 0.6667", "set_recall all 0.6667", "set_map all 0.3000", "set_F all 0.4127"),
]
CASES = {
    "topics and all": (["-q", *MIXED], [*TOPIC_10, *TOPIC_9, *ALL]),
    "all alone": (MIXED, ALL),
    "topics alone": (["-nq", *MIXED], [*TOPIC_10, *TOPIC_9]),
    "nothing": (["-n", *MIXED], []),
    "complete": (["-q", "-c", *MIXED], [*TOPIC_10, *TOPIC_2, *TOPIC_9, *ALL_COMPLETE]),
    "long names": (
        ["--query_eval_wanted", "--complete_rel_info_wanted", "--measure", "map", "--level_for_rel", "2"],
        ["map 10 0.0000", "map 2 0.0000", "map 9 0.5000", "map all 0.1667"],
    ),
    "attached values": (["-l2", "-M1", "-mP.1", "-mnum_ret"], ["num_ret all 2", "P_1 all 0.0000"]),
    "judged documents": (  # b c a: (1/2 + 2/3) / 2
        ["-q", "-J", "-m", "map", "-m", "relstring", "-m", "num_ret"],
        [
            *("num_ret 10 2", "map 10 1.0000", "relstring 10 '10'"),
            *("num_ret 9 3", "map 9 0.5833", "relstring 9 '021'", "num_ret all 5", "map all 0.7917"),
        ],
    ),
    "the first parameters count": (["-m", "P.3", "-m", "P.1,2", "-m", "all_trec.9", "-n"], []),
    "parameters": (
        ["-m", "P.3", "-m", "P.1", "-m", "map.7", "-m", "set_F.2", "-m", "ndcg_cut.1.9", "-m", "11pt_avg..5"],
        ["map all 0.7250", "P_3 all 0.3333", "11pt_avg_.5 all 0.7500", "ndcg_cut_1 all 0.5000", "set_F_2 all 0.7083"],
    ),
    "a topic": (["-D", "1.9", "-m", "map", "-m", "num_q"], ["num_q all 1", "map all 0.4500"]),
    "size of the collection": (
        ["-N", "100", "-m", "utility.0,0,0,1", "-q"],  # 100 documents less the relevant and the others retrieved
        ["utility_0,0,0,1 10 98.0000", "utility_0,0,0,1 9 95.0000", "utility_0,0,0,1 all 96.5000"],
    ),
    # By the formula of the help; trec_eval sorts gains by their difference cut to a whole number, and may print 0.
    # d: 0.5 / log2(2 + 1 - 0.5), of 0.5 in all; c and a: 2 / log2(2 + 3 - 2) + 0.5 / log2(2 + 6 - 2.5), of 2.5 in all.
    "gains less than 1 apart": (
        ["-m", "G.1=0.5,2=2", "-q"],
        ["G_1=0.5,2=2 10 0.7565", "G_1=0.5,2=2 9 0.5861", "G_1=0.5,2=2 all 0.6713"],
    ),
    "size that is not given": (  # 0 to trec_eval: 2 - 0.5 + 0.1 x (0 - 2), 4 - 1.5 + 0.1 x (0 - 5)
        ["-m", "utility.2,-0.5,-1,0.1", "-q"],
        [
            *("utility_2,-0.5,-1,0.1 10 1.3000", "utility_2,-0.5,-1,0.1 9 2.0000"),
            "utility_2,-0.5,-1,0.1 all 1.6500",
        ],
    ),
    "size below that of the list": (["-N", "3", "-m", "utility.0,0,0,1"], ["utility_0,0,0,1 all -0.5000"]),
}


@pytest.fixture
def case(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "two").mkdir()
    for name in ("a", "b"):
        (tmp_path / "two" / name).write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("name", list(CASES))
def test_prints_what_trec_eval_prints(name, poolwise, case):
    arguments, expected = CASES[name]
    result = poolwise("trec_eval", *arguments, "qrels", "run")
    assert result.out == lines(*expected)
    assert result.err == ""
    assert result.code == 0


def test_official_is_the_default_and_has_thirty_lines(poolwise, case):
    default = poolwise("trec_eval", "qrels", "run").out
    assert default == poolwise("trec_eval", "-m", "official", "qrels", "run").out
    assert len(default.splitlines()) == 30
    assert len(poolwise("trec_eval", "-m", "all_trec", "qrels", "run").out.splitlines()) == 99


def test_the_run_comes_from_anywhere(process, case):
    expected = lines(*ALL)
    (case / "run.gz").write_bytes(gzip.compress(RUN.encode()))
    assert process("trec_eval", *MIXED, "qrels", "run.gz").out == expected
    assert process("trec_eval", *MIXED, "qrels", "-", stdin=RUN.encode()).out == expected
    assert process("trec_eval", *MIXED, "qrels", "/dev/stdin", stdin=gzip.compress(RUN.encode())).out == expected


def test_z_scores(poolwise, case):
    (case / "z").write_text("9 map 0.25 0.1\n10 map 1 0\n10 num_ret 1 0\n")
    result = poolwise("trec_eval", "-q", "-Z", "z", "-m", "map", "-m", "num_ret", "-m", "num_q", "qrels", "run")
    rows = [
        *("num_ret 10 -1000000.0000", "map 10 0.0000", "num_ret 9 -1000000.0000", "map 9 2.0000"),
        *("num_q all 2.0000", "num_ret all -2000000.0000", "map all 1.0000"),
    ]
    assert result.out == "".join("Z" + lines(row) for row in rows)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-m", "maap", "qrels", "run"], 1, "illegal measure 'maap'; did you mean map"),
        (["-m", "ndcg_cut_10", "qrels", "run"], 1, "illegal measure 'ndcg_cut_10'; write ndcg_cut.10"),
        (["-m", "AP", "qrels", "run"], 1, "illegal measure 'AP'; `poolwise trec_eval -m all_trec` prints"),
        (["qrels"], 1, "two files are needed"),
        (["-x", "qrels", "run"], 1, "no option '-x'"),
        (["qrels", "none"], 2, "none: no such file"),
        (["qrels", "two"], 2, "holds 2 runs; trec_eval takes one"),
        (["-R", "prefs", "qrels", "run"], 2, "format 'prefs' is not here"),
        (["-v"], 0, "trec_eval version 10.0 (poolwise "),
    ],
)
def test_exit_codes_are_those_of_trec_eval(arguments, code, words, poolwise, case):
    result = poolwise("trec_eval", *arguments)
    assert result.code == code
    assert words in result.err
    assert result.out == ""


def test_it_starts_without_heavy_libraries(case):
    arguments = ["trec_eval", "-q", "-m", "all_trec", "qrels", "run"]
    command = [sys.executable, "-X", "importtime", "-m", "poolwise", *arguments]
    finished = subprocess.run(command, capture_output=True, cwd=case, text=True)
    assert finished.returncode == 0
    loaded = {line.split("|")[-1].strip() for line in finished.stderr.splitlines() if line.startswith("import time:")}
    assert not loaded & {"numpy", "scipy", "pandas", "typing", "ast", "tempfile", "concurrent.futures"}


# Labels along the ranking: 0, 2, 1. ndcg: (10 / log2(3) + 3 / 2) / (10 + 3 / log2(3)); set_F: 1.5 P R / (R + 0.5 P).
@pytest.mark.parametrize(
    ("name", "value"),
    [("ndcg.1=3,2=10", "0.6566"), ("set_F.0.5", "0.7500"), ("utility.1,-1,0,0", "1.0000")],
)
@pytest.mark.parametrize("command", ["score", "trec_eval"])
def test_names_with_parameters_are_taken_by_score_too(command, name, value, poolwise, tmp_path):
    (tmp_path / "q.txt").write_text("1 0 a 0\n1 0 b 2\n1 0 c 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n")
    result = poolwise(command, tmp_path / "q.txt", tmp_path / "r.txt", "-m", name)
    shown = {"ndcg.1=3,2=10": "ndcg_1=3,2=10", "set_F.0.5": "set_F_0.5"}.get(name, "utility_1,-1,0,0")
    assert (result.code, result.out) == (0, lines(f"{shown} all {value}")), result.err


def test_what_is_advised_for_duplicates_is_there(poolwise, tmp_path):
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 a 1 3 x\n1 Q0 a 2 2 x\n")
    files = (tmp_path / "q.txt", tmp_path / "r.txt")
    result = poolwise("trec_eval", *files, "-m", "map")
    assert result.code == 2
    assert (
        "listed twice; remove one of the two, or keep the first with `poolwise score --duplicates first`" in result.err
    )
    assert poolwise("score", *files, "-m", "map", "--duplicates", "first").out == lines("map all 1.0000")
