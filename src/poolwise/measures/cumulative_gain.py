"""Measures of gains along a ranking beside nDCG and Q: those of trec_eval, of NTCIREVAL, and compatibility."""

from __future__ import annotations

from poolwise.measures.measure import NONRELEVANT, Declaration
from poolwise.measures.parameters import Choice, Discount, Flag, Gain, Real, dcg_discount, positive_gain, relevant_gain
from poolwise.measures.rank import BASE, REL
from poolwise.measures.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


BETA = Real("beta", 1.0, "weight of the gains", 0.0, examples=(0, 10))
# The core gets the index of the choice.
STOPS = ("uniform", "gain", "rank")  # where readers stop, in the core's order


def _beta(parameters: Mapping[str, Any], highest_label: float) -> list[float]:
    return [parameters["beta"]]


# trec_eval's experimental measures have no option for the discount.
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
        aliases={"dcg": "DCG", "dcg_burges": "DCG(gain='exp')"},
        relative=False,
        citation="Järvelin and Kekäläinen 2002; trec_eval",
        gains=positive_gain,
        discount=dcg_discount,
    )
)

# `counts_missing`: the ideal ranking exists also on topics that a run lacks.
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
        relative=False,
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

# The next measures are trec_eval's experiments without a publication; formulas follow its source.
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

# `counts_missing`: with s = 0 the score is -log(1 + R), not 0, and trec_eval averages it.
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

NCU = register(
    Declaration(
        "NCU",
        "normalised cumulative utility: Q for readers who stop here or there",
        "The mean over relevant documents of (beta cg(r) + count(r)) / (beta cgI(r) + r), as in Q, weighted by how "
        "many readers stop there: stop='gain' in proportion to gains, 'rank' gamma times as many at each further "
        "relevant document, 'uniform' as many at each, which is Q. beta=0 has precision in place of the ratio. "
        "NTCIREVAL's NCUgu,BR and NCUrb,BR; with beta=0 its NCUgu,P and NCUrb,P.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Gain(),
            BETA,
            Choice("stop", "gain", "where readers stop", STOPS),
            Real("gamma", 0.95, "readers at a relevant document per reader at the last one", 0.0, 1.0, examples=(0.5,)),
        ),
        condensable=True,
        aliases={
            "NCUguP": "NCU(beta=0)",
            "NCUguBR": "NCU",
            "NCUrbP": "NCU(beta=0, stop='rank')",
            "NCUrbBR": "NCU(stop='rank')",
        },
        examples=("NCU(beta=0, stop='rank', gamma=0.8)",),
        citation="Sakai and Robertson 2008",
        gains=relevant_gain,
        numbers=lambda parameters, highest_label: [
            parameters["beta"],
            float(STOPS.index(parameters["stop"])),
            parameters["gamma"],
        ],
    )
)


def _for_one_document(name: str, summary: str, description: str, aliases: dict[str, str]) -> Declaration:
    """A measure of searches for one highly relevant document, made of the ratio of Q."""
    return Declaration(
        name,
        summary,
        description,
        unjudged=NONRELEVANT,
        parameters=(REL, Gain(), BETA),
        condensable=True,
        aliases=aliases,
        citation="Sakai 2007, for one highly relevant document",
        gains=relevant_gain,
        numbers=_beta,
    )


Omeasure = register(
    _for_one_document(
        "Omeasure",
        "O-measure: how soon a relevant document comes, and how good it is",
        "At the first relevant document, (beta g + 1) / (beta cgI(r) + r), with g its gain and cgI the cumulative gain "
        "of the ideal ranking. beta=0 gives RR.",
        {"O-measure": "Omeasure"},
    )
)

Pmeasure = register(
    _for_one_document(
        "Pmeasure",
        "P-measure: how soon the best document of the ranking comes",
        "The ratio of Q, (beta cg(r) + count(r)) / (beta cgI(r) + r), at the first document of the highest label that "
        "the ranking has.",
        {"P-measure": "Pmeasure"},
    )
)

Pplus = register(
    _for_one_document(
        "Pplus",
        "P-plus: how good the ranking is down to its best document",
        "The mean of the ratio of Q over the relevant documents down to the first one of the highest label that the "
        "ranking has.",
        {"P-plus": "Pplus", "P+": "Pplus"},
    )
)

Compat = register(
    Declaration(
        "Compat",
        "compatibility: rank-biased overlap with the ideal ranking that is most like this one",
        "The ideal ranking has the relevant documents, highest labels first, and those of one label in the order of "
        "the ranking itself. At each depth, the share of documents that both have in common; averaged with weights "
        "p^(depth - 1) down to depth 1000, however short they are, as in the authors' program; compat='ir_measures' "
        "stops at the end of the longer one. normalize=True divides by what the ideal ranking has with itself, so that "
        "an ideal ranking scores 1 however few relevant documents there are.",
        unjudged=NONRELEVANT,
        parameters=(
            REL,
            Real("p", 0.95, "weight of a depth beside the one before", 0.0, 1.0, open=True, examples=(0.5, 0.98)),
            Flag("normalize", True, "whether an ideal ranking scores 1"),
            Choice("compat", None, "'ir_measures': no deeper than the longer ranking", ("ir_measures",)),
        ),
        condensable=True,
        citation="Clarke, Vtyurina and Smucker 2021",
        gains=lambda parameters, label, highest_label: max(0.0, float(label)) if label >= parameters["rel"] else 0.0,
        discount=lambda parameters, cutoff: ("overlap", [parameters["p"]]),
        numbers=lambda parameters, highest_label: [
            float(parameters["normalize"]),
            float(parameters["compat"] == "ir_measures"),
        ],
    )
)
