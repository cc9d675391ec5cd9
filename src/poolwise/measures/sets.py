"""Measures of what was retrieved as a set, whatever its order."""

from __future__ import annotations

from poolwise.measures.measure import NONRELEVANT, Declaration
from poolwise.measures.parameters import Real
from poolwise.measures.rank import REL
from poolwise.measures.registry import register

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
        numbers=lambda parameters, top: [parameters["beta"]],
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
        numbers=lambda parameters, top: [parameters[name] for name in WORTHS],
    )
)
