"""Comparisons, agreement, power, and gains and discounts."""

from __future__ import annotations

from typing import Any

import numpy as np

import poolwise as pw
from poolwise.cli.main import main
from provoked.small_campaign import QRELS, RUNS, Case, pool, scores, shell, write

TABLE = np.random.default_rng(1).random((4, 12))


def _three() -> pw.Campaign:
    return pw.read(QRELS, RUNS | {"three": RUNS["two"]})


def _short() -> Any:
    """Scores of two runs, one of which lacks a topic that is left out."""
    return pw.read(QRELS, {"one": RUNS["one"], "two": {"1": {"a": 1.0}}}).score("AP", missing="skip")


def _optimal() -> Any:
    return pw.optimal_discount(pool(), cutoff=2)


def _planning() -> Any:
    from poolwise.trust import topics_needed as planning

    return planning


def _decisions() -> Any:
    from importlib import import_module

    return import_module("poolwise.comparisons.decisions")


def _labels(**given: Any) -> Any:
    from poolwise.trust.label_agreement import agreement_of
    from poolwise.trust.label_sheet import label_sheet

    return agreement_of(label_sheet(given))


def _effect(label: float | None) -> Any:
    """A model that labels a document so, or nothing at all."""
    from poolwise.campaign.model_effect import effect_of_model

    found = _labels(ann=_two_labels(), bob=_two_labels(), model=[("1", "a", label, 1)])
    settings = {"measure": "AP", "by": "first", "level": 0.95, "seed": 0}
    return effect_of_model(found, [RUNS], model="model", **settings)


def _two_labels() -> list[Any]:
    return [("1", "a", 1.0, 1), ("1", "b", 0.0, 1)]


def _gate(baseline: Any, candidate: Any, margin: float = 0.1, alpha: float = 0.05) -> Any:
    from poolwise.comparisons.non_inferiority import gate

    return gate(baseline, candidate, margin=margin, alpha=alpha)


def _overlap(a: Any, b: Any) -> Any:
    from poolwise.trust.rank_correlation import rank_biased_overlap

    return rank_biased_overlap(a, b)


