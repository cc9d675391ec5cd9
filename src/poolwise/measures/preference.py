"""Preference measures: they look at judged documents only (measures.md section 4)."""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import GEOMETRIC_MEAN
from poolwise.measures.measure import LEFT_OUT, Declaration, Measure
from poolwise.measures.parameters import Gain, positive_gain
from poolwise.measures.rank import REL, TOP, _highest
from poolwise.measures.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def _binary(name: str, summary: str, loss: str, citation: str, **more: Any) -> Measure:
    return register(
        Declaration(
            name,
            summary,
            f"Mean over all R relevant documents of 1 - {loss}, where n is the number of judged non-relevant documents "
            "ranked above; relevant documents that are not retrieved add 0, and n = 0 loses nothing.",
            unjudged=LEFT_OUT,
            parameters=(REL,),
            citation=citation,
            **more,
        )
    )


def _gain_of_top(parameters: Mapping[str, Any], top: float) -> list[float]:
    highest = _highest(parameters, top)
    gain = positive_gain(parameters, highest, top)
    if gain == 0:
        raise ArgumentError(f"rpref_N: label {highest}, the highest, has no gain; give it one, or set top")
    if any(positive_gain(parameters, label, top) > gain for label in range(1, int(min(-(-highest // 1), 1000)))):
        raise ArgumentError(f"rpref_N: a label below {highest} has a higher gain; gains must grow with the label")
    return [gain]


def _graded(
    name: str,
    summary: str,
    divisor: str,
    citation: str,
    *,
    top: bool = False,
    perfect: float | None = 1.0,
    numbers: Callable[[Mapping[str, Any], float], list[float]] | None = None,
) -> Measure:
    return register(
        Declaration(
            name,
            summary,
            f"Sum over retrieved documents of gain g > 0 of g (1 - penalty / {divisor}), divided by the sum of all "
            "gains of the topic; the penalty adds (g - g') / g for every judged document above with a lower gain g'. "
            "Negative gains count as 0.",
            unjudged=LEFT_OUT,
            parameters=(REL, Gain(), TOP) if top else (REL, Gain()),
            perfect=perfect,
            citation=citation,
            gains=positive_gain,
            numbers=numbers,
        )
    )


bpref = _binary(
    "bpref",
    "binary preference, as trec_eval has it",
    "min(n, R) / min(R, N)",
    "trec_eval; [S07] eq. 9",
    aliases={"Bpref": "bpref"},
)
GMbpref = _binary(
    "GMbpref",
    "geometric mean of bpref over topics, in which the worst topics weigh most",
    "min(n, R) / min(R, N)",
    "trec_eval",
    aliases={"gm_bpref": "GMbpref"},
    aggregate=GEOMETRIC_MEAN,
    of_all=True,
    kernel="bpref",
)
bpref_R = _binary("bpref_R", "bpref, losses divided by R", "min(n, R) / R", "[S07] eq. 10")
bpref_N = _binary(
    "bpref_N",
    "bpref, losses divided by N",
    "n / N",
    "[S07] eq. 11",
    aliases={"bpref_allnonrel": "bpref_N"},
)
bpref_old = _binary(
    "bpref_old",
    "bpref with the slip that trec_eval 8.1 keeps as old_bpref",
    "min(n, R) / min(R, retrieved judged non-relevant documents)",
    "trec_eval 8.1; [S07] section 4",
    aliases={"old_bpref": "bpref_old"},
)
bpref10 = _binary(
    "bpref10", "bpref-10: bpref for topics with few relevant documents", "min(n, R + 10) / (R + 10)", "[B07]"
)
bpref_relative = _binary(
    "bpref_relative",
    "bpref, losses divided by the judged documents above",
    "n / (r' - 1) (r' the condensed rank; a document at r' = 1 adds 0)",
    "[S07] section 4",
    perfect=None,
)

rpref_N = _graded(
    "rpref_N",
    "graded preference, penalties divided by N",
    "(R + N - sum of gains / gain of the highest label)",
    "[S07] eq. 16",
    top=True,
    numbers=_gain_of_top,
)
rpref_relative = _graded(
    "rpref_relative",
    "graded preference, penalties divided by the judged documents above",
    "(r' - 1), documents at the first condensed rank r' = 1 adding 0",
    "[S07] eq. 17",
    perfect=None,
)
rpref_relative2 = _graded(
    "rpref_relative2", "graded preference, penalties divided by the condensed rank", "r'", "[S07] eq. 19"
)
