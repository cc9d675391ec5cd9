"""`estimate`: real files, exit codes, columns and messages."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.kit.small_campaigns import campaign_tables

from poolwise.campaign.campaign import read
from poolwise.errors import InputError

pytestmark = pytest.mark.slow


@pytest.fixture
def sampled(tmp_path):
    """Twelve runs and a third of the labels, as files."""
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 21)
    (tmp_path / "runs").mkdir()
    for name, topics in lists.items():
        lines = [
            f"{topic} Q0 {document} 0 {score!r} x\n"
            for topic, part in topics.items()
            for document, score in part.items()
        ]
        (tmp_path / "runs" / f"{name}.txt").write_text("".join(lines))
    rows = [(topic, document, label) for topic, part in qrels.items() for document, label in part.items()]
    write(tmp_path / "full.txt", rows)
    write(tmp_path / "sample.txt", [(t, d, label if n % 3 == 0 else -1) for n, (t, d, label) in enumerate(rows)])
    return tmp_path


def write(path, rows):
    path.write_text("".join(f"{topic} 0 {document} {label}\n" for topic, document, label in rows))


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_has_value_low_and_high(poolwise, sampled):
    result = poolwise("estimate", "sample.txt", "runs", "-m", "map", "-m", "nDCG@10", "--format", "csv")
    assert result.code == 0, result.err
    rows = table(result.out)
    assert list(rows[0]) == [
        *("run", "measure", "topic", "value", "low", "high"),
        *("steadied", "steadied_low", "steadied_high", "plain_low", "plain_high", "outside"),
    ]
    assert [row["measure"] for row in rows[:2]] == ["AP", "nDCG@10"]
    assert len(rows) == 24
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)
    per_topic = table(poolwise("estimate", "sample.txt", "runs", "-m", "AP", "-q", "--format", "csv").out)
    assert len(per_topic) == 12 * 7
    assert per_topic[0]["low"] == ""
    found = read(sampled / "sample.txt", sampled / "runs").estimate("AP")
    assert float(rows[0]["high"]) == pytest.approx(found.mean_high()[0, 0])


def test_complete_judgments_score_exactly(poolwise, sampled):
    exact = table(poolwise("score", "full.txt", "runs", "-m", "AP", "--format", "csv").out)
    rows = table(poolwise("estimate", "full.txt", "runs", "-m", "AP", "--format", "csv").out)
    for row, score in zip(rows, exact, strict=True):
        assert row["value"] == row["low"] == row["high"]
        assert float(row["value"]) == pytest.approx(float(score["value"]), abs=1e-12)


def test_pooled_values_stand_beside(poolwise, sampled):
    rows = table(poolwise("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv").out)
    assert list(rows[0])[6:9] == ["steadied", "steadied_low", "steadied_high"]
    shown = poolwise("estimate", "sample.txt", "runs", "-m", "AP", "--format", "table").out
    order = [line.split()[0] for line in shown.splitlines() if line.startswith("run") and line.split()[0] != "run"]
    assert order == [row["run"] for row in sorted(rows, key=lambda row: -float(row["steadied"]))]


def test_differences(poolwise, sampled):
    ask = ("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv", "--difference")
    rows = table(poolwise(*ask, "run3", "run1").out)
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("run3", "run1")]
    assert float(rows[0]["low"]) < float(rows[0]["difference"]) < float(rows[0]["high"])
    assert len(table(poolwise(*ask, "run3", "all").out)) == 11
    assert len(table(poolwise(*ask, "all", "all").out)) == 66
    wrong = poolwise(*ask, "run3", "nobody")
    assert wrong.code == 2
    assert "no run is called 'nobody'" in wrong.err
    for words in (ask, ("plan", "runs", "--budget", "30", "-o", "plan.txt", "--difference")):
        itself = poolwise(*words, "run3", "run1", "--difference", "run3", "run3")
        assert (itself.code, itself.out) == (2, "")
        assert itself.err == "poolwise: difference=['run3', 'run3'] must be two different runs\n"
    assert not (sampled / "plan.txt").exists()


def test_other_formats(poolwise, sampled):
    trec = poolwise("estimate", "sample.txt", "runs", "-m", "map", "--format", "trec").out.splitlines()
    assert trec[0].split("\t")[:3] == ["run0", f"{'map':<22}", "all"]
    assert len(trec[0].split("\t")) == 6
    rows = json.loads(poolwise("estimate", "sample.txt", "runs", "-m", "AP", "--format", "json").out)
    assert rows[0]["measure"] == "AP"
    assert poolwise("estimate", "sample.txt", "runs", "-m", "AP", "-o", "out.parquet").code == 0
    assert (sampled / "out.parquet").stat().st_size > 0


def test_predictions_from_a_file(poolwise, sampled):
    labels = [line.split() for line in (sampled / "full.txt").read_text().splitlines()]
    (sampled / "predicted.txt").write_text("".join(f"{t} {d} {label}\n" for t, _, d, label in labels))
    ask = ("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv")
    plain, helped = table(poolwise(*ask).out), table(poolwise(*ask, "--predictions", "predicted.txt").out)
    widths = [sum(float(row["high"]) - float(row["low"]) for row in rows) for rows in (plain, helped)]
    assert widths[1] < 0.6 * widths[0]
    (sampled / "wrong.txt").write_text("t0 d001 0.5\nt0 d002\n")
    wrong = poolwise(*ask, "--predictions", "wrong.txt")
    assert wrong.code == 1
    assert "wrong.txt:2: 2 columns found; every line needs topic document value" in wrong.err


def test_predictions_follow_the_options_for_faults(poolwise, sampled):
    """What is read with --duplicates first is what the file without its other values gives, in both commands."""
    rows = [line.split() for line in (sampled / "full.txt").read_text().splitlines()]
    clean = [f"{topic} {document} {int(label) + 3}\n" for topic, _, document, label in rows]
    topic, _, document, label = rows[0]
    (sampled / "clean.txt").write_text("".join(clean))
    (sampled / "twice.txt").write_text("".join([*clean, f"{topic} {document} 9\n"]))
    (sampled / "lowest.txt").write_text("".join([f"{topic} {document} 3\n", *clean[1:]]))
    (sampled / "nan.txt").write_text("".join([f"{topic} {document} nan\n", *clean[1:]]))
    for ask in (
        ("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv", "--predictions"),
        ("plan", "runs", "--budget", "60", "--design", "model", "--plain", "--predictions"),
    ):
        refused = poolwise(*ask, "twice.txt")
        assert (refused.code, refused.out) == (1, "")
        where = f"twice.txt:{len(rows) + 1}: document {document!r} of topic {topic!r} is predicted twice"
        assert refused.err.startswith(f"poolwise: {where}, as {int(label) + 3}.0 and 9.0; remove one of the two")
        assert poolwise(*ask, "twice.txt", "--duplicates", "first").out == poolwise(*ask, "clean.txt").out
        refused = poolwise(*ask, "nan.txt")
        assert (refused.code, refused.out) == (1, "")
        assert refused.err.startswith("poolwise: nan.txt:1: value 'nan' is not finite")
        assert poolwise(*ask, "nan.txt", "--nan", "last").out == poolwise(*ask, "lowest.txt").out
    given = [(topic, document, 1.0), (topic, document, 2.0)]
    for more in ({}, {"duplicates": "first"}):
        pool = read(sampled / "sample.txt", sampled / "runs", **more)
        if more:
            assert pool.estimate("AP", predictions=given).settings["predictions"]
        else:
            with pytest.raises(InputError, match=r"is predicted twice, as 1.0 and 2.0"):
                pool.estimate("AP", predictions=given)


def test_predictions_help_to_compare(poolwise, sampled):
    rows = [line.split() for line in (sampled / "full.txt").read_text().splitlines()]
    (sampled / "predicted.txt").write_text(
        "".join(f"{topic} {document} {label}\n" for topic, _, document, label in rows)
    )
    ask = ("compare", "sample.txt", "runs", "-m", "AP", "--baseline", "run1", "--format", "csv")
    plain, helped = (
        table(poolwise(*ask, "--test", "judgments", *more).out) for more in ((), ("--predictions", "predicted.txt"))
    )
    found = read(sampled / "sample.txt", sampled / "runs").compare(
        "AP", test="judgments", baseline="run1", predictions=sampled / "predicted.txt"
    )
    assert [float(row["p"]) for row in helped] == pytest.approx(found.p.tolist())
    assert [row["difference"] for row in helped] != [row["difference"] for row in plain]
    wrong = poolwise(*ask, "--predictions", "predicted.txt")
    assert wrong.code == 2
    assert wrong.err == "poolwise: --test randomisation takes no predictions; use --test judgments\n"
    plain = poolwise(*ask)
    assert plain.err.startswith("poolwise: note: ")
    assert "pooled documents are not judged and count as the measure says" in plain.err.splitlines()[0]


def test_wrong_usage(poolwise, sampled):
    assert poolwise("estimate", "sample.txt", "runs").code == 2
    refused = poolwise("estimate", "sample.txt", "runs", "-m", "GMAP")
    assert refused.code == 2
    assert "GMAP cannot be estimated from sampled judgments" in refused.err
    others = poolwise("estimate", "sample.txt", "runs", "-m", "RR", "-m", "RBP", "-m", "AP'", "--format", "csv")
    assert others.code == 0
    assert {line.split(",")[1] for line in others.out.splitlines()[1:]} == {"RR", "RBP", "AP'"}
    few = poolwise("estimate", "sample.txt", "runs/run1.txt", "-m", "AP", "--format", "csv")
    assert few.code == 0
    assert "only 1 run to learn relevance from" in few.err


def test_compare_uses_estimated_differences(poolwise, sampled):
    ask = ("compare", "sample.txt", "runs", "-m", "AP", "--format", "csv", "--baseline", "run1")
    result = poolwise(*ask, "--test", "judgments")
    assert result.code == 0, result.err
    rows = table(result.out)
    assert len(rows) == 11
    wanted = table(
        poolwise("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv", "--difference", "run3", "run1").out
    )[0]
    mine = next(row for row in rows if row["run_a"] == "run3")
    assert float(mine["difference"]) == pytest.approx(float(wanted["difference"]))
    assert float(mine["low"]) == pytest.approx(float(wanted["low"]))
    assert "--test judgments estimates differences" in poolwise(*ask, "--test", "t").err


def test_a_run_outside_the_pool_is_no_certainty(poolwise, sampled):
    text = (sampled / "runs" / "run0.txt").read_text()
    (sampled / "new.txt").write_text("".join(line.replace(" d", " new", 1) + "\n" for line in text.splitlines()))
    ask = ("estimate", "full.txt", "runs", "new.txt", "-m", "nDCG@10")
    result = poolwise(*ask, "--format", "csv")
    rows = {row["run"]: row for row in table(result.out)}
    assert [float(rows["new"][name]) for name in ("value", "low", "high", "outside")] == [0.0, 0.0, 1.0, 1.0]
    pooled = {name: float(cell) for name, cell in rows["run1"].items() if name not in ("run", "measure", "topic")}
    assert [pooled[name] for name in ("plain_low", "plain_high", "high")] == pytest.approx([pooled["value"]] * 3)
    assert 0.9 * pooled["value"] < pooled["low"] < pooled["value"]  # there may be relevant documents that it lacks
    assert "100 % for new" in result.err
    shown = poolwise(*ask, "--format", "table").out
    assert next(line.split() for line in shown.splitlines() if line.startswith("new"))[1:] == [
        *("0.0000", "0.0000", "to", "1.0000", "100", "%")
    ]
    pair = table(poolwise(*ask, "--difference", "run1", "new", "--format", "csv").out)[0]
    assert float(pair["low"]) < 0 < float(pair["plain_low"])
    assert pair["note"] == ""
    plain = table(poolwise(*ask, "--outside", "nonrelevant", "--format", "csv").out)[-1]
    assert plain["low"] == plain["high"] == plain["plain_high"]
    refused = poolwise(*ask, "--outside", "error")
    assert refused.code == 1
    assert "nDCG@10: 100 % of the top 10 of new is outside the pool" in refused.err


def test_looks_are_kept_in_a_file_and_the_band_is_wider_than_the_interval(poolwise, sampled):
    ask = ("estimate", "sample.txt", "runs", "-m", "AP", "--difference", "run3", "run1", "--looks", "looks.json")
    assert poolwise(*ask).err.startswith("poolwise: --looks looks.json: this is the first look")
    (row,) = table(poolwise(*ask, "--end", "0.5", "--format", "csv").out)
    assert float(row["band_low"]) < float(row["low"]) < float(row["high"]) < float(row["band_high"])
    kept = json.loads((sampled / "looks.json").read_text())
    assert (kept["end"], kept["level"], len(kept["looks"])) == (0.5, 0.95, 1)
    assert set(kept["looks"][0]["rows"]) == {"AP run3 - run1", *(f"AP run{number}" for number in range(12))}
    shown = poolwise(*ask, "--format", "table").out
    assert "holds at every look" in shown
    assert "at the end (+" in shown
    assert len(json.loads((sampled / "looks.json").read_text())["looks"]) == 1  # the same look again
    labels = (sampled / "full.txt").read_text().splitlines(keepends=True)
    (sampled / "sample.txt").write_text(
        "".join(line if n % 5 < 2 else line.rsplit(" ", 1)[0] + " -1\n" for n, line in enumerate(labels))
    )
    poolwise(*ask)
    taus = [look["rows"]["AP run3 - run1"][0] for look in json.loads((sampled / "looks.json").read_text())["looks"]]
    assert len(taus) == 2
    assert taus[0] < taus[1] < 1


def test_looks_that_go_back_or_end_behind_are_refused_and_change_nothing(poolwise, sampled):
    ask = ("estimate", "sample.txt", "runs", "-m", "P@5", "--looks", "looks.json")
    judged = sum(not line.endswith(" -1") for line in (sampled / "sample.txt").read_text().splitlines())
    behind = poolwise(*ask, "--end", str(judged - 1))
    assert behind.code == 1
    assert behind.err.splitlines()[-1] == (
        f"poolwise: {judged} labels, more than the {judged - 1} at which looks end; give a later end "
        "(--end, looks.until)"
    )
    assert not (sampled / "looks.json").exists()
    assert poolwise(*ask, "--end", str(3 * judged)).code == 0
    kept = (sampled / "looks.json").read_text()
    lines = (sampled / "sample.txt").read_text().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if not line.endswith(" -1\n"))
    lines[first] = lines[first].rsplit(" ", 1)[0] + " -1\n"
    (sampled / "sample.txt").write_text("".join(lines))
    back = poolwise(*ask)
    assert back.code == 1
    assert f"{judged - 1} labels, but there were {judged} at the last look" in back.err
    assert (sampled / "looks.json").read_text() == kept


def test_runs_are_left_out_by_name_or_because_they_reach_outside(poolwise, sampled):
    """The same numbers as from a folder without them."""
    (sampled / "new.txt").write_text("".join(f"t{topic} Q0 elsewhere-{topic} 0 1 x\n" for topic in range(6)))
    asked = ("estimate", "sample.txt", "runs", "-m", "AP", "--format", "csv")
    beside = poolwise(*asked, "new.txt")
    assert "read the others alone (`poolwise estimate --without outside`)" in beside.err
    # Where there is no such option, the note does not name it as if there were.
    compared = poolwise("compare", "sample.txt", "runs", "new.txt", "-m", "AP", "--test", "judgments")
    assert "judge these documents, or read the others alone (`poolwise estimate --without outside`)" in compared.err
    alone = poolwise(*asked)
    for word in ("outside", "new", "n?w"):
        without = poolwise(*asked, "new.txt", "--without", word)
        assert (without.code, without.out) == (0, alone.out)
    assert beside.out != alone.out
    fewer = poolwise(*asked, "--without", "run0", "--without", "run1*")
    assert {row["run"] for row in table(fewer.out)} == {f"run{number}" for number in range(2, 10)}
    unknown = poolwise(*asked, "--without", "old")
    assert unknown.code == 2
    assert "--without old: no run is called so; they are called run0, run1, run10" in unknown.err
    assert "--without leaves no run" in poolwise(*asked, "--without", "*").err
    assert "standard input can be read once" in poolwise("estimate", "-", "runs", "-m", "AP", "--without", "run0").err


def test_topics_and_differences_are_not_both_in_rows(poolwise, sampled):
    both = ("estimate", "sample.txt", "runs", "-m", "AP", "-q", "--difference", "run0", "run1")
    for form in ("trec", "csv", "jsonl"):
        result = poolwise(*both, "--format", form)
        assert result.code == 2
        assert "--difference prints differences in their place" in result.err
    shown = poolwise(*both, "--format", "table").out
    assert "t3" in shown
    assert "A - B" in shown


def test_lines_keep_columns_where_something_is_missing(poolwise, sampled):
    asked = ("estimate", "sample.txt", "runs", "-m", "AP", "--steadied", "--looks", "looks.json", "--end", "0.99")
    lines = poolwise(*asked, "--difference", "run0", "run1", "--format", "trec").out.splitlines()
    table = poolwise(*asked, "--difference", "run0", "run1", "--format", "csv").out.splitlines()
    names, cells = (line.split(",") for line in table[:2])
    assert cells[names.index("band_low")] == ""
    assert names[9] == "steadied"
    expected = [float(cell or "nan") for cell in cells[3:12]]
    assert [float(cell) for cell in lines[0].split("\t")[3:]] == pytest.approx(expected, abs=5e-5, nan_ok=True)
    assert poolwise(*asked[:5], "-q", "--format", "trec").out.splitlines()[0].count("\t") == 3  # none behind the value


def test_a_seed_takes_other_draws_of_measures_without_derivatives(poolwise, sampled):
    first, again, other = (
        table(poolwise("estimate", "sample.txt", "runs", "-m", "P@5", "-m", "bpref", "--format", "csv", *seed).out)
        for seed in ((), ("--seed", "0"), ("--seed", "1"))
    )
    assert first == again
    moved = {row["measure"] for row, drawn in zip(first, other, strict=True) if row["value"] != drawn["value"]}
    assert moved == {"bpref"}
