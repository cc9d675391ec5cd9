"""The items of the five papers (formulas, protocols, tables, figures, claims), and the command that makes each.

Status: `present`; `no data`, where the command is there but not the paper's data; `otherwise`, where we differ on
purpose and say why.
"""

from __future__ import annotations

from typing import NamedTuple

PRESENT, NO_DATA, OTHERWISE = "present", "no data", "otherwise"
B_ROB, B_DEC = "study robustness --as B07", "study decisions --as B07"
S_ROB, S_DIS = "study robustness --as S07", "study discrimination --as S07"
Y_EST, K_GD, G_NEG = "study estimation --as Y08", "study gain-discount --as K09", "study negative --as G20"


class Item(NamedTuple):
    """An item of a paper: what it is, what the paper prints, the command, and what is to be said of it."""

    name: str
    what: str
    printed: str
    command: str
    status: str = PRESENT
    remark: str = ""

    @property
    def paper(self) -> str:
        """The paper it is of, by the first letter."""
        return {"B": "B07", "Y": "Y08", "S": "S07", "K": "K09", "G": "G20"}[self.name[0]]


ITEMS = [
    Item("B1", "bpref", "formula", "score -m bpref"),
    Item("B2", "infAP and its epsilon", "formula", "score -m infAP"),
    Item("B3", "NDCG to rank 1000, binary and graded", "formula", "score -m nDCG"),
    Item("B4", "unjudged documents ignored, or irrelevant", "both said", B_ROB, PRESENT, "nDCG' and nDCG, both shown"),
    Item("B5", "bpref needs 1 relevant and 10 others", "section 4", "sample --design reduce"),
    Item("B6", "table 1: properties of collections", "table lost", B_ROB, PRESENT,
         "sizes are those that the tracks publish; groups where a list of them is at hand"),
    Item("B7", "runs with 95 % of the most documents", "section 5", B_ROB),
    Item("B8", "f-qrels, nested, rounded up", "section 4", "sample --design reduce --rounding up", PRESENT,
         'its "min" is read as max, as its words mean'),
    Item("B9", "17 levels of labels", "section 5", B_ROB),
    Item("B10", "Kendall's tau, ties", "section 4.1", B_ROB),
    Item("B11", "thresholds .9 (equivalent) and .8 (noticeable)", "section 5.1", B_ROB),
    Item("B12", "figure 1, TREC-8: tau of NDCG as high as .9 at 40 %", "0.9", B_ROB),
    Item("B13", "figure 1, TREC-12", "figure", B_ROB, PRESENT, "17 of its runs"),
    Item("B14", "figure 1, TREC-10 and TREC-14", "figure", B_ROB, NO_DATA, "their runs are not at hand"),
    Item("B15", "(1) infAP > bpref in tau", "everywhere", B_ROB),
    Item("B16", "(2) NDCG has the highest tau at most levels", "most", B_ROB),
    Item("B17", "tau of NDCG above .5 below 5 %", "> .5", B_ROB),
    Item("B18", "table 3: knees, the lowest level where tau exceeds .9; NDCG's is lowest", "table lost", B_ROB),
    Item("B19", "Wilcoxon's signed rank test, p < .05", "section 4.2", "compare --test wilcoxon"),
    Item("B20", "pools of pairs, 300 random pairs", "section 5.2", B_DEC),
    Item("B21", "table 2: confusion and names of errors", "table", B_DEC),
    Item("B22", "accuracy, TP, P, g-mean", "formulas lost", B_DEC),
    Item("B23", "figure 2: accuracy and g-mean, TREC-8", "figure", B_DEC),
    Item("B24", "figure 2, TREC-12", "figure", B_DEC),
    Item("B25", "table 4: confusion at .3, C22 far above C11", "numbers lost", B_DEC),
    Item("B26", "table 5: knees of accuracy", "table lost", B_DEC),
    Item("B27", "accuracy of NDCG above .9 below 5 %", "> .9", B_DEC),
    Item("B28", "NDCG at least as accurate as infAP everywhere", "all levels", B_DEC),
    Item("B29", "bpref more accurate than infAP on TREC-8", "by little", B_DEC),
    Item("B30", "NDCG has fewer false positives", "lower", B_DEC),
    Item("B31", "g-mean of NDCG as good as infAP's", "as good", B_DEC),
    Item("B32", "figure 3: binary against graded NDCG, weights 2, 10, 100", "about .01", B_ROB),
    Item("B33", "the same for accuracy", "not significant", B_DEC),
    Item("B34", "TREC-14 data", "2004 / 1441 / 27813 labels", B_ROB, NO_DATA, "runs and labels are not at hand"),
    Item("Y1", "the random experiment, infAP", "section 2", "score -m infAP"),
    Item("Y2", "variance, first component", "section 2", "score --interval judgments", PRESENT,
         "its / r without a square is a slip"),
    Item("Y3", "variance, second component", "appendix", "score --interval judgments", PRESENT,
         "the factor pooled / (k - 1), dropped in print, is put back"),
    Item("Y4", "dependent precisions", "appendix", Y_EST + " --precisions dependent"),
    Item("Y5", "variance of the mean, normal interval", "section 2", "score --interval judgments"),
    Item("Y6", "figure 1: mean infAP with bars at 10, 20, 30 %", "figure", Y_EST),
    Item("Y7", "the greatest majority of 95 % intervals cover", "most", Y_EST),
    Item("Y8", "Kolmogorov-Smirnov test over 100 trials keeps 90 %", "90 %", Y_EST),
    Item("Y9", "TREC 9 and 10", "the same there", Y_EST, NO_DATA, "their runs are not at hand"),
    Item("Y10", "xinfAP with smoothing, any strata", "section 3", "score -m xinfAP"),
    Item("Y11", "xinfAP is AP with all labels, infAP with one stratum", "identities", "score -m xinfAP"),
    Item("Y12", "depth-k pool and as many at random", "23.1, 12.7, 3.5 %", Y_EST),
    Item("Y13", "ten depths from 1 to 50", "section 3.1", Y_EST),
    Item("Y14", "only contributing runs make the pool", "not listed", Y_EST + " --contributing FILE"),
    Item("Y15", "figure 2: seen and unseen runs at depth 10, 5, 1; robust", "figure", Y_EST),
    Item("Y16", "xinfAP is unbiased", "unbiased", Y_EST),
    Item("Y17", "figure 3: tau, rho, RMS at equal effort; xinfAP best", "all levels", Y_EST),
    Item("Y18", "comparable with the method of Aslam et al.", "omitted", Y_EST),
    Item("Y19", "ideal list from estimated counts", "section 4.1", "score -m infNDCG", PRESENT, "its N is N_s"),
    Item("Y20", "DCG by strata, ratio of expectations", "section 4.2", "score -m infNDCG"),
    Item("Y21", "nDCG as trec_eval has it", "section 4", "score -m nDCG"),
    Item("Y22", "four strata, 3 : 1.5 : 1", "section 5", Y_EST, PRESENT, "bands of equal size, which it leaves open"),
    Item("Y23", "figure 4: xinfAP and infNDCG against infAP and nDCG", "all levels", Y_EST),
    Item("Y24", "high RMS of nDCG, which does not estimate", "high", Y_EST),
    Item("Y25", "more strata deviate more, by smoothing", "may", Y_EST),
    Item("Y26", "optimal strata, labels for a width (future work)", "-", "plan --pilot FILE --target-width W"),
    Item("S1", "bpref, _R, _N and the buggy one (eq. 1, 9-11)", "formulas", "score -m bpref_R"),
    Item("S2", "rpref_N, rpref_relative (eq. 2-8, 15-17)", "formulas", "score -m rpref_N"),
    Item("S3", "relative and relative2 variants (eq. 18-20)", "formulas", "score -m rpref_relative2"),
    Item("S4", "Q (eq. 21)", "formula", "score -m Q"),
    Item("S5", "nDCG with a = 2, l = 1000 (eq. 22)", "formula", S_ROB),
    Item("S6", "condensed lists", "section 2", "score -m \"Q'\""),
    Item("S7", "gains 3, 2, 1", "section 5", S_ROB),
    Item("S8", "table 1: documents by grade", "NTCIR", S_ROB),
    Item("S9", "NTCIR data", "-", S_ROB, NO_DATA, "only organisers and participants have runs and labels"),
    Item("S10", "the 30 best runs by AP", "section 5", S_ROB),
    Item("S11", "tau significant above .34 (alpha .01, 30 runs)", ".34", S_ROB, PRESENT, "exactly .333"),
    Item("S12", "labels reduced to 90 ... 10 %, truncated", "section 6", S_ROB),
    Item("S13", "figure 1: plain measures fall with labels, condensed do not", "figure", S_ROB),
    Item("S14", "table 2: tau between ten measures", "NTCIR", S_ROB),
    Item("S15", "bpref_R is less like AP than AP' is", ".885 < .963", S_ROB),
    Item("S16", "bpref_N and rpref_N agree little with AP", ".48", S_ROB),
    Item("S17", "figure 2 (i): condensed lists at least as robust as bpref_R", ".66 and .42", S_ROB),
    Item("S18", "(ii) Q, nDCG more robust than AP, as good as bpref_R", ".41, .21", S_ROB),
    Item("S19", "bootstrap test, B = 1000, ASL", "section 7", S_DIS),
    Item("S20", "table 3: power; all but bpref_N, rpref_N above bpref", "NTCIR", S_DIS),
    Item("S21", "table 3: difference required", ".09 to .16", S_DIS),
    Item("S22", "figure 3 (i'): few labels, condensed above bpref_R", "over .20, .10", S_DIS),
    Item("S23", "(ii'): few labels, bpref_R, Q, nDCG above AP", "figure", S_DIS),
    Item("S24", "graded relevance boosts robustness", "explanation", S_ROB),
    Item("S25", "the bootstrap agrees with the swap method", "very well", S_DIS),
    Item("S26", "table 3's 232 / 435", "51.5 %", S_DIS, PRESENT, "a slip: 232 / 435 is 53.3 %"),
    Item("K1", "variance components", "section 2", "reliability"),
    Item("K2", "E rho^2 and Phi for any number of topics (eq. 1, 2)", "formulas", "reliability"),
    Item("K3", "weights as probabilities, gain(0) = 0, monotone, n = 1", "section 3", K_GD),
    Item("K4", "sequential quadratic programming", "fmincon", K_GD),
    Item("K5", "minimax over objectives", "fminimax", K_GD),
    Item("K6", "TREC 9, 10 (105, 97 systems), TREC 12 (78)", "-", K_GD, NO_DATA, "17 runs of TREC 12 are"),
    Item("K7", "figure 2: optimal discounts less steep", "least steep", K_GD),
    Item("K8", "figure 3: without the constraint, at 20", "not monotone", K_GD),
    Item("K9", "log2 is nearest to the optimum", "log2", K_GD),
    Item("K10", "figure 4: Phi against queries, TREC 12", "about .90, zipf .80", K_GD),
    Item("K11", "table 1: queries for .95", "table lost", K_GD),
    Item("K12", "table 2: ratios of gains at 3 to 200", "TREC 12 at 100: 1", K_GD),
    Item("K13", "figure 5: highly relevant ones nearly absent deep", "figure", K_GD),
    Item("K14", "table 3: queries by gain", "TREC 9, 10 the same", K_GD),
    Item("K15", "the discount matters more than the gain", "yes", K_GD),
    Item("K16", "figure 6: the joint optimum near the separate ones", "close", K_GD),
    Item("K17", "figure 7, table 4: tau and RMS between discounts", ".8149 .8828 1 .8581", K_GD),
    Item("K18", "figure 8: optimal gain against exp, top 6-7 the same", "TREC 12 .94", K_GD),
    Item("K19", "figure 9: the optimum is the most discriminative", "best", K_GD),
    Item("K20", "both coefficients decrease with topics", "section 2", "reliability", PRESENT, "a slip: they rise"),
    Item("K21", "held-out topics and runs", "not tested", K_GD, PRESENT, "not in the paper"),
    Item("G1", "table 1: ratios of labels", "30 values", "study negative QRELS"),
    Item("G2", "NDCG_org, NDCG_0, NDCG_min", "formulas", "score -m \"nDCG(negative='minmax')@20\""),
    Item("G3", "a bound above 1 when DCG and IDCG are negative", "> 1 possible", "study negative QRELS", OTHERWISE,
         "a document of gain 0 is always to be had, so the best ranking is never below 0"),
    Item("G4", "NDCG_min linear in NDCG_org within a topic, in [0, 1]", "section 3", G_NEG),
    Item("G5", "table 2a: topics that can fall below 0", "100, 94, 96, 74, 70 %", "study negative QRELS"),
    Item("G6", "table 2a: topics that can fall to -1", "44, 68, 8, 18, 12 %", "study negative QRELS", PRESENT,
         "two readings found by search give it; which the authors took is open"),
    Item("G7", "the code's discount", "release 1.0.0", G_NEG + "-release", PRESENT,
         "1, 1 / ln 2, 1 / ln 3 in release 1.0.0; 1, 1, 1 / log2(3) since 2020-11-10"),
    Item("G8", "the code's protocol", "notebooks", G_NEG + "-code", PRESENT,
         "with NDCG_0 = worst / ideal, the same for all runs, it cannot be all of what made the printed tables"),
    Item("G9", "no submitted run has a negative score", "none", G_NEG, NO_DATA, "the submitted runs are not at hand"),
    Item("G10", "table 2b: rho of the rankings", ".91, .99, .93", G_NEG, PRESENT, "2012 only"),
    Item("G11", "figure 2c: ranks by one against the other", "figure", G_NEG),
    Item("G12", "table 2d: Phi, NDCG_min highest", ".967, .940, .996", G_NEG),
    Item("G13", "figure 2e: error rate as worded (topics won)", "falls; min lowest", G_NEG),
    Item("G14", "the same by means over topic sets, and tolerance 0", "-", G_NEG + " --counted means"),
    Item("G15", "figure 2f: sensitivity, org = min > 0", "figure", G_NEG),
    Item("G16", "k = 5, 10, 15, 20", "section 5", G_NEG),
    Item("G17", "submitted runs of 2010-2014", "56, 37, 32, 34, 30", G_NEG, NO_DATA,
         "2012 has eight baselines instead; official scores have negative labels set to 0"),
    Item("G18", "Phi of 2011", ".975", "reliability SCORES", PRESENT, "official scores give less by its formula"),
]  # fmt: skip