SECTIONS: dict[str, list[Case]] = {
    "Comparisons and reliability": [
        Case(lambda: pw.compare(scores(), "AP", test="judgments"), "This test is of estimates, not of scores."),
        Case(lambda: pw.compare(_three().estimate("AP", difference=("one", "two")), "AP", test="judgments"), "Only some differences were estimated."),
        Case(lambda: pool().compare("AP", predictions=[("1", "a", 1.0)]), "Predictions help to estimate; scores have no use for them."),
        Case(shell("compare qrels.txt good.txt -m AP --predictions qrels.txt"), "The same on the command line."),
        Case(lambda: pw.compare(pool().score("GMAP"), "GMAP"), "Tests compare arithmetic means; this measure takes another."),
        Case(lambda: pw.compare(scores(), "AP", test="f"), "The test is called otherwise."),
        Case(lambda: pw.compare(scores(), "AP", alpha=5), "Levels are shares: 0.05."),
        Case(lambda: pw.compare(scores(), "AP", resamples=0), "Resamples are counted from 1."),
        Case(lambda: pw.compare(scores(), "AP", baseline="three"), "The baseline is not among the runs."),
        Case(lambda: pw.compare(scores(), "RR"), "Score by that measure first."),
        Case(lambda: pw.compare(scores("AP", "RR")), "Several measures were scored: say which to compare."),
        Case(lambda: pw.compare(pw.read(QRELS, {"one": RUNS["one"]}).score("AP"), "AP"), "One run, or one topic, cannot be compared."),
        Case(lambda: pw.compare([1.0, 2.0]), "An array of scores is runs x topics."),
        Case(lambda: pw.compare("scores.csv"), "Give scores, not a path."),
        Case(lambda: pw.compare([[1.0, float("nan")], [1.0, 2.0]]), "Paired tests need all scores."),
        Case(lambda: pw.reliability(TABLE[:1]), "One run, or one topic, has no variance."),
        Case(lambda: pw.reliability(TABLE, missing="skip"), "What is missing is an error, or leaves topics or runs out."),
        Case(lambda: pw.reliability(TABLE, resamples=0), "Resamples are counted from 1."),
        Case(lambda: pw.reliability(TABLE, top=1), "At least two systems, at most all."),
        Case(lambda: pw.reliability(np.where(TABLE[0, 0] == TABLE, np.inf, TABLE)), "A score is infinite."),
        Case(lambda: pw.reliability(np.where(TABLE[0, 0] == TABLE, np.nan, TABLE)), "A score is missing."),
        Case(lambda: (write("gaps.csv", "topic,a,b\n1,0.5,0.4\n2,,0.4\n"), main(["reliability", "gaps.csv"])), "The same on the command line."),
        Case(lambda: pw.reliability([[0.1, np.nan, np.nan], [0.2, 0.3, 0.1]], missing="unbalanced"), "Too much is missing."),
        Case(lambda: pw.reliability(TABLE).topics_for(), "Say which coefficient, and how high."),
        Case(lambda: pw.reliability(TABLE).topics_for(phi=95), "Phi and E rho^2 lie between 0 and 1."),
        Case(lambda: pw.reliability(TABLE).phi(0), "A mean is over at least one topic."),
        Case(lambda: pw.topics_needed(TABLE, difference=0), "Without a difference there is nothing to find."),
        Case(lambda: pw.topics_needed(TABLE, difference=0.1, power=0.01), "The power is a share above alpha."),
        Case(lambda: pw.topics_needed(TABLE, difference=1e-9), "The difference is too small to be found."),
        Case(lambda: pw.topics_needed(TABLE[:1], difference=0.1), "Variance needs two runs and two topics."),
        Case(lambda: pw.topics_needed(np.ones((2, 3)), difference=0.1), "All differences are equal."),
        Case(lambda: pw.topics_needed(scores(), "AP", runs=["one", "three"], difference=0.1), "The run is called otherwise."),
        Case(lambda: _planning().topics_for_paired_t(0.1, 0.0), "A spread is above 0."),
        Case(lambda: _planning().topics_for_anova(0.1, 0.1, runs=1), "An analysis of variance needs two runs."),
    ],
    "Agreement, power, decisions, error rates": [
        Case(lambda: pw.agreement([0.1], [0.2]), "A ranking of one run is no ranking."),
        Case(lambda: pw.agreement(["a", "b"], ["a", "b"]), "Rankings are compared by the means of runs, not by names."),
        Case(lambda: pw.agreement([0.1, float("nan")], [0.1, 0.2]), "A mean is missing."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2, 0.3]), "The rankings have different runs."),
        Case(lambda: pw.agreement(scores(), pw.read(QRELS, {"one": RUNS["one"], "three": RUNS["two"]}).score("AP")), "A run is called otherwise in the second ranking."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], resamples=-1), "Resamples are counted from 0."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], resamples=10), "Intervals come from resampling topics, so scores per topic are needed."),
        Case(lambda: pw.agreement(TABLE, TABLE[:, :5], resamples=10), "The two sides have different topics."),
        Case(lambda: pw.agreement(_short(), _short(), resamples=10), "Topics that a run lacks were left out of its mean, so there is nothing to resample."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], persistence=2), "The persistence of rank-biased overlap is a share."),
        Case(lambda: pw.agreement([0.1, 0.2], [0.1, 0.2], ties="c"), "Ties count in one of two ways."),
        Case(lambda: _overlap([0.1, float("nan")], [0.1, 0.2]), "One ranking leaves out more runs than the other."),
        Case(lambda: pw.knee([0.1, 0.2], [0.9]), "A curve has one value for each fraction."),
        Case(lambda: pw.discriminative_power(TABLE, top=9), "At least two runs, at most all."),
        Case(lambda: pw.discriminative_power(TABLE, alpha=0.001, resamples=100), "So few resamples cannot reach so small a level."),
        Case(lambda: pw.discriminative_power(TABLE[:1]), "Pairs need two runs, and topics."),
        Case(lambda: _labels(ann=[]), "Agreement is of several assessors."),
        Case(lambda: (write("nobody.txt", ""), pw.label_agreement(["qrels.txt", "nobody.txt"])), "A file holds no labels."),
        Case(lambda: pw.label_agreement(["qrels.txt", "folder/../qrels.txt"]), "Assessors are called by their files."),
        Case(lambda: pw.label_agreement(None), "Labels are those of two assessors or more."),
        Case(lambda: pw.label_agreement({"ann": QRELS, "bob": QRELS}, rel="high"), "The lowest relevant label is a number."),
        Case(lambda: _labels(ann=[("1", "a", 1, 1), ("1", "a", 0, 1)], ben=[]), "An assessor says one thing of a document."),
        Case(lambda: _labels(ann=[("1", "a", 1, 1)], ben=[("1", "b", 1, 1)]), "There is nothing that both judged."),
        Case(lambda: pw.label_agreement({"ann": [("1", "a", "high")], "ben": [("1", "a", 1)]}), "Labels are numbers, with a decimal point or without."),
        Case(lambda: pw.agreement(QRELS, QRELS), "Labels are compared by label_agreement."),
        Case(lambda: _labels(ann=_two_labels(), ben=_two_labels()).of("tau"), "There is no such coefficient."),
        Case(shell("gate good.txt good.txt"), "Runs are scored by judgments."),
        Case(shell("holes qrels.txt good.txt -m P.2,3 --settle good other"), "What settles two runs by one measure may not by another."),
        Case(lambda: (write("drawn.txt", "1 0 a 1\n1 0 b -1\n2 0 d 1\n"), write("kept.csv", "run,measure,topic,value\nold,nDCG@10,1,0.5\nold,nDCG@10,2,0.4\n"), main(["gate", "kept.csv", "good.txt", "--qrels", "drawn.txt"])), "With sampled labels a gate estimates the difference of two runs."),
        Case(lambda: main(["gate", "good.txt", "good.txt", "--qrels", "drawn.txt", "--keep", "next.csv"]), "Scores that were estimated are not kept for next time; the run is."),
        Case(lambda: pw.topic_groups(scores(), {"9": "easy"}), "The groups are of other topics, or these are called otherwise."),
        Case(lambda: pw.topic_groups(scores(), None), "Groups are given by topic."),
        Case(lambda: (write("groups.txt", "1 easy\n2 hard\n"), main(["estimate", "qrels.txt", "folder/good.txt", "-m", "AP", "--groups", "groups.txt", "--steadied"])), "The option shows something else than groups."),
        Case(lambda: (write("groups.txt", "1 easy\n2 hard\n"), main(["score", "qrels.txt", "folder/good.txt", "--stream", "--groups", "groups.txt"])), "Means that are streamed leave topics behind."),
        Case(lambda: main(["score", "qrels.txt", "good.txt", "nDCG@10"]), "Measures follow -m; other words are files."),
        Case(lambda: pool().holes("Judged@2"), "Unjudged documents are what this measure counts, or it leaves them out."),
        Case(lambda: pool().holes("P@2", groups=["team"]), "Groups are given by run."),
        Case(lambda: pool().holes("P@2", groups={"three": "team"}), "The groups are of other runs, or these are called otherwise."),
        Case(lambda: pool().holes("P@2").settle("one", "one"), "A comparison takes two runs."),
        Case(shell("holes qrels.txt good.txt --budget 0 --plan plan.txt"), "A budget is a number of documents to judge."),
        Case(shell("holes qrels.txt good.txt --plan plan.txt"), "A plan lists documents, and nothing says which."),
        Case(shell("holes qrels.txt good.txt --budget 10"), "What is drawn must be written somewhere."),
        Case(shell("gate folder/good.txt full/runs --qrels qrels.txt --keep last.txt"), "Scores are kept as a table."),
        Case(lambda: (write("both.csv", "topic,a,b\n1,0.5,0.4\n2,0.5,0.4\n"), main(["gate", "both.csv", "both.csv"])), "Each side is one run."),
        Case(lambda: (write("one.csv", "run,measure,topic,value\na,AP,1,0.5\na,AP,2,0.4\n"), main(["gate", "one.csv", "one.csv"])), "The scores that were kept are by another measure."),
        Case(shell("agreement"), "Say where the labels are."),
        Case(shell("agreement qrels.txt qrels.txt --rel high"), "Thresholds are labels, for all or for one assessor."),
        Case(shell("agreement qrels.txt qrels.txt --model qrels"), "Whether a model favours runs can be said of runs only."),
        Case(shell("agreement qrels.txt qrels.txt -m AP"), "Measures score runs, and none are given."),
        Case(shell("agreement qrels.txt qrels.txt --by mean"), "Labels are combined where they are written, or where runs are scored."),
        Case(lambda: _effect(1.5), "Scores need whole labels; a decimal label is a prediction."),
        Case(lambda: _effect(None), "None of the documents that people judged has a label of the model."),
        Case(shell("agreement qrels.txt qrels.txt --unjudged negative"), "One label can mean that a document is not judged."),
        Case(lambda: _gate([0.1, 0.2], [0.1]), "The scores of a gate are paired by topic."),
        Case(lambda: _gate([0.1], [0.1]), "One topic says nothing of others."),
        Case(lambda: _gate([0.1, 0.2], [0.1, 0.2], margin=-1), "A margin is how much worse is still good enough."),
        Case(lambda: _gate([0.1, 0.2], [0.1, 0.2], alpha=0.6), "The error of a one-sided test is below a half."),
        Case(lambda: _gate([0.1, 0.2], [0.1, float("nan")]), "A gate needs a score on every topic."),
        Case(lambda: (write("gap.csv", "run,measure,topic,value\na,nDCG@10,1,0.5\na,nDCG@10,2,\n"), main(["gate", "gap.csv", "gap.csv"])), "The same of scores that were kept."),
        Case(lambda: pw.decisions(TABLE, TABLE[:, :5]), "Complete and sampled scores are of the same runs and topics."),
        Case(lambda: pw.decisions(TABLE[:1], TABLE[:1]), "Decisions are about pairs of runs."),
        Case(lambda: pw.decisions(TABLE, TABLE, pairs=0), "Look at one pair at least."),
        Case(lambda: _decisions().confusion([0.1], [0.1, 0.2]), "The p values are of different pairs."),
        Case(lambda: pw.error_rates(TABLE, draws=0), "Draw at least once."),
        Case(lambda: pw.error_rates(TABLE, tolerance=2), "The tolerance is a share."),
        Case(lambda: pw.error_rates(TABLE[:1]), "Swaps need two runs."),
        Case(lambda: pw.error_rates(TABLE, sizes=[99]), "A set of topics cannot hold more than there are."),
        Case(lambda: pw.error_rates(TABLE, sizes=[]), "The list is empty."),
        Case(lambda: pw.rank_biased_overlap(["a", "b"], ["b", "a"]), "Rankings are given by the means of runs, not by names."),
        Case(lambda: pw.compare(TABLE, baseline=0), "Runs are called by name; those of an array by number, as texts from '1' on."),
    ],
    "Best gains and discounts": [
        Case(lambda: pw.optimal_discount(pool(), cutoff=0), "Cut-offs are counted from 1."),
        Case(lambda: pw.optimal_discount(pw.read(QRELS, {"one": RUNS["one"]}), cutoff=2), "One run has nothing to be told apart from."),
        Case(lambda: pw.optimal_discount(pool(), cutoff=2, gain="cubic"), "The gain is called otherwise."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, discount="cubic"), "The discount is called otherwise."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=3, discount=[1.0]), "A list of discounts has one number for each rank."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, discount=[0.0, 0.0]), "Discounts that are all 0 count nothing."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, negative="some"), "Negative gains count in one of these ways."),
        Case(lambda: pw.optimal_both([pool(), pool()], cutoff=[2, 2, 2]), "One cut-off for all pools, or one for each."),
        Case(lambda: pw.optimal_gain(pool(), cutoff=2, splits=-1), "Splits are counted from 0."),
        Case(lambda: _optimal().to_frame(table="none"), "The result has other tables."),
        Case(lambda: _optimal().topics_for(phi=95), "Phi lies between 0 and 1."),
        Case(lambda: pw.optimal_discount(pw.read({"1": {"a": 0, "z": 1}, "2": {"a": 0, "z": 1}}, RUNS), cutoff=2), "Nothing relevant is retrieved: there is nothing to weigh."),
    ],
}  # fmt: skip
