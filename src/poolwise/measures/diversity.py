"""Measures of novelty and diversity: documents are relevant to subtopics, and a subtopic met again is worth less.

All follow ndeval, the program of TREC's Web tracks: subtopics without a relevant document do not count, and judgments
without subtopics have one per topic. At cut-off 1 ndeval leaves alpha_DCG and ERR_IA as sums. Here they are shares too.
"""

from __future__ import annotations

from poolwise.measures.measure import NONRELEVANT, Declaration
from poolwise.measures.parameters import Real
from poolwise.measures.rank import REL
from poolwise.measures.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

ALPHA = Real(
    "alpha", 0.5, "share of its worth that a subtopic loses each time it is met", 0.0, 1.0, examples=(0.25, 0.9)
)
BETA = Real("beta", 0.5, "probability that the reader goes on to the next rank", 0.0, 1.0, open=True, examples=(0.8,))
# Bounds of scores: the ideal list is found greedily, and no list is better than a greedy one by more than e / (e - 1)
# (Nemhauser, Wolsey and Fisher 1978, for submodular functions such as this).
GREEDY = (0.0, 1.5819767068693265)
WORTH = (
    "A document is worth, for each subtopic it is relevant to, 1 - alpha to the power of how often that was met above "
    "it; worth is discounted by "
)
SHARE = " The sum is a share of what documents that are all relevant to every subtopic would bring"
IDEAL = (
    " The sum is a share of that of the ideal list, found greedily as in ndeval: at each rank the judged document of "
    "most worth, so that a cleverer list may come to a little more than 1."
)


def _numbers(parameters: Mapping[str, Any], highest_label: float) -> list[float]:
    return [parameters["rel"], parameters.get("alpha", 0.0)]


def _with_most(discount: Callable[[int], float]) -> Callable[[Mapping[str, Any], int], list[float]]:
    """The numbers of a kernel, with the highest score of a subtopic: all documents down to the cut-off are relevant."""

    def numbers(parameters: Mapping[str, Any], cutoff: int) -> list[float]:
        left = 1.0 - parameters["alpha"]
        # With alpha above 0 the terms vanish long before a million ranks; the cut bounds the time for a huge
        # cut-off.
        most = sum(left ** (rank - 1) * discount(rank) for rank in range(1, min(cutoff, 10**6) + 1))
        return [*_numbers(parameters, 0), most]

    return numbers


def _geometric_most(parameters: Mapping[str, Any], cutoff: int) -> list[float]:
    """The numbers of a kernel for an endless list: the highest score is the sum of a geometric series."""
    beta = parameters["beta"]
    return [*_numbers(parameters, 0), (1.0 - beta) / (1.0 - (1.0 - parameters["alpha"]) * beta)]


def _by_log(rank: int) -> float:
    from math import log2  # not needed to start a command

    return 1.0 / log2(rank + 1)


def _log2(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    return "log2", []


def _inverse(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    return "zipf", []


def _geometric(parameters: Mapping[str, Any], cutoff: int) -> tuple[str, list[float]]:
    return "geometric", [parameters["beta"]]


def _declared(name: str, summary: str, description: str, citation: str, **settings: Any) -> None:
    settings = {"parameters": (REL, ALPHA), "numbers": _numbers, **settings}
    register(
        Declaration(
            name, summary, description, unjudged=NONRELEVANT, condensable=True, subtopics=True, citation=citation,
            **settings,
        )
    )  # fmt: skip


_declared(
    "alpha_DCG",
    "discounted worth of subtopics, as a share of the most there can be",
    f"{WORTH}log2(rank + 1).{SHARE} down to the cut-off.",
    "Clarke et al. 2008; ndeval",
    cutoff="required",
    perfect=None,
    discount=_log2,
    kernel_numbers_at=_with_most(_by_log),
    aliases={"alpha-DCG": "alpha_DCG"},
)
_declared(
    "alpha_nDCG",
    "discounted worth of subtopics, as a share of the ideal list's",
    f"{WORTH}log2(rank + 1).{IDEAL}",
    "Clarke et al. 2008; ndeval",
    cutoff="optional",
    bounds=GREEDY,
    discount=_log2,
    aliases={"alpha-nDCG": "alpha_nDCG"},
)
_declared(
    "ERR_IA",
    "expected reciprocal rank over subtopics, as a share of the most there can be",
    f"{WORTH}the rank.{SHARE} down to the cut-off.",
    "Chapelle et al. 2009; ndeval",
    cutoff="required",
    perfect=None,
    discount=_inverse,
    kernel_numbers_at=_with_most(lambda rank: 1.0 / rank),
    aliases={"ERR-IA": "ERR_IA"},
)
_declared(
    "nERR_IA",
    "expected reciprocal rank over subtopics, as a share of the ideal list's",
    f"{WORTH}the rank.{IDEAL}",
    "Chapelle et al. 2009; ndeval",
    cutoff="optional",
    bounds=GREEDY,
    discount=_inverse,
    aliases={"nERR-IA": "nERR_IA"},
)
_declared(
    "NRBP",
    "rank-biased precision of novel subtopics, as a share of the most there can be",
    f"{WORTH}beta to the power of the rank.{SHARE} without end.",
    "Clarke et al. 2009; ndeval",
    parameters=(REL, ALPHA, BETA),
    perfect=None,
    discount=_geometric,
    kernel_numbers_at=_geometric_most,
)
_declared(
    "nNRBP",
    "rank-biased precision of novel subtopics, as a share of the ideal list's",
    f"{WORTH}beta to the power of the rank.{IDEAL}",
    "Clarke et al. 2009; ndeval",
    parameters=(REL, ALPHA, BETA),
    bounds=GREEDY,
    discount=_geometric,
)
_declared(
    "StRecall",
    "share of the subtopics met in the top k",
    "Subtopics that a document of the top k is relevant to, divided by all that have a relevant document.",
    "Zhai et al. 2003; ndeval",
    parameters=(REL,),
    cutoff="required",
    perfect=None,
    aliases={"strec": "StRecall", "coverage": "StRecall"},
)
_declared(
    "P_IA",
    "precision averaged over subtopics",
    "Precision at the cut-off for each subtopic, averaged.",
    "Agrawal et al. 2009; ndeval",
    parameters=(REL,),
    cutoff="required",
    perfect=None,
    aliases={"P-IA": "P_IA"},
)
_declared(
    "AP_IA",
    "average precision averaged over subtopics",
    "AP for each subtopic, averaged.",
    "Agrawal et al. 2009; ndeval",
    parameters=(REL,),
    cutoff="optional",
    perfect=None,
    aliases={"MAP-IA": "AP_IA", "MAP_IA": "AP_IA"},
)
