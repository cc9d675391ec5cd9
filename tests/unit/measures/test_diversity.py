"""Measures over subtopics: published values, a literal twin, and judgments in every shape they come in."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.twins import TWINS, Topic

import poolwise as pw
from poolwise.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

# The example in the README of pyndeval 0.0.6, with the values that it prints there.
NDEVAL = [("0", "a", "A", 1), ("0", "b", "B", 1), ("0", "b", "D", 1), ("0", "c", "C", 1)]
NDEVAL_RUN = {"0": {"A": 9.3, "D": 8.4, "E": 8.1, "B": 7.6}}
NDEVAL_VALUES = {
    "ERR_IA@5": 0.3933, "ERR_IA@10": 0.3907, "ERR_IA@20": 0.3907, "nERR_IA@5": 0.8297, "nERR_IA@10": 0.8297,
    "nERR_IA@20": 0.8297, "alpha_DCG@5": 0.4052, "alpha_DCG@10": 0.3998, "alpha_DCG@20": 0.3997, "alpha_nDCG@5": 0.7868,
    "alpha_nDCG@10": 0.7868, "alpha_nDCG@20": 0.7868, "NRBP": 0.3906, "nNRBP": 0.8620, "AP_IA": 0.5, "P_IA@5": 0.2,
    "P_IA@10": 0.1, "P_IA@20": 0.05, "StRecall@5": 0.6666, "StRecall@10": 0.6666, "StRecall@20": 0.6666,
}  # fmt: skip
MEASURES = [
    "alpha_DCG@5", "alpha_nDCG", "alpha_nDCG@4", "alpha_nDCG(alpha=0.9)@6", "ERR_IA@7", "nERR_IA@3", "NRBP", "nNRBP",
    "NRBP(beta=0.8)", "AP_IA", "AP_IA@4", "P_IA@5", "StRecall@3", "StRecall(rel=2)@8", "alpha_nDCG'(rel=2)@5",
    "nNRBP(alpha=0.25)", "alpha_DCG(alpha=0)@3", "alpha_nDCG(alpha=1)@9",
]  # fmt: skip


def score(rows, run, *measures: str) -> list[float]:
    return pw.read(rows, {"mine": run}, subtopics=True).score(*measures).means()[0].tolist()


def test_values_of_pyndeval() -> None:
    found = score(NDEVAL, NDEVAL_RUN, *NDEVAL_VALUES)
    assert dict(zip(NDEVAL_VALUES, found, strict=True)) == pytest.approx(NDEVAL_VALUES, abs=1e-4)


@pytest.mark.parametrize(("run", "value"), [({"d0": 1.0}, 0.8637574337885664), ({"d1": 1.0}, 0.4318787168942832)])
def test_values_of_ir_measures(run, value: float) -> None:
    rows = [("q0", "0", "d0", 1), ("q0", "1", "d0", 1), ("q0", "0", "d1", 1)]
    assert score(rows, {"q0": run}, "alpha_nDCG@10") == pytest.approx([value], abs=1e-15)


def campaign(seed: int):
    """Rows of judgments, and runs, by chance."""
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(14)]
    rows, runs = [], {"one": {}, "two": {}}
    for topic in ("3", "20"):
        for document in documents[: chance.randint(3, 12)]:
            some = chance.sample(["1", "2", "10", "x"], chance.randint(1, 4))
            rows += [(topic, subtopic, document, chance.choice([-2, 0, 0, 1, 1, 2])) for subtopic in some]
        for run in runs.values():
            run[topic] = {document: chance.random() for document in chance.sample(documents, chance.randint(1, 14))}
    chance.shuffle(rows)
    return rows, runs


def twin_topic(pool: pw.Campaign, run: str, topic: str) -> Topic:
    judgments = pool.judgments
    return Topic(pool.ranking(run, topic), judgments.of(topic), subtopics=judgments.subtopics_of(topic))


@pytest.mark.parametrize("seed", range(25))
def test_the_twin_says_the_same(seed: int) -> None:
    rows, runs = campaign(seed)
    pool = pw.read(rows, runs, subtopics=True)
    values = pool.score(*MEASURES)
    for text in MEASURES:
        measure = pw.parse(text)
        settings = {**measure.parameters, "condensed": measure.is_condensed}
        for run, topic in ((run, topic) for run in pool.runs for topic in pool.topics):
            expected = TWINS[measure.name](twin_topic(pool, run, topic), measure.cutoff, **settings)
            found = values.array(text)[pool.run_number(run), pool.topic_number(topic)]
            assert found == pytest.approx(expected, abs=1e-12), (text, run, topic)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter_and_text_brings_them_back(seed: int, tmp_path: Path) -> None:
    rows, runs = campaign(seed)
    pool = pw.read(rows, runs, subtopics=True)
    other = pw.read(rows[::-1], runs, subtopics=True)
    assert other.score(*MEASURES).means().tolist() == pool.score(*MEASURES).means().tolist()
    pool.judgments.write(tmp_path / "qrels.txt")
    again = pw.read(tmp_path / "qrels.txt", runs, subtopics=True)
    assert again.judgments.equals(pool.judgments)
    assert again.score(*MEASURES).means().tolist() == pool.score(*MEASURES).means().tolist()


def test_other_measures_take_the_highest_label() -> None:
    rows = [("1", "a", "x", 0), ("1", "b", "x", 2), ("1", "a", "y", -1), ("1", "b", "y", 0), ("1", "a", "z", -1)]
    pool = pw.read(rows, {"mine": {"1": {"y": 2.0, "x": 1.0}}}, subtopics=True)
    assert pool.judgments.of("1") == {"x": 2, "y": 0}
    assert pool.judgments.subtopics_of("1") == {"x": {"a": 0, "b": 2}, "y": {"b": 0}}
    assert pool.score("AP", "RR", "NumRel").means().tolist() == [[0.5, 0.5, 1.0]]


def test_one_subtopic_for_each_topic_is_said() -> None:
    run = {"mine": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}}
    one = [("1", "0", "a", 1), ("1", "0", "b", 1), ("2", "0", "a", 1)]
    said = "the judgments have one subtopic for each topic, so that alpha_nDCG@10 is no measure of diversity here"
    assert said in pw.read(one, run, subtopics=True).score("alpha_nDCG@10", "AP").warnings
    plain = pw.read({"1": {"a": 1}}, run).score("alpha_nDCG@10").warnings
    assert f"{said}; the second column is read as subtopics with subtopics=True" in plain
    two = pw.read([*one, ("2", "1", "a", 1)], run, subtopics=True)
    for silent in (pw.read({"1": {"a": 1}}, run).score("AP"), two.score("P_IA@5")):
        assert not any("subtopic" in words for words in silent.warnings)


def test_judgments_without_subtopics_have_one() -> None:
    qrels, runs = {"1": {"a": 1, "b": 1, "c": 0}}, {"mine": {"1": {"c": 3.0, "a": 2.0, "b": 1.0}}}
    one = [("1", "0", document, label) for document, label in qrels["1"].items()]
    plain, given = pw.read(qrels, runs), pw.read(one, runs, subtopics=True)
    assert plain.score(*MEASURES, "AP").means().tolist() == given.score(*MEASURES, "AP").means().tolist()
    assert plain.score("AP_IA", "P_IA@2").means().tolist() == plain.score("AP", "P@2").means().tolist()
    assert plain.judgments.subtopics_of("1") == {}


def test_what_a_sample_hides_counts_for_no_subtopic() -> None:
    rows, runs = campaign(3)
    pool = pw.read(rows, runs, subtopics=True)
    sample = pool.judgments.sample("uniform", fraction=0.5, seed=1)
    hidden = [row for row in rows if row[2] in sample.of(row[0])]
    expected = pw.read(hidden, runs, subtopics=True).score(*MEASURES).means().tolist()
    assert pool.score(*MEASURES, judgments=sample).means().tolist() == expected
    assert pw.read(sample, runs, subtopics=True).score(*MEASURES).means().tolist() == expected


def write_files(folder: Path, rows) -> dict[str, Path]:
    names = ("topic", "subtopic", "document", "label")
    texts = {
        "qrels.txt": "".join("{} {} {} {}\n".format(*row) for row in rows),
        "qrels.csv": "document,label,subtopic,topic\n" + "".join(f"{d},{v},{s},{t}\n" for t, s, d, v in rows),
        "iteration.tsv": "qid\titeration\tdocno\trel\n" + "".join("{}\t{}\t{}\t{}\n".format(*row) for row in rows),
        "qrels.jsonl": "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name: folder / name for name in texts}


def test_files_of_every_form(tmp_path: Path, capsys) -> None:
    rows, runs = campaign(7)
    expected = pw.read(rows, runs, subtopics=True).score("alpha_nDCG@5", "StRecall@5").means().tolist()
    (tmp_path / "one.txt").write_text(
        "".join(f"{t} Q0 {d} 0 {s!r} x\n" for t in ("3", "20") for d, s in runs["one"][t].items())
    )
    for path in write_files(tmp_path, rows).values():
        pool = pw.read(path, runs, subtopics=True)
        assert pool.score("alpha_nDCG@5", "StRecall@5").means().tolist() == expected
        assert main(["score", str(path), str(tmp_path / "one.txt"), "-m", "alpha_nDCG@5"]) == 0
        assert capsys.readouterr().out.split()[-1] == f"{expected[0][0]:.4f}"
    frame = pytest.importorskip("pandas").read_csv(tmp_path / "qrels.csv", dtype={"subtopic": str})
    assert pw.read(frame, runs, subtopics=True).score("StRecall@5").means()[0, 0] == expected[0][1]
    ordered = sorted(rows, key=lambda row: int(row[0]))
    streamed = pw.score_stream(
        write_files(tmp_path, ordered)["qrels.txt"], tmp_path / "one.txt", measures=["alpha_nDCG@5"], subtopics=True
    )
    assert [row[3] for row in streamed.rows(False)] == [expected[0][0]]


def test_what_is_wrong(tmp_path: Path) -> None:
    run = {"mine": {"1": {"a": 1.0}}}
    with pytest.raises(pw.InputError, match="a dict has no subtopics; give rows of"):
        pw.read({"1": {"a": 1}}, run, subtopics=True)
    with pytest.raises(pw.InputError, match=r"row 2: document 'a' of topic '1' is judged twice"):
        pw.read([("1", "x", "a", 1), ("1", "x", "a", 0)], run, subtopics=True)
    with pytest.raises(pw.InputError, match=r"row 1 is \('1', 'a', 1\); expected \(topic, subtopic, document, label\)"):
        pw.read([("1", "a", 1)], run, subtopics=True)
    with pytest.raises(pw.InputError, match="holds blanks; ids are single words"):
        pw.read([("1", "x y", "a", 1)], run, subtopics=True)
    (tmp_path / "q.txt").write_text("1 x a 1\n1 y a 0\n1 x a 1\n")
    with pytest.raises(pw.InputError, match=r"q.txt:3: document 'a' of topic '1' is judged twice"):
        pw.read(tmp_path / "q.txt", run, subtopics=True)
    with pytest.raises(pw.InputError, match=r"q.txt:2: document 'a' of topic '1' is judged twice"):
        pw.read(tmp_path / "q.txt", run)
    assert pw.read(tmp_path / "q.txt", run, subtopics=True, duplicates="first").judgments.of("1") == {"a": 1}
