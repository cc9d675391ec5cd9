"""--columns reaches every table of a command: runs, labels, predictions; names of passages and grades are known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.kit.command import here
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw

LABELS, RUNS = campaign_tables(runs=2, topics=12, documents=40, depth=20, share=0.3, grades=2, skill=1.0, seed=6)
NAMES = ("topic", "document", "score", "label", "value")
KNOWN = ("query_id", "passage_id", "similarity", "grade", "llm_grade")
STRANGE = ("need", "thing", "nearness", "verdict", "machine")


@pytest.fixture(params=["known", "strange"])
def folder(tmp_path, request):
    """Two runs, labels of people and of a model, in CSV and JSON lines; a plan and its pairs."""
    names = dict(zip(NAMES, KNOWN if request.param == "known" else STRANGE, strict=True))
    topic, document = names["topic"], names["document"]
    chance = np.random.default_rng(1)
    first, second = RUNS.values()
    rows = [(t, d, value) for t, own in first.items() for d, value in own.items()]
    csv(tmp_path / "old.csv", (topic, document, names["score"]), rows)
    objects = [{topic: t, document: d, names["score"]: value} for t, own in second.items() for d, value in own.items()]
    lines(tmp_path / "new.jsonl", objects)
    every = [(t, d, LABELS[t].get(d, 0)) for t in first for d in sorted({*first[t], *second[t]})]
    csv(tmp_path / "people.csv", (topic, document, names["label"]), every)
    noisy = [{topic: t, document: d, names["value"]: label + float(chance.normal())} for t, d, label in every]
    lines(tmp_path / "llm.jsonl", noisy)
    lines(tmp_path / "people.jsonl", [{topic: t, document: d, names["label"]: label} for t, d, label in every])
    said = ",".join(f"{name}={own}" for name, own in names.items())
    return tmp_path, (lambda *wanted: []) if request.param == "known" else (lambda *wanted: _only(said, wanted))


def _only(said, wanted):
    return ["--columns", ",".join(part for part in said.split(",") if part.partition("=")[0] in wanted)]


def csv(path, names, rows):
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")


def lines(path, objects):
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))


def test_every_command_of_a_campaign(folder):
    path, columns = folder
    runs = ["old.csv", "new.jsonl"]
    ids = ("topic", "document", "score")
    predictions = ["--predictions", "llm.jsonl", *columns(*ids, "value")]
    plan = here(["plan", *runs, "--budget", 80, "-m", "nDCG@10", *predictions, "-o", "plan.txt"], path)
    assert plan.code == 0, plan.err
    for labels in ("people.csv", "people.jsonl"):
        words = ["merge", "plan.txt", labels, "--drawn-only", *columns("topic", "document", "label")]
        merged = here([*words, "-o", "judged.txt"], path)
        assert (merged.code, merged.out.split()[1]) == (0, "80"), merged.err
    words = ["judged.txt", *runs, "-m", "nDCG@10", *predictions, "--format", "csv"]
    estimated, again = (here(["estimate", *words, *more], path) for more in ([], ["--without", "new"]))
    assert (estimated.code, again.code) == (0, 0), estimated.err
    assert len(estimated.out.splitlines()) == 3
    compared = here(["compare", *words, "--test", "judgments"], path)
    assert compared.code == 0, compared.err
    gated = here(["gate", *runs, "--qrels", "judged.txt", "-m", "nDCG@10", *predictions, "--format", "csv"], path)
    assert gated.code in (0, 1, 3), gated.err
    agreed = here(
        ["agreement", "judged.txt", "people.csv", "--runs", "old.csv", "--runs", "new.jsonl", "--model", "people",
         *columns("topic", "document", "score", "label"), "--format", "csv"],
        path,
    )  # fmt: skip
    assert agreed.code == 0, agreed.err
    assert agreed.out.splitlines()[1].startswith("old,")


@pytest.mark.parametrize("words", ["topic=need,document=thing,value=machine", "value=machine"])
def test_columns_of_predictions_may_be_named_beside_runs_without_names(tmp_path, words):
    """Runs of TREC have no names of columns; those of predictions are looked for in these."""
    rows = trec(tmp_path)
    names = ("need", "thing") if "need" in words else ("topic", "document")
    csv(tmp_path / "llm.csv", (*names, "machine"), rows)
    csv(tmp_path / "usual.csv", ("topic", "document", "value"), rows)
    plan = ["plan", "runs", "--budget", 80, "-m", "nDCG@10", "--design", "model"]
    made = here([*plan, "--predictions", "llm.csv", "--columns", words], tmp_path)
    assert (made.code, made.out) == (0, here([*plan, "--predictions", "usual.csv"], tmp_path).out), made.err
    csv(tmp_path / "qrels.csv", ("topic", "document", "label"), [(t, d, int(value)) for t, d, value in rows])
    for command in (
        ["estimate", "qrels.csv", "runs"],
        ["gate", "runs/old.txt", "runs/new.txt", "--qrels", "qrels.csv"],
    ):
        found = here([*command, "-m", "P@5", "--predictions", "llm.csv", "--columns", words], tmp_path)
        assert "columns:" not in found.err, found.err
    slip = here([*plan, "--predictions", "llm.csv", "--columns", f"topic=neeed,{words.split(',')[-1]}"], tmp_path)
    assert "topic='neeed', but no table has a column of that name" in slip.err


def test_columns_of_costs_may_be_named(tmp_path):
    rows = [(t, d, 1 + value) for t, d, value in trec(tmp_path)]
    csv(tmp_path / "cost.csv", ("need", "thing", "words"), rows)
    csv(tmp_path / "usual.csv", ("topic", "document", "cost"), rows)
    plan = ["plan", "runs", "--budget", 80, "--cost"]
    named = ["--columns", "topic=need,document=thing,cost=words"]
    made = here([*plan, "cost.csv", *named], tmp_path)
    assert (made.code, made.out) == (0, here([*plan, "usual.csv"], tmp_path).out), made.err
    pool = pw.read(None, str(tmp_path / "runs"))
    own = pool.plan(
        budget=80, costs=str(tmp_path / "cost.csv"), columns={"topic": "need", "document": "thing", "cost": "words"}
    )
    assert own.to_text().decode() == made.out
    assert (
        "say which it is with --columns cost=..." in here([*plan, "cost.csv", *named[:1], named[1][:25]], tmp_path).err
    )
    slip = here([*plan, "usual.csv", "--columns", "cost=length"], tmp_path)
    assert "cost='length', but no table has a column of that name; usual.csv has" in slip.err
    lonely = here(["plan", "runs", "--budget", 80, "--columns", "cost=words"], tmp_path)
    assert "--columns cost=... says what the column of --cost is called; name its file, too" in lonely.err


def trec(path):
    """Two runs as TREC has them, and what is known of their documents: topic, document, label."""
    (path / "runs").mkdir()
    for name, own in zip(("old", "new"), RUNS.values(), strict=True):
        ranked = [(t, d, score) for t in own for d, score in own[t].items()]
        (path / "runs" / f"{name}.txt").write_text("".join(f"{t} Q0 {d} 0 {score} {name}\n" for t, d, score in ranked))
    pairs = sorted({(t, d) for own in RUNS.values() for t in own for d in own[t]})
    return [(t, d, LABELS[t].get(d, 0)) for t, d in pairs]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_name_with_a_comma_stands_in_quotes(tmp_path, form):
    for run, own in zip(("old", "new"), RUNS.values(), strict=True):
        rows = [(t, d, score) for t in own for d, score in own[t].items()]
        csv(tmp_path / f"{run}.csv", ("topic", '"id, long"', "score"), rows)
    labels = {(t, d): LABELS[t].get(d, 0) for own in RUNS.values() for t in own for d in own[t]}
    csv(tmp_path / "model.csv", ('"grade, mean"', "topic", '"id, long"'), [(v, *pair) for pair, v in labels.items()])
    objects = [{"grade, mean": value, "topic": t, "id, long": d} for (t, d), value in labels.items()]
    lines(tmp_path / "model.jsonl", objects)
    words = ["plan", "old.csv", "new.csv", "--budget", 40, "--predictions", f"model.{form}", "--design", "model"]
    values = ('"grade, mean"', '"grade, mean","grade, mean"', "grade, mean")
    said = [here([*words, "--columns", f'document="id, long",value={value}'], tmp_path) for value in values]
    assert [each.code for each in said] == [0, 0, 2], said
    assert "value='grade', but no table has a column of that name" in said[2].err


def test_a_comma_in_quotes_in_the_first_line_shifts_no_column(tmp_path):
    """Columns behind it would be taken for those after them."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run.csv").write_text('"title, long",topic,document,score,rest\nt,1,a,3,1\nt,1,b,2,2\n')
    found = here(["score", "qrels.txt", "run.csv", "-m", "AP", "-m", "NumRet", "--format", "csv"], tmp_path)
    assert found.out.splitlines()[1:] == ["run,AP,all,1.0", "run,NumRet,all,2.0"], found.err


