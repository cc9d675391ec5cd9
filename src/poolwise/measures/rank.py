"""Measures that depend on the ranks of judged documents, the usual ones (measures.md section 3)."""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import GEOMETRIC_MEAN
from poolwise.measures.measure import NONRELEVANT, REPORTED, Declaration
from poolwise.measures.parameters import (
    NEGATIVE,
    Choice,
    Discount,
    Gain,
    Label,
    Real,
    Shares,
    dcg_discount,
    gain_of,
    relevant_gain,
)
from poolwise.measures.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

REL = Label("rel", 1, "lowest label that counts as relevant", 0.0, examples=(2, 0.5))
TOP = Label(
    "top", None, "highest label of the scale; by default the highest in the complete judgments", 0.0, open=True,
    examples=(4,),
)  # fmt: skip
PERSISTENCE = Real(
    "p", 0.8, "probability that the reader goes on to the next rank", 0.0, 1.0, open=True, examples=(0.5, 0.95)
)
BASE = Real("base", 2.0, "base of the logarithm of discount 'jk'", 1.0, open=True, examples=(4,))
BEFORE_10 = Choice("compat", None, "'trec_eval9': numbers of documents as before version 10", ("trec_eval9",))


def _highest(parameters: Mapping[str, Any], highest_label: float) -> float:
    """The highest label of the scale: the parameter `top`, or the highest label of the judgments."""
    if parameters["top"] is None:
        return highest_label if highest_label > 0 else 1
    if parameters["top"] < highest_label:
        raise ArgumentError(
            f"top={parameters['top']} is lower than label {highest_label} of the judgments; "
            f"use top={highest_label} or more"
        )
    return float(parameters["top"])


def _stop(parameters: Mapping[str, Any], label: float, highest_label: float) -> float:
    # Beyond 2^1000 the power overflows, and all gains are 0 anyway.
    return float(gain_of("exp", max(label, 0), 1) / 2.0 ** min(_highest(parameters, highest_label), 1000))


def _gain(parameters: Mapping[str, Any], label: float, highest_label: float) -> float:
    return gain_of(parameters["gain"], label, parameters["rel"])


def _share_of_highest(parameters: Mapping[str, Any], label: float, highest_label: float) -> float:
    """The gain divided by the highest gain: of the highest label, or of a mapping."""
    gain, rel = parameters["gain"], parameters["rel"]
    if gain == "binary":
        return gain_of(gain, label, rel)
    highest = gain_of(gain, _highest(parameters, highest_label), rel)
    # In a mapping a lower label may have the highest gain.
    if not isinstance(gain, str):
        highest = max(highest, *(worth for _, worth in gain if not isinstance(worth, str)))
    return max(0.0, gain_of(gain, label, rel)) / highest if highest > 0 else 0.0


