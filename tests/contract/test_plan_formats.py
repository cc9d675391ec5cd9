"""A plan is the same plan in every format: what is estimated and planned from a table equals that from its own file."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas
import pytest
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

CAMPAIGN = known_campaign(11, topics=12, runs=4, documents=40, depth=20)
PREDICTIONS = [
    (topic, document, 0.2 + 0.5 * min(label, 1) + 0.01 * (len(document) + place % 7))
    for topic, own in CAMPAIGN.truth.items()
    for place, (document, label) in enumerate(own.items())
]
COSTS = [(topic, document, 1 + 3 * (place % 4)) for place, (topic, document, _) in enumerate(PREDICTIONS)]
PAIR = [tuple(CAMPAIGN.runs)[:2]]
DESIGNS = {
    "stratified": [{"budget": 60, "difference": PAIR}],
    "model": [{"budget": 60, "design": "model", "predictions": PREDICTIONS, "measure": "nDCG@10"}],
    "uniform": [{"budget": 60, "design": "uniform"}],
    "depth": [{"budget": 80, "design": "depth"}],
    "depth_plus_random": [{"budget": 120, "design": "depth_plus_random"}],
    "worth": [{"budget": 60, "topic_shares": "worth"}],
    "two rounds": [{"budget": 40}, {"budget": 30}],
    "costs": [{"budget": 180, "costs": COSTS}],
    "drawn topics": [{"budget": 9}],
    "topics drawn twice": [{"budget": 8}, {"budget": 8}],
    "model of drawn topics": [{"budget": 9, "design": "model", "predictions": PREDICTIONS}],
}
FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "csv.gz", "pandas", "polars", "pyarrow", "shuffled", "written")


@cache
def judged_plan(design, share=1.0):
    """The last plan of a design with labels of a share of what it drew; of an end before the end, the first ones."""
    plan, made = None, None
    for settings in DESIGNS[design]:
        plan = poolwise.read(made, CAMPAIGN.runs).plan(seed=3, **{"depth": 12, **settings})
        asked = plan.to_judge()[: round(share * len(plan.to_judge()))]
        made = plan.merge([(topic, document, CAMPAIGN.truth[topic].get(document, 0)) for topic, document in asked])
    return made


def in_format(plan, form, folder):
    """The plan as a file or a table."""
    path = folder / f"plan.{form}"
    if form in ("pandas", "polars", "pyarrow"):
        return plan.to_frame(form)
    if form == "shuffled":
        return plan.to_frame().sample(frac=1, random_state=1)
    if form == "written":
        poolwise.read(plan, CAMPAIGN.runs).judgments.write(path)
        return path
    if form == "csv.gz":
        plan.to_frame().to_csv(path, index=False)
        return path
    plan.write(folder / "plan.txt")
    (folder / "none.csv").write_text("topic,document,label\n")
    topic, document, label = next(
        row for row in zip(plan.topic, plan.document, plan.label, strict=True) if row[2] is not None
    )
    (folder / "one.csv").write_text(f"topic,document,label\n{topic},{document},{label}\n")
    assert main(["merge", str(folder / "plan.txt"), str(folder / "one.csv"), "-o", str(path)]) == 0
    return path


def labels_of(plan):
    """Its labels as rows."""
    rows = zip(plan.topic, plan.document, plan.label, strict=True)
    return [row for row in rows if row[2] is not None]


def numbers(judged, predictions):
    """All that estimates give, and which documents a further round would draw."""
    pool = poolwise.read(judged, CAMPAIGN.runs)
    found = pool.estimate("AP", "nDCG@10", predictions=predictions, difference="all")
    pairs = found.differences
    rows = [row[3:7] for row in found.table_rows(per_topic=True)]
    ends = [pairs.difference, pairs.low, pairs.high, found.mean_low(), found.mean_high()]
    flat = np.array([np.nan if cell is None else cell for row in rows for cell in row if not isinstance(cell, str)])
    later = pool.plan(budget=20, depth=12, seed=9)
    return np.concatenate([flat.astype(float), *map(np.ravel, ends)]), found.topics_in_words(), later


@pytest.mark.parametrize("design", DESIGNS)
def test_estimates_do_not_depend_on_the_format(design, tmp_path, capsys):
    predictions = PREDICTIONS if "model" in design else None
    for share in (1.0, 0.6):
        plan, folder = judged_plan(design, share), tmp_path / str(share)
        folder.mkdir()
        plan.write(folder / "own.txt")
        wanted, topics, later = numbers(folder / "own.txt", predictions)
        if "topics" in design and share == 1.0:
            assert "drawn of 12" in topics
        for form in FORMATS if share == 1.0 else ("csv",):
            given = in_format(plan, form, folder)
            found, words, further = numbers(given, predictions)
            assert words == topics, form
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, err_msg=form)
            assert set(further.to_judge()) == set(later.to_judge()), form
            assert further.header.number == later.header.number, form
            assert further.header.earlier == later.header.earlier == (*plan.header.earlier, plan.header.number)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_plan_of_any_format_becomes_its_own_file_again(design, form, tmp_path, capsys):
    plan = judged_plan(design)
    again = poolwise.merge(in_format(plan, form, tmp_path), labels_of(plan))
    assert again.header == plan.header
    if form not in ("shuffled", "written"):  # which have an order of their own
        assert again.to_text() == plan.to_text()
        if form in ("pandas", "polars", "pyarrow"):
            assert again.cost == plan.cost
    assert sorted(again.to_text().splitlines()) == sorted(plan.to_text().splitlines())


def test_columns_say_the_design_to_people():
    """Every row says it, so that a table may be sorted or cut."""
    plan = judged_plan("topics drawn twice")
    frame = plan.to_frame()
    drawn = {topic for topic, round in zip(plan.topic, plan.round, strict=True) if round}
    assert set(frame["plan"]) == {f"p-{plan.header.number}"}
    assert set(frame["topics_drawn"]) == {len(drawn)}
    assert set(frame["topics_pooled"]) == {12}
    assert set(frame["topic"]) == set(CAMPAIGN.truth)  # also those that were not drawn
    assert set(frame[frame["topic"].isin(drawn)]["rounds"]) == {2}
    for (topic, stratum), rows in frame.groupby(["topic", "stratum"]):
        by_round = [int((rows["round"] == number).sum()) for number in (1, 2)]
        assert set(rows["stratum_pooled"]) == {len(rows)}, (topic, stratum)
        assert set(rows["stratum_drawn"]) == {"+".join(map(str, by_round))}
        assert rows["rate"].iloc[0] == pytest.approx(sum(by_round) / len(rows))
    assert frame["pool_run"].dropna().tolist() == sorted(CAMPAIGN.runs)
    assert "cost" in judged_plan("costs").columns()
    assert set(judged_plan("stratified").columns()["difference"]) == {" less ".join(PAIR[0])}


def test_rows_that_are_lost_from_a_table_are_missed(tmp_path):
    frame = judged_plan("stratified").to_frame()
    with pytest.raises(poolwise.InputError, match="that the plan pooled have no line in the judgments"):
        poolwise.read(frame[frame["round"] > 0], CAMPAIGN.runs).estimate("AP")
    other = frame.assign(plan="p-0000000000000000")
    with pytest.raises(poolwise.InputError, match="two plans are joined in this file"):
        poolwise.read(pandas.concat([frame[:9], other[9:]]), CAMPAIGN.runs).estimate("AP")


def test_other_peoples_columns_of_these_names_are_no_design(tmp_path):
    rows = [(t, d, label, "pilot", "new", 7) for t, own in CAMPAIGN.truth.items() for d, label in own.items()]
    frame = pandas.DataFrame(rows, columns=["topic", "document", "label", "plan", "design", "seed"])
    frame.to_csv(tmp_path / "labels.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (frame, tmp_path / "labels.csv"):
            pool = poolwise.read(given, CAMPAIGN.runs)
            assert pool.judgments.plan is None
            assert pool.score("AP").means().min() > 0


def test_columns_make_plans_of_odd_names(tmp_path):
    """Names of runs with blanks, commas and percents, more of them than documents."""
    runs = {f"a, %b {n}": {"1": {"x": 2.0, "y": 1.0}} for n in range(5)}
    plan = poolwise.read(None, runs).plan(budget=2)
    plan.to_frame().to_csv(tmp_path / "plan.csv", index=False)
    assert poolwise.merge(tmp_path / "plan.csv", [("1", "x", 1)]).header == plan.header
