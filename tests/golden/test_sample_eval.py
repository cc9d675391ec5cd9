"""xinfAP, infNDCG and iP against NIST's script sample_eval.pl (version of 10 October 2011), four decimals printed."""

from __future__ import annotations

import pytest

import poolwise as pw

# document/stratum/label
JUDGMENTS = {
    "1": "d00/1/3 d01/2/0 d02/1/2 d03/2/-1 d04/1/2 d05/2/0 d06/1/0 d07/7/-1 d08/2/1 d09/2/-1 d10/7/-1 d11/2/2 d12/2/-1 "
    "d13/7/0 d14/2/2 d15/2/1 d16/7/-1 d17/2/-1 d18/7/1 d19/7/-1",
    "2": "d00/1/1 d01/2/1 d02/7/-1 d03/7/-1 d04/2/0 d05/7/2 d06/7/-1 d07/1/0 d08/2/0 d09/2/-1 d10/2/-1 d11/2/1 "
    "d12/2/-1 d13/7/-1 d14/7/-1 d15/1/0 d16/2/1 d17/2/0 d18/2/1 d19/1/1",
    "3": "d00/7/-1 d01/1/0 d02/1/1 d03/2/-1 d04/1/0 d05/2/0 d06/1/0 d07/7/-1 d08/1/0 d09/1/0 d10/7/0 d11/2/-1 d12/1/1 "
    "d13/7/2 d14/2/-1 d15/7/-1 d16/7/-1 d17/2/1 d18/1/2 d19/1/3",
}
RANKINGS = {
    "1": "d14 d05 d07 d09 d08 d01 d02 d20 d25 d21 d15 d11 d24 d19 d10 d03 d18 d06",
    "2": "d25 d11 d09 d18 d03 d14 d06 d13 d19 d21 d01 d00 d20 d24 d02 d23 d12 d22",
    "3": "d15 d20 d10 d13 d16 d06 d08 d23 d12 d25 d02 d22 d04 d18 d17 d03 d00 d24",
}
PRINTED = {
    "xinfAP(compat='sample_eval')": (0.4883, 0.2780, 0.2952, 0.3538),
    "infNDCG(compat='sample_eval')": (0.6279, 0.3147, 0.4410, 0.4612),
    "iP(compat='sample_eval')@10": (0.3833, 0.5333, 0.3000),
    "iP(compat='sample_eval')@50": (0.2067, 0.1733, 0.1500),
    "iP(compat='sample_eval')@1000": (0.0103, 0.0087, 0.0075),
}


@pytest.fixture
def pool(tmp_path):
    qrels = (
        f"{topic} 0 {' '.join(each.split('/'))}\n" for topic, line in JUDGMENTS.items() for each in line.split(" ")
    )
    run = (
        f"{topic} Q0 {document} 0 {-rank} run\n"
        for topic, line in RANKINGS.items()
        for rank, document in enumerate(line.split())
    )
    (tmp_path / "qrels.txt").write_text("".join(qrels))
    (tmp_path / "run.txt").write_text("".join(run))
    return pw.read(tmp_path / "qrels.txt", tmp_path / "run.txt")


def test_the_script_s_values(pool):
    scores = pool.score(*PRINTED)
    for measure, printed in PRINTED.items():
        assert scores.array(measure)[0] == pytest.approx(printed[:3], abs=0.5001e-4)
    assert scores.means()[0, :2] == pytest.approx([printed[3] for printed in list(PRINTED.values())[:2]], abs=0.5001e-4)


def test_the_definition_differs_where_it_smooths_or_rounds(pool):
    scores = pool.score("xinfAP", "infNDCG", *list(PRINTED)[:2])
    assert abs(scores.means()[0, 0] - scores.means()[0, 2]) > 1e-3  # 1/2 in place of 1/3 where nothing is judged
    assert abs(scores.means()[0, 1] - scores.means()[0, 3]) > 1e-3  # fractions in place of whole documents


@pytest.mark.parametrize(
    ("relevant", "documents", "judged", "printed"),
    [(11, 49, 22, 1.320872783936), (7, 61, 14, 1.693227252096), (15, 82, 20, 1.607248407339)],
)
def test_exact_halves_round_as_in_the_script(tmp_path, relevant, documents, judged, printed):
    """The script has count x N / n, in this order: an exact half, which rounds up. The run has relevant ones first."""
    labels = [1] * relevant + [0] * (judged - relevant) + [-1] * (documents - judged)
    names = [f"d{number:02d}" for number in range(documents)]
    (tmp_path / "qrels.txt").write_text(
        "".join(f"1 0 {name} 1 {label}\n" for name, label in zip(names, labels, strict=True))
    )
    (tmp_path / "run.txt").write_text("".join(f"1 Q0 {name} 0 {-rank} run\n" for rank, name in enumerate(names)))
    scores = pw.read(tmp_path / "qrels.txt", tmp_path / "run.txt").score("infNDCG(compat='sample_eval')")
    assert scores.means().item() == pytest.approx(printed, abs=1e-11)


def test_the_script_stops_at_rank_1000():
    qrels = {"1": {"first": 1, "last": 1}}
    run = {"first": 2000.0, **{f"d{number}": 1000.0 - number for number in range(1200)}, "last": -1000.0}
    scores = pw.read(qrels, {"run": {"1": run}}).score("xinfAP", "xinfAP(compat='sample_eval')")
    assert scores.means()[0, 1] == 0.5
    assert scores.means()[0, 0] > 0.5