def _rbp_discount(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    return "geometric", [parameters["p"]]


def _before_10(parameters: Mapping[str, Any]) -> float:
    return float(parameters["compat"] == "trec_eval9")


# `perfect` is None where a perfect ranking scores less than 1 on some topics: precision at k cannot reach 1 with fewer
# than k relevant documents.
P = register(
    Declaration(
        "P",
        "precision: share of the top k that is relevant",
        "Relevant documents among the top k, divided by k, also when the ranking is shorter.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="required",
        condensable=True,
        perfect=None,
        aliases={"P_{}": "P@{}", "Precision": "P", "precision": "P"},
        relative=False,
        citation="trec_eval",
    )
)

R = register(
    Declaration(
        "R",
        "recall: share of the relevant documents found in the top k",
        "Relevant documents among the top k, divided by R, the number of judged relevant documents.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="required",
        condensable=True,
        perfect=None,
        aliases={"recall_{}": "R@{}", "Recall": "R", "recall": "R"},
        citation="trec_eval",
    )
)

# The rounding is trec_eval's: 0.9 is added before the decimals are cut, so that products such as 0.2 x 5 stay whole.
Rprec = register(
    Declaration(
        "Rprec",
        "precision at rank R",
        "Precision at the rank that equals R, the number of judged relevant documents; or at a multiple of R, which is "
        "rounded up: times x R + 0.9, rounded down.",
        unjudged=NONRELEVANT,
        parameters=(REL, Real("times", 1.0, "multiple of R", 0.0, examples=(0.2, 2))),
        condensable=True,
        aliases={"Rprec_mult_{}": "Rprec(times={})", "r-precision": "Rprec"},
        perfect=None,
        citation="trec_eval",
        numbers=lambda parameters, highest_label: [parameters["times"]],
    )
)

RR = register(
    Declaration(
        "RR",
        "reciprocal rank of the first relevant document",
        "1 / rank of the first relevant document; 0 when there is none (within the cut-off).",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="optional",
        condensable=True,
        aliases={"recip_rank": "RR", "MRR": "RR", "mrr": "RR"},
        relative=False,
        citation="trec_eval",
    )
)

Success = register(
    Declaration(
        "Success",
        "whether the top k holds a relevant document",
        "1 when at least one of the top k documents is relevant, else 0.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="required",
        condensable=True,
        aliases={
            "success_{}": "Success@{}",
            "success": "Success",
            "hit_rate": "Success",
            "hit": "Success",
            "accuracy": "Success",
        },
        relative=False,
        citation="trec_eval",
    )
)

# The divisor is R even with a cut-off, as in trec_eval's map_cut. Some tools divide by min(R, k).
AP = register(
    Declaration(
        "AP",
        "average precision",
        "Mean, over all R relevant documents, of the precision at the rank of each; 0 for those not retrieved. "
        "With a cut-off the sum stops at k and the divisor stays R.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="optional",
        condensable=True,
        aliases={"map": "AP", "map_cut_{}": "AP@{}", "MAP": "AP", "bpref_relative2": "AP'"},
        citation="trec_eval; on condensed lists [S07] eq. 20",
    )
)

GMAP = register(
    Declaration(
        "GMAP",
        "geometric mean of average precision over topics",
        "AP on a topic; the row `all` holds the geometric mean, in which the worst topics weigh most. AP of less than "
        "0.00001 counts as that.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="optional",
        condensable=True,
        aliases={"gm_map": "GMAP"},
        citation="Robertson 2006; trec_eval",
        aggregate=GEOMETRIC_MEAN,
        summary_only=True,
        kernel="AP",
    )
)

# `@` sets the share of recall, because IPrec@0.5 is how ir-measures writes it. A cut-off would have no meaning.
IPrec = register(
    Declaration(
        "IPrec",
        "interpolated precision: the best precision at a recall of at least so much",
        "The highest precision at any rank that has at least recall x R relevant documents, rounded to a whole number; "
        "0 when the ranking has not so many. compat='trec_eval9' adds 0.9 and rounds down, as trec_eval did before "
        "version 10. `IPrec@0.5` is another way to write `IPrec(recall=0.5)`.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Real("recall", None, "share of the relevant documents", 0.0, 1.0, examples=(0.5, 0, 0.1, 1), required=True),
            BEFORE_10,
        ),
        condensable=True,
        aliases={"iprec_at_recall_{}": "IPrec(recall={})"},
        citation="trec_eval",
        numbers=lambda parameters, highest_label: [_before_10(parameters), parameters["recall"]],
        at_parameter="recall",
    )
)

IPrec11 = register(
    Declaration(
        "IPrec11",
        "mean of the interpolated precision at recall 0, 0.1, ..., 1",
        "The mean of IPrec at eleven points of recall: 0, 0.1, 0.2 and so on to 1; or at the points that are given.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Shares("points", None, "points of recall, in place of the eleven", examples=([0.25, 0.5, 0.75],)),
            BEFORE_10,
        ),
        condensable=True,
        aliases={"11pt_avg": "IPrec11"},
        citation="trec_eval",
        numbers=lambda parameters, highest_label: [_before_10(parameters), *(parameters["points"] or ())],
    )
)

nDCG = register(
    Declaration(
        "nDCG",
        "normalised discounted cumulative gain",
        "DCG, the sum of gain x discount over the ranking, divided by the DCG of the ideal ranking. Without a cut-off "
        "the ideal runs over all judged documents of positive gain. Negative gains: 'zero' counts them as 0, 'keep' "
        "as they are (the score may leave [0, 1]), 'minmax' scales between the worst and the best possible DCG. A "
        "document of gain 0 is always to be had, so the best ranking is never below 0; [G20], which has it otherwise, "
        "says that bounds above 1 can be.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Gain(),
            Discount(),
            BASE,
            Choice("negative", "zero", "how negative gains count", NEGATIVE),
        ),
        cutoff="optional",
        condensable=True,
        aliases={
            "ndcg": "nDCG",
            "ndcg_cut_{}": "nDCG@{}",
            "NDCG": "nDCG",
            "ndcg_burges": "nDCG(gain='exp')",
            "MSnDCG": "nDCG",
        },
        examples=(
            "nDCG(gain='exp', negative='minmax')@20",
            "nDCG(gain={1: 3, -2: -1}, negative='keep')",
            "nDCG(discount='jk', base=3)@10",
        ),
        citation="[K09]; negative labels [G20]",
        gains=_gain,
        discount=dcg_discount,
        numbers=lambda parameters, highest_label: [float(NEGATIVE.index(parameters["negative"]))],
    )
)

