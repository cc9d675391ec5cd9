"""Studies, simulated campaigns, and wrong command lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import poolwise as pw
from poolwise.cli.main import main
from poolwise.lab.study.protocols import studies_as
from provoked.small_campaign import QRELS, RUNS, Case, pool, shell, write


def _study(**options: Any) -> Any:
    return pw.study.robustness(pool(), **{"measures": ["AP"], "fractions": [0.5], "trials": 1, "seed": 1, **options})


def _break(pattern: str) -> None:
    for path in Path().glob(pattern):
        path.write_bytes(b"broken")


def _images(form: str) -> None:
    from poolwise.show.page import write_images

    write_images([], "figures", [form])


def _study_in(folder: str) -> Any:
    return pw.study.robustness(pool(), measures=["AP"], fractions=[0.5], trials=1, folder=folder)


SECTIONS: dict[str, list[Case]] = {
    "Studies": [
        Case(shell("study none qrels.txt good.txt -o out"), "The study is called otherwise."),
        Case(shell("study robustness qrels.txt -o out"), "A study needs runs; that of negative labels can do without."),
        Case(shell("study reliability qrels.txt good.txt -o out --as B07"), "The paper has no such study."),
        Case(lambda: pw.study.settings_as("B08", "robustness"), "Papers are called by their tags."),
        Case(lambda: studies_as("B08"), "Papers are called by their tags."),
        Case(shell("study negative qrels.txt good.txt -o out --trials 3"), "The option belongs to other studies."),
        Case(shell("study robustness,reliability qrels.txt good.txt -o out --pairs 3"), "The option belongs to other studies."),
        Case(shell("study robustness qrels.txt good.txt -o out --trials few"), "The setting is a number."),
        Case(lambda: (write("groups.txt", "good\n"), main(["study", "reusability", "qrels.txt", "good.txt", "-o", "out", "--groups", "groups.txt"])), "A name stands alone."),
        Case(lambda: (write("groups.txt", "good team automatic\n"), main(["study", "reusability", "qrels.txt", "good.txt", "-o", "out", "--groups", "groups.txt"])), "Each line has two columns: the run, and its group or kind."),
        Case(lambda: (_study_in("here"), _study_in("here")), "A folder with finished work is not emptied unasked."),
        Case(lambda: (os.makedirs("site", exist_ok=True), write("site/index.html", "<p>mine</p>"), pw.report(pool(), "site")), "A page of one's own has a name that a page of the report would have."),
        Case(shell("report qrels.txt good.txt -o full"), "The folder holds the runs themselves."),
        Case(lambda: (_study_in("there"), pw.study.reliability(pool(), measures=["AP"], folder="there")), "A folder holds one study."),
        Case(shell("study robustness qrels.txt good.txt -o out --fractions a,b"), "Fractions are numbers between commas."),
        Case(shell("study robustness qrels.txt good.txt -o out --topics-in 90-95"), "Topics are chosen by names and ranges that there are."),
        Case(lambda: pw.study.on_topics(pool(), []), "Name topics."),
        Case(lambda: pw.study.on_topics(pw.read(QRELS, {"one": {"1": {"a": 1.0}}, "two": {"2": {"a": 1.0}}}), "1"), "Each run has some of the topics chosen."),
        Case(shell("study negative qrels.txt -o out --topics-in 1"), "Without runs, the judgments are taken as they are."),
        Case(lambda: pw.study.robustness(pool(), measures=[]), "Name measures."),
        Case(lambda: pw.study.robustness(pool(), fractions=[2]), "Fractions are shares."),
        Case(lambda: pw.study.robustness(pool(), fractions="some"), "Fractions are numbers."),
        Case(lambda: pw.study.robustness(pool().score("AP")), "A study takes runs and judgments, not scores."),
        Case(lambda: pw.study.robustness(pool(), trials=0), "Draw at least once."),
        Case(lambda: pw.study.robustness(pool(), retrieved=2), "The share of documents is a share."),
        Case(
            lambda: pw.study.robustness(pool(), measures=["AP"], complete_only=["AP"]),
            "Every measure of the study was to keep all labels; name one whose labels are reduced.",
        ),
        Case(lambda: pw.study.robustness(pw.read(QRELS, {"one": RUNS["one"]})), "A study of one run shows nothing."),
        Case(lambda: pw.study.negative(pw.read({"1": {"a": 1, "b": -2}, "2": {"d": 1}}, RUNS), cutoffs=[]), "Name cut-offs."),
        Case(lambda: pw.study.negative(pool()), "There is nothing below 0 to study."),
        Case(lambda: pw.study.decisions(pool(), judged="some"), "The pool is made in one of these ways."),
        Case(lambda: pw.study.estimation(pool(), fractions=[], depths=[]), "Name fractions or depths."),
        Case(lambda: pw.study.reusability(pool(), depth=1, groups=dict.fromkeys(RUNS, "one team")), "Leaving out everyone leaves nothing."),
        Case(lambda: pw.study.reusability(pool(), depth=1, groups={"other": "one team"}), "The groups are of other runs, or these are called otherwise."),
        Case(lambda: pw.study.assessors(pool()), "The study compares the judgments with other labels."),
        Case(lambda: pw.study.assessors(pool(), labels={"judgments": QRELS}), "The name is taken."),
        Case(lambda: pw.study.assessors(pool(), labels={"ann": {"nowhere": {"a": 1}}}), "Labels are of other topics."),
        Case(lambda: (os.makedirs("empty-labels", exist_ok=True), pw.study.assessors(pool(), labels=["empty-labels"])), "The folder of labels is empty."),
        Case(lambda: pw.study.reusability(pool(), depth=9), "Which runs made the pool could not be told from the labels."),
        Case(lambda: _study().to_frame("none"), "The study has other tables."),
        Case(lambda: _study().plot("none"), "The study has other figures."),
        Case(lambda: (_study(folder="kept"), _study(folder="kept", seed=2, resume=True)), "The folder holds a study that was asked for otherwise."),
        Case(lambda: (_study(folder="lost"), _break("lost/units/**/*.json"), _study(folder="lost", resume=True)), "The record of the study is damaged.", quotes=True),
        Case(lambda: (_study(folder="cut"), _break("cut/units/**/*.npz"), _study(folder="cut", resume=True)), "A finished part of the study is damaged.", quotes=True),
        Case(lambda: _images("gif"), "Figures are written in one of these formats."),
    ],
    "Simulated campaigns": [
        Case(lambda: pw.simulate(runs=0), "A number is out of range."),
        Case(lambda: pw.simulate(topics="many"), "Numbers are numbers."),
        Case(lambda: pw.simulate(negative=5), "Shares lie between 0 and 1."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10, contributing="sim01a"), "Contributing runs are a list, or how many."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10, contributing=["none"]), "There is no such run in this campaign."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).run("none"), "There is no such run in this campaign."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("good.txt"), "A file is in the way."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("full"), "Other runs lie where the new ones would."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("."), "Judgments of one's own are not replaced by simulated ones."),
        Case(lambda: pw.simulate(runs=3, topics=2, depth=10).write("out", compression="zip"), "The compression is not known."),
    ],
    "On the command line": [
        Case(shell("holes qrels.txt good.txt --seed 1 --seed 2"), "An option that counts once stands twice; the last does not win unseen."),
        Case(shell("scores qrels.txt good.txt"), "The command is called otherwise."),
        Case(shell("score"), "An argument is missing."),
        Case(shell("reliability"), "An argument is missing."),
        Case(shell("reliability a.csv b.csv"), "There is an argument too many."),
        Case(shell("trec_eval qrels.txt"), "trec_eval takes two files."),
        Case(shell("trec_eval -m ndgc qrels.txt good.txt"), "trec_eval has no such measure."),
        Case(shell("trec_eval -m P. qrels.txt good.txt"), "A point announces numbers."),
        Case(shell("trec_eval -m P.5,5 qrels.txt good.txt"), "A cut-off is given twice."),
        Case(shell("trec_eval -m P.0 qrels.txt good.txt"), "A cut-off is a whole number from 1."),
        Case(shell("trec_eval -m iprec_at_recall.a qrels.txt good.txt"), "A point of recall is a number."),
        Case(shell("trec_eval -m utility.1,2 qrels.txt good.txt"), "A number is missing."),
        Case(shell("trec_eval -R prefs qrels.txt good.txt"), "Preferences are not here."),
        Case(shell("trec_eval -D 1.none qrels.txt good.txt"), "The topic is in none of the files, or in one alone."),
        Case(lambda: (os.mkdir("two"), write("two/a.txt", "1 Q0 a 1 1 x\n"), write("two/b.txt", "1 Q0 a 1 1 x\n"), main(["trec_eval", "qrels.txt", "two"])), "The second file is one run, no folder."),
        Case(shell("trec_eval -Z none.txt qrels.txt good.txt"), "The file of means is not there."),
        Case(lambda: (write("z.txt", "1 map 0.5\n"), main(["trec_eval", "-Z", "z.txt", "qrels.txt", "good.txt"])), "A number is missing in a line."),
        Case(shell("simulate --runs 3"), "An option that the command cannot do without is missing."),
        Case(shell("plan --budget 5 -o plan.txt"), "Arguments are missing: the runs."),
        Case(shell("score qrels.txt"), "No run is named."),
        Case(shell("score qrels.txt good.txt --metric AP"), "The option is called otherwise."),
        Case(shell("score qrels.txt good.txt -m"), "The option needs a value."),
        Case(shell("score qrels.txt good.txt --per-topic=yes"), "The option needs no value."),
        Case(shell("score qrels.txt good.txt --threads two"), "The value is of another kind."),
        Case(shell("score qrels.txt good.txt --format xml"), "The value is not among the choices."),
        Case(shell("score qrels.txt good.txt --format parquet"), "Parquet is not for terminals."),
        Case(shell("score qrels.txt good.txt -o scores.xlsx"), "The ending of a file says its format; `--format` says it whatever the ending."),
        Case(shell("score qrels.txt good.txt --unjudged some"), "The value is neither a label nor one of the two words."),
        Case(shell("score qrels.txt --runs-from none.txt"), "The list of runs is not there."),
        Case(shell("score qrels.txt good.txt --plugin mine"), "A measure is told by its module and its name."),
        Case(shell("score qrels.txt good.txt --plugin none:thing"), "The module of one's own measure is not found from here."),
        Case(shell("score qrels.txt good.txt --plugin poolwise:read"), "The name is there but is no measure."),
        Case(shell("sample qrels.txt good.txt --design stratified --edges a,b -o out.txt"), "Edges are numbers between commas."),
        Case(lambda: (write("names.txt", "none\n"), shell("sample qrels.txt good.txt --design depth --depth 1 --contributing names.txt -o out.txt")()), "A line names no run."),
        Case(lambda: (write("names.txt", "\n"), shell("sample qrels.txt good.txt --design depth --depth 1 --contributing names.txt -o out.txt")()), "The list of contributing runs is empty."),
        Case(shell("sample qrels.txt good.txt --design depth --depth 1 --contributing none.txt -o out.txt"), "The list is not there."),
        Case(lambda: (write("groups.txt", "one\n"), shell("sample qrels.txt good.txt --design without --without good --groups groups.txt -o out.txt")()), "Every line names a run and its group."),
    ],
}  # fmt: skip
