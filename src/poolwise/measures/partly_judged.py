"""Preference measures: they look at judged documents only (measures.md section 4)."""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import GEOMETRIC_MEAN
from poolwise.measures.measure import ESTIMATED, LEFT_OUT, Declaration, Measure
from poolwise.measures.parameters import Choice, Gain, positive_gain
from poolwise.measures.rank import AP, REL, TOP, P, _highest, nDCG
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


def _gain_of_top(parameters: Mapping[str, Any], highest_label: float) -> list[float]:
    highest = _highest(parameters, highest_label)
    gain = positive_gain(parameters, highest, highest_label)
    if gain == 0:
        raise ArgumentError(f"rpref_N: label {highest}, the highest, has no gain; give it one, or set top")
    # Labels are whole and few; the bound of 1000 guards against a damaged file.
    below = range(1, int(min(-(-highest // 1), 1000)))
    if any(positive_gain(parameters, label, highest_label) > gain for label in below):
        raise ArgumentError(f"rpref_N: a label below {highest} has a higher gain; gains must grow with the label")
    return [gain]


def _graded(
    name: str,
    summary: str,
    divisor: str,
    citation: str,
    *,
    has_top: bool = False,
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
            parameters=(REL, Gain(), TOP) if has_top else (REL, Gain()),
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
    summary_only=True,
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
# For comparisons with papers of that time: losses are divided by retrieved documents only.
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
    has_top=True,
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
COMPAT = Choice("compat", None, "'sample_eval': the choices of NIST's script of that name", ("sample_eval",))
IDEAL_DEPTH = 1000  # ranks of infNDCG without a cut-off: runs of TREC end there, as in [Y08]


def _as_script(parameters: Mapping[str, Any], highest_label: float) -> list[float]:
    return [float(parameters["compat"] == "sample_eval")]


def _average_precision(measure: Measure) -> Measure:
    return AP(rel=measure.parameters["rel"])


def _ndcg(measure: Measure) -> Measure:
    return nDCG(rel=measure.parameters["rel"], gain=measure.parameters["gain"]) @ (measure.cutoff or IDEAL_DEPTH)


def _precision(measure: Measure) -> Measure:
    return P(rel=measure.parameters["rel"]) @ (measure.cutoff or 1)


infAP = register(
    Declaration(
        "infAP",
        "average precision inferred from a uniform sample of the pool",
        "Mean over the judged relevant documents of the precision expected at each: the document itself, and of the "
        "documents above those that are pooled, at the rate of relevant ones among the judged above. Documents "
        "outside the pool count as non-relevant. With complete judgments it is AP but for the smoothing of 1e-5. Where "
        "nothing is judged above a document, that makes the precision 1/2, in the variance as of one judged document.",
        unjudged=ESTIMATED,
        parameters=(REL,),
        judged_only=True,
        citation="[Y08] section 2; trec_eval",
        estimates=_average_precision,
        variance="infAP_variance",
    )
)
xinfAP = register(
    Declaration(
        "xinfAP",
        "average precision inferred from a stratified sample of the pool",
        "Within each stratum the mean of the precisions expected at its judged relevant documents, 0 for those not "
        "retrieved; over strata weighted by the estimated number of relevant documents, judged relevant x pooled / "
        "judged. The precision at a rank counts the documents above by stratum, each at the rate of relevant ones "
        "among the judged of its stratum above. A stratum of which nothing is judged has no weight. One stratum, or "
        "judgments without strata, give infAP. compat='sample_eval' smooths with 3e in place of 2e and stops at rank "
        "1000.",
        unjudged=ESTIMATED,
        parameters=(REL, COMPAT),
        citation="[Y08] section 3",
        numbers=_as_script,
        estimates=_average_precision,
    )
)
infNDCG = register(
    Declaration(
        "infNDCG",
        "nDCG inferred from a stratified sample of the pool",
        "DCG: for each stratum the discounted gains of its judged retrieved documents, times retrieved / judged "
        "retrieved. Ideal DCG: the list that holds, highest gain first, the estimated number of documents of each "
        "gain; a fraction of a document fills a fraction of a rank. The discount is log2, the depth 1000 unless cut. "
        "Negative gains count as 0. The score may pass 1. compat='sample_eval' rounds the numbers of documents.",
        unjudged=ESTIMATED,
        parameters=(REL, Gain(), COMPAT),
        cutoff="optional",
        bounds=(0.0, float("inf")),
        citation="[Y08] section 4",
        gains=positive_gain,
        discount=lambda parameters, cutoff: ("log2", []),
        numbers=_as_script,
        estimates=_ndcg,
    )
)
statAP = register(
    Declaration(
        "statAP",
        "average precision by the Horvitz-Thompson estimator, from a stratified sample of the pool",
        "The sum of the precisions at relevant documents is one over documents and over pairs of them; every judged "
        "one, and every judged pair, counts for 1 / (its chance to be judged), and so does a document in the estimated "
        "number of relevant ones. Sum and number are unbiased; their ratio, which this is, nearly so with many judged "
        "relevant documents. Nothing is smoothed, the score may pass 1, and complete judgments give AP exactly. The "
        "variance is that of the linear form of the ratio, stratum by stratum.",
        unjudged=ESTIMATED,
        parameters=(REL,),
        bounds=(0.0, float("inf")),
        citation="Aslam, Pavlu and Yilmaz 2006, which [Y08] compares with; Horvitz and Thompson 1952",
        numbers=lambda parameters, highest_label: [0.0],
        estimates=_average_precision,
        variance="statAP_variance",
    )
)
iP = register(
    Declaration(
        "iP",
        "precision inferred from a stratified sample of the pool",
        "Expected number of relevant documents among the top k, divided by k: the pooled ones of each stratum at the "
        "rate of relevant ones among the judged of the stratum in the top k. Documents outside the pool count as "
        "non-relevant. compat='sample_eval' smooths with 3e in place of 2e.",
        unjudged=ESTIMATED,
        parameters=(REL, COMPAT),
        cutoff="required",
        perfect=None,
        citation="[Y08] section 3",
        numbers=_as_script,
        estimates=_precision,
    )
)
