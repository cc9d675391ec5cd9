"""Command lines as users of other tools type them, with values from elsewhere: by hand, or by those tools' own rules.

Topic 1 ranks b (0), a (2), c (1); topic 2 ranks d (1), e (0). So AP is (1/2 + 2/3) / 2 and 1, RR 1/2 and 1, nDCG
(2 / log2 3 + 1 / 2) / (2 + 1 / log2 3) and 1.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from math import log2

import pytest
from tests.kit.command import here, in_own_process

AP = ((1 / 2 + 2 / 3) / 2 + 1) / 2
RR = (1 / 2 + 1) / 2
NDCG = ((2 / log2(3) + 1 / 2) / (2 + 1 / log2(3)) + 1) / 2
LINES = "1 Q0 b 1 3.0 mine\n1 Q0 a 2 2.0 mine\n1 Q0 c 3 1.0 mine\n2 Q0 d 1 2.0 mine\n2 Q0 e 2 1.0 mine\n"
QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 1\n2 0 e 0\n"
FILES = {
    "qrels.txt": QRELS,
    "run.txt": LINES,
    "comments.txt": "# ir_metadata.start\n# platform: mine\n" + LINES,
    "fields.txt": LINES.replace(" mine", " mine and more"),
    "qrels.json": '{"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 1, "e": 0}}',
    "results.json": '{"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "2": {"d": 2.0, "e": 1.0}}',
    "test.tsv": "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n1\tc\t1\n2\td\t1\n2\te\t0\n",
    "marco.tsv": "1\tb\t1\n1\ta\t2\n1\tc\t3\n2\td\t1\n2\te\t2\n",
    "frame.csv": "qid,docno,score\n1,b,3\n1,a,2\n1,c,1\n2,d,2\n2,e,1\n",
    "rows.jsonl": "".join(
        f'{{"query_id": "{line.split()[0]}", "doc_id": "{line.split()[2]}", "score": {line.split()[4]}}}\n'
        for line in LINES.splitlines()
    ),
    "div.txt": "1 1 a 1\n1 2 a 1\n1 1 b 1\n",
    "divrun.txt": "1 Q0 b 1 2.0 m\n1 Q0 c 2 1.0 m\n",
    "bare.csv": "1,a,0.5\n1,b,0.25\n",
    "prels.txt": "1 a 1 1 0.5\n1 b 0 1 0.5\n1 c 1 1 1.0\n",
    "prun.txt": "1 Q0 b 1 3 m\n1 Q0 a 2 2 m\n1 Q0 c 3 1 m\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("habits")
    for name, text in FILES.items():
        (path / name).write_text(text)
    for ending, squeeze in (("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)):
        (path / f"run.txt.{ending}").write_bytes(squeeze(LINES.encode()))
    (path / "qrels.txt.gz").write_bytes(gzip.compress(QRELS.encode()))
    return path


@pytest.mark.parametrize(
    ("command", "values"),
    [
        # trec_eval
        ("trec_eval -m map qrels.txt run.txt", {"map": AP}),
        ("trec_eval -q -n -m recip_rank qrels.txt run.txt", {"recip_rank": 1.0}),
        ("trec_eval -c -M1000 -m ndcg_cut.10 qrels.txt run.txt", {"ndcg_cut_10": NDCG}),
        ("trec_eval -l 2 -m map qrels.txt run.txt", {"map": 0.25}),
        ("trec_eval --nosummary --query_eval_wanted --measure map qrels.txt run.txt", {"map": 1.0}),
        ("score -c -m map -m P.5,10 qrels.txt run.txt", {"map": AP, "P_5": 0.3, "P_10": 0.15}),
        ("score -m recip_rank -l2 qrels.txt run.txt", {"recip_rank": 0.25}),
        ("score -m map qrels.txt comments.txt", {"map": AP}),
        ("score -m map qrels.txt fields.txt", {"map": AP}),
        ("score -m map qrels.txt.gz run.txt.gz", {"map": AP}),
        ("score -m map qrels.txt run.txt.xz", {"map": AP}),
        ("score -m map qrels.txt run.txt.bz2", {"map": AP}),
        # ir-measures
        ("score qrels.txt run.txt -m nDCG@10 -m AP(rel=2)", {"nDCG@10": NDCG, "AP(rel=2)": 0.25}),
        ("score qrels.txt run.txt -m nDCG(dcg=exp-log2)@10", {}),
        ("score qrels.txt run.txt -m SetRelP -m NumRet(rel=1)", {"SetRelP": 1.0, "NumRet(rel=1)": 3}),
        ("score qrels.txt rows.jsonl -m AP", {"AP": AP}),
        # ranx
        ("score qrels.json results.json -m map -m mrr", {"map": AP, "mrr": RR}),
        ("score qrels.json results.json -m map-l2 -m r-precision", {"map-l2": 0.25, "r-precision": 0.75}),
        ("score qrels.json results.json -m hits@2 -m precision@1", {"hits@2": 1.0, "precision@1": 0.5}),
        # BEIR, MTEB, MS MARCO
        ("score test.tsv results.json -m NDCG@10 -m Recall@100", {"NDCG@10": NDCG, "Recall@100": 1.0}),
        ("score test.tsv results.json -m ndcg_at_10 -m mrr_at_10", {"ndcg_at_10": NDCG, "mrr_at_10": RR}),
        ("score test.tsv results.json -m R_cap@1 -m Hole@2", {"R_cap@1": 0.5, "Hole@2": 0.0}),
        ("score qrels.txt marco.tsv -m MRR@10", {"MRR@10": RR}),
        # PyTerrier
        ("score qrels.txt frame.csv -m map,recip_rank", {"map": AP, "recip_rank": RR}),
        # NTCIREVAL
        ("score qrels.txt run.txt -m MSnDCG@0010 -m Hit@0001", {"MSnDCG@0010": NDCG, "Hit@0001": 0.5}),
        # statAP: a and c weigh 1 / .5 and 1; given a, precision at its rank is 1 / 2, and given c (1 + 1 / .5) / 3
        ("score --prels prels.txt prun.txt -m statAP", {"statAP": (2 * 1 / 2 + 1 * 3 / 3) / 3}),
        # ndeval: one of two subtopics; ir-measures' case of alpha-nDCG
        ("score div.txt divrun.txt -m strec@10 -m P-IA@5", {"strec@10": 0.5, "P-IA@5": 0.1}),
        ("score div.txt divrun.txt -m alpha_nDCG@10", {"alpha_nDCG@10": 0.4318787168942832}),
    ],
)
def test_a_command_line_of_theirs(folder, command, values):
    finished = here(command.split(), folder)
    assert finished.code == 0, finished.err
    printed = {line.split()[0]: float(line.split()[-1]) for line in finished.out.splitlines()}
    for name, value in values.items():
        assert printed[name] == pytest.approx(value, abs=0.5001e-4)
    if not values:  # ir-measures' exponential gains: 3 / log2 3 + 1 / 2 of 3 + 1 / log2 3
        gained = (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))
        assert next(iter(printed.values())) == pytest.approx((gained + 1) / 2, abs=0.5001e-4)


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
@pytest.mark.parametrize("command", ["trec_eval -m map qrels.txt -", "score -m map qrels.txt -"])
def test_from_a_pipe(folder, command, squeeze):
    finished = in_own_process(command.split(), folder, stdin=squeeze(LINES.encode()))
    assert (finished.code, finished.out) == (0, f"{'map':<22}\tall\t{AP:.4f}\n")


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("score qrels.txt run.txt nDCG@10", 2, "nDCG@10: no such file, but a measure; measures are given by -m"),
        ("qrels.txt run.txt", 2, "did you mean poolwise score qrels.txt run.txt?"),
        ("score run.txt qrels.txt", 1, "is this a run? Judgments come first, then runs"),
        ("score -n qrels.txt run.txt", 2, "`poolwise trec_eval` has it"),
        ("score --Zscore z.txt qrels.txt run.txt", 2, "`poolwise trec_eval` has it"),
        ("score -m relstring qrels.txt run.txt", 2, "`poolwise trec_eval` prints it"),
        ("score -m map,frob qrels.txt run.txt", 2, "measure 'frob' is unknown"),
        ("score -m ndgc@10 qrels.txt run.txt", 2, "did you mean nDCG@10"),
        ("score -m Rpref@10 qrels.txt run.txt", 2, "Rprec, bpref, RBPres@10?"),
        ("score qrel.txt run.txt", 1, "qrel.txt: no such file; did you mean qrels.txt"),
        ("score ./qrel.txt run.txt", 1, "./qrel.txt: no such file; did you mean ./qrels.txt"),
        ("score qrels.txt nowhere/run.txt", 1, "nowhere/run.txt: no such file; check the path"),
        ("score qrels.txt bare.csv", 1, "or by numbers if there is no header, as in topic=1,document=2,score=3"),
        ("trec_eval qrels.txt run.txt run.txt", 1, "this takes one run; for several: poolwise score"),
        ("trec_eval -R prefs qrels.txt run.txt", 2, "format 'prefs' is not here"),
        ("plan run.txt --budget 2 --forecast -o plan.txt", 2, "--forecast FILE: a value is missing before -o"),
        ("plan run.txt --budget 2 --difference mine --seed 1", 2, "a value is missing before --seed"),
    ],
)
def test_what_does_not_work_says_what_does(folder, command, code, words):
    finished = here(command.split(), folder)
    assert finished.code == code
    assert words in finished.err


def test_notes_on_subtopics_claim_no_range(folder):
    """Labels of subtopics are not tried, so that a range would be one of another measure."""
    finished = here(["score", "div.txt", "divrun.txt", "-m", "alpha_nDCG@10"], folder)
    assert "50 % for divrun" in finished.err
    assert "could make" not in finished.err
