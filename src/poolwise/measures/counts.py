"""Counts of topics and documents, which are summed over topics (measures.md section 3)."""

from __future__ import annotations

from poolwise.measures.aggregate import SUM
from poolwise.measures.measure import LEFT_OUT, NO_MATTER, NONRELEVANT, Declaration
from poolwise.measures.rank import REL
from poolwise.measures.registry import register

NumQ = register(
    Declaration(
        "NumQ",
        "number of topics",
        "1 for each topic; the row `all` holds the sum.",
        unjudged=NO_MATTER,
        perfect=1.0,
        aggregate=SUM,
        of_all=True,
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