def test_a_slip_of_the_pen_is_told_with_what_there_is(folder):
    path, columns = folder
    words = ["plan", "old.csv", "new.jsonl", "--budget", 80, "--predictions", "llm.jsonl"]
    given = columns("topic", "document", "score") or ["--columns", "document=passage_id"]
    wrong = here([*words, given[0], f"{given[1]},value=nothing"], path)
    assert wrong.code == 2
    assert "value='nothing', but no table has a column of that name; llm.jsonl has" in wrong.err
    lonely = here(["plan", "old.csv", "new.jsonl", "--budget", 80, given[0], f"{given[1]},value=nothing"], path)
    assert "says what the value of --predictions is called; name these, too" in lonely.err


def test_labels_under_an_unknown_key_are_refused(folder):
    path, columns = folder
    assert (
        here(
            ["plan", "old.csv", "new.jsonl", "--budget", 80, "-o", "plan.txt", *columns("topic", "document", "score")],
            path,
        ).code
        == 0
    )
    text = (path / "people.jsonl").read_text()
    (path / "people.jsonl").write_text(text.replace('"grade"', '"mark"').replace('"verdict"', '"mark"'))
    ids = columns("topic", "document")
    refused = here(["merge", "plan.txt", "people.jsonl", "-o", "judged.txt", *ids], path)
    assert refused.code == 1
    assert "people.jsonl:1: no column called 'label'" in refused.err
    assert "mark; say which it is with --columns label=..." in refused.err
    named = f"{ids[1]},label=mark" if ids else "label=mark"
    taken = here(["merge", "plan.txt", "people.jsonl", "-o", "judged.txt", "--drawn-only", "--columns", named], path)
    assert taken.out.startswith("judged.txt: 80 of")
