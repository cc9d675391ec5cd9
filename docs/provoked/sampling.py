"""Samples, plans, estimates, and labels that come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import poolwise as pw
from poolwise.estimates.interim_looks import Look
from provoked.small_campaign import QRELS, RUNS, Case, pool, shell, write


def sample(design: str, **settings: Any) -> Callable[[], Any]:
    return lambda: pool().judgments.sample(design, **settings)


def _own_outside() -> None:
    """Estimate a measure of one's own where a run has documents outside the pool."""
    from poolwise.measures.registry import REGISTRY

    try:
        pool().estimate(pw.measure("Mine")(lambda labels: 0.0))
    finally:
        REGISTRY.pop("Mine", None)


def plan_file(lines: str, labels: Any = (), **options: Any) -> Callable[[], Any]:
    """Merge labels (a file's text, or a table) with a plan of these lines."""

    def provoke() -> None:
        write("plan.txt", lines)
        if isinstance(labels, str):
            write("labels.txt", labels)
        pw.merge("plan.txt", "labels.txt" if isinstance(labels, str) else labels, **options)

    return provoke


def judged_plan(lines: str) -> Callable[[], Any]:
    """Estimate from judgments of these lines."""
    return lambda: (write("judged.txt", lines), pw.read("judged.txt", RUNS).estimate("AP"))


PLAN_LINES = "1 1 a 1 -1\n1 0 b 1 -1\n2 1 d 1 -1\n2 0 a 1 -1\n"


HEADER = "".join(
    f"# poolwise plan {words}\n"
    for words in (
        "format 1", "number 8c1f", "round 1", "design uniform", "seed 0", "depth 3", "run one",
        "stratum 1 1 pooled 3 drawn 1", "stratum 2 1 pooled 2 drawn 1",
    )
)  # fmt: skip


def _sampled_strata() -> pw.Judgments:
    table = {"topic": ["1"] * 4, "document": list("abcd"), "stratum": [1, 1, 2, 2], "label": [1, 0, 1, -1]}
    import pandas

    return pw.read(pandas.DataFrame(table), {"mine": {"1": {"a": 1.0}}}).judgments


def runs_only() -> pw.Campaign:
    return pw.read(None, RUNS)


def twenty_topics() -> pw.Campaign:
    return pw.read(None, {run: {str(topic): {"a": 2.0, "b": 1.0} for topic in range(20)} for run in ("one", "two")})


def half_judged() -> pw.Campaign:
    plan = runs_only().plan(budget=4)
    return pw.read(plan.merge([(topic, document, 1) for topic, document in plan.to_judge() if topic == "1"]), RUNS)


def _gate_half_judged() -> None:
    from poolwise.cli.main import main

    write("one.csv", "topic,document,score\n1,a,3\n1,b,2\n2,d,2\n2,a,1\n")
    pw.read(None, "one.csv").plan(budget=3, depth=2).write("begun.txt")
    drawn = [line.split() for line in Path("begun.txt").read_text().splitlines() if not line.startswith("#")]
    rows = [f"{topic} 0 {document} 1" for topic, round, document, *_ in drawn if topic == "1" and round == "1"]
    write("first.txt", "\n".join(rows) + "\n")
    pw.merge("begun.txt", "first.txt").write("begun.judged.txt")
    main(["gate", "one.csv", "one.csv", "--qrels", "begun.judged.txt"])


def _labels_of_another_plan() -> None:
    plan = twenty_topics().plan(budget=20)
    twenty_topics().plan(budget=20, seed=1).merge([(*pair, 1) for pair in plan.to_judge()], drawn_only=True).write(
        "1.txt"
    )
    plan.merge("1.txt")


def _dear_first_document() -> None:
    """A document that a plan draws first costs more than all of the budget: one of those to judge."""
    pool = pw.read(None, {"one": {str(topic): {f"d{n:02d}": 60.0 - n for n in range(60)} for topic in range(3)}})
    rows = [(topic, document, 1) for topic in pool.topics for document in pool.documents(topic)]
    for dear in pool.plan(budget=30, costs=rows, depth=60).to_judge():
        pool.plan(budget=30, costs=[(*row[:2], 60 if row[:2] == dear else 1) for row in rows], depth=60)


