"""Estimators: they infer from the sampled documents what complete judgments would give (measures.md section 5)."""

from __future__ import annotations

from poolwise.score.measure import ESTIMATED, Declaration
from poolwise.score.rank import REL
from poolwise.score.registry import register

infAP = register(
    Declaration(
        "infAP",
        "average precision inferred from a uniform sample of the pool",
        "Mean over the judged relevant documents of the precision expected at each: the document itself, and of the "
        "documents above those that are pooled, at the rate of relevant ones among the judged above. Documents "
        "outside the pool count as non-relevant. With complete judgments it is AP but for the smoothing of 1e-5.",
        unjudged=ESTIMATED,
        parameters=(REL,),
        citation="[Y08] section 2; trec_eval",
    )
)
