"""Labels of any shape, put into their plan."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from tests.kit.campaign_files import CAMPAIGN

import poolwise as pw
from poolwise.plans.plan import Plan, read_plan
from poolwise.pool.plan_header import header_of, plan_number

PLAN = pw.read(None, CAMPAIGN.runs).plan(budget=24, seed=1)
LABELS = [(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in PLAN.to_judge()]
WANTED = {(topic, document): label for topic, document, label in LABELS}


def as_csv(path: Path, mark: str = ",") -> Path:
    head = mark.join(("Query_ID", "note", "DocNo", "relevance"))
    lines = [
        mark.join((topic, '"a, b"' if mark == "," else "x", document, str(label))) for topic, document, label in LABELS
    ]
    path.write_text("\n".join([head, *reversed(lines)]) + "\n")
    return path


def as_json(path: Path) -> Path:
    rows = [{"label": label, "docid": document, "qid": topic, "seconds": 2.5} for topic, document, label in LABELS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_trec(path: Path, columns: int) -> Path:
    forms = {3: "{0} {1} {2}\n", 4: "{0} 0 {1} {2}\n", 5: "{0} 1 {1} 7 {2}\n"}
    path.write_text("# by hand\n\n" + "".join(forms[columns].format(*row) for row in LABELS))
    return path


def as_gz(path: Path) -> Path:
    as_csv(path)
    packed = path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def as_list(path: Path) -> Path:
    path.write_text(json.dumps([{"topic": t, "document": d, "label": label} for t, d, label in LABELS], indent=1))
    return path


def as_parquet(path: Path) -> Path:
    columns(pandas.DataFrame).to_parquet(path)
    return path


def columns(frame: Any) -> Any:
    topics, documents, labels = zip(*LABELS, strict=True)
    return frame({"topic": topics, "document": documents, "label": labels})


def as_plan(path: Path) -> Path:
    Plan(**{**vars_of(PLAN), "label": [WANTED.get(key) for key in zip(PLAN.topic, PLAN.document, strict=True)]}).write(
        path
    )
    return path


def vars_of(plan: Plan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in ("topic", "document", "stratum", "round", "label", "settings")}


SHAPES = {
    "csv": lambda path: as_csv(path / "labels.csv"),
    "csv without ending": lambda path: as_csv(path / "labels"),
    "csv.gz": lambda path: as_gz(path / "labels.csv"),
    "tsv": lambda path: as_csv(path / "labels.tsv", "\t"),
    "tsv without ending": lambda path: as_csv(path / "labels", "\t"),
    "jsonl": lambda path: as_json(path / "labels.jsonl"),
    "json": lambda path: as_list(path / "labels.json"),
    "json without ending": lambda path: as_json(path / "labels"),
    "parquet": lambda path: as_parquet(path / "labels.parquet"),
    "three columns": lambda path: as_trec(path / "labels.txt", 3),
    "qrels": lambda path: as_trec(path / "labels.txt", 4),
    "five columns": lambda path: as_trec(path / "labels.txt", 5),
    "filled in": lambda path: as_plan(path / "filled.txt"),
    "rows": lambda _: LABELS,
    "dict": lambda _: {topic: {d: label for t, d, label in LABELS if t == topic} for topic, _, _ in LABELS},
    "pandas": lambda _: columns(pandas.DataFrame),
    "polars": lambda _: columns(polars.DataFrame),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_gives_the_same_judgments(shape: str, tmp_path: Path) -> None:
    merged = PLAN.merge(SHAPES[shape](tmp_path))
    assert merged.warnings == ()
    assert dict(zip(zip(merged.topic, merged.document, strict=True), merged.label, strict=True)) == {
        **dict.fromkeys(zip(PLAN.topic, PLAN.document, strict=True)), **WANTED,
    }  # fmt: skip
    assert (merged.topic, merged.document, merged.stratum, merged.round) == (
        *(PLAN.topic, PLAN.document, PLAN.stratum, PLAN.round),
    )
    judged = pw.read(merged, CAMPAIGN.runs).judgments
    assert judged.plan == merged.header
    assert judged.plan is not None
    assert judged.plan.number == PLAN.header.number
    merged.write(tmp_path / "judged.txt")
    again = pw.read(tmp_path / "judged.txt", CAMPAIGN.runs).judgments
    assert again.equals(judged)
    assert again.count() == 24
    assert sorted(set(again.inclusion().tolist())) == sorted(set(judged.inclusion().tolist()))


def test_estimates_are_those_of_the_plan_filled_in(tmp_path: Path) -> None:
    """What labels came back as must not matter (and did, by a width of 0)."""
    as_plan(tmp_path / "filled.txt")
    options: dict[str, Any] = {"runs": ["run0", "run1"]}
    with pytest.warns(pw.PoolwiseWarning, match="only 3 runs"):
        expected = pw.read(tmp_path / "filled.txt", CAMPAIGN.runs).estimate("nDCG@10", **options)
    with pytest.warns(pw.PoolwiseWarning, match="only 3 runs"):
        found = pw.read(PLAN.merge(as_csv(tmp_path / "labels.csv")), CAMPAIGN.runs).estimate("nDCG@10", **options)
    assert (found.mean_low() == expected.mean_low()).all()
    assert (found.mean_high() > found.mean_low()).all()


def test_missing_labels_are_non_response(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "labels.csv")
    lines = path.read_text().splitlines()
    for number in (3, 5):
        lines[number] = lines[number].rpartition(",")[0] + ","
    path.write_text("\n".join(lines))
    with pytest.warns(pw.PoolwiseWarning, match="2 of 24 drawn documents have no label yet"):
        merged = PLAN.merge(path)
    assert sum(label is not None for label in merged.label) == 22
    with pytest.warns(pw.PoolwiseWarning, match="2 of 24"):
        assert pw.read(merged, CAMPAIGN.runs).judgments.nonresponse().sum() == 2
    with pytest.warns(pw.PoolwiseWarning, match="14 of 24"):
        assert PLAN.merge(LABELS[:10]).merge(LABELS[10:]).warnings == ()


def undrawn() -> tuple[str, str]:
    return next((t, d) for t, d, r in zip(PLAN.topic, PLAN.document, PLAN.round, strict=True) if r == 0)


def test_labels_of_undrawn_documents_are_refused_or_stand_alone() -> None:
    topic, document = undrawn()
    more = [*LABELS, (topic, document, 1), (topic, "elsewhere", 0)]
    with pytest.raises(pw.InputError, match=rf"2 labels of documents that the plan did not draw: document {document}"):
        PLAN.merge(more)
    with pytest.warns(pw.PoolwiseWarning, match="2 labels of documents that the plan did not draw: they are stratum"):
        merged = PLAN.merge(more, extra=True)
    judgments = pw.read(merged, {**CAMPAIGN.runs, "new": {topic: {"elsewhere": 1.0}}}).judgments
    assert judgments.plan is not None
    assert judgments.plan.number == PLAN.header.number
    rates = judgments.inclusion()
    place = {(t, d): n for n, (t, d) in enumerate((t, d) for t in judgments.pool.topics for d in judgments.of(t))}
    assert len(place) == 26
    extra = judgments.strata == max(merged.stratum)
    assert rates[extra].tolist() == [1.0, 1.0]
    # The others of its stratum are a sample of what is left there.
    before = pw.read(PLAN.merge(LABELS), CAMPAIGN.runs).judgments
    left = [rates_of(judgments, topic), rates_of(before, topic)]
    own = PLAN.stratum[list(zip(PLAN.topic, PLAN.document, strict=True)).index((topic, document))]
    assert {stratum: rate for stratum, rate in left[0].items() if stratum not in (own, max(merged.stratum))} == {
        stratum: rate for stratum, rate in left[1].items() if stratum != own
    }
    size = sum(t == topic and s == own for t, s in zip(PLAN.topic, PLAN.stratum, strict=True))
    assert left[0][own] == pytest.approx(left[1][own] * size / (size - 1))


def test_of_complete_labels_those_of_drawn_documents_are_taken_when_asked() -> None:
    """The same file as from the labels of drawn documents alone; what others say does not matter, not even twice."""
    topic, document = undrawn()
    more = [*LABELS, (topic, document, 1), (topic, document, 0), (topic, "elsewhere", 0)]
    with pytest.warns(pw.PoolwiseWarning, match="2 labels of documents that the plan did not draw left out, as asked"):
        merged = PLAN.merge(more, drawn_only=True)
    assert merged.to_text() == PLAN.merge(LABELS).to_text()
    assert len(merged.warnings) == 2
    assert merged.warnings[1].startswith("1 label, 0 of them relevant, are of documents outside the plan's pool")
    with pytest.raises(pw.ArgumentError, match=r"taken .* or left out .*; choose one"):
        PLAN.merge(more, drawn_only=True, extra=True)


def test_labels_outside_the_pool_of_a_plan_are_counted_since_estimates_know_nothing_of_them() -> None:
    """Judgments of a whole collection, a plan over one run of it: relevant documents of the others are out of reach."""
    name = next(iter(CAMPAIGN.runs))
    plan = pw.read(None, {name: CAMPAIGN.runs[name]}).plan(budget=12, seed=1)
    pool = set(zip(plan.topic, plan.document, strict=True))
    rows = [(topic, document, label) for topic, own in CAMPAIGN.truth.items() for document, label in own.items()]
    outside = [label for topic, document, label in rows if (topic, document) not in pool]
    assert 0 < sum(label >= 1 for label in outside) < len(outside)
    with pytest.warns(pw.PoolwiseWarning, match="do not match scores by all these labels"):
        merged = plan.merge([*rows, ("elsewhere", "a", 1)], drawn_only=True)
    said = f"{len(outside)} labels, {sum(label >= 1 for label in outside)} of them relevant, are of documents outside"
    assert sum(note.startswith(said) for note in merged.warnings) == 1
    with pytest.warns(pw.PoolwiseWarning) as caught:
        plan.merge([row for row in rows if row[:2] in pool], drawn_only=True)
    assert not any("outside the plan's pool" in str(warning.message) for warning in caught)


def rates_of(judgments: pw.Judgments, topic: str) -> dict[int, float]:
    """The rate of each stratum of a topic."""
    number = judgments.pool.topic_number(topic)
    part = slice(*judgments.offsets[number : number + 2])
    return dict(zip(judgments.strata[part].tolist(), judgments.inclusion()[part].tolist(), strict=True))


def test_conflicts_are_reported(tmp_path: Path) -> None:
    topic, document, label = LABELS[3]
    as_trec(tmp_path / "one.txt", 3)
    (tmp_path / "two.txt").write_text(f"{topic} {document} {label + 1}\n{LABELS[4][0]} {LABELS[4][1]} {LABELS[4][2]}\n")
    both = (tmp_path / "one.txt", tmp_path / "two.txt")
    with pytest.raises(pw.InputError) as error:
        PLAN.merge(*both)
    assert str(error.value) == (
        f"1 document with different labels: document {document} of topic {topic} is {label} at {both[0]}:6 and "
        f"{label + 1} at {both[1]}:1; settle which holds, or choose conflicts='first' or 'last'"
    )
    for choice, wanted in (("first", label), ("last", label + 1)):
        with pytest.warns(pw.PoolwiseWarning, match=f"of which the {choice} counts"):
            merged = PLAN.merge(*both, conflicts=choice)
        labels = dict(zip(zip(merged.topic, merged.document, strict=True), merged.label, strict=True))
        assert labels[topic, document] == wanted


def test_columns_may_be_given() -> None:
    topics, documents, labels = zip(*LABELS, strict=True)
    table = pandas.DataFrame({"q": topics, "product": documents, "grade": [float(label) for label in labels]})
    with pytest.raises(pw.InputError, match="no column called 'topic'"):
        PLAN.merge(table)
    assert PLAN.merge(table, columns={"topic": "q", "document": "product", "label": "grade"}).warnings == ()
    with pytest.raises(pw.ArgumentError, match="no column is called 'query' here"):
        PLAN.merge(table, columns={"query": "q"})


def test_rounds_go_on(tmp_path: Path) -> None:
    PLAN.merge(LABELS).write(tmp_path / "judged1.txt")
    second = pw.read(tmp_path / "judged1.txt", CAMPAIGN.runs).plan(budget=12, seed=2)
    assert second.number == 2
    assert second.header.number != PLAN.header.number
    labels = [(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in second.to_judge()]
    judged = pw.read(second.merge(labels, LABELS), CAMPAIGN.runs).judgments
    assert judged.count() == 36
    assert set(judged.rounds.tolist()) == {0, 1, 2}
    cells = {(cell.topic, cell.number): cell for cell in judged.plan.strata}
    assert sum(cell.drawn[0] for cell in cells.values()) == 24
    assert sum(cell.drawn[1] for cell in cells.values()) == 12
    assert second.header.earlier == (PLAN.header.number,)
    assert second.merge(labels, tmp_path / "judged1.txt").label == second.merge(labels).label  # labels that came late
    third = pw.read(second.merge(labels), CAMPAIGN.runs).plan(budget=12, seed=3)
    assert third.header.earlier == (PLAN.header.number, second.header.number)
    other = pw.read(None, CAMPAIGN.runs).plan(budget=24, seed=5)
    both = f"labels were made for plan {second.header.number}, and this is plan {other.header.number}"
    second.merge(labels).write(tmp_path / "judged2.txt")
    with pytest.raises(pw.InputError, match=both):
        other.merge(tmp_path / "judged2.txt")


# ---- The plan as a file ------------------------------------------------------------------------------------------


def test_a_plan_is_read_back_as_it_was(tmp_path: Path) -> None:
    PLAN.write(tmp_path / "plan.txt")
    again = read_plan(tmp_path / "plan.txt")
    assert again.to_text() == PLAN.to_text()
    assert again.to_judge() == PLAN.to_judge()
    assert again.header == PLAN.header
    PLAN.write(tmp_path / "plain.txt", plain=True)
    assert not (tmp_path / "plain.txt").read_text().startswith("#")
    assert read_plan(tmp_path / "plain.txt").to_text() == PLAN.to_text(plain=True)
    assert pw.merge(tmp_path / "plain.txt", LABELS).label == PLAN.merge(LABELS).label


def test_a_plan_that_lost_lines_is_refused(tmp_path: Path) -> None:
    text = PLAN.to_text().decode()
    (tmp_path / "cut.txt").write_text("".join(line + "\n" for line in text.splitlines()[:-1]))
    with pytest.raises(pw.InputError, match="1 line missing of stratum"):
        pw.merge(tmp_path / "cut.txt", LABELS)
    (tmp_path / "twice.txt").write_text(text + text.splitlines()[-1] + "\n")
    with pytest.raises(pw.InputError, match="stood before, at"):
        pw.merge(tmp_path / "twice.txt", LABELS)


def test_a_line_of_a_stratum_that_the_plan_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text(PLAN.to_text().decode() + f"{PLAN.topic[0]} 0 elsewhere 99 -1\n")
    with pytest.raises(pw.InputError, match="1 line too many of stratum 99"):
        read_plan(tmp_path / "more.txt")


def test_the_number_follows_from_pool_design_and_seed() -> None:
    pool = pw.read(None, CAMPAIGN.runs)
    assert pool.plan(budget=24, seed=1).header.number == PLAN.header.number
    changes: list[dict[str, Any]] = [{"seed": 2}, {"budget": 25}, {"design": "uniform"}, {"depth": 10}]
    others = [pool.plan(**{"budget": 24, "seed": 1, **change}) for change in changes]
    assert len({PLAN.header.number, *(other.header.number for other in others)}) == 5
    rows = list(zip(PLAN.topic, PLAN.document, PLAN.stratum, strict=True))
    shuffled = [rows[n] for n in np.random.default_rng(0).permutation(len(rows))]
    assert plan_number(shuffled, PLAN.header.strata, "stratified", 1) == PLAN.header.number


def test_a_header_is_read_back(tmp_path: Path) -> None:
    header = PLAN.header
    lines = header.text().encode().splitlines()
    assert header_of(reversed(lines), "here") is not None
    assert header_of([*lines, *lines[:6]], "here") == header
    assert header_of([b"# another comment"], "here") is None
    with pytest.raises(pw.InputError, match=r"here: two plans are joined .*number"):
        header_of([*lines, b"# poolwise plan number 0"], "here")
    with pytest.raises(pw.InputError, match=r"later poolwise wrote this plan \(format 9\)"):
        header_of([b"# poolwise plan format 9"], "here")
    with pytest.raises(pw.InputError, match="comments are damaged"):
        header_of(lines[:3], "here")
    assert header.depth == 100
    assert header.runs == tuple(sorted(CAMPAIGN.runs))
    odd = {f"a b%{name}\n": lists for name, lists in CAMPAIGN.runs.items()}
    made = pw.read(None, odd).plan(budget=24)
    assert header_of(made.to_text().splitlines(), "here").runs == tuple(sorted(odd))


# ---- Files that lost lines ---------------------------------------------------------------------------------------


def only_drawn(text: bytes) -> str:
    return "".join(line + "\n" for line in text.decode().splitlines() if line.startswith("#") or line.split()[1] != "0")


def test_rates_are_known_without_the_lines_of_undrawn_documents(tmp_path: Path) -> None:
    merged = PLAN.merge(LABELS)
    (tmp_path / "cut.txt").write_text(only_drawn(merged.to_text()))
    whole, cut = pw.read(merged, CAMPAIGN.runs).judgments, pw.read(tmp_path / "cut.txt", CAMPAIGN.runs).judgments
    judged = whole.rounds > 0
    assert cut.inclusion().tolist() == whole.inclusion()[judged].tolist()
    kept = [cell for cell in whole.rates().to_dict()["left"] if cell]
    assert sum(cut.rates().left) <= sum(kept)
    with pytest.raises(pw.InputError, match=r"plan pooled have no line .* \(poolwise merge PLAN LABELS"):
        pw.read(tmp_path / "cut.txt", CAMPAIGN.runs).estimate("AP")
    with pytest.raises(pw.InputError, match="have no line"):
        pw.read(tmp_path / "cut.txt", CAMPAIGN.runs).estimate("AP", outside="nonrelevant")


def test_lost_lines_are_recognised_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(only_drawn(PLAN.merge(LABELS).to_text(plain=True)))
    campaign = pw.read(tmp_path / "cut.txt", CAMPAIGN.runs)
    for measure in ("nDCG@10", "AP"):
        with pytest.raises(pw.InputError, match=r"seem to be lost: merge the labels with their plan"):
            campaign.estimate(measure)
    table = pandas.DataFrame(
        [line.split() for line in (tmp_path / "cut.txt").read_text().splitlines()],
        columns=["topic", "round", "document", "stratum", "label"],
    ).astype({"round": int, "stratum": int, "label": int})
    with pytest.raises(pw.InputError, match="seem to be lost"):
        pw.read(table, CAMPAIGN.runs).estimate("AP")


def test_added_lines_are_recognised(tmp_path: Path) -> None:
    text = PLAN.merge(LABELS).to_text().decode()
    (tmp_path / "more.txt").write_text(text + f"{PLAN.topic[0]} 1 elsewhere {PLAN.stratum[0]} 1\n")
    with pytest.raises(pw.InputError, match="in their plan; merge the labels"):
        pw.read(tmp_path / "more.txt", CAMPAIGN.runs).estimate("AP")


def test_complete_strata_are_no_loss(tmp_path: Path) -> None:
    pool = pw.read(None, CAMPAIGN.runs)
    plan = pool.plan(budget=400, design="depth")
    labels = [(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in plan.to_judge()]
    judged = plan.merge(labels)
    with pytest.raises(
        pw.ArgumentError, match=f"a plain plan would lose that its pool ends at depth {plan.header.depth}"
    ):
        judged.write(tmp_path / "plain.txt", plain=True)
    lines = judged.to_text().decode().splitlines(keepends=True)
    (tmp_path / "plain.txt").write_text("".join(line for line in lines if not line.startswith("#")))
    assert plan.header.depth == plan.settings["depth"] < 100
    found = pw.read(tmp_path / "plain.txt", CAMPAIGN.runs).estimate("P@5")
    assert (found.mean_low() == found.mean_high()).all()


def test_a_plan_is_read_with_runs_whose_columns_are_named():
    rows = [(topic, d, score) for topic, own in CAMPAIGN.runs["run0"].items() for d, score in own.items()]
    run = pandas.DataFrame(rows, columns=["need", "thing", "nearness"])
    columns = {"topic": "need", "document": "thing", "score": "nearness"}
    judged = PLAN.merge(LABELS)
    found = pw.read(judged, {"run0": run}, columns=columns)
    assert found.judgments.labels.tolist() == pw.read(judged, {"run0": CAMPAIGN.runs["run0"]}).judgments.labels.tolist()


def test_a_plan_given_as_judgments_is_told_where_it_belongs():
    pool = pw.read(None, CAMPAIGN.runs)
    with pytest.raises(pw.ArgumentError, match=r"judgments=Plan are not of this pool; .*pw.read\(plan, runs\)"):
        pool.estimate("AP", judgments=PLAN.merge(LABELS))


def test_a_merged_plan_says_what_is_judged():
    assert "24 of 99 pooled documents to judge, 23 of them judged" in PLAN.merge(LABELS[1:]).headline()
    assert PLAN.headline().endswith("to judge")


# ---- Whose labels these are --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_a_list_to_judge_names_its_plan_and_others_refuse_it(form: str, tmp_path: Path) -> None:
    """A plan that was made anew had other documents drawn: labels of the old list would speak for the wrong ones."""
    from poolwise.cli.main import main

    PLAN.write(tmp_path / "plan.txt")
    CAMPAIGN.write(tmp_path)
    listed = tmp_path / f"todo.{form}"
    words = [
        "plan",
        str(tmp_path / "runs"),
        "--budget",
        "24",
        "--seed",
        "1",
        "--depth",
        "100",
        "--to-judge",
        str(listed),
    ]
    assert main([*words, "-o", str(tmp_path / "again.txt")]) == 0
    frame = {"csv": pandas.read_csv, "json": pandas.read_json, "parquet": pandas.read_parquet}.get(form)
    if form == "tsv":
        table = pandas.read_csv(listed, sep="\t")
    elif form == "jsonl":
        table = pandas.read_json(listed, lines=True)
    else:
        assert frame is not None
        table = frame(listed)
    assert list(table.columns) == ["topic", "document", "plan", "label"]
    again = read_plan(tmp_path / "again.txt")
    number = again.header.number
    assert set(table["plan"]) == {f"p-{number}"}
    pairs = zip(table["topic"].astype(str), table["document"], strict=True)
    table["label"] = [CAMPAIGN.truth[topic][document] for topic, document in pairs]
    write = {"csv": table.to_csv, "parquet": table.to_parquet}.get(form)
    if form == "tsv":
        table.to_csv(listed, sep="\t", index=False)
    elif form in ("json", "jsonl"):
        table.to_json(listed, orient="records", lines=form == "jsonl")
    else:
        assert write is not None
        write(listed, index=False)
    assert sum(label is not None for label in pw.merge(again, listed).label) == 24
    other = pw.read(None, CAMPAIGN.runs).plan(budget=24, seed=2)
    wanted = f"made for plan {number}, and this is plan {other.header.number}; merge them with their own plan"
    for options in ({}, {"drawn_only": True}, {"extra": True}):
        with pytest.raises(pw.InputError, match=wanted):
            pw.merge(other, listed, **options)


def test_what_is_no_plan_is_not_filled_in(tmp_path: Path) -> None:
    """`merge LABELS PLAN` would take the labels for the whole pool, and all of it for judged."""
    PLAN.write(tmp_path / "plan.txt")
    rows = "".join(f"{topic},{document},{label}\n" for topic, document, label in LABELS)
    (tmp_path / "labels.csv").write_text("topic,document,label\n" + rows)
    (tmp_path / "labels.txt").write_text("".join(f"{t} 0 {d} {label}\n" for t, d, label in LABELS))
    (tmp_path / "list.csv").write_text("topic,document,label,plan\n" + rows.replace("\n", f",p-{PLAN.header.number}\n"))
    for name in ("labels.csv", "labels.txt", "list.csv"):
        with pytest.raises(pw.InputError, match=f"{name}: this is no plan"):
            pw.merge(tmp_path / name, tmp_path / "plan.txt")
    with pytest.raises(pw.InputError, match="the first table: this is no plan"):
        pw.merge(LABELS, tmp_path / "plan.txt")


def test_no_label_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "todo.csv").write_text("topic,document,plan,label\n" + f"1,{LABELS[0][1]},p-{PLAN.header.number},\n")
    PLAN.write(tmp_path / "plan.txt")
    for given in ("empty.txt", "todo.csv", "plan.txt"):
        with pytest.raises(pw.InputError, match=f"{given}: no label was found"):
            PLAN.merge(tmp_path / given)
    judged = PLAN.merge(LABELS)
    assert judged.merge(LABELS).label == judged.label  # labels that are known already are labels
    with pytest.raises(pw.InputError, match="no label was found"):
        judged.merge(tmp_path / "empty.txt")
