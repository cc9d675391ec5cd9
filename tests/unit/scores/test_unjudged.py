"""What unjudged documents leave open in ordinary scores, tried against all possible labels."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.measures.registry import parse
from poolwise.scores.partitioned import score_log
from poolwise.scores.score_notes import ALONE, Unjudged, can_move
from poolwise.scores.stream import score_stream

MEASURES = ["AP", "P@3", "nDCG@4", "RR", "RBP", "ERR@5", "Success@2", "bpref", "nDCG'@4", "Rprec", "Q", "R@3"]


def random_case(seed: int, open_documents: int = 4) -> tuple[dict, dict]:
    random = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(10)]
    unknown = set(random.choice(documents, open_documents, replace=False).tolist())
    qrels = {"1": {d: int(random.integers(0, 3)) for d in documents if d not in unknown} | {"top": 2}}
    lists = {
        run: {"1": {d: 20.0 - rank for rank, d in enumerate(random.permutation(documents)[:7].tolist())}}
        for run in ("mine", "yours")
    }
    return qrels, lists


def every_score(qrels: dict, lists: dict, measure: str) -> np.ndarray:
    """Scores (assignments x runs) under every labelling, and as things stand."""
    unknown = sorted({d for run in lists.values() for d in run["1"]} - set(qrels["1"]))
    found = [pw.read(qrels, lists).score(measure).means()[:, 0]]
    for given in product((0, 1, 2), repeat=len(unknown)):
        judged = {"1": qrels["1"] | dict(zip(unknown, given, strict=True))}
        found.append(pw.read(judged, lists).score(measure).means()[:, 0])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_reached_is_possible_and_near_the_extremes(measure: str) -> None:
    gaps, widths = [], []
    for seed in range(6):
        qrels, lists = random_case(seed)
        unjudged = Unjudged(pw.read(qrels, lists).judgments)
        values = every_score(qrels, lists, measure)
        wanted = parse(measure)
        cut = wanted.cutoff or 10
        if cut < 7:  # only documents within the cut-off are open
            unjudged._pool_depth = 10
        low, high = unjudged.reach(wanted, [0], [1])[0]
        differences = values[:, 0] - values[:, 1]
        assert np.abs(differences - low).min() < 1e-12 or cut < 7
        assert np.abs(differences - high).min() < 1e-12 or cut < 7
        assert differences.min() - 1e-12 <= low <= differences[0] + 1e-12
        assert differences[0] - 1e-12 <= high <= differences.max() + 1e-12
        gaps.append((low - differences.min()) + (differences.max() - high))
        widths.append(differences.max() - differences.min())
    assert sum(gaps) <= 0.35 * sum(widths)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_one_run_reaches_its_bounds() -> None:
    """Where bounds are exact and documents below no cut-off matter, what is tried comes near to them."""
    qrels, lists = campaign_tables(6, 5, 60, 30, 0.2, 1, 1.0, 4)
    pool = pw.read(qrels, lists)
    runs = list(range(6))
    for measure, near in (("P@30", 1e-12), ("RR", 1e-12), ("RBP", 1e-12), ("AP", 0.02)):
        unjudged = Unjudged(pool.judgments)
        unjudged._pool_depth = 2**31 - 1
        found = np.array(unjudged.reach(parse(measure), runs, [ALONE] * 6))
        bounds = pool.score(measure, interval="bounds")
        assert found[:, 0] == pytest.approx(bounds.mean_low()[:, 0], abs=near)
        assert found[:, 1] == pytest.approx(bounds.mean_high()[:, 0], abs=near)


def test_shared_documents_move_both() -> None:
    qrels, lists = random_case(1)
    runs = {**lists, "copy": lists["mine"]}
    with pytest.warns(pw.PoolwiseWarning, match="not judged and counts as non-relevant"):
        scores = pw.read(qrels, runs).score("AP")
    assert scores.unjudged is not None
    assert scores.unjudged.reach(parse("AP"), [0], [2]) == [(0.0, 0.0)]


def test_a_note_names_runs_shares_and_ranges() -> None:
    qrels, lists = campaign_tables(4, 30, 100, 40, 0.2, 2, 1.0, 5)
    new = {topic: {f"new-{d}": score for d, score in part.items()} for topic, part in lists["run0"].items()}
    pool = pw.read(qrels, {**lists, "new": new})
    with pytest.warns(pw.PoolwiseWarning) as caught:
        scores = pool.score("nDCG@10", "P@10", "AP", "bpref", "Judged@10", "NumRet")
    notes = [str(warning.message) for warning in caught]
    assert scores.warnings == tuple(notes)
    assert notes[0] == (
        "part of the top 10 is not judged and counts as non-relevant: 100 % for new "
        "(their labels could make nDCG@10 0.0000 to 1.0000, P@10 0.0000 to 1.0000)"
    )
    assert notes[1].startswith(
        "part of what stands down to rank 20 (where judging seems to have stopped) is not judged and counts as "
        "non-relevant: 100 % for new (their labels could make AP 0."
    )
    assert len(notes) == 2
    with pytest.warns(pw.PoolwiseWarning, match="100 % for new"):
        assert pickle.loads(pickle.dumps(pool.score("AP").unjudged)) is None


def test_complete_judgments_need_no_note() -> None:
    qrels, lists = campaign_tables(4, 30, 100, 40, 0.2, 2, 1.0, 5)
    scores = pw.read(qrels, lists).score("AP", "nDCG@20", "bpref")
    assert scores.warnings == ()
    assert scores.unjudged is not None
    assert scores.unjudged.shares(parse("AP")) == [0.0] * 4


def test_what_cannot_move() -> None:
    assert [can_move(parse(name)) for name in ("AP", "bpref", "Judged@10", "NumRet", "NumRel", "GMAP", "infAP")] == [
        *(True, True, False, False, False, False, False)
    ]


def half_judged(folder: Path) -> tuple[Path, Path]:
    """Two runs, of one of which half is judged, in topics that come one after the other."""
    labels, good, poor = [], [], []
    for topic in range(100, 140):
        for rank in range(1, 21):
            labels += [f"{topic} 0 g{rank:02d} {rank % 3 // 2}", *([f"{topic} 0 p{rank:02d} 0"] if rank % 2 else [])]
            good.append(f"{topic} Q0 g{rank:02d} {rank} {30 - rank} good")
            poor.append(f"{topic} Q0 p{rank:02d} {rank} {30 - rank} poor")
    (folder / "runs").mkdir()
    for name, lines in (("qrels.txt", labels), ("runs/good.txt", good), ("runs/poor.txt", poor)):
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder / "qrels.txt", folder / "runs"


def test_topics_scored_some_at_a_time_have_the_note_too(tmp_path: Path) -> None:
    qrels, runs = half_judged(tmp_path)
    said = "part of the top 10 is not judged and counts as non-relevant: 50 % for poor"
    with pytest.warns(PoolwiseWarning, match=said):
        streamed = score_stream(qrels, runs, measures=["nDCG@10", "P@10", "nDCG'@10", "AP"])
    assert [note for note in streamed.warnings if "not judged" in note] == [said]
    with pytest.warns(PoolwiseWarning, match=rf"{said} \(their labels could make nDCG@10"):
        pw.read(qrels, runs).score("nDCG@10")
    without = score_stream(qrels, runs, measures=["nDCG'@10", "bpref"])
    assert not [note for note in without.warnings if "not judged" in note]


def test_partitions_of_logs_have_the_note_too(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    for part in range(2):
        rows = [(f"{topic}", f"d{rank}", rank) for topic in range(part * 5, part * 5 + 5) for rank in range(1, 11)]
        topics, documents, ranks = zip(*rows, strict=True)
        labels = [int(rank == 1) if rank % 5 else None for rank in ranks]
        columns = {"topic": topics, "document": documents, "rank": ranks, "run": ["live"] * len(rows), "label": labels}
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / f"{part}.parquet")
    said = "part of the top 5 is not judged and counts as non-relevant: 20 % for live"
    with pytest.warns(PoolwiseWarning, match=said):
        found = score_log(tmp_path / "0.parquet", tmp_path / "1.parquet", measures=["P@5", "RR"])
    assert said in found.warnings


def test_a_note_leaves_out_what_cannot_move():
    """The first document is relevant, so that RR is 1 whatever the others are."""
    pool = pw.read({"1": {"a": 1}}, {"mine": {"1": {"a": 3.0, "b": 2.0}}})
    with pytest.warns(pw.PoolwiseWarning) as caught:
        pool.score("RR@2", "P@2")
    (said,) = [str(each.message) for each in caught]
    assert said.endswith("50 % for mine (their labels could make P@2 0.5000 to 1.0000)")


@pytest.mark.parametrize("stream", [False, True])
def test_many_depths_have_three_notes(stream, tmp_path):
    """trec_eval's groups ask for nine cut-offs; two are spoken of in full, the others in one line."""
    qrels, runs = half_judged(tmp_path)
    measures = [f"P@{depth}" for depth in (5, 10, 15, 20, 30)]
    with pytest.warns(pw.PoolwiseWarning) as caught:
        score_stream(qrels, runs, measures=measures) if stream else pw.read(qrels, runs).score(*measures)
    said = [str(each.message) for each in caught]
    assert [note.split(" is not")[0] for note in said[:2]] == ["part of the top 5", "part of the top 10"]
    assert said[2:] == [
        "nor are judged up to 47 % of the top 15, 50 % of the top 20, 50 % of the top 30, which count as "
        "non-relevant too"
    ]


