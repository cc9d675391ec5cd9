"""Measures of gains along a ranking beside nDCG, and measures of trec_eval that lie between AP and nDCG."""

from __future__ import annotations

from poolwise.score.measure import NONRELEVANT, Declaration
from poolwise.score.parameters import Discount, Gain, positive_gain
from poolwise.score.rank import BASE, REL, dcg_discount
from poolwise.score.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def _log2(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    return "log2", []


DCG = register(
    Declaration(
        "DCG",
        "discounted cumulative gain",
        "The sum of gain x discount over the ranking, not divided by anything; gains below 0 count as 0.",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain(), Discount(), BASE),
        cutoff="optional",
        condensable=True,
        perfect=None,
        bounds=(0.0, float("inf")),
        aliases={"dcg": "DCG"},
        citation="Järvelin and Kekäläinen 2002; trec_eval",
        gains=positive_gain,
        discount=dcg_discount,
    )
)

IDCG = register(
    Declaration(
        "IDCG",
        "the highest DCG there can be",
        "DCG of the ideal ranking, which holds the judged documents of positive gain: what nDCG divides by.",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain(), Discount(), BASE),
        cutoff="optional",
        perfect=None,
        bounds=(0.0, float("inf")),
        counts_missing=True,
        aliases={"ideal_dcg": "IDCG"},
        citation="Järvelin and Kekäläinen 2002; trec_eval",
        gains=positive_gain,
        discount=dcg_discount,
    )
)

nDCGrel = register(
    Declaration(
        "nDCGrel",
        "nDCG averaged over the ranks of documents with a gain",
        "nDCG at the rank of each judged document of positive gain, averaged; a document that was not retrieved has "
        "the nDCG of the whole ranking. An experimental measure of trec_eval.",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain()),
        condensable=True,
        aliases={"ndcg_rel": "nDCGrel"},
        citation="trec_eval",
        gains=positive_gain,
        discount=_log2,
    )
)

RnDCG = register(
    Declaration(
        "RnDCG",
        "nDCG averaged over the depths where the ideal ranking comes to the end of a gain",
        "With 5 documents of the highest gain and 3 of the next, nDCG@5 and nDCG@8, averaged. A ranking that goes more "
        "than one document beyond the ideal one adds the nDCG of its whole. An experimental measure of trec_eval.",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain()),
        condensable=True,
        aliases={"Rndcg": "RnDCG"},
        citation="trec_eval",
        gains=positive_gain,
        discount=_log2,
    )
)

G = register(
    Declaration(
        "G",
        "gains, each divided by a logarithm of what was missed before",
        "The sum of gain / log2(2 + cost - gain so far) as a share of all gains there are; the cost of a rank is the "
        "ideal gain there, or 1 where that is more. An experimental measure of trec_eval.",
        unjudged=NONRELEVANT,
        parameters=(REL, Gain()),
        condensable=True,
        citation="trec_eval",
        gains=positive_gain,
    )
)

binG = register(
    Declaration(
        "binG",
        "relevant documents, each divided by a logarithm of the others before it",
        "The mean over R relevant documents of 1 / log2(2 + non-relevant documents before it); 0 for those not "
        "retrieved. An experimental measure of trec_eval.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        citation="trec_eval",
    )
)

YAAP = register(
    Declaration(
        "YAAP",
        "yet another average precision: AP as a logarithm of odds",
        "log((1 + s) / (1 + R - s)), with s the sum of precisions that AP divides by R. Better to average over topics "
        "than AP where these are near 0 or 1. Topics that a run lacks have s = 0.",
        unjudged=NONRELEVANT,
        parameters=(REL,),
        condensable=True,
        perfect=None,
        bounds=(float("-inf"), float("inf")),
        counts_missing=True,
        aliases={"yaap": "YAAP"},
        citation="Robertson 2012; trec_eval",
    )
)
