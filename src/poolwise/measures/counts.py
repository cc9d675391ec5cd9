"""Counts of topics and documents, which are summed over topics (measures.md section 3)."""

from __future__ import annotations

from poolwise.measures.aggregate import SUM
from poolwise.measures.measure import LEFT_OUT, NO_MATTER, NONRELEVANT, Declaration
from poolwise.measures.parameters import Real
from poolwise.measures.rank import REL
from poolwise.measures.registry import register

# Parameters of Utility in the order of the kernel.
WORTHS = ("hit", "false_alarm", "missed", "rejected", "collection")
SetP = register(
    Declaration(
        "SetP",
        "precision of all that was retrieved",
        "Relevant documents retrieved, divided by documents retrieved.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        perfect=None,
        aliases={"set_P": "SetP"},
        relative=False,
        citation="trec_eval",
    )
)
SetR = register(
    Declaration(
        "SetR",
        "recall of all that was retrieved",
        "Relevant documents retrieved, divided by R, the number of judged relevant documents.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        aliases={"set_recall": "SetR"},
        citation="trec_eval",
    )
)
# trec_eval's formula has beta where van Rijsbergen's F has beta squared.
SetF = register(
    Declaration(
        "SetF",
        "harmonic mean of precision and recall of all that was retrieved",
        "(beta + 1) P R / (beta P + R), with P and R the precision and recall of all that was retrieved.",
        unjudged=NONRELEVANT,
        parameters=(REL, Real("beta", 1.0, "how much recall weighs beside precision", 0.0, examples=(0.5, 2))),
        condensable=True,
        perfect=None,
        aliases={"set_F": "SetF"},
        citation="van Rijsbergen 1979; trec_eval",
        numbers=lambda parameters, highest_label: [parameters["beta"]],
    )
)
F1 = register(
    Declaration(
        "F1",
        "harmonic mean of precision and recall at the cut-off",
        "2 P R / (P + R), with P and R the precision and recall of the top k: relevant documents found, divided by the "
        "mean of k and R.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="required",
        condensable=True,
        perfect=None,
        aliases={"f1": "F1"},
        citation="van Rijsbergen 1979; ranx",
    )
)
SetAP = register(
    Declaration(
        "SetAP",
        "precision times recall of all that was retrieved",
        "AP with every relevant document at the precision of the whole set: P x R.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        perfect=None,
        aliases={"set_map": "SetAP"},
        citation="trec_eval",
    )
)
SetRelativeP = register(
    Declaration(
        "SetRelativeP",
        "precision of all that was retrieved, as a share of the best there can be",
        "Relevant documents retrieved, divided by the smaller of documents retrieved and R.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        aliases={"set_relative_P": "SetRelativeP", "SetRelP": "SetRelativeP"},
        citation="trec_eval",
    )
)
RelativeP = register(
    Declaration(
        "RelativeP",
        "precision at k as a share of the best there can be",
        "Relevant documents among the top k, divided by the smaller of k and R: precision up to R, recall from there "
        "on. BEIR calls it capped recall.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="required",
        condensable=True,
        aliases={"relative_P_{}": "RelativeP@{}", "R_cap": "RelativeP", "R_cap_{}": "RelativeP@{}"},
        citation="trec_eval; BEIR",
    )
)
Utility = register(
    Declaration(
        "Utility",
        "what a set is worth: a sum over documents retrieved or not, relevant or not",
        "hit x relevant documents retrieved + false_alarm x others retrieved + missed x relevant documents that were "
        "not + rejected x others that were not, which are counted from the size of the collection, in trec_eval 0 "
        "if it is not given.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Real("hit", 1.0, "worth of a relevant document retrieved", float("-inf"), examples=(2,)),
            Real("false_alarm", -1.0, "worth of another one retrieved", float("-inf"), examples=(-0.5,)),
            Real("missed", 0.0, "worth of a relevant document that was not retrieved", float("-inf"), examples=(-1,)),
            Real("rejected", 0.0, "worth of another one that was not retrieved", float("-inf"), examples=(0.01,)),
            Real("collection", 0.0, "number of documents there are", 0.0, examples=(1000,)),
        ),
        condensable=True,
        examples=("Utility(rejected=0.01, collection=1000)",),
        perfect=None,
        bounds=(float("-inf"), float("inf")),
        aliases={"utility": "Utility"},
        relative=False,
        citation="trec_eval",
        numbers=lambda parameters, highest_label: [parameters[name] for name in WORTHS],
    )
)
# `counts_missing`: topics that a run lacks count too.
NumQ = register(
    Declaration(
        "NumQ",
        "number of topics",
        "1 for each topic; the row `all` holds the sum.",
        unjudged=NO_MATTER,
        perfect=1.0,
        aggregate=SUM,
        summary_only=True,
        counts_missing=True,
        aliases={"num_q": "NumQ"},
        citation="trec_eval",
    )
)
NumRet = register(
    Declaration(
        "NumRet",
        "number of documents retrieved",
        "Length of the ranking; the row `all` holds the sum.",
        unjudged=NO_MATTER,
        judged_only=True,
        perfect=None,
        bounds=(0.0, float("inf")),
        aggregate=SUM,
        aliases={"num_ret": "NumRet"},
        citation="trec_eval",
    )
)
NumRel = register(
    Declaration(
        "NumRel",
        "number of judged relevant documents of the topic",
        "R; the row `all` holds the sum, topics that the run lacks included.",
        unjudged=NO_MATTER,
        parameters=(REL,),
        perfect=None,
        bounds=(0.0, float("inf")),
        aggregate=SUM,
        counts_missing=True,
        aliases={"num_rel": "NumRel"},
        citation="trec_eval",
    )
)
NumRelRet = register(
    Declaration(
        "NumRelRet",
        "number of relevant documents retrieved",
        "Relevant documents anywhere in the ranking; the row `all` holds the sum.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        perfect=None,
        bounds=(0.0, float("inf")),
        aggregate=SUM,
        aliases={"num_rel_ret": "NumRelRet"},
        citation="trec_eval",
    )
)
# The kernel of NumRelRet with another aggregate: ranx averages hits, trec_eval sums them.
Hits = register(
    Declaration(
        "Hits",
        "number of relevant documents in the top k",
        "Relevant documents among the top k, or anywhere in the ranking; the row `all` holds the mean over topics, "
        "while that of NumRelRet holds the sum.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        cutoff="optional",
        condensable=True,
        perfect=None,
        bounds=(0.0, float("inf")),
        aliases={"hits": "Hits"},
        relative=False,
        citation="ranx",
        kernel="NumRelRet",
    )
)
NumNonrelRet = register(
    Declaration(
        "NumNonrelRet",
        "number of judged non-relevant documents retrieved",
        "Documents anywhere in the ranking that are judged and not relevant; the row `all` holds the sum.",
        unjudged=LEFT_OUT,
        parameters=(REL,),
        perfect=None,
        bounds=(0.0, float("inf")),
        aggregate=SUM,
        aliases={"num_nonrel_judged_ret": "NumNonrelRet"},
        citation="trec_eval",
    )
)
