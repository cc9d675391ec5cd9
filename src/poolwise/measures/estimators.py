"""Estimators: they infer from the sampled documents what complete judgments would give (measures.md section 5)."""

from __future__ import annotations

from poolwise.measures.measure import ESTIMATED, Declaration, Measure
from poolwise.measures.parameters import Choice, Gain, positive_gain
from poolwise.measures.rank import AP, REL, P, nDCG
from poolwise.measures.registry import register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

COMPAT = Choice("compat", None, "'sample_eval': the choices of NIST's script of that name", ("sample_eval",))
IDEAL_DEPTH = 1000  # infNDCG reads this far down unless cut


def _as_script(parameters: Mapping[str, Any], top: float) -> list[float]:
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
        numbers=lambda parameters, top: [0.0],
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