def test_a_range_says_what_it_takes_for_granted():
    """Below the pool's depth documents are taken as non-relevant: AP of the top 20 alone could vary."""
    qrels, lists = campaign_tables(4, 30, 100, 40, 0.2, 2, 1.0, 5)
    new = {topic: {f"new-{d}": score for d, score in part.items()} for topic, part in lists["run0"].items()}
    pool = pw.read(qrels, {**lists, "new": new})
    with pytest.warns(pw.PoolwiseWarning, match="farther down are taken as non-relevant in these ranges$"):
        pool.score("AP")
    with pytest.warns(pw.PoolwiseWarning, match=r"1\.0000\)$"):
        pool.score("P@20")


def test_a_note_names_few_measures_and_no_endless_ones():
    pool = pw.read({"1": {"a": 1}}, {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})
    endless = f"nDCG(discount={[0.5] * 300})@3"
    many = ["P@3", "nDCG@3", "AP@3", "RBP@3", "ERR@3", "R@3", "Success@3", endless]
    with pytest.warns(pw.PoolwiseWarning) as caught:
        pool.score(*many)
    (said,) = [str(each.message) for each in caught if "top 3" in str(each.message)]
    assert "67 % for mine (their labels could make P@3 0.3333 to 1.0000" in said
    assert "discount" not in said
    assert said.count(" to ") == 2