def _looks_at_some_topics() -> None:
    plan = twenty_topics().plan(budget=10)
    judged = plan.merge([(topic, document, 1) for topic, document in plan.to_judge()])
    pw.read(judged, {"one": {str(topic): {"a": 2.0, "b": 1.0} for topic in range(20)}}).estimate(
        "AP", looks=pw.Looks(20)
    )


SECTIONS: dict[str, list[Case]] = {
    "Samples of judgments": [
        Case(sample("half"), "The design is called otherwise."),
        Case(sample("uniform"), "The design cannot do without this setting."),
        Case(sample("uniform", fraction=0.5, edges=[5]), "The setting belongs to another design."),
        Case(sample("uniform", fraction=50), "Fractions are shares."),
        Case(sample("uniform", fraction="half"), "Fractions are numbers."),
        Case(sample("uniform", fraction=0), "Nothing would be left."),
        Case(sample("depth", depth=0), "Depths and budgets count documents, from 1."),
        Case(sample("reduce", fraction=0.5, rel="yes"), "The lowest relevant label is a number."),
        Case(sample("reduce", fraction=0.5, rounding="near"), "Numbers of documents are rounded up or down."),
        Case(sample("stratified", edges=[5, 5]), "Each edge is the last rank of a stratum."),
        Case(sample("stratified", edges=5), "Several values are a list."),
        Case(sample("stratified", edges=[1], depth=2), "Strata are made by edges, or by depth and bands."),
        Case(sample("stratified", edges=[1], rates=[1.0, 0.5], budget=4), "How many to judge is said by rates, or by a budget."),
        Case(sample("stratified", edges=[1], rates=[1.0]), "One rate for each stratum: one more than edges."),
        Case(sample("stratified", edges=[1], budget=4, weights=[1, 1, 1]), "One weight for each stratum, the first may be left out."),
        Case(sample("stratified", edges=[1], budget=4, weights=[1, -1]), "Weights are above 0."),
        Case(sample("stratified", edges=[1], budget=1), "Every topic needs a judgment."),
        Case(lambda: _sampled_strata().sample("stratified", edges=[1], budget=2), "What was sampled in strata cannot be sampled in others."),
        Case(sample("stratified", edges=[1], budget=4, contributing=[]), "The list of contributing runs is empty."),
        Case(sample("pair", runs=["one"]), "A pair is two runs."),
        Case(sample("without", runs=["one"], groups=["a"]), "Groups say which runs belong together."),
        Case(sample("uniform", fraction=0.5, seed=-1), "Seeds are whole numbers from 0, or generators of numpy."),
        Case(lambda: pool().judgments.sample("uniform", fraction=0.5, trial=-1), "Trials are counted from 0."),
        Case(lambda: pool().judgments.samples("uniform", fraction=0.5, trials=0), "Draw at least one sample."),
        Case(lambda: pool().judgments.samples("uniform", fractions=[]), "The list is empty."),
        Case(lambda: pool().judgments.samples("uniform", fractions=[0.1], depths=[5]), "One setting varies at a time."),
        Case(lambda: pw.read(None, RUNS).judgments.sample("uniform", fraction=0.5), "Runs alone have no labels to draw from."),
        Case(lambda: pw.Judgments(pool(), np.zeros(2, dtype=np.int32)), "Labels are given for every listed document of the pool."),
        Case(lambda: pw.Judgments(pool(), np.full(5, 0.5)), "Labels are whole numbers."),
        Case(lambda: pool().judgments.write("out.txt", unjudged=1), "The file would not tell a label from 'not judged'."),
        Case(
            lambda: pw.read({"1": {"a b": 1}}, {"mine": {"1": {"a b": 1.0}}}).judgments.write("out.txt"),
            "Columns of qrels are told apart by blanks; ids of dicts and frames may have them.",
        ),
    ],
    "Plans and estimates": [
        Case(lambda: pool().estimate("AP", runs=[]), "The list is empty."),
        Case(lambda: pool().estimate("AP", runs=["one"], difference=["one", "two"]), "Differences are of runs that are reported."),
        Case(lambda: pool().estimate("AP", looks=300), "Looks are an object, which keeps those there were."),
        Case(lambda: runs_only().plan(), "Say how many labels you can pay for, or how narrow the interval must be."),
        Case(lambda: runs_only().plan(budget=1), "Give every topic a judgment, or enough to draw two topics or more."),
        Case(lambda: twenty_topics().plan(budget=10).to_text(plain=True), "Only its comments, or its columns in a table, say that topics were drawn."),
        Case(lambda: twenty_topics().plan(budget=10, forecast=True), "How wide intervals become depends on how much topics differ, which no label has shown."),
        Case(lambda: runs_only().estimate("AP", judgments=runs_only().plan(budget=2)), "A plan is read with the runs."),
        Case(lambda: pw.compare(half_judged().estimate("AP", difference="all"), "AP", test="judgments"), "Labels came topic by topic; nothing is known of the error while some topics have none."),
        Case(lambda: _gate_half_judged(), "The same at a gate."),
        Case(shell("plan good.txt --budget 2 --columns value=guess"), "There are no predictions whose value could be called so."),
        Case(shell("plan good.txt --budget 2 --columns cost=words"), "There are no costs whose column could be called so."),
        Case(shell("plan good.txt --budget 2 --to-judge -"), "The plan itself goes to standard output."),
        Case(shell("plan good.txt --budget 2 -o todo.csv --to-judge todo.csv"), "One would take the other's place."),
        Case(lambda: pw.read({"1": {"a": 1, "b": -1}, "2": {"c": -1}}, {"one": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}}).plan(budget=1), "Some topics are judged, and nothing says that they were drawn at random."),
        Case(lambda: runs_only().plan(budget=2, design="depth", forecast=True), "A pool judged in full leaves nothing to forecast."),
        Case(lambda: _looks_at_some_topics(), "Bands for looks are for labels of the same topics at every look."),
        Case(lambda: runs_only().plan(budget=2, design="pair"), "Plans are made by one of these designs."),
        Case(lambda: runs_only().plan(budget=2, design="depth"), "Both runs' first documents alone are more than the budget."),
        Case(lambda: pool().plan(budget=2, design="depth"), "Some is judged already, and the design is for a first round."),
        Case(lambda: runs_only().plan(budget=2, measure="infAP"), "Plans are made for measures that can be estimated."),
        Case(lambda: runs_only().plan(budget=2, measure=["AP", "RR"], target_width=0.1), "Plan with one of the measures, or forecast the widths of all (`--forecast`)."),
        Case(lambda: runs_only().plan(budget=2, difference=["one", "one"]), "A difference is between two runs."),
        Case(lambda: pw.read(None, {"one": {"1": {"a": 1.0}}}).plan(budget=1, difference="all"), "A difference is between two runs."),
        Case(lambda: runs_only().plan(target_width=0.05), "Without labels nobody knows how wide an interval will be."),
        Case(lambda: runs_only().plan(budget=2, target_width=0), "Widths are above 0."),
        Case(lambda: runs_only().plan(budget=2, design="uniform", costs={"1": {"a": 1}}), "Costs decide where labels go, which these designs fix."),
        Case(_dear_first_document, "Documents differ so much in cost that chance may draw one that leaves nothing for other topics."),
        Case(lambda: twenty_topics().plan(budget=200, costs=[(str(topic), document, cost) for topic in range(20) for document, cost in (("a", 1), ("b", 100))]), "The same for a budget in units of cost."),
        Case(lambda: runs_only().plan(budget=9, costs={"9": {"a": 1}}), "Costs are of other topics or documents."),
        Case(lambda: runs_only().plan(budget=9, costs={"1": {"a": 0}}), "Nothing is judged for nothing."),
        Case(lambda: runs_only().plan(budget=9, costs=[("1", "a", 2), ("1", "a", 3)]), "A document stands twice in the costs."),
        Case(
            lambda: (write("judged.txt", "1 1 a 1 2\n"), shell("plan good.txt --budget 2 -o judged.txt")()),
            "Labels are not thrown away unasked. The name may be that of an earlier round.",
        ),
        Case(
            lambda: (write("half.txt", "# poolwise plan format 1\n1 1 a 1 yes\n"), shell("plan good.txt --budget 2 -o half.txt")()),
            "A plan with labels that cannot be read is not replaced either.",
        ),
        Case(
            lambda: (write("kept.txt", "SQLite format 3\0"), shell("plan good.txt --budget 2 -o kept.txt")()),
            "What `poolwise judge` keeps is replaced by nothing, also not with --overwrite.",
        ),
        Case(shell("estimate qrels.txt good.txt"), "Say what to estimate."),
        Case(shell("estimate qrels.txt good.txt -m AP -q --difference all --format csv"), "Rows are of one kind."),
        Case(shell("estimate qrels.txt good.txt -m AP --without other"), "The run is called otherwise."),
        Case(shell("estimate qrels.txt good.txt -m AP --without good"), "Nothing is left to estimate."),
        Case(shell("estimate - good.txt qrels.txt -m AP --without good"), "What comes by a pipe is gone once it is read."),
        Case(lambda: pool().estimate(), "Say what to estimate."),
        Case(lambda: pw.Looks(1.5), "Judging ends at a number of labels, a share, or with a plan."),
        Case(lambda: pw.Looks.read("none.json"), "Looks are kept by `looks.write` or `poolwise estimate --looks`."),
        Case(lambda: (write("other.json", "{}"), pw.Looks.read("other.json")), "The file holds something else."),
        Case(lambda: pool().estimate("AP", looks=pw.Looks({("9", 1): 4})), "The plan is of other topics, or has other strata."),
        Case(lambda: pool().estimate("AP", level=0.9, looks=pw.Looks(3, level=0.95)), "A band spends one error over all looks."),
        Case(lambda: pool().estimate("AP", looks=pw.Looks(2)), "Looks end before what is judged already, or judging went on beyond that end."),
        Case(lambda: pool().estimate("AP", looks=pw.Looks(9, (Look(8, 9, {}),))), "These labels are older than those looked at last; a band holds for looks in the order of judging."),
        Case(shell("estimate qrels.txt good.txt -m AP --looks new.json"), "A band needs to know how much will be judged in all."),
        Case(shell("estimate qrels.txt good.txt -m AP --end 30"), "An end without looks has no effect."),
        Case(lambda: pool().estimate("GMAP"), "The measure has no estimate."),
        Case(_own_outside, "No one can tell what other labels would make of a function."),
        Case(lambda: pw.read({"1": {"a": -1}, "2": {"d": -1}}, RUNS).estimate("AP"), "A plan whose last column is not filled in yet."),
        Case(lambda: pool().estimate("P@3", outside="error"), "Documents that nobody pooled are in a run's top; without this option the interval is as wide as they make it."),
        Case(judged_plan(HEADER + "1 1 a 1 1\n2 1 d 1 0\n"), "The lines of documents that were not drawn are gone; without them it is not known which these are."),
        Case(judged_plan("1 1 a 1 1\n2 1 a 1 0\n"), "The same, and the plan's comments are gone, too. Such a file looks like complete judgments."),
        Case(judged_plan(HEADER + "1 1 a 1 1\n1 1 c 1 1\n2 1 d 1 0\n2 1 e 1 0\n2 1 f 1 0\n"), "Lines were added to a judged plan by hand."),
        Case(lambda: pw.read({"1": {"a": 1, "b": -2}, "2": {"d": 1}}, RUNS).estimate("nDCG(negative='keep')"), "Negative gains have no estimate."),
        Case(lambda: pool().estimate("AP", judgments=pw.read(QRELS, RUNS).judgments), "The judgments belong to another pool, even if an equal one."),
        Case(lambda: pool().estimate("AP", difference=["one", "two", "three"]), "A difference is a run, a pair, a list of pairs, or 'all'."),
        Case(lambda: pool().estimate("AP", difference=("one", "three")), "The run is called otherwise."),
        Case(lambda: pool().estimate("AP").array("RR"), "Estimate that measure first."),
        Case(lambda: pool().estimate("AP", predictions=[("9", "z", 1.0)]), "The predictions are about other documents."),
        Case(lambda: (write("p.csv", "topic,document,value\n1,a,\"0.5\n" + "x" * 200_000), pool().estimate("AP", predictions="p.csv")), "A quote that is not closed takes all lines for one cell."),
        Case(lambda: pool().estimate("AP", predictions="none.txt"), "The file of predictions is not there."),
        Case(lambda: (write("words.txt", "1 a\n"), pool().estimate("AP", predictions="words.txt")), "A line of predictions has three words, that of qrels four, that of a run six."),
        Case(lambda: (write("pool.jsonl", '{"query": {"text": "?"}, "candidates": ["text"]}\n'), pool().estimate("AP", predictions="pool.jsonl")), "Texts alone do not say which documents were judged."),
        Case(lambda: pool().estimate("AP", predictions=[("1", "a", 1.0), ("1", "a", 0.5)]), "Two values for one document: decide, or keep the first."),
        Case(lambda: (write("words.txt", "1 a nan\n"), pool().estimate("AP", predictions="words.txt")), "A prediction is a finite number; where there is none, leave it out."),
        Case(lambda: pool().plan(budget=2, predictions={("1", "a"): 0.5}), "Values are given by document within their topic."),
        Case(lambda: pool().estimate("AP", predictions=[("1", "a", "high")]), "A prediction is a number: a label, a probability, any score."),
    ],
    "Items with one number each": [
        Case(lambda: pw.estimate_items([]), "There is nothing in the table."),
        Case(lambda: pw.estimate_items({"item": [1, 2], "score": [1]}), "A column lacks cells."),
        Case(lambda: pw.estimate_items([("a", 1)]), "Rows without names do not say what is a score."),
        Case(lambda: (write("items.json", "[{"), pw.estimate_items("items.json")), "The file breaks off, or is another.", quotes=True),
        Case(lambda: (write("items.csv", "item,score\n1,1,0\n"), pw.estimate_items("items.csv")), "A comma too many; texts with commas stand in quotes."),
        Case(lambda: (write("items.csv", "item,score\n" + "x" * 200_000 + ",1\n"), pw.estimate_items("items.csv")), "A cell is longer than CSV readers take, most often as a quote is not closed.", quotes=True),
        Case(lambda: pw.estimate_items([{"item": 1, "score": None}]), "Nothing is labelled yet."),
        Case(lambda: pw.estimate_items([{"item": 1, "people": 4}]), "The column of scores has another name."),
        Case(lambda: pw.estimate_items([{"system": "a", "score": 1}]), "Systems are compared item by item."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": 1}, {"item": 1, "score": 0}]), "An item has one row, or one per system."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": "good"}]), "Scores and predictions are numbers."),
        Case(lambda: pw.estimate_items([{"item": None, "score": 1}]), "A cell of the column is empty."),
        Case(lambda: pw.estimate_items([{"item": 1, "score": 1, "rate": 1.5}]), "Rates are probabilities."),
        Case(lambda: pw.estimate_items([{"score": 1, "prediction": None}], predictions="prediction"), "The column of predictions is empty."),
        Case(lambda: pw.estimate_items([{"score": 1}], predictions="score"), "Scores tell nothing of items without one."),
        Case(lambda: pw.estimate_items({"answer": 1.0}), "A dict by item is no table."),
        Case(lambda: (write("items.csv", "item,score,score\na,1,5\n"), pw.estimate_items("items.csv")), "Which of the two holds the scores is not known."),
        Case(lambda: (write("items.csv", "item;score\na;1\n"), pw.estimate_items("items.csv")), "Spreadsheets save so in some countries."),
        Case(lambda: pw.estimate_items([{"score": 1}], predictions="gpt"), "No column has this name."),
        Case(lambda: pw.estimate_items([{"score": 1}], predictions=[0.5]), "Predictions stand in the table; their column is named."),
        Case(lambda: pw.estimate_items([{"score": 1}, {"score": 0}], difference="all"), "The table does not name systems, or one only."),
        Case(lambda: pw.estimate_items([{"item": s, "system": s, "score": 1} for s in "ab"], difference="all"), "Items are called differently in the two systems."),
        Case(lambda: pw.estimate_items([{"item": 1, "system": s, "score": 1} for s in "ab"], difference="a"), "A difference has two systems."),
        Case(lambda: pw.estimate_items([{"item": 1, "system": s, "score": 1} for s in "ab"], difference=("a", "a")), "A difference is between two systems."),
        Case(lambda: pw.plan_items([{"item": n, "score": 4 if n < 9 else None} for n in range(50)], width=0.2), "All labels are the same, or hardly an item that both systems have is labelled."),
        Case(lambda: pw.estimate_items([{"score": 1}], scale=5), "A scale has two ends."),
        Case(lambda: pw.estimate_items([{"score": 1}], scale=(5, 1)), "The ends of the scale are the wrong way round."),
        Case(lambda: pw.estimate_items([{"score": 6}], scale=(1, 5)), "A slip of the pen, or another scale."),
        Case(lambda: pw.plan_items([{"item": 1}], budget=1, difference=("a", "b")), "A budget says how many; a width says of what."),
        Case(lambda: pw.plan_items([{"item": 1}]), "Say how many labels you can pay for, or how narrow the interval must be."),
        Case(lambda: pw.plan_items([{"item": 1}], width=0.1), "Without labels nobody knows how far scores spread."),
        Case(lambda: pw.plan_items([{"item": n, "score": n % 2 if n < 50 else None} for n in range(100)], width=0.9), "Nothing more is needed for this width."),
        Case(lambda: pw.plan_items([{"item": 1, "system": s} for s in "abc"], budget=2), "An item is labelled for all systems."),
        Case(shell("items plan qrels.txt --by x"), "The option is of the other verb."),
    ],
    "Labels merged with their plan": [
        Case(shell("merge plan.txt"), "Say where the labels are."),
        Case(shell("merge plan.txt labels.txt --unjudged none"), "A plan must be able to say that a document is not judged."),
        Case(shell("merge plan.txt labels.txt --columns label"), "Columns are given as pairs."),
        Case(plan_file("", []), "The plan is empty."),
        Case(plan_file(PLAN_LINES + "1 0 a 1 -1\n", []), "A line stands twice in the plan."),
        Case(plan_file(HEADER + PLAN_LINES, []), "The plan lost a line, perhaps in an editor."),
        Case(plan_file("# poolwise plan format 2\n" + PLAN_LINES, []), "The plan is newer than the program."),
        Case(plan_file(HEADER.replace("8c1f", "8c20") + HEADER + PLAN_LINES, []), "The file holds two plans."),
        Case(plan_file("# poolwise plan round one\n" + PLAN_LINES, []), "The comments that begin the plan were changed."),
        Case(plan_file(PLAN_LINES, [("1", "b", 1)]), "Somebody judged a document that was not drawn. It was picked by hand, so it cannot speak for others. Or these are complete labels: leave out the rest."),
        Case(plan_file(PLAN_LINES, [("1", "b", 1)], extra=True, drawn_only=True), "The two ask for opposites."),
        Case(plan_file(PLAN_LINES, [("1", "a", 1), ("1", "a", 0)]), "Two assessors disagree."),
        Case(plan_file(PLAN_LINES, [("1", "b", 1)], drawn_only=True), "Labels of other documents were taken for those of this plan."),
        Case(plan_file(PLAN_LINES, [("1", "a", None)]), "The list came back empty, or another file was meant."),
        Case(plan_file("1 0 a 1\n1 0 b 0\n", [("1", "a", 1)]), "Plan and labels were given the wrong way round; a list of labels would be taken for the whole pool."),
        Case(_labels_of_another_plan, "The plan was made anew after the list had been handed out, or the list is of another one. What it names was drawn by other chances."),
        Case(plan_file(PLAN_LINES, [], conflicts="best"), "The choice is called otherwise."),
        Case(plan_file(PLAN_LINES, [], columns={"query": "q"}), "Our columns are called otherwise."),
        Case(plan_file(PLAN_LINES, "1 a\n"), "A line lacks its label."),
        Case(plan_file('[\n{"topic": "1",\n', []), "A list of JSON breaks off, perhaps in an editor.", quotes=True),
        Case(plan_file('[{"topic": "1", "document": "a", "label": 1}, "b"]', []), "A list of JSON holds something else than documents."),
        Case(plan_file(PLAN_LINES, "topic,document,label\n1\n"), "A line of CSV is too short."),
        Case(plan_file(PLAN_LINES, "{\n"), "A line of JSON is cut."),
        Case(plan_file(PLAN_LINES, '{"topic": 1, "document": "a", "label": 1}\n7\n'), "A line of JSON holds something else."),
        Case(plan_file(PLAN_LINES, '{"query": 1, "product": "a", "label": 1}\n'), "The columns are called otherwise than usual."),
        Case(plan_file(PLAN_LINES, [("1", "a")]), "A row lacks its label."),
        Case(plan_file(PLAN_LINES, {"1": 1}), "The dict has no documents."),
        Case(plan_file(PLAN_LINES, [("1", None, 1)]), "A row has no document."),
        Case(plan_file(PLAN_LINES, [("1", "a b", 1)]), "The id cannot be written to a file of judgments."),
        Case(plan_file(PLAN_LINES, [("1", "a", "good")]), "Labels are numbers here: 0 for not relevant, 1 for relevant."),
    ],
}  # fmt: skip