Q = register(
    Declaration(
        "Q",
        "Q-measure: average precision blended with cumulative gain",
        "Mean over relevant documents of (beta cg(r) + count(r)) / (beta cgI(r) + r), with cg the cumulative gain of "
        "the ranking and cgI of the ideal one. beta = 0 gives AP. With a cut-off the divisor is min(R, k).",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain(), Real("beta", 1.0, "weight of the gains", 0.0, examples=(0, 10))),
        cutoff="optional",
        condensable=True,
        aliases={"Q-measure": "Q"},
        citation="[S07] eq. 21; with a cut-off as NTCIREVAL",
        gains=relevant_gain,
        numbers=lambda parameters, highest_label: [parameters["beta"]],
    )
)

# `perfect` is None: even after a document of the highest label the reader stops with probability below 1.
ERR = register(
    Declaration(
        "ERR",
        "expected reciprocal rank of the document where the reader stops",
        "The reader goes down the ranking and stops at a document with probability (2^label - 1) / 2^top; negative "
        "labels never stop. The score is the expected 1 / rank of the stop.",
        unjudged=NONRELEVANT,
        parameters=(TOP,),
        cutoff="optional",
        condensable=True,
        perfect=None,
        relative=False,
        citation="gdeval (which fixes top=4)",
        gains=_stop,
    )
)

nERR = register(
    Declaration(
        "nERR",
        "ERR as a share of the ideal ranking's",
        "ERR divided by the ERR of the ideal ranking, which holds the judged documents, highest labels first, and is "
        "cut at the same depth.",
        unjudged=NONRELEVANT,
        parameters=(TOP,),
        cutoff="optional",
        condensable=True,
        citation="Chapelle et al. 2009; as NTCIREVAL with exponential gains",
        gains=_stop,
    )
)

RBP = register(
    Declaration(
        "RBP",
        "rank-biased precision",
        "Sum over documents of gain x (1 - p) p^(rank - 1): a reader who goes on with probability p. Gains are shares "
        "of the highest one, that of the highest label; without grades, 1 for relevant documents. "
        "compat='trec_eval' takes the highest label that the topic has, as trec_eval's `rbp` does.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            PERSISTENCE,
            Gain("binary", "what a document of a label is worth, beside the highest"),
            TOP,
            Choice("compat", None, "'trec_eval': gains are shares of the topic's highest", ("trec_eval",)),
        ),
        cutoff="optional",
        condensable=True,
        aliases={"rbp": "RBP(p=0.9, gain='linear', compat='trec_eval')"},
        examples=("RBP(gain='linear', compat='trec_eval')",),
        perfect=None,
        relative=False,
        citation="Moffat and Zobel 2008; trec_eval",
        gains=_share_of_highest,
        discount=_rbp_discount,
        numbers=lambda parameters, highest_label: [float(parameters["compat"] == "trec_eval")],
    )
)

# Not condensable: without unjudged documents in the ranking there is no residual, only the tail.
RBPres = register(
    Declaration(
        "RBPres",
        "residual of RBP: how much unjudged documents could still add",
        "Weight of the unjudged documents of the ranking plus p^depth for what lies beyond it.",
        unjudged=REPORTED,
        parameters=(PERSISTENCE,),
        cutoff="optional",
        judged_only=True,
        perfect=None,
        aliases={"rbp_resid": "RBPres(p=0.9)"},
        citation="Moffat and Zobel 2008",
        discount=_rbp_discount,
    )
)

Judged = register(
    Declaration(
        "Judged",
        "share of the top k that is judged",
        "Judged documents among the top k, divided by min(k, documents retrieved).",
        unjudged=REPORTED,
        cutoff="required",
        perfect=None,
        aliases={"J": "Judged"},
        citation="ir-measures",
    )
)

# Not 1 - Judged: the divisor is k, as in trec_eval's `unj`, while Judged divides by the documents retrieved.
Unjudged = register(
    Declaration(
        "Unjudged",
        "share of the top k that is not judged",
        "Unjudged documents among the top k, divided by k, also when the ranking is shorter.",
        unjudged=REPORTED,
        cutoff="required",
        judged_only=True,
        perfect=None,
        aliases={"unj_{}": "Unjudged@{}", "hole": "Unjudged", "Hole": "Unjudged"},
        citation="trec_eval",
    )
)
