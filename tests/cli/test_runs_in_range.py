"""RR and AP of a run stay between 0 and 1 in every command, though estimates of single topics need not."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, uniform_sample

import poolwise as pw
from poolwise.cli.main import main

MEASURES = ["RR", "P@5", "AP"]
OPTIONS = [word for measure in MEASURES for word in ("-m", measure)]
QRELS, LISTS = campaign_tables(
    runs=3, topics=6, documents=40, depth=20, share=0.6, grades=1, skill=3.0, seed=1
)  # RR of two runs is above 1 by the mean of their topics
RUNS = list(LISTS)


@pytest.fixture(scope="module")
def sampled():
    return pw.read(uniform_sample(pw.read(QRELS, LISTS), 0.3, seed=0), LISTS)


@pytest.fixture(scope="module")
def uncut(sampled):
    """Means over topics of RR."""
    return sampled.estimate("RR").array("RR").mean(axis=1)


@pytest.fixture
def folder(sampled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sampled.judgments.write("judged.txt")
    for run, topics in LISTS.items():
        lines = [f"{t} Q0 {d} 0 {score!r} {run}\n" for t, own in topics.items() for d, score in own.items()]
        (tmp_path / run).write_text("".join(lines))
    return tmp_path


def said(capsys, *words):
    capsys.readouterr()
    assert main([*words]) in (0, 1, 3)
    return capsys.readouterr().out


def within(numbers):
    values = np.array([number for number in numbers if number is not None], dtype=float)
    assert len(values)
    return ((values >= 0) & (values <= 1)).all()


def test_some_means_of_topics_are_beyond(uncut) -> None:
    assert (uncut > 1.001).any()


def test_exports_hold_topics_uncut_so_that_their_mean_is_the_value(sampled, folder, uncut, capsys) -> None:
    """Where the mean is beyond what the measure can be, the value is the nearest that can be."""
    words = ["estimate", "judged.txt", *RUNS, *OPTIONS, "-q", "--format"]
    texts = {
        "csv": list(csv.DictReader(io.StringIO(said(capsys, *words, "csv")))),
        "json": json.loads(said(capsys, *words, "json")),
        "frame": sampled.estimate(*MEASURES).to_frame("polars", per_topic=True).to_dicts(),
    }  # fmt: skip
    for rows in texts.values():
        for run in RUNS:
            for measure in MEASURES:
                own = {
                    row["topic"]: float(row["value"]) for row in rows if (row["run"], row["measure"]) == (run, measure)
                }
                value = own.pop("all")
                mean = np.mean(list(own.values()))
                assert value == pytest.approx(min(max(mean, 0), 1), abs=1e-9)
                assert len(own) == 6
    assert max(float(row["value"]) for row in texts["csv"] if row["topic"] != "all") > 1.01


def test_tables_cut_topics_and_call_them_noisy(folder, capsys) -> None:
    shown = said(capsys, "estimate", "judged.txt", *RUNS, "-m", "RR", "-q", "--format", "table")
    assert "Estimates of single topics are noisy" in shown
    numbers = [float(row.split()[2]) for row in shown.splitlines() if re.match(r"run\d +\S+ +-?\d\.\d", row)]
    assert len(numbers) == 3 * 7
    assert within(numbers)
    marked = said(capsys, "estimate", "judged.txt", *RUNS, "-m", "RR", "-q", "--format", "markdown")
    assert "noisy" in marked
    assert not re.search(r"\| +(-0|1\.(?!0000))", marked)


@pytest.mark.parametrize("kept", [False, True])
def test_gate_stays_within_and_counts_no_wins_of_noise(folder, uncut, capsys, kept) -> None:
    """Of runs, and of estimates that were kept; differences are those of the uncut means."""
    a, b = np.argsort(-uncut)[:2].tolist()
    sides = [RUNS[a], RUNS[b]]
    if kept:
        for run in sides:
            assert main(["estimate", "judged.txt", run, "-m", "RR", "-q", "-o", f"{run}.csv"]) == 0
        alone = [uncut_alone(f"{run}.csv") for run in sides]
        (row,) = json.loads(said(capsys, "gate", *(f"{run}.csv" for run in sides), "-m", "RR", "--format", "json"))
        assert row["difference"] == pytest.approx(alone[1] - alone[0])
    else:
        (row,) = json.loads(said(capsys, "gate", *sides, "--qrels", "judged.txt", "-m", "RR", "--format", "json"))
    assert within([row["baseline_mean"], row["candidate_mean"]])
    assert [row["wins"], row["losses"], row["ties"]] == [None] * 3
    shown = said(capsys, "gate", *(f"{run}.csv" if kept else run for run in sides), "--qrels", "judged.txt", "-m", "RR")
    assert "wins" not in shown


def uncut_alone(path):
    rows = csv.DictReader(Path(path).read_text().splitlines())
    return np.mean([float(row["value"]) for row in rows if row["topic"] != "all"])


@pytest.mark.parametrize("words", [["--test", "judgments"], ["--test", "t"]])
def test_comparisons_stay_within(folder, uncut, capsys, words) -> None:
    """Of the sample, and of a file of estimates."""
    if words[1] == "t":
        assert main(["estimate", "judged.txt", *RUNS, "-m", "RR", "-q", "-o", "est.csv"]) == 0
        given = ["est.csv", "-m", "RR"]
    else:
        given = ["judged.txt", *RUNS, "-m", "RR"]
    shown = said(capsys, "compare", *given, *words, "--format", "table")
    means = [float(number) for number in re.findall(r"^run\d +(-?\d\.\d{4})", shown, flags=re.MULTILINE)]
    assert within(means)
    pool = pw.Scores.from_csv("est.csv") if words[1] == "t" else None
    if pool is not None:
        assert within(pool.means().ravel())
        assert pool.array("RR").max() > 1.01
        assert within(pw.compare(pool, "RR", test="t").means)


def test_groups_of_estimates_in_a_file_stay_within(folder, capsys) -> None:
    assert main(["estimate", "judged.txt", *RUNS, "-m", "RR", "-q", "-o", "est.csv"]) == 0
    scores = pw.Scores.from_csv("est.csv")
    found = pw.topic_groups(scores, {topic: str(place % 2) for place, topic in enumerate(scores.topics)}, "RR")
    assert within(found.means.ravel())
    assert not {"wins", "losses", "ties"} & set(found.pair_columns())


def test_files_of_other_scores_are_taken_as_they_are(tmp_path) -> None:
    """AP in percent."""
    (tmp_path / "own.csv").write_text("run,measure,topic,value\na,AP,1,50\na,AP,2,30\n")
    assert pw.Scores.from_csv(tmp_path / "own.csv").means().tolist() == [[40.0]]
    frame = pw.Scores.from_csv(tmp_path / "own.csv").to_frame("pandas")
    assert pw.Scores.from_frame(frame).means().tolist() == [[40.0]]


def test_frames_of_estimates_are_estimates(sampled) -> None:
    frame = sampled.estimate(*MEASURES).to_frame("pandas", per_topic=True)
    assert within(pw.Scores.from_frame(frame).means().ravel())


def test_pages_of_runs_and_topics_rank_no_noise(sampled, folder) -> None:
    """Every value is between 0 and 1, single topics are called noisy, and nothing says who is best on one."""
    pw.report(sampled, folder / "pages", measures=["RR", "AP"])
    pages = [*(folder / "pages" / "runs").glob("*.html"), *(folder / "pages" / "topics").glob("*.html")]
    assert len(pages) == 3 + 6
    for page in pages:
        text = page.read_text()
        first = text.split("Against the other runs")[0]
        assert "They are noisy" in text
        assert not re.search(r"best on|farthest behind|best run|above the median", text)
        cells = [float(cell) for cell in re.findall(r"<td[^>]*>(-?\d\.\d+)</td>", first)]
        assert len(cells) >= 6
        assert within(cells)
        heads = " ".join(re.findall(r"<th[^>]*>(.*?)</th>", first))
        assert not re.search(r"\brank\b|\bbest\b", re.sub("<.*?>", " ", heads))
    drawn = re.findall(r'"y": ?(\[[^\]]*\])', " ".join(page.read_text() for page in pages))
    assert len(drawn) >= 9
    assert all(within(json.loads(numbers)) for numbers in drawn)
