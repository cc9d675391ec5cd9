"""What is said beside the numbers: which data stands in for a paper's, how it is read, and what explains a difference.

No numbers of a run stand here, so that none can be out of date.
"""

from __future__ import annotations

SETS_USED = {
    "B07": """\
TREC-8 is the paper's; robust03 is a part of its TREC-12 (17 of the runs); TREC-COVID 5 is a third collection. The
graded part is on TREC-COVID 5 and the 50 graded topics of robust03 (`--topics-in 601-650`), as TREC-14 is not at
hand. nDCG has binary gains, as in the paper, but where graded ones are named.""",
    "Y08": """\
TREC-8, as in the paper; judgments are the depth-k pool and as many again at random (or spread over three depth bands,
3 : 1.5 : 1), and for infAP and nDCG on random judgments a random sample of the same size. Truth is AP or nDCG with
all judgments.""",
    "S07": """\
The NTCIR collections are not at hand, so these are other collections, not a repetition: the 30 best runs by AP of
TREC-COVID 5 and TREC-8 (binary), all 17 of robust03 on its 50 graded topics (`--topics-in 601-650`). nDCG is the
paper's own.""",
    "K09": """\
robust03 has 17 of the 78 runs of the paper's TREC 12, on the same 50 graded topics (`--topics-in 601-650`);
TREC-COVID 5 is another graded collection, and TREC-8, which is binary, has no gains to choose. TREC 9 and 10 are not
at hand. The passages of the Deep Learning track of 2019 have four grades.""",
    "G20": """\
The paper's judgments for tables 1 and 2a; for the rest eight baseline runs of 2012, as the tracks' runs are not at
hand. They cannot refute what the paper says of the runs it had, and with 28 pairs of runs Phi and error rates are
uncertain.""",
}
NOTES = {
    "B07": """\
**Two readings of nDCG.** The paper says that unjudged documents are "ignored" and also that they are "by default
considered irrelevant". nDCG counts them as irrelevant, nDCG' takes them out of the list.

**At how many fractions nDCG beats infAP on TREC-12 (B16)** depends on what the paper leaves open, and on chance: on
robust03 the two are within two standard errors of each other at most fractions, so that the count of a run with few
trials can be nearly anything. The rows say for each setting what 100 trials give, and what 30 of these would have
given in 95 % of choices. Ties play no part: no two of the runs have the same mean.

**Accuracy (B27).** We found no reading that gives more than 0.9 below 5 %, reducing all labels instead of those of
each pair among them. The paper's printed "min(1, ...)" and "min(10, ...)" in the reduction are read as max, as its
text means. Its tables of knees and its figures are not in the text that we have, so only its sentences are compared.
""",
    "Y08": """\
**The pool.** The paper's contributing runs are not listed in the data; here they are the runs whose first 100
documents are all judged, so shares agree to a few tenths.

**The bias of xinfAP** comes from topics whose random part holds no relevant document: where the sample finds none
below the depth pool, the estimate takes it that there are none, and only the easily found ones count.

**The intervals of infAP** are off centre and too narrow; [What are sampled judgments
worth?](findings/sampled-judgments.md) takes them apart. `poolwise estimate` has intervals that hold their level
better, within the limits that [the theory](theory/assisted.md) states.
""",
    "S07": """\
**Read with care.** Why these collections differ from NTCIR was not tested. bpref_N, poor on NTCIR, has high power on
TREC-COVID; plain Q and nDCG are far less robust there than bpref_R. Power at few labels counts differences found,
right or wrong.
""",
    "K09": """\
**Why they differ.** The optimum is fitted to the topics and runs it is then judged on, which the paper does not
correct for; K21 does. Halves share topics (or runs), so what is given there is the standard deviation over fits, not
an error of the mean. The printed taus of K17 stand in the paper's row "log", whose heads are lost in the text that we
have.

**What a user should do** is said in [the findings](findings/gain-discount.md).
""",
    "G20": """\
**Table 1** follows exactly if a label's ratio is averaged over the topics that have the label.

**Table 2a.** The first column follows from the qrels. The second does not at the stated k; with k = 10, or with every
document counted twice, it does. Both readings were found by search, so which the authors took is open. The code's
discount is 1, 1 / ln 2, 1 / ln 3 in release 1.0.0 and 1, 1, 1 / log2(3) since 2020-11-10.

**Error rates.** Values count as equal within 5 % of the larger one, and ties are no errors. NDCG_min lies higher than
the others, so more of its pairs tie; at tolerance 0 that is gone, and with it most of its lead. Counted by topics
won, as the paper words it, the rate does not fall with more topics.
""",
}
